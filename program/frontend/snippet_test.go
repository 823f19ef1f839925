package frontend

import (
	"math"
	"testing"

	"spvsim/internal/oracle"
	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/program/ir"
)

const outBuffer = `
%outarray = OpTypeRuntimeArray %uint
%outblock = OpTypeStruct %outarray
%outptr = OpTypePointer StorageBuffer %outblock
%outword = OpTypePointer StorageBuffer %uint
%out = OpVariable %outptr StorageBuffer
%lptr = OpTypePointer Function %uint
`

const nullPointers = `
%u4 = OpConstant %uint 4
%u8 = OpConstant %uint 8
%u16 = OpConstant %uint 16
%nullword = OpConstantNull %outword
%ldsword = OpTypePointer Workgroup %uint
%nulllds = OpConstantNull %ldsword
%lds = OpVariable %ldsword Workgroup
`

const outDecorations = size1 + `
OpDecorate %outarray ArrayStride 4
OpMemberDecorate %outblock 0 Offset 0
OpDecorate %outblock Block
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
`

// TestSnippets runs single instructions: the body leaves its result in %r.
func TestSnippets(t *testing.T) {
	for _, tt := range snippets {
		t.Run(tt.name, func(t *testing.T) {
			m := module(t, tt.caps, outDecorations, outBuffer+tt.decls,
				tt.body+"\n%at0 = OpAccessChain %outword %out %u0 %u0\nOpStore %at0 %r")
			f := suite.Must(Build(m, Options{WaveSize: 32}))(t)
			suite.OK(t, ir.Verify(f))
			out := make([]byte, 4)
			d := oracle.Dispatch{Groups: one, WaveSize: 32, Descriptors: buffer(out)}
			suite.Must(oracle.Run(f, d))(t)
			if got := toWords(out)[0]; got != tt.want {
				t.Errorf("result %#x, want %#x", got, tt.want)
			}
		})
	}
}

var snippets = []struct {
	name, caps, decls, body string
	want                    uint32
}{
	{"spec op chain", "", `%a = OpConstantComposite %v2 %f1 %f1
%x = OpSpecConstant %uint 7
%y = OpSpecConstantOp %uint ShiftLeftLogical %x %u2
%z = OpSpecConstantOp %uint UMod %y %u3
%c = OpSpecConstantOp %bool UGreaterThan %y %u3
%s = OpSpecConstantOp %uint Select %c %z %u0
%n = OpSpecConstantOp %uint Not %s`, "%r = OpIAdd %uint %n %u0", ^uint32(28 % 3)},
	{"spec composite", "", `%uv = OpTypeVector %uint 2
%x = OpSpecConstant %uint 9
%p = OpSpecConstantComposite %uv %x %u2
%q = OpSpecConstantOp %uv VectorShuffle %p %p 1 2
%e = OpSpecConstantOp %uv CompositeInsert %u3 %q 0
%w = OpSpecConstantOp %uint CompositeExtract %e 1`, "%r = OpCopyObject %uint %w", 9},
	{"64-bit switch", "OpCapability Int64", "%long = OpTypeInt 64 0\n%key = OpConstant %long 0x100000005", `
%v = OpVariable %lptr Function %u1
OpSelectionMerge %join None
OpSwitch %key %other 5 %low 0x100000005 %high
%low = OpLabel
OpStore %v %u2
OpBranch %join
%high = OpLabel
OpStore %v %u3
OpBranch %other
%other = OpLabel
%had = OpLoad %uint %v
%more = OpIMul %uint %had %u3
OpStore %v %more
OpBranch %join
%join = OpLabel
%r = OpLoad %uint %v`, 9},
	{"copy memory", "", "%pair = OpTypeArray %uint %u2\n%pp = OpTypePointer Function %pair\n%pc = OpConstantComposite %pair %u2 %u3", `
%v = OpVariable %pp Function %pc
%w = OpVariable %pp Function
OpCopyMemory %w %v
%at = OpAccessChain %lptr %w %u1
%r = OpLoad %uint %at`, 3},
	{"vector insert", "", "%uv = OpTypeVector %uint 3\n%null = OpConstantNull %uv\n%i = OpUndef %uint", `
%a = OpVectorInsertDynamic %uv %null %u3 %u2
%r = OpVectorExtractDynamic %uint %a %u2`, 3},
	{"float remainder", "", "%a = OpConstant %float -7.5\n%b = OpConstant %float 2", `
%m = OpFRem %float %a %b
%r = OpBitcast %uint %m`, math.Float32bits(-1.5)},
	{"quantize", "", "%a = OpConstant %float 1.0009", "%m = OpQuantizeToF16 %float %a\n%r = OpBitcast %uint %m",
		math.Float32bits(1 + 1.0/1024)},
	{"unordered", "", "%nan = OpConstant %float 0x1.8p+128", `
%o = OpFOrdLessThan %bool %nan %f1
%u = OpFUnordLessThan %bool %nan %f1
%both = OpLogicalNotEqual %bool %o %u
%r = OpSelect %uint %both %u3 %u0`, 3},
	{"struct undef", "", "%st = OpTypeStruct %uint %v4 %bool\n%un = OpUndef %st", `
%s = OpCompositeInsert %st %u3 %un 0
%r = OpCompositeExtract %uint %s 0`, 3},
	{"exponent of 64 bits", `OpCapability Int64
%set = OpExtInstImport "GLSL.std.450"`, `%long = OpTypeInt 64 1
%low = OpConstant %long -9223372036854775803
%high = OpConstant %long 4294967297`, `
%a = OpExtInst %float %set Ldexp %f1 %low
%b = OpExtInst %float %set Ldexp %f1 %high
%s = OpFSub %float %b %a
%r = OpBitcast %uint %s`, 0x7f800000},
	{"pointers and null", "OpCapability VariablePointers", nullPointers, `
%a = OpAccessChain %outword %out %u0 %u0
%e1 = OpPtrEqual %bool %a %nullword
%e2 = OpPtrEqual %bool %nullword %nullword
%e3 = OpPtrNotEqual %bool %lds %nulllds
%e4 = OpPtrEqual %bool %nulllds %nulllds
%e5 = OpPtrEqual %bool %lds %nulllds
%n1 = OpSelect %uint %e1 %u1 %u0
%n2 = OpSelect %uint %e2 %u2 %u0
%n3 = OpSelect %uint %e3 %u4 %u0
%n4 = OpSelect %uint %e4 %u8 %u0
%n5 = OpSelect %uint %e5 %u16 %u0
%s2 = OpBitwiseOr %uint %n1 %n2
%s3 = OpBitwiseOr %uint %s2 %n3
%s4 = OpBitwiseOr %uint %s3 %n4
%r = OpBitwiseOr %uint %s4 %n5`, 2 + 4 + 8},
	{"distance of pointers", "OpCapability VariablePointers", "", `
%a = OpAccessChain %outword %out %u0 %u3
%b = OpAccessChain %outword %out %u0 %u1
%d = OpPtrDiff %uint %a %b
%c = OpSelect %outword %true %a %b
%e = OpPtrDiff %int %b %c
%f = OpBitcast %uint %e
%g = OpIMul %uint %f %u3
%r = OpIAdd %uint %g %d`, 1<<32 - 6 + 2},
	{"narrow", "OpCapability Int8", "%byte = OpTypeInt 8 1\n%m = OpConstant %byte -3\n%k = OpConstant %byte 100", `
%p = OpIMul %byte %m %k
%w = OpSConvert %int %p
%r = OpBitcast %uint %w`, 0xffffffd4},
}

// find returns the values of an operation.
func find(f *ir.Func, op isa.Op) []*ir.Value {
	var list []*ir.Value
	for _, b := range f.Blocks {
		for _, v := range b.Code {
			if v.Op == op {
				list = append(list, v)
			}
		}
	}
	return list
}

func TestNoContraction(t *testing.T) {
	m := module(t, "", size1+"OpDecorate %keep NoContraction", "", "%keep = OpFMul %float %f1 %f1\n%free = OpFMul %float %f1 %f1")
	f := suite.Must(Build(m, Options{WaveSize: 32}))(t)
	if v := find(f, isa.FMul); len(v) != 2 || !v[0].NoContract || v[1].NoContract {
		t.Errorf("multiplications %v", v)
	}
}

// TestLines: values carry the line and the id of their instruction, in the module with debug information.
func TestLines(t *testing.T) {
	f := build(t, "testdata/debug/saxpy.spv", Options{})
	v := find(f, isa.FMul)
	if len(v) != 1 || v[0].Line != 6 || v[0].SPIRV == 0 {
		t.Errorf("the multiplication is at line %d, want 6", v[0].Line)
	}
}

func TestLoopControl(t *testing.T) {
	for control, want := range map[string]uint8{"None": 0, "Unroll": 1, "DontUnroll": 2} {
		m := module(t, "", size1, "", `OpBranch %head
%head = OpLabel
OpLoopMerge %exit %cont `+control+`
OpBranchConditional %true %cont %exit
%cont = OpLabel
OpBranch %head
%exit = OpLabel`)
		f := suite.Must(Build(m, Options{WaveSize: 32}))(t)
		found := false
		for _, b := range f.Blocks {
			if b.Continue != nil {
				found = b.Unroll == want && b.Merge != nil
			}
		}
		if !found {
			t.Errorf("loop control %s: no header with %d", control, want)
		}
	}
}

// TestMemoryModel: accesses made visible beyond the workgroup are coherent.
func TestMemoryModel(t *testing.T) {
	const caps = "OpCapability VulkanMemoryModel\nOpCapability VulkanMemoryModelDeviceScope"
	m := module(t, caps, outDecorations, outBuffer, `
%at0 = OpAccessChain %outword %out %u0 %u0
%a = OpLoad %uint %at0 MakePointerVisible|NonPrivatePointer %u1
%b = OpLoad %uint %at0 MakePointerVisible|NonPrivatePointer %u2
%c = OpLoad %uint %at0 Volatile`)
	f := suite.Must(Build(m, Options{WaveSize: 32}))(t)
	v := find(f, isa.Load)
	if len(v) != 3 || !v[0].Mem.Coherent || v[1].Mem.Coherent || !v[2].Mem.Volatile || v[2].Mem.ReadOnly || !v[1].Mem.ReadOnly {
		t.Errorf("loads %v", v)
	}
}
