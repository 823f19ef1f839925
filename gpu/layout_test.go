package gpu

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/cu"
	"spvsim/internal/suite"
)

// Workgroup memory with explicit layout: several views of the same bytes.

// A lvRead reads a scalar of the second view.
type lvRead struct {
	name  string
	code  string // leaves the value in %r
	typ   string // its type: uchar, ushort, uint, ulong, float
	at    int    // where it is by the text's rules: Offset, ArrayStride, MatrixStride
	bytes int
}

// lvChain reads a scalar through an access chain from the view.
func lvChain(pointer string, index ...int) string {
	text := "%p = OpAccessChain %" + pointer + "_p %view"
	for _, i := range index {
		text += fmt.Sprintf(" %%c%d", i)
	}
	return text + "\n%r = OpLoad %" + pointer + " %p\n"
}

var lvReads = []lvRead{
	{"bytes", lvChain("uchar", 0, 5), "uchar", 5, 1},
	{"halves", lvChain("ushort", 1, 3), "ushort", 8 + 2*3, 2},
	{"64-bit", lvChain("ulong", 2), "ulong", 16, 8},
	{"component of a vector", lvChain("uint", 3, 2), "uint", 32 + 4*2, 4},
	{"member of an array of structures", lvChain("ushort", 4, 2, 1), "ushort", 48 + 12*2 + 6, 2},
	{"row-major matrix", lvChain("float", 5, 1, 2), "float", 96 + 16*2 + 4*1, 4}, // column 1, row 2
	{"column-major matrix", lvChain("float", 6, 1, 2), "float", 160 + 16*1 + 4*2, 4},
	{"row-major matrix as a whole", "%p = OpAccessChain %m_p %view %c5\n%w = OpLoad %m %p\n%r = OpCompositeExtract %float %w 1 2\n", "float", 96 + 36, 4},
	{"column of a row-major matrix", "%p = OpAccessChain %v3_p %view %c5 %c1\n%w = OpLoad %v3 %p\n%r = OpCompositeExtract %float %w 2\n", "float", 96 + 36, 4},
	{"column-major matrix as a whole", "%p = OpAccessChain %m_p %view %c6\n%w = OpLoad %m %p\n%r = OpCompositeExtract %float %w 1 2\n", "float", 160 + 24, 4},
	{"a pointer moved by its stride", "%q = OpAccessChain %strided %view %c0 %c1\n%p = OpPtrAccessChain %strided %q %c3\n%r = OpLoad %uchar %p\n", "uchar", 1 + 3*7, 1},
}

// lvModule stores words 0 to 63 through one view and reads one scalar through another. The byte at place k is k.
func lvModule(r lvRead) string {
	var consts strings.Builder
	for n := range 64 {
		fmt.Fprintf(&consts, "%%c%d = OpConstant %%uint %d\n", n, n)
	}
	wide := map[string]string{
		"uchar": "%x = OpUConvert %ulong %r\n", "ushort": "%x = OpUConvert %ulong %r\n", "uint": "%x = OpUConvert %ulong %r\n",
		"ulong": "%x = OpCopyObject %ulong %r\n", "float": "%b = OpBitcast %uint %r\n%x = OpUConvert %ulong %b\n",
	}[r.typ]
	return fmt.Sprintf(lvFrame, consts.String(), r.code+wide)
}

const lvFrame = `; Version: 1.4
OpCapability Shader
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability VariablePointers
OpCapability WorkgroupMemoryExplicitLayoutKHR
OpCapability WorkgroupMemoryExplicitLayout8BitAccessKHR
OpCapability WorkgroupMemoryExplicitLayout16BitAccessKHR
OpExtension "SPV_KHR_workgroup_memory_explicit_layout"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %%main "main" %%id %%out %%words %%view
OpExecutionMode %%main LocalSize 64 1 1
OpDecorate %%id BuiltIn LocalInvocationIndex
OpDecorate %%array ArrayStride 8
OpMemberDecorate %%block 0 Offset 0
OpDecorate %%block Block
OpDecorate %%out DescriptorSet 0
OpDecorate %%out Binding 0
OpDecorate %%words Aliased
OpDecorate %%view Aliased
OpDecorate %%a_uint ArrayStride 4
OpDecorate %%Words Block
OpMemberDecorate %%Words 0 Offset 0
OpDecorate %%a_uchar ArrayStride 1
OpDecorate %%a_ushort ArrayStride 2
OpDecorate %%a_pair ArrayStride 12
OpDecorate %%strided ArrayStride 7
OpMemberDecorate %%pair 0 Offset 0
OpMemberDecorate %%pair 1 Offset 6
OpDecorate %%View Block
OpMemberDecorate %%View 0 Offset 0
OpMemberDecorate %%View 1 Offset 8
OpMemberDecorate %%View 2 Offset 16
OpMemberDecorate %%View 3 Offset 32
OpMemberDecorate %%View 4 Offset 48
OpMemberDecorate %%View 5 Offset 96
OpMemberDecorate %%View 5 RowMajor
OpMemberDecorate %%View 5 MatrixStride 16
OpMemberDecorate %%View 6 Offset 160
OpMemberDecorate %%View 6 ColMajor
OpMemberDecorate %%View 6 MatrixStride 16
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%uchar = OpTypeInt 8 0
%%ushort = OpTypeInt 16 0
%%uint = OpTypeInt 32 0
%%ulong = OpTypeInt 64 0
%%float = OpTypeFloat 32
%%v4 = OpTypeVector %%uint 4
%%v3 = OpTypeVector %%float 3
%%m = OpTypeMatrix %%v3 2
%[1]s%%c264 = OpConstant %%uint 264
%%first = OpConstant %%uint 0x03020100
%%each = OpConstant %%uint 0x04040404
%%array = OpTypeRuntimeArray %%ulong
%%block = OpTypeStruct %%array
%%outptr = OpTypePointer StorageBuffer %%block
%%outword = OpTypePointer StorageBuffer %%ulong
%%out = OpVariable %%outptr StorageBuffer
%%inword = OpTypePointer Input %%uint
%%id = OpVariable %%inword Input
%%a_uint = OpTypeArray %%uint %%c63
%%Words = OpTypeStruct %%a_uint
%%a_uchar = OpTypeArray %%uchar %%c8
%%a_ushort = OpTypeArray %%ushort %%c4
%%pair = OpTypeStruct %%uint %%ushort
%%a_pair = OpTypeArray %%pair %%c3
%%View = OpTypeStruct %%a_uchar %%a_ushort %%ulong %%v4 %%a_pair %%m %%m
%%Words_p = OpTypePointer Workgroup %%Words
%%View_p = OpTypePointer Workgroup %%View
%%uchar_p = OpTypePointer Workgroup %%uchar
%%strided = OpTypePointer Workgroup %%uchar
%%ushort_p = OpTypePointer Workgroup %%ushort
%%uint_p = OpTypePointer Workgroup %%uint
%%ulong_p = OpTypePointer Workgroup %%ulong
%%float_p = OpTypePointer Workgroup %%float
%%v3_p = OpTypePointer Workgroup %%v3
%%m_p = OpTypePointer Workgroup %%m
%%words = OpVariable %%Words_p Workgroup
%%view = OpVariable %%View_p Workgroup
%%bool = OpTypeBool
%%main = OpFunction %%void None %%fn
%%entry = OpLabel
%%t = OpLoad %%uint %%id
%%step = OpIMul %%uint %%t %%each
%%word = OpIAdd %%uint %%step %%first
%%inside = OpULessThan %%bool %%t %%c63
OpSelectionMerge %%after None
OpBranchConditional %%inside %%put %%after
%%put = OpLabel
%%to = OpAccessChain %%uint_p %%words %%c0 %%t
OpStore %%to %%word
OpBranch %%after
%%after = OpLabel
OpControlBarrier %%c2 %%c2 %%c264
%[2]s%%o = OpAccessChain %%outword %%out %%c0 %%c0
OpStore %%o %%x
OpReturn
OpFunctionEnd
`

func TestViewsOfTheSameBytes(t *testing.T) {
	for _, read := range lvReads {
		t.Run(read.name, func(t *testing.T) {
			r := suite.Must(Run(context.Background(), laneJob(t, lvModule(read), "{zero: 8}", 32)))(t)
			want := uint64(0)
			for k := read.bytes - 1; k >= 0; k-- {
				want = want<<8 | uint64(read.at+k)
			}
			if got := binary.LittleEndian.Uint64(r.Buffers[0].Bytes); got != want {
				t.Errorf("%#x, want %#x, the bytes from %d on", got, want, read.at)
			}
			if got := r.Listings[0].Program.LDSBytes; got != 252 {
				t.Errorf("%d bytes of LDS, want those of the largest block, 252", got)
			}
		})
	}
}

// lvArrays is a shader with two Workgroup arrays of 4096 words, as two blocks over each other or side by side.
func lvArrays(aliased bool) string {
	text := `; Version: 1.4
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %out %one %two
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %array ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
DECORATIONS%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%c0 = OpConstant %uint 0
%c2 = OpConstant %uint 2
%c264 = OpConstant %uint 264
%n = OpConstant %uint 4096
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%outptr = OpTypePointer StorageBuffer %block
%outword = OpTypePointer StorageBuffer %uint
%out = OpVariable %outptr StorageBuffer
%inword = OpTypePointer Input %uint
%id = OpVariable %inword Input
%words = OpTypeArray %uint %n
%One = OpTypeStruct %words
%Two = OpTypeStruct %words
%One_p = OpTypePointer Workgroup %One
%Two_p = OpTypePointer Workgroup %Two
%word_p = OpTypePointer Workgroup %uint
%one = OpVariable %One_p Workgroup
%two = OpVariable %Two_p Workgroup
%main = OpFunction %void None %fn
%entry = OpLabel
%t = OpLoad %uint %id
%a = OpAccessChain %word_p %one %c0 %t
OpStore %a %t
OpControlBarrier %c2 %c2 %c264
%b = OpAccessChain %word_p %two %c0 %t
%v = OpLoad %uint %b
%o = OpAccessChain %outword %out %c0 %t
OpStore %o %v
OpReturn
OpFunctionEnd
`
	decorations := ""
	if aliased {
		text = strings.Replace(text, "OpMemoryModel", "OpCapability WorkgroupMemoryExplicitLayoutKHR\nOpExtension \"SPV_KHR_workgroup_memory_explicit_layout\"\nOpMemoryModel", 1)
		decorations = "OpDecorate %words ArrayStride 4\nOpDecorate %One Block\nOpDecorate %Two Block\nOpMemberDecorate %One 0 Offset 0\nOpMemberDecorate %Two 0 Offset 0\nOpDecorate %one Aliased\nOpDecorate %two Aliased\n"
	}
	return strings.Replace(text, "DECORATIONS", decorations, 1)
}

// Two views use half the LDS of two arrays, so twice the workgroups fit on a compute unit; and what one writes the other reads.
func TestViewsTakeHalfTheLDSOfArrays(t *testing.T) {
	var bytes [2]uint32
	var groups [2]int
	for i, aliased := range []bool{false, true} {
		s := laneJob(t, lvArrays(aliased), "{zero: 256}", 64)
		r := suite.Must(Run(context.Background(), s))(t)
		for k, got := range words(r.Buffers[0].Bytes) {
			if want := uint32(k); aliased && got != want || !aliased && got != 0 {
				t.Fatalf("aliased %v: word %d is %d", aliased, k, got)
			}
		}
		p := r.Listings[0].Program
		limits := s.Machine.Limits()
		need := suite.Must(cu.NewResources(p, limits))(t)
		bytes[i], groups[i] = p.LDSBytes, need.Occupancy(limits)
	}
	if bytes != [2]uint32{32768, 16384} || groups[1] != 2*groups[0] || groups[0] == 0 {
		t.Errorf("arrays and views: %d bytes, %d workgroups a compute unit", bytes, groups)
	}
}

// Workgroup variables of Block structures share bytes only where the module declares explicit layouts of Workgroup; one of the narrow capabilities declares them too.
func TestWorkgroupBlocksShareBytesAsDeclared(t *testing.T) {
	const module = `; Version: 1.4
OpCapability Shader
DECLARED
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %out %first %second
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %array ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpDecorate %One Block
OpMemberDecorate %One 0 Offset 0
OpDecorate %Two Block
OpMemberDecorate %Two 0 Offset 0
OpDecorate %first Aliased
OpDecorate %second Aliased
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%u0 = OpConstant %uint 0
%u3 = OpConstant %uint 3
%u4 = OpConstant %uint 4
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%p_block = OpTypePointer StorageBuffer %block
%p_out = OpTypePointer StorageBuffer %uint
%out = OpVariable %p_block StorageBuffer
%One = OpTypeStruct %uint
%Two = OpTypeStruct %uint
%p_One = OpTypePointer Workgroup %One
%p_Two = OpTypePointer Workgroup %Two
%word = OpTypePointer Workgroup %uint
%first = OpVariable %p_One Workgroup
%second = OpVariable %p_Two Workgroup
%main = OpFunction %void None %fn
%entry = OpLabel
%a = OpAccessChain %word %first %u0
%b = OpAccessChain %word %second %u0
OpStore %b %u3
OpStore %a %u4
%v = OpLoad %uint %b
%o = OpAccessChain %p_out %out %u0 %u0
OpStore %o %v
OpReturn
OpFunctionEnd
`
	const extension = "OpExtension \"SPV_KHR_workgroup_memory_explicit_layout\""
	for _, c := range []struct {
		declared string
		want     uint32
	}{
		{"", 3},
		{extension, 3},
		{"OpCapability WorkgroupMemoryExplicitLayoutKHR\n" + extension, 4},
		{"OpCapability WorkgroupMemoryExplicitLayout8BitAccessKHR\n" + extension, 4},
		{"OpCapability WorkgroupMemoryExplicitLayout16BitAccessKHR\n" + extension, 4},
	} {
		s := laneJob(t, strings.Replace(module, "DECLARED", c.declared, 1), "{zero: 4}", 32)
		r := suite.Must(Run(context.Background(), s))(t)
		if got := words(r.Buffers[0].Bytes)[0]; got != c.want {
			t.Errorf("with %q the word is %d, want %d", c.declared, got, c.want)
		}
	}
}

// Pointers to Workgroup variables without Block keep the compiler's layout when they become values, also where the module declares explicit layouts: the array's stride of 16 bytes is that of buffers.
func TestWorkgroupPointersWithoutBlock(t *testing.T) {
	const module = `; Version: 1.4
OpCapability Shader
OpCapability VariablePointers
OpCapability WorkgroupMemoryExplicitLayoutKHR
OpExtension "SPV_KHR_workgroup_memory_explicit_layout"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %out %shared
OpEntryPoint GLCompute %other "other" %view
OpExecutionMode %main LocalSize 1 1 1
OpExecutionMode %other LocalSize 1 1 1
OpDecorate %array ArrayStride 16
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpDecorate %View Block
OpMemberDecorate %View 0 Offset 0
%void = OpTypeVoid
%bool = OpTypeBool
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u3 = OpConstant %uint 3
%u4 = OpConstant %uint 4
%array = OpTypeArray %uint %u4
%block = OpTypeStruct %array
%p_block = OpTypePointer StorageBuffer %block
%p_out = OpTypePointer StorageBuffer %uint
%out = OpVariable %p_block StorageBuffer
%pair = OpTypeArray %array %u2
%p_pair = OpTypePointer Workgroup %pair
%p_array = OpTypePointer Workgroup %array
%word = OpTypePointer Workgroup %uint
%shared = OpVariable %p_pair Workgroup
%View = OpTypeStruct %uint
%p_View = OpTypePointer Workgroup %View
%view = OpVariable %p_View Workgroup
%main = OpFunction %void None %fn
%entry = OpLabel
%l = OpAccessChain %p_out %out %u0 %u0
%lo = OpLoad %uint %l
%which = OpIEqual %bool %lo %u1
%a = OpAccessChain %p_array %shared %u0
%b = OpAccessChain %p_array %shared %u1
%p = OpSelect %p_array %which %a %b
%w = OpAccessChain %word %p %lo
OpStore %w %u4
%r = OpAccessChain %word %shared %u1 %u2
%v = OpLoad %uint %r
%o = OpAccessChain %p_out %out %u0 %u1
OpStore %o %v
%next = OpPtrAccessChain %word %w %u1
OpStore %next %u2
%s = OpAccessChain %word %shared %u1 %u3
%n = OpLoad %uint %s
%q = OpAccessChain %p_out %out %u0 %u2
OpStore %q %n
OpReturn
OpFunctionEnd
%other = OpFunction %void None %fn
%start = OpLabel
OpReturn
OpFunctionEnd
`
	files := fstest.MapFS{"m.spvasm": &fstest.MapFile{Data: []byte(module)}}
	s := setupBeside(t, files, "shader: m.spvasm\nentry: main\nbuffers: [{set: 0, binding: 0, name: out, data: {values: [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]}}]\ndispatch: [1]\n", "rdna3-rx7900xtx", "shader_engines=1")
	r := suite.Must(Run(context.Background(), s))(t)
	if got := words(r.Buffers[0].Bytes); got[4] != 4 || got[8] != 2 {
		t.Errorf("words %d and %d, want 4 and 2", got[4], got[8])
	}
}
