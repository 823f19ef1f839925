package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"spvsim/internal/lists"
)

// schemaKinds are the files that have a schema.
var schemaKinds = map[string]reflect.Type{
	"job":        reflect.TypeFor[Job](),
	"machine":    reflect.TypeFor[Machine](),
	"experiment": reflect.TypeFor[Experiment](),
	"cluster":    reflect.TypeFor[Cluster](),
}

// SchemaKinds lists the kinds of file that Schema describes.
func SchemaKinds() []string {
	return slices.Sorted(maps.Keys(schemaKinds))
}

// Schema returns the JSON Schema (draft 2020-12) of a kind of file, for editors. It is derived from the same struct
// tags as the reader.
func Schema(kind string) ([]byte, error) {
	t, ok := schemaKinds[kind]
	if !ok {
		return nil, &Error{Msg: fmt.Sprintf("no schema of %q: want one of %s", kind, strings.Join(SchemaKinds(), ", ")), Kind: ErrReference}
	}
	b := &schemaBuilder{defs: object{}, sourced: kind == "machine"}
	root := b.structure(t)
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "spvsim " + kind
	if b.sourced {
		root["properties"].(object)["base"] = object{"type": "string", "description": "preset, or machine file relative to this one, that this file overlays"}
	}
	if len(b.defs) > 0 {
		root["$defs"] = b.defs
	}
	return json.MarshalIndent(root, "", "  ")
}

type object = map[string]any

// schemaBuilder collects structs that refer to themselves, or that several fields share, as definitions.
type schemaBuilder struct {
	defs    object
	sourced bool // leaves may be {value, source}, and mappings may have a source key
}

func (b *schemaBuilder) structure(t reflect.Type) object {
	props := object{}
	for _, f := range fieldsOf(t) {
		props[f.Name] = b.field(f)
	}
	if _, ok := typedIndex(t); ok {
		for _, e := range elementTypes {
			values := oneOrMore(b.expr())
			values["description"] = "a value of this type, or a list of values"
			props[e.name] = values
		}
	}
	if b.sourced {
		props["source"] = object{"type": "string", "description": "source of the numbers in this mapping"}
	}
	return object{"type": "object", "properties": props, "additionalProperties": false}
}

func oneOrMore(item object) object {
	return object{"anyOf": []any{item, object{"type": "array", "items": item}}}
}

func (b *schemaBuilder) field(f field) object {
	s := b.typ(f.Type, f)
	doc := f.Doc
	if len(f.SchedulerKinds) > 0 {
		doc += "; acts under " + strings.Join(f.SchedulerKinds, ", ")
	}
	if f.Unit != "" {
		doc += " (" + f.Unit + ")"
	}
	if b.sourced && isLeaf(f.Type) {
		s = object{"anyOf": []any{s, object{
			"type": "object", "required": []string{"value"}, "additionalProperties": false,
			"properties": object{"value": s, "source": object{"type": "string"}},
		}}}
	}
	s["description"] = doc
	if f.Default != "" {
		s["default"] = yamlValue(f.Default)
	}
	return s
}

func isLeaf(t reflect.Type) bool {
	k := t.Kind()
	return k != reflect.Struct && k != reflect.Map && k != reflect.Pointer
}

// schemaForms are the types with a form of their own; see forms.
var schemaForms = map[reflect.Type]func(b *schemaBuilder) object{
	reflect.TypeFor[Expr]():             (*schemaBuilder).expr,
	reflect.TypeFor[[]Variable]():       (*schemaBuilder).exprMap,
	reflect.TypeFor[[]Specialization](): (*schemaBuilder).exprMap,
	reflect.TypeFor[[]Loop]():           func(*schemaBuilder) object { return mapOf(object{"type": "string", "pattern": `\.\.`}) },
	reflect.TypeFor[Overrides]():        func(*schemaBuilder) object { return object{"type": "object"} },
	reflect.TypeFor[Arguments]():        argumentsSchema,
}

func init() {
	maps.Copy(schemaForms, experimentSchemas) // in init, as they refer back to the builder
}

func (b *schemaBuilder) expr() object {
	return object{"type": []string{"number", "boolean", "string"}}
}

func (b *schemaBuilder) exprMap() object { return mapOf(b.expr()) }

func mapOf(value object) object {
	return object{"type": "object", "additionalProperties": value}
}

func (b *schemaBuilder) typ(t reflect.Type, f field) object {
	if form, ok := schemaForms[t]; ok {
		return form(b)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return b.typ(t.Elem(), f)
	case reflect.Struct:
		return b.reference(t)
	case reflect.Map:
		m := mapOf(b.typ(t.Elem(), f))
		m["properties"] = object{"source": object{"type": "string"}}
		return m
	case reflect.Slice:
		s := object{"type": "array", "items": b.typ(t.Elem(), f)}
		if f.Items[1] > 0 {
			s["minItems"], s["maxItems"] = f.Items[0], f.Items[1]
		}
		return s
	}
	return scalarSchema(t, f)
}

func (b *schemaBuilder) reference(t reflect.Type) object {
	name := definition(t)
	if _, ok := b.defs[name]; !ok {
		b.defs[name] = nil // known before its fields are read, as they may refer to it
		b.defs[name] = b.structure(t)
	}
	return object{"$ref": "#/$defs/" + name}
}

// definition names the schema of a struct: CacheSpec is Cache, the Spec of package lds is LDS.
func definition(t reflect.Type) string {
	return cmp.Or(strings.TrimSuffix(t.Name(), "Spec"), strings.ToUpper(path.Base(t.PkgPath())))
}

// yamlValue converts a default to JSON.
func yamlValue(text string) any {
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		panic("config: bad default tag " + text)
	}
	return v
}

var schemaTypes = map[reflect.Kind]string{
	reflect.Bool: "boolean", reflect.Int: "integer", reflect.Uint32: "integer", reflect.Float64: "number", reflect.String: "string",
}

func scalarSchema(t reflect.Type, f field) object {
	s := object{"type": schemaTypes[t.Kind()]}
	if t.Kind() == reflect.Uint32 {
		s["minimum"], s["maximum"] = 0, uint32(1<<32-1)
	}
	if f.HasRange {
		s["minimum"], s["maximum"] = f.Low, f.High
	}
	switch {
	case f.Pow2:
		s["enum"] = powersOfTwo(f.Low, f.High)
	case f.Enum != nil && t.Kind() == reflect.Int:
		values := lists.Map(f.Enum, func(e string) json.Number { return json.Number(e) })
		s["enum"] = values
	case f.Enum != nil:
		s["enum"] = f.Enum
	}
	return s
}

func powersOfTwo(low, high float64) []float64 {
	var out []float64
	if low == 0 {
		out = append(out, 0)
	}
	for x := 1.0; x <= high; x *= 2 {
		if x >= low {
			out = append(out, x)
		}
	}
	return out
}
