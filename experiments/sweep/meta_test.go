package sweep

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/internal/suite"
)

// A Parquet file describes each column in its metadata.
func TestParquetDescribesItsColumns(t *testing.T) {
	text := `axes:
  banks: {path: machine.lds.bytes, values: [16, 32]}
  v: {variants: {one: {row.k: 1}}}
columns: {cycles: cycles, moved: memory.l2.hits, salu: instructions.by_class.salu, stalls: steps.a.spv.cycles}
derived: {microseconds: cycles / 2500, base: {of: cycles, where: {banks: 16}}}
references: [{file: ref.csv, source: "C: a page", on: {k: side}, columns: {measured: time}}]
figures: {f: {kind: line, x: banks, y: {column: microseconds, unit: µs}}}
`
	cell := func(banks int64) []Cell { return []Cell{{"banks", banks}, {"v", "one"}, {"k", int64(1)}} }
	p, store := finished(t, text, [][]Cell{cell(16), cell(32)}, []string{fmt.Sprintf(anyStats, 100), fmt.Sprintf(anyStats, 50)})
	rows := suite.Must(p.Rows(store))(t)
	var b bytes.Buffer
	suite.OK(t, rows.WriteParquet(&b))
	meta := footer(t, b.Bytes())
	if len(meta.KeyValueMetadata) != 1 || meta.KeyValueMetadata[0].Key != ColumnsKey {
		t.Fatalf("no %s in the file's metadata", ColumnsKey)
	}
	var got []ColumnNote
	suite.OK(t, json.Unmarshal([]byte(meta.KeyValueMetadata[0].Value), &got))
	want := []ColumnNote{
		{"point", "integer", Bookkeeping, "", ""},
		{"banks", "integer", Parameter, "bytes", "machine.lds.bytes"},
		{"v", "text", Parameter, "", ""},
		{"k", "integer", Parameter, "", ""},
		{"status", "text", Bookkeeping, "", ""},
		{"cycles", "integer", Result, "cycles", "cycles"},
		{"moved", "integer", Result, "accesses", "memory.l2.hits"},
		{"salu", "integer", Result, "instructions", "instructions.by_class.salu"},
		{"stalls", "integer", Result, "cycles", "steps.a.spv.cycles"},
		{"measured", "real", Published, "", "C: a page"},
		{"microseconds", "real", Computed, "µs", "cycles / 2500"},
		{"base", "integer", Computed, "cycles", "cycles of the baseline"},
		{"error", "text", Bookkeeping, "", ""},
		{"inputs", "text", Bookkeeping, "", ""},
		{"version", "text", Bookkeeping, "", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if columns := meta.Schema[1:]; len(columns) != len(got) {
		t.Errorf("%d columns in the schema, %d described", len(columns), len(got))
	}
}
