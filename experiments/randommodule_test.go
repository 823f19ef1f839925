package experiments

import (
	"fmt"
	"strings"
)

// A moduleText builds the text of a module with the nodes of a random graph. Values are ids as text.
type moduleText struct {
	entries, modes, decorations, types strings.Builder
	functions                          strings.Builder
	variables, body                    strings.Builder // of the function in the making
	constants                          map[uint32]string
	ids                                int
}

func newModuleText() *moduleText {
	b := &moduleText{constants: map[uint32]string{}}
	b.types.WriteString(`%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%ushort = OpTypeInt 16 0
%uint2 = OpTypeVector %uint 2
%uint3 = OpTypeVector %uint 3
%ushort2 = OpTypeVector %ushort 2
%ushort3 = OpTypeVector %ushort 3
%fn = OpTypeFunction %void
%true = OpConstantTrue %bool
%false = OpConstantFalse %bool
%p_in1 = OpTypePointer Input %uint
%p_in3 = OpTypePointer Input %uint3
%p_local = OpTypePointer Function %uint
%p_payload = OpTypePointer NodePayloadAMDX %uint
%p_half = OpTypePointer NodePayloadAMDX %ushort
%numbers = OpTypeRuntimeArray %uint
%buffer = OpTypeStruct %numbers
%p_buffer = OpTypePointer StorageBuffer %buffer
%p_number = OpTypePointer StorageBuffer %uint
%out = OpVariable %p_buffer StorageBuffer
%lane = OpVariable %p_in1 Input
%me = OpVariable %p_in1 Input
%left = OpVariable %p_in1 Input
%group = OpVariable %p_in3 Input
`)
	return b
}

const moduleHead = `OpCapability Shader
OpCapability Int16
OpCapability ShaderEnqueueAMDX
OpExtension "SPV_AMDX_shader_enqueue"
OpMemoryModel Logical GLSL450
`

const moduleDecorations = `OpName %out "out"
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpDecorate %numbers ArrayStride 4
OpMemberDecorate %buffer 0 Offset 0
OpDecorate %buffer Block
OpDecorate %lane BuiltIn LocalInvocationIndex
OpDecorate %group BuiltIn WorkgroupId
OpDecorate %me BuiltIn ShaderIndexAMDX
OpDecorate %left BuiltIn RemainingRecursionLevelsAMDX
`

func (b *moduleText) String() string {
	return moduleHead + b.entries.String() + b.modes.String() + moduleDecorations + b.decorations.String() + b.types.String() + b.functions.String()
}

// u is a constant.
func (b *moduleText) u(v uint32) string {
	if b.constants[v] == "" {
		b.constants[v] = fmt.Sprintf("%%u%d", v)
		fmt.Fprintf(&b.types, "%%u%d = OpConstant %%uint %d\n", v, v)
	}
	return b.constants[v]
}

func (b *moduleText) id(prefix string) string {
	b.ids++
	return fmt.Sprintf("%%%s_%d", prefix, b.ids)
}

// op adds an instruction with a result: its name, its type and its operands.
func (b *moduleText) op(name, typ string, operands ...string) string {
	id := b.id("v")
	fmt.Fprintf(&b.body, "%s = %s %s %s\n", id, name, typ, strings.Join(operands, " "))
	return id
}

func (b *moduleText) do(line string, operands ...string) {
	fmt.Fprintln(&b.body, line, strings.Join(operands, " "))
}

func (b *moduleText) label(id string) { fmt.Fprintf(&b.body, "%s = OpLabel\n", id) }

// function ends the function in the making.
func (b *moduleText) function(name string) {
	fmt.Fprintf(&b.functions, "%%%s = OpFunction %%void None %%fn\n%s = OpLabel\n%s%sOpReturn\nOpFunctionEnd\n",
		name, b.id("entry"), b.variables.String(), b.body.String())
	b.variables.Reset()
	b.body.Reset()
}

func (b *moduleText) add(x, y string) string { return b.op("OpIAdd", "%uint", x, y) }
func (b *moduleText) mod(x string, n uint32) string {
	return b.op("OpUMod", "%uint", x, b.u(max(n, 1)))
}
func (b *moduleText) less(x, y string) string { return b.op("OpULessThan", "%bool", x, y) }
func (b *moduleText) choose(c, x, y string) string {
	return b.op("OpSelect", "%uint", c, x, y)
}

// hash mixes two values: the hash determines counts and contents in random graphs.
func (b *moduleText) hash(x, y string) string {
	h := b.op("OpBitwiseXor", "%uint", b.op("OpIMul", "%uint", x, b.u(0x9e3779b1)), y)
	h = b.op("OpIMul", "%uint", b.op("OpBitwiseXor", "%uint", h, b.op("OpShiftRightLogical", "%uint", h, b.u(15))), b.u(0x85ebca6b))
	return b.op("OpBitwiseXor", "%uint", h, b.op("OpShiftRightLogical", "%uint", h, b.u(13)))
}

// local is a variable of the function with a first value.
func (b *moduleText) local(first string) string {
	id := b.id("local")
	fmt.Fprintf(&b.variables, "%s = OpVariable %%p_local Function\n", id)
	b.do("OpStore", id, first)
	return id
}

func (b *moduleText) load(p string) string { return b.op("OpLoad", "%uint", p) }

func (b *moduleText) when(condition string, then func()) {
	yes, end := b.id("yes"), b.id("end")
	b.do("OpSelectionMerge", end, "None")
	b.do("OpBranchConditional", condition, yes, end)
	b.label(yes)
	then()
	b.do("OpBranch", end)
	b.label(end)
}

// loop runs the body for i from first in steps while it is less than the limit.
func (b *moduleText) loop(first, limit, step string, body func(i string)) {
	i := b.local(first)
	head, test, do, next, done := b.id("head"), b.id("test"), b.id("do"), b.id("next"), b.id("done")
	b.do("OpBranch", head)
	b.label(head)
	b.do("OpLoopMerge", done, next, "None")
	b.do("OpBranch", test)
	b.label(test)
	at := b.load(i)
	b.do("OpBranchConditional", b.less(at, limit), do, done)
	b.label(do)
	body(at)
	b.do("OpBranch", next)
	b.label(next)
	b.do("OpStore", i, b.add(b.load(i), step))
	b.do("OpBranch", head)
	b.label(done)
}

// sum adds to a word of the buffer, atomically.
func (b *moduleText) sum(word, value string) {
	p := b.op("OpAccessChain", "%p_number", "%out", b.u(0), word)
	b.op("OpAtomicIAdd", "%uint", p, b.u(1), b.u(0), value)
}

// member points to a word of a payload; path leads to the payload.
func (b *moduleText) member(path []string, indexes ...string) string {
	return b.op("OpAccessChain", "%p_payload", append(append([]string{}, path...), indexes...)...)
}
