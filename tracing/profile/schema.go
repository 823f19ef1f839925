package profile

import (
	"encoding/json"
	"reflect"

	"spvsim/internal/schema"
	"spvsim/tracing"
)

// Format is the version of profiles that this program writes.
const Format = currentFormat

// Schema is the JSON Schema of the profiles that WriteJSON writes.
func Schema() ([]byte, error) {
	b := &schema.Builder{Defs: schema.Object{}}
	b.WrittenForms = map[reflect.Type]schema.Object{reflect.TypeFor[json.RawMessage](): {"$ref": "#/$defs/statistics"}}
	b.Defs["statistics"] = tracing.StatisticsMembers(b)
	root := b.Structure(reflect.TypeFor[Profile]())
	root["properties"].(schema.Object)["format"] = schema.Object{"const": currentFormat}
	return schema.Document("profile", currentFormat, "Profile of a run, as spvsim run --profile writes it. Lists of slot cycles are in the order of reasons.", root, b.Defs)
}
