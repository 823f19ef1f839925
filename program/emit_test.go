package program

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/program/opt"
)

// The tests of this file build random structured functions, run them lane by
// lane as the plain threads that they mean, and compare what the lowered wave
// program leaves in memory.

const genVars = 5

// gen builds a function over genVars local variables.
type gen struct {
	r     *rand.Rand
	f     *ir.Func
	b     *ir.Block
	vars  *ir.Local
	depth int
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
	g := &gen{r: rand.New(rand.NewPCG(seed, 1)), f: f, vars: f.Locals[0], fuel: 30}
	g.b = f.NewBlock()
	lane := g.val(isa.LocalIDX, isa.I32, isa.I32)
	group := g.val(isa.WorkgroupIDX, isa.I32, isa.I32)
	g.store(0, lane)
	g.store(1, group)
	for k := 2; k < genVars; k++ {
		g.store(k, g.constant(uint64(k)))
	}
	g.body(0)
	g.finish()
	return f
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
	v.Mem = &ir.Mem{Space: isa.SpaceScratch, Offset: uint32(slot), Elem: isa.I32, Count: 1, Local: l, Object: l.ID, Align: 4}
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

// cond compares some low bits, so that both sides are taken by some lanes.
func (g *gen) cond() *ir.Value {
	low := g.val(isa.And, isa.I32, isa.I32, g.load(g.r.IntN(genVars)), g.constant(7))
	return g.val([]isa.Op{isa.ULt, isa.IEq, isa.INe}[g.r.IntN(3)], isa.I32, isa.Bool, low, g.constant(uint64(g.r.IntN(8))))
}

// body appends statements; it reports false when the last one left the block.
func (g *gen) body(depth int) bool {
	for n := 1 + g.r.IntN(4); n > 0 && g.fuel > 0; n-- {
		g.fuel--
		switch k := g.r.IntN(10); {
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
		g.b = g.f.NewBlock() // unreachable code behind it
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
	limit := g.val(isa.And, isa.I32, isa.I32, g.load(g.r.IntN(genVars)), g.constant(3))
	more := g.val(isa.ULt, isa.I32, isa.Bool, g.access(isa.Load, counter, slot, isa.I32), limit)
	head.SetSuccs(ir.Cond, more, body, merge)
	g.loops = append(g.loops, loopTargets{merge, cont})
	g.b = body
	if g.body(depth + 1) {
		g.b.SetSuccs(ir.Jump, nil, cont)
	}
	g.loops = g.loops[:len(g.loops)-1]
	g.b = cont
	i := g.val(isa.IAdd, isa.I32, isa.I32, g.access(isa.Load, counter, slot, isa.I32), g.constant(1))
	g.access(isa.Store, counter, slot, isa.Void, i)
	if g.r.IntN(3) == 0 { // a loop that ends at its foot as well
		g.b.SetSuccs(ir.Cond, g.cond(), head, merge)
	} else {
		g.b.SetSuccs(ir.Jump, nil, head)
	}
	g.b = merge
}

// leave is a conditional break, continue or return.
func (g *gen) leave(depth int) bool {
	next := g.f.NewBlock()
	c := g.cond()
	if n := len(g.loops); n > 0 && g.r.IntN(4) > 0 {
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
		v.Mem = &ir.Mem{Space: isa.SpaceBuffer, HasIndex: true, Offset: uint32(k * 4), Elem: isa.I32, Count: 1, Align: 4}
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

// runWave runs a lowered program on one full wave.
func runWave(t *testing.T, p *Program, group uint32, out []uint32) {
	st := &isa.State{Lanes: p.WaveSize, LocalSize: p.LocalSize, Workgroup: [3]uint32{group, 0, 0}, WavesInGroup: 1}
	st.Full = ^uint64(0) >> (64 - p.WaveSize)
	st.Exec = st.Full
	st.V, st.S = make([]uint32, p.VectorRows*p.WaveSize), make([]uint64, p.ScalarWords)
	for i := range st.Tmp {
		st.Tmp[i] = make([]uint32, 2*p.WaveSize)
	}
	for i := range p.Prologue {
		p.Prologue[i].Exec(st, &p.Prologue[i])
	}
	pc := 0
	for steps := 0; ; steps++ {
		if steps > 1e6 {
			t.Fatal("the wave does not end")
		}
		in := &p.Insts[pc]
		pc++
		switch {
		case in.Op == isa.End:
			return
		case in.Op == isa.Store:
			storeLanes(st, in, out)
		case in.Op.Has(isa.FlagControl) && in.Exec == nil:
			if isa.TakesBranch(st, in) {
				pc = int(in.Target)
			}
		case in.Exec != nil:
			in.Exec(st, in)
		}
	}
}

func storeLanes(st *isa.State, in *isa.Inst, out []uint32) {
	read := func(r isa.Reg, lane int) uint32 {
		switch r.Kind {
		case isa.Vector:
			return st.V[int(r.Index)*st.Lanes+lane]
		case isa.Scalar:
			return uint32(st.S[r.Index])
		}
		return uint32(r.Val)
	}
	for l := 0; l < st.Lanes; l++ {
		if st.Exec>>l&1 != 0 {
			addr := read(in.Mem.Base, l) + read(in.Mem.Index, l) + in.Mem.Offset
			for k := 0; k < int(in.Mem.Count); k++ {
				out[int(addr)/4+k] = read(in.Mem.Data[k], l)
			}
		}
	}
}

func TestRandomControlFlowMeansTheSameAsThreads(t *testing.T) {
	for seed := uint64(0); seed < 2000; seed++ {
		for _, wave := range []int{32, 64} {
			f := generate(seed)
			want := make([]uint32, 64*genVars)
			for lane := 0; lane < wave; lane++ {
				runLane(f, uint64(lane), 5, want)
			}
			opt.Run(f, opt.Options{WaveSize: wave})
			p, err := emit(f, wave, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := make([]uint32, 64*genVars)
			runWave(t, p, 5, got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d, wave of %d (-threads +wave):\n%s", seed, wave, diff)
			}
		}
	}
}
