package gpu

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
)

// The group operations of SPV_AMD_shader_ballot, run as modules on the machine
// and worked out thread by thread from the text.

// A ngType is a type of their operand.
type ngType struct {
	name, caps, decl string
	bits             uint
	float            bool
}

var ngTypes = []ngType{
	{"i8", "OpCapability Int8\n", "OpTypeInt 8 0", 8, false},
	{"i16", "OpCapability Int16\n", "OpTypeInt 16 0", 16, false},
	{"i32", "", "", 32, false},
	{"i64", "", "", 64, false},
	{"f16", "OpCapability Float16\nOpCapability Int16\n", "OpTypeFloat 16", 16, true},
	{"f32", "", "OpTypeFloat 32", 32, true},
	{"f64", "OpCapability Float64\n", "OpTypeFloat 64", 64, true},
}

// A ngOp is one of the eight operations: what it does to two values, and the
// identity that the text states.
type ngOp struct {
	name     string
	float    bool
	ints     func(a, b uint64, bits uint) uint64
	floats   func(a, b float64) float64
	identity func(bits uint) uint64
	none     float64
}

func signed(a uint64, bits uint) int64 { return int64(a<<(64-bits)) >> (64 - bits) }

func pickInt(first bool, a, b uint64) uint64 {
	if first {
		return a
	}
	return b
}

var ngOps = []ngOp{
	{name: "IAdd", ints: func(a, b uint64, _ uint) uint64 { return a + b }, identity: func(uint) uint64 { return 0 }},
	{name: "UMin", ints: func(a, b uint64, _ uint) uint64 { return min(a, b) }, identity: func(bits uint) uint64 { return 1<<bits - 1 }},
	{name: "UMax", ints: func(a, b uint64, _ uint) uint64 { return max(a, b) }, identity: func(uint) uint64 { return 0 }},
	{name: "SMin", ints: func(a, b uint64, n uint) uint64 { return pickInt(signed(a, n) < signed(b, n), a, b) }, identity: func(bits uint) uint64 { return 1<<(bits-1) - 1 }},
	{name: "SMax", ints: func(a, b uint64, n uint) uint64 { return pickInt(signed(a, n) > signed(b, n), a, b) }, identity: func(bits uint) uint64 { return 1 << (bits - 1) }},
	{name: "FAdd", float: true, floats: func(a, b float64) float64 { return a + b }},
	{name: "FMin", float: true, floats: math.Min, none: math.Inf(1)},
	{name: "FMax", float: true, floats: math.Max, none: math.Inf(-1)},
}

var ngKinds = []string{"Reduce", "InclusiveScan", "ExclusiveScan"}

// ngPatterns are the conditions under which threads come to the operation:
// thread*mul >> shift & mask == want.
var ngPatterns = []struct {
	name                   string
	mul, shift, mask, want uint32
}{
	{"full", 0, 0, 0, 0},
	{"empty", 0, 0, 0, 1},
	{"one lane", 1, 0, 255, 37},
	{"alternating", 1, 0, 1, 1},
	{"one wave of 32", 1, 5, 3, 2},
	{"random", 2654435761, 13, 1, 1},
}

const ngThreads = 100 // the last wave is not full

func ngActive(p int, t uint32) bool {
	c := ngPatterns[p]
	return t*c.mul>>c.shift&c.mask == c.want
}

// ngValue is what a thread contributes: small whole floats, so that any order of
// adding gives the same, or scattered integers.
func ngValue(ty ngType, t uint32) uint64 {
	if ty.float {
		return uint64(t * 7 & 15)
	}
	return uint64(t+1) * 0x9E3779B97F4A7C15 & (1<<(ty.bits-1)<<1 - 1)
}

func ngModule(ty ngType, op ngOp, scope uint32) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	for p := range ngPatterns {
		for k, kind := range ngKinds {
			n := p*len(ngKinds) + k
			line("%%m%d = OpIMul %%uint %%thread %%mul%d\n%%s%d = OpShiftRightLogical %%uint %%m%d %%shift%d", n, p, n, n, p)
			line("%%a%d = OpBitwiseAnd %%uint %%s%d %%mask%d\n%%c%d = OpIEqual %%bool %%a%d %%want%d", n, n, p, n, n, p)
			line("OpSelectionMerge %%e%d None\nOpBranchConditional %%c%d %%t%d %%e%d\n%%t%d = OpLabel", n, n, n, n, n)
			line("%%r%d = OpGroup%sNonUniformAMD %%T %%scope %s %%x", n, op.name, kind)
			wide := fmt.Sprintf("%%r%d", n)
			if ty.float {
				line("%%b%d = OpBitcast %%B %s", n, wide)
				wide = fmt.Sprintf("%%b%d", n)
			}
			if ty.bits != 64 {
				line("%%w%d = OpUConvert %%ulong %s", n, wide)
				wide = fmt.Sprintf("%%w%d", n)
			}
			line("%%at%d = OpIAdd %%uint %%base %%n%d\n%%p%d = OpAccessChain %%outword %%out %%zero %%at%d\nOpStore %%p%d %s", n, n, n, n, n, wide)
			line("OpBranch %%e%d\n%%e%d = OpLabel", n, n)
		}
	}
	text := fmt.Sprintf(ngFrame, ty.caps, ngThreads, ngTypeLines(ty), ngConstants(scope), ngInput(ty), b.String())
	if name := ngDeclared[ty.name]; name != "" {
		text = strings.ReplaceAll(text, "%T ", name+" ")
	}
	text = strings.ReplaceAll(text, "%B ", map[uint]string{16: "%B", 32: "%uint", 64: "%ulong"}[ty.bits]+" ")
	return text
}

// ngDeclared are the types that the frame declares anyway.
var ngDeclared = map[string]string{"i32": "%uint", "i64": "%ulong"}

func ngTypeLines(ty ngType) string {
	var b strings.Builder
	if ngDeclared[ty.name] == "" {
		fmt.Fprintf(&b, "%%T = %s\n", ty.decl)
	}
	if ty.float && ty.bits == 16 {
		b.WriteString("%B = OpTypeInt 16 0\n")
	}
	return b.String()
}

// ngInput computes %x of type %T from %thread.
func ngInput(ty ngType) string {
	if ty.float {
		return "%x7 = OpIMul %uint %thread %seven\n%x15 = OpBitwiseAnd %uint %x7 %fifteen\n%x = OpConvertUToF %T %x15\n"
	}
	text := "%x1 = OpIAdd %uint %thread %one\n%x2 = OpUConvert %ulong %x1\n%x3 = OpIMul %ulong %x2 %golden\n"
	if ty.bits == 64 {
		return text + "%x = OpCopyObject %ulong %x3\n"
	}
	return text + "%x = OpUConvert %T %x3\n"
}

func ngConstants(scope uint32) string {
	var b strings.Builder
	for p, c := range ngPatterns {
		fmt.Fprintf(&b, "%%mul%d = OpConstant %%uint %d\n%%shift%d = OpConstant %%uint %d\n%%mask%d = OpConstant %%uint %d\n%%want%d = OpConstant %%uint %d\n",
			p, c.mul, p, c.shift, p, c.mask, p, c.want)
	}
	for n := range len(ngPatterns) * len(ngKinds) {
		fmt.Fprintf(&b, "%%n%d = OpConstant %%uint %d\n", n, n)
	}
	fmt.Fprintf(&b, "%%scope = OpConstant %%uint %d\n%%count = OpConstant %%uint %d\n", scope, len(ngPatterns)*len(ngKinds))
	return b.String()
}

const ngFrame = `; Version: 1.3
OpCapability Shader
OpCapability Groups
OpCapability Int64
%sOpExtension "SPV_AMD_shader_ballot"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %%main "main" %%id
OpExecutionMode %%main LocalSize %d 1 1
OpDecorate %%id BuiltIn LocalInvocationIndex
OpDecorate %%array ArrayStride 8
OpMemberDecorate %%block 0 Offset 0
OpDecorate %%block BufferBlock
OpDecorate %%out DescriptorSet 0
OpDecorate %%out Binding 0
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%bool = OpTypeBool
%%uint = OpTypeInt 32 0
%%ulong = OpTypeInt 64 0
%s%%zero = OpConstant %%uint 0
%%one = OpConstant %%uint 1
%%seven = OpConstant %%uint 7
%%fifteen = OpConstant %%uint 15
%%golden = OpConstant %%ulong 0x9E3779B97F4A7C15
%s%%array = OpTypeRuntimeArray %%ulong
%%block = OpTypeStruct %%array
%%outptr = OpTypePointer Uniform %%block
%%outword = OpTypePointer Uniform %%ulong
%%out = OpVariable %%outptr Uniform
%%inword = OpTypePointer Input %%uint
%%id = OpVariable %%inword Input
%%main = OpFunction %%void None %%fn
%%entry = OpLabel
%%thread = OpLoad %%uint %%id
%s%%base = OpIMul %%uint %%thread %%count
%sOpReturn
OpFunctionEnd
`

// ngWant is what a thread receives: the operation over the threads of its group
// that came to it.
func ngWant(ty ngType, op ngOp, kind string, p int, thread uint32, group int) uint64 {
	if !ngActive(p, thread) {
		return 0 // stores nothing
	}
	first := int(thread) / group * group
	last := min(first+group, ngThreads)
	switch kind {
	case "InclusiveScan":
		last = int(thread) + 1
	case "ExclusiveScan":
		last = int(thread)
	}
	sum, fsum := uint64(0), op.none
	if !op.float {
		sum = op.identity(ty.bits)
	}
	for t := first; t < last; t++ {
		switch x := ngValue(ty, uint32(t)); {
		case !ngActive(p, uint32(t)):
		case op.float:
			fsum = op.floats(fsum, float64(x))
		default:
			sum = op.ints(sum, x, ty.bits) & (1<<(ty.bits-1)<<1 - 1)
		}
	}
	if op.float {
		return ngBits(fsum, ty.bits)
	}
	return sum
}

// ngBits encodes whole numbers below 2048 and infinities.
func ngBits(x float64, bits uint) uint64 {
	switch bits {
	case 64:
		return math.Float64bits(x)
	case 32:
		return uint64(math.Float32bits(float32(x)))
	}
	u := math.Float32bits(float32(x))
	sign, exp, frac := uint64(u>>16&0x8000), int(u>>23&255)-127+15, uint64(u>>13&0x3ff)
	switch {
	case math.IsInf(x, 0):
		return sign | 0x7c00
	case x == 0:
		return sign
	}
	return sign | uint64(exp)<<10 | frac
}

func TestGroupOperationsInDivergentFlow(t *testing.T) {
	for _, op := range ngOps {
		for _, ty := range ngTypes {
			if ty.float != op.float {
				continue
			}
			for _, wave := range []int{32, 64} {
				for scope, group := range map[uint32]int{2: ngThreads, 3: wave} {
					if testing.Short() && (scope == 2) != (wave == 32) {
						continue // a scope for each size of wave
					}
					t.Run(fmt.Sprintf("%s/%s/wave%d/scope%d", op.name, ty.name, wave, scope), func(t *testing.T) {
						checkGroupOperation(t, ty, op, scope, group, wave)
					})
				}
			}
		}
	}
}

func checkGroupOperation(t *testing.T, ty ngType, op ngOp, scope uint32, group, wave int) {
	n := len(ngPatterns) * len(ngKinds)
	text := ngModule(ty, op, scope)
	r, err := Run(context.Background(), laneJob(t, text, fmt.Sprintf("{zero: %d}", ngThreads*n*8), wave))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for thread := range uint32(ngThreads) {
		for p := range ngPatterns {
			for k, kind := range ngKinds {
				at := int(thread)*n + p*len(ngKinds) + k
				want := ngWant(ty, op, kind, p, thread, group)
				if got := binary.LittleEndian.Uint64(r.Buffers[0].Bytes[8*at:]); got != want {
					t.Fatalf("thread %d, %s, %s: %#x, want %#x", thread, ngPatterns[p].name, kind, got, want)
				}
			}
		}
	}
}
