package config

import (
	"fmt"
	"maps"
	"reflect"
	"strconv"

	"spvsim/internal/lists"

	"go.yaml.in/yaml/v3"
)

// forms are the types whose form in a file is not that of their Go type.
var forms map[reflect.Type]func(r *reader, n *yaml.Node, path string) any

func init() {
	// In init, as the functions refer back to the reader, which refers to this table.
	forms = map[reflect.Type]func(r *reader, n *yaml.Node, path string) any{
		reflect.TypeFor[Expr]():             readExpr,
		reflect.TypeFor[[]Variable]():       readVariables,
		reflect.TypeFor[[]Specialization](): readSpecialization,
		reflect.TypeFor[[]Loop]():           readLoops,
		reflect.TypeFor[Overrides]():        readOverrides,
		reflect.TypeFor[Arguments]():        readArguments,
	}
	maps.Copy(forms, experimentForms())
}

// readExpr keeps the text; its names and arithmetic are checked here, its value where the variables are known.
func readExpr(r *reader, n *yaml.Node, path string) any {
	if n.Kind != yaml.ScalarNode || n.Value == "" {
		return r.fail(n, path, ErrType, "found %s: want a number or an expression", found(n))
	}
	if err := Expr(n.Value).check(); err != nil {
		return r.fail(n, path, ErrExpr, "%v", err)
	}
	return Expr(n.Value)
}

// pairs calls do for each key and value of a mapping.
func (r *reader) pairs(n *yaml.Node, path string, do func(key *yaml.Node, value *yaml.Node, path string)) {
	if n.Kind != yaml.MappingNode {
		r.fail(n, path, ErrType, "found %s: want a mapping", found(n))
		return
	}
	seen := make(map[string]bool, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		p := joinPath(path, key.Value)
		if r.nodes++; r.nodes > maxNodes {
			return
		}
		if seen[key.Value] {
			r.fail(key, p, ErrType, "given twice")
			continue
		}
		seen[key.Value] = true
		r.positions[p] = position{r.file, key.Line}
		do(key, deref(n.Content[i+1]), p)
	}
}

func readVariables(r *reader, n *yaml.Node, path string) any {
	out := []Variable{}
	r.pairs(n, path, func(key, value *yaml.Node, p string) {
		r.wantName(key, p)
		if e, ok := readExpr(r, value, p).(Expr); ok {
			out = append(out, Variable{key.Value, e})
		}
	})
	return out
}

func (r *reader) wantName(key *yaml.Node, path string) {
	if !isName(key.Value) {
		r.fail(key, path, ErrExpr, "found %q: want a name of letters, digits and _", key.Value)
	}
}

func readSpecialization(r *reader, n *yaml.Node, path string) any {
	out := []Specialization{}
	r.pairs(n, path, func(key, value *yaml.Node, p string) {
		e, ok := readExpr(r, value, p).(Expr)
		if !ok {
			return
		}
		// Quoted too: JSON has no other keys, and no name begins with a digit.
		if id, err := strconv.ParseUint(key.Value, 10, 32); err == nil {
			out = append(out, Specialization{ID: uint32(id), Value: e})
		} else {
			out = append(out, Specialization{Name: key.Value, Value: e})
		}
	})
	return out
}

func readLoops(r *reader, n *yaml.Node, path string) any {
	out := []Loop{}
	r.pairs(n, path, func(key, value *yaml.Node, p string) {
		r.wantName(key, p)
		l := Loop{Name: key.Value}
		var err error
		if value.Kind != yaml.ScalarNode {
			err = fmt.Errorf("found %s", found(value))
		} else {
			l.First, l.Last, err = splitRange(value.Value)
		}
		if err != nil {
			r.fail(value, p, ErrExpr, "%v: want first..last", err)
			return
		}
		out = append(out, l)
	})
	return out
}

func readOverrides(r *reader, n *yaml.Node, path string) any {
	if n.Kind != yaml.MappingNode {
		return r.fail(n, path, ErrType, "found %s: want a mapping", found(n))
	}
	return Overrides{node: n, file: r.file}
}

type elementType struct {
	name  string
	bytes int
}

// elementTypes are the types of data elements, with their sizes in bytes.
var elementTypes = []elementType{
	{"u8", 1}, {"i8", 1}, {"u16", 2}, {"i16", 2}, {"u32", 4}, {"i32", 4}, {"u64", 8}, {"i64", 8}, {"f16", 2}, {"f32", 4}, {"f64", 8},
}

func isElementType(name string) bool { return elementBytes(name) > 0 }

// elementBytes is 0 for an unknown type.
func elementBytes(name string) int {
	if e := lists.Find(elementTypes, func(e *elementType) bool { return e.name == name }); e != nil {
		return e.bytes
	}
	return 0
}

// typedKey is the key of a Typed in the reader's tree; no key of a file can equal it.
const typedKey = "\x00typed"

// typedIndex returns the index of the field that reads {u32: ...} keys.
func typedIndex(t reflect.Type) (int, bool) {
	if t.NumField() == 0 || t.Field(0).Type != reflect.TypeFor[Typed]() {
		return 0, false
	}
	return 0, true
}

func (r *reader) typed(out map[string]any, key, value *yaml.Node, path string) {
	p := joinPath(path, key.Value)
	if _, twice := out[typedKey]; twice {
		r.fail(key, p, ErrType, "found a second typed value: want one")
		return
	}
	t := Typed{Type: key.Value}
	out[typedKey] = t
	value = deref(value)
	if value.Kind != yaml.SequenceNode {
		value = &yaml.Node{Kind: yaml.SequenceNode, Line: value.Line, Content: []*yaml.Node{value}}
	}
	list, _ := r.value(value, reflect.TypeFor[[]Expr](), p, "").([]any)
	for _, e := range list {
		if e, ok := e.(Expr); ok {
			t.Values = append(t.Values, e)
		}
	}
	out[typedKey] = t
}
