package main

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// basics are the types of C by their names in Go.
var basics = map[string]string{
	"void": "byte", "char": "byte", "float": "float32", "double": "float64", "int": "int32", "int32_t": "int32", "int64_t": "int64",
	"uint8_t": "uint8", "uint16_t": "uint16", "uint32_t": "uint32", "uint64_t": "uint64", "size_t": "uint64",
	"VkBool32": "Bool32", "VkFlags": "Flags", "VkFlags64": "Flags64", "VkDeviceSize": "uint64", "VkDeviceAddress": "uint64", "VkSampleMask": "uint32",
}

// sizes are the bytes of Go's types, which are aligned to them.
var sizes = map[string]int{
	"byte": 1, "uint8": 1, "uint16": 2, "float32": 4, "int32": 4, "uint32": 4, "Bool32": 4, "Flags": 4, "float64": 8, "int64": 8, "uint64": 8, "Flags64": 8,
}

// A writer writes the types that are reached from the roots.
type writer struct {
	*registry
	todo  []string
	seen  map[string]bool
	used  map[string]bool // names in Go that the driver refers to
	enums []string        // to write, in order
}

func newWriter(r *registry, used map[string]bool) *writer {
	return &writer{registry: r, seen: map[string]bool{}, used: used}
}

func (w *writer) requireType(ctype string) string {
	ctype = w.canonical(ctype)
	if g, ok := basics[ctype]; ok {
		return g
	}
	if strings.HasPrefix(ctype, "PFN_") {
		return "uintptr"
	}
	if !w.seen[ctype] {
		w.seen[ctype] = true
		w.todo = append(w.todo, ctype)
	}
	return goName(ctype)
}

func goName(ctype string) string { return strings.TrimPrefix(ctype, "Vk") }

func exported(name string) string {
	r := []rune(name)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}

// goType is the type of a member or parameter in Go.
func (w *writer) goType(d *decl, prefix string) string {
	elem := w.requireType(d.ctype)
	if _, basic := basics[d.ctype]; (!basic || unicode.IsUpper(rune(elem[0]))) && elem != "uintptr" {
		elem = prefix + elem
	}
	switch {
	case d.ctype == "void" || strings.HasPrefix(d.ctype, "struct") || d.stars > 0 && w.foreign(d.ctype):
		elem = "unsafe.Pointer"
		for i := 1; i < d.stars; i++ {
			elem = "*" + elem
		}
	default:
		elem = strings.Repeat("*", d.stars) + elem
	}
	if d.array != "" {
		elem = "[" + w.length(d.array) + "]" + elem
	}
	return elem
}

// foreign reports whether a type is defined by another library.
func (w *writer) foreign(ctype string) bool {
	t := w.types[w.canonical(ctype)]
	return t == nil || t.Category == "" && basics[ctype] == ""
}

func (w *writer) length(text string) string {
	parts := strings.Split(text, "*")
	for i, p := range parts {
		if v, ok := w.constants[p]; ok {
			parts[i] = v
		}
	}
	return strings.Join(parts, " * ")
}

// write writes all types that are reached.
func (w *writer) write(b *bytes.Buffer) error {
	b.WriteString("package vk\n\nimport \"unsafe\"\n\n")
	b.WriteString("// Basic types of the API.\ntype (\n\tBool32 uint32\n\tFlags uint32\n\tFlags64 uint64\n)\n\n")
	for len(w.todo) > 0 {
		slices.Sort(w.todo)
		list := w.todo
		w.todo = nil
		for _, name := range list {
			if err := w.writeType(b, name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *writer) writeType(b *bytes.Buffer, name string) error {
	t := w.types[name]
	if t == nil {
		return fmt.Errorf("no type is named %s", name)
	}
	g := goName(name)
	switch t.Category {
	case "handle":
		fmt.Fprintf(b, "type %s uint64 // handle\n\n", g)
	case "enum":
		if e := w.registry.enums[name]; e != nil && e.Kind == "bitmask" || strings.Contains(name, "FlagBits") {
			fmt.Fprintf(b, "type %s = %s\n\n", g, w.flagsOf(name))
		} else {
			fmt.Fprintf(b, "type %s int32\n\n", g)
		}
		w.enums = append(w.enums, name)
	case "bitmask":
		fmt.Fprintf(b, "type %s = %s\n\n", g, basics[t.TypeElem])
		for e := range w.registry.enums {
			if strings.Replace(e, "FlagBits", "Flags", 1) == name && w.refersTo(e) {
				w.requireType(e)
			}
		}
	case "struct":
		return w.writeStruct(b, g, t)
	case "union":
		size, align, err := w.layout(name)
		if err != nil {
			return err
		}
		word := map[int]string{4: "uint32", 8: "uint64"}[align]
		fmt.Fprintf(b, "// %s is a union.\ntype %s [%d]%s\n\n", g, g, size/align, word)
	default:
		return fmt.Errorf("type %s is of category %q: want a handle, enumeration, structure or union", name, t.Category)
	}
	return nil
}

// refersTo says whether the driver names a value of an enumeration.
func (w *writer) refersTo(enum string) bool {
	return slices.ContainsFunc(w.registry.enums[enum].Values, func(v xmlEnum) bool { return w.used[constName(v.Name)] })
}

func (w *writer) flagsOf(name string) string {
	if e := w.registry.enums[name]; e != nil && e.Bitwidth == 64 {
		return "Flags64"
	}
	return "Flags"
}

func (w *writer) writeStruct(b *bytes.Buffer, g string, t *xmlType) error {
	fmt.Fprintf(b, "type %s struct {\n", g)
	for i := range t.Members {
		if !isVulkan(t.Members[i].Api) {
			continue
		}
		d := t.Members[i].parse()
		if d.bits {
			return fmt.Errorf("%s has bit fields", g)
		}
		fmt.Fprintf(b, "\t%s %s\n", exported(d.name), w.goType(&d, ""))
	}
	b.WriteString("}\n\n")
	return nil
}

// layout is the size and alignment of a type in memory.
func (w *writer) layout(ctype string) (size, align int, err error) {
	ctype = w.canonical(ctype)
	if g, ok := basics[ctype]; ok {
		return sizes[g], sizes[g], nil
	}
	t := w.types[ctype]
	switch {
	case t == nil:
		return 0, 0, fmt.Errorf("no type is named %s", ctype)
	case t.Category == "enum" || t.Category == "bitmask":
		return 4, 4, nil
	case t.Category == "handle":
		return 8, 8, nil
	}
	align = 4
	for i := range t.Members {
		d := t.Members[i].parse()
		s, a := 8, 8
		if d.stars == 0 {
			if s, a, err = w.layout(d.ctype); err != nil {
				return 0, 0, err
			}
		}
		if d.array != "" {
			n, err := strconv.Atoi(w.length(d.array))
			if err != nil {
				return 0, 0, err
			}
			s *= n
		}
		align = max(align, a)
		if t.Category == "union" {
			size = max(size, s)
		} else {
			size = (size+a-1)/a*a + s
		}
	}
	return (size + align - 1) / align * align, align, nil
}

// writeConstants writes the values that the driver and the tables of structures refer to.
func (w *writer) writeConstants(b *bytes.Buffer) error {
	b.WriteString("package vk\n\n")
	slices.Sort(w.enums)
	for _, name := range w.enums {
		e := w.registry.enums[name]
		if e == nil {
			continue
		}
		typ, open := goName(name), false
		for _, v := range e.Values {
			if v.Alias != "" || !isVulkan(v.Api) || !w.used[constName(v.Name)] {
				continue
			}
			if !open {
				fmt.Fprintf(b, "// Values of %s.\nconst (\n", typ)
				open = true
			}
			value := v.Value
			if v.Bitpos != "" {
				value = "1 << " + v.Bitpos
			}
			fmt.Fprintf(b, "\t%s %s = %s\n", constName(v.Name), typ, value)
		}
		if open {
			b.WriteString(")\n\n")
		}
	}
	return nil
}

// constName turns VK_ERROR_DEVICE_LOST into ErrorDeviceLost.
func constName(name string) string {
	var b strings.Builder
	for _, word := range strings.Split(strings.TrimPrefix(name, "VK_"), "_") {
		b.WriteString(exported(strings.ToLower(word)))
	}
	return b.String()
}

// The structures that those of features and of properties extend.
const (
	features2   = "VkPhysicalDeviceFeatures2"
	properties2 = "VkPhysicalDeviceProperties2"
)

// writeStructs writes the tables of structures whose members are features.
func (w *writer) writeStructs(b *bytes.Buffer) error {
	b.WriteString("package vk\n\nimport \"reflect\"\n\n// FeatureStructs are the structures of features after VkPhysicalDeviceFeatures2, each with its members, which are Bool32 from byte 16 on.\n")
	b.WriteString("var FeatureStructs = map[StructureType][]string{\n")
	for _, name := range w.extending(features2) {
		t := w.types[name]
		fmt.Fprintf(b, "\t%s: {", w.structureType(t))
		for _, m := range t.Members[2:] {
			fmt.Fprintf(b, "%q, ", m.Name)
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n\n// Features are the members of VkPhysicalDeviceFeatures.\nvar Features = []string{")
	for _, m := range w.types["VkPhysicalDeviceFeatures"].Members {
		fmt.Fprintf(b, "%q, ", m.Name)
	}
	b.WriteString("}\n\n// PropertyStructs are the structures after VkPhysicalDeviceProperties2.\nvar PropertyStructs = map[StructureType]reflect.Type{\n")
	for _, name := range w.extending(properties2) {
		fmt.Fprintf(b, "\t%s: reflect.TypeFor[%s](),\n", w.structureType(w.types[name]), goName(name))
	}
	b.WriteString("}\n")
	return nil
}

// structureType is the constant of a structure's type, which is written too.
func (w *writer) structureType(t *xmlType) string {
	name := constName(t.Members[0].Values)
	w.used[name] = true
	return name
}

// extending lists the structures of chosen parts that extend another one.
func (w *writer) extending(base string) (names []string) {
	for _, name := range w.required {
		t := w.types[w.canonical(name)]
		if t != nil && t.Category == "struct" && slices.Contains(strings.Split(t.Extends, ","), base) {
			names = append(names, t.name())
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// writeModules writes what a device must have for the extensions and capabilities of a module (vk.xml, "spirvextensions" and "spirvcapabilities").
func (w *writer) writeModules(b *bytes.Buffer) error {
	b.WriteString("package vk\n\n")
	for _, table := range []struct {
		name, doc string
		rows      []xmlSpirv
	}{
		{"ModuleExtensions", "what allows each extension of a SPIR-V module", w.spirvExtensions},
		{"ModuleCapabilities", "what allows each capability of a SPIR-V module", w.spirvCapabilities},
	} {
		fmt.Fprintf(b, "// %s lists %s: one of a row is enough.\nvar %s = map[string][]Requirement{\n", table.name, table.doc, table.name)
		for _, row := range table.rows {
			fmt.Fprintf(b, "\t%q: {", row.Name)
			for _, e := range row.Enables {
				if err := w.writeRequirement(b, &e); err != nil {
					return fmt.Errorf("%s: %w", row.Name, err)
				}
			}
			b.WriteString("},\n")
		}
		b.WriteString("}\n\n")
	}
	return nil
}

func (w *writer) writeRequirement(b *bytes.Buffer, e *xmlEnable) error {
	switch {
	case e.Version != "":
		major, minor, ok := strings.Cut(strings.TrimPrefix(e.Version, "VK_VERSION_"), "_")
		if !ok {
			return fmt.Errorf("found version %q: want VK_VERSION_MAJOR_MINOR", e.Version)
		}
		fmt.Fprintf(b, "{Version: %s<<22 | %s<<12}, ", major, minor)
	case e.Extension != "":
		fmt.Fprintf(b, "{Extension: %q}, ", e.Extension)
	case e.Feature != "":
		fmt.Fprintf(b, "{Feature: %q}, ", e.Feature)
	case e.Value == "VK_TRUE":
		fmt.Fprintf(b, "{Property: %q, Bits: 1}, ", exported(e.Member))
	default:
		for _, enum := range w.registry.enums {
			for _, v := range enum.Values {
				if v.Name == e.Value && v.Bitpos != "" {
					fmt.Fprintf(b, "{Property: %q, Bits: 1 << %s}, ", exported(e.Member), v.Bitpos)
					return nil
				}
			}
		}
		fmt.Fprintf(b, "{Extension: %q}, ", e.Value) // of an extension that is not among the chosen ones, which no device has then
	}
	return nil
}
