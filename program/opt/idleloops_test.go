package opt

import (
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// A loop without an effect goes if nothing uses its values; LLVM's model keeps it.
func TestIdleLoops(t *testing.T) {
	for _, c := range []struct {
		name    string
		uses    bool // the sum is stored after the loop
		effect  bool // the body stores
		o       Options
		removed bool
	}{
		{"idle", false, false, Options{}, true},
		{"its value is used", true, false, Options{}, false},
		{"it stores", false, true, Options{}, false},
		{"pointers", false, false, Options{SelectBuffers: true}, false},
	} {
		b := newBuilder(t)
		lane := b.op(isa.LocalIDX, isa.I32)
		limit := b.load(word(0), b.c(0))
		f := b.sumLoop(isa.IAdd, b.c(0), limit, lane, lane, func(i, sum *ir.Value) *ir.Value {
			if c.effect {
				b.store(word(1), i, i)
			}
			return b.op(isa.Xor, isa.I32, b.op(isa.IMul, isa.I32, sum, lane), i)
		})
		if !c.uses {
			end := f.Blocks[len(f.Blocks)-1]
			end.Code[len(end.Code)-1].Args[1] = lane
		}
		Run(f, c.o)
		if got := loopsLeft(f) == 0; got != c.removed {
			t.Errorf("%s: removed %t", c.name, got)
		}
	}
}

// A loop that loads a flag until it is set waits for another invocation, unless nothing writes the flag.
func TestSpinLoopsStay(t *testing.T) {
	for _, constant := range []bool{false, true} {
		b := newBuilder(t)
		bs := b.blocks(3)
		header, latch, end := bs[0], bs[1], bs[2]
		b.jump(header)
		b.at(header)
		header.Merge, header.Continue = end, latch
		flag := word(0)
		flag.ReadOnly, flag.NonWritable = true, constant // this shader does not write it
		header.SetSuccs(ir.Cond, b.op(isa.IEq, isa.I32, b.load(flag, b.c(0)), b.c(0)), latch, end)
		b.at(latch)
		b.jump(header)
		b.at(end)
		b.f.Bindings = []ir.Binding{{Count: 1}, {Count: 1}}
		b.store(word(1), b.c(0), b.c(1))
		b.ret()
		Run(b.f, Options{})
		if got := loopsLeft(b.f) == 0; got != constant {
			t.Errorf("nothing writes the flag %t: removed %t", constant, got)
		}
	}
}

// The loop behind the copies of a guess cannot reach the variable that its counter indexes: the accesses go, and the loop
// with them unless it has another effect or an index below the counter.
func TestLoopsPastAVariable(t *testing.T) {
	for _, c := range []struct {
		name          string
		below, stores bool
		left          int
	}{{"idle", false, false, 0}, {"below the counter", true, false, 1}, {"it stores", false, true, 1}} {
		b := newBuilder(t)
		lane, limit := b.op(isa.LocalIDX, isa.I32), b.load(word(0), b.c(0))
		local := &ir.Local{SlotWords: 1, Slots: make([]isa.Type, 4)}
		b.f.Locals = append(b.f.Locals, local)
		at := ir.Mem{Access: isa.Access{Space: isa.SpaceScratch, Elem: isa.I32}, Local: local, High: 4, Arrays: [2]ir.Array{{Length: 4, Stride: 1}}}
		f := b.sumLoop(isa.IAdd, b.c(0), limit, lane, lane, func(i, sum *ir.Value) *ir.Value {
			index := i
			if c.below {
				index = b.op(isa.IAdd, isa.I32, i, b.c(1<<32-1))
			}
			value := b.op(isa.Xor, isa.I32, b.load(at, index), lane)
			b.store(at, index, value)
			if c.stores {
				b.store(word(1), b.op(isa.Shl, isa.I32, i, b.c(2)), i)
			}
			if c.below { // Otherwise nothing uses the variable, and the loop is idle.
				return value
			}
			return sum
		})
		Run(f, Options{})
		if got := loopsLeft(f); got != c.left {
			t.Errorf("%s: %d loops are left, want %d", c.name, got, c.left)
		}
	}
}
