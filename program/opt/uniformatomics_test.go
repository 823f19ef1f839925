package opt

import (
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// Which atomics are sent once for a wave: the conditions of Mesa's nir_opt_uniform_atomics, and of LLVM's
// AMDGPUAtomicOptimizer, which does not ask whether one lane arrives.
func TestWhichAtomicsAreSentOnce(t *testing.T) {
	local := func(op isa.Op) func(b *builder) *ir.Value {
		return func(b *builder) *ir.Value { return b.op(op, isa.I32) }
	}
	equals := func(op isa.Op, of func(b *builder) *ir.Value) func(b *builder) *ir.Value {
		return func(b *builder) *ir.Value { return b.op(op, isa.I32, of(b), b.op(isa.WorkgroupIDX, isa.I32)) }
	}
	both := func(x, y func(b *builder) *ir.Value) func(b *builder) *ir.Value {
		return func(b *builder) *ir.Value { return b.op(isa.And, isa.Bool, x(b), y(b)) }
	}
	global := func(b *builder) *ir.Value {
		return b.op(isa.IAdd, isa.I32, b.op(isa.IMul, isa.I32, b.op(isa.WorkgroupIDX, isa.I32), b.c(64)), b.op(isa.LocalIDX, isa.I32))
	}
	loaded := func(b *builder) *ir.Value { // of memory that the shader writes
		return b.op(isa.And, isa.I32, b.load(word(1), b.c(0)), b.c(28))
	}
	line, square := [3]uint32{64, 1, 1}, [3]uint32{8, 8, 1}
	for _, c := range []struct {
		name       string
		size       [3]uint32
		op         isa.Op
		address    func(b *builder) *ir.Value
		space      isa.Space
		inside     func(b *builder) *ir.Value // a branch around it; nil: none
		mesa, llvm bool
	}{
		{"buffer", line, isa.AtomicIAdd, nil, isa.SpaceBuffer, nil, true, true},
		{"LDS", line, isa.AtomicUMax, nil, isa.SpaceLDS, nil, true, true},
		{"of the group", line, isa.AtomicIAdd, local(isa.WorkgroupIDX), isa.SpaceBuffer, nil, true, true},
		{"of written memory", line, isa.AtomicIAdd, loaded, isa.SpaceBuffer, nil, true, true},
		{"of the lane", line, isa.AtomicIAdd, local(isa.LocalIDX), isa.SpaceBuffer, nil, false, false},
		{"exchange", line, isa.AtomicExchange, nil, isa.SpaceBuffer, nil, false, false},
		{"one invocation", [3]uint32{1, 1, 1}, isa.AtomicIAdd, nil, isa.SpaceBuffer, nil, false, false},
		{"if x == g", line, isa.AtomicIAdd, nil, isa.SpaceBuffer, equals(isa.IEq, local(isa.LocalIDX)), false, true},
		{"if x != g", line, isa.AtomicIAdd, nil, isa.SpaceBuffer, equals(isa.INe, local(isa.LocalIDX)), true, true},
		{"if x == g of a square", square, isa.AtomicIAdd, nil, isa.SpaceBuffer, equals(isa.IEq, local(isa.LocalIDX)), true, true},
		{"if x == g && y == g of a square", square, isa.AtomicIAdd, nil, isa.SpaceBuffer, both(equals(isa.IEq, local(isa.LocalIDX)), equals(isa.IEq, local(isa.LocalIDY))), false, true},
		{"if index == g of a square", square, isa.AtomicIAdd, nil, isa.SpaceBuffer, equals(isa.IEq, local(isa.LocalIndex)), false, true},
		{"if global == g", line, isa.AtomicIAdd, nil, isa.SpaceBuffer, equals(isa.IEq, global), false, true},
		{"if lane == g of a square", square, isa.AtomicIAdd, nil, isa.SpaceBuffer, equals(isa.IEq, local(isa.LaneID)), false, true},
		{"if x < g", line, isa.AtomicIAdd, nil, isa.SpaceBuffer, equals(isa.ULt, local(isa.LocalIDX)), true, true},
	} {
		for _, pointers := range []bool{false, true} {
			b := newBuilder(t)
			b.f.LocalSize = c.size
			b.f.Bindings = []ir.Binding{{Count: 1, Writes: true}, {Binding: 1, Count: 1, Writes: true}}
			bs := b.blocks(2)
			if c.inside != nil {
				b.cond(c.inside(b), bs[0], bs[1], bs[1])
			} else {
				b.jump(bs[0])
			}
			b.at(bs[0])
			address := b.c(4)
			if c.address != nil {
				address = b.op(isa.Shl, isa.I32, c.address(b), b.c(2))
			}
			m := word(0)
			m.Space, m.Volatile, m.Coherent = c.space, true, true
			b.mem(b.f.NewValue(c.op, isa.I32, isa.I32, address, b.op(isa.LocalIndex, isa.I32)), m, 1)
			b.jump(bs[1])
			b.at(bs[1])
			b.ret()
			Run(b.f, Options{SelectBuffers: pointers})
			want := c.mesa
			if pointers {
				want = c.llvm
			}
			if got := count(b.f, isa.Ballot)+count(b.f, isa.Elect) > 0; got != want {
				t.Errorf("%s, pointers %t: sent once %t, want %t\n%s", c.name, pointers, got, want, printed(b.f))
			}
		}
	}
}
