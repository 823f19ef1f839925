package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"spvsim/internal/suite"
)

// schemaCheck is as much of JSON Schema as our schemas use; an unknown keyword is an error, so that it can't be passed over.
type schemaCheck struct{ root map[string]any }

var annotations = []string{"description", "title", "default", "$schema", "$defs"}

func (c schemaCheck) check(s map[string]any, v any, at string) error {
	for key, arg := range s {
		if slices.Contains(annotations, key) {
			continue
		}
		if err := c.keyword(s, key, arg, v); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
	}
	return nil
}

func (c schemaCheck) keyword(s map[string]any, key string, arg, v any) error {
	num, isNum := v.(float64)
	list, isList := v.([]any)
	text, isText := v.(string)
	obj, isObj := v.(map[string]any)
	ok := true
	switch key {
	case "$ref":
		name := strings.TrimPrefix(arg.(string), "#/$defs/")
		return c.check(c.root["$defs"].(map[string]any)[name].(map[string]any), v, name)
	case "type":
		ok = hasType(arg, v)
	case "enum":
		ok = slices.Contains(arg.([]any), v)
	case "minimum":
		ok = !isNum || num >= arg.(float64)
	case "maximum":
		ok = !isNum || num <= arg.(float64)
	case "minItems":
		ok = !isList || len(list) >= int(arg.(float64))
	case "maxItems":
		ok = !isList || len(list) <= int(arg.(float64))
	case "pattern":
		ok = !isText || regexp.MustCompile(arg.(string)).MatchString(text)
	case "items":
		return c.each(list, arg.(map[string]any))
	case "anyOf":
		return c.anyOf(arg.([]any), v)
	case "required":
		for _, k := range arg.([]any) {
			if _, has := obj[k.(string)]; isObj && !has {
				return fmt.Errorf("%v is missing", k)
			}
		}
	case "properties", "additionalProperties":
		return c.object(s, obj)
	default:
		return fmt.Errorf("keyword %s is not known to this test", key)
	}
	if !ok {
		return fmt.Errorf("%v fails %s %v", v, key, arg)
	}
	return nil
}

func hasType(arg, v any) bool {
	if list, ok := arg.([]any); ok {
		return slices.ContainsFunc(list, func(t any) bool { return hasType(t, v) })
	}
	switch x := v.(type) {
	case float64:
		return arg == "number" || arg == "integer" && x == float64(int64(x))
	case string:
		return arg == "string"
	case bool:
		return arg == "boolean"
	case []any:
		return arg == "array"
	}
	return arg == "object" && reflect.TypeOf(v).Kind() == reflect.Map
}

func (c schemaCheck) each(list []any, s map[string]any) error {
	for i, v := range list {
		if err := c.check(s, v, fmt.Sprint(i)); err != nil {
			return err
		}
	}
	return nil
}

func (c schemaCheck) anyOf(options []any, v any) error {
	var err error
	for _, o := range options {
		if err = c.check(o.(map[string]any), v, "anyOf"); err == nil {
			return nil
		}
	}
	return err
}

func (c schemaCheck) object(s, obj map[string]any) error {
	props, _ := s["properties"].(map[string]any)
	for k, v := range obj {
		sub, known := props[k].(map[string]any)
		if !known {
			if s["additionalProperties"] == false {
				return fmt.Errorf("key %s is not allowed", k)
			}
			if sub, known = s["additionalProperties"].(map[string]any); !known {
				continue
			}
		}
		if err := c.check(sub, v, k); err != nil {
			return err
		}
	}
	return nil
}

func schemaFor(t *testing.T, kind string) schemaCheck {
	t.Helper()
	text := suite.Must(Schema(kind))(t)
	var root map[string]any
	suite.OK(t, json.Unmarshal(text, &root))
	return schemaCheck{root}
}

// yamlAsJSON converts a YAML document to the values that a JSON decoder would return.
func yamlAsJSON(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	suite.OK(t, yaml.Unmarshal(text, &v))
	b := suite.Must(json.Marshal(stringKeys(v)))(t)
	var out any
	suite.OK(t, json.NewDecoder(bytes.NewReader(b)).Decode(&out))
	return out
}

// stringKeys converts YAML's keys to JSON's: specialization ids are numbers there.
func stringKeys(v any) any {
	switch x := v.(type) {
	case []any:
		for i := range x {
			x[i] = stringKeys(x[i])
		}
	case map[string]any:
		for k := range x {
			x[k] = stringKeys(x[k])
		}
	case map[any]any:
		out := map[string]any{}
		for k, item := range x {
			out[fmt.Sprint(k)] = stringKeys(item)
		}
		return out
	}
	return v
}

func TestPresetsFitTheSchema(t *testing.T) {
	c := schemaFor(t, "machine")
	entries, err := presetFiles.ReadDir("machines")
	if err != nil || len(entries) != 17 {
		t.Fatal(len(entries), err)
	}
	for _, e := range entries {
		text := suite.Must(presetFiles.ReadFile(presetDir + e.Name()))(t)
		if err := c.check(c.root, yamlAsJSON(t, text), e.Name()); err != nil {
			t.Error(err)
		}
	}
}

func TestJobsFitTheSchema(t *testing.T) {
	c := schemaFor(t, "job")
	if err := c.check(c.root, yamlAsJSON(t, []byte(reduceJob)), "job"); err != nil {
		t.Error(err)
	}
}

func TestSchemaRefuses(t *testing.T) {
	for _, tt := range []struct{ kind, text string }{
		{"machine", "lds: {bnaks: 3}"},
		{"machine", "lds: {banks: 48}"},
		{"machine", "lds: {banks: {value: 48}}"},
		{"machine", "clock_mhz: fast"},
		{"machine", "issue: {policy: newest}"},
		{"machine", "wave_sizes: [48]"},
		{"machine", "timing: {classes: {dpp: {unit: gpu}}}"},
		{"job", "dispatch: [1, 2, 3, 4]"},
		{"job", "buffers: [{set: -1}]"},
		{"job", "buffers: [{data: {iota: u31}}]"},
		{"job", "expect: [{u33: 1}]"},
		{"job", "steps: [{steps: [{dispach: [1]}]}]"},
	} {
		c := schemaFor(t, tt.kind)
		if c.check(c.root, yamlAsJSON(t, []byte(tt.text)), tt.kind) == nil {
			t.Errorf("%s: %s is let through", tt.kind, tt.text)
		}
	}
	if _, err := Schema("jobb"); err == nil {
		t.Error("schema of an unknown kind")
	}
}

// Every field has a description, and every tag parses.
func TestFieldTables(t *testing.T) {
	n := 0
	for _, root := range schemaKinds {
		var walk func(t reflect.Type)
		seen := map[reflect.Type]bool{}
		walk = func(typ reflect.Type) {
			for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map {
				typ = typ.Elem()
			}
			if typ.Kind() != reflect.Struct || seen[typ] {
				return
			}
			seen[typ] = true
			for _, f := range fieldsOf(typ) {
				n++
				if f.Doc == "" {
					t.Errorf("%s.%s has no description", typ.Name(), f.Name)
				}
				walk(f.Type)
			}
		}
		walk(root)
	}
	if n < 150 {
		t.Errorf("only %d fields found", n)
	}
}
