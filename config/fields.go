package config

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// field is one row of the table that struct tags spell: the reader, the validator and the schema all work from it.
type field struct {
	index    int
	name     string
	doc      string
	unit     string
	enum     []string
	hasRange bool
	low      float64
	high     float64
	pow2     bool
	items    [2]int // fewest and most items of a list; 0, 0: any
	typ      reflect.Type
}

var fieldCache sync.Map // reflect.Type -> []field

// fieldsOf lists the fields of a struct that a file can set, in order.
func fieldsOf(t reflect.Type) []field {
	if f, ok := fieldCache.Load(t); ok {
		return f.([]field)
	}
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("yaml")
		if name == "" || name == "-" {
			continue
		}
		fields = append(fields, parseField(i, name, f))
	}
	fieldCache.Store(t, fields)
	return fields
}

// parseField panics on a malformed tag: tags are ours, and a test reads them all.
func parseField(i int, name string, f reflect.StructField) field {
	row := field{index: i, name: name, doc: f.Tag.Get("doc"), unit: f.Tag.Get("unit"), pow2: f.Tag.Get("pow2") == "true", typ: f.Type}
	if e := f.Tag.Get("enum"); e != "" {
		row.enum = strings.Split(e, "|")
	}
	if r := f.Tag.Get("range"); r != "" {
		row.hasRange = true
		row.low, row.high = mustRange(r)
	}
	if r := f.Tag.Get("items"); r != "" {
		low, high := mustRange(r)
		row.items = [2]int{int(low), int(high)}
	}
	return row
}

func mustRange(s string) (low, high float64) {
	a, b, ok := strings.Cut(s, "..")
	low, err1 := strconv.ParseFloat(a, 64)
	high, err2 := strconv.ParseFloat(b, 64)
	if !ok || err1 != nil || err2 != nil || low > high {
		panic("config: bad range tag " + s)
	}
	return low, high
}

// want says what the field takes, for errors and descriptions.
func (f field) want() string {
	switch {
	case f.enum != nil:
		return "one of " + strings.Join(f.enum, ", ")
	case f.hasRange && f.pow2:
		return fmt.Sprintf("a power of two in %s", f.rangeText())
	case f.hasRange:
		return "a number in " + f.rangeText()
	}
	return typeWords(f.typ)
}

func (f field) rangeText() string {
	s := strconv.FormatFloat(f.low, 'f', -1, 64) + ".." + strconv.FormatFloat(f.high, 'f', -1, 64)
	if f.unit != "" {
		s += " " + f.unit
	}
	return s
}

var kindWords = map[reflect.Kind]string{
	reflect.Bool: "true or false", reflect.Int: "an integer", reflect.Uint32: "an integer from 0 up",
	reflect.Float64: "a number", reflect.String: "text", reflect.Slice: "a list", reflect.Map: "a mapping", reflect.Struct: "a mapping",
}

func typeWords(t reflect.Type) string {
	if t == reflect.TypeFor[Expr]() {
		return "a number or an expression"
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return kindWords[t.Kind()]
}

// checkStruct reports every value under v that its tags do not allow.
func checkStruct(v reflect.Value, path string) []problem {
	var ps []problem
	for _, f := range fieldsOf(v.Type()) {
		ps = append(ps, f.check(v.Field(f.index), joinPath(path, f.name))...)
	}
	return ps
}

func (f field) check(v reflect.Value, path string) []problem {
	switch v.Kind() {
	case reflect.Struct:
		return checkStruct(v, path)
	case reflect.Pointer:
		if !v.IsNil() {
			return f.check(v.Elem(), path)
		}
	case reflect.Slice:
		return f.checkList(v, path)
	case reflect.Map:
		return checkMap(v, path)
	case reflect.Int, reflect.Float64:
		return f.checkNumber(v, path)
	case reflect.String:
		return f.checkText(v.String(), path)
	}
	return nil
}

func (f field) checkList(v reflect.Value, path string) []problem {
	var ps []problem
	if n := v.Len(); n > 0 && f.items[1] > 0 && (n < f.items[0] || n > f.items[1]) {
		ps = append(ps, problem{path, fmt.Sprintf("%d items: want %d to %d", n, f.items[0], f.items[1]), ErrRange})
	}
	for i := range v.Len() {
		ps = append(ps, f.check(v.Index(i), indexPath(path, i))...)
	}
	return ps
}

func checkMap(v reflect.Value, path string) []problem {
	if v.Type().Elem().Kind() != reflect.Struct {
		return nil
	}
	var ps []problem
	for _, k := range sortedKeys(v) {
		ps = append(ps, checkStruct(v.MapIndex(reflect.ValueOf(k)), joinPath(path, k))...)
	}
	return ps
}

func (f field) checkNumber(v reflect.Value, path string) []problem {
	var x float64
	text := ""
	if v.Kind() == reflect.Int {
		x, text = float64(v.Int()), strconv.FormatInt(v.Int(), 10)
	} else {
		x, text = v.Float(), strconv.FormatFloat(v.Float(), 'g', -1, 64)
	}
	if f.enum != nil {
		return f.checkText(text, path)
	}
	// The comparison is written so that NaN fails it.
	if f.hasRange && !(x >= f.low && x <= f.high) || f.pow2 && (v.Int()&(v.Int()-1)) != 0 {
		return []problem{{path, fmt.Sprintf("found %s: want %s", text, f.want()), ErrRange}}
	}
	return nil
}

// checkText lets an empty text pass where a file may leave the field out; what is required is checked elsewhere.
func (f field) checkText(s, path string) []problem {
	if f.enum == nil || s == "" {
		return nil
	}
	for _, e := range f.enum {
		if s == e {
			return nil
		}
	}
	msg := fmt.Sprintf("found %s: want %s", s, f.want())
	if n := Nearest(s, f.enum); n != "" {
		msg += fmt.Sprintf(" (nearest: %s)", n)
	}
	return []problem{{path, msg, ErrRange}}
}
