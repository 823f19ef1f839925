package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// A command is one that the driver offers: implemented, or refused by name.
type command struct {
	*xmlCommand
	params      []decl
	names       []string // for each name, the parts that provide it
	providers   []string // the parts that have it, for each name
	implemented bool     // the driver has a function of its name
}

func (c *command) result() string { return c.Proto.Type }

// readDriver lists the exported functions, and variables with one, of the driver's package, and the names of package vk that it refers to.
func readDriver(dir string) (have, used map[string]bool, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, nil, err
	}
	have, used = map[string]bool{}, map[string]bool{}
	for _, name := range names {
		if filepath.Base(name) == "calls.go" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return nil, nil, err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				have[n.Name.Name] = have[n.Name.Name] || n.Recv == nil && n.Name.IsExported()
			case *ast.ValueSpec:
				have[n.Names[0].Name] = true
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "vk" {
					used[n.Sel.Name] = true
				}
			}
			return true
		})
	}
	return have, used, nil
}

// addUsed adds the names of package vk that other packages refer to.
func addUsed(used map[string]bool, dirs ...string) error {
	for _, dir := range dirs {
		_, more, err := readDriver(dir)
		if err != nil {
			return err
		}
		maps.Copy(used, more)
	}
	return nil
}

// collect lists the commands of the chosen parts.
func collect(r *registry, have map[string]bool) (list []*command) {
	byName := map[string]*command{}
	for _, p := range r.selection {
		for _, name := range p.commands {
			x := r.command(name)
			c := byName[x.Name]
			if c == nil {
				c = &command{xmlCommand: x, implemented: have[strings.TrimPrefix(x.Name, "vk")]}
				for i := range x.Params {
					if isVulkan(x.Params[i].Api) {
						c.params = append(c.params, x.Params[i].parse())
					}
				}
				byName[x.Name] = c
				list = append(list, c)
			}
			c.names, c.providers = append(c.names, name), append(c.providers, p.name)
		}
	}
	slices.SortFunc(list, func(a, b *command) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// markReached marks the types of the commands that are carried out, those that the driver names, and the structures of properties.
func markReached(w *writer, list []*command) {
	for _, c := range list {
		if !c.implemented {
			continue
		}
		for i := range c.params {
			w.goType(&c.params[i], "")
		}
	}
	for name := range w.used {
		if t := "Vk" + name; w.types[t] != nil {
			w.requireType(t)
		}
	}
	for _, name := range w.extending(properties2) {
		w.requireType(name)
	}
}

// writeParts writes the table of extensions.
func writeParts(b *bytes.Buffer, r *registry) {
	b.WriteString("// extensions are the extensions that the driver reports.\nvar extensions = []extension{\n")
	for _, p := range r.selection {
		if !p.core {
			fmt.Fprintf(b, "\t{%q, %s, %v},\n", p.name, p.version, p.kind == "instance")
		}
	}
	b.WriteString("}\n\n")
}

// writeCalls writes the driver's table of commands.
func writeCalls(b *bytes.Buffer, r *registry, w *writer, list []*command) error {
	b.WriteString("package driver\n\nimport (\n\t\"unsafe\"\n\n\t\"spvsim/vulkan/vk\"\n)\n\n")
	writeParts(b, r)
	b.WriteString("// commands are the commands that the driver offers, in the order of the trampolines.\nvar commands = []command{\n")
	for _, c := range list {
		fmt.Fprintf(b, "\t{%q, %s, %s, ", c.Name, levelOf(c), answerOf(c))
		if !c.implemented {
			b.WriteString("nil},\n")
			continue
		}
		fmt.Fprintf(b, "func(a *args) uint64 { %s }},\n", goCall(w, c))
	}
	b.WriteString("}\n\n// names maps the name of a command to its index, and to the core version or the extension that provides it.\nvar names = map[string][]named{\n")
	for i, c := range list {
		for n := range slices.Compact(slices.Sorted(slices.Values(c.names))) {
			name := slices.Compact(slices.Sorted(slices.Values(c.names)))[n]
			fmt.Fprintf(b, "\t%q: {", name)
			for k := range c.names {
				if c.names[k] == name {
					fmt.Fprintf(b, "{%d, %q}, ", i, partName(c.providers[k]))
				}
			}
			b.WriteString("},\n")
		}
	}
	b.WriteString("}\n")
	return nil
}

// partName is the version of a part of the core, or the extension's name.
func partName(name string) string {
	if i := strings.Index(name, "VERSION_"); i >= 0 {
		return strings.ReplaceAll(name[i+len("VERSION_"):], "_", ".")
	}
	return name
}

func levelOf(c *command) string {
	switch c.params[0].ctype {
	case "VkPhysicalDevice":
		return "ofPhysicalDevice"
	case "VkDevice", "VkQueue", "VkCommandBuffer":
		return "ofDevice"
	case "VkInstance":
		return "ofInstance"
	}
	return "ofLoader"
}

func answerOf(c *command) string {
	switch c.result() {
	case "VkResult":
		return "answersResult"
	case "void":
		return "answersNothing"
	}
	return "answersValue"
}

// goCall is the call of a command's function with its arguments out of words.
func goCall(w *writer, c *command) string {
	var args []string
	for i := range c.params {
		d := c.params[i]
		if d.array != "" { // arrays are passed as pointers
			d.stars, d.array = d.stars+1, ""
		}
		args = append(args, fmt.Sprintf("*(*%s)(unsafe.Pointer(&a[%d]))", w.goType(&d, "vk."), i))
	}
	call := fmt.Sprintf("%s(%s)", strings.TrimPrefix(c.Name, "vk"), strings.Join(args, ", "))
	switch c.result() {
	case "void":
		return call + "; return 0"
	case "VkResult":
		return "return uint64(uint32(" + call + "))"
	}
	return "return uint64(" + call + ")"
}

// ctype returns the C type by which a parameter is passed.
func ctype(w *writer, d *decl) string {
	if d.stars > 0 || d.array != "" {
		return "void *"
	}
	size, _, err := w.layout(d.ctype)
	switch {
	case d.ctype == "float" || d.ctype == "double":
		return d.ctype + " "
	case err != nil || strings.HasPrefix(d.ctype, "PFN_"):
		return "void *"
	case size == 4:
		return "uint32_t "
	}
	return "uint64_t "
}

// writeC writes the functions that C calls.
func writeC(b *bytes.Buffer, w *writer, list []*command) {
	b.WriteString("#include <stdint.h>\n#include <string.h>\n#include \"trampolines.h\"\n\n")
	b.WriteString("/* Each packs its arguments into words and hands them to the driver, with its number. */\n\n")
	for i, c := range list {
		result := map[string]string{"void": "void", "VkResult": "int32_t", "VkBool32": "uint32_t"}[c.result()]
		if result == "" {
			result = "uint64_t"
		}
		if !c.implemented && !destroys(c) {
			fmt.Fprintf(b, "static %s c%d(void *first) { uint64_t a[1] = {(uintptr_t)first}; %s; }\n", result, i, giveBack(result, i))
			continue
		}
		var params, words []string
		for k := range c.params {
			t := ctype(w, &c.params[k])
			params = append(params, fmt.Sprintf("%sp%d", t, k))
			words = append(words, word(t, k))
		}
		fmt.Fprintf(b, "static %s c%d(%s) { uint64_t a[%d] = {%s}; %s; }\n", result, i, strings.Join(params, ", "), len(words), strings.Join(words, ", "), giveBack(result, i))
	}
	b.WriteString("\nvoid (*const spvsim_commands[])(void) = {\n")
	for i := range list {
		fmt.Fprintf(b, "\t(void (*)(void))c%d, /* %s */\n", i, list[i].Name)
	}
	b.WriteString("};\n")
}

// destroys reports a command whose object the driver reads before it refuses the command: null may be destroyed.
func destroys(c *command) bool { return strings.HasPrefix(c.Name, "vkDestroy") }

func giveBack(result string, i int) string {
	otherwise := "0"
	if result == "int32_t" {
		otherwise = "SPVSIM_LOST"
	}
	call := fmt.Sprintf("spvsim_command(%d, a, %s)", i, otherwise)
	if result == "void" {
		return call
	}
	return fmt.Sprintf("return (%s)%s", result, call)
}

func word(ctype string, k int) string {
	switch strings.TrimSpace(ctype) {
	case "void *":
		return fmt.Sprintf("(uintptr_t)p%d", k)
	case "float":
		return fmt.Sprintf("spvsim_float(p%d)", k)
	}
	return fmt.Sprintf("p%d", k)
}
