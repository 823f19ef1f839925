package docs_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/internal/suite"
	"spvsim/plots"
	"spvsim/tracing"
)

//go:generate go test -run ^Test(Reference|ExperimentsPage|PackagesPage|Notices)$ -args -update
//go:generate go test ../spirv/validate -run ^Test(UnsupportedIsDocumented|RulesAreDocumented)$ -args -update
//go:generate go test -run ^TestPagesDoWhatTheySay$ -args -update-shown

var update = flag.Bool("update", false, "write the reference pages anew instead of comparing them")

// endOfKeys ends the generated part of the page of jobs.
const endOfKeys = "<!-- end of keys -->\n"

// The reference pages are generated from the schemas. With -update (go generate ./docs) they are written.
func TestReference(t *testing.T) {
	_, expressions, ok := strings.Cut(readText(t, "reference/job.md"), endOfKeys)
	if !ok {
		t.Fatalf("reference/job.md has no %q", endOfKeys)
	}
	for name, page := range map[string]*page{
		"statistics": statisticsPage(),
		"machine":    schemaPage(t, "machine", "# Machine files"),
		"job":        schemaPage(t, "job", "# Job files").text(endOfKeys + expressions),
		"experiment": schemaPage(t, "experiment", "# Experiments, figures and cluster profiles\n\n## Experiment files").figures().schema(t, "cluster", "## Cluster profiles"),
	} {
		compareOrWrite(t, "reference/"+name+".md", append(bytes.TrimRight(page.Bytes(), "\n"), '\n'))
	}
}

// statisticsPage has a row for each path of the statistics' JSON.
func statisticsPage() *page {
	p := &page{}
	fmt.Fprint(p, "# Statistics\n\nThe statistics that `spvsim run --stats` writes, and that columns of experiments name. A path has the members of the JSON from the outermost in,\n"+
		"joined by dots. `*` represents a name: a class of instructions, a level of memory, a node. Each step has the statistics of the whole run, as\n"+
		"`steps.NAME.cycles`. `spvsim stats --describe PATH` prints one row. This page is generated from the tags of the structures that count.\n\n"+
		"| path | unit | meaning |\n| --- | --- | --- |\n")
	for _, s := range tracing.Statistics() {
		fmt.Fprintf(p, "| `%s` | %s | %s |\n", s.Path, s.Unit, s.Meaning)
	}
	return p
}

// A schema is the part of JSON Schema that the product's schemas use.
type schema struct {
	Ref         string             `json:"$ref"`
	Defs        map[string]*schema `json:"$defs"`
	Properties  map[string]*schema `json:"properties"`
	Additional  json.RawMessage    `json:"additionalProperties"`
	Items       *schema            `json:"items"`
	AnyOf       []*schema          `json:"anyOf"`
	Enum        []any              `json:"enum"`
	Type        any                `json:"type"`
	Description string             `json:"description"`
	Default     any                `json:"default"`
	Minimum     *float64           `json:"minimum"`
	Maximum     *float64           `json:"maximum"`
	Required    []string           `json:"required"`
}

// A page collects sections: one for each structure.
type page struct {
	bytes.Buffer
	level string    // of headings of structures
	later []section // structures without a name of their own, written after the one that holds them
}

type section struct {
	title string
	of    *schema
}

// text adds text to the page.
func (p *page) text(s string) *page {
	p.WriteString(s)
	return p
}

func schemaPage(t *testing.T, kind, title string) *page { return (&page{}).schema(t, kind, title) }

// schema adds the structures of a kind of file, each with its keys.
func (p *page) schema(t *testing.T, kind, title string) *page {
	t.Helper()
	text := suite.Must(config.Schema(kind))(t)
	var root schema
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	from := fmt.Sprintf("Generated from the schema that `spvsim schema %s` prints.", kind)
	if kind == "job" {
		from += " [Expressions](#expressions) are at the end."
	}
	p.head(title, from)
	if kind == "machine" {
		fmt.Fprintf(p, "A value may be written as `{value: V, source: TEXT}` to give its source; the key `source` of a mapping gives the "+sourceOfMapping+". Sources of the presets begin with\n\n| mark | meaning |\n| --- | --- |\n")
		for _, s := range config.SourceKinds {
			fmt.Fprintf(p, "| `%s:` | %s |\n", s.Mark, s.Meaning)
		}
		fmt.Fprintln(p)
	}
	body := &root
	if root.Ref != "" {
		body = root.Defs[lastPart(root.Ref)]
	}
	p.section(section{"Top level", body})
	for _, name := range sortedKeys(root.Defs) {
		if root.Defs[name] != body {
			p.section(section{name, root.Defs[name]})
		}
	}
	return p
}

// sourceOfMapping describes the key source of nearly every mapping of a machine.
const sourceOfMapping = "source of the numbers in this mapping"

// head begins a part of the page; headings of its structures are one level lower.
func (p *page) head(title, from string) {
	fmt.Fprintf(p, "%s\n\nAll keys, with their values and meanings. %s\n\n", title, from)
	p.level = "#" + title[strings.LastIndex(title, "\n")+1:strings.LastIndex(title, "# ")+1]
}

// section writes a structure's table, with one row for keys of the same value and meaning, then those of structures inside it.
func (p *page) section(s section) {
	of := withProperties(s.of)
	fmt.Fprintf(p, "%s %s\n\n", p.level, s.title)
	if of == nil {
		fmt.Fprintf(p, "%s\n\n", p.typeOf(s.title, s.of))
		return
	}
	fmt.Fprint(p, "| key | value | meaning |\n| --- | --- | --- |\n")
	keys, order := map[[2]string][]string{}, [][2]string(nil) // by value and meaning
	for _, key := range sortedKeys(of.Properties) {
		v := of.Properties[key]
		if v.Description == sourceOfMapping { // which the head of the page has
			continue
		}
		meaning := v.Description
		if slices.Contains(of.Required, key) {
			meaning += " (required)"
		}
		if v.Default != nil {
			meaning += fmt.Sprintf(" (default: %v)", v.Default)
		}
		cells := [2]string{p.typeOf(s.title+" / "+key, v), meaning}
		if keys[cells] == nil {
			order = append(order, cells)
		}
		keys[cells] = append(keys[cells], key)
	}
	for _, cells := range order {
		p.row(strings.Join(keys[cells], "`, `"), cells[0], cells[1])
	}
	fmt.Fprintln(p)
	inside := p.later
	p.later = nil
	for _, s := range inside {
		p.section(s)
	}
}

func (p *page) row(key, value, meaning string) {
	escape := func(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
	fmt.Fprintf(p, "| `%s` | %s | %s |\n", key, escape(value), escape(meaning))
}

// withProperties is the structure that a schema is or may be, or nil.
func withProperties(s *schema) *schema {
	if len(s.Properties) > 0 {
		return s
	}
	for _, o := range s.AnyOf {
		if len(o.Properties) > 0 && !sourced(o) {
			return o
		}
	}
	return nil
}

// sourced says whether the schema is a value with its source.
func sourced(s *schema) bool {
	return len(s.Properties) == 2 && s.Properties["source"] != nil && s.Properties["value"] != nil
}

// typeOf says in words what a value may be.
func (p *page) typeOf(title string, s *schema) string {
	switch {
	case s == nil:
		return "anything"
	case s.Ref != "":
		name := lastPart(s.Ref)
		return fmt.Sprintf("[%s](#%s)", name, strings.ToLower(name))
	case len(s.AnyOf) > 0:
		return p.oneOf(title, s.AnyOf)
	case len(s.Enum) > 0:
		return words(s.Enum)
	case len(s.Properties) > 0:
		p.later = append(p.later, section{title, s})
		return "a mapping, below"
	case s.Type == "array":
		return "list of " + p.typeOf(title, s.Items)
	case s.Type == "object":
		return "mapping" + p.ofValues(title, s.Additional)
	}
	return scalarWords(s)
}

func (p *page) oneOf(title string, options []*schema) string {
	var list []string
	for _, o := range options {
		if sourced(o) {
			continue
		}
		if text := p.typeOf(title, o); !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return strings.Join(list, ", or ")
}

func (p *page) ofValues(title string, additional json.RawMessage) string {
	var of schema
	if json.Unmarshal(additional, &of) != nil || reflect.DeepEqual(of, schema{}) {
		return ""
	}
	return " of names to " + p.typeOf(title, &of)
}

func words(values []any) string {
	var list []string
	for _, v := range values {
		if n, ok := v.(float64); ok {
			v = number(n)
		}
		list = append(list, fmt.Sprintf("`%v`", v))
	}
	return strings.Join(list, ", ")
}

func scalarWords(s *schema) string {
	text := "anything"
	switch t := s.Type.(type) {
	case string:
		text = t
	case []any:
		text = "number, boolean or expression"
	}
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		text += fmt.Sprintf(", %s to %s", number(*s.Minimum), number(*s.Maximum))
	case s.Minimum != nil:
		text += ", at least " + number(*s.Minimum)
	}
	return text
}

// number writes whole numbers without an exponent.
func number(v float64) string {
	if v == float64(int64(v)) {
		return fmt.Sprint(int64(v))
	}
	return fmt.Sprint(v)
}

func lastPart(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// figures adds the keys of figures, from the struct tags that their reader uses.
func (p *page) figures() *page {
	p.head("## Figure files", "Generated from the table that the reader of figures uses. The value of a key marked with * may be given alone, in place of its section's mapping.")
	p.fields("Top level", reflect.TypeFor[plots.Figure](), map[reflect.Type]bool{})
	return p
}

func (p *page) fields(title string, t reflect.Type, done map[reflect.Type]bool) {
	done[t] = true
	fmt.Fprintf(p, "%s %s of a figure\n\n| key | value | meaning |\n| --- | --- | --- |\n", p.level, title)
	var inside []reflect.Type
	for i := range t.NumField() {
		f := t.Field(i)
		key := f.Tag.Get("yaml")
		if key == "" || key == "-" {
			continue
		}
		if f.Tag.Get("short") == "true" {
			key += "*"
		}
		of := structOf(f.Type)
		p.row(key, fieldWords(f, of), f.Tag.Get("doc"))
		if of != nil && !done[of] && !slices.Contains(inside, of) {
			inside = append(inside, of)
		}
	}
	fmt.Fprintln(p)
	for _, of := range inside {
		p.fields(of.Name(), of, done)
	}
}

// structOf is the structure that a field holds, alone or in a list; nil for scalars and mappings of names.
func structOf(t reflect.Type) reflect.Type {
	if t == reflect.TypeFor[plots.Pairs]() {
		return nil
	}
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct {
		return t
	}
	return nil
}

func fieldWords(f reflect.StructField, of reflect.Type) string {
	text := map[reflect.Kind]string{reflect.String: "text", reflect.Bool: "boolean", reflect.Float64: "number", reflect.Int: "integer"}[scalarKind(f.Type)]
	switch {
	case f.Type == reflect.TypeFor[plots.Pairs]():
		text = "mapping"
	case of != nil:
		text = fmt.Sprintf("[%s](#%s-of-a-figure)", of.Name(), strings.ToLower(of.Name()))
	case f.Tag.Get("enum") != "":
		text = "`" + strings.ReplaceAll(f.Tag.Get("enum"), "|", "`, `") + "`"
	}
	if f.Type.Kind() == reflect.Slice && f.Type != reflect.TypeFor[plots.Pairs]() {
		text = "list of " + text
		if f.Tag.Get("single") == "true" {
			text += ", or one"
		}
	}
	if r := f.Tag.Get("range"); r != "" {
		text += ", " + strings.ReplaceAll(r, "..", " to ")
	}
	if u := f.Tag.Get("unit"); u != "" {
		text += ", in " + u
	}
	return text
}

func scalarKind(t reflect.Type) reflect.Kind {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind()
}
