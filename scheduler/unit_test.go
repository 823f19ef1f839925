package scheduler

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"spvsim/internal/suite"
	"spvsim/internal/timing"
	"spvsim/mem/hierarchy"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/account"
	"spvsim/cu"
	"spvsim/engine"
	"spvsim/isa"
	"spvsim/lds"
	"spvsim/mem"
	"spvsim/program"
	"spvsim/scheduler/internal/testmachine"
	"spvsim/simd"
	"spvsim/tracing/probe"
)

// witness is memory that knows the launch of each wave slot.
type witness struct {
	testmachine.FixedMemory
	launches map[int]*cu.KernelLaunch
	wrong    int
}

func (m *witness) BindSlot(slot int, l *cu.KernelLaunch) { m.launches[slot] = l }

func (m *witness) Access(now uint64, w *simd.Wave, in *isa.Inst, slot int) *timing.Response {
	if l := m.launches[slot]; l == nil || l.Code != w.Program() {
		m.wrong++
	}
	return m.FixedMemory.Access(now, w, in, slot)
}

// Memory is told the launch of a wave before its first access, by a slot that no other resident wave has.
func TestMemoryGetsLaunchOfWave(t *testing.T) {
	m := newMachine()
	m.Shape.SIMDs = 2
	w := &witness{testmachine.FixedMemory{FixedTiming: testmachine.FixedTiming{Latency: 50, Busy: 4}}, map[int]*cu.KernelLaunch{}, 0}
	m.Memory = w
	newRig(t, m).run(t, assemble(64*20, load(3)), 3, simd.Never).check(t, m)
	if len(w.launches) != 20 || w.wrong != 0 {
		t.Errorf("%d slots were used, %d accesses came without their launch", len(w.launches), w.wrong)
	}
}

// What a launch allocates does not grow with its workgroups: messages, groups and registers are used again.
func TestWorkgroupsAllocateNothing(t *testing.T) {
	p := assemble(128, load(3), ldsLoad(4, 1), barrier, add(5, 4, 3))
	measure := func(groups uint64) float64 {
		return testing.AllocsPerRun(3, func() { newRig(t, newMachine()).run(t, p, groups, simd.Never) })
	}
	if few, many := measure(20), measure(220); many > few+20 {
		t.Errorf("%v allocations for 20 workgroups, %v for 220", few, many)
	}
}

// demote makes helpers of a wave's lanes.
var demote = isa.Inst{Op: isa.Demote}

// Stores and atomics of helpers do nothing, but take their unit for a cycle; loads are carried out.
func TestHelpersWriteNothing(t *testing.T) {
	scratch := store(3)
	mem := *scratch.Mem
	mem.Space = isa.SpaceScratch
	scratch.Mem = &mem
	for _, c := range []struct {
		name     string
		inst     isa.Inst
		accesses int
	}{{"load", load(3), 2}, {"store", store(3), 0}, {"store to scratch", scratch, 2}} {
		m := newMachine()
		m.Shape.SIMDs = 2
		m.Timing.Classes[isa.ClassScratch.String()] = simd.Class{Unit: "vmem", Issue: 1, Busy: 1, Latency: 1}
		counting := &countingMemory{}
		m.Memory = counting
		r := newRig(t, m)
		o := r.run(t, assemble(128, demote, c.inst, mark), 1, simd.Never)
		o.check(t, m)
		if counting.n != c.accesses {
			t.Errorf("%s: %d accesses, want %d", c.name, counting.n, c.accesses)
		}
		// Two waves on two SIMDs: the second comes to the unit that both share a cycle later.
		if diff := cmp.Diff([]uint64{3, 4}, r.Prints); c.accesses == 0 && diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// countingMemory answers at once.
type countingMemory struct {
	testmachine.FixedMemory
	n     int
	masks []uint64
}

func (m *countingMemory) Access(now uint64, w *simd.Wave, _ *isa.Inst, _ int) *timing.Response {
	m.n++
	m.masks = append(m.masks, w.State.Exec)
	return &timing.Response{ReadyAt: now, UnitFreeAt: now}
}

// Of lanes some of which are helpers, the others write; the mask is as before after it.
func TestOtherLanesWrite(t *testing.T) {
	m := newMachine()
	counting := &countingMemory{}
	m.Memory = counting
	split := isa.Inst{Op: isa.MaskSplit, Dst: isa.S(2), Src: [4]isa.Reg{isa.Lit(0xff)}}
	join := isa.Inst{Op: isa.MaskJoin, Src: [4]isa.Reg{isa.S(2)}}
	newRig(t, m).run(t, assemble(64, split, demote, join, store(3), load(4)), 1, simd.Never).check(t, m)
	if diff := cmp.Diff([]uint64{^uint64(0xff), ^uint64(0)}, counting.masks); diff != "" {
		t.Errorf("lanes of the store and of the load (-want +got):\n%s", diff)
	}
}

// slowLines is memory behind real ports: each access asks for lines, and is answered later.
type slowLines struct {
	hierarchy.Model
	engine   *engine.Engine
	complete hierarchy.CompletionFunc
}

func (*slowLines) LineBytes() (vector, scalar int) { return 64, 64 }
func (*slowLines) WordBytes() int                  { return 4 }

func (m *slowLines) OnComplete(_ int, f hierarchy.CompletionFunc) { m.complete = f }

func (m *slowLines) Access(now uint64, r *hierarchy.Request) *timing.Response {
	token, at := r.Token, now+40
	m.engine.Schedule(&testmachine.Event{Cycle: at, Engine: m.engine, Action: func(uint64) { m.complete(token, at) }})
	return &timing.Response{UnitFreeAt: now + 1, Completion: timing.ByCallback, Token: r.Token}
}

// A diary is what a tracer heard, a line each.
type diary struct {
	probe.NopTracer
	lines []string
}

func (d *diary) note(what ...any) {
	d.lines = append(d.lines, strings.TrimSpace(fmt.Sprintln(what...)))
}

func (d *diary) WorkgroupBegin(g *probe.Workgroup) {
	d.note("group", g.At, g.Unit, g.Index, g.ID, g.Name)
}

func (d *diary) WorkgroupEnd(at uint64, unit int, index uint64) {
	d.note("group ends", at, unit, index)
}

func (d *diary) Memory(a *probe.Access) {
	ready := "known"
	if a.Ready == probe.Unknown {
		ready = "unknown"
	}
	d.note("memory", a.WaveSlotID, a.PC, a.Op, a.At, ready, a.ID, len(a.Lines), a.Level)
	for _, l := range a.Lines {
		d.note("line", l.Addr%4096, l.Bytes)
	}
}

func (d *diary) LDS(a *probe.Access) {
	d.note("lds", a.WaveSlotID, a.PC, a.Op, a.At, a.Ready, a.Passes, a.Conflicts)
}

func (d *diary) AccessDone(at uint64, unit int, id uint64) { d.note("done", at, unit, id) }

// realPorts gives the machine the ports of package mem before a hierarchy.
func realPorts(t *testing.T, m *machine, h hierarchy.Model) *cu.KernelLaunch {
	t.Helper()
	return portsOf(t, m, h, &hierarchy.Spec{VectorMemory: hierarchy.VectorMemorySpec{LanesPerCycle: 64, LinesPerCycle: 64, MaxOutstanding: 64, AtomicCycles: 1},
		VectorL1: hierarchy.CacheSpec{BytesPerCycle: 1024, Slices: 1}})
}

// portsOf is realPorts of a spec.
func portsOf(t *testing.T, m *machine, h hierarchy.Model, spec *hierarchy.Spec) *cu.KernelLaunch {
	t.Helper()
	s := mem.NewStore(0)
	b := suite.Must(s.Alloc(4096, "buffer"))(t)
	m.Memory = cu.NewMemory(mem.NewPorts(s, h, spec, &m.Shape)[0], 0, m.Shape.UnitSlots())
	bindings := &mem.Bindings{}
	bindings.Bind(mem.DescriptorOf(b))
	return &cu.KernelLaunch{Bindings: bindings}
}

// Observers receive workgroups, accesses with their lines, and of their ends.
func TestComputeUnitTracing(t *testing.T) {
	m := newMachine()
	h := &slowLines{}
	launch := realPorts(t, m, h)
	m.LDS = func(e *engine.Engine, name string) cu.LDS {
		return lds.NewComponent(e, name, &m.Unit.LDS, m.Unit.Issue.Cadence)
	}
	r := newRig(t, m)
	h.engine = r.Engine
	d := &diary{}
	r.Array.Trace(d, []string{"near", "far"})
	if r.Array.Tracer() != probe.Tracer(d) {
		t.Error("who listens is not known")
	}
	lane := isa.Inst{Op: isa.LaneID, T: isa.I32, Dst: isa.V(1)}
	scale := isa.Inst{Op: isa.Shl, T: isa.I32, Dst: isa.V(1), Src: [4]isa.Reg{isa.V(1), isa.Lit(3)}, Class: isa.ClassVALU32}
	prog := assemble(64, lane, scale, load(3), add(4, 3, 3), ldsLoad(5, 1), add(6, 5, 5), store(6))
	prog.LDSBytes = 1024
	launch.NumWorkgroups = [3]uint32{1, 1, 1}
	r.launch(t, prog, launch)
	suite.OK(t, r.Engine.Run())
	want := []string{
		"group 0 0 0 [0 0 0] main",
		"memory {0 0 0} 2 load 11 unknown 1 8",
		"line 0 32", "line 64 32", "line 128 32", "line 192 32", "line 256 32", "line 320 32", "line 384 32", "line 448 32",
		"done 51 0 1",
		"lds {0 0 0} 4 load 102 104 4 2",
		"memory {0 0 0} 6 store 129 unknown 2 8",
		"line 0 32", "line 64 32", "line 128 32", "line 192 32", "line 256 32", "line 320 32", "line 384 32", "line 448 32",
		"done 169 0 2",
		"group ends 219 0 0",
	}
	if diff := cmp.Diff(want, d.lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The farthest level that an access reached is told where it is known at once.
func TestMemoryLevelTracing(t *testing.T) {
	m := newMachine()
	spec := &hierarchy.Spec{
		VectorMemory: hierarchy.VectorMemorySpec{LanesPerCycle: 64, LinesPerCycle: 64, MaxOutstanding: 64, AtomicCycles: 1},
		VectorL1:     hierarchy.CacheSpec{Bytes: 1024, LineBytes: 64, Ways: 2, Slices: 1, SharedBy: 1, LatencyCycles: 10, BytesPerCycle: 64, Write: hierarchy.WriteThrough},
		ScalarL1:     hierarchy.CacheSpec{Bytes: 1024, LineBytes: 64, Ways: 2, Slices: 1, SharedBy: 1, LatencyCycles: 10, BytesPerCycle: 64, Write: hierarchy.ReadOnly},
		Memory:       hierarchy.MemorySpec{Model: "fast", Bytes: 1 << 20, Channels: 1, InterleaveBytes: 256, BytesPerCycle: 16, LatencyCycles: 100},
	}
	h := hierarchy.NewAnalytic(spec, &m.Shape)
	launch := realPorts(t, m, h)
	r := newRig(t, m)
	d := &diary{}
	var levels []string
	for _, c := range h.Counters() {
		levels = append(levels, c.Level)
	}
	r.Array.Trace(d, levels)
	launch.NumWorkgroups = [3]uint32{1, 1, 1}
	r.launch(t, assemble(64, load(3), add(4, 3, 3), load(5)), launch)
	suite.OK(t, r.Engine.Run())
	var got []string
	for _, line := range d.lines {
		if strings.HasPrefix(line, "memory") {
			got = append(got, line[strings.LastIndex(line, " ")+1:])
		}
	}
	if want := []string{levels[len(levels)-1], levels[0]}; !slices.Equal(got, want) {
		t.Errorf("the first access went to %v, of %v; want %v", got, levels, want)
	}
}

// launch starts a launch of a program without waiting for its end.
func (r *rig) launch(t *testing.T, prog *program.Program, l *cu.KernelLaunch) {
	t.Helper()
	var err error
	if l.Code, err = simd.NewCode(prog, r.m.Rules(), 0); err != nil {
		t.Fatal(err)
	}
	if l.Resources, err = cu.NewResources(prog, r.m.Limits()); err != nil {
		t.Fatal(err)
	}
	r.Array.BeginPeriod(0)
	r.dispatcher.Launch(0, l, false)
}

// An instruction cache counts, keeps the lines used last in each set, and shows as a component where fetch takes time.
func TestInstructionCache(t *testing.T) {
	m := newMachine()
	m.Unit.Fetch = simd.FetchSpec{Enabled: true, Bytes: 256, LineBytes: 64, Ways: 2, InstructionBytes: 64, HitCycles: 3, MissCycles: 30}
	r := newRig(t, m)
	o := r.run(t, assemble(128, independent(5)...), 1, simd.Never)
	o.check(t, m)
	caches := r.Array.InstructionCaches()
	if len(caches) != 1 {
		t.Fatalf("%d instruction caches, want 1", len(caches))
	}
	// Six lines, one for each instruction and the end: each is there when the second wave comes to it.
	if got := caches[0].(engine.CountingComponent).Activity().Reservations; got != 12 {
		t.Errorf("%d lines were entered, want 6 by each of two waves", got)
	}
	for _, name := range []string{"Hits", "Misses"} { // which a monitor shows
		if got := reflect.ValueOf(caches[0]).Elem().FieldByName(name).Uint(); got != 6 {
			t.Errorf("%s: %d, want 6", name, got)
		}
	}
	if got, want := o.slots[account.Fetch], uint64(6*(30+3)); got != want {
		t.Errorf("%d cycles waited for fetch, want %d", got, want)
	}
	m.Unit.Fetch.Enabled = false
	if got := newRig(t, m).Array.InstructionCaches(); len(got) != 0 {
		t.Errorf("%d instruction caches where fetch takes no time", len(got))
	}
}

// Payloads are nothing that a kernel has.
func TestPayloadsOutsideOfAGraph(t *testing.T) {
	o := newRig(t, newMachine()).run(t, assemble(64, isa.Inst{Op: isa.PayloadAlloc, T: isa.I64, Dst: isa.S(2), Src: [4]isa.Reg{isa.Lit(1), isa.Lit(0)}}), 1, simd.Never)
	if !errors.Is(o.err, cu.ErrNoGraph) {
		t.Errorf("error %v, want %v", o.err, cu.ErrNoGraph)
	}
}

// An access keeps its unit from the compute unit's other SIMDs as long as it takes of the unit's bandwidth, and from its own
// SIMD's waves until it is through.
func TestAccessesKeepTheUnit(t *testing.T) {
	// In cycle 1 the first wave issues, then the marks of both; the second access is after the first by what that takes.
	gap := func(simds int, edit func(m *machine) *cu.KernelLaunch, inst isa.Inst) uint64 {
		m := newMachine()
		m.Shape.SIMDs = simds
		launch := edit(m)
		prog := assemble(128, inst, mark)
		prog.LDSBytes = 4096
		launch.NumWorkgroups = [3]uint32{1, 1, 1}
		r := newRig(t, m)
		r.launch(t, prog, launch)
		suite.OK(t, r.Engine.Run())
		return r.Prints[1] - r.Prints[0]
	}
	banks := func(m *machine) *cu.KernelLaunch {
		m.LDS = func(e *engine.Engine, name string) cu.LDS {
			return lds.NewComponent(e, name, &m.Unit.LDS, m.Unit.Issue.Cadence)
		}
		return &cu.KernelLaunch{Bindings: &mem.Bindings{}}
	}
	// 64 lanes of one bank each are busy for 8 cycles, 4 of the unit's bandwidth.
	for simds, want := range map[int]uint64{1: 8, 2: 4} {
		if got := gap(simds, banks, ldsStore(3, 1)); got != want {
			t.Errorf("LDS, %d SIMDs: %d cycles apart, want %d", simds, got, want)
		}
	}
	path := func(m *machine) *cu.KernelLaunch {
		spec := &hierarchy.Spec{VectorMemory: hierarchy.VectorMemorySpec{LanesPerCycle: 8, LinesPerCycle: 64}, VectorL1: hierarchy.CacheSpec{BytesPerCycle: 1024, Slices: 1}}
		return portsOf(t, m, &instantLines{}, spec)
	}
	for _, simds := range []int{1, 2} {
		if got := gap(simds, path, load(3)); got != 64/8 {
			t.Errorf("memory, %d SIMDs: %d cycles apart, want 8", simds, got)
		}
	}
}

// instantLines is memory that answers at once.
type instantLines struct{ hierarchy.Model }

func (*instantLines) LineBytes() (vector, scalar int) { return 64, 64 }
func (*instantLines) WordBytes() int                  { return 4 }

func (*instantLines) OnComplete(int, hierarchy.CompletionFunc) {}

func (*instantLines) Access(now uint64, r *hierarchy.Request) *timing.Response {
	return &timing.Response{ReadyAt: now, UnitFreeAt: now + r.Busy}
}

// Workgroup memory is zero when a workgroup comes, whoever had the bytes before.
func TestLDSZeroedForWorkgroup(t *testing.T) {
	m := newMachine()
	m.LDS = func(e *engine.Engine, name string) cu.LDS {
		return lds.NewComponent(e, name, &m.Unit.LDS, m.Unit.Issue.Cadence)
	}
	seven := isa.Inst{Op: isa.Mov, T: isa.I32, Dst: isa.V(4), Src: [4]isa.Reg{isa.Lit(7)}}
	prog := assemble(64, ldsLoad(3, 1), mark, seven, ldsStore(4, 1), ldsLoad(5, 1), mark)
	prog.LDSBytes = uint32(m.Unit.LDS.MaxWorkgroupBytes)
	r := newRig(t, m)
	var got [][2]uint32
	r.OnPrint = func(w *simd.Wave) { got = append(got, [2]uint32{w.State.V[3*64], w.State.V[5*64]}) }
	r.run(t, prog, 3, simd.Never).check(t, m)
	if want := [][2]uint32{{0, 0}, {0, 7}, {0, 0}, {0, 7}, {0, 0}, {0, 7}}; !slices.Equal(got, want) {
		t.Errorf("before and after their stores, workgroups find %v, want %v", got, want)
	}
}

// The clock that shaders read is the machine's, in cycles and in nanoseconds.
func TestClocks(t *testing.T) {
	for _, c := range []struct {
		op   isa.Op
		mhz  int
		want uint64 // what passes between reads 1000 cycles apart
	}{{isa.Clock, 500, 1000}, {isa.Realtime, 500, 2000}, {isa.Realtime, 1000, 1000}, {isa.Realtime, 2000, 500}} {
		m := newMachine()
		m.Shape.ClockMHz = c.mhz
		m.Timing.Classes[isa.ClassClock.String()] = simd.Class{Unit: "salu", Issue: 1, Busy: 1, Latency: 1}
		read := func(dst int) isa.Inst { return isa.Inst{Op: c.op, T: isa.I64, Uniform: true, Dst: isa.S(dst)} }
		list := append([]isa.Inst{read(2)}, independent(999)...)
		list = append(list, read(4), isa.Inst{Op: isa.ISub, T: isa.I64, Uniform: true, Dst: isa.S(6), Src: [4]isa.Reg{isa.S(4), isa.S(2)}}, mark)
		r := newRig(t, m)
		var got uint64
		r.OnPrint = func(w *simd.Wave) { got = w.State.S[6] }
		r.run(t, assemble(64, list...), 1, simd.Never)
		if got != c.want {
			t.Errorf("%v at %d MHz: %d between reads 1000 cycles apart, want %d", c.op, c.mhz, got, c.want)
		}
	}
}

// A branch of no class costs nothing and goes where it says, when it is taken.
func TestFreeBranches(t *testing.T) {
	branch := func(op isa.Op, target int32) isa.Inst {
		return isa.Inst{Op: op, Target: target, Src: [4]isa.Reg{isa.S(1)}, Class: isa.ClassNone}
	}
	for _, c := range []struct {
		name string
		list []isa.Inst
		want []uint64
	}{
		{"always", []isa.Inst{mark, branch(isa.Branch, 3), mark, mark}, []uint64{1, 2}},
		{"never", []isa.Inst{mark, branch(isa.BranchTrue, 3), mark, mark}, []uint64{1, 2, 3}},
		{"when zero", []isa.Inst{mark, branch(isa.BranchFalse, 3), mark, mark}, []uint64{1, 2}},
	} {
		m := newMachine()
		r := newRig(t, m)
		p := assemble(64, c.list...)
		for i := range p.Insts {
			if p.Insts[i].Op != isa.DebugPrint && p.Insts[i].Op != isa.End {
				p.Insts[i].Class = isa.ClassNone
			}
		}
		o := r.run(t, p, 1, simd.Never)
		o.check(t, m)
		if diff := cmp.Diff(c.want, r.Prints); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
