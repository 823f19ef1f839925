package driver

import (
	"encoding/csv"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"spvsim/account"
	"spvsim/config"
	"spvsim/internal/suite"
)

// numbered sets the integers of a structure to consecutive values, beginning with from.
func numbered(of any, from uint64) {
	v := reflect.ValueOf(of).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Uint64 {
			f.SetUint(from + uint64(i))
		}
	}
}

// Each count of the LDS, of a level and of a graph's queue is in a column of its name.
func TestEveryCountHasAColumn(t *testing.T) {
	var text strings.Builder
	r := &recorder{csv: csv.NewWriter(&text), levels: []string{"l1", "l2"}}
	w := &row{kind: "graph", counts: account.Counts{Memory: []account.LevelCounts{{Name: "l2"}}, Graph: &account.GraphCounts{}}}
	numbered(&w.counts.LDS, 100)
	numbered(&w.counts.Memory[0], 200)
	numbered(&w.counts.Graph.Queue, 300)
	m := &config.Machine{}
	m.ClockMHz = 1000
	d := &logicalDevice{physical: &physical{machine: m}}
	suite.OK(t, r.csv.Write(r.header()))
	suite.OK(t, r.write(d, &queue{}, w))
	lines, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	if err != nil || len(lines) != 2 {
		t.Fatalf("%d rows, %v", len(lines), err)
	}
	cells := map[string]string{}
	for i, name := range lines[0] {
		if _, twice := cells[name]; twice {
			t.Errorf("two columns are named %s", name)
		}
		cells[name] = lines[1][i]
	}
	for part, counts := range map[string]any{"lds": w.counts.LDS, "l1": account.LevelCounts{}, "l2": w.counts.Memory[0], "queue": w.counts.Graph.Queue} {
		for _, c := range account.ListCounts(counts) {
			if got := cells[part+"_"+c.Name]; got != strconv.FormatUint(c.Value, 10) {
				t.Errorf("column %s_%s has %q, want %d", part, c.Name, got, c.Value)
			}
		}
	}
}
