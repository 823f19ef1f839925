package gpu

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"testing"

	"spvsim/internal/suite"
	"spvsim/spirv/validate"
)

// The extended instructions in the forms that glslang does not write: other types, the mask of 32 bits, the pointer.

const extFrame = `; Version: 1.3
OpCapability Shader
OpCapability Groups
OpCapability Int64
OpCapability Float64
OpCapability ShaderClockKHR
OpExtension "SPV_KHR_shader_clock"
OpExtension "SPV_AMD_shader_ballot"
OpExtension "SPV_AMD_gcn_shader"
%%ballot = OpExtInstImport "SPV_AMD_shader_ballot"
%%gcn = OpExtInstImport "SPV_AMD_gcn_shader"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %%main "main" %%id
OpExecutionMode %%main LocalSize 128 1 1
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
%%float = OpTypeFloat 32
%%double = OpTypeFloat 64
%%v2 = OpTypeVector %%float 2
%%v3 = OpTypeVector %%float 3
%%d2 = OpTypeVector %%double 2
%%u3 = OpTypeVector %%uint 3
%%u4 = OpTypeVector %%uint 4
%%c0 = OpConstant %%uint 0
%%c1 = OpConstant %%uint 1
%%c2 = OpConstant %%uint 2
%%c3 = OpConstant %%uint 3
%%c4 = OpConstant %%uint 4
%%c5 = OpConstant %%uint 5
%%c31 = OpConstant %%uint 31
%%c32 = OpConstant %%uint 32
%%big = OpConstant %%ulong 0x123456789ABCDEF0
%%pattern = OpConstant %%uint 0xF0F0A5A5
%%f1 = OpConstant %%float 1
%%f2 = OpConstant %%float -4
%%f3 = OpConstant %%float 3
%%q = OpConstantComposite %%u4 %%c3 %%c2 %%c1 %%c0
%%bad = OpConstantComposite %%u4 %%c3 %%c4 %%c1 %%c0
%%m = OpConstantComposite %%u3 %%c31 %%c0 %%c5
%%near = OpConstantComposite %%u3 %%c31 %%c0 %%c1
%%far = OpConstantComposite %%u3 %%c4 %%c1 %%c2
%%badm = OpConstantComposite %%u3 %%c32 %%c0 %%c5
%%dir = OpConstantComposite %%v3 %%f1 %%f2 %%f3
%%array = OpTypeRuntimeArray %%ulong
%%block = OpTypeStruct %%array
%%outptr = OpTypePointer Uniform %%block
%%outword = OpTypePointer Uniform %%ulong
%%out = OpVariable %%outptr Uniform
%%inword = OpTypePointer Input %%uint
%%id = OpVariable %%inword Input
%%dirp = OpTypePointer Function %%v3
%%word = OpTypePointer Function %%uint
%%main = OpFunction %%void None %%fn
%%entry = OpLabel
%%vp = OpVariable %%dirp Function %%dir
%%i = OpVariable %%word Function %%c0
%%t = OpLoad %%uint %%id
%%wide = OpUConvert %%ulong %%t
%%x = OpIMul %%ulong %%wide %%big
%%y = OpConvertUToF %%double %%wide
%%yy = OpCompositeConstruct %%d2 %%y %%y
%[1]s%%o = OpAccessChain %%outword %%out %%c0 %%t
OpStore %%o %%r
OpReturn
OpFunctionEnd
`

const extBig = 0x123456789ABCDEF0

// Each leaves 64 bits in %r.
var extInstructions = []struct {
	name, code string
	want       func(t, wave int) uint64
}{
	{"quad swizzle of 64 bits", "%r = OpExtInst %ulong %ballot SwizzleInvocationsAMD %x %q\n",
		func(t, _ int) uint64 { return uint64(t^3) * extBig }},
	{"masked swizzle of a vector of doubles", "%v = OpExtInst %d2 %ballot SwizzleInvocationsMaskedAMD %yy %m\n%e = OpCompositeExtract %double %v 1\n%r = OpConvertFToU %ulong %e\n",
		func(t, _ int) uint64 { return uint64(t ^ 5) }},
	{"write of 64 bits", "%v = OpExtInst %ulong %ballot WriteInvocationAMD %x %big %c31\n%r = OpCopyObject %ulong %v\n",
		func(t, wave int) uint64 {
			if t%wave == 31 {
				return extBig
			}
			return uint64(t) * extBig
		}},
	{"mbcnt of 32 bits", "%v = OpExtInst %uint %ballot MbcntAMD %pattern\n%r = OpUConvert %ulong %v\n",
		func(t, wave int) uint64 {
			return uint64(bits.OnesCount64(0xF0F0A5A5 & (1<<(t%wave) - 1)))
		}},
	{"face by value", "%v = OpExtInst %float %gcn CubeFaceIndexAMD %dir\n%r = OpConvertFToU %ulong %v\n", func(int, int) uint64 { return 3 }},
	{"coordinates by value", "%v = OpExtInst %v2 %gcn CubeFaceCoordAMD %dir\n%r = OpBitcast %ulong %v\n", extCoords},
	{"coordinates by pointer", "%v = OpExtInst %v2 %gcn CubeFaceCoordAMD %vp\n%r = OpBitcast %ulong %v\n", extCoords},
	{"time goes on", "%a = OpExtInst %ulong %gcn TimeAMD\n%b = OpReadClockKHR %ulong %c3\n%c = OpULessThan %bool %a %b\n%v = OpSelect %uint %c %c1 %c0\n%r = OpUConvert %ulong %v\n",
		func(int, int) uint64 { return 1 }},
	{"sum of whole waves", extWaves, extWavesWant},
	{"workgroup sum in a loop of all", extLoop("%c3"), func(int, int) uint64 { return 3 * 64 }},
}

// extWaves adds up the threads of the waves that begin at thread 64 or later: a branch that whole waves take. Nested, so that
// what the other waves walk past has a branch and a loop of its own, which would not end without a lane. Then all waves meet
// again, to find the largest thread.
const extWaves = `%first = OpGroupUMinNonUniformAMD %uint %c3 Reduce %t
%late = OpUGreaterThan %bool %first %c31
%later = OpUGreaterThan %bool %first %c32
OpSelectionMerge %end None
OpBranchConditional %late %in %end
%in = OpLabel
OpSelectionMerge %inner None
OpBranchConditional %later %in2 %inner
%in2 = OpLabel
OpBranch %head
%head = OpLabel
OpLoopMerge %done %next None
OpBranch %test
%test = OpLabel
%n = OpLoad %uint %i
%all = OpGroupUMaxNonUniformAMD %uint %c3 Reduce %n
%more = OpULessThan %bool %all %c3
OpBranchConditional %more %body %done
%body = OpLabel
OpBranch %next
%next = OpLabel
%n1 = OpIAdd %uint %n %c1
OpStore %i %n1
OpBranch %head
%done = OpLabel
%g = OpGroupIAddNonUniformAMD %uint %c2 Reduce %c1
OpStore %i %g
OpBranch %inner
%inner = OpLabel
OpBranch %end
%end = OpLabel
%got = OpLoad %uint %i
%top = OpGroupUMaxNonUniformAMD %uint %c2 Reduce %t
%sum2 = OpIAdd %uint %got %top
%r = OpUConvert %ulong %sum2
`

func extWavesWant(t, _ int) uint64 {
	if t < 64 {
		return 127
	}
	return 64 + 127
}

// extCoords: (1, -4, 3) hits face -y, where s comes from x, t from -z, over twice 4.
func extCoords(int, int) uint64 {
	return uint64(math.Float32bits(1.0/8+0.5)) | uint64(math.Float32bits(-3.0/8+0.5))<<32
}

// extLoop adds up, in as many rounds as rounds says, the odd threads of the workgroup, as only they see it.
func extLoop(rounds string) string {
	return `%odd = OpBitwiseAnd %uint %t %c1
%isodd = OpIEqual %bool %odd %c1
%sum = OpVariable %word Function %c0
OpBranch %head
%head = OpLabel
OpLoopMerge %done %next None
OpBranch %test
%test = OpLabel
%n = OpLoad %uint %i
%more = OpULessThan %bool %n ` + rounds + `
OpBranchConditional %more %body %done
%body = OpLabel
OpSelectionMerge %join None
OpBranchConditional %isodd %part %join
%part = OpLabel
%g = OpGroupIAddNonUniformAMD %uint %c2 Reduce %c1
%had = OpLoad %uint %sum
%has = OpIAdd %uint %had %g
OpStore %sum %has
OpBranch %join
%join = OpLabel
OpBranch %next
%next = OpLabel
%n1 = OpLoad %uint %i
%n2 = OpIAdd %uint %n1 %c1
OpStore %i %n2
OpBranch %head
%done = OpLabel
%sums = OpLoad %uint %sum
%part2 = OpIMul %uint %sums %odd
%both = OpIAdd %uint %part2 %c0
%r0 = OpUConvert %ulong %both
%r = OpCopyObject %ulong %r0
`
}

func extText(code string) string {
	text := fmt.Sprintf(extFrame, code)
	if at := "%sum = OpVariable %word Function %c0\n"; strings.Contains(text, at) { // variables stand first
		text = strings.Replace(strings.Replace(text, at, "", 1), "%i = OpVariable", at+"%i = OpVariable", 1)
	}
	return text
}

func TestExtendedInstructions(t *testing.T) {
	for _, c := range extInstructions {
		for _, wave := range []int{32, 64} {
			t.Run(fmt.Sprintf("%s/wave%d", c.name, wave), func(t *testing.T) {
				r := suite.Must(Run(context.Background(), laneJob(t, extText(c.code), "{zero: 1024}", wave)))(t)
				for thread := range 128 {
					want := c.want(thread, wave)
					if strings.HasPrefix(c.name, "workgroup") && thread%2 == 0 {
						want = 0
					}
					if got := binary.LittleEndian.Uint64(r.Buffers[0].Bytes[8*thread:]); got != want {
						t.Fatalf("thread %d: %#x, want %#x", thread, got, want)
					}
				}
			})
		}
	}
}

func TestExtendedRefusals(t *testing.T) {
	for _, c := range []struct{ name, code, text string }{
		{"offset beyond the quad", "%r = OpExtInst %ulong %ballot SwizzleInvocationsAMD %x %bad\n", ""},
		{"offset that is not a constant", "%w = OpCompositeConstruct %u4 %t %t %t %t\n%r = OpExtInst %ulong %ballot SwizzleInvocationsAMD %x %w\n", ""},
		{"mask beyond 31", "%r = OpExtInst %ulong %ballot SwizzleInvocationsMaskedAMD %x %badm\n", ""},
		{"cube of two components", "%w = OpCompositeConstruct %v2 %f1 %f1\n%v = OpExtInst %float %gcn CubeFaceIndexAMD %w\n%r = OpConvertFToU %ulong %v\n", ""},
		{"device scope", "%v = OpGroupIAddNonUniformAMD %uint %c1 Reduce %c1\n%r = OpUConvert %ulong %v\n", ""},
		{"workgroup sum in a ragged loop", extLoop("%t"), "leave in different rounds"},
	} {
		_, err := Run(context.Background(), laneJob(t, extText(c.code), "{zero: 1024}", 32))
		if !errors.Is(err, validate.ErrInvalid) && !errors.Is(err, validate.ErrUnsupported) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
