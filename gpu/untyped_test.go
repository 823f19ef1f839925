package gpu

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/spirv/validate"
)

// Untyped pointers, invocation by invocation from the text of SPV_KHR_untyped_pointers: what lies in memory is worked out
// here on bytes.

const untypedFrame = `; Version: 1.6
OpCapability Shader
OpCapability Int16
OpCapability Int64
OpCapability StorageBuffer16BitAccess
OpCapability VariablePointersStorageBuffer
OpCapability WorkgroupMemoryExplicitLayoutKHR
OpCapability UntypedPointersKHR
OpExtension "SPV_KHR_untyped_pointers"
OpExtension "SPV_KHR_workgroup_memory_explicit_layout"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %%main "main" %%id %%in %%out %%typed %%lds %%push
OpExecutionMode %%main LocalSize 64 1 1
OpDecorate %%id BuiltIn LocalInvocationIndex
OpDecorate %%words ArrayStride 4
OpDecorate %%halves ArrayStride 2
OpDecorate %%items ArrayStride 16
OpDecorate %%any ArrayStride 8
OpDecorate %%eight ArrayStride 4
OpMemberDecorate %%block 0 Offset 0
OpMemberDecorate %%item 0 Offset 0
OpMemberDecorate %%item 1 Offset 4
OpMemberDecorate %%item 2 Offset 8
OpMemberDecorate %%tail 0 Offset 0
OpMemberDecorate %%tail 1 Offset 16
OpMemberDecorate %%group 0 Offset 0
OpMemberDecorate %%pushed 0 Offset 0
OpDecorate %%block Block
OpDecorate %%tail Block
OpDecorate %%group Block
OpDecorate %%pushed Block
OpDecorate %%in DescriptorSet 0
OpDecorate %%in Binding 0
OpDecorate %%typed DescriptorSet 0
OpDecorate %%typed Binding 1
OpDecorate %%out DescriptorSet 0
OpDecorate %%out Binding 2
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%bool = OpTypeBool
%%half = OpTypeInt 16 0
%%uint = OpTypeInt 32 0
%%ulong = OpTypeInt 64 0
%%float = OpTypeFloat 32
%%v2 = OpTypeVector %%uint 2
%%c0 = OpConstant %%uint 0
%%c1 = OpConstant %%uint 1
%%c2 = OpConstant %%uint 2
%%c3 = OpConstant %%uint 3
%%c4 = OpConstant %%uint 4
%%c8 = OpConstant %%uint 8
%%c32 = OpConstant %%uint 32
%%c64 = OpConstant %%uint 64
%%acq = OpConstant %%uint 264
%%words = OpTypeRuntimeArray %%uint
%%halves = OpTypeRuntimeArray %%half
%%item = OpTypeStruct %%uint %%float %%ulong
%%items = OpTypeRuntimeArray %%item
%%eight = OpTypeArray %%uint %%c64
%%block = OpTypeStruct %%words
%%tail = OpTypeStruct %%v2 %%words
%%group = OpTypeStruct %%eight
%%pushed = OpTypeStruct %%v2
%%any = OpTypeUntypedPointerKHR StorageBuffer
%%anyshared = OpTypeUntypedPointerKHR Workgroup
%%anypush = OpTypeUntypedPointerKHR PushConstant
%%in = OpUntypedVariableKHR %%any StorageBuffer %%block
%%out = OpUntypedVariableKHR %%any StorageBuffer %%block
%%lds = OpUntypedVariableKHR %%anyshared Workgroup %%group
%%push = OpUntypedVariableKHR %%anypush PushConstant %%pushed
%%pblock = OpTypePointer StorageBuffer %%block
%%pword = OpTypePointer StorageBuffer %%uint
%%typed = OpVariable %%pblock StorageBuffer
%%inword = OpTypePointer Input %%uint
%%id = OpVariable %%inword Input
%%taker = OpTypeFunction %%uint %%any
%%take = OpFunction %%uint None %%taker
%%given = OpFunctionParameter %%any
%%tl = OpLabel
%%tv = OpLoad %%uint %%given
OpReturnValue %%tv
OpFunctionEnd
%%main = OpFunction %%void None %%fn
%%entry = OpLabel
%%t = OpLoad %%uint %%id
%%odd = OpBitwiseAnd %%uint %%t %%c1
%%isodd = OpINotEqual %%bool %%odd %%c0
%[1]s%%o = OpUntypedAccessChainKHR %%any %%words %%out %%t
OpStore %%o %%r
OpReturn
OpFunctionEnd
`

// untypedWord is word i of the buffer that is read, of 1024 bytes.
func untypedWord(i int) uint32 { return uint32(i)*0x9e3779b1 + 0x7f4a }

func untypedAt(i int) uint32 {
	var b [1024]byte
	for k := range 256 {
		binary.LittleEndian.PutUint32(b[4*k:], untypedWord(k))
	}
	return binary.LittleEndian.Uint32(b[i:])
}

var untypedCases = []struct {
	name, code string
	want       func(t int) uint32
}{
	{"a load through the variable itself", `
%r = OpLoad %uint %in
`, func(int) uint32 { return untypedAt(0) }},
	{"floats where words are declared", `
%p = OpUntypedAccessChainKHR %any %words %in %t
%f = OpLoad %float %p
%r = OpBitcast %uint %f
`, func(t int) uint32 { return untypedAt(4 * t) }},
	{"halves at odd places", `
%n = OpIAdd %uint %t %c3
%p = OpUntypedAccessChainKHR %any %halves %in %n
%h = OpLoad %half %p
%r = OpUConvert %uint %h
`, func(t int) uint32 { return untypedAt(2*t+6) & 0xffff }},
	{"members of structures", `
%n = OpBitwiseAnd %uint %t %c32
%m = OpUntypedInBoundsAccessChainKHR %any %items %in %t %c2
%l = OpLoad %ulong %m
%s = OpUConvert %ulong %n
%x = OpShiftRightLogical %ulong %l %s
%r = OpUConvert %uint %x
`, func(t int) uint32 { return untypedAt(16*t + 8 + t&32/8) }},
	{"a structure as a whole", `
%p = OpUntypedAccessChainKHR %any %items %in %t
%s = OpLoad %item %p
%a = OpCompositeExtract %uint %s 0
%f = OpCompositeExtract %float %s 1
%b = OpBitcast %uint %f
%r = OpIAdd %uint %a %b
`, func(t int) uint32 { return untypedAt(16*t) + untypedAt(16*t+4) }},
	{"steps over the base", `
%p = OpUntypedPtrAccessChainKHR %any %v2 %in %t %c1
%r = OpLoad %uint %p
`, func(t int) uint32 { return untypedAt(8*t + 4) }},
	{"chains on chains", `
%p = OpUntypedAccessChainKHR %any %items %in %c2
%q = OpUntypedAccessChainKHR %any %words %p %t
%r = OpLoad %uint %q
`, func(t int) uint32 { return untypedAt(32 + 4*t) }},
	{"a typed base", `
%p = OpAccessChain %pword %typed %c0 %c4
%q = OpUntypedAccessChainKHR %any %halves %p %t
%h = OpLoad %half %q
%r = OpUConvert %uint %h
`, func(t int) uint32 { return untypedAt(16+2*t) & 0xffff }},
	{"a chosen pointer", `
%p = OpUntypedAccessChainKHR %any %words %in %t
%q = OpUntypedAccessChainKHR %any %items %in %t
%c = OpSelect %any %isodd %p %q
%r = OpLoad %uint %c
`, func(t int) uint32 { return untypedAt((16 - t%2*12) * t) }},
	{"a parameter", `
%r = OpFunctionCall %uint %take %in
`, func(int) uint32 { return untypedAt(0) }},
	{"the length of an array", `
%r = OpUntypedArrayLengthKHR %uint %tail %in 1
`, func(int) uint32 { return (1024 - 16) / 4 }},
	{"atomic operations", `
%n = OpShiftRightLogical %uint %t %c1
%m = OpIAdd %uint %n %c64
%p = OpUntypedAccessChainKHR %any %words %out %m
%before = OpAtomicIAdd %uint %p %c1 %c0 %c3
%r = OpISub %uint %before %before
`, func(int) uint32 { return 0 }},
	{"distances in bytes", `
%p = OpUntypedAccessChainKHR %any %items %in %t
%q = OpUntypedAccessChainKHR %any %items %in %c1
%r = OpPtrDiff %uint %p %q
`, func(t int) uint32 { return uint32(16*t - 16) }},
	{"a copy by a typed pointer's type", `
%p = OpAccessChain %pword %typed %c0 %t
%n = OpIAdd %uint %t %c64
%q = OpUntypedAccessChainKHR %any %words %out %n
OpCopyMemory %q %p
%r = OpLoad %uint %q
`, func(t int) uint32 { return untypedAt(4 * t) }},
	{"a copy of bytes", `
%p = OpUntypedAccessChainKHR %any %items %in %t
%n = OpIMul %uint %t %c2
%m = OpIAdd %uint %n %c64
%q = OpUntypedAccessChainKHR %any %words %out %m
%k = OpIAdd %uint %m %c1
%e = OpUntypedAccessChainKHR %any %words %out %k
OpCopyMemorySized %q %p %c8
%r = OpLoad %uint %e
`, func(t int) uint32 { return untypedAt(16*t + 4) }},
	{"workgroup memory", `
%p = OpUntypedAccessChainKHR %anyshared %eight %lds %t
%f = OpConvertUToF %float %t
OpStore %p %f
OpControlBarrier %c2 %c2 %acq
%n = OpBitwiseXor %uint %t %c1
%q = OpUntypedAccessChainKHR %anyshared %eight %lds %n
%r = OpLoad %uint %q
`, func(t int) uint32 { return math.Float32bits(float32(t ^ 1)) }},
	{"push constants", `
%p = OpUntypedAccessChainKHR %anypush %pushed %push %c0 %c1
%r = OpLoad %uint %p
`, func(int) uint32 { return 77 }},
}

func TestUntypedPointers(t *testing.T) {
	var data strings.Builder
	for i := range 256 {
		fmt.Fprintf(&data, "%d, ", untypedWord(i))
	}
	for _, c := range untypedCases {
		text := fmt.Sprintf(untypedFrame, c.code[1:])
		for _, machine := range []string{"gcn3-r9nano", "cdna3-mi300a", "rdna3-rx7900xtx"} {
			words256 := "{type: u32, values: [" + data.String() + "]}"
			s := setupBeside(t, fstest.MapFS{"m.spvasm": &fstest.MapFile{Data: []byte(text)}},
				"shader: m.spvasm\nbuffers: [{set: 0, binding: 0, name: in, data: "+words256+"}, {set: 0, binding: 1, name: typed, data: "+words256+
					"}, {set: 0, binding: 2, name: out, data: {zero: 1024}}]\npush_constants: [{u32: 5}, {u32: 77}]\ndispatch: [1]\n", machine)
			r, err := Run(context.Background(), s)
			if err != nil {
				t.Errorf("%s, %s: %v", c.name, machine, err)
				break
			}
			got := words(r.Buffers[2].Bytes)
			for thread := range 64 {
				if w := c.want(thread); got[thread] != w {
					t.Errorf("%s, %s: invocation %d: %#x, want %#x", c.name, machine, thread, got[thread], w)
					break
				}
			}
			for n := range 32 {
				if c.name == "atomic operations" && got[64+n] != 6 {
					t.Errorf("%s, %s: word %d is %d, want 6: two invocations add 3", c.name, machine, n, got[64+n])
				}
			}
		}
	}
}

// What no Vulkan device has is refused by name, what the extension forbids is a fault.
func TestUntypedPointersThatAreRefused(t *testing.T) {
	for _, c := range []struct {
		from, to, want string
		is             error
	}{
		{"%any = OpTypeUntypedPointerKHR StorageBuffer\n", "%any = OpTypeUntypedPointerKHR StorageBuffer\n%priv = OpTypeUntypedPointerKHR Private\n", "an untyped pointer to Private", validate.ErrUnsupported},
		{"%in = OpUntypedVariableKHR %any StorageBuffer %block", "%in = OpUntypedVariableKHR %any StorageBuffer", "without a Data Type", validate.ErrUnsupported},
		{"%o = OpUntypedAccessChainKHR %any %words %out %t", "%o = OpAccessChain %pword %out %c0 %t", "want OpUntypedAccessChainKHR", validate.ErrInvalid},
		{"%o = OpUntypedAccessChainKHR %any %words %out %t", "%o = OpUntypedAccessChainKHR %any %pword %out %t", "want a type that is neither a pointer", validate.ErrInvalid},
		{"%o = OpUntypedAccessChainKHR %any %words %out %t", "%o = OpUntypedAccessChainKHR %anyshared %words %out %t", "want an untyped pointer to StorageBuffer", validate.ErrInvalid},
		{"%o = OpUntypedAccessChainKHR %any %words %out %t", "%o = OpUntypedAccessChainKHR %any %words %t %t", "want a pointer", validate.ErrInvalid},
		{"OpDecorate %any ArrayStride 8\n", "", "has no ArrayStride", validate.ErrInvalid},
		{"%typed = OpVariable %pblock StorageBuffer", "%typed = OpVariable %pblock StorageBuffer\n%bad = OpVariable %any StorageBuffer", "want OpUntypedVariableKHR", validate.ErrInvalid},
	} {
		text := fmt.Sprintf(untypedFrame, "%p = OpUntypedPtrAccessChainKHR %any %v2 %in %t %c1\n%r = OpLoad %uint %p\n")
		changed := strings.Replace(text, c.from, c.to, 1)
		if changed == text {
			t.Fatalf("%q is not there", c.from)
		}
		_, err := LoadModule([]byte(changed), "m.spvasm")
		if !errors.Is(err, c.is) || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%q: error %v, want %q", c.to, err, c.want)
		}
	}
}
