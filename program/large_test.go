package program

import (
	"fmt"
	"strings"
)

// The modules of this file are large or deep in one way each. A shader is the
// text of its module.

// A shader is put together from declarations and the body of its main function.
type shader struct{ names, types, body strings.Builder }

func newShader() *shader {
	s := &shader{}
	s.names.WriteString(`; SPIR-V
; Version: 1.3
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %words ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
`)
	s.types.WriteString(`%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%uint3 = OpTypeVector %uint 3
%float2 = OpTypeVector %float 2
%float4 = OpTypeVector %float 4
%inptr = OpTypePointer Input %uint3
%id = OpVariable %inptr Input
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%blockptr = OpTypePointer StorageBuffer %block
%wordptr = OpTypePointer StorageBuffer %uint
%buffer = OpVariable %blockptr StorageBuffer
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u7 = OpConstant %uint 7
`)
	s.add("%%ids = OpLoad %%uint3 %%id")
	s.add("%%x = OpCompositeExtract %%uint %%ids 0")
	return s
}

func (s *shader) typef(format string, args ...any) { fmt.Fprintf(&s.types, format+"\n", args...) }
func (s *shader) add(format string, args ...any)   { fmt.Fprintf(&s.body, format+"\n", args...) }

// load and store read and write a word of the buffer at an index.
func (s *shader) load(name, index string) {
	s.add("%%at_%s = OpAccessChain %%wordptr %%buffer %%u0 %s", name, index)
	s.add("%%%s = OpLoad %%uint %%at_%s", name, name)
}

func (s *shader) store(name, index, value string) {
	s.add("%%to_%s = OpAccessChain %%wordptr %%buffer %%u0 %s", name, index)
	s.add("OpStore %%to_%s %s", name, value)
}

func (s *shader) text() string {
	return s.names.String() + s.types.String() + "%main = OpFunction %void None %fn\n%start = OpLabel\n" + s.body.String() + "OpReturn\nOpFunctionEnd\n"
}

// nestedSelections are n conditions one inside the other.
func nestedSelections(n int) string {
	s := newShader()
	for i := range n {
		s.load(fmt.Sprintf("v%d", i), "%x")
		s.add("%%c%d = OpULessThan %%bool %%v%d %%x", i, i)
		s.add("OpSelectionMerge %%m%d None", i)
		s.add("OpBranchConditional %%c%d %%t%d %%m%d", i, i, i)
		s.add("%%t%d = OpLabel", i)
	}
	s.store("in", "%x", "%u7")
	for i := n - 1; i >= 0; i-- {
		s.add("OpBranch %%m%d", i)
		s.add("%%m%d = OpLabel", i)
	}
	return s.text()
}

// nestedLoops are n loops one inside the other.
func nestedLoops(n int) string {
	s := newShader()
	for i := range n {
		s.add("OpBranch %%h%d\n%%h%d = OpLabel", i, i)
		s.add("OpLoopMerge %%m%d %%k%d None", i, i)
		s.add("OpBranch %%b%d\n%%b%d = OpLabel", i, i)
	}
	s.store("in", "%x", "%u7")
	for i := n - 1; i >= 0; i-- {
		s.add("OpBranch %%k%d\n%%k%d = OpLabel", i, i)
		s.load(fmt.Sprintf("v%d", i), "%x")
		s.add("%%c%d = OpULessThan %%bool %%v%d %%x", i, i)
		s.add("OpBranchConditional %%c%d %%h%d %%m%d", i, i, i)
		s.add("%%m%d = OpLabel", i)
	}
	return s.text()
}

// sequentialSelections are n conditions one after the other; phis: each carries a value on.
func sequentialSelections(n int) string {
	s := newShader()
	last, from := "%x", "%start"
	for i := range n {
		s.load(fmt.Sprintf("v%d", i), last)
		s.add("%%c%d = OpULessThan %%bool %%v%d %%x", i, i)
		s.add("OpSelectionMerge %%m%d None", i)
		s.add("OpBranchConditional %%c%d %%t%d %%m%d", i, i, i)
		s.add("%%t%d = OpLabel", i)
		s.load(fmt.Sprintf("w%d", i), fmt.Sprintf("%%v%d", i))
		s.add("OpBranch %%m%d", i)
		s.add("%%m%d = OpLabel", i)
		s.add("%%p%d = OpPhi %%uint %s %s %%w%d %%t%d", i, last, from, i, i)
		last, from = fmt.Sprintf("%%p%d", i), fmt.Sprintf("%%m%d", i)
	}
	s.store("out", "%x", last)
	return s.text()
}

// loopPhis is a loop that passes n values on, each to the next.
func loopPhis(n int) string {
	s := newShader()
	s.add("OpBranch %%h\n%%h = OpLabel")
	for i := range n {
		s.add("%%p%d = OpPhi %%uint %%x %%start %%p%d %%k", i, (i+n-1)%n)
	}
	s.add("OpLoopMerge %%m %%k None\nOpBranch %%b\n%%b = OpLabel\nOpBranch %%k\n%%k = OpLabel")
	s.load("v", "%p0")
	s.add("%%c = OpULessThan %%bool %%v %%x\nOpBranchConditional %%c %%h %%m\n%%m = OpLabel")
	s.store("out", "%x", fmt.Sprintf("%%p%d", n-1))
	return s.text()
}

// manyCases is a switch of n cases whose values meet in one phi.
func manyCases(n int) string {
	s := newShader()
	var targets, phi strings.Builder
	for i := range n {
		fmt.Fprintf(&targets, " %d %%t%d", i, i)
		fmt.Fprintf(&phi, " %%v%d %%t%d", i, i)
	}
	s.add("OpSelectionMerge %%m None\nOpSwitch %%x %%d%s", targets.String())
	for i := range n {
		s.add("%%t%d = OpLabel", i)
		s.add("%%i%d = OpBitwiseXor %%uint %%x %%u7", i)
		s.load(fmt.Sprintf("v%d", i), fmt.Sprintf("%%i%d", i))
		s.add("OpBranch %%m")
	}
	s.add("%%d = OpLabel\nOpBranch %%m\n%%m = OpLabel")
	s.add("%%p = OpPhi %%uint %%u0 %%d%s", phi.String())
	s.store("out", "%x", "%p")
	return s.text()
}

// liveArray keeps n words in registers at once: it loads an array and stores it elsewhere.
func liveArray(n int) string {
	s := newShader()
	s.names.WriteString("OpDecorate %row ArrayStride 4\nOpDecorate %rows ArrayStride " + fmt.Sprint(4*n) + "\nOpMemberDecorate %table 0 Offset 0\nOpDecorate %table Block\nOpDecorate %rowbuffer DescriptorSet 0\nOpDecorate %rowbuffer Binding 1\n")
	s.typef("%%n = OpConstant %%uint %d\n%%row = OpTypeArray %%uint %%n\n%%rows = OpTypeRuntimeArray %%row\n%%table = OpTypeStruct %%rows", n)
	s.typef("%%tableptr = OpTypePointer StorageBuffer %%table\n%%rowptr = OpTypePointer StorageBuffer %%row\n%%rowbuffer = OpVariable %%tableptr StorageBuffer")
	s.add("%%from = OpAccessChain %%rowptr %%rowbuffer %%u0 %%x\n%%all = OpLoad %%row %%from")
	s.add("%%y = OpIAdd %%uint %%x %%u7\n%%to = OpAccessChain %%rowptr %%rowbuffer %%u0 %%y\nOpStore %%to %%all")
	return s.text()
}

// wideStruct is a structure of n scalars, made, taken apart and stored.
func wideStruct(n int) string {
	s := newShader()
	s.typef("%%wide = OpTypeStruct%s", strings.Repeat(" %uint", n))
	s.typef("%%wideptr = OpTypePointer Function %%wide")
	s.body.Reset()
	s.add("%%local = OpVariable %%wideptr Function")
	s.add("%%ids = OpLoad %%uint3 %%id\n%%x = OpCompositeExtract %%uint %%ids 0")
	s.add("%%made = OpCompositeConstruct %%wide%s\nOpStore %%local %%made", strings.Repeat(" %x", n))
	s.add("%%again = OpLoad %%wide %%local\n%%one = OpCompositeExtract %%uint %%again %d", n-1)
	s.store("out", "%x", "%one")
	return s.text()
}

// wideArray is an array of n scalars in a variable whose index is not known.
func wideArray(n int) string {
	s := newShader()
	s.typef("%%n = OpConstant %%uint %d\n%%row = OpTypeArray %%uint %%n\n%%rowptr = OpTypePointer Function %%row\n%%eptr = OpTypePointer Function %%uint", n)
	s.body.Reset()
	s.add("%%local = OpVariable %%rowptr Function\n%%second = OpVariable %%rowptr Function")
	s.add("%%ids = OpLoad %%uint3 %%id\n%%x = OpCompositeExtract %%uint %%ids 0")
	s.add("%%at = OpAccessChain %%eptr %%local %%x\nOpStore %%at %%x")
	s.add("%%all = OpLoad %%row %%local\nOpStore %%second %%all\n%%back = OpAccessChain %%eptr %%second %%x\n%%one = OpLoad %%uint %%back")
	s.store("out", "%x", "%one")
	return s.text()
}

// chain is n operations, each on the result of the one before; stores: each result is kept as well.
func chain(n int) string {
	s := newShader()
	last := "%x"
	for i := range n {
		s.add("%%v%d = %s %%uint %s %%x", i, []string{"OpIAdd", "OpBitwiseXor", "OpIMul"}[i%3], last)
		last = fmt.Sprintf("%%v%d", i)
	}
	s.store("out", "%x", last)
	return s.text()
}

// accesses reads n words at constant places and writes them elsewhere.
func accesses(n int) string {
	s := newShader()
	for i := range n {
		s.typef("%%k%d = OpConstant %%uint %d", i, 3*i+1)
		s.add("%%i%d = OpIAdd %%uint %%x %%k%d", i, i)
		s.load(fmt.Sprintf("v%d", i), fmt.Sprintf("%%i%d", i))
	}
	for i := range n {
		s.store(fmt.Sprintf("v%d", i), fmt.Sprintf("%%k%d", i), fmt.Sprintf("%%v%d", i))
	}
	return s.text()
}

// calls are n functions, each of which calls the next twice where twice is so.
func calls(n int, twice bool) string {
	s := newShader()
	s.typef("%%word = OpTypeFunction %%uint %%uint")
	s.add("%%r = OpFunctionCall %%uint %%f0 %%x")
	s.store("out", "%x", "%r")
	var f strings.Builder
	for i := range n {
		fmt.Fprintf(&f, "%%f%d = OpFunction %%uint None %%word\n%%a%d = OpFunctionParameter %%uint\n%%fl%d = OpLabel\n%%b%d = OpIAdd %%uint %%a%d %%u7\n", i, i, i, i, i)
		result := fmt.Sprintf("%%b%d", i)
		if i+1 < n {
			fmt.Fprintf(&f, "%%c%d = OpFunctionCall %%uint %%f%d %%b%d\n", i, i+1, i)
			result = fmt.Sprintf("%%c%d", i)
			if twice {
				fmt.Fprintf(&f, "%%d%d = OpFunctionCall %%uint %%f%d %s\n", i, i+1, result)
				result = fmt.Sprintf("%%d%d", i)
			}
		}
		fmt.Fprintf(&f, "OpReturnValue %s\nOpFunctionEnd\n", result)
	}
	return s.text() + f.String()
}

// mips is a generator of smaller images: each invocation samples n texels of
// each of several levels, averages them pairwise, and stores each average to
// an image that it chooses among several, with LDS between the levels.
func mips(levels, n int) string {
	s := newShader()
	s.names.WriteString("OpDecorate %texture DescriptorSet 0\nOpDecorate %texture Binding 1\n")
	s.names.WriteString("OpDecorate %images DescriptorSet 0\nOpDecorate %images Binding 2\nOpDecorate %images NonReadable\n")
	s.typef("%%image = OpTypeImage %%float 2D 0 0 0 1 Unknown\n%%sampled = OpTypeSampledImage %%image\n%%sampledptr = OpTypePointer UniformConstant %%sampled\n%%texture = OpVariable %%sampledptr UniformConstant")
	s.typef("%%target = OpTypeImage %%float 2D 0 0 0 2 Rgba16f\n%%count = OpConstant %%uint %d\n%%targets = OpTypeArray %%target %%count\n%%targetsptr = OpTypePointer UniformConstant %%targets\n%%targetptr = OpTypePointer UniformConstant %%target\n%%images = OpVariable %%targetsptr UniformConstant", levels)
	s.typef("%%n = OpConstant %%uint 256\n%%shared = OpTypeArray %%float4 %%n\n%%sharedptr = OpTypePointer Workgroup %%shared\n%%float4ptr = OpTypePointer Workgroup %%float4\n%%lds = OpVariable %%sharedptr Workgroup")
	s.typef("%%f0 = OpConstant %%float 0\n%%quarter = OpConstant %%float 0.25\n%%uint2 = OpTypeVector %%uint 2\n%%u2 = OpConstant %%uint 2\n%%u264 = OpConstant %%uint 264")
	for i := range n {
		s.typef("%%o%d = OpConstant %%float %g\n%%shift%d = OpConstant %%uint %d", i, float64(i)+0.5, i, i)
	}
	for i := range levels {
		s.typef("%%level%d = OpConstant %%uint %d", i, i)
	}
	s.add("%%y = OpCompositeExtract %%uint %%ids 1\n%%fx = OpConvertUToF %%float %%x\n%%fy = OpConvertUToF %%float %%y\n%%tex = OpLoad %%sampled %%texture")
	for l := range levels {
		last := ""
		for i := range n {
			p := fmt.Sprintf("%d_%d", l, i)
			s.add("%%sx%s = OpFAdd %%float %%fx %%o%d\n%%sy%s = OpFMul %%float %%fy %%o%d\n%%at%s = OpCompositeConstruct %%float2 %%sx%s %%sy%s", p, i, p, i, p, p, p)
			s.add("%%t%s = OpImageSampleExplicitLod %%float4 %%tex %%at%s Lod %%o%d", p, p, l%n)
			s.add("%%s%s = OpVectorTimesScalar %%float4 %%t%s %%quarter", p, p)
			if last != "" {
				s.add("%%a%s = OpFAdd %%float4 %s %%s%s", p, last, p)
				last = "%a" + p
			} else {
				last = "%s" + p
			}
		}
		s.add("%%slot%d = OpUMod %%uint %%x %%n\n%%to%d = OpAccessChain %%float4ptr %%lds %%slot%d\nOpStore %%to%d %s\nOpControlBarrier %%u2 %%u2 %%u264", l, l, l, l, last)
		for i := range n {
			p := fmt.Sprintf("%d_%d", l, i)
			s.add("%%near%s = OpIAdd %%uint %%x %%shift%d\n%%nslot%s = OpUMod %%uint %%near%s %%n\n%%from%s = OpAccessChain %%float4ptr %%lds %%nslot%s\n%%l%s = OpLoad %%float4 %%from%s", p, i, p, p, p, p, p, p)
			s.add("%%u%s = OpFAdd %%float4 %s %%l%s", p, last, p)
			last = "%u" + p
			s.add("%%q%s = OpShiftRightLogical %%uint %%x %%shift%d\n%%r%s = OpCompositeConstruct %%uint2 %%q%s %%y", p, i, p, p)
			s.add("%%which%s = OpAccessChain %%targetptr %%images %%level%d\n%%img%s = OpLoad %%target %%which%s\nOpImageWrite %%img%s %%r%s %s", p, l, p, p, p, p, last)
		}
		s.add("OpControlBarrier %%u2 %%u2 %%u264")
		s.add("%%c%d = OpULessThan %%bool %%x %%shift%d\nOpSelectionMerge %%m%d None\nOpBranchConditional %%c%d %%t%d %%m%d\n%%t%d = OpLabel", l, n-1, l, l, l, l, l)
		s.add("OpStore %%to%d %s\nOpBranch %%m%d\n%%m%d = OpLabel", l, last, l, l)
	}
	return s.text()
}

// sequentialLoops are n loops one after the other.
func sequentialLoops(n int) string {
	s := newShader()
	for i := range n {
		s.add("OpBranch %%h%d\n%%h%d = OpLabel", i, i)
		s.add("OpLoopMerge %%m%d %%k%d None", i, i)
		s.add("OpBranch %%b%d\n%%b%d = OpLabel", i, i)
		s.add("OpBranch %%k%d\n%%k%d = OpLabel", i, i)
		s.load(fmt.Sprintf("v%d", i), "%x")
		s.add("%%c%d = OpULessThan %%bool %%v%d %%x", i, i)
		s.add("OpBranchConditional %%c%d %%h%d %%m%d", i, i, i)
		s.add("%%m%d = OpLabel", i)
	}
	return s.text()
}
