package config

import (
	"reflect"

	"go.yaml.in/yaml/v3"
)

// Forms of experiment files that differ from their Go types: mappings whose order matters, and short forms.

func readValue(_ *reader, n *yaml.Node, _ string) any { return Value{n} }

func readSettings(r *reader, n *yaml.Node, path string) any {
	out := []Setting{}
	r.pairs(n, path, func(key, value *yaml.Node, p string) {
		out = append(out, Setting{Path: key.Value, Value: Value{value}, keyPath: p})
	})
	return out
}

func readAxes(r *reader, n *yaml.Node, path string) any {
	out := []Axis{}
	r.pairs(n, path, func(key, value *yaml.Node, p string) {
		a := Axis{Name: key.Value}
		if value.Kind == yaml.SequenceNode { // short for values
			value = &yaml.Node{Kind: yaml.MappingNode, Line: value.Line, Content: []*yaml.Node{
				{Kind: yaml.ScalarNode, Tag: "!!str", Value: "values", Line: value.Line}, value}}
		}
		assign(reflect.ValueOf(&a).Elem(), r.value(value, reflect.TypeFor[Axis](), p, ""))
		out = append(out, a)
	})
	return out
}

func readVariants(r *reader, n *yaml.Node, path string) any {
	out := []Variant{}
	r.pairs(n, path, func(key, value *yaml.Node, p string) {
		settings, _ := readSettings(r, value, p).([]Setting)
		out = append(out, Variant{key.Value, settings})
	})
	return out
}

// readMatches reads {column: value} and {column: [values]}.
func readMatches(r *reader, n *yaml.Node, path string) []Match {
	out := []Match{}
	r.pairs(n, path, func(key, value *yaml.Node, _ string) {
		out = append(out, Match{key.Value, valueList(value)})
	})
	return out
}

func valueList(n *yaml.Node) (list []Value) {
	if n.Kind != yaml.SequenceNode {
		return []Value{{n}}
	}
	for _, item := range n.Content {
		list = append(list, Value{deref(item)})
	}
	return list
}

// readExclusion reads an expression, or columns with values, where `when` is an expression.
func readExclusion(r *reader, n *yaml.Node, path string) any {
	x := Exclusion{keyPath: path}
	if n.Kind == yaml.ScalarNode {
		x.Condition, _ = readExpr(r, n, path).(Expr)
		return x
	}
	r.pairs(n, path, func(key, value *yaml.Node, p string) {
		if key.Value == "when" {
			x.Condition, _ = readExpr(r, value, p).(Expr)
			return
		}
		x.Matches = append(x.Matches, Match{key.Value, valueList(value)})
	})
	return x
}

// readColumns reads a list of paths, or name: path.
func readColumns(r *reader, n *yaml.Node, path string) any {
	out := []Column{}
	if n.Kind != yaml.SequenceNode {
		r.texts(n, path, func(name, text string) { out = append(out, Column{name, text}) })
		return out
	}
	for i, item := range n.Content {
		if s, ok := r.scalar(deref(item), reflect.TypeFor[string](), indexPath(path, i)).(string); ok {
			out = append(out, Column{s, s})
		}
	}
	return out
}

// texts calls do for each pair of texts in a mapping.
func (r *reader) texts(n *yaml.Node, path string, do func(name, text string)) {
	r.pairs(n, path, func(key, value *yaml.Node, p string) {
		if s, ok := r.scalar(value, reflect.TypeFor[string](), p).(string); ok {
			do(key.Value, s)
		}
	})
}

func readBufferValues(r *reader, n *yaml.Node, path string) any {
	out := []BufferValue{}
	r.pairs(n, path, func(key, value *yaml.Node, p string) {
		v := BufferValue{Name: key.Value, Type: "u32"}
		if tree, ok := r.value(value, reflect.TypeFor[BufferValue](), p, "").(map[string]any); ok {
			if tree["type"] == nil {
				tree["type"] = v.Type
			}
			assign(reflect.ValueOf(&v).Elem(), tree)
		}
		if v.Buffer == "" {
			r.fail(value, p, ErrMissing, "missing: want buffer, the name of a buffer")
		}
		out = append(out, v)
	})
	return out
}

func readRenamed(r *reader, n *yaml.Node, path string) any {
	out := []Renamed{}
	r.texts(n, path, func(name, text string) { out = append(out, Renamed{name, text}) })
	return out
}

func readDerived(r *reader, n *yaml.Node, path string) any {
	out := []Derived{}
	r.pairs(n, path, func(key, value *yaml.Node, p string) {
		d := Derived{Name: key.Value, keyPath: p}
		if value.Kind == yaml.MappingNode {
			r.baseline(value, p, &d)
		} else {
			d.Expr, _ = readExpr(r, value, p).(Expr)
		}
		out = append(out, d)
	})
	return out
}

// baseline reads {of: cycles, where: {layout: plain}}.
func (r *reader) baseline(n *yaml.Node, path string, d *Derived) {
	r.pairs(n, path, func(key, value *yaml.Node, p string) {
		switch key.Value {
		case "of":
			d.Column, _ = r.scalar(value, reflect.TypeFor[string](), p).(string)
		case "where":
			d.Matches = readMatches(r, value, p)
		default:
			r.fail(key, p, ErrUnknownKey, "unknown key: want of and where")
		}
	})
	if d.Column == "" || len(d.Matches) == 0 {
		r.fail(n, path, ErrMissing, "missing: want of (a column) and where (columns with a value)")
	}
}

func readFigures(r *reader, n *yaml.Node, path string) any {
	out := []Figure{}
	r.pairs(n, path, func(key, value *yaml.Node, p string) {
		switch value.Kind {
		case yaml.ScalarNode:
			out = append(out, Figure{Name: key.Value, File: value.Value})
		case yaml.MappingNode:
			out = append(out, Figure{Name: key.Value, node: value})
		default:
			r.fail(value, p, ErrType, "found %s: want a figure file or a figure", found(value))
		}
	})
	return out
}

// experimentForms are the forms of experiment files, for the reader's table.
func experimentForms() map[reflect.Type]func(r *reader, n *yaml.Node, path string) any {
	return map[reflect.Type]func(r *reader, n *yaml.Node, path string) any{
		reflect.TypeFor[Value]():         readValue,
		reflect.TypeFor[[]Setting]():     readSettings,
		reflect.TypeFor[[]Axis]():        readAxes,
		reflect.TypeFor[[]Variant]():     readVariants,
		reflect.TypeFor[Exclusion]():     readExclusion,
		reflect.TypeFor[[]Column]():      readColumns,
		reflect.TypeFor[[]BufferValue](): readBufferValues,
		reflect.TypeFor[[]Renamed]():     readRenamed,
		reflect.TypeFor[[]Derived]():     readDerived,
		reflect.TypeFor[[]Figure]():      readFigures,
	}
}

// experimentSchemas are the forms of experiment files in their schema.
var experimentSchemas = map[reflect.Type]func(b *schemaBuilder) object{
	reflect.TypeFor[Value]():     func(*schemaBuilder) object { return object{} },
	reflect.TypeFor[[]Setting](): func(*schemaBuilder) object { return object{"type": "object"} },
	reflect.TypeFor[[]Axis](): func(b *schemaBuilder) object {
		return mapOf(object{"anyOf": []any{object{"type": "array"}, b.reference(reflect.TypeFor[Axis]())}})
	},
	reflect.TypeFor[[]Variant]():     func(*schemaBuilder) object { return mapOf(object{"type": "object"}) },
	reflect.TypeFor[Exclusion]():     func(*schemaBuilder) object { return object{"type": []string{"string", "object"}} },
	reflect.TypeFor[[]Column]():      func(*schemaBuilder) object { return object{"anyOf": []any{textListSchema, mapOf(textSchema)}} },
	reflect.TypeFor[[]BufferValue](): func(b *schemaBuilder) object { return mapOf(b.reference(reflect.TypeFor[BufferValue]())) },
	reflect.TypeFor[[]Renamed]():     func(*schemaBuilder) object { return mapOf(textSchema) },
	reflect.TypeFor[[]Derived](): func(*schemaBuilder) object {
		return mapOf(object{"anyOf": []any{object{"type": []string{"number", "string"}}, object{
			"type": "object", "required": []string{"of", "where"}, "additionalProperties": false,
			"properties": object{"of": textSchema, "where": object{"type": "object"}}}}})
	},
	reflect.TypeFor[[]Figure](): func(*schemaBuilder) object { return mapOf(object{"type": []string{"string", "object"}}) },
}

var (
	textSchema     = object{"type": "string"}
	textListSchema = object{"type": "array", "items": textSchema}
)
