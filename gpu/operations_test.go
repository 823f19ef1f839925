package gpu

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"spvsim/internal/suite"
	"spvsim/isa"
)

// Vendors' arithmetic on random words, with every third lane off, against functions of one lane.

const operationFrame = `; Version: 1.4
OpCapability Shader
OpCapability Float16
OpCapability Int64
OpCapability Int16
OpCapability Int8
OpCapability IntegerFunctions2INTEL
OpCapability DotProductFloat16AccFloat32VALVE
OpCapability DotProductFloat16AccFloat16VALVE
OpCapability DotProductBFloat16AccVALVE
OpCapability DotProductFloat8AccFloat32VALVE
OpCapability BFloat16TypeKHR
OpCapability Float8EXT
OpExtension "SPV_VALVE_mixed_float_dot_product"
OpExtension "SPV_KHR_bfloat16"
OpExtension "SPV_EXT_float8"
OpExtension "SPV_INTEL_shader_integer_functions2"
OpExtension "SPV_AMD_shader_trinary_minmax"
%%tri = OpExtInstImport "SPV_AMD_shader_trinary_minmax"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %%main "main" %%id %%data
OpExecutionMode %%main LocalSize 128 1 1
OpDecorate %%id BuiltIn LocalInvocationIndex
OpDecorate %%array ArrayStride 4
OpMemberDecorate %%block 0 Offset 0
OpDecorate %%block Block
OpDecorate %%data DescriptorSet 0
OpDecorate %%data Binding 0
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%bool = OpTypeBool
%%uint = OpTypeInt 32 0
%%int = OpTypeInt 32 1
%%ulong = OpTypeInt 64 0
%%long = OpTypeInt 64 1
%%ushort = OpTypeInt 16 0
%%short = OpTypeInt 16 1
%%char = OpTypeInt 8 1
%%float = OpTypeFloat 32
%%half = OpTypeFloat 16
%%h2 = OpTypeVector %%half 2
%%bf = OpTypeFloat 16 BFloat16KHR
%%b2 = OpTypeVector %%bf 2
%%e4m3 = OpTypeFloat 8 Float8E4M3EXT
%%e4m3x4 = OpTypeVector %%e4m3 4
%%e5m2 = OpTypeFloat 8 Float8E5M2EXT
%%e5m2x4 = OpTypeVector %%e5m2 4
%%u2 = OpTypeVector %%uint 2
%%s2 = OpTypeVector %%short 2
%%c4 = OpTypeVector %%char 4
%%c0 = OpConstant %%uint 0
%%c1 = OpConstant %%uint 1
%%c2 = OpConstant %%uint 2
%%c3 = OpConstant %%uint 3
%%array = OpTypeRuntimeArray %%uint
%%block = OpTypeStruct %%array
%%ptr = OpTypePointer StorageBuffer %%block
%%word = OpTypePointer StorageBuffer %%uint
%%data = OpVariable %%ptr StorageBuffer
%%inword = OpTypePointer Input %%uint
%%id = OpVariable %%inword Input
%%main = OpFunction %%void None %%fn
%%entry = OpLabel
%%t = OpLoad %%uint %%id
%%m = OpUMod %%uint %%t %%c3
%%on = OpINotEqual %%bool %%m %%c1
OpSelectionMerge %%end None
OpBranchConditional %%on %%in %%end
%%in = OpLabel
%%at0 = OpIMul %%uint %%t %%c3
%%at1 = OpIAdd %%uint %%at0 %%c1
%%at2 = OpIAdd %%uint %%at0 %%c2
%%p0 = OpAccessChain %%word %%data %%c0 %%at0
%%p1 = OpAccessChain %%word %%data %%c0 %%at1
%%p2 = OpAccessChain %%word %%data %%c0 %%at2
%%x = OpLoad %%uint %%p0
%%y = OpLoad %%uint %%p1
%%z = OpLoad %%uint %%p2
%[1]sOpStore %%p0 %%r
OpBranch %%end
%%end = OpLabel
OpReturn
OpFunctionEnd
`

// An operation computes %r from %x, %y and %z; want is what it gives.
type operation struct {
	name, code string
	want       func(x, y, z uint32) uint32
}

// cast is code that applies one instruction to the words as values of another type.
func cast(typ, instruction string, operands int) string {
	var s strings.Builder
	list := ""
	for _, v := range []string{"x", "y", "z"}[:operands] {
		fmt.Fprintf(&s, "%%%s_ = OpBitcast %s %%%s\n", v, typ, v)
		list += " %" + v + "_"
	}
	return s.String() + "%v = " + instruction + list + "\n%r = OpBitcast %uint %v\n"
}

// parts applies f to the parts of words, of width bits, as numbers with or without a sign.
func parts(width int, signed bool, f func(v []int64) *big.Int) func(x, y, z uint32) uint32 {
	return func(x, y, z uint32) (out uint32) {
		for at := 0; at < 32; at += width {
			v := make([]int64, 3)
			for k, w := range []uint32{x, y, z} {
				part := int64(uint64(w) << (64 - width - at) >> (64 - width))
				if signed {
					part = int64(uint64(w)<<(64-width-at)) >> (64 - width)
				}
				v[k] = part
			}
			word := new(big.Int).And(f(v), big.NewInt(1<<width-1))
			out |= uint32(word.Uint64()) << at
		}
		return out
	}
}

// within clamps to the range of a type.
func within(width int, signed bool, v *big.Int) *big.Int {
	low, high := big.NewInt(0), big.NewInt(1<<width-1)
	if signed {
		low, high = big.NewInt(-1<<(width-1)), big.NewInt(1<<(width-1)-1)
	}
	if v.Cmp(low) < 0 {
		return low
	}
	if v.Cmp(high) > 0 {
		return high
	}
	return v
}

func halfValue(h uint32) float64 {
	exp, mant := int(h>>10&31), float64(h&1023)
	v := math.Ldexp(1024+mant, exp-25)
	if exp == 0 {
		v = math.Ldexp(mant, -24)
	}
	if h&0x8000 != 0 {
		return -v
	}
	return v
}

// dotReference fuses with the exactness of big floats.
func dotReference(x, y uint32, sum float32, mode uint) float32 {
	for _, at := range []int{0, 16} {
		p := new(big.Float).SetPrec(300).SetFloat64(halfValue(x >> at & 0xffff))
		p.Mul(p, big.NewFloat(halfValue(y>>at&0xffff)))
		p.Add(p, new(big.Float).SetPrec(300).SetFloat64(float64(sum)))
		sum, _ = new(big.Float).SetPrec(mode).SetMode(big.ToNearestEven).Set(p).Float32()
	}
	return sum
}

// smallDot is dotReference for floats of other formats, the sum rounded to 24 bits at each step.
func smallDot(x, y uint32, sum float32, exponent, mantissa uint) float32 {
	width := 1 + exponent + mantissa
	for at := uint(0); at < 32; at += width {
		p := new(big.Float).SetPrec(300).SetFloat64(smallValue(x>>at, exponent, mantissa))
		p.Mul(p, big.NewFloat(smallValue(y>>at, exponent, mantissa)))
		p.Add(p, new(big.Float).SetPrec(300).SetFloat64(float64(sum)))
		sum, _ = p.SetPrec(24).SetMode(big.ToNearestEven).Float32()
	}
	return sum
}

// smallValue is a finite float with so many bits of exponent and mantissa.
func smallValue(bits uint32, exponent, mantissa uint) float64 {
	m, e := float64(bits&(1<<mantissa-1)), int(bits>>mantissa&(1<<exponent-1))
	if e == 0 {
		e = 1
	} else {
		m += float64(uint32(1) << mantissa)
	}
	v := math.Ldexp(m, e-(1<<(exponent-1)-1)-int(mantissa))
	if bits>>(exponent+mantissa)&1 != 0 {
		return -v
	}
	return v
}

func floatOf(w uint32) float64 { return float64(math.Float32frombits(w)) }

func median[T cmp.Ordered](k int, list ...T) T {
	slices.Sort(list)
	return list[k]
}

func operations() (list []operation) {
	add := func(name, code string, want func(x, y, z uint32) uint32) {
		list = append(list, operation{name, code, want})
	}
	two := func(name, typ string, width int, signed bool, f func(x, y *big.Int) *big.Int) {
		add(name+" of "+typ, cast(typ, "Op"+name+" "+typ, 2), parts(width, signed, func(v []int64) *big.Int { return f(big.NewInt(v[0]), big.NewInt(v[1])) }))
	}
	for _, c := range []struct {
		typ    string
		width  int
		signed bool
	}{{"%int", 32, true}, {"%s2", 16, true}, {"%c4", 8, true}, {"%uint", 32, false}} {
		prefix := map[bool]string{true: "I", false: "U"}[c.signed]
		shift := func(v *big.Int) *big.Int { return v.Rsh(v, 1) }
		two(prefix+"AddSatINTEL", c.typ, c.width, c.signed, func(x, y *big.Int) *big.Int { return within(c.width, c.signed, x.Add(x, y)) })
		two(prefix+"SubSatINTEL", c.typ, c.width, c.signed, func(x, y *big.Int) *big.Int { return within(c.width, c.signed, x.Sub(x, y)) })
		two(prefix+"AverageINTEL", c.typ, c.width, c.signed, func(x, y *big.Int) *big.Int { return shift(x.Add(x, y)) })
		two(prefix+"AverageRoundedINTEL", c.typ, c.width, c.signed, func(x, y *big.Int) *big.Int { return shift(x.Add(x, y).Add(x, big.NewInt(1))) })
	}
	two("AbsUSubINTEL", "%uint", 32, false, func(x, y *big.Int) *big.Int { return x.Abs(x.Sub(x, y)) })
	add("AbsISubINTEL", "%x_ = OpBitcast %int %x\n%y_ = OpBitcast %int %y\n%r = OpAbsISubINTEL %uint %x_ %y_\n",
		parts(32, true, func(v []int64) *big.Int { return big.NewInt(max(v[0]-v[1], v[1]-v[0])) }))
	two("UMul32x16INTEL", "%uint", 32, false, func(x, y *big.Int) *big.Int { return x.Mul(x, big.NewInt(int64(uint16(y.Uint64())))) })
	two("IMul32x16INTEL", "%int", 32, true, func(x, y *big.Int) *big.Int { return x.Mul(x, big.NewInt(int64(int16(y.Int64())))) })
	add("leading zeros", "%r = OpUCountLeadingZerosINTEL %uint %x\n", func(x, _, _ uint32) uint32 { return uint32(bits.LeadingZeros32(x)) })
	add("trailing zeros", "%r = OpUCountTrailingZerosINTEL %uint %x\n", func(x, _, _ uint32) uint32 { return uint32(bits.TrailingZeros32(x)) })
	for k, name := range []string{"Min3AMD", "Mid3AMD", "Max3AMD"} {
		ext := "OpExtInst %s %%tri %s" + name
		add("U"+name, cast("%uint", fmt.Sprintf(ext, "%uint", "U"), 3), func(x, y, z uint32) uint32 { return median(k, x, y, z) })
		add("S"+name, cast("%int", fmt.Sprintf(ext, "%int", "S"), 3), func(x, y, z uint32) uint32 { return uint32(median(k, int32(x), int32(y), int32(z))) })
		add("S"+name+" of 16 bits", cast("%s2", fmt.Sprintf(ext, "%s2", "S"), 3),
			parts(16, true, func(v []int64) *big.Int { return big.NewInt(median(k, v...)) }))
		add("F"+name, cast("%float", fmt.Sprintf(ext, "%float", "F"), 3), func(x, y, z uint32) uint32 {
			return math.Float32bits(float32(median(k, floatOf(x), floatOf(y), floatOf(z))))
		})
		// The words as the high halves of 64 bits.
		add("S"+name+" of 64 bits", strings.ReplaceAll(`%ax = OpCompositeConstruct %u2 %c1 %x
%ay = OpCompositeConstruct %u2 %c2 %y
%az = OpCompositeConstruct %u2 %c0 %z
%lx = OpBitcast %long %ax
%ly = OpBitcast %long %ay
%lz = OpBitcast %long %az
%v = OpExtInst %long %tri SNAME %lx %ly %lz
%w = OpBitcast %u2 %v
%r = OpCompositeExtract %uint %w 1
`, "NAME", name), func(x, y, z uint32) uint32 { return uint32(median(k, int32(x), int32(y), int32(z))) })
	}
	pair := "%hx = OpBitcast %h2 %x\n%hy = OpBitcast %h2 %y\n"
	add("FDot2MixAcc32", pair+"%fz = OpBitcast %float %z\n%v = OpFDot2MixAcc32VALVE %float %hx %hy %fz\n%r = OpBitcast %uint %v\n",
		func(x, y, z uint32) uint32 { return math.Float32bits(dotReference(x, y, math.Float32frombits(z), 24)) })
	add("FDot2MixAcc16", pair+`%hz = OpBitcast %h2 %z
%acc = OpCompositeExtract %half %hz 1
%v = OpFDot2MixAcc16VALVE %half %hx %hy %acc
%w = OpFConvert %float %v
%r = OpBitcast %uint %w
`, func(x, y, z uint32) uint32 {
		return math.Float32bits(dotReference(x, y, float32(halfValue(z>>16)), 11))
	})
	for _, small := range []struct {
		typ                string
		n                  int
		exponent, mantissa uint
	}{{"%b2", 2, 8, 7}, {"%e4m3x4", 4, 4, 3}, {"%e5m2x4", 4, 5, 2}} {
		add("Dot of "+small.typ, fmt.Sprintf(`%%sx = OpBitcast %[1]s %%x
%%sy = OpBitcast %[1]s %%y
%%fz = OpBitcast %%float %%z
%%v = OpFDot%[2]dMixAcc32VALVE %%float %%sx %%sy %%fz
%%r = OpBitcast %%uint %%v
`, small.typ, small.n), func(x, y, z uint32) uint32 {
			return math.Float32bits(smallDot(x, y, math.Float32frombits(z), small.exponent, small.mantissa))
		})
	}
	add("Dot of %b2 to 16 bits", `%sx = OpBitcast %b2 %x
%sy = OpBitcast %b2 %y
%sz = OpBitcast %b2 %z
%acc = OpCompositeExtract %bf %sz 1
%v = OpFDot2MixAcc16VALVE %bf %sx %sy %acc
%w = OpFConvert %float %v
%r = OpBitcast %uint %w
`, func(x, y, z uint32) uint32 {
		sum := smallDot(x, y, math.Float32frombits(z&0xffff0000), 8, 7)
		rounded, _ := new(big.Float).SetPrec(8).SetMode(big.ToNearestEven).SetFloat64(float64(sum)).Float32()
		return math.Float32bits(rounded)
	})
	return list
}

// operands are words whose halves are 16-bit floats near 1, and which as 32-bit floats are finite.
func operands(r *rand.Rand, name string) []uint32 {
	out := make([]uint32, 3*128)
	for i := range out {
		half := func() uint32 { return r.Uint32()&0x83ff | (13+r.Uint32N(5))<<10 }
		switch {
		case strings.HasPrefix(name, "Dot of"): // exponents without those of infinities and NaN
			out[i] = r.Uint32() & 0xbfbfbfbf
			if strings.Contains(name, "%b2") || i%3 == 2 {
				out[i] = math.Float32bits(float32(r.NormFloat64()))&0xffff0000 | math.Float32bits(float32(r.NormFloat64()))>>16
			}
		case strings.HasPrefix(name, "FDot"):
			out[i] = half() | half()<<16
			if strings.HasSuffix(name, "32") && i%3 == 2 {
				out[i] = math.Float32bits(float32(r.NormFloat64()))
			}
		case strings.HasPrefix(name, "F"):
			out[i] = math.Float32bits(float32(r.NormFloat64()))
		case r.IntN(4) == 0:
			out[i] = [...]uint32{0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x80008000, 0x7f7f8080, 0xffff}[r.IntN(8)]
		default:
			out[i] = r.Uint32() >> r.Uint32N(32)
		}
	}
	return out
}

func TestOperationsOfVendors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range operations() {
		in := operands(r, c.name)
		text := make([]string, len(in))
		for i, w := range in {
			text[i] = fmt.Sprint(w)
		}
		for _, wave := range []int{32, 64} {
			data := fmt.Sprintf("{type: u32, values: [%s]}", strings.Join(text, ", "))
			result, err := Run(context.Background(), laneJob(t, fmt.Sprintf(operationFrame, c.code), data, wave))
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				break
			}
			for thread := range 128 {
				v := in[3*thread:][:3]
				want := v[0]
				if thread%3 != 1 {
					want = c.want(v[0], v[1], v[2])
				}
				if got := binary.LittleEndian.Uint32(result.Buffers[0].Bytes[12*thread:]); got != want {
					t.Errorf("%s, wave %d, thread %d: of %#x: %#x, want %#x", c.name, wave, thread, v, got, want)
					break
				}
			}
		}
	}
}

// runDots runs a job of the shaders of dot products.
func runDots(t *testing.T, machine, text string) *Result {
	t.Helper()
	r := suite.Must(Run(context.Background(), setupBeside(t, os.DirFS("testdata/dot"), text, machine)))(t)
	return r
}

// A matrix product by dot products: each a single instruction on a machine that has it, none spent on packing.
func TestDotProductKernel(t *testing.T) {
	for _, machine := range bothWaves {
		r := runDots(t, machine, `
shader: product.spv
buffers:
  - {set: 0, binding: 0, name: a, data: {random: {seed: 1, type: f16, count: 1024}}}
  - {set: 0, binding: 1, name: b, data: {random: {seed: 2, type: f16, count: 1024}}}
  - {set: 0, binding: 2, name: c, data: {zero: 4096}}
dispatch: [4]
`)
		a, b, c := words(r.named("a")), words(r.named("b")), words(r.named("c"))
		for row := range 32 {
			for column := range 32 {
				sum := float32(0)
				for k := range 16 {
					sum = dotReference(a[16*row+k], b[16*column+k], sum, 24)
				}
				if got := c[32*row+column]; got != math.Float32bits(sum) {
					t.Fatalf("%s: element (%d, %d) is %g, want %g", machine, row, column, math.Float32frombits(got), sum)
				}
			}
		}
		waves := r.Stats.Waves
		if got, want := r.Stats.ByClass[isa.ClassPacked16], 4*16*waves; machine == "rdna3-rx7900xtx" && got != want {
			t.Errorf("%d dot products issued, want %d", got, want)
		}
	}
}
