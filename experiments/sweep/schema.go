package sweep

import (
	"maps"
	"reflect"
	"slices"

	"spvsim/internal/schema"
)

// RowsFormat is the version of the files of rows. It changes when a column that all rows have changes its meaning or goes.
const RowsFormat = 1

// fixedColumns are those of the rows of all experiments.
func fixedColumns() schema.Object {
	text := func(meaning string) schema.Object { return schema.Object{"type": "string", "description": meaning} }
	failure := text("why the point has no results; missing if it has")
	failure["type"] = []string{"string", "null"}
	return schema.Object{
		"point":   schema.Object{"type": "integer", "minimum": 0, "description": "number of the point in the order of the experiment's axes, from 0"},
		"status":  schema.Object{"enum": []Status{Done, Failed}, "description": "whether the point has results"},
		"error":   failure,
		"inputs":  schema.Object{"type": "string", "pattern": "^[0-9a-f]{64}$", "description": "SHA-256 of all that the point was computed from"},
		"version": text("version of spvsim that computed the point"),
	}
}

// RowsSchema is the JSON Schema of the rows of a sweep, as a list of objects with a member for each column. A missing value is null.
func RowsSchema() ([]byte, error) {
	fixed := fixedColumns()
	root := schema.Object{"type": "array", "items": schema.Object{
		"type": "object", "properties": fixed, "required": slices.Sorted(maps.Keys(fixed)),
		"additionalProperties": schema.Object{"type": []string{"integer", "number", "string", "null"}, "description": "what the experiment varies or asks for; columns describes it"},
	}}
	return schema.Document("rows", RowsFormat, "Rows of a sweep: a line of NAME.csv, or a row of NAME.parquet, is an object. spvsim schema columns describes the columns' notes.", root, nil)
}

// ColumnsSchema is the JSON Schema of the notes on columns, which a Parquet file's metadata has under ColumnsKey.
func ColumnsSchema() ([]byte, error) {
	b := &schema.Builder{Defs: schema.Object{}, WrittenForms: map[reflect.Type]schema.Object{
		reflect.TypeFor[Role](): {"enum": []Role{Bookkeeping, Parameter, Result, Published, Computed}},
	}}
	root := schema.Object{"type": "array", "items": b.Type(reflect.TypeFor[ColumnNote]())}
	return schema.Document("columns", RowsFormat, "Notes on the columns of rows: the value of "+ColumnsKey+" in the metadata of NAME.parquet.", root, b.Defs)
}
