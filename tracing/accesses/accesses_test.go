package accesses_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/plots"
	"spvsim/tracing"
	"spvsim/tracing/accesses"
)

// traced runs a ready job and reads its address trace.
func traced(t *testing.T, name string, o accesses.Options, parameters []string, settings ...string) (*plots.Table, *tracing.Stats, *accesses.Writer) {
	t.Helper()
	fsys, file, _, err := experiments.Lookup(name)
	suite.OK(t, err)
	job := suite.Must(config.LoadJobWith(fsys, file, parameters))(t)
	m := suite.Must(config.LoadMachine(config.Request{Job: job, Set: settings}))(t)
	job.Expect = nil
	var out bytes.Buffer
	w := accesses.New(&out, o)
	result := suite.Must(gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, Tracer: w}))(t)
	suite.OK(t, w.Close())
	table := suite.Must(plots.ReadParquet("trace", out.Bytes()))(t)
	if o.Limit != 0 && int64(out.Len()) > o.Limit {
		t.Errorf("%d bytes: want at most %d", out.Len(), o.Limit)
	}
	return table, result.Stats, w
}

func column(t *testing.T, table *plots.Table, name string) *plots.Column {
	t.Helper()
	for i := range table.Columns {
		if table.Columns[i].Name == name {
			return &table.Columns[i]
		}
	}
	t.Fatalf("no column %s", name)
	return nil
}

// y = a x + y of n floats reads both and writes one, each byte once, in lines that are aligned; and the rows are those that the levels
// count.
func TestRowsAreTheAccessesOfTheLevels(t *testing.T) {
	const n = 16384
	table, stats, _ := traced(t, "saxpy", accesses.Options{}, []string{"n=16384"})
	bytesOf, last, lines := map[string]float64{}, 0.0, map[string]map[float64]bool{"read": {}, "write": {}}
	reached := map[string]uint64{}
	for i := range table.Rows {
		kind := column(t, table, "kind").Texts[i]
		address := column(t, table, "line").Numbers[i]
		program := column(t, table, "program").Texts[i]
		if !strings.Contains(program, "main") && program == "" {
			t.Fatalf("row %d has no program", i)
		}
		if cycle := column(t, table, "cycle").Numbers[i]; cycle < last {
			t.Fatalf("row %d: cycle %g after %g", i, cycle, last)
		} else {
			last = cycle
		}
		if int64(address)%64 != 0 {
			t.Fatalf("row %d: line %g is not aligned", i, address)
		}
		bytesOf[kind] += column(t, table, "bytes").Numbers[i]
		lines[kind][address] = true
		reached[column(t, table, "level").Texts[i]]++
	}
	if bytesOf["write"] != 4*n || bytesOf["read"] < 8*n || len(bytesOf) != 2 {
		t.Errorf("%v bytes: want %d written and at least %d read", bytesOf, 4*n, 8*n)
	}
	for line := range lines["write"] {
		if !lines["read"][line] {
			t.Fatalf("line %g of y was written, not read", line)
		}
	}
	count := map[string]uint64{}
	for _, l := range stats.Memory {
		count[l.Name] = l.Accesses
	}
	if sum := count["vector_l1"] + count["scalar_l1"]; sum != uint64(table.Rows) {
		t.Errorf("%d rows: the first levels count %d", table.Rows, sum)
	}
	if reached["memory"] == 0 || reached["memory"] > count["memory"] || reached["vector_l1"]+reached["scalar_l1"] == 0 {
		t.Errorf("%v lines reached: the levels count %v", reached, count)
	}
}

// With a second level of translation, the levels of lines are those of caches all the same.
func TestLevelsBesideTranslation(t *testing.T) {
	table, _, _ := traced(t, "saxpy", accesses.Options{}, []string{"n=4096"}, "translation.entries=512")
	for i, level := range column(t, table, "level").Texts {
		if level == "translation" || level == "" {
			t.Fatalf("row %d: level %q", i, level)
		}
	}
}

// Cycles and units bound a trace, and its size does, which it says.
func TestBoundsOfATrace(t *testing.T) {
	table, _, _ := traced(t, "saxpy", accesses.Options{From: 12000, To: 13000, Units: func(u int) bool { return u == 3 }}, []string{"n=262144"})
	for i := range table.Rows {
		if cycle := column(t, table, "cycle").Numbers[i]; cycle < 12000 || cycle >= 13000 || column(t, table, "unit").Numbers[i] != 3 {
			t.Fatalf("row %d: cycle %g of unit %g", i, cycle, column(t, table, "unit").Numbers[i])
		}
	}
	if table.Rows == 0 {
		t.Error("no rows")
	}
	table, stats, w := traced(t, "saxpy", accesses.Options{Limit: accesses.MinLimit}, []string{"n=262144"})
	if note := w.Note(); !strings.Contains(note, "at 1048576 bytes") || table.Rows == 0 || uint64(table.Rows) >= stats.Memory[0].Accesses {
		t.Errorf("%d rows of %d, note %q", table.Rows, stats.Memory[0].Accesses, note)
	}
}
