package opt

import (
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

func TestUniformLoop(t *testing.T) {
	b, st := sumLoop(t, func(b *builder) *ir.Value { return b.op(isa.NumWorkgroupsX, isa.I32) })
	Run(b.f, Options{})
	if !st.Args[1].Uniform {
		t.Error("the sum of a uniform loop is divergent")
	}
}

// Lanes leave the loop in different iterations: in the loop the sum is uniform,
// after it every lane has its own.
func TestTemporalDivergence(t *testing.T) {
	b, st := sumLoop(t, func(b *builder) *ir.Value { return b.op(isa.LaneID, isa.I32) })
	Run(b.f, Options{})
	sum := st.Args[1]
	if sum.Uniform {
		t.Fatal("the sum is uniform after a divergent loop")
	}
	if sum.Op != isa.Phi || !sum.Args[0].Uniform {
		t.Errorf("after the loop is %v of a uniform value? %v; want a phi of one", sum.Op, sum.Args[0].Uniform)
	}
}

func diamond(t *testing.T, c func(b *builder) *ir.Value) *ir.Value {
	b := newBuilder(t)
	bs := b.blocks(3)
	x, y := b.c(1), b.c(2)
	b.cond(c(b), bs[0], bs[1], bs[2])
	for _, side := range bs[:2] {
		b.at(side)
		b.op(isa.Barrier, isa.Void)
		b.jump(bs[2])
	}
	b.at(bs[2])
	phi := b.phi(isa.I32, x, y)
	b.store(word(0), b.op(isa.LocalIndex, isa.I32), phi)
	b.ret()
	Run(b.f, Options{})
	return phi
}

func TestJoinOfBranch(t *testing.T) {
	compare := func(op isa.Op) func(b *builder) *ir.Value {
		return func(b *builder) *ir.Value { return b.op(isa.IEq, isa.I32, b.op(op, isa.I32), b.c(3)) }
	}
	if !diamond(t, compare(isa.WorkgroupIDX)).Uniform {
		t.Error("the join of a uniform branch is divergent")
	}
	if diamond(t, compare(isa.LaneID)).Uniform {
		t.Error("the join of a divergent branch is uniform")
	}
}

// An early return leaves one path: what follows is decided by no branch.
func TestEarlyReturnJoinsNothing(t *testing.T) {
	b := newBuilder(t)
	bs := b.blocks(5)
	b.cond(b.op(isa.ULt, isa.I32, b.op(isa.LaneID, isa.I32), b.c(9)), bs[0], bs[1], bs[1])
	b.at(bs[0])
	b.ret()
	b.at(bs[1])
	x, y := b.c(1), b.c(2)
	b.cond(b.op(isa.ULt, isa.I32, b.op(isa.WorkgroupIDX, isa.I32), b.c(9)), bs[2], bs[3], bs[4])
	for _, side := range bs[2:4] {
		b.at(side)
		b.op(isa.Barrier, isa.Void)
		b.jump(bs[4])
	}
	b.at(bs[4])
	phi := b.phi(isa.I32, x, y)
	b.store(word(0), b.op(isa.LocalIndex, isa.I32), phi)
	b.ret()
	Run(b.f, Options{})
	if !phi.Uniform {
		t.Error("the phi after an early return is divergent")
	}
}
