package spec

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"spvsim/internal/lists"
)

// Kinds of problems.
var (
	ErrRange     = errors.New("out of range")
	ErrMissing   = errors.New("missing")
	ErrReference = errors.New("no such thing")
)

// A Problem is an error in a value, with the path of the value in the file: lds.banks.
type Problem struct {
	Path, Msg string
	Kind      error
}

func (p Problem) Error() string { return p.Path + ": " + p.Msg }

func (p Problem) Unwrap() error { return p.Kind }

// RangeProblem returns the problem of a value out of range.
func RangeProblem(path, format string, args ...any) Problem {
	return Problem{Path: path, Msg: fmt.Sprintf(format, args...), Kind: ErrRange}
}

// A Checker checks rules between the fields of a struct. Paths of its problems are
// relative to the struct. It is called even if a field is out of its own range.
type Checker interface{ Check() []Problem }

// Check returns the problems of the struct that s points to: by its tags, and by
// the Check methods of the struct and of structs within it.
func Check(s any) []Problem { return CheckAt(reflect.ValueOf(s).Elem(), "") }

// CheckAt is Check for a struct at a path.
func CheckAt(v reflect.Value, path string) []Problem {
	var ps []Problem
	for _, f := range directFields(v.Type()) {
		at := path
		if !f.inline {
			at = Join(path, f.Name)
		}
		ps = append(ps, f.check(v.FieldByIndex(f.Index), at)...)
	}
	if c, ok := v.Interface().(Checker); ok {
		ps = append(ps, PrefixPaths(path, c.Check())...)
	}
	return ps
}

func PrefixPaths(path string, ps []Problem) []Problem {
	if path == "" {
		return ps
	}
	return lists.Map(ps, func(p Problem) Problem { return Problem{Path: path + "." + p.Path, Msg: p.Msg, Kind: p.Kind} })
}

func (f *Field) check(v reflect.Value, path string) []Problem {
	switch v.Kind() {
	case reflect.Struct:
		return CheckAt(v, path)
	case reflect.Pointer:
		if !v.IsNil() {
			return f.check(v.Elem(), path)
		}
	case reflect.Slice:
		return f.checkList(v, path)
	case reflect.Map:
		return checkMap(v, path)
	case reflect.Int, reflect.Uint32, reflect.Float64:
		return f.checkNumber(v, path)
	case reflect.String:
		return f.checkText(v.String(), path)
	}
	return nil
}

func (f *Field) checkList(v reflect.Value, path string) []Problem {
	var ps []Problem
	if n := v.Len(); n > 0 && f.Items[1] > 0 && (n < f.Items[0] || n > f.Items[1]) {
		ps = append(ps, RangeProblem(path, "found %d items: want %d to %d", n, f.Items[0], f.Items[1]))
	}
	for i := range v.Len() {
		ps = append(ps, f.check(v.Index(i), Item(path, i))...)
	}
	return ps
}

func checkMap(v reflect.Value, path string) []Problem {
	if v.Type().Elem().Kind() != reflect.Struct {
		return nil
	}
	var ps []Problem
	for _, k := range SortedKeys(v) {
		ps = append(ps, CheckAt(v.MapIndex(reflect.ValueOf(k)), Join(path, k))...)
	}
	return ps
}

// SortedKeys returns the keys of a map in order.
func SortedKeys(v reflect.Value) []string {
	return slices.Sorted(slices.Values(lists.Map(v.MapKeys(), reflect.Value.String)))
}

func (f *Field) checkNumber(v reflect.Value, path string) []Problem {
	if f.Enum != nil {
		return f.checkText(fmt.Sprint(v), path)
	}
	if f.HasRange && !f.inRange(v) || f.Pow2 && (v.Int()&(v.Int()-1)) != 0 {
		return []Problem{RangeProblem(path, "found %v: want %s", v, f.Accepted())}
	}
	return nil
}

// inRange compares integers as integers, because floats are not exact beyond 2^53. NaN is in no range.
func (f *Field) inRange(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Int:
		return v.Int() >= int64(f.Low) && v.Int() <= int64(f.High)
	case reflect.Uint32:
		return float64(v.Uint()) >= f.Low && float64(v.Uint()) <= f.High
	}
	return v.Float() >= f.Low && v.Float() <= f.High
}

// checkText checks a text against the enum. An empty text is allowed unless the field is required.
func (f *Field) checkText(s, path string) []Problem {
	if s == "" && f.Required {
		return []Problem{{Path: path, Msg: "missing", Kind: ErrMissing}}
	}
	if f.Enum == nil || s == "" || slices.Contains(f.Enum, s) {
		return nil
	}
	return []Problem{RangeProblem(path, "found %s: want %s%s", s, f.Accepted(), Hint(s, f.Enum))}
}

// Hint suggests the known name nearest to a wrong one: " (nearest: lds.banks)"; "" if none is near.
func Hint(s string, known []string) string {
	if n := Nearest(s, known); n != "" {
		return fmt.Sprintf(" (nearest: %s)", n)
	}
	return ""
}
