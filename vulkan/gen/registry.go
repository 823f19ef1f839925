package main

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The used parts of vk.xml's format.
type (
	xmlRegistry struct {
		Types      []xmlType      `xml:"types>type"`
		Enums      []xmlEnums     `xml:"enums"`
		Commands   []xmlCommand   `xml:"commands>command"`
		Features   []xmlExtension `xml:"feature"`
		Extensions []xmlExtension `xml:"extensions>extension"`

		SpirvExtensions   []xmlSpirv `xml:"spirvextensions>spirvextension"`
		SpirvCapabilities []xmlSpirv `xml:"spirvcapabilities>spirvcapability"`
	}
	// An xmlSpirv is an extension or a capability of SPIR-V, with what allows it, each alone.
	xmlSpirv struct {
		Name    string      `xml:"name,attr"`
		Enables []xmlEnable `xml:"enable"`
	}
	xmlEnable struct {
		Version   string `xml:"version,attr"`
		Extension string `xml:"extension,attr"`
		Feature   string `xml:"feature,attr"`
		Member    string `xml:"member,attr"`
		Value     string `xml:"value,attr"`
	}
	xmlType struct {
		Category string    `xml:"category,attr"`
		NameAttr string    `xml:"name,attr"`
		NameElem string    `xml:"name"`
		Alias    string    `xml:"alias,attr"`
		Api      string    `xml:"api,attr"`
		Extends  string    `xml:"structextends,attr"`
		TypeElem string    `xml:"type"`
		Members  []xmlDecl `xml:"member"`
		Proto    xmlDecl   `xml:"proto"`
	}
	xmlDecl struct {
		Api    string `xml:"api,attr"`
		Values string `xml:"values,attr"`
		Inner  string `xml:",innerxml"`
		Type   string `xml:"type"`
		Name   string `xml:"name"`
	}
	xmlEnums struct {
		Name     string    `xml:"name,attr"`
		Kind     string    `xml:"type,attr"`
		Bitwidth int       `xml:"bitwidth,attr"`
		Values   []xmlEnum `xml:"enum"`
	}
	xmlEnum struct {
		Name      string `xml:"name,attr"`
		Value     string `xml:"value,attr"`
		Bitpos    string `xml:"bitpos,attr"`
		Offset    string `xml:"offset,attr"`
		Dir       string `xml:"dir,attr"`
		ExtNumber string `xml:"extnumber,attr"`
		Extends   string `xml:"extends,attr"`
		Alias     string `xml:"alias,attr"`
		Api       string `xml:"api,attr"`
	}
	xmlCommand struct {
		Name   string    `xml:"name,attr"`
		Alias  string    `xml:"alias,attr"`
		Api    string    `xml:"api,attr"`
		Proto  xmlDecl   `xml:"proto"`
		Params []xmlDecl `xml:"param"`
	}
	xmlExtension struct {
		Name     string       `xml:"name,attr"`
		Number   string       `xml:"number,attr"`
		Kind     string       `xml:"type,attr"`
		Api      string       `xml:"api,attr"`
		Requires []xmlRequire `xml:"require"`
	}
	xmlRequire struct {
		Depends  string    `xml:"depends,attr"`
		Api      string    `xml:"api,attr"`
		Enums    []xmlEnum `xml:"enum"`
		Types    []xmlName `xml:"type"`
		Commands []xmlName `xml:"command"`
	}
	xmlName struct {
		Name string `xml:"name,attr"`
	}
)

// A registry holds the contents of the chosen versions and extensions.
type registry struct {
	constants map[string]string // API constants
	types     map[string]*xmlType
	enums     map[string]*xmlEnums // with the values that the chosen parts add
	commands  map[string]*xmlCommand
	selection []registryPart
	values    map[string]extendedBy // every value that a part adds to an enumeration
	required  []string              // types that a chosen part names, in order

	spirvExtensions, spirvCapabilities []xmlSpirv
}

// extendedBy is a value with the number of the extension that adds it.
type extendedBy struct {
	xmlEnum
	number string
}

// A registryPart is a version or an extension with the commands it names.
type registryPart struct {
	name, kind, version string // version: of the extension's specification; "1.0" and so on for the core
	core                bool
	commands            []string
}

func isVulkan(api string) bool {
	return api == "" || slices.Contains(strings.Split(api, ","), "vulkan")
}

// read reads the registry and selects the chosen parts.
func read(path string) (*registry, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var x xmlRegistry
	if err := xml.Unmarshal(data, &x); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r := &registry{constants: map[string]string{}, types: map[string]*xmlType{}, enums: map[string]*xmlEnums{}, commands: map[string]*xmlCommand{}, values: map[string]extendedBy{}}
	r.spirvExtensions, r.spirvCapabilities = x.SpirvExtensions, x.SpirvCapabilities
	r.index(&x)
	for _, name := range slices.Concat(versions, extensions) {
		list := slices.Concat(x.Features, x.Extensions)
		i := slices.IndexFunc(list, func(e xmlExtension) bool { return e.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("%s: no version or extension is named %s", path, name)
		}
		if err := r.choose(&list[i]); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, name, err)
		}
	}
	return r, nil
}

func (r *registry) index(x *xmlRegistry) {
	for i := range x.Types {
		if t := &x.Types[i]; isVulkan(t.Api) {
			r.types[t.name()] = t
		}
	}
	for i := range x.Enums {
		e := &x.Enums[i]
		if e.Kind == "constants" {
			for _, v := range e.Values {
				r.constants[v.Name] = v.Value
			}
			continue
		}
		r.enums[e.Name] = e
	}
	for _, e := range slices.Concat(x.Features, x.Extensions) {
		for _, q := range e.Requires {
			for _, v := range q.Enums {
				if v.Extends != "" && v.Alias == "" && isVulkan(v.Api) {
					r.values[v.Name] = extendedBy{v, e.Number}
				}
			}
		}
	}
	for i := range x.Commands {
		c := &x.Commands[i]
		if !isVulkan(c.Api) {
			continue
		}
		c.Name = cmp.Or(c.Name, c.Proto.Name)
		r.commands[c.Name] = c
	}
}

func (t *xmlType) name() string {
	switch {
	case t.NameAttr != "":
		return t.NameAttr
	case t.NameElem != "":
		return t.NameElem
	}
	return t.Proto.Name
}

// satisfied reports whether one of the alternatives of a condition is chosen.
func satisfied(depends string) bool {
	if depends == "" {
		return true
	}
	have := slices.Concat(versions, extensions)
	for _, alternative := range strings.Split(depends, ",") {
		all := true
		for _, term := range strings.Split(strings.Trim(alternative, "()"), "+") {
			all = all && slices.Contains(have, strings.Trim(term, "()"))
		}
		if all {
			return true
		}
	}
	return false
}

func (r *registry) choose(e *xmlExtension) error {
	p := registryPart{name: e.Name, kind: e.Kind, version: e.Number, core: slices.Contains(versions, e.Name)}
	for _, q := range e.Requires {
		if !satisfied(q.Depends) || !isVulkan(q.Api) {
			continue
		}
		for _, c := range q.Commands {
			p.commands = append(p.commands, c.Name)
		}
		for _, t := range q.Types {
			r.required = append(r.required, t.Name)
		}
		for _, v := range q.Enums {
			if strings.HasSuffix(v.Name, "_SPEC_VERSION") && v.Value != "" {
				p.version = v.Value
			}
			if err := r.extend(v, e.Number); err != nil {
				return err
			}
		}
	}
	r.selection = append(r.selection, p)
	return nil
}

// extend adds a value to an enumeration; an alias has the value of its target.
func (r *registry) extend(v xmlEnum, extension string) error {
	if of, ok := r.values[v.Alias]; ok {
		v, extension = of.xmlEnum, of.number
	}
	e := r.enums[v.Extends]
	if v.Extends == "" || e == nil || v.Alias != "" || !isVulkan(v.Api) {
		return nil
	}
	if v.Offset != "" {
		number := extension
		if v.ExtNumber != "" {
			number = v.ExtNumber
		}
		n, err := strconv.Atoi(number)
		offset, bad := strconv.Atoi(v.Offset)
		if err != nil || bad != nil {
			return fmt.Errorf("%s: offset %q of extension %q: want numbers", v.Name, v.Offset, number)
		}
		// The registry's rule for values of extensions.
		v.Value = v.Dir + strconv.Itoa(1000000000+(n-1)*1000+offset)
	}
	if !slices.ContainsFunc(e.Values, func(have xmlEnum) bool { return have.Name == v.Name }) {
		e.Values = append(e.Values, v)
	}
	return nil
}

// A decl is a member or parameter.
type decl struct {
	ctype, name string
	stars       int
	array       string // number of elements; "": not an array
	bits        bool
}

var (
	comments = regexp.MustCompile(`<comment>.*?</comment>`)
	tags     = regexp.MustCompile(`<[^>]*>`)
)

func (d *xmlDecl) parse() decl {
	text := comments.ReplaceAllString(d.Inner, "")
	text = strings.ReplaceAll(tags.ReplaceAllString(text, " "), "\n", " ")
	out := decl{ctype: d.Type, name: d.Name, stars: strings.Count(text, "*"), bits: strings.Contains(text, ":")}
	for rest := text; ; {
		open := strings.IndexByte(rest, '[')
		if open < 0 {
			return out
		}
		end := strings.IndexByte(rest, ']')
		n := strings.TrimSpace(rest[open+1 : end])
		if out.array != "" {
			n = out.array + "*" + n
		}
		out.array, rest = n, rest[end+1:]
	}
}

// command follows an alias to the command itself.
func (r *registry) command(name string) *xmlCommand {
	c := r.commands[name]
	for c != nil && c.Alias != "" {
		c = r.commands[c.Alias]
	}
	return c
}

// canonical follows an alias to the type itself.
func (r *registry) canonical(name string) string {
	for t := r.types[name]; t != nil && t.Alias != ""; t = r.types[name] {
		name = t.Alias
	}
	return name
}
