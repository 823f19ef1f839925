package opt

import (
	"testing"

	"pgregory.net/rapid"

	"spvsim/isa"
	"spvsim/program/ir"
)

// Folding an operation with one known operand must not change its value: the folded function, with the other operand
// made constant and folded again, gives the value of the operation.
func TestFoldKeepsMeaning(t *testing.T) {
	ops := []isa.Op{isa.IAdd, isa.ISub, isa.IMul, isa.UDiv, isa.SDiv, isa.UMod, isa.SRem, isa.SMod,
		isa.And, isa.Or, isa.Xor, isa.Shl, isa.Shr, isa.Sar, isa.UMin, isa.UMax, isa.SMin, isa.SMax, isa.IEq, isa.INe, isa.ULt, isa.SLt, isa.ULe, isa.SLe}
	types := []isa.Type{isa.I8, isa.I16, isa.I32, isa.I64}
	rapid.Check(t, func(r *rapid.T) {
		op, typ := rapid.SampledFrom(ops).Draw(r, "op"), rapid.SampledFrom(types).Draw(r, "type")
		known, other := draw(r, typ, "known"), draw(r, typ, "other")
		left := rapid.Bool().Draw(r, "left")
		b := newBuilder(t)
		x := b.load(ir.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Elem: typ}}, b.c(0))
		args := []*ir.Value{x, b.ct(typ, known)}
		values := []uint64{other, known & typ.Mask()}
		if left {
			args[0], args[1], values[0], values[1] = args[1], args[0], values[1], values[0]
		}
		v := b.op(op, typ, args...)
		st := b.store(word(0), b.c(0), v)
		b.ret()
		gatherConstants(b.f, Options{})
		fold(b.f, Options{WaveSize: 64})
		x.Op, x.Mem, x.Args, x.Imm = isa.Const, nil, nil, other
		gatherConstants(b.f, Options{})
		fold(b.f, Options{WaveSize: 64})
		got, want := st.Args[1], isa.Eval(op, typ, typ, 0, values...)
		if !isConst(got, want) {
			r.Fatalf("%v.%v%x = %v %x, want %x", op, typ, values, got.Op, got.Imm, want)
		}
	})
}

// draw prefers the values at which arithmetic turns over.
func draw(r *rapid.T, t isa.Type, name string) uint64 {
	small := rapid.Uint64Range(0, 20)
	negative := rapid.Map(small, func(n uint64) uint64 { return -n })
	power := rapid.Map(rapid.IntRange(0, 63), func(n int) uint64 { return 1 << n })
	return rapid.OneOf(rapid.Uint64(), small, negative, power).Draw(r, name) & t.Mask()
}

// Divisors that are likely to be written, of every width, at the dividends where
// a quotient changes.
func TestDivisionByConstants(t *testing.T) {
	for _, typ := range []isa.Type{isa.I8, isa.I16, isa.I32, isa.I64} {
		top := uint64(1) << (typ.Bits() - 1)
		for _, d := range []uint64{1, 2, 3, 5, 6, 7, 9, 10, 11, 12, 25, 28, 60, 100, 125, 625, 641, 1000, 1000003, top - 1, top, top + 1, typ.Mask() - 1, typ.Mask()} {
			if d > typ.Mask() {
				continue
			}
			for _, q := range []uint64{0, 1, 2, 1000, (top - 1) / d, typ.Mask() / d} {
				for _, near := range []uint64{^uint64(0), 0, 1} {
					checkDivision(t, typ, (q*d+near)&typ.Mask(), d)
					checkDivision(t, typ, -(q*d+near)&typ.Mask(), d)
				}
			}
		}
	}
}

// Every byte by every constant byte.
func TestDivisionByConstantBytes(t *testing.T) {
	for _, op := range allDivisions {
		for d := range uint64(256) {
			b := newBuilder(t)
			x := b.f.NewValue(isa.Load, isa.I8, isa.I8)
			st := b.store(ir.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Elem: isa.I8}}, b.c(0), b.op(op, isa.I8, x, b.ct(isa.I8, d)))
			b.ret()
			gatherConstants(b.f, Options{})
			fold(b.f, Options{})
			e := &expansion{b.f, x, x, st.Args[1], make([]uint64, b.f.NumValues())}
			for n := range uint64(256) {
				if got, want := e.eval(n, n), isa.Eval(op, isa.I8, isa.I8, 0, n, d); got != want {
					t.Fatalf("%v %d by %d: %d, want %d", op, n, d, got, want)
				}
			}
		}
	}
}

func checkDivision(t *testing.T, typ isa.Type, x, d uint64) {
	t.Helper()
	for _, op := range allDivisions {
		f := &ir.Func{}
		s := &folder{f: f, pool: &pool{f: f, have: map[constKey]*ir.Value{}}, names: newRenaming(f), current: &ir.Value{}}
		f.NewBlock()
		v := f.NewValue(op, typ, typ, s.constant(typ, x), s.constant(typ, d))
		got := rules[op](s, v)
		if want := isa.Eval(op, typ, typ, 0, x, d); got == nil || !isConst(got, want) {
			t.Fatalf("%v.%v %x by %x: got %v, want %x", op, typ, x, d, got, want)
		}
	}
}

// What takes a word apart and packs it again is the word.
func TestPackedHalvesFold(t *testing.T) {
	b := newBuilder(t)
	x := b.load(ir.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Elem: isa.I32}}, b.c(0))
	lo := b.conv(isa.UConvert, isa.I16, isa.I32, x)
	hi := b.conv(isa.UConvert, isa.I16, isa.I32, b.op(isa.Shr, isa.I32, x, b.c(16)))
	st := b.store(word(0), b.c(0), b.op(isa.Pack16, isa.I32, lo, hi))
	other := b.store(word(4), b.c(4), b.op(isa.Pack16, isa.I32, hi, lo))
	b.ret()
	gatherConstants(b.f, Options{})
	fold(b.f, Options{WaveSize: 64})
	if st.Args[1] != x {
		t.Errorf("packed again: %v, want %v", st.Args[1], x)
	}
	if other.Args[1].Op != isa.Pack16 {
		t.Errorf("packed the other way round: %v", other.Args[1])
	}
}
