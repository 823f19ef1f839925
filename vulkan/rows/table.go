package rows

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"

	"spvsim/account"
	"spvsim/experiments/sweep"
	"spvsim/internal/parquet"
	"spvsim/plots"
)

// A table is rows as texts, under the names of their columns.
type table struct {
	header []string
	lines  [][]string
}

// csvTable reads CSV up to the last complete row, without the headers of later processes.
func csvTable(data []byte) (t table) {
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	for {
		line, err := r.Read()
		switch {
		case err != nil || t.header != nil && len(line) != len(t.header):
			return t
		case t.header == nil:
			t.header = line
		case !slices.Equal(line, t.header):
			t.lines = append(t.lines, line)
		}
	}
}

func parquetTable(path string, data []byte) (t table, err error) {
	p, err := plots.ReadParquet(path, data)
	if err != nil {
		return t, err
	}
	t.header, t.lines = p.Names(), make([][]string, p.Rows)
	for i := range t.lines {
		for k := range p.Columns {
			t.lines[i] = append(t.lines[i], cellText(&p.Columns[k], i))
		}
	}
	return t, nil
}

func cellText(c *plots.Column, row int) string {
	switch {
	case c.Type == plots.Text:
		return c.Texts[row]
	case math.IsNaN(c.Numbers[row]):
		return ""
	}
	return strconv.FormatFloat(c.Numbers[row], 'f', -1, 64)
}

// columns are the types and units of the columns other than counts.
var columns = map[string]struct {
	typ  parquet.Type
	unit string
}{
	"machine": {sweep.Text, ""}, "queue": {sweep.Text, ""}, "kind": {sweep.Text, ""}, "name": {sweep.Text, ""}, "pipeline": {sweep.Text, ""},
	"entry": {sweep.Text, ""}, "module": {sweep.Text, ""}, "captured": {sweep.Text, ""},
	"microseconds": {sweep.Real, "us"}, "timed_share": {sweep.Real, "1"}, "interval_cycles": {sweep.Real, "cycles"}, "confidence": {sweep.Real, "1"},
	"occupancy": {sweep.Real, "1"}, "host_seconds": {sweep.Real, "s"},
	"clock_mhz": {sweep.Integer, "MHz"}, "begin_cycle": {sweep.Integer, "cycles"}, "cycles": {sweep.Integer, "cycles"},
	"estimated_cycles": {sweep.Integer, "cycles"}, "transfer_bytes": {sweep.Integer, "bytes"},
}

// bookkeeping are the columns that identify the work.
var bookkeeping = []string{"number", "process", "device", "machine", "clock_mhz", "queue", "kind", "name", "pipeline", "entry", "module", "captured", "host_seconds"}

// WriteParquet writes the rows as Parquet, each column with its type, and its unit in the file's metadata.
func (f *File) WriteParquet(w io.Writer) error {
	t, units := &sweep.Table{Rows: len(f.lines)}, f.units()
	for i, name := range f.header {
		c := sweep.TableColumn{Name: name, Type: columns[name].typ, Unit: cmp.Or(columns[name].unit, units[name]), Role: sweep.Result, Values: make([]any, len(f.lines))}
		if slices.Contains(bookkeeping, name) {
			c.Role = sweep.Bookkeeping
		}
		for row, line := range f.lines {
			c.Values[row] = cellValue(c.Type, line[i])
		}
		t.Columns = append(t.Columns, c)
	}
	return t.WriteParquet(w)
}

// units returns the units of counts by column, from the tags of their structures.
func (f *File) units() map[string]string {
	units := map[string]string{}
	of := func(part string, counts any) {
		for _, c := range account.ListCounts(counts) {
			units[part+"_"+c.Name] = c.Unit
		}
	}
	of("lds", account.LDSCounts{})
	of("queue", account.QueueCounts{})
	for _, l := range f.Levels {
		of(l, account.LevelCounts{})
	}
	for _, name := range account.ReasonNames() {
		units["slot_cycles_"+name] = "slot cycles"
	}
	return units
}

// cellValue converts a cell's value; one of another type is missing.
func cellValue(typ parquet.Type, text string) any {
	switch typ {
	case sweep.Integer:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
	case sweep.Real:
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			return x
		}
	case sweep.Text:
		if text != "" {
			return text
		}
	}
	return nil
}
