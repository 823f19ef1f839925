package sweep

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/internal/parquet"
	"spvsim/internal/suite"
	"spvsim/plots"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"spvsim/config"
)

const anyStats = `{"cycles": %d, "seconds": 0.5, "instructions": {"by_class": {"salu": 3}}, "memory": {"l2": {"hits": 7}},
	"steps": [{"name": "a.spv", "cycles": 11}, {"name": "b", "cycles": 12}]}`

// finished returns a plan of an experiment with the given cells as points, each with a record of some statistics.
func finished(t *testing.T, text string, cells [][]Cell, stats []string) (*Plan, *Store) {
	t.Helper()
	files := fstest.MapFS{"e.yaml": {Data: []byte("job: reduce\n" + text)}, "ref.csv": {Data: []byte("side,time\n1,0.25\n2,0.5\n2,9\n")}}
	e := suite.Must(config.LoadExperiment(files, "e.yaml"))(t)
	store := suite.Must(OpenStore(t.TempDir()))(t)
	p := &Plan{Experiment: e}
	for i, c := range cells {
		s := Spec{Key: fmt.Sprint("key", i), Inputs: fmt.Sprint("inputs", i), Cells: c}
		p.Specs = append(p.Specs, s)
		r := s.record()
		if r.Version = "v1"; stats[i] == "" {
			r.Status, r.Error = Failed, "it fails"
		} else {
			r.Stats = json.RawMessage(stats[i])
		}
		suite.OK(t, store.Save(s.Key, r))
	}
	return p, store
}

func TestRows(t *testing.T) {
	text := `columns:
  cycles: cycles
  hits: memory.l2.hits
  step: steps.a.spv.cycles
  salu: instructions.by_class.salu
  valu: instructions.by_class.valu32
derived:
  base: {of: cycles, where: {kind: plain}}
  speedup: base / cycles
  half: 1 / 2
  bad: 1 / (n - 1)
references:
  - {file: ref.csv, on: {n: side}, columns: {measured: time}}
`
	cell := func(kind string, n int64) []Cell { return []Cell{{"kind", kind}, {"n", n}} }
	stats := func(cycles int) string { return fmt.Sprintf(anyStats, cycles) }
	p, store := finished(t, text, [][]Cell{cell("plain", 1), cell("fancy", 1), cell("plain", 2), cell("fancy", 2), cell("plain", 3)},
		[]string{stats(100), stats(50), stats(30), stats(40), ""})
	rows := suite.Must(p.Rows(store))(t)
	var got bytes.Buffer
	suite.OK(t, rows.WriteCSV(&got))
	want := `point,kind,n,status,cycles,hits,step,salu,valu,measured,base,speedup,half,bad,error,inputs,version
0,plain,1,done,100,7,11,3,0,0.25,100,1,0.5,,,inputs0,v1
1,fancy,1,done,50,7,11,3,0,0.25,100,2,0.5,,,inputs1,v1
2,plain,2,done,30,7,11,3,0,0.5,30,1,0.5,1,,inputs2,v1
3,fancy,2,done,40,7,11,3,0,0.5,30,0.75,0.5,1,,inputs3,v1
4,plain,3,failed,,,,,,,,,0.5,0.5,it fails,inputs4,v1
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
}

func TestRowFaults(t *testing.T) {
	for text, want := range map[string]string{
		"columns: {c: cycle}":                                                "columns: cycle: no such value in the statistics (nearest: cycles)",
		"columns: {point: cycles}":                                           "two columns are named point",
		"derived: {d: cylces + 1}":                                           "derived: d: the rows have no column cylces (nearest: cycles)",
		"derived: {d: kind + 1}":                                             "a text: want a number",
		"derived: {d: {of: cycles, where: {knid: plain}}}":                   "no column knid (nearest: kind)",
		"references: [{file: ref.csv, on: {n: sides}, columns: {m: time}}]":  `no column "sides"`,
		"references: [{file: refs.csv, on: {n: side}, columns: {m: time}}]":  "refs.csv",
		"references: [{file: ref.csv, on: {kind: side}, columns: {m: tim}}]": `no column "tim"`,
	} {
		if !strings.Contains(text, "columns: {c") && !strings.Contains(text, "columns: {p") {
			text += "\ncolumns: [cycles]"
		}
		p, store := finished(t, text, [][]Cell{{{"kind", "a"}, {"n", int64(1)}}}, []string{fmt.Sprintf(anyStats, 1)})
		if _, err := p.Rows(store); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n%v\nwant %q", text, err, want)
		}
	}
}

func anyTable() *Table {
	t := &Table{Rows: 3}
	t.Add("integer", []any{int64(1), nil, int64(-math.MaxInt64)})
	t.Add("real.number", []any{int64(1), 0.1, nil})
	t.Add("text, quoted", []any{"a\nb", nil, int64(5)})
	t.Add("nothing", []any{nil, nil, nil})
	return t
}

func TestTypesOfColumns(t *testing.T) {
	var types []parquet.Type
	for _, c := range anyTable().Columns {
		types = append(types, c.Type)
	}
	if diff := cmp.Diff([]parquet.Type{Integer, Real, Text, Text}, types); diff != "" {
		t.Error(diff)
	}
}

// A Parquet file has the columns in order, with their types and missing values, and the same bytes each time.
func TestParquet(t *testing.T) {
	table := anyTable()
	table.Columns[2].Name = "text"
	var a, b bytes.Buffer
	for _, w := range []*bytes.Buffer{&a, &b} {
		suite.OK(t, table.WriteParquet(w))
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("twice gives different bytes")
	}
	meta := footer(t, a.Bytes())
	want := []format.SchemaElement{
		{Name: "integer", Type: thrift.New(format.Int64)}, {Name: "real.number", Type: thrift.New(format.Double)},
		{Name: "text", Type: thrift.New(format.ByteArray)}, {Name: "nothing", Type: thrift.New(format.ByteArray)},
	}
	for i, e := range meta.Schema[1:] {
		if e.Name != want[i].Name || e.Type != want[i].Type || e.RepetitionType.V != format.Optional {
			t.Errorf("column %d: %+v, want %+v", i, e, want[i])
		}
	}
	rows := suite.Must(plots.ReadParquet("rows.parquet", a.Bytes()))(t)
	for k, c := range table.Columns {
		for i, want := range c.Values {
			if got := plainCell(&rows.Columns[k], i); !cellEqual(got, want) {
				t.Errorf("row %d, %s: %v: want %v", i, c.Name, got, want)
			}
		}
	}
}

// Pages of as many values as one may have, and one more, hold all rows.
func TestParquetOfManyRows(t *testing.T) {
	for _, n := range []int{0, parquet.PageRows, parquet.PageRows + 1} {
		values := make([]any, n)
		for i := range values {
			if i%3 != 0 {
				values[i] = int64(i)
			}
		}
		var b bytes.Buffer
		table := &Table{Rows: n, Columns: []TableColumn{{Name: "n", Type: Integer, Values: values}}}
		suite.OK(t, table.WriteParquet(&b))
		rows, err := plots.ReadParquet("rows.parquet", b.Bytes())
		if err != nil || rows.Rows != n {
			t.Fatalf("%d rows: %v", n, err)
		}
		for i, want := range values {
			if got := plainCell(&rows.Columns[0], i); !cellEqual(got, want) {
				t.Fatalf("%d rows, row %d: %v, want %v", n, i, got, want)
			}
		}
	}
}

// footer is the description at the end of a file.
func footer(t *testing.T, data []byte) *format.FileMetaData {
	t.Helper()
	end := len(data) - 8
	var meta format.FileMetaData
	suite.OK(t, thrift.Unmarshal(new(thrift.CompactProtocol), data[end-int(binary.LittleEndian.Uint32(data[end:])):end], &meta))
	return &meta
}

// plainCell converts a cell to what was read: a number, a text, or nil.
func plainCell(c *plots.Column, i int) any {
	switch {
	case c.Type == plots.Text && c.Texts[i] != "":
		return c.Texts[i]
	case c.Type == plots.Text || math.IsNaN(c.Numbers[i]):
		return nil
	}
	return c.Numbers[i]
}

func cellEqual(got, want any) bool {
	if n, ok := want.(int64); ok {
		want = float64(n)
	}
	return got == want
}

// Estimates use the record most similar to a point, scaled by its work.
func TestEstimate(t *testing.T) {
	store := suite.Must(OpenStore(t.TempDir()))(t)
	put := func(key, job string, n int64, work uint64, seconds float64) {
		s := Spec{Key: key, Job: job, Cells: []Cell{{"n", n}}, Workgroups: work}
		r := s.record()
		r.HostSeconds, r.Stats = seconds, json.RawMessage("{}")
		suite.OK(t, store.Save(key, r))
	}
	put("a", "fir", 1, 100, 1)
	put("b", "fir", 2, 1000, 20)
	put("c", "fft", 3, 10, 50)
	for _, c := range []struct {
		spec    Spec
		seconds float64
		similar int
	}{
		{Spec{Job: "fir", Cells: []Cell{{"n", int64(1)}}, Workgroups: 200}, 2 + startSeconds, 1},     // the same n
		{Spec{Job: "fir", Cells: []Cell{{"n", int64(9)}}, Workgroups: 900}, 18 + startSeconds, 1},    // the nearest work
		{Spec{Job: "nbody", Cells: []Cell{{"n", int64(1)}}, Workgroups: 10000}, 2 + startSeconds, 0}, // at the assumed rate
	} {
		p := &Plan{Specs: []Spec{c.spec}}
		if e := p.Estimate(store, []int{0}); math.Abs(e.Total.Seconds()-c.seconds) > 1e-6 || e.FromSimilar != c.similar {
			t.Errorf("%v: %v: want %v s, %d similar", c.spec, e, c.seconds, c.similar)
		}
	}
}

func TestElements(t *testing.T) {
	buffers := map[string][]byte{"b": {0xff, 0xff, 0xff, 0xff, 0, 0, 0x80, 0x3f}}
	get := func(typ string, index int) string {
		s := Spec{Values: []Element{{"v", "b", typ, index}}}
		list, err := s.elements(buffers)
		if err != nil {
			return err.Error()
		}
		return list[0]
	}
	for _, c := range []struct {
		typ   string
		index int
		want  string
	}{
		{"u8", 0, "255"}, {"i8", 0, "-1"}, {"u16", 1, "65535"}, {"i16", 0, "-1"}, {"u32", 0, "4294967295"}, {"i32", 0, "-1"}, {"f32", 1, "1"},
		{"u64", 0, "4575657225703391231"}, {"f32", 2, "there is no 2"}, {"f64", 1, "there is no 1"},
	} {
		if got := get(c.typ, c.index); !strings.HasSuffix(got, c.want) {
			t.Errorf("%s %d: %s: want %s", c.typ, c.index, got, c.want)
		}
	}
}

// Of axes that are zipped any one names the baseline.
func TestBaselineOfZippedAxes(t *testing.T) {
	cell := func(lanes, size, n int64) []Cell { return []Cell{{"lanes", lanes}, {"size", size}, {"n", n}} }
	cells := [][]Cell{cell(32, 128, 1), cell(64, 256, 1), cell(32, 128, 2), cell(64, 256, 2)}
	stats := func(cycles int) string { return fmt.Sprintf(anyStats, cycles) }
	for _, where := range []string{"{lanes: 32}", "{size: 128}", "{lanes: 32, size: 128}"} {
		p, store := finished(t, "axes: {wave: {zip: {lanes: {path: parameters.l, values: [32, 64]}, size: {path: parameters.s, values: [128, 256]}}}, n: {path: parameters.n, values: [1, 2]}}\n"+
			"columns: [cycles]\nderived: {base: {of: cycles, where: "+where+"}}", cells, []string{stats(10), stats(20), stats(30), stats(40)})
		rows := suite.Must(p.Rows(store))(t)
		if diff := cmp.Diff([]any{int64(10), int64(10), int64(30), int64(30)}, rows.column("base").Values); diff != "" {
			t.Errorf("where: %s\n%s", where, diff)
		}
	}
}

// In a column with a fraction among its values all are floats, and 1 still names its row.
func TestBaselineAmongFractions(t *testing.T) {
	cells := [][]Cell{{{"width", 0.5}}, {{"width", int64(1)}}}
	stats := func(cycles int) string { return fmt.Sprintf(anyStats, cycles) }
	p, store := finished(t, "axes: {width: {path: parameters.w, values: [0.5, 1]}}\ncolumns: [cycles]\nderived: {base: {of: cycles, where: {width: 1}}}",
		cells, []string{stats(10), stats(20)})
	rows := suite.Must(p.Rows(store))(t)
	if diff := cmp.Diff([]any{int64(20), int64(20)}, rows.column("base").Values); diff != "" {
		t.Error(diff)
	}
}
