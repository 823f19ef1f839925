package scheduler

import (
	"fmt"
	"spvsim/internal/timing"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sarchlab/akita/v3/sim"

	"spvsim/account"
	"spvsim/cu"
	"spvsim/engine"
	"spvsim/isa"
	"spvsim/lds"
	"spvsim/scheduler/internal/testmachine"
	"spvsim/simd"
)

func exp2(dst, a int) isa.Inst {
	return isa.Inst{Op: isa.Exp2, T: isa.F32, Dst: isa.V(dst), Src: [4]isa.Reg{isa.V(a)}, Class: isa.ClassTrans}
}

func sadd(dst, a, b int) isa.Inst {
	return isa.Inst{Op: isa.IAdd, T: isa.I32, Uniform: true, Dst: isa.S(dst), Src: [4]isa.Reg{isa.S(a), isa.S(b)}}
}

func load(dst int) isa.Inst {
	return isa.Inst{Op: isa.Load, T: isa.I32, Mem: &isa.Mem{Access: isa.Access{Elem: isa.I32, Count: 1}, Index: isa.V(1), Dsts: [4]isa.Reg{isa.V(dst)}}}
}

func store(src int) isa.Inst {
	return isa.Inst{Op: isa.Store, T: isa.I32, Mem: &isa.Mem{Access: isa.Access{Elem: isa.I32, Count: 1}, Index: isa.V(1), Data: [4]isa.Reg{isa.V(src)}}}
}

func ldsLoad(dst, count int) isa.Inst {
	m := &isa.Mem{Access: isa.Access{Space: isa.SpaceLDS, Elem: isa.I32, Count: uint8(count)}, Index: isa.V(1)}
	for i := range count {
		m.Dsts[i] = isa.V(dst + i)
	}
	return isa.Inst{Op: isa.Load, T: isa.I32, Mem: m}
}

func ldsStore(src, count int) isa.Inst {
	m := &isa.Mem{Access: isa.Access{Space: isa.SpaceLDS, Elem: isa.I32, Count: uint8(count)}, Index: isa.V(1)}
	for i := range count {
		m.Data[i] = isa.V(src + i)
	}
	return isa.Inst{Op: isa.Store, T: isa.I32, Mem: m}
}

var (
	barrier = isa.Inst{Op: isa.Barrier}
	fence   = isa.Inst{Op: isa.MemoryBarrier}
)

// repeat is list n times.
func repeat(n int, list ...isa.Inst) (out []isa.Inst) {
	for range n {
		out = append(out, list...)
	}
	return out
}

// The first instruction of a launch issues in cycle 1, and End takes one cycle
// after the last: both are in the closed forms below.
const around = 2

func TestChainTakesLatency(t *testing.T) {
	for _, k := range []int{1, 2, 10, 100} {
		m := newMachine()
		o := newRig(t, m).run(t, assemble(64, chain(k)...), 1, simd.Never)
		o.check(t, m)
		if want := uint64(around + 5*(k-1) + 1); o.cycles != want {
			t.Errorf("%d dependent additions take %d cycles, want %d", k, o.cycles, want)
		}
	}
}

func TestIndependentBoundByPort(t *testing.T) {
	const k = 200
	for waves := 1; waves <= 10; waves++ {
		m := newMachine()
		o := newRig(t, m).run(t, assemble(uint32(64*waves), independent(k)...), 1, simd.Never)
		o.check(t, m)
		if want := uint64(1 + waves*(k+1)); o.cycles != want {
			t.Errorf("%d waves of %d additions take %d cycles, want %d", waves, k, o.cycles, want)
		}
	}
}

// Chains of several waves fill the latency until the port is taken in every cycle.
func TestWavesHideLatency(t *testing.T) {
	const k = 100
	for waves := 1; waves <= 8; waves++ {
		m := newMachine()
		m.Unit.Issue.Policy = "round-robin"
		o := newRig(t, m).run(t, assemble(uint32(64*waves), chain(k)...), 1, simd.Never)
		o.check(t, m)
		want := uint64((k - 1) * max(5, waves))
		if o.cycles < want || o.cycles > want+uint64(2*waves+5) {
			t.Errorf("%d waves of %d dependent additions take %d cycles, want %d and little more", waves, k, o.cycles, want)
		}
	}
}

func TestUnitBusyLongerThanPort(t *testing.T) {
	const k = 50
	m := newMachine()
	var list []isa.Inst
	for i := range k {
		list = append(list, exp2(4+i%16, 1))
	}
	o := newRig(t, m).run(t, assemble(64, list...), 1, simd.Never)
	o.check(t, m)
	if want := uint64(around + 4*(k-1) + 1); o.cycles != want {
		t.Errorf("%d transcendentals take %d cycles, want %d: 4 each", k, o.cycles, want)
	}
	// Three additions fit beside each.
	list = nil
	for i := range k {
		r := 8 + i%2*3
		list = append(list, exp2(4+i%4, 1), add(r, 1, 2), add(r+1, 1, 2), add(r+2, 1, 2))
	}
	o = newRig(t, m).run(t, assemble(64, list...), 1, simd.Never)
	o.check(t, m)
	if want := uint64(around + 4*k); o.cycles != want {
		t.Errorf("with additions between: %d cycles, want %d", o.cycles, want)
	}
}

// A wave of twice the lanes takes two passes through a vector unit, one through the scalar unit.
func TestWaveOfTwoPasses(t *testing.T) {
	const k = 40
	scalar := repeat(k, sadd(1, 1, 2))
	for _, c := range []struct {
		name string
		list []isa.Inst
		want uint64
	}{
		{"independent", independent(k), around + 2*k},
		{"dependent", chain(k), around + 5*(k-1) + 2},
		{"scalar", scalar, around + 2*(k-1) + 1},
	} {
		m := newMachine()
		m.Shape.SIMDWidth, m.Shape.WaveSize = 32, 32
		o := newRig(t, m).run(t, assemble(64, c.list...), 1, simd.Never)
		o.check(t, m)
		if o.cycles != c.want {
			t.Errorf("%s: %d cycles, want %d", c.name, o.cycles, c.want)
		}
	}
}

func TestWave32RunsAtOnePass(t *testing.T) {
	const k = 40
	m := newMachine()
	m.Shape.SIMDWidth, m.Shape.WaveSize = 32, 32
	o := newRig(t, m).run(t, assembleFor(32, 32, independent(k)...), 1, simd.Never)
	o.check(t, m)
	if want := uint64(around + k); o.cycles != want {
		t.Errorf("%d cycles, want %d", o.cycles, want)
	}
}

// gcn makes the machine issue as GCN does: four SIMDs in turn, a port for each unit.
func gcn() *machine {
	m := newMachine()
	m.Shape.SIMDs = 4
	m.Unit.Issue.Cadence, m.Unit.Issue.PerCategory, m.Unit.Issue.Width = 4, true, 5
	for name, c := range m.Timing.Classes {
		c.Issue, c.Busy, c.Latency = 4, 4, 4
		m.Timing.Classes[name] = c
	}
	return m
}

func TestCadenceOfFour(t *testing.T) {
	const k = 30
	for waves := 1; waves <= 4; waves++ {
		m := gcn()
		o := newRig(t, m).run(t, assemble(uint32(64*waves), chain(k)...), 1, simd.Never)
		o.check(t, m)
		// Wave i is on SIMD i, which has its turns in cycles i mod 4. End takes a turn too.
		// SIMD 0 is the last to start, in cycle 4.
		if want := uint64(4 + 4*k + 4); o.cycles != want {
			t.Errorf("%d waves: %d cycles, want %d", waves, o.cycles, want)
		}
	}
}

// Waves of one SIMD issue to different units in the same turn, but not to the same unit.
func TestCategoriesIssueTogether(t *testing.T) {
	const k = 64
	vector, scalar := chain(k), repeat(k, sadd(1, 1, 2))
	for _, c := range []struct {
		name  string
		code  []isa.Inst
		turns uint64
	}{
		{"one unit", vector, 2*k + 1}, // the End of the first wave is on another unit
		{"two units", append(append([]isa.Inst(nil), vector...), scalar...), 0},
	} {
		m := gcn()
		m.Shape.SIMDs = 1
		o := newRig(t, m).run(t, assemble(128, c.code...), 1, simd.Never)
		o.check(t, m)
		if c.turns > 0 && o.cycles != 4*c.turns+4 {
			t.Errorf("%s: %d cycles, want %d", c.name, o.cycles, 4*c.turns+4)
		}
		// The second wave does its vector half while the first does its scalar half.
		if c.turns == 0 && (o.cycles < 4*3*k || o.cycles > 4*3*k+16) {
			t.Errorf("%s: %d cycles, want little over %d", c.name, o.cycles, 4*3*k)
		}
	}
}

func TestBranches(t *testing.T) {
	const trips = 20
	list := []isa.Inst{
		{Op: isa.Mov, T: isa.I32, Uniform: true, Dst: isa.S(1), Src: [4]isa.Reg{isa.Lit(trips)}},
		{Op: isa.ISub, T: isa.I32, Uniform: true, Dst: isa.S(1), Src: [4]isa.Reg{isa.S(1), isa.Lit(1)}},
		{Op: isa.INe, T: isa.I32, Uniform: true, Dst: isa.S(2), Src: [4]isa.Reg{isa.S(1), isa.Lit(0)}},
		{Op: isa.BranchTrue, Src: [4]isa.Reg{isa.S(2)}, Target: 1},
	}
	m := newMachine()
	o := newRig(t, m).run(t, assemble(64, list...), 1, simd.Never)
	o.check(t, m)
	// A trip: two scalar steps of latency 2, then the branch: 8 when taken, 1 when not.
	if want := uint64(1 + 2 + trips*4 + (trips-1)*8 + 1 + 1); o.cycles != want {
		t.Errorf("%d trips take %d cycles, want %d", trips, o.cycles, want)
	}
	if got := o.code.Counts[3].Issues; got != trips {
		t.Errorf("the branch issued %d times, want %d", got, trips)
	}
	if got, want := o.slots[account.Fetch], uint64((trips-1)*7); got != want {
		t.Errorf("%d cycles waited for the target of branches, want %d", got, want)
	}
}

func TestMemoryLatencyAndReasons(t *testing.T) {
	m := newMachine()
	o := newRig(t, m).run(t, assemble(64, load(3), add(4, 3, 3), ldsLoad(5, 1), add(6, 5, 5)), 1, simd.Never)
	o.check(t, m)
	// 50 cycles of the class and 50 of memory; 20 of the LDS.
	if want := uint64(1 + 100 + 1 + 20 + 1 + 1); o.cycles != want {
		t.Errorf("%d cycles, want %d", o.cycles, want)
	}
	if o.slots[account.Memory] != 99 || o.slots[account.LDS] != 19 {
		t.Errorf("waited %d cycles for memory and %d for the LDS, want 99 and 19", o.slots[account.Memory], o.slots[account.LDS])
	}
	if c := o.code.Counts[1].Cycles; c[account.Memory] != 99 || c[account.Issued] != 1 {
		t.Errorf("the addition after the load has %v", c)
	}
}

// A memory barrier waits for stores, and so does the end of a wave, which takes a cycle more.
func TestMemoryBarrierWaitsForStores(t *testing.T) {
	m := newMachine()
	with := newRig(t, m).run(t, assemble(64, store(3), fence, add(4, 3, 3)), 1, simd.Never)
	with.check(t, m)
	if want := uint64(1 + 100 + 3); with.cycles != want {
		t.Errorf("with a barrier: %d cycles, want %d", with.cycles, want)
	}
	without := newRig(t, m).run(t, assemble(64, store(3), add(4, 3, 3)), 1, simd.Never)
	without.check(t, m)
	if want := uint64(1 + 100 + 1); without.cycles != want {
		t.Errorf("without: %d cycles, want %d", without.cycles, want)
	}
}

func TestAccessesInFlight(t *testing.T) {
	for _, most := range []int{1, 2, 4} {
		m := newMachine()
		m.MaxOutstanding = most
		o := newRig(t, m).run(t, assemble(64, repeat(8, store(3))...), 1, simd.Never)
		o.check(t, m)
		// The port takes 4 cycles an access; the n-th waits for the one `most` before it.
		rounds := 8 / most
		want := uint64(1 + 100*rounds + 4*(most-1) + 1)
		if o.cycles != want {
			t.Errorf("%d in flight: %d cycles, want %d", most, o.cycles, want)
		}
	}
}

func TestBarrierWaitsForTheLastWave(t *testing.T) {
	for _, latency := range []int{0, 1, 16} {
		m := newMachine()
		m.Unit.BarrierCycles = latency
		const waves = 4
		o := newRig(t, m).run(t, assemble(64*waves, append(independent(10), barrier, add(4, 1, 2))...), 1, simd.Never)
		o.check(t, m)
		// All additions and barriers go through one port; the last barrier issues
		// in cycle 44. Then each wave has an addition and End.
		want := uint64(waves*11 + max(latency, 1) + 2*waves)
		if o.cycles != want {
			t.Errorf("latency %d: %d cycles, want %d", latency, o.cycles, want)
		}
		at := o.code.Counts[10].Cycles[account.Barrier]
		if waited := o.slots[account.Barrier]; waited == 0 || at != waited {
			t.Errorf("latency %d: %d cycles waited at the barrier, %d of them charged to it", latency, waited, at)
		}
	}
}

// A wave that has ended counts as arrived.
func TestBarrierAfterOneWaveEnded(t *testing.T) {
	// Wave 0 jumps over the barrier.
	list := []isa.Inst{
		{Op: isa.SubgroupID, T: isa.I32, Uniform: true, Dst: isa.S(1)},
		{Op: isa.IEq, T: isa.I32, Uniform: true, Dst: isa.S(2), Src: [4]isa.Reg{isa.S(1), isa.Lit(0)}},
		{Op: isa.BranchTrue, Src: [4]isa.Reg{isa.S(2)}, Target: 4},
		barrier,
	}
	m := newMachine()
	o := newRig(t, m).run(t, assemble(128, list...), 1, simd.Never)
	o.check(t, m)
	if got := o.code.Counts[3].Issues; got != 1 {
		t.Errorf("%d waves came to the barrier, want 1", got)
	}
}

// The marks of two waves tell which of them issued when.
func TestPoliciesDiffer(t *testing.T) {
	const k = 20
	want := map[string][]uint64{
		"oldest":      {k + 1, 2*k + 3},   // the first wave runs to its end first
		"greedy":      {k + 1, 2*k + 3},   // it never has to wait, so neither gives way
		"round-robin": {2*k + 1, 2*k + 2}, // they take turns
	}
	for policy := range simd.Policies {
		marks := want[policy]
		m := newMachine()
		m.Unit.Issue.Policy = policy
		r := newRig(t, m)
		o := r.run(t, assemble(128, append(independent(k), mark)...), 1, simd.Never)
		o.check(t, m)
		if diff := cmp.Diff(marks, r.Prints); diff != "" {
			t.Errorf("%s: marks (-want +got):\n%s", policy, diff)
		}
	}
}

// Where waves do have to wait, greedy stays with the wave it went over to and oldest goes back.
func TestGreedyPolicyKeepsWave(t *testing.T) {
	list := append(independent(10), add(1, 1, 2), add(1, 1, 2))
	list = append(list, independent(20)...)
	marks := map[string]uint64{}
	for _, policy := range []string{"oldest", "greedy"} {
		m := newMachine()
		m.Unit.Issue.Policy = policy
		r := newRig(t, m)
		o := r.run(t, assemble(128, append(list, mark)...), 1, simd.Never)
		o.check(t, m)
		marks[policy] = r.Prints[0]
	}
	if marks["oldest"] >= marks["greedy"] {
		t.Errorf("the first wave marks cycle %d under oldest, %d under greedy: want it earlier under oldest", marks["oldest"], marks["greedy"])
	}
}

// LDS accesses of one wave, one after the other, take the published issue cycles.
func TestLDSCheckPoints(t *testing.T) {
	for _, c := range []struct {
		name string
		inst func(reg, count int) isa.Inst
		want [5]uint64 // by count
	}{
		{"read", ldsLoad, [5]uint64{1: 4, 2: 8, 4: 16}},
		{"write", ldsStore, [5]uint64{1: 8, 2: 12, 4: 20}},
	} {
		for _, count := range []int{1, 2, 4} {
			if gap := ldsGap(t, c.inst, count); gap != c.want[count] {
				t.Errorf("%s of %d dwords: one each %d cycles, want %d", c.name, count, gap, c.want[count])
			}
		}
	}
}

// ldsGap is the time between two accesses of a wave that do not depend on one another.
func ldsGap(t *testing.T, inst func(reg, count int) isa.Inst, count int) uint64 {
	t.Helper()
	marks := func(k int) uint64 {
		m := newMachine()
		m.LDS = func(e *engine.Engine, name string) cu.LDS {
			return lds.NewComponent(e, name, &m.Unit.LDS, m.Unit.Issue.Cadence)
		}
		list := []isa.Inst{{Op: isa.LaneID, T: isa.I32, Dst: isa.V(1)},
			{Op: isa.IMul, T: isa.I32, Dst: isa.V(1), Src: [4]isa.Reg{isa.V(1), isa.Lit(uint64(4 * count))}, Class: isa.ClassVALU32}}
		for i := range k {
			list = append(list, inst(4+i*4, count))
		}
		p := assemble(64, append(list, mark)...)
		p.LDSBytes = 4096
		r := newRig(t, m)
		r.run(t, p, 1, simd.Never)
		return r.Prints[0]
	}
	return marks(4) - marks(3)
}

// never is memory that keeps every access pending and completes none.
type never struct{ testmachine.FixedMemory }

func (*never) Access(now uint64, w *simd.Wave, _ *isa.Inst, _ int) *timing.Response {
	w.Ticket()
	return &timing.Response{UnitFreeAt: now + 1, Completion: timing.ByCallback}
}

func TestDeadlockDetected(t *testing.T) {
	m := newMachine()
	m.Memory = &never{}
	r := newRig(t, m)
	o := r.run(t, assemble(64, load(3), add(4, 3, 3)), 1, simd.Never)
	if o.err == nil || !strings.Contains(o.err.Error(), "deadlock") {
		t.Fatalf("error %v, want a deadlock", o.err)
	}
	w := r.Array.Units[0].SIMDs[0].Waves()[0]
	pc, _ := w.CurrentInst()
	if pc != 1 || w.WaitsFor() != account.Memory || w.Ready() < cu.Never {
		t.Errorf("the wave is at %d, waits for %v until %d", pc, w.WaitsFor(), w.Ready())
	}
}

// later is memory whose accesses complete by events of their own.
type later struct {
	testmachine.FixedMemory
	rig   *rig
	delay uint64
}

type completion struct {
	*sim.EventBase
	cycle  uint64
	ticket simd.Ticket
}

func (l *later) Access(now uint64, w *simd.Wave, _ *isa.Inst, _ int) *timing.Response {
	cycle := now + l.delay
	l.rig.Engine.Schedule(&completion{sim.NewEventBase(l.rig.Engine.Seconds(cycle), l), cycle, w.Ticket()})
	return &timing.Response{UnitFreeAt: now + 4, Completion: timing.ByCallback}
}

func (l *later) Handle(e sim.Event) error {
	c := e.(*completion)
	c.ticket.Complete(c.cycle, c.cycle)
	return l.rig.Array.Units[0].Handle(nil) // which plans the next turn
}

// Memory that answers later costs the same as memory that knows its answer at once.
func TestPendingAccesses(t *testing.T) {
	programs := map[string][]isa.Inst{
		"load":   {load(3), add(4, 3, 3), load(5), load(6), add(7, 5, 6)},
		"fence":  {store(3), store(4), fence, add(4, 3, 3)},
		"flight": repeat(6, store(3)),
		"loads":  append(repeat(5, load(3)), add(4, 3, 3)),
	}
	for name, list := range programs {
		for _, waves := range []uint32{1, 3} {
			m := newMachine()
			m.MaxOutstanding = 2
			list := append(append([]isa.Inst(nil), list...), fence)
			want := newRig(t, m).run(t, assemble(64*waves, list...), 1, simd.Never)
			want.check(t, m)
			l := &later{delay: 50}
			m.Memory = l
			r := newRig(t, m)
			l.rig = r
			got := r.run(t, assemble(64*waves, list...), 1, simd.Never)
			got.check(t, m)
			if got.cycles != want.cycles || got.slots != want.slots {
				t.Errorf("%s, %d waves: %d cycles %v, want %d %v", name, waves, got.cycles, got.slots, want.cycles, want.slots)
			}
		}
	}
}

func TestCycleLimit(t *testing.T) {
	m := newMachine()
	forever := []isa.Inst{{Op: isa.Branch, Target: 0}}
	r := newRig(t, m)
	o := r.run(t, assemble(64, forever...), 1, 1000)
	if o.err == nil || !strings.Contains(o.err.Error(), "limit") {
		t.Errorf("error %v, want the limit", o.err)
	}
}

// An instruction cache that holds the loop misses once a line, a smaller one in every trip.
func TestFetch(t *testing.T) {
	const lines, trips = 8, 10
	run := func(bytes int) outcome {
		m := newMachine()
		m.Unit.Fetch = simd.FetchSpec{Enabled: true, Bytes: bytes, LineBytes: 64, Ways: 2, InstructionBytes: 8, MissCycles: 30}
		list := append([]isa.Inst{{Op: isa.Mov, T: isa.I32, Uniform: true, Dst: isa.S(1), Src: [4]isa.Reg{isa.Lit(trips)}}},
			independent(8*lines-5)...)
		list = append(list,
			isa.Inst{Op: isa.ISub, T: isa.I32, Uniform: true, Dst: isa.S(1), Src: [4]isa.Reg{isa.S(1), isa.Lit(1)}},
			isa.Inst{Op: isa.INe, T: isa.I32, Uniform: true, Dst: isa.S(2), Src: [4]isa.Reg{isa.S(1), isa.Lit(0)}},
			isa.Inst{Op: isa.BranchTrue, Src: [4]isa.Reg{isa.S(2)}, Target: 1})
		o := newRig(t, m).run(t, assemble(64, list...), 1, simd.Never)
		o.check(t, m)
		return o
	}
	large, small := run(64*lines), run(64*lines/2)
	if got, want := small.cycles-large.cycles, uint64(30*lines*(trips-1)); got > want || got < want/2 {
		t.Errorf("the small cache costs %d cycles more, want at most %d and at least half of that", got, want)
	}
	if large.slots[account.Fetch] < 30*(lines-1) {
		t.Errorf("%d cycles waited for fetch, want at least a miss for each of %d lines", large.slots[account.Fetch], lines)
	}
}

func TestSameRunTwice(t *testing.T) {
	run := func() string {
		m := gcn()
		m.disp.WorkgroupsPerCycle, m.disp.LaunchLatency = 0.3, 7
		m.Shape.ShaderEngines, m.Shape.ComputeUnits = 2, 3
		list := append(independent(20), load(3), add(4, 3, 3), barrier, ldsLoad(5, 1), add(6, 5, 5), store(6))
		o := newRig(t, m).run(t, assemble(256, list...), 100, simd.Never)
		o.check(t, m)
		return fmt.Sprint(o.cycles, o.slots, o.code.Counts)
	}
	if first, again := run(), run(); again != first {
		t.Errorf("two runs differ:\n%s\n%s", first, again)
	}
}

// What a run allocates does not grow with the instructions it issues.
func TestIssueAllocatesNothing(t *testing.T) {
	loop := func(trips uint64) []isa.Inst {
		list := append([]isa.Inst{{Op: isa.Mov, T: isa.I32, Uniform: true, Dst: isa.S(1), Src: [4]isa.Reg{isa.Lit(trips)}}},
			add(3, 1, 2), load(4), add(5, 4, 3), ldsLoad(6, 1), add(7, 6, 5), store(7), barrier,
			isa.Inst{Op: isa.ISub, T: isa.I32, Uniform: true, Dst: isa.S(1), Src: [4]isa.Reg{isa.S(1), isa.Lit(1)}},
			isa.Inst{Op: isa.INe, T: isa.I32, Uniform: true, Dst: isa.S(2), Src: [4]isa.Reg{isa.S(1), isa.Lit(0)}},
			isa.Inst{Op: isa.BranchTrue, Src: [4]isa.Reg{isa.S(2)}, Target: 1})
		return list
	}
	measure := func(trips uint64) float64 {
		p := assemble(256, loop(trips)...)
		return testing.AllocsPerRun(3, func() { newRig(t, newMachine()).run(t, p, 4, simd.Never) })
	}
	few, many := measure(5), measure(200)
	if many > few+8 {
		t.Errorf("%v allocations with 5 trips, %v with 200", few, many)
	}
}

func BenchmarkIssue(b *testing.B) {
	m := gcn()
	p := assemble(256, independent(1000)...)
	b.ReportAllocs()
	var issued uint64
	for b.Loop() {
		newRig(b, m).run(b, p, 10, simd.Never)
		issued += 40 * 1001
	}
	b.ReportMetric(float64(issued)/b.Elapsed().Seconds()/1e3, "kinst/s")
}
