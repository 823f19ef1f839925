package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"spvsim/internal/expression"
	"spvsim/internal/fault"
	"spvsim/internal/spec"
)

// Limits that bound the cost of a hostile file by its size: aliases may repeat a node, and lists may nest.
const (
	maxFileBytes = 4 << 20
	maxNodes     = 200_000
	maxDepth     = 40
	maxErrors    = 50 // reported for one file
)

// reader checks one YAML document against the field tables and turns it into a tree of plain values: map[string]any, []any,
// int64, float64, bool and string, or the finished Go value for types with a form of their own.
type reader struct {
	file      string
	source    string // of values without a source of their own
	root      reflect.Type
	unit      string // of the field that is read
	nodes     int
	depth     int
	errs      []error
	sources   map[string]string
	positions map[string]position
}

func newReader(file, source string, root reflect.Type) *reader {
	return &reader{file: file, source: source, root: root, sources: map[string]string{}, positions: map[string]position{}}
}

// parseYAML returns the root node of the only document in data.
func parseYAML(file string, data []byte) (*yaml.Node, error) {
	if len(data) > maxFileBytes {
		return nil, &Error{File: file, Msg: fmt.Sprintf("found %d bytes: want at most %d", len(data), maxFileBytes), Kind: ErrLimit}
	}
	var doc, more yaml.Node
	documents := yaml.NewDecoder(bytes.NewReader(data))
	if err := documents.Decode(&doc); err != nil && err != io.EOF {
		return nil, syntaxError(file, data, err)
	}
	switch err := documents.Decode(&more); {
	case err == nil:
		return nil, &Error{File: file, Line: more.Line, Msg: "found a second YAML document: want one", Kind: ErrSyntax}
	case err != io.EOF:
		return nil, syntaxError(file, data, err)
	}
	if doc.Kind == 0 || len(doc.Content) == 0 {
		return &yaml.Node{Kind: yaml.MappingNode, Line: 1}, nil
	}
	return doc.Content[0], nil
}

func syntaxError(file string, data []byte, err error) error {
	line, msg := fault.YAML(data, err)
	return &Error{File: file, Line: line, Msg: msg, Kind: ErrSyntax}
}

func (r *reader) fail(n *yaml.Node, path string, kind error, format string, args ...any) any {
	if len(r.errs) == maxErrors {
		return nil
	}
	r.errs = append(r.errs, &Error{File: r.file, Line: n.Line, Path: path, Msg: fmt.Sprintf(format, args...), Kind: kind})
	return nil
}

func (r *reader) err() error { return errors.Join(r.errs...) }

// value reads a node as type t; src is the source of the enclosing mapping.
func (r *reader) value(n *yaml.Node, t reflect.Type, path, src string) any {
	n = deref(n)
	r.nodes++
	r.depth++
	defer func() { r.depth-- }()
	if r.nodes > maxNodes || r.depth > maxDepth {
		if len(r.errs) == 0 || r.nodes <= maxNodes {
			r.fail(n, path, ErrLimit, "found more than %d values, or nesting deeper than %d: want less", maxNodes, maxDepth)
		}
		return nil
	}
	r.positions[path] = position{r.file, n.Line}
	if read, ok := forms[t]; ok {
		return read(r, n, path)
	}
	switch t.Kind() {
	case reflect.Struct:
		return r.structure(n, t, path, src)
	case reflect.Pointer:
		return r.value(n, t.Elem(), path, src)
	case reflect.Map:
		return r.mapping(n, t, path, src)
	}
	if r.source != noSources && !strings.HasSuffix(path, "]") { // a list is one leaf
		n, src = withSource(n, src)
		r.sources[path] = src
	}
	if t.Kind() == reflect.Slice {
		return r.list(n, t, path, src)
	}
	return r.scalar(n, t, path)
}

// deref follows aliases; yaml refuses an alias to a node around itself only when it decodes, so the chain is bounded here.
func deref(n *yaml.Node) *yaml.Node {
	for range 100 {
		if n.Kind != yaml.AliasNode || n.Alias == nil {
			break
		}
		n = n.Alias
	}
	return n
}

// withSource separates {value: 20, source: "..."}; any other node is the value itself.
func withSource(n *yaml.Node, src string) (*yaml.Node, string) {
	if n.Kind != yaml.MappingNode {
		return n, src
	}
	var value *yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch v := deref(n.Content[i+1]); n.Content[i].Value {
		case "value":
			value = v
		case "source":
			src = v.Value
		default:
			return n, src
		}
	}
	if value == nil {
		return n, src
	}
	return value, src
}

func (r *reader) structure(n *yaml.Node, t reflect.Type, path, src string) any {
	if !r.wantMapping(n, t, path) {
		return nil
	}
	src = r.ownSource(n, path, src)
	fields := fieldsOf(t)
	out := make(map[string]any, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, v := n.Content[i], n.Content[i+1]
		if _, typed := typedIndex(t); typed && isElementType(key.Value) {
			r.typed(out, key, v, path)
			continue
		}
		f, ok := fieldNamed(fields, key.Value)
		switch _, twice := out[key.Value]; {
		case twice:
			r.fail(key, joinPath(path, key.Value), ErrType, "given twice")
		case ok:
			r.unit = f.Unit
			out[f.Name] = r.value(v, f.Type, joinPath(path, f.Name), src)
		case key.Value == "source" && r.source != noSources:
		default:
			r.unknown(key, path)
		}
	}
	return out
}

// noSources as a reader's source disables the `source:` key: jobs have none.
const noSources = "\x00"

func (r *reader) ownSource(n *yaml.Node, path, src string) string {
	if r.source == noSources {
		return ""
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "source" {
			src = deref(n.Content[i+1]).Value
		}
	}
	return src
}

func (r *reader) wantMapping(n *yaml.Node, t reflect.Type, path string) bool {
	if n.Kind == yaml.MappingNode {
		return true
	}
	r.fail(n, path, ErrType, "found %s: want %s%s", found(n), typeWords(t), r.asMapping(n, t, path))
	return false
}

// asMapping returns an example of the mapping that was probably meant, if the node is a word that one of the mapping's
// keys accepts.
func (r *reader) asMapping(n *yaml.Node, t reflect.Type, path string) string {
	if t.Kind() != reflect.Struct {
		return ""
	}
	for _, f := range fieldsOf(t) {
		if n.Kind == yaml.ScalarNode && slices.Contains(f.Enum, n.Value) {
			return fmt.Sprintf(", as in %s: {%s: %s, ...}", path[strings.LastIndexByte(path, '.')+1:], f.Name, n.Value)
		}
	}
	return ""
}

func fieldNamed(fields []field, name string) (field, bool) {
	for _, f := range fields {
		if f.Name == name {
			return f, true
		}
	}
	return field{}, false
}

// renamed maps keys of earlier versions to their replacements.
var renamed = map[string]string{"link_bytes_per_cycle": "link_read_bytes_per_cycle and link_write_bytes_per_cycle, a rate for each direction"}

func (r *reader) unknown(key *yaml.Node, path string) {
	if len(r.errs) == maxErrors {
		return // looking for the nearest key costs more than the fault is worth
	}
	full := joinPath(path, key.Value)
	msg := "unknown key"
	if now := renamed[key.Value]; now != "" {
		msg += fmt.Sprintf(" (now %s)", now)
	} else if near := Nearest(plainPath(full), knownPaths(r.root)); near != "" {
		if beside, ok := strings.CutPrefix(near, plainPath(path)+"."); ok {
			near = joinPath(path, beside) // with the indexes of lists
		}
		msg += fmt.Sprintf(" (nearest: %s)", near)
	}
	r.fail(key, full, ErrUnknownKey, "%s", msg)
}

// plainPath writes steps[2].for as steps.for, the form of known paths.
func plainPath(path string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(path, '[')
		j := strings.IndexByte(path, ']')
		if i < 0 || j < i {
			return b.String() + path
		}
		b.WriteString(path[:i])
		path = path[j+1:]
	}
}

// knownPaths lists the paths of the fields of a type; recursive types are followed once.
func knownPaths(t reflect.Type) []string {
	var out []string
	var walk func(t reflect.Type, path string, seen []reflect.Type)
	walk = func(t reflect.Type, path string, seen []reflect.Type) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || slices.Contains(seen, t) {
			return
		}
		for _, f := range fieldsOf(t) {
			p := joinPath(path, f.Name)
			out = append(out, p)
			walk(f.Type, p, append(seen, t))
		}
	}
	walk(t, "", nil)
	return out
}

func (r *reader) mapping(n *yaml.Node, t reflect.Type, path, src string) any {
	if !r.wantMapping(n, t, path) {
		return nil
	}
	src = r.ownSource(n, path, src)
	out := make(map[string]any, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		p := joinPath(path, key.Value)
		if _, twice := out[key.Value]; twice {
			r.fail(key, p, ErrType, "given twice")
		} else if key.Value != "source" {
			out[key.Value] = r.value(n.Content[i+1], t.Elem(), p, src)
		}
	}
	return out
}

func (r *reader) list(n *yaml.Node, t reflect.Type, path, src string) any {
	if n.Kind != yaml.SequenceNode {
		return r.fail(n, path, ErrType, "found %s: want a list%s", found(n), asList(n, t.Elem()))
	}
	out := make([]any, 0, len(n.Content))
	for i, item := range n.Content {
		out = append(out, r.value(item, t.Elem(), indexPath(path, i), src))
	}
	return out
}

// asList is the list that was meant by a value in its place.
func asList(n *yaml.Node, item reflect.Type) string {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || len(n.Value) > 30 || item.Kind() == reflect.Struct {
		return ""
	}
	return ", as in [" + n.Value + "]"
}

// orSourced returns the alternative form of a value for an error, if the mapping resembles that form.
func (r *reader) orSourced(n *yaml.Node) string {
	if r.source == noSources || n.Kind != yaml.MappingNode {
		return ""
	}
	return ", or {value: V, source: TEXT}"
}

func (r *reader) scalar(n *yaml.Node, t reflect.Type, path string) any {
	if n.Kind != yaml.ScalarNode {
		return r.fail(n, path, ErrType, "found %s: want %s%s", found(n), typeWords(t), r.orSourced(n))
	}
	v, ok := parseScalar(n, t.Kind())
	switch _, err := expression.ParseInteger(n.Value); {
	case ok:
		return v
	case t.Kind() == reflect.Uint32 && (err == nil || errors.Is(err, expression.ErrOverflow)):
		return r.fail(n, path, ErrRange, "found %s: want 0 to %d", n.Value, math.MaxUint32)
	case t.Kind() == reflect.Int && errors.Is(err, expression.ErrOverflow):
		return r.fail(n, path, ErrRange, "found %s: want %d to %d", n.Value, math.MinInt64, math.MaxInt64)
	}
	return r.fail(n, path, ErrType, "found %s: want %s%s", found(n), typeWords(t), unitHint(n.Value, r.unit))
}

// kindRange returns the range of an integer key by its Go type; its tags may narrow it.
func kindRange(k reflect.Kind) (low int64, high uint64) {
	if k == reflect.Uint32 {
		return 0, math.MaxUint32
	}
	return math.MinInt64, math.MaxInt64
}

func parseScalar(n *yaml.Node, k reflect.Kind) (any, bool) {
	quoted := n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0
	switch k {
	case reflect.String:
		return n.Value, quoted || n.Tag != "!!null"
	case reflect.Bool:
		return n.Value == "true", !quoted && (n.Value == "true" || n.Value == "false")
	case reflect.Int, reflect.Uint32:
		low, high := kindRange(k)
		i, err := expression.ParseInteger(n.Value)
		v, _ := i.Int64()
		return v, err == nil && !quoted && i.In(low, high)
	case reflect.Float64:
		v, err := strconv.ParseFloat(n.Value, 64)
		return v, err == nil && !quoted
	}
	return nil, false
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
	case len(n.Value) > 60:
		return fmt.Sprintf("%.60q...", n.Value)
	case n.Tag == "!!str":
		return strconv.Quote(n.Value)
	}
	return n.Value
}

func sortedKeys(v reflect.Value) []string { return spec.SortedKeys(v) }
