package opt

import (
	"math"
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// Mesa's inexact rules apply where the module lets them, and nowhere else.
func TestInexact(t *testing.T) {
	const noOp = isa.NumOps
	f := func(b *builder, x float32) *ir.Value { return b.ct(isa.F32, uint64(math.Float32bits(x))) }
	op := func(b *builder, op isa.Op, args ...*ir.Value) *ir.Value { return b.op(op, isa.F32, args...) }
	for _, c := range []struct {
		name string
		of   func(b *builder, x, y *ir.Value) *ir.Value
		gone isa.Op
		left map[isa.Op]int
	}{
		{"x * 0", func(b *builder, x, _ *ir.Value) *ir.Value { return op(b, isa.FMul, x, f(b, 0)) }, isa.FMul, nil},
		{"x + 0", func(b *builder, x, _ *ir.Value) *ir.Value { return op(b, isa.FAdd, x, f(b, 0)) }, isa.FAdd, nil},
		{"0 + x", func(b *builder, x, _ *ir.Value) *ir.Value { return op(b, isa.FAdd, f(b, 0), x) }, isa.FAdd, nil},
		{"0 - x", func(b *builder, x, _ *ir.Value) *ir.Value { return op(b, isa.FSub, f(b, 0), x) }, isa.FSub, map[isa.Op]int{isa.FNeg: 1}},
		{"x / 3", func(b *builder, x, _ *ir.Value) *ir.Value { return op(b, isa.FDiv, x, f(b, 3)) }, isa.FDiv, map[isa.Op]int{isa.FMul: 1, isa.Rcp: 0}},
		{"1 / sqrt(y)", func(b *builder, _, y *ir.Value) *ir.Value { return op(b, isa.FDiv, f(b, 1), op(b, isa.Sqrt, y)) }, isa.FDiv, map[isa.Op]int{isa.Rsq: 1, isa.Sqrt: 0, isa.FMul: 0}},
		{"x / inversesqrt(y)", func(b *builder, x, y *ir.Value) *ir.Value { return op(b, isa.FDiv, x, op(b, isa.Rsq, y)) }, isa.FDiv, map[isa.Op]int{isa.Rsq: 0, isa.Sqrt: 1, isa.FMul: 1}},
		{"two quotients of one divisor", func(b *builder, x, y *ir.Value) *ir.Value {
			return op(b, isa.FMax, op(b, isa.FDiv, x, y), op(b, isa.FDiv, f(b, 5), y))
		}, isa.FDiv, map[isa.Op]int{isa.Rcp: 1, isa.FMul: 2}},
		{"two constants added", func(b *builder, x, _ *ir.Value) *ir.Value {
			return op(b, isa.FAdd, op(b, isa.FAdd, x, f(b, 1)), f(b, 2))
		}, noOp, map[isa.Op]int{isa.FAdd: 1}},
		{"two constant factors", func(b *builder, x, _ *ir.Value) *ir.Value {
			return op(b, isa.FMul, op(b, isa.FMul, x, f(b, 3)), f(b, 5))
		}, noOp, map[isa.Op]int{isa.FMul: 1}},
		{"a factor in common", func(b *builder, x, y *ir.Value) *ir.Value {
			return op(b, isa.FAdd, op(b, isa.FMul, x, y), op(b, isa.FMul, f(b, 3), x))
		}, noOp, map[isa.Op]int{isa.FMul: 1, isa.FAdd: 1}},
		{"multiply-adds with a factor in common", func(b *builder, x, y *ir.Value) *ir.Value {
			return op(b, isa.Fma, x, y, op(b, isa.Fma, f(b, 3), x, y))
		}, noOp, map[isa.Op]int{isa.Fma: 1, isa.FAdd: 1}},
		{"1 / x", func(b *builder, x, _ *ir.Value) *ir.Value { return op(b, isa.FDiv, f(b, 1), x) }, isa.FDiv, map[isa.Op]int{isa.Rcp: 1, isa.FMul: 0}},
		{"sqrt(x) squared", func(b *builder, x, _ *ir.Value) *ir.Value {
			r := op(b, isa.Sqrt, x)
			return op(b, isa.FMul, r, r)
		}, isa.Sqrt, map[isa.Op]int{isa.FAbs: 1, isa.FMul: 0}},
		{"exp2(x) * exp2(y)", func(b *builder, x, y *ir.Value) *ir.Value {
			return op(b, isa.FMul, op(b, isa.Exp2, x), op(b, isa.Exp2, y))
		}, isa.FMul, map[isa.Op]int{isa.Exp2: 1, isa.FAdd: 1}},
		{"pow(x, 4)", func(b *builder, x, _ *ir.Value) *ir.Value { return op(b, isa.Pow, x, f(b, 4)) }, isa.Pow, map[isa.Op]int{isa.FMul: 2}},
		{"pow(x, 1/2)", func(b *builder, x, _ *ir.Value) *ir.Value { return op(b, isa.Pow, x, f(b, 0.5)) }, isa.Pow, map[isa.Op]int{isa.Sqrt: 1}},
		{"mod(x, 3)", func(b *builder, x, _ *ir.Value) *ir.Value { return op(b, isa.FMod, x, f(b, 3)) }, isa.FMod, map[isa.Op]int{isa.Floor: 1, isa.FMul: 2, isa.FSub: 1}},
		{"round(x)", func(b *builder, x, _ *ir.Value) *ir.Value { return op(b, isa.Round, x) }, isa.Round, map[isa.Op]int{isa.RoundEven: 1}},
		{"mix(x, y, x)", func(b *builder, x, y *ir.Value) *ir.Value {
			rest := op(b, isa.FSub, f(b, 1), x)
			list := []*ir.Value{rest, op(b, isa.FMul, y, rest), op(b, isa.FMul, f(b, 7), x)}
			list = append(list, op(b, isa.FAdd, list[1], list[2]))
			for _, v := range list {
				v.SPIRV = 100
			}
			return list[3]
		}, noOp, map[isa.Op]int{isa.FMul: 1, isa.FSub: 1, isa.FAdd: 1}},
	} {
		for _, forbids := range []struct {
			name string
			o    Options
			by   func(f *ir.Func)
		}{
			{"", Options{}, func(*ir.Func) {}},
			{"NoContraction", Options{}, func(f *ir.Func) { eachValue(f, func(v *ir.Value) { v.NoContract = true }) }},
			{"SignedZeroInfNanPreserve", Options{}, func(f *ir.Func) { f.PreservedWidths = 32 }},
			{"a kernel", Options{}, func(f *ir.Func) { f.Kernel = true }},
			{"precise math", Options{Precise: true}, func(*ir.Func) {}},
			{"HIP", Options{SelectBuffers: true}, func(*ir.Func) {}},
		} {
			b := newBuilder(t)
			lane := b.op(isa.Shl, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(2))
			load := func(binding int) *ir.Value {
				m := word(binding)
				m.Elem = isa.F32
				return b.load(m, lane)
			}
			m := word(2)
			m.Elem = isa.F32
			b.store(m, lane, c.of(b, load(0), load(1)))
			b.ret()
			forbids.by(b.f)
			setBlocks(b.f)
			gatherConstants(b.f, Options{})
			inexact(b.f, forbids.o)
			gvn(b.f, Options{})
			cleanup(b.f, Options{})
			if err := ir.Verify(b.f); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			if got := count(b.f, c.gone) == 0; c.gone != noOp && got != (forbids.name == "") {
				t.Errorf("%s, forbidden by %q: changed %t\n%s", c.name, forbids.name, got, printed(b.f))
			}
			same := true
			for op, want := range c.left {
				got := count(b.f, op)
				same = same && got == want
				if forbids.name == "" && got != want {
					t.Errorf("%s: %d of %s, want %d\n%s", c.name, got, isa.Table[op].Name, want, printed(b.f))
				}
			}
			if c.gone == noOp && forbids.name != "" && same {
				t.Errorf("%s, forbidden by %q: changed\n%s", c.name, forbids.name, printed(b.f))
			}
		}
	}
}

// Over the wave, a reduction or a scan of what all lanes share counts lanes, or is the value itself; so with descriptors only.
func TestReductionsOfEqualValues(t *testing.T) {
	for _, c := range []struct {
		op          isa.Op
		group       isa.GroupOperator
		cluster     int
		lanes       bool // the operand differs among lanes
		pointers    bool
		kept, count int
	}{
		{isa.Reduce, isa.GroupIAdd, 0, false, false, 0, 1},
		{isa.Reduce, isa.GroupUMax, 0, false, false, 0, 0},
		{isa.InclusiveScan, isa.GroupSMin, 0, false, false, 0, 0},
		{isa.InclusiveScan, isa.GroupIAdd, 0, false, false, 0, 0},
		{isa.ExclusiveScan, isa.GroupIAdd, 0, false, false, 0, 0},
		{isa.Reduce, isa.GroupIAdd, 4, false, false, 1, 0},
		{isa.Reduce, isa.GroupIMul, 0, false, false, 1, 0},
		{isa.Reduce, isa.GroupIAdd, 0, true, false, 1, 0},
		{isa.Reduce, isa.GroupIAdd, 0, false, true, 1, 0},
	} {
		b := newBuilder(t)
		lane := b.op(isa.Shl, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(2))
		x := b.op(isa.WorkgroupIDX, isa.I32)
		if c.lanes {
			x = lane
		}
		v := b.op(c.op, isa.I32, x)
		v.Imm = isa.GroupImm(c.group, c.cluster)
		b.store(word(0), lane, v)
		b.ret()
		Run(b.f, Options{WaveSize: 64, SelectBuffers: c.pointers})
		if got := count(b.f, c.op); got != c.kept || count(b.f, isa.BitCount) != c.count {
			t.Errorf("%+v: %d kept, want %d\n%s", c, got, c.kept, printed(b.f))
		}
	}
}
