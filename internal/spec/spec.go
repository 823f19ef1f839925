// Package spec reads struct tags. Each component of the machine describes its
// parameters in a struct with tags. The reader of machine files, the checks, the
// schema and the reference page are generated from these.
//
//	yaml      name in the file; ",inline": the struct's fields are keys of the enclosing mapping
//	range     lowest..highest value (inclusive); for lists, of each item
//	pow2      "true" when the value must be a power of two (0 is allowed where the range allows it)
//	enum      allowed words or numbers, separated by |
//	items     fewest..most items of a list
//	default   value if a file leaves the field out; "": an empty text or list, or a mapping whose fields all have defaults
//	required  "true" when a text may not be empty
//	unit      unit of the number
//	short     "true" on the field that a scalar, or a list, in place of the mapping sets: x: work
//	single    "true" on a list that one value in its place also writes
//	acts      kinds of scheduler under which the field has an effect
//	doc       one line of documentation
//
// Rules between fields are checked by a method Check of the struct.
package spec

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Field is a field of a struct, with its tags.
type Field struct {
	Index          []int // for reflect's FieldByIndex
	Name           string
	Doc            string
	Unit           string
	Enum           []string
	HasRange       bool
	Low            float64
	High           float64
	Pow2           bool
	Items          [2]int // fewest and most items of a list; 0, 0: any
	HasDefault     bool
	Default        string
	Required       bool
	Short          bool
	Single         bool
	Type           reflect.Type
	SchedulerKinds []string // kinds of scheduler under which the field has an effect; nil: all

	inline bool
}

var direct, flat sync.Map // reflect.Type -> []Field

// Fields lists the fields of a struct that a file can set, in order, those of inline structs among them.
func Fields(t reflect.Type) []Field {
	if f, ok := flat.Load(t); ok {
		return f.([]Field)
	}
	var fields []Field
	for _, f := range directFields(t) {
		if !f.inline {
			fields = append(fields, f)
			continue
		}
		for _, inner := range Fields(f.Type) {
			inner.Index = slices.Concat(f.Index, inner.Index)
			fields = append(fields, inner)
		}
	}
	flat.Store(t, fields)
	return fields
}

// directFields lists the tagged fields of the struct itself, without those of inline structs.
func directFields(t reflect.Type) []Field {
	if f, ok := direct.Load(t); ok {
		return f.([]Field)
	}
	var fields []Field
	for i := range t.NumField() {
		f := t.Field(i)
		if name := f.Tag.Get("yaml"); name != "" && name != "-" {
			fields = append(fields, parse(name, f))
		}
	}
	direct.Store(t, fields)
	return fields
}

// parse reads the tags of a field. It panics on a malformed tag; a test parses all of them.
func parse(name string, f reflect.StructField) Field {
	row := Field{Index: f.Index, Name: name, Type: f.Type, inline: name == ",inline"}
	for key, value := range pairs(string(f.Tag)) {
		row.read(key, value)
	}
	return row
}

// read sets the field's property of one key of the tag.
func (f *Field) read(key, value string) {
	switch key {
	case "doc":
		f.Doc = value
	case "unit":
		f.Unit = value
	case "pow2":
		f.Pow2 = value == "true"
	case "required":
		f.Required = value == "true"
	case "short":
		f.Short = value == "true"
	case "single":
		f.Single = value == "true"
	case "default":
		f.Default, f.HasDefault = value, true
	case "enum":
		f.Enum = strings.Split(value, "|")
	case "acts":
		f.SchedulerKinds = strings.Fields(value)
	case "range":
		f.HasRange = true
		f.Low, f.High = mustRange(value)
	case "items":
		low, high := mustRange(value)
		f.Items = [2]int{int(low), int(high)}
	}
}

// pairs iterates over the keys and values of a tag. StructTag.Lookup would scan the long texts again for each key.
func pairs(tag string) iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		for tag = strings.TrimLeft(tag, " "); tag != ""; tag = strings.TrimLeft(tag, " ") {
			key, rest, ok := strings.Cut(tag, ":")
			text, err := strconv.QuotedPrefix(rest)
			value, err2 := strconv.Unquote(text)
			if !ok || err != nil || err2 != nil {
				panic("spec: a tag that is not a list of keys with texts: " + tag)
			}
			if tag = rest[len(text):]; !yield(key, value) {
				return
			}
		}
	}
}

func mustRange(s string) (low, high float64) {
	a, b, ok := strings.Cut(s, "..")
	low, err1 := strconv.ParseFloat(a, 64)
	high, err2 := strconv.ParseFloat(b, 64)
	if !ok || err1 != nil || err2 != nil || low > high {
		panic("spec: bad range tag " + s)
	}
	return low, high
}

func (f *Field) SetDefault(v reflect.Value) {
	if v.Kind() == reflect.Struct {
		for _, inner := range Fields(v.Type()) {
			inner.SetDefault(v.FieldByIndex(inner.Index))
		}
		return
	}
	if f.Default == "" {
		return // an empty text or list
	}
	err := error(nil)
	switch v.Kind() {
	case reflect.Int:
		var n int64
		n, err = strconv.ParseInt(f.Default, 10, 64)
		v.SetInt(n)
	case reflect.Float64:
		var x float64
		x, err = strconv.ParseFloat(f.Default, 64)
		v.SetFloat(x)
	case reflect.Bool:
		v.SetBool(f.Default == "true")
	case reflect.String:
		v.SetString(f.Default)
	}
	if err != nil {
		panic("spec: bad default tag " + f.Default)
	}
}

// IsDefault reports whether v is the field's default, which a file may leave out.
func (f *Field) IsDefault(v reflect.Value) bool {
	if !f.HasDefault {
		return false
	}
	switch v.Kind() {
	case reflect.Slice:
		return v.Len() == 0
	case reflect.Struct:
		return !slices.ContainsFunc(Fields(v.Type()), func(inner Field) bool { return !inner.IsDefault(v.FieldByIndex(inner.Index)) })
	}
	return fmt.Sprint(v.Interface()) == f.Default
}

// Accepted describes the values that the field takes, for errors and descriptions.
func (f *Field) Accepted() string {
	switch {
	case f.Enum != nil:
		return "one of " + strings.Join(f.Enum, ", ")
	case f.HasRange && f.Pow2:
		return fmt.Sprintf("a power of two in %s", f.rangeText())
	case f.HasRange:
		return "a number in " + f.rangeText()
	}
	return TypeWords(f.Type)
}

func (f *Field) rangeText() string {
	s := strconv.FormatFloat(f.Low, 'f', -1, 64) + ".." + strconv.FormatFloat(f.High, 'f', -1, 64)
	if f.Unit != "" {
		s += " " + f.Unit
	}
	return s
}

var kindWords = map[reflect.Kind]string{
	reflect.Bool: "true or false", reflect.Int: "an integer", reflect.Uint32: "an integer from 0 up",
	reflect.Float64: "a number", reflect.String: "text", reflect.Slice: "a list", reflect.Map: "a mapping", reflect.Struct: "a mapping",
}

// TypeWords describes how a value of a type is written in a file.
func TypeWords(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return kindWords[t.Kind()]
}
