package program

import (
	"testing"

	"spvsim/isa"
)

func arith(op isa.Op, id uint32, dst int, srcs ...isa.Reg) isa.Inst {
	in := isa.Inst{Op: op, T: isa.F32, Dst: isa.V(dst), Src: src(srcs...), Origin: isa.Origin{SPIRV: id}}
	in.Class = isa.ClassOf(&in)
	return in
}

func half(op isa.Op, id uint32, dst int, srcs ...isa.Reg) isa.Inst {
	in := arith(op, id, dst, srcs...)
	in.T = isa.F16
	in.Class = isa.ClassOf(&in)
	return in
}

// paired returns the instructions that remain when pairs are joined.
func paired(have Pairs, insts ...isa.Inst) []isa.Inst {
	e := &emitter{insts: append([]isa.Inst(nil), insts...), pairs: have}
	e.pair(0)
	return e.insts
}

var halvesOnly, dualOnly = Pairs{Halves: true}, Pairs{Dual: true}

// The components of one operation pack; others, dependent ones and those with
// two scalars do not.
func TestPackedPairs(t *testing.T) {
	v, s := isa.V, isa.S
	first := half(isa.Fma, 7, 0, v(10), s(1), v(0))
	for _, c := range []struct {
		name   string
		second isa.Inst
		want   int
	}{
		{"components", half(isa.Fma, 7, 1, v(11), s(1), v(1)), 1},
		{"another scalar", half(isa.Fma, 7, 1, v(11), s(2), v(1)), 2},
		{"another operation of the source", half(isa.Fma, 8, 1, v(11), s(1), v(1)), 2},
		{"another operation", half(isa.FMul, 7, 1, v(11), s(1)), 2},
		{"a dependent one", half(isa.Fma, 7, 1, v(0), s(1), v(1)), 2},
		{"one that writes what the first reads", half(isa.Fma, 7, 10, v(11), s(1), v(1)), 1},
	} {
		got := paired(halvesOnly, first, c.second)
		if len(got) != c.want {
			t.Errorf("%s: %d instructions, want %d", c.name, len(got), c.want)
		}
		if c.want == 1 && (got[0].Class != isa.ClassPacked16 || got[0].Second == nil || got[0].Second.Dst != c.second.Dst) {
			t.Errorf("%s: %+v", c.name, got[0])
		}
		if n := len(paired(Pairs{}, first, c.second)); n != 2 {
			t.Errorf("%s: %d instructions on a machine without pairs", c.name, n)
		}
	}
}

// A partner moves up past instructions that it does not depend on, and past no others.
func TestPartnersMoveUpPastOthers(t *testing.T) {
	v := isa.V
	a, b := half(isa.FMul, 7, 0, v(10), v(12)), half(isa.FMul, 7, 1, v(11), v(13))
	for _, c := range []struct {
		name    string
		between isa.Inst
		want    int
	}{
		{"nothing of it", half(isa.FAdd, 8, 5, v(0), v(6)), 2},
		{"writes its source", half(isa.FAdd, 8, 11, v(4), v(6)), 3},
		{"writes its result", half(isa.FAdd, 8, 1, v(4), v(6)), 3},
		{"reads its result", half(isa.FAdd, 8, 5, v(1), v(6)), 3},
	} {
		if got := paired(halvesOnly, a, c.between, b); len(got) != c.want {
			t.Errorf("%s: %d instructions, want %d", c.name, len(got), c.want)
		}
	}
}

// The restrictions of VOPD, each by itself.
func TestDualIssuedPairs(t *testing.T) {
	v, s, lit := isa.V, isa.S, isa.Lit
	word := func(op isa.Op, dst int, srcs ...isa.Reg) isa.Inst {
		in := arith(op, 0, dst, srcs...)
		in.T = isa.I32
		return in
	}
	for _, c := range []struct {
		name          string
		first, second isa.Inst
		want          int
	}{
		{"free of conflicts", arith(isa.FMul, 1, 0, v(4), v(5)), arith(isa.FAdd, 2, 1, v(6), v(7)), 1},
		{"two even results", arith(isa.FMul, 1, 0, v(4), v(5)), arith(isa.FAdd, 2, 2, v(6), v(7)), 2},
		{"one bank, swapped", arith(isa.FMul, 1, 0, v(4), v(5)), arith(isa.FAdd, 2, 1, v(8), v(6)), 1},
		{"one bank for all", arith(isa.FMul, 1, 0, v(4), v(8)), arith(isa.FAdd, 2, 1, v(12), v(16)), 2},
		{"an accumulator", arith(isa.Fma, 1, 0, v(4), v(5), v(0)), arith(isa.Fma, 2, 1, v(6), v(7), v(1)), 1},
		{"a sum elsewhere", arith(isa.Fma, 1, 0, v(4), v(5), v(2)), arith(isa.Fma, 2, 1, v(6), v(7), v(1)), 2},
		{"scalars", arith(isa.FMul, 1, 0, s(4), v(5)), arith(isa.FAdd, 2, 1, s(5), v(7)), 1},
		{"two scalars in one", arith(isa.FMul, 1, 0, s(4), s(5)), arith(isa.FAdd, 2, 1, v(4), v(7)), 2},
		{"a shared literal", arith(isa.FMul, 1, 0, lit(4), v(5)), arith(isa.FAdd, 2, 1, lit(4), v(7)), 1},
		{"two literals", arith(isa.FMul, 1, 0, lit(4), v(5)), arith(isa.FAdd, 2, 1, lit(5), v(7)), 2},
		{"an integer second", arith(isa.FMul, 1, 0, v(4), v(5)), word(isa.IAdd, 1, v(6), v(7)), 1},
		{"two integers", word(isa.IAdd, 0, v(4), v(5)), word(isa.IAdd, 1, v(6), v(7)), 2},
		{"not of the list", arith(isa.Floor, 1, 0, v(4)), arith(isa.FAdd, 2, 1, v(6), v(7)), 2},
		{"dependent", arith(isa.FMul, 1, 0, v(4), v(5)), arith(isa.FAdd, 2, 1, v(0), v(7)), 2},
	} {
		got := paired(dualOnly, c.first, c.second)
		if len(got) != c.want || c.want == 1 && got[0].Class != isa.ClassDual {
			t.Errorf("%s: %d instructions, want %d", c.name, len(got), c.want)
		}
	}
}

// A pair reads and writes what its halves do, and both are computed.
func TestPairsExecuteBothHalves(t *testing.T) {
	e := &emitter{insts: []isa.Inst{arith(isa.FAdd, 7, 0, isa.V(2), isa.V(4)), arith(isa.FAdd, 7, 1, isa.V(3), isa.V(5))}}
	e.pack()
	in := &e.insts[0]
	isa.Resolve(in)
	in.SetDeps(8)
	if got := len(in.Deps); got != 6 {
		t.Errorf("%d registers, want 6", got)
	}
	if got := len(in.Writes); got != 2 {
		t.Errorf("%d results, want 2", got)
	}
	st := isa.NewState(64, 8, 1)
	for i := range st.V {
		st.V[i] = 0x3f800000
	}
	in.Exec(st, in)
	for _, at := range []int{0, 63, 64, 127} {
		if st.V[at] != 0x40000000 {
			t.Errorf("word %d is %#x, want 2.0", at, st.V[at])
		}
	}
	if want := "v_fadd.f32 v0, v2, v4 :: v_fadd.f32 v1, v3, v5"; isa.Disasm(in) != want {
		t.Errorf("%q, want %q", isa.Disasm(in), want)
	}
}

// Two operations of 16-bit integers share an instruction where the machine has packed ones; those of 32 bits do not.
func TestPackedIntegers(t *testing.T) {
	for typ, want := range map[isa.Type]int{isa.I16: 1, isa.I32: 2} {
		mad := func(dst int) isa.Inst {
			in := arith(isa.IMad, 7, dst, isa.V(10+dst), isa.V(12+dst), isa.V(14+dst))
			in.T = typ
			return in
		}
		if got := paired(Pairs{Halves: true}, mad(0), mad(1)); len(got) != want || want == 1 && got[0].Class != isa.ClassPacked16 {
			t.Errorf("%v: %d instructions of class %v, want %d", typ, len(got), got[0].Class, want)
		}
	}
}

// Two f16 operations share an instruction where the machine has packed ones, minima among them.
func TestPackedHalves(t *testing.T) {
	v := isa.V
	a, b := half(isa.FMin, 7, 0, v(10), v(12)), half(isa.FMin, 7, 1, v(11), v(13))
	for _, c := range []struct {
		name string
		have Pairs
		b    isa.Inst
		want int
	}{
		{"components", Pairs{Halves: true}, b, 1},
		{"a machine with packed f32 only", Pairs{Packed: true}, b, 2},
		{"another type", Pairs{Halves: true}, arith(isa.FMin, 7, 1, v(11), v(13)), 2},
	} {
		got := paired(c.have, a, c.b)
		if len(got) != c.want || c.want == 1 && got[0].Class != isa.ClassPacked16 {
			t.Errorf("%s: %d instructions of class %v, want %d", c.name, len(got), got[0].Class, c.want)
		}
	}
	if n := len(paired(Pairs{Halves: true}, arith(isa.FMin, 7, 0, v(10), v(12)), arith(isa.FMin, 7, 1, v(11), v(13)))); n != 2 {
		t.Errorf("f32 on a machine with packed f16 only: %d instructions, want 2", n)
	}
}
