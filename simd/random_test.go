package simd

import (
	"fmt"
	"math/rand"
	randv2 "math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/account"
	"spvsim/internal/spec"
	"spvsim/internal/suite"
	"spvsim/internal/timing"
	"spvsim/isa"
	"spvsim/program"
	"spvsim/tracing/probe"
)

// courseUnit is the number of the compute unit in the machine.
const courseUnit = 7

// A course is a machine with programs and waves, all drawn from one seed.
type course struct {
	seed        int64
	shape       spec.Shape
	issue       IssueSpec
	timing      Timing
	fetch       FetchSpec
	base        int // address of the programs, bytes
	index       int // of the SIMD in its unit
	outstanding int
	barrier     uint64 // cycles from the last arrival
	programs    []*program.Program
	waves       []birth
	groups      []*Workgroup
}

// A birth is a wave that is to start.
type birth struct {
	group, program            int
	placedBefore, startsAfter uint64
	lanes                     int // of the wave's node; 0: none
}

// An answer is what the surroundings say to an access: cycles are counted from its issue.
type answer struct {
	after, free, own  uint64
	passes, conflicts int
	pending, holds    bool
	later, done       uint64 // the cycle in which the end is told, and how long after that it is
}

// answer is the same for the n-th access of a wave whoever asks.
func (c *course) answer(wave, n int) answer {
	r := randv2.NewPCG(uint64(c.seed), uint64(wave)<<32|uint64(n))
	below := func(n uint64) uint64 { return r.Uint64() >> 8 % n }
	a := answer{after: below(12), free: below(6), own: below(9), passes: int(below(4)), conflicts: int(below(3))}
	if below(2) == 0 {
		a.pending, a.later, a.done, a.holds = true, 1+below(15), below(3), below(2) == 0
	}
	return a
}

// ready is when the result of an access that issues now is there.
func (a *answer) ready(now uint64, c *Class, why account.Reason) when {
	if a.pending {
		return when{max(now+a.later+a.done+uint64(c.Latency), now+uint64(c.Issue)), why, now + a.later}
	}
	return when{cycle: max(now+a.after+uint64(c.Latency), now+uint64(c.Issue)), why: why}
}

func (c *course) fetchDelay(line int) uint64 { return uint64(line*7+int(c.seed)) % 11 }

// state is that of a wave before its first instruction.
func (c *course) state(wave int, v []uint32, s []uint64) isa.State {
	b := c.waves[wave]
	size := c.programs[b.program].LocalSize
	st := isa.State{Lanes: c.shape.WaveSize, Full: laneMask(c.shape.WaveSize), V: v, S: s,
		WaveInGroup: uint32(wave), ClockMask: 1<<c.shape.ClockBits - 1}
	for l := range c.shape.WaveSize {
		invocation := wave*c.shape.WaveSize + l
		if b.lanes > 0 && l < b.lanes || b.lanes == 0 && (l == 0 || invocation < int(size[0]*size[1]*size[2])) {
			st.Exec |= 1 << l
		}
	}
	for i := range st.Tmp {
		st.Tmp[i] = make([]uint32, 2*c.shape.WaveSize)
	}
	return st
}

func newCourse(seed int64) *course {
	r := rand.New(rand.NewSource(seed))
	c := &course{seed: seed,
		shape: spec.Shape{ClockMHz: 1 + r.Intn(3000), ClockBits: 3 + r.Intn(20), WaveSize: 32, SIMDWidth: []int{16, 32}[r.Intn(2)], WaveSlots: 2 + r.Intn(4)},
		issue: IssueSpec{Cadence: 1 + r.Intn(4), Policy: []string{"oldest", "greedy", "round-robin"}[r.Intn(3)], PerCategory: r.Intn(2) == 0, Width: 1 + r.Intn(3)},
		fetch: FetchSpec{Enabled: r.Intn(2) == 0, LineBytes: 32, InstructionBytes: 8},
		base:  r.Intn(100), index: r.Intn(6), outstanding: 1 + r.Intn(3), barrier: 1 + uint64(r.Intn(9)),
		timing: Timing{Passes: 1, Classes: map[string]Class{}},
	}
	for _, row := range []struct {
		class isa.Class
		unit  string
	}{
		{isa.ClassVALU32, "valu"}, {isa.ClassTrans, "trans"}, {isa.ClassSALU, "salu"}, {isa.ClassBranch, "branch"},
		{isa.ClassBranchTaken, []string{"branch", "message"}[r.Intn(2)]}, {isa.ClassLDS, "lds"}, {isa.ClassVMEM, "vmem"}, {isa.ClassVMEMStore, "vmem"},
		{isa.ClassSMEM, "smem"}, {isa.ClassBarrier, "internal"}, {isa.ClassWaitcnt, "internal"}, {isa.ClassEnd, "internal"},
		{isa.ClassMessage, "message"}, {isa.ClassClock, "salu"},
	} {
		issue := 1 + r.Intn(3)
		busy := issue + r.Intn(3)
		c.timing.Classes[row.class.String()] = Class{Unit: row.unit, Issue: issue, Busy: busy, Latency: issue + r.Intn(9)}
	}
	for range 2 {
		c.programs = append(c.programs, randomProgram(r, 12+r.Intn(25)))
	}
	for g := range 2 + r.Intn(3) {
		c.groups = append(c.groups, &Workgroup{Index: uint64(100 + g), ID: [3]uint32{uint32(g), 1, 2}})
		for range 1 + r.Intn(3) {
			c.waves = append(c.waves, birth{g, g % 2, uint64(r.Intn(3)), uint64(r.Intn(5)), r.Intn(3) * r.Intn(16)})
		}
	}
	return c
}

// randomProgram has n instructions of all kinds, in a loop of a few trips.
func randomProgram(r *rand.Rand, n int) *program.Program {
	size := [3]uint32{uint32(1 + r.Intn(50)), uint32(1 + r.Intn(3)), uint32(1 + r.Intn(3))}
	p := &program.Program{Name: "random", WaveSize: 32, LocalSize: size, VectorRows: 8, ScalarWords: 8}
	p.Prologue = []isa.Inst{{Op: isa.MaskZero, Dst: isa.S(r.Intn(6))},
		{Op: isa.IAdd, T: isa.I32, Uniform: true, Dst: isa.S(r.Intn(6)), Src: [4]isa.Reg{isa.Lit(5), isa.Lit(uint64(r.Intn(99)))}}, {Op: isa.Nop}}
	for i := range p.Prologue {
		isa.Resolve(&p.Prologue[i])
	}
	for i := range n {
		p.Insts = append(p.Insts, randomInst(r, i, n))
	}
	counter := isa.S(7)
	p.Insts = append(p.Insts,
		isa.Inst{Op: isa.IAdd, T: isa.I32, Uniform: true, Dst: counter, Src: [4]isa.Reg{counter, isa.Lit(1)}},
		isa.Inst{Op: isa.ULt, T: isa.I32, Uniform: true, Dst: isa.S(6), Src: [4]isa.Reg{counter, isa.Lit(3)}},
		isa.Inst{Op: isa.BranchTrue, Src: [4]isa.Reg{isa.S(6)}, Target: int32(r.Intn(n))},
		isa.Inst{Op: isa.End})
	for i := range p.Insts {
		free := p.Insts[i].Class == isa.ClassEnd // represents none in randomInst
		p.Insts[i].Class = isa.ClassNone
		isa.Resolve(&p.Insts[i])
		p.Insts[i].SetDeps(p.VectorRows)
		if free {
			p.Insts[i].Class = isa.ClassNone
		}
	}
	return p
}

func randomInst(r *rand.Rand, i, n int) isa.Inst {
	v := func() isa.Reg { return isa.V(r.Intn(8)) }
	s := func() isa.Reg { return isa.S(r.Intn(6)) }
	memory := func(space isa.Space) *isa.Mem {
		return &isa.Mem{Access: isa.Access{Space: space, Elem: isa.I32, Count: 1}, Index: v()}
	}
	loads := func(m *isa.Mem, to isa.Reg) isa.Inst {
		m.Dsts[0] = to
		return isa.Inst{Op: isa.Load, T: isa.I32, Mem: m}
	}
	stores := func(m *isa.Mem) isa.Inst {
		m.Data[0] = v()
		return isa.Inst{Op: isa.Store, T: isa.I32, Mem: m}
	}
	kinds := []func() isa.Inst{
		func() isa.Inst { return isa.Inst{Op: isa.IAdd, T: isa.I32, Dst: v(), Src: [4]isa.Reg{v(), v()}} },
		func() isa.Inst { return isa.Inst{Op: isa.IAdd, T: isa.I32, Dst: v(), Src: [4]isa.Reg{s(), v()}} },
		func() isa.Inst { return isa.Inst{Op: isa.Exp2, T: isa.F32, Dst: v(), Src: [4]isa.Reg{v()}} },
		func() isa.Inst {
			return isa.Inst{Op: isa.IAdd, T: isa.I32, Uniform: true, Dst: s(), Src: [4]isa.Reg{s(), isa.Lit(uint64(r.Intn(9)))}}
		},
		func() isa.Inst { return isa.Inst{Op: isa.ULt, T: isa.I32, Dst: s(), Src: [4]isa.Reg{v(), v()}} },
		func() isa.Inst {
			return isa.Inst{Op: isa.IAdd, T: isa.I32, Class: isa.ClassEnd, Dst: v(), Src: [4]isa.Reg{v(), v()}}
		},
		func() isa.Inst { return isa.Inst{Op: isa.LaneID, T: isa.I32, Dst: v()} },
		func() isa.Inst { return isa.Inst{Op: isa.Clock, T: isa.I64, Uniform: true, Dst: s()} },
		func() isa.Inst { return isa.Inst{Op: isa.Realtime, T: isa.I64, Uniform: true, Dst: s()} },
		func() isa.Inst { return loads(memory(isa.SpaceBuffer), v()) },
		func() isa.Inst { return loads(memory(isa.SpaceBuffer), v()) },
		func() isa.Inst { return stores(memory(isa.SpaceBuffer)) },
		func() isa.Inst { return loads(memory(isa.SpaceLDS), v()) },
		func() isa.Inst { return stores(memory(isa.SpaceLDS)) },
		func() isa.Inst { m := memory(isa.SpaceBuffer); m.Scalar, m.Index = true, s(); return loads(m, s()) },
		func() isa.Inst { return isa.Inst{Op: isa.Barrier} },
		func() isa.Inst { return isa.Inst{Op: isa.MemoryBarrier} },
		func() isa.Inst { return isa.Inst{Op: isa.DebugPrint} },
		func() isa.Inst {
			return isa.Inst{Op: isa.PayloadAlloc, T: isa.I64, Dst: s(), Src: [4]isa.Reg{isa.Lit(1), isa.Lit(0)}}
		},
		func() isa.Inst { return isa.Inst{Op: isa.PayloadEnqueue, Src: [4]isa.Reg{s()}} },
		func() isa.Inst {
			return isa.Inst{Op: isa.MaskSplit, Dst: s(), Src: [4]isa.Reg{s()}, Imm: uint64(r.Intn(2))}
		},
		func() isa.Inst { return isa.Inst{Op: isa.MaskJoin, Src: [4]isa.Reg{s()}} },
		func() isa.Inst {
			ops := []isa.Op{isa.Branch, isa.BranchTrue, isa.BranchFalse, isa.BranchExecZ, isa.BranchExecNZ}
			in := isa.Inst{Op: ops[r.Intn(len(ops))], Target: int32(i + 1 + r.Intn(n-i))}
			if in.Op == isa.BranchTrue || in.Op == isa.BranchFalse {
				in.Src[0] = s()
			}
			if r.Intn(3) == 0 {
				in.Class = isa.ClassEnd
			}
			return in
		},
	}
	return kinds[r.Intn(len(kinds))]()
}

// A log is what happened, a line each; events of one cycle stand as they came.
type log struct {
	probe.NopTracer
	lines []string
}

func (l *log) add(what ...any) { l.lines = append(l.lines, fmt.Sprintln(what...)) }

func (l *log) WaveBegin(w *probe.Wave) { l.add("begin", w.WaveSlotID, w.At, w.Group, w.Wave) }

func (l *log) WaveEnd(at uint64, p probe.WaveSlotID) { l.add("end", p, at) }

func (l *log) Issue(i *probe.Issue) {
	l.add("issue", i.WaveSlotID, i.PC, i.Exec, i.Reason, i.From, i.Ready, i.At, i.End)
}

func (l *log) Waited(from, to uint64, p probe.WaveSlotID, _ account.Reason) {
	l.add("waited", p, from, to)
}

// A stand is the surroundings of the SIMD under test.
type stand struct {
	c        *course
	s        *SIMD
	asked    map[uint32]int
	pending  []told
	prints   int
	finished []uint64
}

// A told is a completion that is to come.
type told struct {
	at, done uint64
	ticket   Ticket
}

func (e *stand) access(now uint64, w *Wave, payload bool) timing.Response {
	n := w.State.WaveInGroup
	a := e.c.answer(int(n), e.asked[n])
	e.asked[n]++
	b := timing.Response{ReadyAt: now + a.after, UnitFreeAt: now + a.free, OwnUnitFreeAt: now + a.own, Passes: a.passes, ConflictPasses: a.conflicts}
	if a.pending {
		b.Completion = timing.ByCallback
		t := w.Ticket()
		if payload && a.holds {
			t, b.BlocksWave = t.BlocksWave(), true
		}
		e.pending = append(e.pending, told{now + a.later, now + a.later + a.done, t})
	}
	return b
}

func (e *stand) AccessMemory(now uint64, w *Wave, _ *isa.Inst) *timing.Response {
	b := e.access(now, w, false)
	return &b
}

func (e *stand) AccessLDS(now uint64, w *Wave, in *isa.Inst) *timing.Response {
	return e.AccessMemory(now, w, in)
}

func (e *stand) AccessPayloads(now uint64, w *Wave, _ *isa.Inst) timing.Response {
	return e.access(now, w, true)
}

func (e *stand) Print(uint64, *Wave, *isa.Inst) { e.prints++ }

func (e *stand) LoadAhead(*Wave, *isa.Inst) bool { return false }

func (e *stand) Fetch(_ uint64, line uint32) uint64 { return e.c.fetchDelay(int(line)) }

func (e *stand) ArriveAtBarrier(now uint64, w *Wave) {
	w.Workgroup.Arrived++
	e.release(now, w.Workgroup)
}

func (e *stand) release(now uint64, g *Workgroup) {
	if g.Arrived == 0 || g.Arrived < len(g.Waves) {
		return
	}
	g.Arrived = 0
	for _, w := range g.Waves {
		e.s.Release(now, w, now+e.c.barrier)
	}
}

func (e *stand) WaveEnded(now uint64, w *Wave) {
	e.finished = append(append(e.finished, uint64(w.State.WaveInGroup), w.LastMemory()), w.State.S...)
	w.Workgroup.Remove(w)
	e.release(now, w.Workgroup)
}

// start starts a wave of the course.
func (e *stand) start(now uint64, number int, codes []*Code) {
	b := e.c.waves[number]
	g := e.c.groups[b.group]
	w := e.s.Start(now, &Start{Code: codes[b.program], Workgroup: g, WaveInGroup: uint32(number),
		SlotTakenAt: now - b.placedBefore, FirstIssueAt: now + b.startsAfter, Node: Node{Lanes: b.lanes}})
	g.Waves = append(g.Waves, w)
}

// tell brings the completions of a cycle.
func (e *stand) tell(now uint64) {
	e.pending = slices.DeleteFunc(e.pending, func(t told) bool {
		if t.at == now {
			t.ticket.Complete(now, t.done)
		}
		return t.at == now
	})
}

// Random programs on random SIMDs come to every event, count and register of the reference. With a tracer each issue cycle is
// carried out in its time. Without one issue cycles are postponed and waves wait in two lists: counts and registers are the same.
func TestSIMDMatchesReference(t *testing.T) {
	for seed := range int64(300) {
		for _, traced := range []bool{true, false} {
			if !compareCourse(t, newCourse(seed), traced) {
				t.Fatalf("seed %d, traced: %t", seed, traced)
			}
		}
	}
}

func compareCourse(t *testing.T, c *course, traced bool) bool {
	t.Helper()
	var codes []*Code
	for _, p := range c.programs {
		code := suite.Must(NewCode(p, &Rules{Shape: &c.shape, Timing: &c.timing, Fetch: &c.fetch}, c.base))(t)
		codes = append(codes, code)
	}
	e, plain, heard := &stand{c: c, asked: map[uint32]int{}}, newPlain(c), &log{}
	pool := &RegisterPool{}
	e.s = New(&c.issue, &c.shape, SIMDParams{Name: "SIMD", Index: c.index, ComputeUnit: e, Pool: pool, Shared: NewShared(c.index+1, 64), MaxOutstanding: c.outstanding})
	if traced {
		e.s.Trace(heard, courseUnit)
	}
	e.s.Reset(0)
	started, now := 0, uint64(4)
	for ; started < len(c.waves) || len(plain.waves) > 0; now++ {
		if now > 20000 {
			t.Fatalf("no end: %d of %d waves started, %d resident", started, len(c.waves), e.s.Resident())
		}
		e.tell(now)
		plain.receive(now)
		for ; started < len(c.waves) && len(plain.waves) < c.shape.WaveSlots && now%5 == 0; started++ {
			e.start(now, started, codes)
			plain.start(now, started)
		}
		if e.s.NextVisible() < now {
			t.Fatalf("cycle %d: the turn of cycle %d did not come", now, e.s.NextVisible())
		}
		if e.s.NextVisible() == now {
			e.s.Issue(now)
		}
		plain.turn(now)
		if now%97 == 0 {
			e.s.ChargeEmpty(now, account.Empty)
			plain.settle(now)
		}
		if e.s.Resident() != len(plain.waves) || len(e.s.Waves()) != len(plain.waves) || e.s.endedInTurn {
			break
		}
	}
	now += 50
	e.s.ChargeEmpty(now, account.Empty)
	e.s.ChargeEmpty(now, account.Empty) // the second finds nothing more
	plain.settle(now)
	counts := map[*program.Program][]account.InstCount{}
	for i, p := range c.programs {
		counts[p] = codes[i].Counts
	}
	if !traced {
		heard.lines = plain.log.lines
	}
	for _, d := range []string{cmp.Diff(plain.log.lines, heard.lines), cmp.Diff(plain.cycles, e.s.Cycles),
		cmp.Diff(plain.finished, e.finished), cmp.Diff(plain.counts, counts)} {
		if d != "" {
			t.Errorf("(-plain +found):\n%s", d)
			return false
		}
	}
	for _, code := range codes {
		if n := len(code.freeRegisters); code.used && (n == 0 || n > c.shape.WaveSlots) {
			t.Errorf("%d waves gave back register memory", n)
		}
	}
	return !t.Failed() && e.s.Cycles.Total() == now*uint64(c.shape.WaveSlots)
}
