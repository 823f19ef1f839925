// Package schema makes JSON Schemas of the structures that outputs are written from. It reads the tags json, doc and unit.
package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// An Object is a part of a schema.
type Object = map[string]any

// Document returns a whole JSON Schema (draft 2020-12) of an output. Its version changes when a member of the output changes its
// meaning or goes.
func Document(kind string, version int, description string, root, defs Object) ([]byte, error) {
	o := Object{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": fmt.Sprintf("urn:spvsim:%s:%d", kind, version),
		"title": fmt.Sprintf("spvsim %s, version %d", kind, version), "description": description,
	}
	for k, v := range root {
		o[k] = v
	}
	if len(defs) > 0 {
		o["$defs"] = defs
	}
	return json.MarshalIndent(o, "", "  ")
}

// A Builder collects the structures that a schema refers to.
type Builder struct {
	Defs         Object
	WrittenForms map[reflect.Type]Object // schemas of types that are written in a form of their own
}

// Type returns the schema of a type, as encoding/json writes it.
func (b *Builder) Type(t reflect.Type) Object {
	if o, ok := b.WrittenForms[t]; ok {
		return o
	}
	switch t.Kind() {
	case reflect.Bool:
		return Object{"type": "boolean"}
	case reflect.String:
		return Object{"type": "string"}
	case reflect.Float32, reflect.Float64:
		return Object{"type": "number"}
	case reflect.Pointer:
		return Object{"anyOf": []any{b.Type(t.Elem()), Object{"type": "null"}}}
	case reflect.Slice:
		return Object{"type": []any{"array", "null"}, "items": b.Type(t.Elem())}
	case reflect.Array:
		return Object{"type": "array", "items": b.Type(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Map:
		return Object{"type": "object", "additionalProperties": b.Type(t.Elem())}
	case reflect.Struct:
		return b.reference(t)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return Object{"type": "integer", "minimum": 0}
	}
	return Object{"type": "integer"}
}

func (b *Builder) reference(t reflect.Type) Object {
	// Two packages may have structures of one name.
	name := t.Name()
	if path := strings.Split(t.PkgPath(), "/"); len(path) > 0 {
		name = path[len(path)-1] + "." + name
	}
	if _, known := b.Defs[name]; !known {
		b.Defs[name] = Object{} // of a structure that has itself as a part
		b.Defs[name] = b.Structure(t)
	}
	return Object{"$ref": "#/$defs/" + name}
}

// Structure returns the schema of a structure: all of its members are required, except those that are left out where they are empty.
func (b *Builder) Structure(t reflect.Type) Object {
	properties, required := Object{}, []string{}
	b.members(t, properties, &required)
	return Object{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

func (b *Builder) members(t reflect.Type, properties Object, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported():
			continue
		case f.Anonymous && name == "":
			b.members(f.Type, properties, required)
			continue
		case name == "":
			name = f.Name
		}
		properties[name] = Described(b.Type(f.Type), f.Tag.Get("doc"), f.Tag.Get("unit"))
		if options != "omitempty" {
			*required = append(*required, name)
		}
	}
}

// Described is a schema with the meaning and the unit of its value.
func Described(s Object, meaning, unit string) Object {
	if meaning == "" {
		return s
	}
	if unit != "" {
		meaning += " (" + unit + ")"
	}
	out := Object{"description": meaning}
	for k, v := range s {
		out[k] = v
	}
	return out
}
