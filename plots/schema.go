package plots

import (
	"encoding/json"
	"reflect"

	"spvsim/internal/spec"
)

type object = map[string]any

// Schema returns the JSON Schema (draft 2020-12) of figure files, for editors. It is derived from the struct tags of
// the reader.
func Schema() ([]byte, error) {
	b := schemaBuilder{defs: object{}}
	root := b.structure(reflect.TypeFor[Figure]())
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "spvsim figure"
	root["$defs"] = b.defs
	return json.MarshalIndent(root, "", "  ")
}

// schemaBuilder collects structures as definitions.
type schemaBuilder struct{ defs object }

func (b *schemaBuilder) structure(t reflect.Type) object {
	props := object{}
	for _, row := range spec.Fields(t) {
		s := b.typ(row.Type, &row)
		s["description"] = row.Doc
		if row.Unit != "" {
			s["description"] = row.Doc + " (" + row.Unit + ")"
		}
		props[row.Name] = s
	}
	return object{"type": "object", "properties": props, "additionalProperties": false}
}

// pairSchema is a mapping of names to a value or a list of values.
func pairSchema() object {
	one := object{"type": []string{"string", "number", "boolean"}}
	return object{"type": "object", "additionalProperties": object{"anyOf": []any{one, object{"type": "array", "items": one}}}}
}

func (b *schemaBuilder) typ(t reflect.Type, row *spec.Field) object {
	switch {
	case t == reflect.TypeFor[Pairs]():
		return pairSchema()
	case t.Kind() == reflect.Pointer:
		return b.typ(t.Elem(), row)
	case t.Kind() == reflect.Struct:
		return b.reference(t)
	case t.Kind() == reflect.Slice:
		list := object{"type": "array", "items": b.typ(t.Elem(), row)}
		if row.Single {
			return object{"anyOf": []any{list, b.typ(t.Elem(), row)}}
		}
		return list
	}
	return wordOrNumber(t, row)
}

// reference returns a reference to a definition, or the alternatives if a short form may replace the mapping.
func (b *schemaBuilder) reference(t reflect.Type) object {
	if _, ok := b.defs[t.Name()]; !ok {
		b.defs[t.Name()] = b.structure(t)
	}
	forms := []any{object{"$ref": "#/$defs/" + t.Name()}}
	for _, row := range spec.Fields(t) {
		if row.Short {
			forms = append(forms, b.typ(row.Type, &row))
		}
	}
	return object{"anyOf": forms}
}

var schemaTypes = map[reflect.Kind]any{
	reflect.Bool: "boolean", reflect.Int: "integer", reflect.Float64: "number", reflect.String: []string{"string", "number", "boolean"},
}

func wordOrNumber(t reflect.Type, row *spec.Field) object {
	s := object{"type": schemaTypes[t.Kind()]}
	if row.Enum != nil {
		s = object{"enum": row.Enum}
	}
	if row.HasRange {
		s["minimum"], s["maximum"] = row.Low, row.High
	}
	return s
}
