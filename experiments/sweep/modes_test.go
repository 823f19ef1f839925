package sweep

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"spvsim/internal/suite"
)

// If some points were not fully timed, rows have the mode, the interval of the cycles and the timed share; a functional
// run has no interval.
func TestRowsCarryModes(t *testing.T) {
	cells := [][]Cell{{{"n", int64(1)}}, {{"n", int64(2)}}, {{"n", int64(3)}}, {{"n", int64(4)}}}
	p, store := finished(t, "columns: {cycles: cycles, salu: instructions.by_class.salu}\n", cells, []string{
		`{"cycles": 100, "instructions": {"by_class": {"salu": 3}}}`,
		`{"mode": "functional", "timed_share": 0, "instructions": {"by_class": {"salu": 3}}}`,
		`{"mode": "sampled", "cycles": 101, "timed_share": 0.125, "estimate": {"cycles": 80, "low": 95, "high": 107, "confidence": 0.95}, "instructions": {"by_class": {"salu": 3}}}`, ""})
	rows := suite.Must(p.Rows(store))(t)
	var got bytes.Buffer
	suite.OK(t, rows.WriteCSV(&got))
	want := `point,n,status,cycles,salu,mode,timed_share,cycles_low,cycles_high,confidence,error,inputs,version
0,1,done,100,3,timed,1,100,100,,,inputs0,v1
1,2,done,,3,functional,0,,,,,inputs1,v1
2,3,done,101,3,sampled,0.125,95,107,0.95,,inputs2,v1
3,4,failed,,,,,,,,it fails,inputs3,v1
`
	if got.String() != want {
		t.Errorf("found\n%swant\n%s", got.String(), want)
	}
	if u := rows.column("cycles_low").Unit; u != "cycles" {
		t.Errorf("unit of cycles_low: %q", u)
	}
}

// An experiment's own column named mode is kept.
func TestModeAxisKeepsItsColumn(t *testing.T) {
	p, store := finished(t, "columns: {cycles: cycles}\n", [][]Cell{{{"mode", "sampled"}}}, []string{`{"mode": "sampled", "cycles": 5}`})
	rows, err := p.Rows(store)
	if err != nil || len(rows.Columns) == 0 || rows.column("mode").Role != Parameter {
		t.Errorf("%v", err)
	}
}

// A sweep of sampled runs over an axis of the machine has the ratio to the axis' first value among points of equal other parameters, with its interval.
func TestRowsCarryRatios(t *testing.T) {
	cells := [][]Cell{}
	for _, n := range []int64{1, 2} {
		for _, l := range []int64{100, 200} {
			cells = append(cells, []Cell{{"n", n}, {"latency", l}})
		}
	}
	sampled := func(cycles, high int) string {
		return fmt.Sprintf(`{"mode": "sampled", "cycles": %d, "timed_share": 0.1, "estimate": {"low": 1, "high": %d, "confidence": 0.95}}`, cycles, high)
	}
	p, store := finished(t, "columns: {cycles: cycles}\naxes:\n  n: {path: parameters.groups, values: [1, 2]}\n  latency: {path: machine.memory.latency_cycles, values: [100, 200]}\n", cells,
		[]string{sampled(1000, 1040), sampled(2000, 2060), sampled(10, 10), `{"cycles": 30}`})
	rows := suite.Must(p.Rows(store))(t)
	if rows.column("n_ratio") != nil {
		t.Error("a parameter of the job has ratios")
	}
	half := math.Sqrt(0.125) * math.Hypot(0.03, 0.04)
	for name, want := range map[string][]float64{"latency_ratio": {1, 2, 1, 3}, "latency_ratio_low": {1, 2 * math.Exp(-half), 1, 3}, "latency_ratio_high": {1, 2 * math.Exp(half), 1, 3}} {
		c := rows.column(name)
		if c == nil {
			t.Fatalf("no column %s", name)
		}
		for i, w := range want {
			if got, ok := c.Values[i].(float64); !ok || math.Abs(got-w) > 1e-6 {
				t.Errorf("%s of row %d is %v, want %g", name, i, c.Values[i], w)
			}
		}
	}
}
