package opencl

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/grammar"
)

// evaluator computes each operation at once, by its meaning for a lane.
type evaluator struct{}

func (evaluator) Constant(t isa.Type, bits uint64) *ir.Value {
	return &ir.Value{Op: isa.Const, T: t, R: t, Imm: bits & t.Mask()}
}

func (e evaluator) Emit(op isa.Op, t, from isa.Type, imm uint64, args ...*ir.Value) *ir.Value {
	x := make([]uint64, len(args))
	for i, a := range args {
		if want := isa.SourceType(op, i, t, from); want.Bits() != a.R.Bits() {
			panic(fmt.Sprintf("%s of %s: operand %d is %s", op, t, i, a.R))
		}
		x[i] = a.Imm
	}
	return e.Constant(isa.ResultType(op, t, from), isa.Eval(op, t, from, imm, x...))
}

func (evaluator) IfElse(is *ir.Value, yes, no func() []*ir.Value) []*ir.Value {
	if is.Imm != 0 {
		return yes()
	}
	return no()
}

// eval returns the first component of each result.
func eval(t testing.TB, op spirv.OpenCLstd, result isa.Type, args ...*ir.Value) []*ir.Value {
	t.Helper()
	call := Call{Emitter: evaluator{}, Result: result}
	for _, a := range args {
		call.Args = append(call.Args, []*ir.Value{a})
	}
	lists, err := Rows[op].Emit(call)
	if err != nil {
		t.Fatalf("%s: %v", op, err)
	}
	var out []*ir.Value
	for _, l := range lists {
		out = append(out, l[0])
	}
	return out
}

func number(t isa.Type, x float64) *ir.Value {
	return evaluator{}.Constant(t, isa.FloatBits(t, x))
}

// errorOf returns the distance of got from want in units of the last place of want, as a number of type t.
func errorOf(t isa.Type, got, want float64) float64 {
	infinity := isa.FloatBits(t, math.Inf(1))
	most := isa.FloatOf(t, infinity-1)
	if isa.FloatOf(t, isa.FloatBits(t, want)) == got {
		return 0
	}
	bits, least := int(mantissaBits[t])+1, map[isa.Type]int{isa.F16: -24, isa.F32: -149, isa.F64: -1074}[t]
	_, e := math.Frexp(math.Max(-most, math.Min(most, want)))
	unit := math.Ldexp(1, max(e-bits, least))
	finite := func(x float64) float64 { // infinity is one unit beyond the largest number
		if t != isa.F64 && math.Abs(x) > 2*most {
			return math.Copysign(most+unit, x)
		}
		if math.IsInf(x, 0) {
			return math.Copysign(most, x)
		}
		return x
	}
	return math.Abs(finite(got)/unit - finite(want)/unit)
}

// A bound is the error that OpenCL C allows a function, in units of the last place, for 32 bits and for 64 (OpenCL C
// 3.0, 7.4). The functions of math have an error below one unit of 64 bits, which want is given in addition.
type bound struct {
	op             spirv.OpenCLstd
	single, double float64
	want           func(x, y float64) float64
	operands       int
	low, high      float64 // range of arguments, in addition to those of all sizes
}

func bounds() []bound {
	one := func(f func(float64) float64) func(x, y float64) float64 {
		return func(x, _ float64) float64 { return f(x) }
	}
	pi := math.Pi
	sinpi := func(x float64) float64 { s, _ := piParts(x); return s }
	cospi := func(x float64) float64 { _, k := piParts(x); return k }
	return []bound{
		{spirv.OpenCLstdExp, 3, 3, one(func(x float64) float64 { return exp(x, 0) }), 1, -110, 95},
		{spirv.OpenCLstdExp2, 3, 3, one(func(x float64) float64 { return exp(x, 2) }), 1, -150, 130},
		{spirv.OpenCLstdExp10, 3, 3, one(func(x float64) float64 { return exp(x, 10) }), 1, -46, 39},
		{spirv.OpenCLstdExpm1, 3, 3, one(math.Expm1), 1, -5, 5},
		{spirv.OpenCLstdLog, 3, 3, one(func(x float64) float64 { return log(x, 0) }), 1, 0, 3},
		{spirv.OpenCLstdLog2, 3, 3, one(func(x float64) float64 { return log(x, 2) }), 1, 0, 3},
		{spirv.OpenCLstdLog10, 3, 3, one(func(x float64) float64 { return log(x, 10) }), 1, 0, 3},
		{spirv.OpenCLstdLog1p, 2, 2, one(math.Log1p), 1, -1, 3},
		{spirv.OpenCLstdPow, 16, 16, pow, 2, 0, 20},
		{spirv.OpenCLstdSqrt, 3, 0.5, one(math.Sqrt), 1, 0, 3},
		{spirv.OpenCLstdRsqrt, 2, 2, one(func(x float64) float64 { return 1 / math.Sqrt(x) }), 1, 0, 3},
		{spirv.OpenCLstdCbrt, 2, 2, one(math.Cbrt), 1, -30, 30},
		{spirv.OpenCLstdHypot, 4, 4, math.Hypot, 2, -5, 5},
		{spirv.OpenCLstdSinh, 4, 4, one(sinh), 1, -3, 3},
		{spirv.OpenCLstdCosh, 4, 4, one(cosh), 1, -90, 90},
		{spirv.OpenCLstdTanh, 5, 5, one(math.Tanh), 1, -3, 3},
		{spirv.OpenCLstdAsinh, 4, 4, one(math.Asinh), 1, -3, 3},
		{spirv.OpenCLstdAcosh, 4, 4, one(math.Acosh), 1, 1, 3},
		{spirv.OpenCLstdAtanh, 5, 5, one(math.Atanh), 1, -1, 1},
		{spirv.OpenCLstdSin, 4, 4, one(func(x float64) float64 { s, _ := sincos(x); return s }), 1, -10, 10},
		{spirv.OpenCLstdCos, 4, 4, one(func(x float64) float64 { _, k := sincos(x); return k }), 1, -10, 10},
		{spirv.OpenCLstdTan, 5, 5, one(func(x float64) float64 { s, k := sincos(x); return s / k }), 1, -10, 10},
		{spirv.OpenCLstdSincos, 4, 4, one(func(x float64) float64 { s, _ := sincos(x); return s }), 1, -10, 10},
		{spirv.OpenCLstdSinpi, 4, 4, one(sinpi), 1, -5, 5},
		{spirv.OpenCLstdCospi, 4, 4, one(cospi), 1, -5, 5},
		{spirv.OpenCLstdTanpi, 6, 6, one(func(x float64) float64 { s, k := piParts(x); return s / k }), 1, -5, 5},
		{spirv.OpenCLstdAsin, 4, 4, one(asin), 1, -1, 1},
		{spirv.OpenCLstdAcos, 4, 4, one(acos), 1, -1, 1},
		{spirv.OpenCLstdAtan, 5, 5, one(math.Atan), 1, -3, 3},
		{spirv.OpenCLstdAtan2, 6, 6, atan2, 2, -3, 3},
		{spirv.OpenCLstdAsinpi, 5, 5, one(func(x float64) float64 { return asin(x) / pi }), 1, -1, 1},
		{spirv.OpenCLstdAcospi, 5, 5, one(func(x float64) float64 { return acos(x) / pi }), 1, -1, 1},
		{spirv.OpenCLstdAtanpi, 5, 5, one(func(x float64) float64 { return math.Atan(x) / pi }), 1, -3, 3},
		{spirv.OpenCLstdAtan2pi, 6, 6, func(y, x float64) float64 { return atan2(y, x) / pi }, 2, -3, 3},
		{spirv.OpenCLstdErf, 16, 16, one(math.Erf), 1, -5, 5},
		{spirv.OpenCLstdErfc, 16, 16, one(math.Erfc), 1, -4, 11},
		{spirv.OpenCLstdTgamma, 16, 16, one(gamma), 1, -40, 36},
	}
}

// piParts returns sine and cosine of pi*x.
func piParts(x float64) (float64, float64) {
	if math.IsInf(x, 0) {
		return math.NaN(), math.NaN()
	}
	r := math.Mod(x, 2)
	n := math.RoundToEven(2 * r)
	s, k := math.Sincos(math.Pi * (r - n/2))
	for range (int(n) + 8) % 4 {
		s, k = k, -s
	}
	if k == 0 { // +0 at each half
		k = 0
	}
	return s, k
}

// References in 200 bits, for functions that package math computes with many units of error for some arguments.

const precision = 200

func float(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

// ln2 is the sum of 1/(n*2^n).
var ln2 = func() *big.Float {
	sum := float(0)
	for n := 1; n < precision+10; n++ {
		term := float(math.Ldexp(1, -n))
		sum.Add(sum, term.Quo(term, float(float64(n))))
	}
	return sum
}()

func exactExp(x *big.Float) *big.Float {
	f, _ := x.Float64()
	k := int(math.Round(f / math.Ln2))
	r := new(big.Float).Sub(x, new(big.Float).Mul(ln2, float(float64(k))))
	r.SetMantExp(r, -8)
	sum, term := float(1), float(1)
	for n := 1; n < 25; n++ {
		term.Mul(term, r)
		term.Quo(term, float(float64(n)))
		sum.Add(sum, term)
	}
	for range 8 {
		sum.Mul(sum, sum)
	}
	return sum.SetMantExp(sum, k)
}

// exactLog corrects an estimate by a step of Newton's method.
func exactLog(x float64) *big.Float {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	return new(big.Float).Add(logNear(float(m)), new(big.Float).Mul(ln2, float(float64(e))))
}

func logNear(x *big.Float) *big.Float {
	f, _ := x.Float64()
	y := float(math.Log(f))
	step := exactExp(new(big.Float).Neg(y))
	step.Mul(step, x)
	return y.Add(y, step.Sub(step, float(1)))
}

// exactPi has the bits that the largest double takes: by J. Machin's formula, 16 atan(1/5) - 4 atan(1/239).
var exactPi = func() *big.Float {
	const precision = 1300
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }
	atan := func(inverse float64) *big.Float {
		sum, power := number(0), new(big.Float).Quo(number(1), number(inverse))
		for n := 1.0; power.MantExp(nil) > -precision; n += 2 {
			term := new(big.Float).Quo(power, number(n))
			if int(n)%4 == 3 {
				term.Neg(term)
			}
			sum.Add(sum, term)
			power.Quo(power, number(inverse*inverse))
		}
		return sum
	}
	a, b := atan(5), atan(239)
	return a.Sub(a.Mul(a, number(16)), b.Mul(b, number(4)))
}()

// sincos reduces x by exactPi.
func sincos(x float64) (sin, cos float64) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return math.Sincos(x)
	}
	quarter := new(big.Float).SetMantExp(exactPi, -1)
	n, _ := new(big.Float).Add(new(big.Float).Quo(new(big.Float).SetPrec(1300).SetFloat64(x), quarter), float(math.Copysign(0.5, x))).Int(nil)
	r := new(big.Float).Sub(new(big.Float).SetPrec(1300).SetFloat64(x), new(big.Float).Mul(quarter, new(big.Float).SetPrec(1300).SetInt(n)))
	high, _ := r.Float64()
	low, _ := r.Sub(r, new(big.Float).SetFloat64(high)).Float64()
	s, k := math.Sincos(high)
	if high == 0 {
		s = x
	}
	s, k = s+low*k, k-low*s
	for range new(big.Int).And(n, big.NewInt(3)).Int64() {
		s, k = k, -s
	}
	return s, k
}

// gamma is Stirling's formula for x+40 in 200 bits, divided by the factors between.
func gamma(x float64) float64 {
	g := math.Gamma(x)
	if math.IsNaN(g) || math.IsInf(g, 0) || g == 0 || math.IsInf(x, 0) {
		return g
	}
	if x < 0 {
		sin, _ := piParts(x)
		f, _ := new(big.Float).Quo(float(math.Pi), new(big.Float).Mul(float(sin), gammaOf(new(big.Float).Sub(float(1), float(x))))).Float64()
		return f
	}
	f, _ := gammaOf(float(x)).Float64()
	return f
}

func gammaOf(x *big.Float) *big.Float {
	factors, y := float(1), new(big.Float).Copy(x)
	for range 40 {
		factors.Mul(factors, y)
		y.Add(y, float(1))
	}
	m := new(big.Float)
	e := y.MantExp(m)
	ln := new(big.Float).Add(logNear(m), new(big.Float).Mul(ln2, float(float64(e))))
	sum := new(big.Float).Mul(new(big.Float).Sub(y, float(0.5)), ln)
	sum.Sub(sum, y)
	twoPi := new(big.Float).SetPrec(precision).SetMantExp(exactPi, -2) // pi/4
	half := new(big.Float).Add(logNear(twoPi), new(big.Float).Mul(ln2, float(3)))
	sum.Add(sum, half.Quo(half, float(2)))
	power := new(big.Float).Copy(y)
	for _, b := range [][2]float64{{1, 12}, {-1, 360}, {1, 1260}, {-1, 1680}, {1, 1188}, {-691, 360360}, {1, 156}, {-3617, 122400}} {
		term := new(big.Float).Quo(float(b[0]), float(b[1]))
		sum.Add(sum, term.Quo(term, power))
		power.Mul(power, new(big.Float).Mul(y, y))
	}
	return new(big.Float).Quo(exactExp(sum), factors)
}

// expOf is the exponential of a product.
func expOf(factors ...*big.Float) float64 {
	x := float(1)
	for _, f := range factors {
		x.Mul(x, f)
	}
	if f, _ := x.Float64(); f > 800 || f < -800 {
		return math.Exp(f)
	}
	f, _ := exactExp(x).Float64()
	return f
}

func exp(x, base float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return math.Exp(x)
	}
	if base == 0 {
		return expOf(float(x))
	}
	return expOf(float(x), exactLog(base))
}

func log(x, base float64) float64 {
	if !(x > 0) || math.IsInf(x, 0) {
		return math.Log(x)
	}
	y := exactLog(x)
	if base != 0 {
		y.Quo(y, exactLog(base))
	}
	f, _ := y.Float64()
	return f
}

func cosh(x float64) float64 {
	if x = math.Abs(x); x > 40 && x < 800 {
		f, _ := exactExp(new(big.Float).Sub(float(x), ln2)).Float64()
		return f
	}
	return math.Cosh(x)
}

func sinh(x float64) float64 {
	if math.Abs(x) > 40 && math.Abs(x) < 800 {
		return math.Copysign(cosh(x), x)
	}
	return math.Sinh(x)
}

func pow(x, y float64) float64 {
	r := math.Pow(x, y)
	if x == 0 || y == 0 || x == 1 || math.IsNaN(r) || math.IsInf(x, 0) || math.IsInf(y, 0) {
		return r
	}
	return math.Copysign(expOf(float(y), exactLog(math.Abs(x))), r)
}

func asin(x float64) float64 { return math.Atan2(x, math.Sqrt((1-x)*(1+x))) }
func acos(x float64) float64 { return 2 * math.Atan2(math.Sqrt(1-x), math.Sqrt(1+x)) }

// atan2 has the sign of y, also where the quotient underflows.
func atan2(y, x float64) float64 { return math.Copysign(math.Atan2(math.Abs(y), x), y) }

// edges are the arguments at which functions differ from their formulas.
var edges = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 2, -2, 3, -3, 1.5, 1e-3, -1e-3, 1e-6, 1e-12, 0x1p-126, 0x1p-149, -0x1p-149, 0x1p-1022, 0x1p-1074,
	0x1.fffffep127, -0x1.fffffep127, 1e300, math.MaxFloat64, 1e10, -1e10, 0x1p17, 0x1p20, 0x1.921fb6p+0, 16367173 * 0x1p72, 6381956970095103 * 0x1p797,
	88.7, 89, -103.9, 709.7, 710, -745, 127, 128, -149, 35.03, 35.05, 171.6, 172, -0.99999, 0.99999994, 1.0000001, 4, 8, 10, 28, -1.5, -2.5, -33.5,
	math.Inf(1), math.Inf(-1), math.NaN()}

// arguments returns the edges, numbers of all sizes and numbers of a range, as numbers of type t.
func arguments(t isa.Type, random *rand.Rand, b bound, n int) [][2]float64 {
	round := func(x float64) float64 { return isa.FloatOf(t, isa.FloatBits(t, x)) }
	var list [][2]float64
	for _, x := range edges {
		if b.operands == 1 {
			list = append(list, [2]float64{round(x)})
			continue
		}
		for _, y := range edges {
			list = append(list, [2]float64{round(x), round(y)})
		}
	}
	draw := func() float64 { return round(b.low + (b.high-b.low)*random.Float64()) }
	anySize := func() float64 { return isa.FloatOf(t, random.Uint64()&t.Mask()) }
	small := func() float64 { return round(draw() * math.Ldexp(1, -random.IntN(30))) }
	for range n {
		list = append(list, [2]float64{draw(), draw()}, [2]float64{anySize(), anySize()}, [2]float64{small(), draw()}, [2]float64{draw(), small()})
	}
	return list
}

// TestErrors compares each function with math's, in double precision, and asserts the error that OpenCL C allows.
func TestErrors(t *testing.T) {
	n := 1000
	if testing.Short() {
		n = 300
	}
	for _, b := range bounds() {
		for _, typ := range []isa.Type{isa.F32, isa.F64, isa.F16} {
			limit, slack := b.single, 0.0
			if typ == isa.F64 {
				limit, slack = b.double, 2 // of package math
			}
			if typ == isa.F16 {
				limit = 1
			}
			random := rand.New(rand.NewPCG(1, uint64(b.op)))
			worst, at := 0.0, [2]float64{}
			for _, a := range arguments(typ, random, b, n) {
				want := b.want(a[0], a[1])
				args := []*ir.Value{number(typ, a[0])}
				if b.operands == 2 {
					args = append(args, number(typ, a[1]))
				}
				got := isa.FloatOf(typ, eval(t, b.op, typ, args...)[0].Imm)
				e := 0.0
				switch {
				case want != want || got != got:
					if (want != want) != (got != got) {
						e = math.Inf(1)
					}
				default:
					e = errorOf(typ, got, want)
				}
				if e > worst {
					worst, at = e, a
				}
			}
			t.Logf("%-8s %s: %.2f at %x", b.op, typ, worst, at)
			if worst > limit+slack {
				t.Errorf("%s %s: an error of %.2f units at %g (%x): want at most %g", b.op, typ, worst, at, at, limit)
			}
		}
	}
}

// TestWholePowers compares pown and rootn with pow in 200 bits, and the cases that only they have with OpenCL C's text
// (3.0, 7.5.1).
func TestWholePowers(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	nan, inf, zero := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	for _, typ := range []isa.Type{isa.F32, isa.F64} {
		check := func(op spirv.OpenCLstd, x float64, n int32, want float64) {
			t.Helper()
			x = isa.FloatOf(typ, isa.FloatBits(typ, x))
			got := isa.FloatOf(typ, eval(t, op, typ, number(typ, x), evaluator{}.Constant(isa.I32, uint64(uint32(n))))[0].Imm)
			same := got == want && math.Signbit(got) == math.Signbit(want) || got != got && want != want
			if !same && !(errorOf(typ, got, want) <= 16) {
				t.Errorf("%s(%g, %d) of %s is %g: want %g", op, x, n, typ, got, want)
			}
		}
		for range 2000 {
			x, n := isa.FloatOf(typ, isa.FloatBits(typ, random.NormFloat64()*3)), int32(random.IntN(200)-100)
			check(spirv.OpenCLstdPown, x, n, pow(x, float64(n)))
			if n == 0 || x < 0 && n%2 == 0 {
				check(spirv.OpenCLstdRootn, x, n, nan)
				continue
			}
			check(spirv.OpenCLstdRootn, x, n, math.Copysign(expOf(new(big.Float).Quo(exactLog(math.Abs(x)), float(float64(n)))), x))
		}
		for _, c := range []struct {
			op   spirv.OpenCLstd
			x    float64
			n    int32
			want float64
		}{
			{spirv.OpenCLstdPown, nan, 0, 1}, {spirv.OpenCLstdPown, zero, -3, -inf}, {spirv.OpenCLstdPown, zero, -2, inf}, {spirv.OpenCLstdPown, zero, 3, zero}, {spirv.OpenCLstdPown, 0, 2, 0},
			{spirv.OpenCLstdPown, -inf, 3, -inf}, {spirv.OpenCLstdPown, -inf, -2, 0}, {spirv.OpenCLstdPown, -2, -2147483648, 0}, {spirv.OpenCLstdPown, -1, 2147483647, -1},
			{spirv.OpenCLstdRootn, zero, -3, -inf}, {spirv.OpenCLstdRootn, zero, -2, inf}, {spirv.OpenCLstdRootn, zero, 2, 0}, {spirv.OpenCLstdRootn, zero, 3, zero},
			{spirv.OpenCLstdRootn, -2, 2, nan}, {spirv.OpenCLstdRootn, 2, 0, nan}, {spirv.OpenCLstdRootn, inf, -2, 0}, {spirv.OpenCLstdRootn, -inf, 3, -inf}, {spirv.OpenCLstdRootn, nan, 3, nan},
		} {
			check(c.op, c.x, c.n, c.want)
		}
		for _, c := range [][3]float64{{0, -2, inf}, {zero, -2, inf}, {0, 2, 0}, {1, inf, nan}, {inf, 0, nan}, {0, 0, nan}, {-1, 2, nan}, {2, nan, nan}, {nan, 2, nan}, {3, 0, 1}, {2, 0.5, math.Sqrt2}, {0.5, inf, 0}, {2, -inf, 0}, {inf, 2, inf}} {
			got := isa.FloatOf(typ, eval(t, spirv.OpenCLstdPowr, typ, number(typ, c[0]), number(typ, c[1]))[0].Imm)
			if !(got != got && c[2] != c[2] || errorOf(typ, got, c[2]) <= 16) {
				t.Errorf("powr(%g, %g) of %s is %g: want %g", c[0], c[1], typ, got, c[2])
			}
		}
	}
}

// TestRemainders compares remainder, remquo and fmod with math's, which are exact.
func TestRemainders(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for _, typ := range []isa.Type{isa.F16, isa.F32, isa.F64} {
		for _, a := range arguments(typ, random, bound{operands: 2, low: -100, high: 100}, 500) {
			x, y := a[0], a[1]
			r := eval(t, spirv.OpenCLstdRemquo, typ, number(typ, x), number(typ, y))
			got, quotient := isa.FloatOf(typ, r[0].Imm), int32(r[1].Imm)
			want := math.Remainder(x, y)
			if got != want && (got == got || want == want) {
				t.Errorf("remainder(%g, %g) of %s is %g: want %g", x, y, typ, got, want)
			}
			if n := (x - want) / y; math.Abs(n) < 1<<20 && quotient != int32(math.Round(n))%128 {
				t.Errorf("remquo(%g, %g) of %s has quotient %d: want the low bits of %g", x, y, typ, quotient, n)
			}
			got = isa.FloatOf(typ, eval(t, spirv.OpenCLstdFmod, typ, number(typ, x), number(typ, y))[0].Imm)
			if want := math.Mod(x, y); got != want && (got == got || want == want) {
				t.Errorf("fmod(%g, %g) of %s is %g: want %g", x, y, typ, got, want)
			}
		}
	}
}

// TestLogGamma compares with math's, which has no small relative error near zeros of the function either.
func TestLogGamma(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	for typ, limit := range map[isa.Type]float64{isa.F32: 0x1p-20, isa.F64: 0x1p-48} {
		for _, a := range arguments(typ, random, bound{operands: 1, low: -30, high: 60}, 1000) {
			r := eval(t, spirv.OpenCLstdLgammaR, typ, number(typ, a[0]))
			got := isa.FloatOf(typ, r[0].Imm)
			want, sign := math.Lgamma(a[0])
			if x := math.Abs(a[0]); x < 0x1p-60 {
				want = -log(x, 0)
			}
			want = isa.FloatOf(typ, isa.FloatBits(typ, want))
			if got != want && !(got != got && want != want) && !(math.Abs(got-want) <= limit*math.Max(1, math.Abs(want))) {
				t.Errorf("lgamma(%g) of %s is %g: want %g", a[0], typ, got, want)
			}
			if s := int32(r[1].Imm); got-got == 0 && int(s) != sign {
				t.Errorf("lgamma_r(%g) of %s has sign %d: want %d", a[0], typ, s, sign)
			}
		}
	}
}

// TestParts checks functions with exact results by what defines them.
func TestParts(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for _, typ := range []isa.Type{isa.F16, isa.F32, isa.F64} {
		of := func(op spirv.OpenCLstd, args ...float64) float64 {
			var list []*ir.Value
			for _, a := range args {
				list = append(list, number(typ, a))
			}
			return isa.FloatOf(typ, eval(t, op, typ, list...)[0].Imm)
		}
		same := func(a, b float64) bool { return a == b || a != a && b != b }
		for _, a := range arguments(typ, random, bound{operands: 2, low: -10, high: 10}, 300) {
			x, y := a[0], a[1]
			wants := []struct {
				op   spirv.OpenCLstd
				want float64
			}{
				{spirv.OpenCLstdFdim, math.Dim(x, y)}, {spirv.OpenCLstdCopysign, math.Copysign(x, y)}, {spirv.OpenCLstdFmin, isa.MinNum(x, y)}, {spirv.OpenCLstdFmax, isa.MaxNum(x, y)},
			}
			if math.IsInf(x, 0) && x == y {
				wants = wants[1:] // math.Dim has a NaN there, and C says 0
			}
			for _, w := range wants {
				if got := of(w.op, x, y); !same(got, isa.FloatOf(typ, isa.FloatBits(typ, w.want))) {
					t.Errorf("%s(%g, %g) of %s is %g: want %g", w.op, x, y, typ, got, w.want)
				}
			}
			next := of(spirv.OpenCLstdNextafter, x, y)
			switch typ {
			case isa.F32:
				if want := math.Nextafter32(float32(x), float32(y)); !same(next, float64(want)) {
					t.Errorf("nextafter(%g, %g) is %g: want %g", x, y, next, want)
				}
			case isa.F64:
				if want := math.Nextafter(x, y); !same(next, want) {
					t.Errorf("nextafter(%g, %g) is %g: want %g", x, y, next, want)
				}
			}
			whole, fraction := math.Modf(x)
			if math.IsInf(x, 0) {
				fraction = math.Copysign(0, x)
			}
			r := eval(t, spirv.OpenCLstdModf, typ, number(typ, x))
			if f, w := isa.FloatOf(typ, r[0].Imm), isa.FloatOf(typ, r[1].Imm); !same(f, fraction) || !same(w, whole) || math.Signbit(f) != math.Signbit(x) && x == x {
				t.Errorf("modf(%g) of %s is %g, %g: want %g, %g", x, typ, f, w, fraction, whole)
			}
			r = eval(t, spirv.OpenCLstdFract, typ, number(typ, x))
			if f, w := isa.FloatOf(typ, r[0].Imm), isa.FloatOf(typ, r[1].Imm); x-x == 0 && (w != math.Floor(x) || f < 0 || f >= 1 || math.Abs(f-(x-w)) > 0x1p-11) {
				t.Errorf("fract(%g) of %s is %g, %g", x, typ, f, w)
			}
			if x != 0 && x-x == 0 {
				if got := int32(eval(t, spirv.OpenCLstdIlogb, isa.I32, number(typ, x))[0].Imm); got != int32(math.Ilogb(x)) {
					t.Errorf("ilogb(%g) of %s is %d: want %d", x, typ, got, math.Ilogb(x))
				}
			}
			if got := of(spirv.OpenCLstdLogb, x); !same(got, math.Logb(x)) {
				t.Errorf("logb(%g) of %s is %g: want %g", x, typ, got, math.Logb(x))
			}
		}
	}
}

// TestIntegers compares with integers of any size.
func TestIntegers(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	for _, typ := range []isa.Type{isa.I8, isa.I16, isa.I32, isa.I64} {
		w := typ.Bits()
		signed := func(x uint64) *big.Int { return big.NewInt(int64(x<<(64-w)) >> (64 - w)) }
		unsigned := func(x uint64) *big.Int { return new(big.Int).SetUint64(x) }
		least, most, all := new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), w-1)), unsigned(typ.Mask()>>1), unsigned(typ.Mask())
		within := func(x, low, high *big.Int) *big.Int {
			if x.Cmp(low) < 0 {
				return low
			}
			if x.Cmp(high) > 0 {
				return high
			}
			return x
		}
		add := func(a ...*big.Int) *big.Int {
			sum := new(big.Int)
			for _, x := range a {
				sum.Add(sum, x)
			}
			return sum
		}
		mul := func(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) }
		neg := func(a *big.Int) *big.Int { return new(big.Int).Neg(a) }
		half := func(a *big.Int) *big.Int { return new(big.Int).Rsh(a, 1) }
		high := func(a *big.Int) *big.Int { return new(big.Int).Rsh(a, w) }
		one, zero := big.NewInt(1), new(big.Int)
		draw := func() uint64 {
			if random.IntN(3) == 0 {
				return []uint64{0, 1, typ.Mask(), typ.Mask() >> 1, typ.Mask()>>1 + 1}[random.IntN(5)]
			}
			return random.Uint64() >> random.IntN(64) & typ.Mask()
		}
		for range 500 {
			x, y, z := draw(), draw(), draw()
			a, b, d, ua, ub, ud := signed(x), signed(y), signed(z), unsigned(x), unsigned(y), unsigned(z)
			clz, ctz := int64(w)-int64(ua.BitLen()), int64(w)
			if x != 0 {
				ctz = int64(ua.TrailingZeroBits())
			}
			n := uint(y % uint64(w))
			for op, want := range map[spirv.OpenCLstd]*big.Int{
				spirv.OpenCLstdSAbs: new(big.Int).Abs(a), spirv.OpenCLstdUAbs: ua,
				spirv.OpenCLstdSAbsDiff: new(big.Int).Abs(add(a, neg(b))), spirv.OpenCLstdUAbsDiff: new(big.Int).Abs(add(ua, neg(ub))),
				spirv.OpenCLstdSAddSat: within(add(a, b), least, most), spirv.OpenCLstdUAddSat: within(add(ua, ub), zero, all),
				spirv.OpenCLstdSSubSat: within(add(a, neg(b)), least, most), spirv.OpenCLstdUSubSat: within(add(ua, neg(ub)), zero, all),
				spirv.OpenCLstdSHadd: half(add(a, b)), spirv.OpenCLstdUHadd: half(add(ua, ub)),
				spirv.OpenCLstdSRhadd: half(add(a, b, one)), spirv.OpenCLstdURhadd: half(add(ua, ub, one)),
				spirv.OpenCLstdSMulHi: high(mul(a, b)), spirv.OpenCLstdUMulHi: high(mul(ua, ub)),
				spirv.OpenCLstdSMadHi: add(high(mul(a, b)), d), spirv.OpenCLstdUMadHi: add(high(mul(ua, ub)), ud),
				spirv.OpenCLstdSMadSat: within(add(mul(a, b), d), least, most), spirv.OpenCLstdUMadSat: within(add(mul(ua, ub), ud), zero, all),
				spirv.OpenCLstdClz: big.NewInt(clz), spirv.OpenCLstdCtz: big.NewInt(ctz),
				spirv.OpenCLstdRotate:    new(big.Int).Or(new(big.Int).Lsh(ua, n), new(big.Int).Rsh(ua, w-n)),
				spirv.OpenCLstdBitselect: unsigned(x&^z | y&z),
			} {
				var args []*ir.Value
				for _, v := range []uint64{x, y, z}[:Rows[op].Operands] {
					args = append(args, evaluator{}.Constant(typ, v))
				}
				got := unsigned(eval(t, op, typ, args...)[0].Imm)
				if got.Cmp(new(big.Int).And(want, all)) != 0 {
					t.Errorf("%s(%#x, %#x, %#x) of %s is %#x: want %#x", op, x, y, z, typ, got, want)
				}
			}
		}
	}
}

// TestNatives asks for the machine's instructions, with at most 8192 units of error.
func TestNatives(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for op, want := range map[spirv.OpenCLstd]func(x, y float64) float64{
		spirv.OpenCLstdHalfExp: func(x, _ float64) float64 { return math.Exp(x) }, spirv.OpenCLstdHalfExp10: func(x, _ float64) float64 { return math.Pow(10, x) },
		spirv.OpenCLstdHalfLog: func(x, _ float64) float64 { return math.Log(x) }, spirv.OpenCLstdHalfLog10: func(x, _ float64) float64 { return math.Log10(x) },
		spirv.OpenCLstdHalfTan: func(x, _ float64) float64 { return math.Tan(x) }, spirv.OpenCLstdHalfDivide: func(x, y float64) float64 { return x / y },
		spirv.OpenCLstdHalfPowr: math.Pow, spirv.OpenCLstdNativePowr: math.Pow, spirv.OpenCLstdNativeExp2: func(x, _ float64) float64 { return math.Exp2(x) },
	} {
		for range 300 {
			x, y := float64(float32(random.Float64()*3+0.01)), float64(float32(random.Float64()*3+0.01))
			args := []*ir.Value{number(isa.F32, x), number(isa.F32, y)}[:Rows[op].Operands]
			got := isa.FloatOf(isa.F32, eval(t, op, isa.F32, args...)[0].Imm)
			if e := errorOf(isa.F32, got, want(x, y)); e > 8192 {
				t.Errorf("%s(%g, %g) has an error of %g units", op, x, y, e)
			}
		}
	}
}

// TestVectors checks instructions on whole vectors.
func TestVectors(t *testing.T) {
	vector := func(xs ...float64) (list []*ir.Value) {
		for _, x := range xs {
			list = append(list, number(isa.F32, x))
		}
		return list
	}
	words := func(xs ...uint64) (list []*ir.Value) {
		for _, x := range xs {
			list = append(list, evaluator{}.Constant(isa.I32, x))
		}
		return list
	}
	nan := math.NaN()
	for _, c := range []struct {
		op   spirv.OpenCLstd
		args [][]*ir.Value
		want []float64
	}{
		{spirv.OpenCLstdCross, [][]*ir.Value{vector(1, 2, 3, 9), vector(4, 5, 7, 9)}, []float64{-1, 5, -3, 0}},
		{spirv.OpenCLstdLength, [][]*ir.Value{vector(3e30, 4e30)}, []float64{float64(float32(5e30))}},
		{spirv.OpenCLstdLength, [][]*ir.Value{vector(0x3p-140, 0x4p-140)}, []float64{0x5p-140}},
		{spirv.OpenCLstdLength, [][]*ir.Value{vector(-7)}, []float64{7}},
		{spirv.OpenCLstdDistance, [][]*ir.Value{vector(1, 1), vector(4, 5)}, []float64{5}},
		{spirv.OpenCLstdFastLength, [][]*ir.Value{vector(3, 4)}, []float64{5}},
		{spirv.OpenCLstdNormalize, [][]*ir.Value{vector(0, 0)}, []float64{0, 0}},
		{spirv.OpenCLstdNormalize, [][]*ir.Value{vector(0, -3e38)}, []float64{0, -1}},
		{spirv.OpenCLstdNormalize, [][]*ir.Value{vector(math.Inf(-1), 5)}, []float64{-1, 0}},
		{spirv.OpenCLstdNormalize, [][]*ir.Value{vector(nan, 5)}, []float64{nan, nan}},
		{spirv.OpenCLstdFastNormalize, [][]*ir.Value{vector(0, 2)}, []float64{0, 1}},
		{spirv.OpenCLstdShuffle, [][]*ir.Value{vector(1, 2, 3, 4), words(3, 0xffff0001)}, []float64{4, 2}},
		{spirv.OpenCLstdShuffle2, [][]*ir.Value{vector(1, 2), vector(3, 4), words(0, 3, 2, 1)}, []float64{1, 4, 3, 2}},
		{spirv.OpenCLstdSelect, [][]*ir.Value{vector(1, 1), vector(2, 2), words(1, 1<<31)}, []float64{1, 2}},
		{spirv.OpenCLstdSelect, [][]*ir.Value{vector(1), vector(2), words(1)}, []float64{2}},
		{spirv.OpenCLstdMix, [][]*ir.Value{vector(1, 2), vector(3, 6), vector(0.5, 0.25)}, []float64{2, 3}},
		{spirv.OpenCLstdSmoothstep, [][]*ir.Value{vector(0, 0, 0), vector(2, 2, 2), vector(-1, 1, 3)}, []float64{0, 0.5, 1}},
		{spirv.OpenCLstdStep, [][]*ir.Value{vector(1, 1), vector(0, 1)}, []float64{0, 1}},
		{spirv.OpenCLstdSign, [][]*ir.Value{vector(-3, 0, nan)}, []float64{-1, 0, 0}},
		{spirv.OpenCLstdNan, [][]*ir.Value{words(5)}, []float64{nan}},
		{spirv.OpenCLstdMaxmag, [][]*ir.Value{vector(-3, 2, -2), vector(2, -3, 2)}, []float64{-3, -3, 2}},
		{spirv.OpenCLstdMinmag, [][]*ir.Value{vector(-3, 2, -2), vector(2, -3, 2)}, []float64{2, 2, -2}},
	} {
		lists, err := Rows[c.op].Emit(Call{Emitter: evaluator{}, Result: isa.F32, Args: c.args})
		if err != nil || len(lists) != 1 || len(lists[0]) != len(c.want) {
			t.Errorf("%s: %v, %d results", c.op, err, len(lists))
			continue
		}
		for i, v := range lists[0] {
			if got := isa.FloatOf(isa.F32, v.Imm); got != c.want[i] && !(got != got && c.want[i] != c.want[i]) {
				t.Errorf("%s: component %d is %g: want %g", c.op, i, got, c.want[i])
			}
		}
	}
	up := eval(t, spirv.OpenCLstdUUpsample, isa.I16, evaluator{}.Constant(isa.I8, 0x81), evaluator{}.Constant(isa.I8, 0xfe))
	if up[0].R != isa.I16 || up[0].Imm != 0x81fe {
		t.Errorf("u_upsample is %s %#x: want i16 0x81fe", up[0].R, up[0].Imm)
	}
}

// TestEveryInstruction holds the table against the grammar's: what has no row accesses memory.
func TestEveryInstruction(t *testing.T) {
	memory := map[string]bool{"vloadn": true, "vstoren": true, "vload_half": true, "vload_halfn": true, "vstore_half": true, "vstore_half_r": true, "vstore_halfn": true,
		"vstore_halfn_r": true, "vloada_halfn": true, "vstorea_halfn": true, "vstorea_halfn_r": true, "printf": true}
	for _, in := range grammar.LookupSet("OpenCL.std").Instructions {
		row := Rows[spirv.OpenCLstd(in.Code)]
		if (row == nil) != memory[in.Name] {
			t.Errorf("%s: row %v", in.Name, row)
		} else if row != nil && row.Operands+row.Pointers != len(in.Operands) {
			t.Errorf("%s has %d values and %d pointers: want %d operands", in.Name, row.Operands, row.Pointers, len(in.Operands))
		}
	}
}
