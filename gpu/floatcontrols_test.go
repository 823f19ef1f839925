package gpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// What SPV_KHR_float_controls asks for, and the Vulkan driver says of each width: denormals are preserved, rounding is to nearest even, and
// zeros keep their signs, infinities and NaNs their meaning. Values are worked out from the text of IEEE 754.

// A fcFormat is a format of floats: the bits of its fraction, and the exponent of its smallest normal number.
type fcFormat struct {
	sgType
	fraction, least int
}

var fcFormats = []fcFormat{{sgTypes[5], 10, -14}, {sgTypes[6], 23, -126}, {sgTypes[7], 52, -1022}}

// value is the number that bits represent; double holds those of all three formats.
func (f *fcFormat) value(bits uint64) float64 {
	if f.bits == 64 {
		return math.Float64frombits(bits)
	}
	sign := 1 - 2*float64(bits>>(f.bits-1))
	exponent, fraction := int(bits>>f.fraction&(1<<(f.bits-1-uint(f.fraction))-1)), bits&(1<<f.fraction-1)
	switch {
	case exponent == 3-2*f.least && fraction != 0:
		return math.NaN()
	case exponent == 3-2*f.least:
		return math.Inf(int(sign))
	case exponent == 0:
		return math.Copysign(math.Ldexp(float64(fraction), f.least-f.fraction), sign)
	}
	return sign * math.Ldexp(float64(fraction|1<<f.fraction), exponent-1+f.least-f.fraction)
}

// round is the nearest of the format's numbers, the even one of two. Sums and products of 16 and 32 bits that were rounded to
// double before come to the same: 53 bits are more than twice 24 and two.
func (f *fcFormat) round(x float64) uint64 {
	switch {
	case f.bits == 64:
		return math.Float64bits(x)
	case x != x:
		return 2<<(f.bits-2) - 1
	}
	sign := uint64(0)
	if math.Signbit(x) {
		sign, x = 1<<(f.bits-1), -x
	}
	infinite := uint64(3-2*f.least) << f.fraction
	switch {
	case x == 0:
		return sign
	case math.IsInf(x, 1):
		return sign | infinite
	}
	_, exponent := math.Frexp(x) // x is below 2^exponent
	exponent = max(exponent-1, f.least)
	steps := uint64(math.RoundToEven(math.Ldexp(x, f.fraction-exponent)))
	// A normal number's steps have the hidden bit, which adds one to the exponent.
	return sign | min(uint64(exponent-f.least)<<f.fraction+steps, infinite)
}

// specials are the numbers at the format's edges, of both signs, and some that round.
func (f *fcFormat) specials() (list []uint64) {
	one, infinite := f.round(1), f.round(math.Inf(1))
	for _, v := range []uint64{0, 1, 1<<f.fraction - 1, 1 << f.fraction, 1<<f.fraction + 1, f.round(0.5), one, one + 1, one - 1, f.round(3), infinite - 1, infinite, infinite | 1<<(f.fraction-1)} {
		list = append(list, v, v|1<<(f.bits-1))
	}
	return list
}

// groups bring every pair of special numbers, then random bits, near each other in every second invocation.
func (f *fcFormat) groups(r *rand.Rand) (groups []sgGroup) {
	var pairs [][2]uint64
	for _, x := range f.specials() {
		for _, y := range f.specials() {
			pairs = append(pairs, [2]uint64{x, y})
		}
	}
	for len(pairs)%sgThreads != 0 || len(pairs) < 1000 {
		x, y := r.Uint64()&f.mask(), r.Uint64()&f.mask()
		if len(pairs)%2 == 0 {
			y = x ^ y>>(f.bits-uint(f.fraction)-2)
		}
		pairs = append(pairs, [2]uint64{x, y})
	}
	of := func(bits uint64) []sgValue { return []sgValue{{bits, f.value(bits)}} }
	for part := range slices.Chunk(pairs, sgThreads) {
		g := sgGroup{ty: f.sgType, wave: 32}
		for _, p := range part {
			g.lanes = append(g.lanes, sgLane{x: of(p[0]), y: of(p[1]), active: true})
		}
		groups = append(groups, g)
	}
	return groups
}

// An fcOp is an instruction on %x, %y and constants, and its result as a double.
type fcOp struct {
	code string
	want func(x, y float64) float64
}

// The ways in which a sum or product with a constant could be taken for less than it is, the comparisons that NaNs decide, and the
// operations themselves.
var fcOps = []fcOp{
	{"OpFAdd %V %x %y", func(x, y float64) float64 { return x + y }},
	{"OpFSub %V %x %y", func(x, y float64) float64 { return x - y }},
	{"OpFMul %V %x %y", func(x, y float64) float64 { return x * y }},
	{"OpFNegate %V %x", func(x, _ float64) float64 { return -x }},
	{"OpExtInst %V %ext FAbs %x", func(x, _ float64) float64 { return math.Abs(x) }},
	{"OpFAdd %V %x %zero", func(x, _ float64) float64 { return x + 0 }},
	{"OpFAdd %V %minuszero %x", func(x, _ float64) float64 { return x }},
	{"OpFSub %V %x %zero", func(x, _ float64) float64 { return x }},
	{"OpFSub %V %zero %x", func(x, _ float64) float64 { return 0 - x }},
	{"OpFSub %V %minuszero %x", func(x, _ float64) float64 { return -x }},
	{"OpFSub %V %x %minuszero", func(x, _ float64) float64 { return x + 0 }},
	{"OpFSub %V %x %x", func(x, _ float64) float64 { return x - x }},
	{"OpFAdd %V %x %x", func(x, _ float64) float64 { return x + x }},
	{"OpFMul %V %x %one", func(x, _ float64) float64 { return x }},
	{"OpFMul %V %x %minusone", func(x, _ float64) float64 { return -x }},
	{"OpFMul %V %zero %x", func(x, _ float64) float64 { return 0 * x }},
	{"OpFMul %V %x %minuszero", func(x, _ float64) float64 { return math.Copysign(0, -1) * x }},
	{"OpFMul %V %x %two", func(x, _ float64) float64 { return x * 2 }},
	{"OpFMul %V %x %half_", func(x, _ float64) float64 { return x * 0.5 }},
	{"OpFDiv %V %x %one", func(x, _ float64) float64 { return x }},
	{"OpFDiv %V %zero %x", func(x, _ float64) float64 { return 0 / x }},
	{"OpExtInst %V %ext NMin %x %y", func(x, y float64) float64 { return lesser(x, y) }},
	{"OpExtInst %V %ext NMax %x %y", func(x, y float64) float64 { return -lesser(-x, -y) }},
}

// lesser is a NaN of two alone; which of two zeros it is, is open.
func lesser(x, y float64) float64 {
	if x != x || y < x {
		return y
	}
	return x
}

var fcTruths = []struct {
	code string
	want func(x, y float64) bool
}{
	{"OpFOrdEqual %bool %x %y", func(x, y float64) bool { return x == y }},
	{"OpFOrdEqual %bool %x %x", func(x, _ float64) bool { return x == x }},
	{"OpFUnordNotEqual %bool %x %x", func(x, _ float64) bool { return x != x }},
	{"OpFUnordEqual %bool %x %y", func(x, y float64) bool { return x == y || x != x || y != y }},
	{"OpFOrdNotEqual %bool %x %y", func(x, y float64) bool { return x < y || x > y }},
	{"OpFOrdLessThan %bool %x %y", func(x, y float64) bool { return x < y }},
	{"OpFUnordLessThan %bool %x %y", func(x, y float64) bool { return !(x >= y) }},
	{"OpFUnordGreaterThanEqual %bool %x %y", func(x, y float64) bool { return !(x < y) }},
	{"OpIsNan %bool %x", func(x, _ float64) bool { return x != x }},
	{"OpIsInf %bool %x", func(x, _ float64) bool { return math.IsInf(x, 0) }},
}

func (f *fcFormat) rows() (rows []sgRow) {
	at := func(g *sgGroup, t int) (x, y float64) { return g.lanes[t].x[0].float, g.lanes[t].y[0].float }
	for _, op := range fcOps {
		rows = append(rows, sgRow{code: op.code, want: func(g *sgGroup, t, _ int) (uint64, bool) {
			x, y := at(g, t)
			open := x == 0 && y == 0 && strings.Contains(op.code, " %ext N")
			return f.round(op.want(x, y)), !open
		}})
	}
	for _, op := range fcTruths {
		rows = append(rows, sgRow{code: op.code, truth: true, want: func(g *sgGroup, t, _ int) (uint64, bool) { return b2w(op.want(at(g, t))), true }})
	}
	for i := range fcFormats {
		if to := &fcFormats[i]; to.bits != f.bits {
			rows = append(rows, sgRow{code: "OpFConvert " + to.scalar + " %x", result: &to.sgType, want: func(g *sgGroup, t, _ int) (uint64, bool) { return to.round(g.lanes[t].x[0].float), true }})
		}
	}
	return rows
}

// text is the module, with the modes for each width.
func (f *fcFormat) text(rows []sgRow) string {
	ty := f.sgType
	ty.caps = "OpCapability Int16\nOpCapability Float16\nOpCapability Float64\nOpCapability DenormPreserve\nOpCapability RoundingModeRTE\nOpCapability SignedZeroInfNanPreserve\nOpExtension \"SPV_KHR_float_controls\"\n"
	ty.decl = "%short = OpTypeInt 16 0\n%half = OpTypeFloat 16\n%float = OpTypeFloat 32\n%double = OpTypeFloat 64\n"
	for _, c := range []struct{ name, value string }{{"zero", "0"}, {"minuszero", "-0"}, {"one", "1"}, {"minusone", "-1"}, {"two", "2"}, {"half_", "0.5"}} {
		ty.decl += fmt.Sprintf("%%%s = OpConstant %s %s\n", c.name, ty.scalar, c.value)
	}
	modes := ""
	for _, bits := range []int{16, 32, 64} {
		modes += fmt.Sprintf("OpExecutionMode %%main DenormPreserve %d\nOpExecutionMode %%main RoundingModeRTE %d\nOpExecutionMode %%main SignedZeroInfNanPreserve %d\n", bits, bits, bits)
	}
	text := strings.Replace(sgText(ty, 1, 32, rows), "OpDecorate %id", modes+"OpDecorate %id", 1)
	return strings.Replace(text, "OpMemoryModel", "%ext = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel", 1)
}

func TestFloatControls(t *testing.T) {
	for i := range fcFormats {
		f := &fcFormats[i]
		rows, groups := f.rows(), f.groups(rand.New(rand.NewPCG(uint64(i), 3)))
		text := f.text(rows)
		for _, on := range sgTargets[:4] {
			if on.machine == "rdna3-rx7900xtx" && on.wave == 64 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%s/%s", f.name, on.machine, on.mode), func(t *testing.T) { checkRows(t, text, groups, rows, 1, on) })
		}
	}
}
