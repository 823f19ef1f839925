package opt

import (
	"math"
	"math/rand/v2"
	"testing"

	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/program/ir"
)

// precisely is op on one or two loaded numbers, expanded.
func precisely(t *testing.T, op isa.Op) *expansion {
	b := newBuilder(t)
	number := word(1)
	number.Elem = isa.F32
	x, y := b.load(number, b.c(0)), b.load(number, b.c(4))
	args := []*ir.Value{x, y}[:isa.NumSources(op)]
	st := b.store(ir.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Elem: isa.F32}}, b.c(0), b.op(op, isa.F32, args...))
	b.ret()
	gatherConstants(b.f, Options{})
	precise(b.f, Options{Precise: true})
	suite.OK(t, ir.Verify(b.f))
	return &expansion{b.f, x, y, st.Args[1], make([]uint64, b.f.NumValues())}
}

func (e *expansion) number(x, y float32) float32 {
	return math.Float32frombits(uint32(e.eval(uint64(math.Float32bits(x)), uint64(math.Float32bits(y)))))
}

// off returns the error of got in units in the last place of a float near want.
func off(got float32, want float64) float64 {
	near := float32(want)
	switch {
	case want != want && got != got, float64(got) == want, math.IsInf(float64(near), 0) && got == near:
		return 0
	case got != got || want != want:
		return math.Inf(1)
	}
	_, e := math.Frexp(float64(near))
	return math.Abs(float64(got)-want) / math.Ldexp(1, max(e, -125)-24)
}

var cornersOfFloats = []float32{0, float32(math.Copysign(0, -1)), 1, -1, 2, -2, 0.5, -0.5, 3, -3, 1.5, 0x1p-126, 0x1p-149, -0x1p-149, 0x1.fffffep-127, 0x1.fffffep+127, -0x1.fffffep+127, 0x1p+126, 0x1p-100, 0x1p+100,
	float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 88.5, 88.8, -87, -103.5, -104, 127.9, 128, -126.5, -149, -150.5, math.Pi, math.Pi / 2, 0x1p+17, 0x1.fffffep+16, 1e10, 0.99999994, 1.0000001}

// The bounds are those of the OpenCL C specification (relative error as ULPs, full profile); division and square roots are rounded once, as builds of HIP have them.
func TestPreciseNumbers(t *testing.T) {
	for _, c := range []struct {
		op    isa.Op
		want  func(x, y float64) float64
		bound float64
		scale int // exponents of the random numbers, of either sign
	}{
		{isa.FDiv, func(x, y float64) float64 { return x / y }, 0.5, 149},
		{isa.Sqrt, func(x, _ float64) float64 { return math.Sqrt(x) }, 0.5, 149},
		{isa.Exp, func(x, _ float64) float64 { return math.Exp(x) }, 3, 7},
		{isa.Exp2, func(x, _ float64) float64 { return math.Exp2(x) }, 3, 8},
		{isa.Log, func(x, _ float64) float64 { return math.Log(x) }, 3, 149},
		{isa.Log2, func(x, _ float64) float64 { return math.Log2(x) }, 3, 149},
		{isa.Pow, math.Pow, 16, 7},
		{isa.Sin, func(x, _ float64) float64 { return math.Sin(x) }, 4, 127},
		{isa.Cos, func(x, _ float64) float64 { return math.Cos(x) }, 4, 127},
	} {
		e, worst, numbers := precisely(t, c.op), 0.0, rand.New(rand.NewPCG(7, 8))
		if count(e.f, c.op) != map[isa.Op]int{isa.Sqrt: 1, isa.Exp2: 1, isa.Log2: 1}[c.op] {
			t.Errorf("%v: %d are left", c.op, count(e.f, c.op))
		}
		try := func(x, y float32) {
			got, want := e.number(x, y), c.want(float64(x), float64(y))
			if o := off(got, want); o > c.bound {
				t.Errorf("%v of %x and %x: %x, want %x: off by %g ULPs, want at most %g", c.op, x, y, got, want, o, c.bound)
			} else {
				worst = max(worst, o)
			}
		}
		for _, x := range cornersOfFloats {
			for _, y := range cornersOfFloats {
				try(x, y)
			}
		}
		for range 6000 {
			try(someFloat(numbers, c.scale), someFloat(numbers, c.scale))
		}
		t.Logf("%v: at most %.3f ULPs", c.op, worst)
	}
}

// someFloat has any significand, and an exponent within bounds.
func someFloat(r *rand.Rand, scale int) float32 {
	x := math.Ldexp(1+r.Float64(), r.IntN(2*scale)-scale)
	if r.IntN(3) == 0 {
		x = -x
	}
	return float32(x)
}

// The sequences have no more instructions of the vector unit than LLVM's.
func TestLengthsOfPreciseNumbers(t *testing.T) {
	for op, want := range map[isa.Op]int{isa.FDiv: 11, isa.Sqrt: 16, isa.Exp: 13, isa.Exp2: 6, isa.Log2: 6, isa.Log: 12} {
		n := 0
		e := precisely(t, op)
		eachValue(e.f, func(v *ir.Value) {
			switch v.Op {
			case isa.Const, isa.Load, isa.Store, isa.Mov, isa.FNeg, isa.FAbs, isa.DivScaled: // modifiers, names and a mask that another writes
			default:
				n++
			}
		})
		if n != want {
			t.Errorf("%v: %d instructions, want %d", op, n, want)
		}
	}
}

// Without the option operations stay as they are.
func TestNumbersAreNativeUnlessTold(t *testing.T) {
	b := newBuilder(t)
	b.store(word(0), b.c(0), b.op(isa.FDiv, isa.F32, b.ct(isa.F32, one32), b.ct(isa.F32, one32)))
	b.ret()
	if precise(b.f, Options{}); count(b.f, isa.FDiv) != 1 {
		t.Error("the division is expanded")
	}
}
