package gpu

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"
)

// Instructions of SPV_KHR_fma, SPV_EXT_replicated_composites, SPV_EXT_shader_subgroup_partitioned, SPV_EXT_long_vector and SPV_KHR_float_controls2, worked out invocation
// by invocation from the texts of the extensions.

const newerFrame = `; Version: 1.6
OpCapability Shader
OpCapability Float16
OpCapability Float64
OpCapability Int64
OpCapability FMAKHR
OpCapability LongVectorEXT
OpCapability ReplicatedCompositesEXT
OpCapability GroupNonUniform
OpCapability GroupNonUniformArithmetic
OpCapability GroupNonUniformBallot
OpCapability GroupNonUniformPartitionedEXT
%[1]sOpExtension "SPV_EXT_long_vector"
OpExtension "SPV_KHR_fma"
OpExtension "SPV_EXT_replicated_composites"
OpExtension "SPV_EXT_shader_subgroup_partitioned"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %%main "main" %%id %%out %%lds
OpExecutionMode %%main LocalSize 96 1 1
%[2]sOpDecorate %%id BuiltIn LocalInvocationIndex
OpDecorate %%array ArrayStride 4
OpMemberDecorate %%block 0 Offset 0
OpDecorate %%block Block
OpDecorate %%out DescriptorSet 0
OpDecorate %%out Binding 0
OpDecorate %%length SpecId 3
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%bool = OpTypeBool
%%uint = OpTypeInt 32 0
%%ulong = OpTypeInt 64 0
%%half = OpTypeFloat 16
%%float = OpTypeFloat 32
%%double = OpTypeFloat 64
%%v2 = OpTypeVector %%float 2
%%v4 = OpTypeVector %%float 4
%%d2 = OpTypeVector %%double 2
%%u2 = OpTypeVector %%uint 2
%%u4 = OpTypeVector %%uint 4
%%m24 = OpTypeMatrix %%v4 2
%%c0 = OpConstant %%uint 0
%%c1 = OpConstant %%uint 1
%%c2 = OpConstant %%uint 2
%%c3 = OpConstant %%uint 3
%%c4 = OpConstant %%uint 4
%%c5 = OpConstant %%uint 5
%%c7 = OpConstant %%uint 7
%%acq = OpConstant %%uint 264
%%length = OpSpecConstant %%uint 6
%%sarray = OpTypeArray %%uint %%length
%%pair = OpTypeStruct %%u2 %%u2
%%f1 = OpConstant %%float 1
%%f3 = OpConstant %%float 3
%%fzero = OpConstant %%float 0
%%third = OpConstant %%float 0x1.555556p-2
%%minus1 = OpConstant %%float -1
%%h3 = OpConstant %%half 3
%%d3 = OpConstant %%double 3
%%tiny = OpConstant %%double 0x1.5555555555555p-2
%%dminus1 = OpConstant %%double -1
%%v7 = OpTypeVector %%uint 7
%%v5 = OpTypeVectorIdEXT %%uint %%c5
%%v1 = OpTypeVectorIdEXT %%uint %%c1
%%f5 = OpTypeVectorIdEXT %%float %%c5
%%b5 = OpTypeVectorIdEXT %%bool %%c5
%%fives = OpConstantCompositeReplicateEXT %%v5 %%c5
%%varray = OpTypeArray %%v5 %%c2
%%shared = OpTypePointer Workgroup %%varray
%%lds = OpVariable %%shared Workgroup
%%ldsword = OpTypePointer Workgroup %%uint
%%ldsv5 = OpTypePointer Workgroup %%v5
%%localv = OpTypePointer Function %%v7
%%fast = OpConstant %%uint 0
%%free = OpConstant %%uint 0x10000
%%sevens = OpConstantCompositeReplicateEXT %%u4 %%c7
%%spec = OpSpecConstantCompositeReplicateEXT %%u2 %%length
%%column = OpConstantCompositeReplicateEXT %%v4 %%f3
%%matrix = OpConstantCompositeReplicateEXT %%m24 %%column
%%pairs = OpSpecConstantCompositeReplicateEXT %%pair %%spec
%%long = OpSpecConstantCompositeReplicateEXT %%sarray %%c5
%%array = OpTypeRuntimeArray %%uint
%%block = OpTypeStruct %%array
%%outptr = OpTypePointer StorageBuffer %%block
%%outword = OpTypePointer StorageBuffer %%uint
%%out = OpVariable %%outptr StorageBuffer
%%inword = OpTypePointer Input %%uint
%%id = OpVariable %%inword Input
%%local = OpTypePointer Function %%sarray
%%word = OpTypePointer Function %%uint
%%main = OpFunction %%void None %%fn
%%entry = OpLabel
%%lv = OpVariable %%localv Function
%%var = OpVariable %%local Function %%long
%%t = OpLoad %%uint %%id
%%square = OpIMul %%uint %%t %%t
%%mixed = OpUDiv %%uint %%square %%c3
%%key = OpUMod %%uint %%mixed %%c5
%%x = OpIMul %%uint %%t %%c7
%%y = OpIAdd %%uint %%x %%c1
%%f = OpConvertUToF %%float %%t
%%h = OpConvertUToF %%half %%t
%[3]s%%o = OpAccessChain %%outword %%out %%c0 %%t
OpStore %%o %%r
OpReturn
OpFunctionEnd
`

func newerKey(t int) int { return t * t / 3 % 5 }

// newerPart are the threads of t's wave with t's key, that are active.
func newerPart(t, wave int, key func(int) int, active func(int) bool) (list []int) {
	for u := t / wave * wave; u < min((t/wave+1)*wave, 96); u++ {
		if key(u) == key(t) && active(u) {
			list = append(list, u)
		}
	}
	return list
}

func allActive(int) bool { return true }

func newerSum(t, wave int, from func(u int) bool) (sum uint32) {
	for _, u := range newerPart(t, wave, newerKey, allActive) {
		if from(u) {
			sum += uint32(u*7 + 1)
		}
	}
	return sum
}

func newerMask(t, wave int, key func(int) int, active func(int) bool) (mask uint64) {
	for _, u := range newerPart(t, wave, key, active) {
		mask |= 1 << (u % wave)
	}
	return mask
}

const bothWords = "%%lo = OpCompositeExtract %%uint %s 0\n%%hi = OpCompositeExtract %%uint %s 1\n%%m = OpIMul %%uint %%hi %%c3\n%%r = OpIAdd %%uint %%lo %%m\n"

func wordsOf(id string) string { return fmt.Sprintf(bothWords, id, id) }

func foldMask(m uint64) uint32 { return uint32(m) + 3*uint32(m>>32) }

const partition = "%p = OpGroupNonUniformPartitionEXT %u4 %key\n"

// newerInstructions leave 32 bits in %r.
var newerInstructions = []struct {
	name, caps, modes, code string
	want                    func(t, wave int) uint32
}{
	{"fma of floats", "", "", "%v = OpFmaKHR %float %third %f3 %minus1\n%r = OpBitcast %uint %v\n",
		func(int, int) uint32 { return math.Float32bits(0x1p-25) }},
	{"fma of a vector", "", "", "%a = OpCompositeConstruct %v2 %f %third\n%b = OpCompositeConstruct %v2 %f3 %f\n%c = OpCompositeConstruct %v2 %f1 %f1\n%v = OpFmaKHR %v2 %a %b %c\n%e = OpCompositeExtract %float %v 0\n%r = OpConvertFToU %uint %e\n",
		func(t, _ int) uint32 { return uint32(3*t + 1) }},
	{"fma of halves", "", "", "%v = OpFmaKHR %half %h %h3 %h\n%r = OpConvertFToU %uint %v\n", func(t, _ int) uint32 { return uint32(4 * t) }},
	{"fma of doubles", "", "", "%v = OpFmaKHR %double %tiny %d3 %dminus1\n%b = OpBitcast %u2 %v\n%r = OpCompositeExtract %uint %b 1\n",
		func(int, int) uint32 { return uint32(math.Float64bits(-0x1p-54) >> 32) }},
	{"replicated vector", "", "", "%v = OpCompositeConstructReplicateEXT %u4 %y\n%w = OpIAdd %u4 %v %sevens\n%r = OpCompositeExtract %uint %w 3\n",
		func(t, _ int) uint32 { return uint32(7*t + 8) }},
	{"replicated matrix", "", "", "%a = OpCompositeExtract %float %matrix 0 3\n%b = OpCompositeExtract %float %matrix 1 0\n%s = OpFAdd %float %a %b\n%r = OpConvertFToU %uint %s\n",
		func(int, int) uint32 { return 6 }},
	{"replicated structure", "", "", "%a = OpCompositeExtract %uint %pairs 1 1\n%q = OpCompositeConstruct %u2 %y %x\n%z = OpCompositeConstructReplicateEXT %pair %q\n%e = OpCompositeExtract %uint %z 1 0\n%r = OpIAdd %uint %a %e\n",
		func(t, _ int) uint32 { return uint32(9 + 7*t + 1) }},
	{"replicated array of specialized length", "", "", "%last = OpISub %uint %length %c1\n%i = OpUMod %uint %t %last\n%at = OpAccessChain %word %var %i\n%at2 = OpAccessChain %word %var %last\n%a = OpLoad %uint %at\n%b = OpLoad %uint %at2\n%m = OpIMul %uint %b %c3\n%r = OpIAdd %uint %a %m\n",
		func(int, int) uint32 { return 20 }},
	{"partition of integers", "", "", partition + wordsOf("%p"),
		func(t, wave int) uint32 { return foldMask(newerMask(t, wave, newerKey, allActive)) }},
	{"partition of vectors", "", "", "%v = OpCompositeConstruct %u2 %c5 %key\n%p = OpGroupNonUniformPartitionEXT %u4 %v\n" + wordsOf("%p"),
		func(t, wave int) uint32 { return foldMask(newerMask(t, wave, newerKey, allActive)) }},
	{"partition of floats", "", "", "%fk = OpConvertUToF %float %key\n%neg = OpFNegate %float %fk\n%odd = OpBitwiseAnd %uint %t %c1\n%is = OpIEqual %bool %odd %c1\n%zk = OpFMul %float %neg %fzero\n%k = OpSelect %float %is %zk %fk\n%p = OpGroupNonUniformPartitionEXT %u4 %k\n" + wordsOf("%p"),
		func(t, wave int) uint32 {
			return foldMask(newerMask(t, wave, func(u int) int { return newerKey(u) * (1 - u%2) }, allActive))
		}},
	{"partition of some lanes", "", "", "%odd = OpBitwiseAnd %uint %t %c1\n%is = OpIEqual %bool %odd %c1\nOpSelectionMerge %end None\nOpBranchConditional %is %in %end\n%in = OpLabel\n" + partition + "%lo = OpCompositeExtract %uint %p 0\nOpBranch %end\n%end = OpLabel\n%r = OpPhi %uint %c7 %entry %lo %in\n",
		func(t, wave int) uint32 {
			if t%2 == 0 {
				return 7
			}
			return uint32(newerMask(t, wave, newerKey, func(u int) bool { return u%2 == 1 }))
		}},
	{"sums of partitions", "", "", partition + "%r = OpGroupNonUniformIAdd %uint %c3 PartitionedReduceEXT %y %p\n",
		func(t, wave int) uint32 { return newerSum(t, wave, allActive) }},
	{"inclusive scans of partitions", "", "", partition + "%r = OpGroupNonUniformIAdd %uint %c3 PartitionedInclusiveScanEXT %y %p\n",
		func(t, wave int) uint32 { return newerSum(t, wave, func(u int) bool { return u <= t }) }},
	{"exclusive scans of partitions", "", "", partition + "%r = OpGroupNonUniformIAdd %uint %c3 PartitionedExclusiveScanEXT %y %p\n",
		func(t, wave int) uint32 { return newerSum(t, wave, func(u int) bool { return u < t }) }},
	{"truths of partitions in a loop's header", "", "", "OpBranch %head\n%head = OpLabel\n%n = OpPhi %uint %c0 %entry %n1 %next\n" + partition +
		"%big = OpUGreaterThan %bool %t %c5\n%any = OpGroupNonUniformLogicalAnd %bool %c3 PartitionedReduceEXT %big %p\n%one = OpSelect %uint %any %c1 %c2\nOpLoopMerge %done %next None\nOpBranch %test\n%test = OpLabel\n%more = OpULessThan %bool %n %c4\nOpBranchConditional %more %next %done\n%next = OpLabel\n%n1 = OpIAdd %uint %n %one\nOpBranch %head\n%done = OpLabel\n%s = OpIMul %uint %n %c3\n%r = OpIAdd %uint %s %one\n",
		func(t, wave int) uint32 {
			for _, u := range newerPart(t, wave, newerKey, allActive) {
				if u <= 5 {
					return 4*3 + 2
				}
			}
			return 4*3 + 1
		}},
	{"arithmetic of long vectors", "", "", "%a = OpCompositeConstruct %v5 %t %x %y %c3 %c1\n%b = OpIAdd %v5 %a %fives\n%c = OpIMul %v5 %b %a\n%d = OpVectorShuffle %u2 %c %fives 2 7\n" + wordsOf("%d"),
		func(t, _ int) uint32 { y := uint32(7*t + 1); return (y+5)*y + 15 }},
	{"a long vector indexed at run time", "", "", "%a = OpCompositeConstruct %v7 %t %x %y %c3 %c1 %c5 %c7\nOpStore %lv %a\n%i = OpUMod %uint %t %c7\n%at = OpAccessChain %word %lv %i\nOpStore %at %y\n%b = OpLoad %v7 %lv\n%j = OpUMod %uint %mixed %c7\n%r = OpVectorExtractDynamic %uint %b %j\n",
		func(t, _ int) uint32 {
			list := []int{t, 7 * t, 7*t + 1, 3, 1, 5, 7}
			list[t%7] = 7*t + 1
			return uint32(list[t*t/3%7])
		}},
	{"comparisons of long vectors", "", "", "%a = OpCompositeConstruct %f5 %f %f1 %f3 %fzero %f\n%b = OpCompositeConstruct %f5 %f3 %f3 %f3 %f3 %f3\n%less = OpFOrdLessThan %b5 %a %b\n%all = OpAny %bool %less\n%s = OpSelect %f5 %less %a %b\n%e = OpCompositeExtract %float %s 4\n%n = OpConvertFToU %uint %e\n%one = OpSelect %uint %all %c1 %c0\n%r = OpIAdd %uint %n %one\n",
		func(t, _ int) uint32 { return uint32(min(t, 3) + 1) }},
	{"a vector of one component", "", "", "%a = OpCompositeConstruct %v1 %y\n%b = OpIMul %v1 %a %a\n%r = OpCompositeExtract %uint %b 0\n",
		func(t, _ int) uint32 { return uint32((7*t + 1) * (7*t + 1)) }},
	{"long vectors in LDS", "", "", "%first = OpIEqual %bool %t %c0\nOpSelectionMerge %end None\nOpBranchConditional %first %in %end\n%in = OpLabel\n%a = OpCompositeConstruct %v5 %c1 %c2 %c3 %c4 %c5\n%p0 = OpAccessChain %ldsv5 %lds %c0\nOpStore %p0 %fives\n%p1 = OpAccessChain %ldsv5 %lds %c1\nOpStore %p1 %a\nOpBranch %end\n%end = OpLabel\nOpControlBarrier %c2 %c2 %acq\n%i = OpUMod %uint %t %c5\n%q = OpAccessChain %ldsword %lds %c1 %i\n%r = OpLoad %uint %q\n",
		func(t, _ int) uint32 { return uint32(t%5 + 1) }},
	{"no contraction by default", "OpCapability FloatControls2\nOpExtension \"SPV_KHR_float_controls2\"\n", "OpExecutionModeId %main FPFastMathDefault %float %fast\n", newerContraction,
		func(int, int) uint32 { return 0 }},
	{"contraction by default", "OpCapability FloatControls2\nOpExtension \"SPV_KHR_float_controls2\"\n", "OpExecutionModeId %main FPFastMathDefault %float %free\n", newerContraction,
		func(int, int) uint32 { return math.Float32bits(0x1p-25) }},
	{"contraction where a decoration says so", "OpCapability FloatControls2\nOpExtension \"SPV_KHR_float_controls2\"\n",
		"OpExecutionModeId %main FPFastMathDefault %float %fast\nOpDecorate %prod FPFastMathMode AllowContract\nOpDecorate %sum FPFastMathMode AllowContract\n", newerContraction,
		func(int, int) uint32 { return math.Float32bits(0x1p-25) }},
	{"a default of another type", "OpCapability FloatControls2\nOpExtension \"SPV_KHR_float_controls2\"\n", "OpExecutionModeId %main FPFastMathDefault %half %fast\n", newerContraction,
		func(int, int) uint32 { return math.Float32bits(0x1p-25) }},
}

// newerContraction is a third, which no constant says, times three less one: 0 with two roundings.
const newerContraction = "%zf = OpFSub %float %f %f\n%a = OpFAdd %float %third %zf\n%prod = OpFMul %float %a %f3\n%sum = OpFAdd %float %prod %minus1\n%r = OpBitcast %uint %sum\n"

func TestNewerInstructions(t *testing.T) {
	for _, in := range newerInstructions {
		text := fmt.Sprintf(newerFrame, in.caps, in.modes, strings.ReplaceAll(in.code, "%%", "%"))
		for _, machine := range []string{"gcn3-r9nano", "cdna3-mi300a", "rdna3-rx7900xtx"} {
			s := setupBeside(t, fstest.MapFS{"m.spvasm": &fstest.MapFile{Data: []byte(text)}},
				"shader: m.spvasm\nbuffers: [{set: 0, binding: 0, name: out, data: {zero: 384}}]\nspecialization: {3: 9}\ndispatch: [1]\nmode: functional\n", machine)
			r, err := Run(context.Background(), s)
			if err != nil {
				t.Errorf("%s, %s: %v", in.name, machine, err)
				break
			}
			var want bytes.Buffer
			for thread := range 96 {
				fmt.Fprintf(&want, "%x ", in.want(thread, s.Machine.WaveSize))
			}
			got := fmt.Sprintf("%x ", words(r.Buffers[0].Bytes))
			got = strings.NewReplacer("[", "", "]", "").Replace(got)
			if got != want.String() {
				t.Errorf("%s, %s:\n%s\nwant\n%s", in.name, machine, got, want.String())
			}
		}
	}
}
