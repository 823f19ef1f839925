package program

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/program/opt"
	"spvsim/program/structure"
)

// A drawnGraph makes functions whose branches lead anywhere, as LLVM's do: loops with several exits and latches, branches that
// share blocks. Values of a block are used wherever it dominates.
type drawnGraph struct {
	gen
	order *ir.Order
	made  map[*ir.Block][]*ir.Value
}

// drawGraph returns nil where no block but the first would be reached.
func drawGraph(seed uint64) *ir.Func {
	f := &ir.Func{Name: fmt.Sprintf("graph%d", seed), LocalSize: [3]uint32{64, 1, 1}}
	f.Bindings = []ir.Binding{{Count: 1, Name: "out", Writes: true}}
	f.Locals = []*ir.Local{{Name: "v", SlotWords: 1, Slots: slices.Repeat([]isa.Type{isa.I32}, genVars)}}
	g := &drawnGraph{gen: gen{r: rand.New(rand.NewPCG(seed, 3)), f: f, vars: f.Locals[0], fuel: 30}, made: map[*ir.Block][]*ir.Value{}}
	g.edges(4 + g.r.IntN(12))
	g.order = ir.NewOrder(f)
	f.Blocks = slices.DeleteFunc(f.Blocks, func(b *ir.Block) bool { return g.order.Position[b.ID] < 0 })
	for _, b := range f.Blocks {
		b.Preds = slices.DeleteFunc(b.Preds, func(p *ir.Block) bool { return g.order.Position[p.ID] < 0 })
	}
	for _, b := range g.order.Blocks {
		g.fill(b)
	}
	for _, b := range g.order.Blocks {
		for _, phi := range b.Phis {
			for _, p := range b.Preds {
				phi.Args = append(phi.Args, g.value(p))
			}
		}
	}
	return f
}

// edges links n blocks. Those that go back also go on, so that every lane ends.
func (g *drawnGraph) edges(n int) {
	for range n {
		g.f.NewBlock()
	}
	blocks := g.f.Blocks
	for i, b := range blocks {
		on := func() *ir.Block { return blocks[min(i+1+g.r.IntN(4), n-1)] }
		x, y := on(), on()
		if i > 0 && g.r.IntN(3) == 0 {
			y = blocks[1+g.r.IntN(i)]
		}
		switch {
		case i == n-1 || i > n/2 && g.r.IntN(10) == 0:
			b.Term = ir.Return
		case x == y || g.r.IntN(4) == 0:
			b.SetSuccs(ir.Jump, nil, x)
		default:
			b.SetSuccs(ir.Cond, nil, x, y)
		}
	}
}

// value returns one that a block can use at its end.
func (g *drawnGraph) value(b *ir.Block) *ir.Value {
	var list []*ir.Value
	for q := g.order.Position[b.ID]; ; q = g.order.Idom[q] {
		list = append(list, g.made[g.order.Blocks[q]]...)
		if q == 0 {
			return list[g.r.IntN(len(list))]
		}
	}
}

func (g *drawnGraph) fill(b *ir.Block) {
	g.b = b
	if b == g.f.Blocks[0] {
		lane := g.val(isa.LocalIDX, isa.I32, isa.I32)
		g.made[b] = append(g.made[b], lane, g.val(isa.WorkgroupIDX, isa.I32, isa.I32))
		for k := range genVars {
			g.store(k, g.val(isa.IAdd, isa.I32, isa.I32, lane, g.constant(uint64(k))))
		}
	}
	if len(b.Preds) > 1 && g.r.IntN(2) == 0 {
		phi := g.f.NewValue(isa.Phi, isa.I32, isa.I32)
		phi.Block = b
		b.Phis = append(b.Phis, phi)
		g.made[b] = append(g.made[b], phi)
	}
	for range 1 + g.r.IntN(3) {
		x := g.val([]isa.Op{isa.IAdd, isa.Xor, isa.IMul}[g.r.IntN(3)], isa.I32, isa.I32, g.load(1+g.r.IntN(genVars-1)), g.value(g.order.Blocks[g.order.Idom[g.order.Position[b.ID]]]))
		g.made[b] = append(g.made[b], x)
		g.store(1+g.r.IntN(genVars-1), g.val(isa.IAdd, isa.I32, isa.I32, x, g.value(b)))
	}
	// The first variable counts the blocks that a lane has run.
	steps := g.val(isa.IAdd, isa.I32, isa.I32, g.load(0), g.constant(1))
	g.store(0, steps)
	switch b.Term {
	case ir.Return:
		g.finish()
	case ir.Cond:
		low := g.val(isa.And, isa.I32, isa.I32, g.value(b), g.constant(7))
		other := g.val(isa.ULt, isa.I32, isa.Bool, low, g.constant(uint64(1+g.r.IntN(7))))
		late := g.val(isa.ULt, isa.I32, isa.Bool, g.constant(120), steps)
		b.Cond = g.val(isa.Or, isa.Bool, isa.Bool, other, late)
	}
}

// reducible reports that a graph comes down to one block when a block without other predecessors joins its only one, and edges to
// itself disappear (Hecht and Ullman).
func reducible(f *ir.Func) bool {
	preds := map[*ir.Block]map[*ir.Block]bool{}
	for _, b := range f.Blocks {
		preds[b] = map[*ir.Block]bool{}
		for _, p := range b.Preds {
			preds[b][p] = true
		}
	}
	for changed := true; changed; {
		changed = false
		for _, b := range f.Blocks {
			if preds[b] == nil {
				continue
			}
			delete(preds[b], b)
			if len(preds[b]) != 1 {
				continue
			}
			for into := range preds[b] {
				for _, of := range preds {
					if of[b] {
						delete(of, b)
						of[into] = true
					}
				}
			}
			delete(preds, b)
			changed = true
		}
	}
	return len(preds) == 1
}

// TestUnstructuredControlFlowMeansTheSameAsThreads compares functions without structure, run lane by lane, with the waves of what they are lowered to.
func TestUnstructuredControlFlowMeansTheSameAsThreads(t *testing.T) {
	kernels := 100
	if suite.AllCases() {
		kernels = 1000
	}
	ran, refused := map[uint64]bool{}, 0
	for seed := uint64(0); len(ran) < kernels; seed++ {
		if seed > 4*uint64(kernels) {
			t.Fatalf("of %d graphs, only %d are reducible", seed, len(ran))
		}
		for _, wave := range []int{32, 64} {
			f := drawGraph(seed)
			suite.OK(t, ir.Verify(f))
			want := make([]uint32, 64*genVars)
			for lane := range 64 {
				runLane(f, uint64(lane), 1, want)
			}
			may := reducible(f)
			err := structure.Apply(f)
			var no *structure.Irreducible
			if errors.As(err, &no) == may {
				t.Fatalf("graph %d: %v, reducible %t", seed, err, may)
			}
			if err != nil {
				refused++
				continue
			}
			ran[seed] = true
			suite.OK(t, ir.Verify(f))
			checkStructure(t, seed, f)
			threads := make([]uint32, len(want))
			for lane := range 64 {
				runLane(f, uint64(lane), 1, threads)
			}
			if diff := cmp.Diff(want, threads); diff != "" {
				t.Fatalf("graph %d: the structured function means another (-want +got)\n%s", seed, diff)
			}
			for _, pointers := range []bool{false, true} {
				got := runStructured(t, seed, pointers, wave)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("graph %d, wave%d, pointers %t: (-want +got)\n%s", seed, wave, pointers, diff)
				}
			}
		}
	}
	if refused < kernels/10 {
		t.Errorf("%d kernels ran, and %d graphs were refused", len(ran), refused/2)
	}
}

// checkStructure tests that every loop has one latch, and leaves for its merge block only.
func checkStructure(t *testing.T, seed uint64, f *ir.Func) {
	t.Helper()
	o := ir.NewOrder(f)
	for p, h := range o.Blocks {
		latch := -1
		for _, b := range h.Preds {
			if q := o.Position[b.ID]; q >= p {
				if latch >= 0 || h.Continue != b || h.Merge == nil {
					t.Fatalf("graph %d: header b%d: Continue %v, Merge %v, back edge of b%d", seed, h.ID, h.Continue, h.Merge, b.ID)
				}
				latch = q
			}
		}
		for q := p; q <= latch; q++ {
			for _, s := range o.Blocks[q].Succs {
				if to := o.Position[s.ID]; (to < p || to > latch) && s != h.Merge {
					t.Fatalf("graph %d: b%d leaves the loop of b%d for b%d", seed, o.Blocks[q].ID, h.ID, s.ID)
				}
			}
		}
	}
}

func runStructured(t *testing.T, seed uint64, pointers bool, wave int) []uint32 {
	t.Helper()
	f := drawGraph(seed)
	suite.OK(t, structure.Apply(f))
	opt.Run(f, opt.Options{WaveSize: wave, SelectBuffers: pointers})
	p := suite.Must(emit(context.Background(), f, &Target{WaveSize: wave, Descriptors: !pointers}))(t)
	out := make([]byte, 64*genVars*4)
	runWave(t, p, 1, out)
	words := make([]uint32, len(out)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(out[4*i:])
	}
	return words
}
