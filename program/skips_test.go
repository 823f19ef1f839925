package program

import (
	"context"
	"testing"

	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/program/ir"
)

// sums is a branch on the lane around n additions to a value that is stored after it, with a store among them.
func sums(n int, store bool) *ir.Func {
	f := generateEmpty()
	g := &gen{f: f}
	entry, arm, merge := f.NewBlock(), f.NewBlock(), f.NewBlock()
	g.b = entry
	lane := g.val(isa.LocalIDX, isa.I32, isa.I32)
	offset := g.val(isa.Shl, isa.I32, isa.I32, lane, g.constant(2))
	put := func(v *ir.Value) {
		st := g.val(isa.Store, isa.I32, isa.Void, offset, v)
		st.Mem = &ir.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Elem: isa.I32, Count: 1}, HasIndex: true, Align: 4}
	}
	entry.Merge = merge
	entry.SetSuccs(ir.Cond, g.val(isa.ULt, isa.I32, isa.Bool, lane, g.constant(7)), arm, merge)
	g.b = arm
	sum := lane
	for range n {
		sum = g.val(isa.UMulHi, isa.I32, isa.I32, sum, lane)
	}
	if store {
		put(sum)
	}
	arm.SetSuccs(ir.Jump, nil, merge)
	g.b = merge
	phi := f.NewValue(isa.Phi, isa.I32, isa.I32, lane, sum)
	phi.Block, merge.Phis = merge, []*ir.Value{phi}
	put(phi)
	merge.Term = ir.Return
	return f
}

// A wave without active lanes executes up to sixteen cycles of vector instructions, but no accesses.
func TestShortCodeIsNotSkipped(t *testing.T) {
	for _, c := range []struct {
		sums    int
		store   bool
		target  Target
		skipped bool
	}{
		{16, false, Target{WaveSize: 64, Descriptors: true}, false}, {17, false, Target{WaveSize: 64, Descriptors: true}, true},
		{4, false, Target{WaveSize: 64, Descriptors: true, LoadsGrid: true}, false}, {5, false, Target{WaveSize: 64, Descriptors: true, LoadsGrid: true}, true},
		{2, true, Target{WaveSize: 64, Descriptors: true}, true}, {2, false, Target{WaveSize: 64}, true},
	} {
		skips := 0
		for _, in := range suite.Must(emit(context.Background(), sums(c.sums, c.store), &c.target))(t).Insts {
			if in.Op == isa.BranchExecZ {
				skips++
			}
		}
		if skips > 0 != c.skipped {
			t.Errorf("%d operations, store %v, descriptors %v, before GFX10 %v: %d branches", c.sums, c.store, c.target.Descriptors, c.target.LoadsGrid, skips)
		}
	}
}
