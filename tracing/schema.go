package tracing

import (
	"reflect"
	"slices"
	"strings"

	"spvsim/account"
	"spvsim/internal/schema"
)

// StatisticsFormat is the version of the statistics' JSON. It changes when a member changes its meaning or goes.
const StatisticsFormat = 1

// typed are the statistics whose type does not follow from the unit.
var typed = map[string]reflect.Type{
	"estimate.half_widths.*":    reflect.TypeFor[float64](),
	"estimate.units":            reflect.TypeFor[[]account.SampledUnit](),
	"estimate.without_interval": reflect.TypeFor[[]string](),
	"estimate.not_sampled":      reflect.TypeFor[[]account.NotSampled](),
}

// fractions are the units of statistics that are not counts.
var fractions = []string{"1", "s", "J", "J s", "W", "instructions/s"}

// jsonType is the JSON type of a statistic that no structure describes.
func (s *Statistic) jsonType() schema.Object {
	switch {
	case s.Path == "format":
		return schema.Object{"const": StatisticsFormat}
	case s.Unit == "":
		return schema.Object{"type": "string"}
	case slices.Contains(fractions, s.Unit), strings.HasSuffix(s.Path, ".low"), strings.HasSuffix(s.Path, ".high"):
		return schema.Object{"type": "number"}
	}
	return schema.Object{"type": "integer"}
}

// ofRunOnly are the members that steps do not have.
var ofRunOnly = []string{"format", "machine", "clock_mhz", "mode", "stopped", "queues", "utilization", "bound", "what_if", "host", "steps"}

// always are the members that every run has, or every step.
var always = []string{"launches", "workgroups", "waves", "instructions", "lanes"}

// StatisticsSchema is the JSON Schema of the statistics that WriteJSON writes.
func StatisticsSchema() ([]byte, error) {
	b := &schema.Builder{Defs: schema.Object{}}
	root := StatisticsMembers(b)
	return schema.Document("statistics", StatisticsFormat, "Statistics of a run, as spvsim run --stats writes them. Absent members are not known of the run.", root, b.Defs)
}

// StatisticsMembers is the schema of the statistics as a part of another; it adds definitions to those of b.
func StatisticsMembers(b *schema.Builder) schema.Object {
	root := schema.Object{"type": "object", "properties": schema.Object{}, "additionalProperties": false}
	for _, s := range described() {
		if of := structureOf(s.Path); of != nil || strings.HasPrefix(s.Path, "queues") || s.Path == "steps.name" {
			continue
		}
		leaf := s.jsonType()
		if t, ok := typed[s.Path]; ok {
			leaf = b.Type(t)
		}
		put(root, namesOf(s.Path), schema.Described(leaf, s.Meaning, s.Unit))
	}
	for _, s := range structures {
		if !strings.HasPrefix(s.path, "queues") {
			for name, member := range b.Structure(reflect.TypeOf(s.of))["properties"].(schema.Object) {
				put(root, namesOf(s.path+"."+name), member.(schema.Object))
			}
		}
	}
	properties := root["properties"].(schema.Object)
	step := schema.Object{"name": schema.Object{"type": "string", "description": "name of the step"}}
	for name, member := range properties {
		if !slices.Contains(ofRunOnly, name) {
			step[name] = member
		}
	}
	b.Defs["step"] = schema.Object{"type": "object", "properties": step, "required": append([]string{"name"}, always...), "additionalProperties": false}
	properties["steps"] = schema.Object{"type": "array", "items": schema.Object{"$ref": "#/$defs/step"}, "description": "statistics of each step of the job"}
	properties["queues"] = b.Type(reflect.TypeFor[[]account.HardwareQueue]())
	root["required"] = append([]string{"format", "machine", "clock_mhz", "steps"}, always...)
	return root
}

// structureOf finds the structure that describes a path, or nil.
func structureOf(path string) any {
	for _, s := range structures {
		if i := strings.LastIndexByte(path, '.'); i >= 0 && path[:i] == s.path {
			if t := reflect.TypeOf(s.of); hasMember(t, path[i+1:]) {
				return s.of
			}
		}
	}
	return nil
}

func hasMember(t reflect.Type, name string) bool {
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("json") == name {
			return true
		}
	}
	return false
}

// namesOf splits a path into the names of its members. Names of reasons have dots.
func namesOf(path string) []string {
	if reason, ok := strings.CutPrefix(path, reasonsPath+"."); ok {
		return append(strings.Split(reasonsPath, "."), reason)
	}
	return strings.Split(path, ".")
}

// put adds a member to an object by the names on its path; * is any name.
func put(object schema.Object, names []string, member schema.Object) {
	in, key := object["properties"].(schema.Object), names[0]
	if key == "*" {
		in, key = object, "additionalProperties"
	}
	if len(names) == 1 {
		in[key] = member
		return
	}
	inner, ok := in[key].(schema.Object)
	if !ok {
		inner = schema.Object{"type": "object", "properties": schema.Object{}, "additionalProperties": false}
		in[key] = inner
	}
	put(inner, names[1:], member)
}

// DispatchesSchema is the JSON Schema of the dispatches that WriteDispatches writes.
func DispatchesSchema() ([]byte, error) {
	b := &schema.Builder{Defs: schema.Object{}}
	b.WrittenForms = map[reflect.Type]schema.Object{reflect.TypeFor[*Stats](): {"$ref": "#/$defs/statistics"}}
	b.Defs["statistics"] = StatisticsMembers(b)
	return listSchema(b, "dispatches", "dispatches", DispatchesFormat,
		"Dispatches of a program with what counterfactual machines would save, as spvsim app --what-if-json writes them.", reflect.TypeFor[ComparedDispatch]())
}

// listSchema is the schema of an object with a format and a list, which has the name of a member.
func listSchema(b *schema.Builder, kind, member string, version int, description string, of reflect.Type) ([]byte, error) {
	root := schema.Object{
		"type": "object", "required": []string{"format", member}, "additionalProperties": false,
		"properties": schema.Object{
			"format": schema.Object{"const": version},
			member:   schema.Object{"type": "array", "items": b.Type(of)},
		},
	}
	return schema.Document(kind, version, description, root, b.Defs)
}

// ListingSchema is the JSON Schema of the listings that WriteListingsJSON writes.
func ListingSchema() ([]byte, error) {
	return listSchema(&schema.Builder{Defs: schema.Object{}}, "listing", "programs", ListingFormat,
		"Lowered programs with the cost of each instruction, as spvsim run --listing FILE.json writes them.", reflect.TypeFor[ListedProgram]())
}
