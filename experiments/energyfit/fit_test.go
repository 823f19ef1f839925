package energyfit

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"spvsim/account"
	"spvsim/config"
	"spvsim/energy"
	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/tracing"
)

// machineName is the machine of made-up measurements.
const machineName = "gcn3-r9nano"

// jobCounts are the counts of made-up jobs, each with its own mixture of instructions, traffic and idle time.
func jobCounts(job int) *tracing.Stats {
	r := rand.New(rand.NewPCG(uint64(job), 7))
	of := func(most float64) uint64 { return uint64(most * r.Float64() * r.Float64()) }
	c := account.Counts{Cycles: 1_000_000, WorkCycles: of(1_000_000), UnitCycles: of(64_000_000), Workgroups: of(10_000), Waves: of(40_000)}
	for _, class := range []isa.Class{isa.ClassVALU32, isa.ClassFMA32, isa.ClassSALU, isa.ClassTrans} {
		c.ByClass[class] = of(20_000_000)
		c.Lanes.ByClass[class] = 64 * c.ByClass[class]
	}
	c.Lanes.Reads, c.Lanes.Writes = of(4e9), of(2e9)
	c.Memory = []account.LevelCounts{{Name: "l2", Accesses: of(4e6), Bytes: of(4e8)}, {Name: "memory", Bytes: of(4e8)}}
	return &tracing.Stats{ClockMHz: 1000, Counts: c, Steps: []account.StepCounts{{Name: "all", Counts: c}}}
}

// machines are those that were loaded, by their settings.
var machines sync.Map

// simulated returns the counts of a row's made-up job, whose name is a number.
func simulated(r *Row) (*config.Machine, *tracing.Stats, error) {
	settings := strings.Join(r.Changes(), " ")
	m, known := machines.Load(settings)
	if !known {
		loaded, err := config.LoadMachine(config.Request{Machine: machineName, Set: r.Changes()})
		if err != nil {
			return nil, nil, err
		}
		m, _ = machines.LoadOrStore(settings, loaded)
	}
	job, err := strconv.Atoi(r.Job)
	return m.(*config.Machine), jobCounts(job), err
}

// truth are entries and their values in the table that made-up measurements come from.
var truth = []struct {
	path  string
	value float64
}{{"energy.scale", 2.1}, {"energy.operations.fma32", 4.5}, {"energy.power.chip.leakage_watts", 20}, {"energy.memory.read_pj", 44}}

func truthKeys() (keys []string) {
	for _, e := range truth {
		keys = append(keys, e.path)
	}
	return keys
}

// measuredRows are the powers of some jobs with the table of truth, with a normal error of a share.
func measuredRows(t *testing.T, jobs int, share float64, seed uint64) (rows []Row) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 11))
	for job := range jobs {
		row := Row{Line: job + 2, Job: strconv.Itoa(job), Uncertainty: share, Watts: 1}
		for _, e := range truth {
			row.Settings = append(row.Settings, fmt.Sprintf("%s=%g", e.path, e.value))
		}
		m, s, err := simulated(&row)
		if err != nil {
			t.Fatal(err)
		}
		s.Energies = m.Energies()
		row.Watts = s.Energy().Total() / s.Energies.Seconds(s.Cycles) * (1 + share*r.NormFloat64())
		row.Settings = nil
		rows = append(rows, row)
	}
	return rows
}

func newFit(rows []Row, keys ...string) *Fit {
	return &Fit{Rows: rows, Base: machineName, Keys: keys, Simulate: simulated, Progress: func(string) {}}
}

// Measurements without an error give the table again, though the preset begins elsewhere.
func TestFindsTheTable(t *testing.T) {
	f := newFit(measuredRows(t, 12, 1e-4, 0), truthKeys()...)
	for i := range f.Rows {
		f.Rows[i].Watts = measuredRows(t, 12, 0, 0)[i].Watts
	}
	suite.OK(t, f.Run())
	for i := range f.entries {
		if e := &f.entries[i]; math.Abs(e.is-truth[i].value) > 1e-6*truth[i].value || e.was == truth[i].value {
			t.Errorf("%s: found %g from %g, want %g", e.Path, e.is, e.was, truth[i].value)
		}
	}
	if mean, rows := f.meanError(func(p *point) float64 { return p.without }); mean > 1e-4 || rows != 12 {
		t.Errorf("left out: %g %% of %d rows", mean, rows)
	}
}

// Of the intervals at measurements with an error, about 95 % have the true value, as many as they say: of 400, 4 standard deviations are 4 %.
func TestIntervalsHaveTheTruth(t *testing.T) {
	inside, all := 0, 0
	for seed := range uint64(100) {
		f := newFit(measuredRows(t, 12, 0.02, seed), truthKeys()...)
		suite.OK(t, f.search())
		for i := range f.entries {
			all++
			if low, high, ok := f.entries[i].interval(); ok && low <= truth[i].value && truth[i].value <= high {
				inside++
			}
		}
	}
	if share := float64(inside) / float64(all); share < 0.91 || share > 0.99 {
		t.Errorf("%d of %d intervals have the true value, want 95 %%", inside, all)
	}
}

// What rows do not tell is refused by name, or left as it is: two numbers that only have effect as a sum, one without effect, and more
// entries than rows.
func TestUndeterminedEntries(t *testing.T) {
	rows := measuredRows(t, 12, 0.01, 1)
	for _, c := range []struct {
		rows  []Row
		keys  []string
		names []string // in the error
		fixed []string
	}{
		{rows, []string{"energy.scale", "energy.power.chip.leakage_watts", "energy.power.chip.clock_watts"},
			[]string{"energy.power.chip.leakage_watts, energy.power.chip.clock_watts"}, []string{"energy.power.chip.clock_watts"}},
		{rows, []string{"energy.operations.matrix_f16", "energy.scale"}, []string{"energy.operations.matrix_f16"}, []string{"energy.operations.matrix_f16"}},
		{rows[:1], []string{"energy.scale", "energy.power.chip.leakage_watts"}, []string{"energy.scale, energy.power.chip.leakage_watts"}, []string{"energy.power.chip.leakage_watts"}},
	} {
		err := newFit(c.rows, c.keys...).Run()
		for _, name := range c.names {
			if !errors.Is(err, ErrUndetermined) || !strings.Contains(err.Error(), name) {
				t.Errorf("%v: %v, want %s refused", c.keys, err, name)
			}
		}
		f := newFit(c.rows, c.keys...)
		f.Fix = true
		suite.OK(t, f.Run())
		for i, name := range c.fixed {
			if len(f.fixed) != len(c.fixed) || !strings.HasPrefix(f.fixed[i], name+" stays ") {
				t.Errorf("%v: fixed %q, want %s", c.keys, f.fixed, name)
			}
		}
	}
	f := newFit(rows, "energy.operations.matrix_*")
	f.Fix = true
	if err := f.Run(); !errors.Is(err, ErrUndetermined) {
		t.Errorf("nothing to find: %v", err)
	}
}

// A range is a bound: the entry stays at its end, and has no interval.
func TestEntryAtTheEndOfItsRange(t *testing.T) {
	f := newFit(measuredRows(t, 12, 0.01, 2), "energy.scale", "energy.operations.fma32=1..3.5", "energy.power.chip.leakage_watts", "energy.memory.read_pj")
	suite.OK(t, f.Run())
	if e := &f.entries[1]; e.is != 3.5 || !math.IsNaN(e.half) || math.IsNaN(f.entries[0].half) {
		t.Errorf("found %g with half an interval of %g, want 3.5 without", e.is, e.half)
	}
}

// A job that is left out has the value of a search without its rows.
func TestLeftOutAsWithoutTheRows(t *testing.T) {
	rows := measuredRows(t, 12, 0.03, 3)
	f := newFit(rows, truthKeys()...)
	suite.OK(t, f.Run())
	others := newFit(slices.Concat(rows[:5], rows[6:]), truthKeys()...)
	suite.OK(t, others.Run())
	want := f.points[5].value(others.entries, others.values(func(e *entry) float64 { return e.is }))
	if got := f.points[5].without; math.Abs(got-want) > 1e-6*want || math.Abs(got-f.points[5].after) < 1e-6*want {
		t.Errorf("left out %g W, a search without the row has %g, with it %g", got, want, f.points[5].after)
	}
}

// At twice the time, the energy of events is half the power, and that of time the same.
func TestMeasuredTime(t *testing.T) {
	row := Row{Line: 2, Job: "0", Watts: 1}
	m, s, err := simulated(&row)
	if err != nil {
		t.Fatal(err)
	}
	s.Energies = m.Energies()
	e, seconds := s.Energy(), s.Energies.Seconds(s.Cycles)
	row.Seconds = 2 * seconds
	p := point{Row: &row, machine: m, stats: *s}
	lost := 1 / m.Energy.Supply
	constant := energy.Sum(e.Joules[energy.Units:energy.Supply])
	if got, want := p.value(nil, nil), (e.Dynamic()/2+constant)/seconds*lost; math.Abs(got-want) > 1e-6*want {
		t.Errorf("%g W, want %g", got, want)
	}
}

func TestRowsThatAreRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "found no line of names of columns"},
		{"job,watts\n", "found no row"},
		{"job,wats\na,1\n", "wats: unknown column (nearest: watts)"},
		{"job\na\n", "want job, and watts or joules"},
		{"job,watts,watts\na,1,1\n", "found the column twice"},
		{"job,watts\na,zero\n", ":2: watts: found \"zero\": want a number above 0"},
		{"job,watts\na,-1\n", "found \"-1\""},
		{"job,watts\na,NaN\n", "found \"NaN\""},
		{"job,watts,joules\na,1,1\n", "found watts and joules"},
		{"job,watts\na,\n", "found neither watts nor joules"},
		{"job,watts\n,1\n", ":2: job: missing"},
		{"job,watts,step\na,1,one\n", "found a power of a step"},
		{"job,watts,settings\na,1,lds.banks\n", "settings: found \"lds.banks\": want name=value"},
		{"job,watts,core_mhz\na,1,0.5\n", "core_mhz: found \"0.5\": want 1 to 100000"},
		{"job,watts,uncertainty\na,1,5\n", "uncertainty: found 5: want a share"},
		{"job,watts\na,1,2\n", "wrong number of fields"},
	} {
		if _, err := Read("m.csv", strings.NewReader(c.text)); !errors.Is(err, ErrRows) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

func TestKeysThatAreRefused(t *testing.T) {
	rows := measuredRows(t, 2, 0.01, 4)
	for _, c := range []struct {
		keys []string
		want string
	}{
		{nil, "--key: missing"},
		{[]string{"energy.scal"}, "nearest: energy.scale"},
		{[]string{"energy.links.unit_pj", "energy.links.*"}, "found twice"},
		{[]string{"energy.scale=3"}, "want LOW..HIGH"},
		{[]string{"energy.scale=5..3"}, "want LOW..HIGH"},
		{[]string{"energy.scale=3..4"}, "want a range with it"},
	} {
		if err := newFit(rows, c.keys...).Run(); !errors.Is(err, ErrEntry) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.keys, err, c.want)
		}
	}
	rows[1].Settings = []string{"energy.scale=2"}
	if err := newFit(rows, "energy.scale").Run(); !errors.Is(err, ErrRow) || !strings.Contains(err.Error(), "line 3: 1: ") {
		t.Errorf("a row that sets what is to be found: %v", err)
	}
}

// Rows that are read obey their schema, and the schema has the columns of spvsim measure.
func TestRowsObeyTheirSchema(t *testing.T) {
	const text = "job,parameters,settings,step,core_mhz,memory_mhz,watts,measured_us,uncertainty,note\n" +
		"saxpy,n=4096,dispatcher.kernel_launch_cycles=0,,2500,1250,200,12.5,0.02,steady\n"
	rows := suite.Must(Read("m.csv", strings.NewReader(text)))(t)
	r := &rows[0]
	if len(rows) != 1 || r.Watts != 200 || r.Seconds != 12.5e-6 || r.Uncertainty != 0.02 || r.label() != "saxpy n=4096 core=2500 memory=1250" ||
		!slices.Equal(r.Changes(), []string{"dispatcher.kernel_launch_cycles=0", "clock_mhz=2500", "memory.clock_mhz=1250"}) {
		t.Errorf("read %+v", rows)
	}
	lines := suite.Must(csv.NewReader(strings.NewReader(text)).ReadAll())(t)
	o := map[string]any{}
	for i, name := range lines[0] {
		if x, err := strconv.ParseFloat(lines[1][i], 64); err == nil {
			o[name] = x
		} else if lines[1][i] != "" {
			o[name] = lines[1][i]
		}
	}
	suite.Obeys(t, "rows", suite.Schema(t, Schema), suite.Must(json.Marshal([]any{o}))(t))
	page := string(suite.Must(os.ReadFile("../../docs/guide/measure.md"))(t))
	for _, c := range rowColumns {
		if line := fmt.Sprintf("| `%s` | %s | %s |\n", c.name, c.unit, c.meaning); !strings.Contains(page, line) {
			t.Errorf("docs/guide/measure.md has no line\n%s", line)
		}
	}
}
