package plots

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"spvsim/internal/expression"
	"spvsim/internal/fault"
	"spvsim/internal/files"
	"spvsim/internal/lists"
	"spvsim/internal/spec"
)

// Limits of a figure's file: aliases may repeat a node, and lists may nest.
const (
	maxFigureBytes = 1 << 20
	maxNodes       = 100_000
	maxErrors      = 50
)

// ReadFigure reads and checks a figure's file.
func ReadFigure(path string) (*Figure, error) { return ReadFigureFrom(files.OS(), path) }

// ReadFigureFrom is ReadFigure from a file system.
func ReadFigureFrom(fsys fs.FS, path string) (*Figure, error) {
	data, err := files.ReadFrom(fsys, path, maxFigureBytes)
	if err != nil {
		return nil, err
	}
	return Read(path, data)
}

// Read reads and checks a figure; file is its name, for errors. All faults are reported at once.
func Read(file string, data []byte) (*Figure, error) {
	f := &Figure{File: file, lines: map[string]int{}}
	if len(data) > maxFigureBytes {
		return nil, f.fail("", ErrLimit, fmt.Sprintf("found %d bytes: want at most %d", len(data), maxFigureBytes))
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, syntaxError(file, data, err)
	}
	if len(doc.Content) == 0 {
		return nil, f.fail("", ErrMissing, "found an empty file: want kind, x and y at least")
	}
	r := &figureReader{f: f}
	r.structure(doc.Content[0], reflect.ValueOf(f).Elem(), "")
	if err := errors.Join(r.errs...); err != nil {
		return nil, err
	}
	f.fillBand()
	return f, errors.Join(f.typeset(), f.check())
}

// fillBand sets the default kind of a band over axes.
func (f *Figure) fillBand() {
	if b := &f.Band; len(b.Over) > 0 && b.As == "" && b.Low == "" {
		b.As = "confidence"
	}
}

func syntaxError(file string, data []byte, err error) error {
	line, msg := fault.YAML(data, err)
	return &Error{File: file, Line: line, Msg: msg, Kind: ErrSyntax}
}

type figureReader struct {
	f     *Figure
	nodes int
	errs  []error
}

func (r *figureReader) fail(n *yaml.Node, path string, kind error, format string, args ...any) {
	if len(r.errs) < maxErrors {
		r.errs = append(r.errs, &Error{File: r.f.File, Line: n.Line, Path: path, Msg: fmt.Sprintf(format, args...), Kind: kind})
	}
}

func joinPath(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func parentPath(path string) string {
	return path[:max(strings.LastIndexAny(path, ".["), 0)]
}

// value reads a node into v, as v's type requires.
func (r *figureReader) value(n *yaml.Node, v reflect.Value, path string, row *spec.Field) {
	for range 100 { // an alias to a node around itself ends at the limit of nodes
		if n.Kind == yaml.AliasNode {
			n = n.Alias
		}
	}
	if r.nodes++; r.nodes > maxNodes {
		if r.nodes == maxNodes+1 {
			r.fail(n, path, ErrLimit, "found more than %d values: want fewer", maxNodes)
		}
		return
	}
	r.f.lines[path] = n.Line
	switch {
	case v.Type() == reflect.TypeFor[Pairs]():
		r.pairs(n, v, path)
	case v.Kind() == reflect.Struct:
		r.shortOrStructure(n, v, path)
	case v.Kind() == reflect.Slice:
		r.list(n, v, path, row)
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		r.scalar(n, v.Elem(), path, row)
	default:
		r.scalar(n, v, path, row)
	}
}

// shortOrStructure reads `x: work` as `x: {column: work}` and `y: [a, b]` as `y: {columns: [a, b]}`.
func (r *figureReader) shortOrStructure(n *yaml.Node, v reflect.Value, path string) {
	for _, row := range spec.Fields(v.Type()) {
		field := v.FieldByIndex(row.Index)
		isList := field.Kind() == reflect.Slice
		if row.Short && (n.Kind == yaml.ScalarNode && !isList || n.Kind == yaml.SequenceNode && isList) {
			r.value(n, field, path, &row)
			return
		}
	}
	r.structure(n, v, path)
}

func (r *figureReader) structure(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.MappingNode {
		r.fail(n, path, ErrType, "found %s: want a mapping", found(n))
		return
	}
	rows := spec.Fields(v.Type())
	names := lists.Map(rows, func(f spec.Field) string { return f.Name })
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		k := slices.Index(names, key.Value)
		switch {
		case k < 0:
			r.fail(key, joinPath(path, key.Value), ErrUnknownKey, "unknown key%s", spec.Hint(key.Value, names))
		case seen[key.Value]:
			r.fail(key, joinPath(path, key.Value), ErrType, "given twice")
		default:
			r.value(n.Content[i+1], v.FieldByIndex(rows[k].Index), joinPath(path, key.Value), &rows[k])
		}
		seen[key.Value] = true
	}
}

func (r *figureReader) pairs(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.MappingNode {
		r.fail(n, path, ErrType, "found %s: want a mapping", found(n))
		return
	}
	var out Pairs
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		p := Pair{Key: n.Content[i].Value}
		at := joinPath(path, p.Key)
		if seen[p.Key] {
			r.fail(n.Content[i], at, ErrType, "given twice")
		}
		seen[p.Key] = true
		if item := n.Content[i+1]; item.Kind == yaml.ScalarNode {
			p.Values = []string{item.Value}
			r.f.lines[at] = item.Line
		} else {
			r.value(item, reflect.ValueOf(&p.Values).Elem(), at, &spec.Field{})
		}
		out = append(out, p)
	}
	v.Set(reflect.ValueOf(out))
}

func (r *figureReader) list(n *yaml.Node, v reflect.Value, path string, row *spec.Field) {
	if row.Single && n.Kind == yaml.ScalarNode {
		n = &yaml.Node{Kind: yaml.SequenceNode, Line: n.Line, Content: []*yaml.Node{n}}
	}
	if n.Kind != yaml.SequenceNode {
		r.fail(n, path, ErrType, "found %s: want a list", found(n))
		return
	}
	s := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	for i, item := range n.Content {
		r.value(item, s.Index(i), fmt.Sprintf("%s[%d]", path, i), row)
	}
	v.Set(s)
}

var kindWords = map[reflect.Kind]string{
	reflect.Bool: "true or false", reflect.Int: "an integer", reflect.Float64: "a number, at most 1e300 either way", reflect.String: "text",
}

func (r *figureReader) scalar(n *yaml.Node, v reflect.Value, path string, row *spec.Field) {
	if n.Kind != yaml.ScalarNode || !setScalar(n, v) {
		r.fail(n, path, ErrType, "found %s: want %s", found(n), kindWords[v.Kind()])
		return
	}
	if row.Enum != nil {
		r.checkWord(n, path, row)
	}
	if row.HasRange {
		r.checkRange(n, v, path, row)
	}
}

func setScalar(n *yaml.Node, v reflect.Value) bool {
	quoted := n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0
	switch v.Kind() {
	case reflect.String:
		v.SetString(n.Value)
		return quoted || n.Tag != "!!null"
	case reflect.Bool:
		v.SetBool(n.Value == "true")
		return !quoted && (n.Value == "true" || n.Value == "false")
	case reflect.Int:
		i, err := expression.ParseInteger(n.Value)
		x, _ := i.Int64()
		v.SetInt(x)
		return err == nil && !quoted && i.In(math.MinInt32, math.MaxInt32)
	}
	x, err := strconv.ParseFloat(n.Value, 64)
	v.SetFloat(x)
	return err == nil && !quoted && math.Abs(x) <= largest
}

func (r *figureReader) checkWord(n *yaml.Node, path string, row *spec.Field) {
	if !slices.Contains(row.Enum, n.Value) {
		r.fail(n, path, ErrRange, "found %s: want one of %s%s", found(n), strings.Join(row.Enum, ", "), spec.Hint(n.Value, row.Enum))
	}
}

func (r *figureReader) checkRange(n *yaml.Node, v reflect.Value, path string, row *spec.Field) {
	x := 0.0
	if v.Kind() == reflect.Int {
		x = float64(v.Int())
	} else {
		x = v.Float()
	}
	if x < row.Low || x > row.High {
		r.fail(n, path, ErrRange, "found %s: want %g to %g", n.Value, row.Low, row.High)
	}
}

// found describes the content of a node for errors.
func found(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!null":
		return "nothing"
	}
	return fmt.Sprintf("%.60q", n.Value)
}
