package opt

import (
	"math/rand/v2"
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

var allDivisions = []isa.Op{isa.UDiv, isa.UMod, isa.SDiv, isa.SRem, isa.SMod}

// An expansion is a division that has been expanded, ready to be computed.
type expansion struct {
	f      *ir.Func
	x, y   *ir.Value
	result *ir.Value
	words  []uint64 // by value id
}

// expanded expands op as LLVM does, with operands that the scalar unit has, or the vector unit.
func expanded(t *testing.T, op isa.Op, typ isa.Type, uniform bool) *expansion {
	return expandedFor(t, op, typ, uniform, Options{WaveSize: 64, SelectBuffers: true})
}

func expandedFor(t *testing.T, op isa.Op, typ isa.Type, uniform bool, o Options) *expansion {
	b := newBuilder(t)
	x, y := b.f.NewValue(isa.Load, typ, typ), b.f.NewValue(isa.Load, typ, typ)
	x.Uniform, y.Uniform = uniform, uniform
	v := b.op(op, typ, x, y)
	v.Uniform = uniform
	st := b.store(ir.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Elem: typ}}, b.c(0), v)
	b.ret()
	gatherConstants(b.f, Options{})
	divisions(b.f, o)
	if count(b.f, op) > 0 {
		t.Fatalf("%v.%v is still there", op, typ)
	}
	return &expansion{b.f, x, y, st.Args[1], make([]uint64, b.f.NumValues())}
}

func (e *expansion) eval(x, y uint64) uint64 {
	e.words[e.x.ID], e.words[e.y.ID] = x, y
	var from *ir.Block
	for b := e.f.Blocks[0]; b != nil; {
		for _, phi := range b.Phis {
			e.words[phi.ID] = e.words[phi.Args[predOf(b, from)].ID]
		}
		for _, v := range b.Code {
			e.value(v)
		}
		from, b = b, e.after(b)
	}
	return e.words[e.result.ID]
}

func (e *expansion) value(v *ir.Value) {
	if v.Op == isa.Const {
		e.words[v.ID] = v.Imm
	}
	if v.Op == isa.Const || v.Mem != nil {
		return
	}
	var args [4]uint64
	for i, a := range v.Args {
		args[i] = e.words[a.ID]
	}
	e.words[v.ID] = isa.Table[v.Op].Meaning(v.T, v.From, v.Imm, args[0], args[1], args[2], args[3])
}

func (e *expansion) after(b *ir.Block) *ir.Block {
	switch {
	case len(b.Succs) == 0:
		return nil
	case b.Term == ir.Cond && e.words[b.Cond.ID] == 0:
		return b.Succs[1]
	}
	return b.Succs[0]
}

func (e *expansion) check(t *testing.T, op isa.Op, typ isa.Type, x, y uint64) {
	t.Helper()
	if got, want := e.eval(x, y), isa.Eval(op, typ, typ, 0, x, y); got != want {
		t.Fatalf("%v.%v of %#x and %#x: %#x, want %#x", op, typ, x, y, got, want)
	}
}

// Every pair of 8-bit integers.
func TestDivisionsOfBytes(t *testing.T) {
	for _, op := range allDivisions {
		e := expanded(t, op, isa.I8, false)
		for n := range uint64(1 << 16) {
			e.check(t, op, isa.I8, n>>8, n&0xff)
		}
	}
}

// Every nineteenth 16-bit divisor (all of them pass too, in nineteen times the time), at each dividend where the quotient changes and the one
// before it: the estimate grows with the dividend, so that between two changes
// it cannot be further off than at them.
func TestDivisionsOfHalfWords(t *testing.T) {
	for _, op := range allDivisions {
		e := expanded(t, op, isa.I16, false)
		step := uint64(19)
		if testing.Short() {
			step = 509
		}
		for y := uint64(0); y < 1<<16; y += step {
			distance := max(uint64(abs16(op, y)), 1)
			for at := uint64(0); at < 1<<16; at += distance {
				e.check(t, op, isa.I16, at, y)
				e.check(t, op, isa.I16, (at-1)&0xffff, y)
				e.check(t, op, isa.I16, -at&0xffff, y)
			}
		}
	}
}

// abs16 is the magnitude of a divisor.
func abs16(op isa.Op, y uint64) uint16 {
	if s := int16(y); s < 0 && divisionOps[op].signed {
		return uint16(-s)
	}
	return uint16(y)
}

// Divisors and dividends of 32 and 64 bits: near powers of two, where a quotient
// changes, and any.
func TestDivisionsOfWords(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	rounds := 30000
	if testing.Short() {
		rounds /= 10
	}
	for _, typ := range []isa.Type{isa.I32, isa.I64} {
		for _, op := range allDivisions {
			for _, uniform := range []bool{false, true} {
				e := expanded(t, op, typ, uniform)
				for range rounds / 4 {
					y := someWord(r, typ)
					e.check(t, op, typ, someWord(r, typ), y)
					e.check(t, op, typ, (someWord(r, typ)*y+r.Uint64N(3)-1)&typ.Mask(), y)
					if y > 0 {
						e.check(t, op, typ, (r.Uint64N(typ.Mask()/y)*y-r.Uint64N(2))&typ.Mask(), y)
						e.check(t, op, typ, (typ.Mask()/y*y-r.Uint64N(2))&typ.Mask(), y)
					}
				}
			}
		}
	}
}

// Where buffers are descriptors, words of 64 bits are divided bit by bit, the upper word of the quotient in a block of its own.
func TestDivisionsBitByBit(t *testing.T) {
	r := rand.New(rand.NewPCG(64, 2))
	for _, op := range allDivisions {
		e := expandedFor(t, op, isa.I64, false, Options{WaveSize: 64})
		if len(e.f.Blocks) != 3 {
			t.Fatalf("%v: %d blocks, want a branch past the upper word", op, len(e.f.Blocks))
		}
		corners := []uint64{0, 1, 2, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<32 + 1, 1<<63 - 1, 1 << 63, 1<<64 - 1}
		for _, x := range corners {
			for _, y := range corners {
				e.check(t, op, isa.I64, x, y)
			}
		}
		for range 300 {
			e.check(t, op, isa.I64, someWord(r, isa.I64), someWord(r, isa.I64))
		}
	}
}

// someWord draws any bits, few bits, or a number near a power of two.
func someWord(r *rand.Rand, typ isa.Type) uint64 {
	w := r.Uint64()
	switch r.IntN(3) {
	case 0:
		w >>= r.IntN(64)
	case 1:
		w = uint64(1)<<r.IntN(64) + r.Uint64N(5) - 2
	}
	return w & typ.Mask()
}

// The counts are those of LLVM's sequences for 32 bits: the reciprocal of the
// divisor, on the scalar unit with a move, then quotient or remainder; signs.
func TestDivisionCounts(t *testing.T) {
	for _, c := range []struct {
		op      isa.Op
		uniform bool
		want    int
	}{
		{isa.UDiv, false, 8 + 11}, {isa.UMod, false, 8 + 9}, {isa.SDiv, false, 8 + 11 + 9}, {isa.SRem, false, 8 + 9 + 8},
		{isa.UDiv, true, 9 + 11}, {isa.UMod, true, 9 + 9}, {isa.SDiv, true, 9 + 11 + 9}, // as gfx900 in amdgpu-codegenprepare-idiv.ll
	} {
		e := expanded(t, c.op, isa.I32, c.uniform)
		removeDead(e.f)
		n := 0
		eachValue(e.f, func(v *ir.Value) {
			if !literal(v) && v.Mem == nil {
				n++
			}
		})
		if n != c.want {
			t.Errorf("%v, uniform %v: %d operations, want %d", c.op, c.uniform, n, c.want)
		}
	}
}

// countingLoop is a loop that counts from zero while less(n, limit) and stores
// what body makes of n and limit.
func countingLoop(t *testing.T, less isa.Op, body func(b *builder, n, limit *ir.Value) *ir.Value) *builder {
	b := newBuilder(t)
	bs := b.blocks(4)
	header, inside, cont, merge := bs[0], bs[1], bs[2], bs[3]
	zero := b.c(0)
	limit := b.load(ir.Mem{Access: isa.Access{Space: isa.SpacePush, Elem: isa.I32}, ReadOnly: true, Object: -1}, b.c(0))
	b.jump(header)
	b.at(header)
	header.Continue = cont
	n := b.phi(isa.I32)
	b.cond(b.op(less, isa.I32, n, limit), inside, merge, merge)
	b.at(inside)
	b.store(word(0), b.op(isa.Shl, isa.I32, n, b.c(2)), body(b, n, limit))
	b.jump(cont)
	b.at(cont)
	next := b.op(isa.IAdd, isa.I32, n, b.c(1))
	b.jump(header)
	n.Args = []*ir.Value{zero, next}
	b.at(merge)
	b.ret()
	return b
}

// A loop with a loop-invariant divisor computes the reciprocal once, and quotient and remainder share it. Where buffers
// are descriptors nothing leaves a loop.
func TestReciprocalLeavesTheLoop(t *testing.T) {
	for _, pointers := range []bool{true, false} {
		b := countingLoop(t, isa.ULt, func(b *builder, n, limit *ir.Value) *ir.Value {
			return b.op(isa.IAdd, isa.I32, b.op(isa.UDiv, isa.I32, n, limit), b.op(isa.UMod, isa.I32, n, limit))
		})
		b.f.Bindings = []ir.Binding{{Count: 1, Writes: true}}
		Run(b.f, Options{WaveSize: 64, SelectBuffers: pointers})
		if got := count(b.f, isa.Rcp); got != 1 {
			t.Errorf("%d reciprocals, want one for both\n%s", got, printed(b.f))
		}
		g := newGraph(b.f)
		for _, block := range b.f.Blocks {
			for _, v := range block.Code {
				if inside := g.inLoop[g.Position[block.ID]] >= 0; v.Op == isa.Rcp && inside == pointers {
					t.Errorf("pointers %v: the reciprocal is in the loop %v\n%s", pointers, inside, printed(b.f))
				}
			}
		}
	}
}

// A counter that can't be negative needs no magnitude; one that is compared
// without a sign may pass the largest signed number.
func TestCountersHaveNoSign(t *testing.T) {
	for _, c := range []struct {
		less isa.Op
		want int
	}{{isa.SLt, 1}, {isa.ULt, 2}} {
		b := countingLoop(t, c.less, func(b *builder, n, limit *ir.Value) *ir.Value {
			return b.op(isa.SDiv, isa.I32, n, limit)
		})
		Run(b.f, Options{WaveSize: 64})
		if got := count(b.f, isa.Sar); got != c.want {
			t.Errorf("%v: %d signs, want %d\n%s", c.less, got, c.want, printed(b.f))
		}
	}
}

// A machine that divides keeps the operation.
func TestAMachineMayDivide(t *testing.T) {
	b := newBuilder(t)
	b.store(word(0), b.c(0), b.op(isa.UDiv, isa.I32, b.c(100), b.op(isa.LocalIDX, isa.I32)))
	b.ret()
	Run(b.f, Options{WaveSize: 64, Divides: func(op isa.Op, typ isa.Type) bool { return op == isa.UDiv && typ == isa.I32 }})
	if count(b.f, isa.UDiv) != 1 {
		t.Error(printed(b.f))
	}
}
