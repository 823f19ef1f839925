package program

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/program/ir"
)

// The tests of this file build random structured functions, run them lane by lane as threads, and compare the memory
// with that of the lowered wave program.

const (
	genVars   = 5
	genTruths = 2
)

// gen builds a function over genVars integer and genTruths boolean variables.
type gen struct {
	r     *rand.Rand
	f     *ir.Func
	b     *ir.Block
	vars  *ir.Local
	fuel  int
	loops []loopTargets
}

type loopTargets struct{ merge, cont *ir.Block }

func generate(seed uint64) *ir.Func {
	f := &ir.Func{Name: fmt.Sprintf("random%d", seed), LocalSize: [3]uint32{64, 1, 1}}
	f.Bindings = []ir.Binding{{Count: 1, Name: "out", Writes: true}}
	f.Locals = []*ir.Local{{Name: "v", SlotWords: 1}, {ID: 1, Name: "c", SlotWords: 1}}
	f.Locals[0].Slots = make([]isa.Type, genVars)
	for i := range f.Locals[0].Slots {
		f.Locals[0].Slots[i] = isa.I32
	}
	f.Locals = append(f.Locals, &ir.Local{ID: 2, Name: "t", SlotWords: 1, Slots: make([]isa.Type, genTruths)})
	for i := range genTruths {
		f.Locals[2].Slots[i] = isa.Bool
	}
	g := &gen{r: rand.New(rand.NewPCG(seed, 1)), f: f, vars: f.Locals[0], fuel: 30}
	g.b = f.NewBlock()
	lane := g.val(isa.LocalIDX, isa.I32, isa.I32)
	group := g.val(isa.WorkgroupIDX, isa.I32, isa.I32)
	g.store(0, lane)
	g.store(1, group)
	for k := 2; k < genVars; k++ {
		g.store(k, g.constant(uint64(k)))
	}
	for k := range genTruths {
		g.truth(isa.Store, k, isa.Void, g.cond())
	}
	g.body(0)
	g.finish()
	return f
}

// truth is an access to a boolean variable.
func (g *gen) truth(op isa.Op, slot int, r isa.Type, args ...*ir.Value) *ir.Value {
	v := g.access(op, g.f.Locals[2], slot, r, args...)
	v.T, v.Mem.Elem = isa.Bool, isa.Bool
	return v
}

func (g *gen) val(op isa.Op, t, r isa.Type, args ...*ir.Value) *ir.Value {
	return g.b.Append(g.f.NewValue(op, t, r, args...))
}

func (g *gen) constant(v uint64) *ir.Value {
	c := g.val(isa.Const, isa.I32, isa.I32)
	c.Imm = v
	return c
}

func (g *gen) access(op isa.Op, l *ir.Local, slot int, r isa.Type, args ...*ir.Value) *ir.Value {
	v := g.val(op, isa.I32, r, args...)
	v.Mem = &ir.Mem{Access: isa.Access{Space: isa.SpaceScratch, Offset: uint32(slot), Elem: isa.I32, Count: 1}, Local: l, Object: l.ID, Align: 4}
	return v
}

func (g *gen) load(slot int) *ir.Value { return g.access(isa.Load, g.vars, slot, isa.I32) }
func (g *gen) store(slot int, v *ir.Value) {
	g.access(isa.Store, g.vars, slot, isa.Void, v)
}

func (g *gen) expr() *ir.Value {
	ops := []isa.Op{isa.IAdd, isa.ISub, isa.IMul, isa.Xor, isa.And, isa.Or}
	a := g.load(g.r.IntN(genVars))
	if g.r.IntN(3) == 0 {
		return g.val(ops[g.r.IntN(len(ops))], isa.I32, isa.I32, a, g.constant(uint64(g.r.IntN(9))))
	}
	return g.val(ops[g.r.IntN(len(ops))], isa.I32, isa.I32, a, g.load(g.r.IntN(genVars)))
}

// cond compares some low bits, so that both sides are taken by some lanes, or reuses an earlier comparison.
func (g *gen) cond() *ir.Value {
	if g.fuel < 28 && g.r.IntN(4) == 0 {
		return g.truth(isa.Load, g.r.IntN(genTruths), isa.Bool)
	}
	low := g.val(isa.And, isa.I32, isa.I32, g.load(g.r.IntN(genVars)), g.constant(7))
	return g.val([]isa.Op{isa.ULt, isa.IEq, isa.INe}[g.r.IntN(3)], isa.I32, isa.Bool, low, g.constant(uint64(g.r.IntN(8))))
}

// body appends statements; it reports false when the last one left the block.
func (g *gen) body(depth int) bool {
	for n := 1 + g.r.IntN(4); n > 0 && g.fuel > 0; n-- {
		g.fuel--
		switch k := g.r.IntN(14); {
		case k > 11:
			g.truth(isa.Store, g.r.IntN(genTruths), isa.Void, g.cond())
		case k < 4 || depth > 4:
			g.store(g.r.IntN(genVars), g.expr())
		case k < 7:
			g.branch(depth)
		case k < 9:
			g.loop(depth)
		default:
			if g.leave(depth) {
				return false
			}
		}
	}
	return true
}

func (g *gen) branch(depth int) {
	head, merge, then := g.b, g.f.NewBlock(), g.f.NewBlock()
	c := g.cond()
	other := merge
	if g.r.IntN(2) == 0 {
		other = g.f.NewBlock()
	}
	head.Merge = merge
	head.SetSuccs(ir.Cond, c, then, other)
	for _, side := range []*ir.Block{then, other} {
		if g.b = side; side != merge && g.body(depth+1) {
			g.b.SetSuccs(ir.Jump, nil, merge)
		}
	}
	g.b = merge
	if len(merge.Preds) == 0 {
		g.b.Term = ir.Unreachable
		g.b = g.f.NewBlock() // unreachable code after it
	}
}

// loop counts a hidden variable of its own, so that it ends.
func (g *gen) loop(depth int) {
	slot := len(g.f.Locals[1].Slots)
	counter := g.f.Locals[1]
	counter.Slots = append(counter.Slots, isa.I32)
	g.access(isa.Store, counter, slot, isa.Void, g.constant(0))
	head, body, cont, merge := g.f.NewBlock(), g.f.NewBlock(), g.f.NewBlock(), g.f.NewBlock()
	g.b.SetSuccs(ir.Jump, nil, head)
	head.Merge, head.Continue = merge, cont
	g.b = head
	more := func() *ir.Value {
		limit := g.val(isa.And, isa.I32, isa.I32, g.load(g.r.IntN(genVars)), g.constant(3))
		return g.val(isa.ULt, isa.I32, isa.Bool, g.access(isa.Load, counter, slot, isa.I32), limit)
	}
	kind := g.r.IntN(3)
	switch kind {
	case 0: // left at its head
		head.SetSuccs(ir.Cond, more(), body, merge)
	case 1: // left from its body only
		g.b = g.f.NewBlock()
		head.SetSuccs(ir.Jump, nil, g.b)
		g.store(g.r.IntN(genVars), g.expr())
		g.b.SetSuccs(ir.Cond, more(), body, merge)
	default: // left at its foot only
		head.SetSuccs(ir.Jump, nil, body)
	}
	g.loops = append(g.loops, loopTargets{merge, cont})
	g.b = body
	if g.body(depth + 1) {
		g.b.SetSuccs(ir.Jump, nil, cont)
	}
	g.loops = g.loops[:len(g.loops)-1]
	g.b = cont
	i := g.val(isa.IAdd, isa.I32, isa.I32, g.access(isa.Load, counter, slot, isa.I32), g.constant(1))
	g.access(isa.Store, counter, slot, isa.Void, i)
	switch {
	case kind == 2:
		g.b.SetSuccs(ir.Cond, more(), head, merge)
	case g.r.IntN(3) == 0: // a loop that may end at its foot as well
		g.b.SetSuccs(ir.Cond, g.cond(), head, merge)
	default:
		g.b.SetSuccs(ir.Jump, nil, head)
	}
	g.b = merge
}

// leave is a conditional break, continue or return.
func (g *gen) leave(depth int) bool {
	next := g.f.NewBlock()
	c := g.cond()
	if n := len(g.loops); n > 0 && g.r.IntN(2) > 0 {
		target := g.loops[n-1].merge
		if g.r.IntN(2) == 0 {
			target = g.loops[n-1].cont
		}
		g.b.SetSuccs(ir.Cond, c, target, next)
		g.b = next
		return false
	}
	ret := g.f.NewBlock()
	g.b.Merge = next
	g.b.SetSuccs(ir.Cond, c, ret, next)
	g.b = ret
	g.finish()
	g.b = next
	return false
}

// finish writes the variables to memory and returns.
func (g *gen) finish() {
	base := g.val(isa.IMul, isa.I32, isa.I32, g.val(isa.LocalIDX, isa.I32, isa.I32), g.constant(genVars*4))
	for k := 0; k < genVars; k++ {
		v := g.val(isa.Store, isa.I32, isa.Void, base, g.load(k))
		v.Mem = &ir.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Offset: uint32(k * 4), Elem: isa.I32, Count: 1}, HasIndex: true, Align: 4}
	}
	g.b.Term = ir.Return
}

// runLane runs one lane as a thread of its own.
func runLane(f *ir.Func, lane, group uint64, out []uint32) {
	vals := map[*ir.Value]uint64{}
	locals := map[[2]int]uint64{}
	var from *ir.Block
	for b := f.Blocks[0]; ; {
		var phis []uint64
		for _, p := range b.Phis {
			phis = append(phis, vals[p.Args[predIndex(b, from)]])
		}
		for i, p := range b.Phis {
			vals[p] = phis[i]
		}
		for _, v := range b.Code {
			vals[v] = step(v, vals, locals, lane, group, out)
		}
		from = b
		switch b.Term {
		case ir.Jump:
			b = b.Succs[0]
		case ir.Cond:
			b = b.Succs[1-vals[b.Cond]&1]
		default:
			return
		}
	}
}

func step(v *ir.Value, vals map[*ir.Value]uint64, locals map[[2]int]uint64, lane, group uint64, out []uint32) uint64 {
	var args []uint64
	for _, a := range v.Args {
		args = append(args, vals[a])
	}
	switch {
	case v.Op == isa.Const:
		return v.Imm
	case v.Op == isa.Undef:
		return 0xbad
	case v.Op == isa.LocalIDX:
		return lane
	case v.Op == isa.WorkgroupIDX:
		return group
	case v.Mem != nil && v.Mem.Space == isa.SpaceScratch && v.Op == isa.Load:
		return locals[[2]int{v.Mem.Local.ID, int(v.Mem.Offset)}]
	case v.Mem != nil && v.Mem.Space == isa.SpaceScratch:
		locals[[2]int{v.Mem.Local.ID, int(v.Mem.Offset)}] = args[0]
		return 0
	case v.Op == isa.Store:
		out[(args[0]+uint64(v.Mem.Offset))/4] = uint32(args[1])
		return 0
	}
	return isa.Eval(v.Op, v.T, v.From, v.Imm, args...)
}

// A waveRun runs a lowered program on one wave without a machine.
type waveRun struct {
	st      *isa.State
	p       *Program
	buffers [][]byte
	scratch []uint32 // word w of lane l is scratch[w*lanes+l]
}

func runWave(t *testing.T, p *Program, group uint32, buffers ...[]byte) {
	st := isa.NewState(p.WaveSize, p.VectorRows, p.ScalarWords)
	st.LocalSize, st.Workgroup, st.WavesInGroup = p.LocalSize, [3]uint32{group, 0, 0}, 1
	st.Exec = st.Full
	r := &waveRun{st: st, p: p, buffers: buffers, scratch: make([]uint32, int(p.ScratchWords)*p.WaveSize)}
	waves := max(int(p.LocalSize[0])/p.WaveSize, 1)
	for wave := range waves {
		clear(st.V)
		clear(st.S)
		st.WaveInGroup, st.WavesInGroup, st.Exec = uint32(wave), uint32(waves), st.Full
		r.run(t)
	}
}

func (r *waveRun) run(t *testing.T) {
	for i := range r.p.Prologue {
		r.p.Prologue[i].Exec(r.st, &r.p.Prologue[i])
	}
	pc := 0
	for steps := 0; ; steps++ {
		if steps > 1e6 {
			t.Fatal("the wave does not end")
		}
		in := &r.p.Insts[pc]
		pc++
		switch {
		case in.Op == isa.End:
			return
		case in.Mem != nil:
			r.access(t, in)
		case in.Op.Has(isa.FlagControl) && in.Exec == nil:
			if isa.TakesBranch(r.st, in) {
				pc = int(in.Target)
			}
		case in.Exec != nil:
			in.Exec(r.st, in)
		}
	}
}

func (r *waveRun) read(reg isa.Reg, lane int) uint32 {
	switch reg.Kind {
	case isa.Vector:
		return r.st.V[int(reg.Index)*r.st.Lanes+lane]
	case isa.Scalar:
		return uint32(r.st.S[reg.Index])
	}
	return uint32(reg.Val)
}

// access moves 32-bit elements between registers and a buffer or scratch.
func (r *waveRun) access(t *testing.T, in *isa.Inst) {
	m := in.Mem
	if m.Space == isa.SpaceTable {
		return
	}
	for l := range r.st.Lanes {
		if r.st.Exec>>l&1 == 0 {
			continue
		}
		addr := r.read(m.Base, l) + r.read(m.Index, l) + m.Offset
		for k := range int(m.Count) {
			word := r.word(t, m, addr, k, l)
			if in.Op == isa.Store {
				*word.p = r.read(m.Data[k], l)
				word.back()
				continue
			}
			switch d := m.Dsts[k]; d.Kind {
			case isa.Vector:
				r.st.V[int(d.Index)*r.st.Lanes+l] = *word.p
			case isa.Scalar:
				r.st.S[d.Index] = uint64(*word.p)
			}
		}
	}
}

// A wordRef is one 32-bit element in memory.
type wordRef struct {
	p    *uint32
	back func() // writes a changed value to where it came from
}

func (r *waveRun) word(t *testing.T, m *isa.Mem, addr uint32, k, lane int) wordRef {
	switch m.Space {
	case isa.SpaceScratch:
		return wordRef{&r.scratch[(int(addr)+k)*r.st.Lanes+lane], func() {}}
	case isa.SpaceBuffer:
		at := r.buffers[r.p.Bindings[m.Binding].Binding][int(addr)+4*k:]
		v := binary.LittleEndian.Uint32(at)
		return wordRef{&v, func() { binary.LittleEndian.PutUint32(at, v) }}
	}
	t.Fatalf("a test program uses space %d", m.Space)
	return wordRef{}
}

func TestRandomControlFlowMeansTheSameAsThreads(t *testing.T) {
	seeds := uint64(600)
	switch {
	case testing.Short():
		seeds = 250
	case suite.AllCases():
		seeds = 2000
	}
	for seed := range seeds {
		for _, wave := range []int{32, 64} {
			meansTheSame(t, seed, Target{WaveSize: wave, Pairs: Pairs{Packed: true, Dual: true}, Descriptors: seed%2 == 0})
		}
	}
}
