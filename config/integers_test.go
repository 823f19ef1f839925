package config

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"spvsim/internal/expression"
	"spvsim/internal/suite"
)

// integerTexts maps numbers as people write them to their integers; empty: not an integer that a file can hold.
var integerTexts = map[string]string{
	"0.5": "", "-0.5": "", "64.5": "", "1e-3": "", ".nan": "", "0.99999999999999999999": "",
	"18446744073709551616": "", "1e400": "", "-9223372036854775809": "", ".inf": "",
	"1e12": "1000000000000", "-1": "-1", "1e3": "1000", "1000.0": "1000", "0x10": "16", "18446744073709551615": "18446744073709551615",
}

// integerLeaf is a key of integers: how to write a file with it, and its path there.
type integerLeaf struct {
	write func(value string) string
	path  string
	field field
	kind  reflect.Kind
}

// integerLeaves finds all keys of integers in the type of a file.
func integerLeaves(t reflect.Type, at string, write func(string) string, seen []reflect.Type) (list []integerLeaf) {
	if slices.Contains(seen, t) {
		return nil
	}
	seen = append(slices.Clone(seen), t)
	for _, f := range fieldsOf(t) {
		inner, path := f.Type, joinPath(at, f.Name)
		open := func(v string) string { return write("{" + f.Name + ": " + v + "}") }
		for wrapped := true; wrapped; {
			outer := open
			switch {
			case inner == reflect.TypeFor[[]BufferValue]():
				open, path, inner = func(v string) string { return outer("{k: {buffer: b, " + v[1:] + "}") }, joinPath(path, "k"), inner.Elem()
			case inner == reflect.TypeFor[[]Axis](): // a mapping in a file
				open, path, inner = func(v string) string { return outer("{k: " + v + "}") }, joinPath(path, "k"), inner.Elem()
			case forms[inner] != nil:
				wrapped = false
			case inner.Kind() == reflect.Slice:
				open, path, inner = func(v string) string { return outer("[" + v + "]") }, indexPath(path, 0), inner.Elem()
			case inner.Kind() == reflect.Map:
				open, path, inner = func(v string) string { return outer("{k: " + v + "}") }, joinPath(path, "k"), inner.Elem()
			case inner.Kind() == reflect.Pointer:
				inner = inner.Elem()
			default:
				wrapped = false
			}
		}
		switch {
		case forms[inner] != nil:
		case inner.Kind() == reflect.Struct:
			list = append(list, integerLeaves(inner, path, open, seen)...)
		case inner.Kind() == reflect.Int || inner.Kind() == reflect.Uint32:
			list = append(list, integerLeaf{open, path, f, inner.Kind()})
		}
	}
	return list
}

// readLeaf reads a file of one key, as files of the kind are read, up to the check of single values.
func readLeaf(root reflect.Type, text string) error {
	n, err := parseYAML("f.yaml", []byte("\n"+text))
	if err != nil {
		return err
	}
	r := newReader("f.yaml", noSources, root)
	tree := r.value(n, root, "", noSources)
	if err := r.err(); err != nil {
		return err
	}
	v := reflect.New(root).Elem()
	assign(v, tree)
	if e, ok := v.Addr().Interface().(*Experiment); ok { // whose mappings of a form are checked apart
		e.positions = r.positions
		return withPositions(e.problems(), r.positions)
	}
	return withPositions(checkStruct(v, ""), r.positions)
}

// Every integer key of machines, jobs, experiments and cluster profiles accepts exactly the integer that was written,
// or the error names the file, line, key, and the found and the expected value.
func TestIntegerKeysAreExactOrRefused(t *testing.T) {
	counts := map[string]int{}
	for kind, root := range schemaKinds {
		for _, leaf := range integerLeaves(root, "", func(v string) string { return v }, nil) {
			counts[kind]++
			for text, exact := range integerTexts {
				err := readLeaf(root, leaf.write(text))
				if err := refusal(err, leaf.path, text); err != "" {
					t.Errorf("%s %s: %s: %s", kind, leaf.path, text, err)
				}
				// A violated rule between fields is not an error of the number.
				if e, takes := ownProblem(err, leaf.path), leaf.takes(exact); takes && e != nil && strings.Contains(e.Msg, leaf.field.Accepted()) || !takes && e == nil {
					t.Errorf("%s %s: %s: found %v, but taken should be %t", kind, leaf.path, text, e, takes)
				}
			}
		}
	}
	for kind, least := range map[string]int{"machine": 150, "job": 50, "experiment": 3, "cluster": 6} {
		if counts[kind] < least {
			t.Errorf("%d keys of a %s: want %d at least", counts[kind], kind, least)
		}
	}
}

// takes reports whether the key's tags allow the integer.
func (l *integerLeaf) takes(exact string) bool {
	i, err := expression.ParseInteger(exact)
	low, high := kindRange(l.kind)
	n, _ := i.Int64()
	switch {
	case err != nil || !i.In(low, high):
		return false
	case l.field.Enum != nil:
		return slices.Contains(l.field.Enum, exact)
	case l.field.HasRange && (n < int64(l.field.Low) || n > int64(l.field.High)):
		return false
	}
	return !l.field.Pow2 || n&(n-1) == 0
}

// ownProblem returns the file's error about the key.
func ownProblem(err error, path string) *Error {
	var found *Error
	explain(err, func(e *Error) error {
		if e.Path == path {
			found = e
		}
		return e
	})
	return found
}

// refusal describes what is missing in the error about a key.
func refusal(err error, path, text string) string {
	e := ownProblem(err, path)
	switch {
	case e == nil:
		return ""
	case e.File != "f.yaml" || e.Line != 2:
		return fmt.Sprintf("at %s:%d", e.File, e.Line)
	case !strings.HasPrefix(e.Msg, "found ") || !strings.Contains(e.Msg, ": want "):
		return e.Msg
	}
	return ""
}

// realKeys are the keys of expressions that are no integers.
var realKeys = []string{"parameters.n", "parameters.half", "queues[0].steps[0].push_constants[1].f32", "queues[0].steps[1].specialization.0", "queues[0].steps[1].specialization.1",
	"steps[2].draw.copies.dx", "steps[2].draw.copies.dy"}

// Every expression of two jobs of all kinds that is an integer refuses a fraction, and numbers that are too large or too small, at its line.
func TestIntegerExpressionsAreExactOrRefused(t *testing.T) {
	for name, text := range map[string]string{"rich": richJob, "serial": serialJob} {
		var leaves []string
		exprLeaves(mustNode(t, text), reflect.TypeFor[Job](), "", &leaves)
		if len(leaves) < 25 {
			t.Errorf("%s: %d expressions", name, len(leaves))
		}
		for _, path := range leaves {
			if slices.Contains(realKeys, path) || strings.Contains(path, "f32") || strings.Contains(path, "clear") || strings.Contains(path, "positions") {
				continue
			}
			for _, bad := range []string{"0.5", "n0 / 2.0", "1e30", "-1e30", "18446744073709551616.0", ".nan"} {
				root := mustNode(t, strings.Replace(text, "\n", "\nparameters: {n0: 3}\n", 1))
				if name == "rich" {
					root = mustNode(t, strings.Replace(text, "{n: 64", "{n0: 3, n: 64", 1))
				}
				at := nodeAt(t, root, path)
				line := at.Line
				at.Value, at.Tag, at.Style = bad, "!!float", 0
				_, err := parseJobNode(nil, "f.yaml", root)
				if e := ownProblem(err, path); e == nil || e.Line != line || !strings.HasPrefix(e.Msg, "found ") {
					t.Errorf("%s: %s: %s: %v", name, path, bad, err)
				}
			}
		}
	}
}

func mustNode(t *testing.T, text string) *yaml.Node {
	n := suite.Must(parseYAML("f.yaml", []byte(text)))(t)
	return n
}

// exprLeaves lists the paths of a file's expressions.
func exprLeaves(n *yaml.Node, typ reflect.Type, at string, list *[]string) {
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	switch {
	case typ == reflect.TypeFor[Expr]():
		*list = append(*list, at)
	case typ == reflect.TypeFor[[]Variable]() || typ == reflect.TypeFor[[]Specialization]():
		for i := 0; i < len(n.Content); i += 2 {
			*list = append(*list, joinPath(at, n.Content[i].Value))
		}
	case forms[typ] != nil:
	case typ.Kind() == reflect.Slice:
		for i, c := range n.Content {
			exprLeaves(c, typ.Elem(), indexPath(at, i), list)
		}
	case typ.Kind() == reflect.Struct:
		for i := 0; i < len(n.Content); i += 2 {
			key, value := n.Content[i].Value, n.Content[i+1]
			f, ok := fieldNamed(fieldsOf(typ), key)
			switch {
			case ok:
				exprLeaves(value, f.Type, joinPath(at, key), list)
			case value.Kind == yaml.SequenceNode:
				exprLeaves(value, reflect.TypeFor[[]Expr](), joinPath(at, key), list)
			default:
				*list = append(*list, indexPath(joinPath(at, key), 0))
			}
		}
	}
}

// nodeAt finds the node of a path; a typed value without a list is item 0 of itself.
func nodeAt(t *testing.T, n *yaml.Node, path string) *yaml.Node {
	steps := suite.Must(parseFieldPath(path))(t)
	for _, s := range steps {
		switch {
		case s.key != "":
			n = valueOf(n, s.key)
		case n.Kind == yaml.SequenceNode:
			n = n.Content[s.index]
		}
		if n == nil {
			t.Fatalf("%s: no such node", path)
		}
	}
	return n
}

// An element of each type holds its integers exactly, and refuses others: in buffers, push constants, payloads and
// expectations.
func TestElementsAreExactOrRefused(t *testing.T) {
	forms := map[string]string{ // with the path of the value, TYPE and VALUE
		"buffers: [{name: b, data: {type: TYPE, values: [1, VALUE]}}]":                                                     "buffers[0].data.values[1]",
		"buffers: [{name: b, data: {parts: [{zero: 4}, {iota: TYPE, start: VALUE}]}}]":                                     "buffers[0].data.parts[1].start",
		"buffers: [{name: b, data: {repeat: {times: 2, data: {random: {type: TYPE, count: 1, min: VALUE, max: VALUE}}}}}]": "buffers[0].data.repeat.data.random.min",
		"push_constants: [{TYPE: 0}, {TYPE: VALUE}]":                                                                       "push_constants[1].TYPE[0]",
		"buffers: [{name: b, data: {zero: 8}}]\nexpect: [{buffer: b, TYPE: [VALUE]}]":                                      "expect[0].TYPE[0]",
	}
	bad := map[string][]string{
		"u8": {"0.5", "256", "-1", "1e12"}, "i8": {"0.5", "128", "-129"}, "u16": {"65536", "-1", "1e12"}, "i16": {"32768", "-32769", "2.5"}, "u32": {"0.5", "1.5", "4294967296", "-1", "1e12", ".nan"},
		"i32": {"2147483648", "-2147483649", "1e12", ".inf"}, "u64": {"0.5", "-1", "1e20", "18446744073709551616.0"}, "i64": {"9223372036854775808", "1e19", "0.5"},
		"f16": {"65520", "1e5", "-1e6"}, "f32": {"1e39", "-3.5e38"},
	}
	good := map[string][]string{
		"u8": {"255", "1e2", "0x10"}, "i8": {"-128", "127"}, "u16": {"65535"}, "i16": {"-32768"}, "u32": {"4294967295", "4e9", "true"}, "i32": {"-2147483648", "2147483647.0"},
		"u64": {"18446744073709551615", "1e19"}, "i64": {"-9223372036854775808"}, "f16": {"65504", "65519", ".inf", ".nan"}, "f32": {"3.4028235e38", "-.inf", ".nan", "16777217"}, "f64": {"1.7976931348623157e308", ".nan"},
	}
	load := func(form, typ, value string) error {
		text := "shader: s.spv\ndispatch: [1]\n" + strings.NewReplacer("TYPE", typ, "VALUE", value).Replace(form)
		_, err := ParseJob(mapFS(nil), "f.yaml", []byte(text))
		return err
	}
	for _, form := range slices.Sorted(maps.Keys(forms)) {
		for typ, list := range bad {
			for _, value := range list {
				err := load(form, typ, value)
				e := ownProblem(err, strings.ReplaceAll(forms[form], "TYPE", typ))
				if e == nil || e.Line != 3+strings.Count(form, "\n") || !strings.HasPrefix(e.Msg, "found ") || !strings.Contains(e.Msg, "("+typ+")") {
					t.Errorf("%s with %s %s: %v", form, typ, value, err)
				}
			}
		}
		for typ, list := range good {
			for _, value := range list {
				if err := load(form, typ, value); err != nil && !(strings.Contains(form, "random") && strings.Contains(value, ".nan")) {
					t.Errorf("%s with %s %s: %v", form, typ, value, err)
				}
			}
		}
	}
}

// A sequence whose last element does not fit its type is refused; sums never wrap.
func TestSequencesThatEndOutOfRange(t *testing.T) {
	for _, c := range []struct {
		data, want string
	}{
		{"{iota: u8, count: 257}", "element 256: found 256: want 0 to 255 (u8)"},
		{"{iota: u32, count: 3, start: 1, step: -1}", "element 2: found -1: want 0 to 4294967295 (u32)"},
		{"{iota: i64, count: 3, start: 9223372036854775806}", "element 2: found 9223372036854775808: want"},
		{"{iota: u32, count: 3, step: 0.5}", "step: found 0.5: want an integer"},
		{"{iota: f16, count: 3, start: 65503, step: 100}", "element 2: found 65703: want at most 65504 either way (f16)"},
	} {
		_, err := ParseJob(mapFS(nil), "f.yaml", []byte("shader: s.spv\ndispatch: [1]\nbuffers: [{name: b, data: "+c.data+"}]"))
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, ErrRange) {
			t.Errorf("%s: %v, want %s", c.data, err, c.want)
		}
	}
	j := job(t, "shader: s.spv\ndispatch: [1]\nbuffers: [{name: b, data: {iota: f64, count: 2, start: 9223372036854775807, step: 9223372036854775807}}]", nil)
	b, err := j.Buffers[0].Bytes()
	if err != nil || decoders["f64"](b[8:]).Float != 2*9223372036854775807.0 {
		t.Errorf("%v: %v", b, err)
	}
}

// An axis of integers has all of its values, however large.
func TestAxesOfLargeIntegers(t *testing.T) {
	for text, want := range map[string]string{
		"{from: 9007199254740992, to: 9007199254740995}":                "9007199254740992 9007199254740993 9007199254740994 9007199254740995",
		"{from: 18446744073709551614, to: 18446744073709551615}":        "18446744073709551614 18446744073709551615",
		"{from: 1152921504606846976, to: 1152921504606846981, step: 2}": "1152921504606846976 1152921504606846978 1152921504606846980",
		"{from: 4, to: -4, step: -4}":                                   "4 0 -4",
	} {
		var a Axis
		r := newReader("f.yaml", noSources, reflect.TypeFor[Axis]())
		assign(reflect.ValueOf(&a).Elem(), r.value(mustNode(t, text), r.root, "", noSources))
		list, err := a.list()
		var got []string
		for _, v := range list {
			got = append(got, v.String())
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %v (%v), want %s", text, got, err, want)
		}
	}
}
