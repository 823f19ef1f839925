package energy

import (
	"math"
	"reflect"
	"testing"

	"spvsim/account"
	"spvsim/internal/spec"
	"spvsim/isa"
)

// oneEach returns a table in which each event has another prime number of picojoules, at a scale of 1 and without loss.
func oneEach() *Table {
	t := noTable()
	t.Issue = IssueEnergy{2, 3}
	t.Registers = RegistersEnergy{5, 7}
	t.Operations.FMA32, t.Operations.SALU, t.Operations.MatrixF16, t.Operations.Atomic = 11, 13, 17, 19
	t.LDS = LDSEnergy{23, 29}
	t.L2 = CacheEnergy{31, 37, "engine"}
	t.Links.Engine, t.Links.Chip, t.Links.Host = 41, 43, 71
	t.Memory = MemoryEnergy{Activate: 47, ActivateBytes: 10, Read: 53, Write: 59, Link: "chip"}
	t.Dispatch = DispatchEnergy{61, 67}
	return &t
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b)) }

// Each count is multiplied by its energies, and by no other.
func TestEveryEventHasItsEnergy(t *testing.T) {
	m := New(oneEach(), Plant{ClockMHz: 1000, Units: 1, Engines: 1})
	for _, c := range []struct {
		name string
		of   account.Counts
		part Part
		want float64 // pJ
	}{
		{"issue", account.Counts{ByClass: classes(isa.ClassFMA32, 10)}, Fetch, 50},
		{"lanes", account.Counts{Lanes: account.LaneCounts{ByClass: classes(isa.ClassFMA32, 10)}}, Vector, 110},
		{"scalar", account.Counts{ByClass: classes(isa.ClassSALU, 10), Lanes: account.LaneCounts{ByClass: classes(isa.ClassSALU, 640)}}, Scalar, 130},
		{"matrix", account.Counts{Lanes: account.LaneCounts{ByClass: classes(isa.ClassMatrixF16, 10)}}, Matrix, 170},
		{"registers", account.Counts{Lanes: account.LaneCounts{Reads: 3, Writes: 2}}, Registers, 29},
		{"updates", account.Counts{Lanes: account.LaneCounts{Updates: 3}}, Vector, 57},
		{"lds", account.Counts{Lanes: account.LaneCounts{Local: 2}, LDS: account.LDSCounts{Passes: 3}}, LDS, 127},
		{"l2", account.Counts{Memory: []account.LevelCounts{{Name: "l2", Accesses: 2, Bytes: 3}}}, L2, 173},
		{"link", account.Counts{Memory: []account.LevelCounts{{Name: "l2", Accesses: 2, Bytes: 3}}}, Links, 123},
		{"memory", account.Counts{Memory: []account.LevelCounts{{Name: "memory", Bytes: 30, Written: 10}}}, Memory, 3*47 + 20*53 + 10*59},
		{"rows", account.Counts{Memory: []account.LevelCounts{{Name: "memory", Bytes: 30, Misses: 5}}}, Memory, 5*47 + 30*53},
		{"copies to the device", account.Counts{ToDevice: 20}, Memory, 2*47 + 20*59},
		{"copies from the device", account.Counts{FromDevice: 20}, Memory, 2*47 + 20*53},
		{"the host's link", account.Counts{ToDevice: 2, FromDevice: 3}, Links, 5*71 + 5*43},
		{"transfers", account.Counts{Transferred: 20}, Memory, 2*47 + 10*53 + 10*59},
		{"dispatch", account.Counts{Workgroups: 2, Waves: 3}, Dispatch, 122 + 201},
	} {
		if got := m.Compute(&c.of).Joules[c.part] / pico; !near(got, c.want) {
			t.Errorf("%s: %g pJ of %v, want %g", c.name, got, c.part, c.want)
		}
	}
}

func classes(c isa.Class, n uint64) (by [isa.NumClasses]uint64) {
	by[c] = n
	return by
}

// An idle part consumes what its gating leaves; regulators lose their share of the total.
func TestConstantPower(t *testing.T) {
	table := noTable()
	table.Supply = 0.5
	table.Power.Unit = PartPower{Leakage: 1, Clock: 2, Gated: 0.1}
	table.Power.Engine = PartPower{Leakage: 3, Clock: 4, Gated: 0.2}
	table.Power.Board = 5
	m := New(&table, Plant{ClockMHz: 1, Units: 4, Engines: 2}) // a cycle is a microsecond
	e := m.Compute(&account.Counts{Cycles: 1e6, On: account.OnCycles{Units: 1e6, Engines: 1e6}})
	units, engines := 3*(1+3*0.1), 7*(1+1*0.2)
	for part, want := range map[Part]float64{Units: units, Engines: engines, Board: 5, Supply: units + engines + 5} {
		if !near(e.Joules[part], want) {
			t.Errorf("%v: %g J, want %g", part, e.Joules[part], want)
		}
	}
	if got := m.Watts(e.Total(), 1e6); !near(got, e.Total()) || !near(e.Constant()+e.Joules[Supply], e.Total()) || e.Dynamic() != 0 {
		t.Errorf("%g W, %g J, of that %g constant", got, e.Total(), e.Constant())
	}
}

// An entry of a queue costs more in a deeper queue, and with more ports.
func TestQueueByDepthAndPorts(t *testing.T) {
	table := noTable()
	table.Queue.Entry, table.Queue.DepthPower, table.Queue.Port = 10, 0.5, 0.25
	c := &account.Counts{Graph: &account.GraphCounts{Queue: account.QueueCounts{Enqueued: 6}}}
	for _, q := range []struct {
		kind         string
		depth, ports int
		want         float64
	}{{"hardware", 1024, 1, 60}, {"hardware", 4096, 1, 120}, {"hardware", 1024, 5, 120}, {"firmware", 1024, 1, 0}, {"persistent", 1024, 1, 0}} {
		m := New(&table, Plant{ClockMHz: 1, Queue: q.kind, Queues: 1, Depth: q.depth, Ports: q.ports})
		if got := m.Compute(c).Joules[Queue] / pico; !near(got, q.want) {
			t.Errorf("%+v: %g pJ", q, got)
		}
	}
}

// A launch from lists costs the front end what one costs a core with firmware, and records move as entries do.
func TestLaunchesOfACore(t *testing.T) {
	table := noTable()
	table.Queue.Core, table.Queue.Launch = 50, 7
	c := &account.Counts{Graph: &account.GraphCounts{Nodes: []account.NodeCounts{{Payloads: 3}, {Payloads: 4}}}}
	for kind, want := range map[string]float64{"lists": 7 * 50, "generated": 7 * 50, "firmware": 7 * 50, "hardware": 7 * 7, "multipass": 0, "persistent": 0} {
		m := New(&table, Plant{ClockMHz: 1, Queue: kind, Queues: 1, Depth: 1024, Ports: 1})
		if got := m.Compute(c).Joules[Queue] / pico; !near(got, want) {
			t.Errorf("%s: %g pJ, want %g", kind, got, want)
		}
	}
}

// Every class that instructions are counted by has its key, and every key a class.
func TestEveryClassHasItsKey(t *testing.T) {
	known := map[string]bool{"atomic": true} // no class
	for c, name := range isa.ClassNames {
		known[name] = isa.Class(c) != isa.ClassNone && isa.Class(c) != isa.ClassBranchTaken
	}
	for _, f := range spec.Fields(reflect.TypeFor[OperationsEnergy]()) {
		if !known[f.Name] {
			t.Errorf("operations.%s is of no class", f.Name)
		}
		delete(known, f.Name)
	}
	for name, missing := range known {
		if missing {
			t.Errorf("class %s has no key in operations", name)
		}
	}
}

// Estimated counts are the whole's, so that energies are as those of counts that were timed, and the half-width is the estimate's own.
func TestEstimatesHaveTheirOwnHalf(t *testing.T) {
	table := noTable()
	table.L2.Access, table.Power.Board = 10, 1
	m := New(&table, Plant{ClockMHz: 1})
	c := &account.Counts{Cycles: 4e6, ByClass: classes(isa.ClassVMEM, 400), Memory: []account.LevelCounts{{Name: "l2", Accesses: 7}},
		Functional: &account.FunctionalCounts{ByClass: classes(isa.ClassVMEM, 300)}, Estimate: &account.Estimate{Cycles: 3e6, Half: 3e5, JoulesHalf: 0.25}}
	e := m.Compute(c)
	if got := e.Joules[L2] / pico; !near(got, 70) {
		t.Errorf("%g pJ, want those of 7 accesses", got)
	}
	if e.Half != 0.25 {
		t.Errorf("half of the interval is %g J, want 0.25", e.Half)
	}
}
