package suite

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema is the JSON Schema that a function gives, ready to validate.
func Schema(t testing.TB, schema func() ([]byte, error)) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	text := Must(schema())(t)
	OK(t, c.AddResource("output.json", Must(jsonschema.UnmarshalJSON(bytes.NewReader(text)))(t)))
	return Must(c.Compile("output.json"))(t)
}

// Obeys fails unless a JSON text obeys a schema.
func Obeys(t testing.TB, name string, s *jsonschema.Schema, text []byte) {
	t.Helper()
	if err := s.Validate(Must(jsonschema.UnmarshalJSON(bytes.NewReader(text)))(t)); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}
