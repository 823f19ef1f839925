package plots

import (
	"encoding/json"
	"reflect"
	"testing"

	"spvsim/internal/spec"
	"spvsim/internal/suite"
)

// The schema has every key of every structure, each with its description, and no reference to a structure that is not there.
func TestSchemaHasEveryKey(t *testing.T) {
	text := suite.Must(Schema())(t)
	var root struct {
		Properties map[string]map[string]any `json:"properties"`
		Defs       map[string]struct {
			Properties map[string]map[string]any `json:"properties"`
		} `json:"$defs"`
	}
	suite.OK(t, json.Unmarshal(text, &root))
	check := func(of reflect.Type, have map[string]map[string]any) {
		for _, row := range spec.Fields(of) {
			if have[row.Name]["description"] == "" || have[row.Name] == nil {
				t.Errorf("%s has no %s", of.Name(), row.Name)
			}
		}
	}
	check(reflect.TypeFor[Figure](), root.Properties)
	for _, of := range []reflect.Type{reflect.TypeFor[Axis](), reflect.TypeFor[Shade](), reflect.TypeFor[Band](), reflect.TypeFor[Annotation](), reflect.TypeFor[Facets]()} {
		check(of, root.Defs[of.Name()].Properties)
	}
	if got := root.Properties["kind"]["enum"].([]any); len(got) < 8 || got[0] != "line" {
		t.Errorf("kinds %v", got)
	}
	if got := root.Properties["x"]["anyOf"].([]any); len(got) != 3 {
		t.Errorf("x: %v, want a mapping, a column and columns", got)
	}
}
