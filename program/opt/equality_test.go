package opt

import (
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// Where a branch knows a value, what depends on it is the same in all lanes, under the conditions of Mesa's
// opt_if_rewrite_uniform_uses: an integer equal to a constant, to its first lane's or to its reduction over the wave, in a
// conjunction or alone, in the side of the branch or after the return of the other side.
func TestEqualityAfterBranch(t *testing.T) {
	first := func(b *builder, x *ir.Value) *ir.Value { return b.op(isa.ReadFirstLane, isa.I32, x) }
	largest := func(cluster int) func(b *builder, x *ir.Value) *ir.Value {
		return func(b *builder, x *ir.Value) *ir.Value {
			v := b.op(isa.Reduce, isa.I32, x)
			v.Imm = isa.GroupImm(isa.GroupUMax, cluster)
			return v
		}
	}
	three := func(b *builder, _ *ir.Value) *ir.Value { return b.c(3) }
	compare := func(op isa.Op, with func(b *builder, x *ir.Value) *ir.Value) func(b *builder, x *ir.Value) *ir.Value {
		return func(b *builder, x *ir.Value) *ir.Value { return b.op(op, isa.I32, x, with(b, x)) }
	}
	both := func(join isa.Op, op isa.Op) func(b *builder, x *ir.Value) *ir.Value {
		return func(b *builder, x *ir.Value) *ir.Value {
			return b.op(join, isa.Bool, b.op(isa.ULt, isa.I32, b.op(isa.LocalIDY, isa.I32), b.c(2)), b.op(op, isa.I32, x, b.c(3)))
		}
	}
	not := func(of func(b *builder, x *ir.Value) *ir.Value) func(b *builder, x *ir.Value) *ir.Value {
		return func(b *builder, x *ir.Value) *ir.Value { return b.op(isa.Not, isa.Bool, of(b, x)) }
	}
	for _, c := range []struct {
		name      string
		condition func(b *builder, x *ir.Value) *ir.Value
		yes, no   bool // the value is known where the condition holds, and where it does not
	}{
		{"x == 3", compare(isa.IEq, three), true, false},
		{"x != 3", compare(isa.INe, three), false, true},
		{"!(x == 3)", not(compare(isa.IEq, three)), false, true},
		{"x == first(x)", compare(isa.IEq, first), true, false},
		{"x == max(x)", compare(isa.IEq, largest(0)), true, false},
		{"x == max of four(x)", compare(isa.IEq, largest(4)), false, false},
		{"x == y", compare(isa.IEq, func(b *builder, _ *ir.Value) *ir.Value { return b.op(isa.LocalIDY, isa.I32) }), false, false},
		{"x == uniform", compare(isa.IEq, func(b *builder, _ *ir.Value) *ir.Value { return b.op(isa.WorkgroupIDX, isa.I32) }), false, false},
		{"x < 3", compare(isa.ULt, three), false, false},
		{"y < 2 && x == 3", both(isa.And, isa.IEq), true, false},
		{"y < 2 && x != 3", both(isa.And, isa.INe), false, false},
		{"y < 2 || x == 3", both(isa.Or, isa.IEq), false, false},
	} {
		for _, shape := range []string{"sides", "return"} {
			for _, way := range []bool{true, false} {
				want := c.no
				if way {
					want = c.yes
				}
				if got := uniformInside(t, c.condition, shape, way); got != want {
					t.Errorf("%s, %s: the value where that is %t is uniform: %t, want %t", c.name, shape, way, got, want)
				}
			}
		}
	}
}

// uniformInside reports whether a load from an address of the lane is uniform in one way out of a branch.
func uniformInside(t *testing.T, condition func(b *builder, x *ir.Value) *ir.Value, shape string, way bool) bool {
	b := newBuilder(t)
	b.f.LocalSize = [3]uint32{8, 8, 1}
	x := b.op(isa.LocalIDX, isa.I32)
	bs := b.blocks(3)
	inside, outside, merge := bs[0], bs[1], bs[2]
	if shape == "return" { // the rest of the shader
		merge = inside
	}
	c := condition(b, x)
	if way {
		b.cond(c, inside, outside, merge)
	} else {
		b.cond(c, outside, inside, merge)
	}
	b.at(inside)
	m := word(0)
	m.ReadOnly = true
	v := b.load(m, b.op(isa.Shl, isa.I32, x, b.c(2)))
	b.store(word(1), b.op(isa.Shl, isa.I32, b.op(isa.LaneID, isa.I32), b.c(2)), v)
	if shape == "return" {
		b.ret()
		b.at(outside)
		b.ret()
		outside.Merge = nil
		b.f.Blocks = []*ir.Block{b.f.Blocks[0], inside, outside}
	} else {
		b.jump(merge)
		b.at(outside)
		b.op(isa.MemoryBarrier, isa.Void)
		b.jump(merge)
		b.at(merge)
		b.ret()
	}
	Run(b.f, Options{})
	return v.Uniform
}

// A break leaves its loop, and Mesa does not move what follows it into the branch, as it does behind a continue; a selection
// in a loop is one as elsewhere. After the branch meets the other side nothing is known.
func TestEqualityInLoop(t *testing.T) {
	for _, other := range []string{"break", "continue", "meets"} {
		b := newBuilder(t)
		x := b.op(isa.LocalIDX, isa.I32)
		scaled := func() *ir.Value { return b.op(isa.Shl, isa.I32, x, b.c(2)) }
		zero := b.c(0)
		bs := b.blocks(6)
		header, body, side, rest, cont, merge := bs[0], bs[1], bs[2], bs[3], bs[4], bs[5]
		b.jump(header)
		b.at(header)
		i := b.phi(isa.I32)
		header.Continue = cont
		b.cond(b.op(isa.ULt, isa.I32, i, b.op(isa.NumWorkgroupsX, isa.I32)), body, merge, merge)
		b.at(body)
		known := b.op(isa.IEq, isa.I32, x, b.c(3))
		m := word(0)
		m.ReadOnly = true
		var inside *ir.Value
		switch other {
		case "break":
			b.cond(known, rest, merge, rest)
			b.f.Blocks = append(b.f.Blocks[:3:3], rest, cont, merge)
		case "continue":
			b.cond(known, rest, cont, rest)
			b.f.Blocks = append(b.f.Blocks[:3:3], rest, cont, merge)
		default:
			b.cond(known, side, rest, rest)
			b.at(side)
			inside = b.load(m, b.op(isa.IAdd, isa.I32, scaled(), i))
			b.store(word(1), b.op(isa.LaneID, isa.I32), inside)
			b.jump(rest)
		}
		b.at(rest)
		after := b.load(m, b.op(isa.IAdd, isa.I32, scaled(), b.op(isa.Shl, isa.I32, i, b.c(3))))
		b.store(word(2), b.op(isa.LaneID, isa.I32), after)
		b.jump(cont)
		b.at(cont)
		next := b.op(isa.IAdd, isa.I32, i, b.c(1))
		b.jump(header)
		b.at(merge)
		b.ret()
		i.Args = []*ir.Value{zero, next}
		Run(b.f, Options{})
		if after.Uniform != (other == "continue") || inside != nil && !inside.Uniform {
			t.Errorf("%s: after the branch %t, inside it %t", other, after.Uniform, inside != nil && inside.Uniform)
		}
	}
}
