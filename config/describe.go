package config

import (
	"bufio"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"spvsim/internal/lists"
	"spvsim/simd"
)

// SourceKinds are the marks that sources of a machine's numbers begin with, or have in a later part.
var SourceKinds = []struct{ Mark, Meaning string }{
	{"V", "the vendor: a document, or the vendor's own driver, compiler or library (PAL, LLVM, ROCm, Mesa's AMD code)"},
	{"M", "measured on a device; who measured what follows"},
	{"C", "cost model of a compiler for the device (ACO, LLVM): its authors' estimate"},
	{"S", "another simulator, where the number is not published"},
	{"D", "derived: by counting a code sequence's steps, or from other numbers here"},
	{"knob", "not published: a choice, with the range to sweep; after another mark, that source's uncertainty"},
}

// Describe writes the whole effective machine as YAML that can be read back, each value with its source as a comment.
func (m *Machine) Describe(w io.Writer) error {
	d := &describer{w: bufio.NewWriter(w), m: m}
	for _, s := range SourceKinds {
		fmt.Fprintf(d.w, "# %-5s %s\n", s.Mark+":", s.Meaning)
	}
	d.structure(reflect.ValueOf(m).Elem(), "", 0)
	return d.w.Flush()
}

type describer struct {
	w *bufio.Writer
	m *Machine
}

// sourceColumn is the column of the sources on shorter lines.
const sourceColumn = 40

func (d *describer) structure(v reflect.Value, path string, depth int) {
	for _, f := range fieldsOf(v.Type()) {
		if fv := v.FieldByIndex(f.Index); !f.IsDefault(fv) {
			d.value(fv, f.Name, joinPath(path, f.Name), depth)
		}
	}
}

func (d *describer) value(v reflect.Value, key, path string, depth int) {
	indent := strings.Repeat("  ", depth)
	switch {
	case isRow(v):
		d.line(indent+yamlText(key)+": "+rowText(v), rowSource(v))
	case v.Kind() == reflect.Struct:
		d.line(indent+yamlText(key)+":", "")
		d.structure(v, path, depth+1)
	case v.Kind() == reflect.Map:
		d.line(indent+yamlText(key)+":", "")
		for _, k := range rowOrder(v) {
			d.value(v.MapIndex(reflect.ValueOf(k)), k, joinPath(path, k), depth+1)
		}
	default:
		d.line(indent+key+": "+leafText(v), d.m.Sources[path])
	}
}

// rowOrder lists classes in the order of isa, anything else by name.
func rowOrder(v reflect.Value) []string {
	if v.Type().Elem() != reflect.TypeFor[simd.Class]() {
		return sortedKeys(v)
	}
	return lists.Filter(ClassNames(), func(name string) bool { return v.MapIndex(reflect.ValueOf(name)).IsValid() })
}

// isRow reports whether a value is printed on one line, as the rows of the timing table are.
func isRow(v reflect.Value) bool {
	return v.Type() == reflect.TypeFor[simd.Class]() || v.Type() == reflect.TypeFor[simd.Operation]()
}

func rowSource(v reflect.Value) string { return v.FieldByName("Source").String() }

func rowText(v reflect.Value) string {
	var parts []string
	for _, f := range fieldsOf(v.Type()) {
		if f.IsDefault(v.FieldByIndex(f.Index)) {
			continue
		}
		parts = append(parts, f.Name+": "+leafText(v.FieldByIndex(f.Index)))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func leafText(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Slice:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = leafText(v.Index(i))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case reflect.String:
		return yamlText(v.String())
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	}
	return fmt.Sprint(v.Interface())
}

// yamlText quotes a text that YAML could read as something else.
func yamlText(s string) string {
	if s == "" || strings.ContainsAny(s, ":#{}[],&*!|>'\"%@`\\\n\t") || strings.TrimSpace(s) != s {
		return strconv.Quote(s)
	}
	if c := s[0]; c >= '0' && c <= '9' || c == '-' || c == '.' || c == '?' || c == '~' || c == '=' {
		return strconv.Quote(s)
	}
	return s
}

func (d *describer) line(text, source string) {
	if source != "" {
		text = fmt.Sprintf("%-*s # %s", sourceColumn, text, strings.ReplaceAll(source, "\n", " "))
	}
	fmt.Fprintln(d.w, text)
}
