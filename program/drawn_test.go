package program

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spvsim/internal/suite"
	"spvsim/spirv/asm"
	"spvsim/spirv/validate"
)

// drawnShaders are the lines of testdata/drawn.txt.
const drawnShaders = 320

// Drawn shaders become what testdata/drawn.txt says, a line each, for one machine after the other: arithmetic of all types, vectors and matrices, blocks with
// nested layouts, arrays in the LDS and of functions, branches whose values meet, loops whose trips lie about the bounds of unrolling, and
// operations of subgroups. With -update the file is written.
func TestWrittenShaders(t *testing.T) {
	targets := codeTargets()
	suite.Lines(t, "drawn.txt", *update, drawnShaders, func(i int) string {
		text := drawShader(uint64(i))
		raw, err := asm.Assemble([]byte(text), "drawn")
		if err != nil {
			t.Fatalf("shader %d: %v\n%s", i, err, text)
		}
		m, err := validate.Check(raw)
		if err != nil {
			t.Fatalf("shader %d: %v\n%s", i, err, text)
		}
		name := codeTargetNames[i%len(targets)]
		p, err := Lower(m, Options{Entry: "main", Target: targets[name]})
		if err != nil {
			return name + " refused: " + err.Error()
		}
		return name + " " + codeOf(p)
	})
}

// A shaderWriter writes a shader's function, with the values of each type that are there.
type shaderWriter struct {
	r         *rand.Rand
	lines     []string
	constants map[string]string // declarations by name
	values    map[string][]string
	block     string
	ids       int
	depth     int
	counter   [2]string // type and value of the innermost loop's; its body has it
}

// scalars are the types of numbers: how wide, and of which kind.
var scalars = map[string]struct {
	bits int
	kind byte // u, s or f
}{"%uint": {32, 'u'}, "%int": {32, 's'}, "%float": {32, 'f'}, "%ulong": {64, 'u'}, "%ushort": {16, 'u'}, "%short": {16, 's'}, "%uchar": {8, 'u'}, "%half": {16, 'f'}, "%double": {64, 'f'}}

var scalarNames = slices.Sorted(maps.Keys(scalars))

// operationsOf are those of two values of a kind.
var operationsOf = map[byte][]string{
	'u': {"OpIAdd", "OpISub", "OpIMul", "OpUDiv", "OpUMod", "OpBitwiseAnd", "OpBitwiseOr", "OpBitwiseXor", "OpIAdd", "OpIMul"},
	's': {"OpIAdd", "OpISub", "OpIMul", "OpSDiv", "OpSRem", "OpBitwiseAnd", "OpBitwiseXor", "OpISub"},
	'f': {"OpFAdd", "OpFSub", "OpFMul", "OpFMul", "OpFAdd", "OpFDiv"},
}

var comparisonsOf = map[byte][]string{
	'u': {"OpULessThan", "OpUGreaterThanEqual", "OpIEqual", "OpINotEqual"},
	's': {"OpSLessThan", "OpSGreaterThan", "OpIEqual"},
	'f': {"OpFOrdLessThan", "OpFUnordGreaterThanEqual", "OpFOrdEqual", "OpFUnordNotEqual"},
}

const drawnFrame = `; Version: 1.6
OpCapability Shader
OpCapability Int64
OpCapability Int16
OpCapability Int8
OpCapability Float16
OpCapability Float64
OpCapability StorageBuffer8BitAccess
OpCapability StorageBuffer16BitAccess
OpCapability GroupNonUniform
OpCapability GroupNonUniformVote
OpCapability GroupNonUniformBallot
OpCapability GroupNonUniformArithmetic
OpCapability GroupNonUniformShuffle
OpCapability PhysicalStorageBufferAddresses
%%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel PhysicalStorageBuffer64 GLSL450
OpEntryPoint GLCompute %%main "main" %%thread %%group %%in %%out %%params %%push %%small %%shared %%picture
OpExecutionMode %%main LocalSize 64 1 1
OpDecorate %%thread BuiltIn LocalInvocationIndex
OpDecorate %%group BuiltIn WorkgroupId
OpDecorate %%words ArrayStride 4
OpDecorate %%columns4 ArrayStride 16
OpDecorate %%items ArrayStride 96
OpDecorate %%shorts ArrayStride 2
OpDecorate %%few ArrayStride 4
OpMemberDecorate %%item 0 Offset 0
OpMemberDecorate %%item 1 Offset 16
OpMemberDecorate %%item 2 Offset 28
OpMemberDecorate %%item 3 Offset 44
OpMemberDecorate %%item 4 Offset 48
OpMemberDecorate %%item 4 ColMajor
OpMemberDecorate %%item 4 MatrixStride 8
OpMemberDecorate %%item 5 Offset 72
OpMemberDecorate %%inblock 0 Offset 0
OpMemberDecorate %%inblock 0 NonWritable
OpMemberDecorate %%outblock 0 Offset 0
OpMemberDecorate %%parameters 0 Offset 0
OpMemberDecorate %%parameters 1 Offset 128
OpMemberDecorate %%parameters 1 RowMajor
OpMemberDecorate %%parameters 1 MatrixStride 16
OpMemberDecorate %%parameters 2 Offset 192
OpMemberDecorate %%pushed 0 Offset 0
OpMemberDecorate %%pushed 1 Offset 8
OpMemberDecorate %%smallblock 0 Offset 0
OpMemberDecorate %%node 0 Offset 0
OpMemberDecorate %%node 1 Offset 8
OpMemberDecorate %%node 2 Offset 16
OpDecorate %%inblock Block
OpDecorate %%outblock Block
OpDecorate %%parameters Block
OpDecorate %%pushed Block
OpDecorate %%smallblock Block
OpDecorate %%node Block
OpDecorate %%in DescriptorSet 0
OpDecorate %%in Binding 0
OpDecorate %%out DescriptorSet 0
OpDecorate %%out Binding 1
OpDecorate %%params DescriptorSet 0
OpDecorate %%params Binding 2
OpDecorate %%small DescriptorSet 0
OpDecorate %%small Binding 3
OpDecorate %%picture DescriptorSet 0
OpDecorate %%picture Binding 4
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%bool = OpTypeBool
%%uint = OpTypeInt 32 0
%%int = OpTypeInt 32 1
%%ulong = OpTypeInt 64 0
%%ushort = OpTypeInt 16 0
%%short = OpTypeInt 16 1
%%uchar = OpTypeInt 8 0
%%float = OpTypeFloat 32
%%half = OpTypeFloat 16
%%double = OpTypeFloat 64
%%v2 = OpTypeVector %%float 2
%%v3 = OpTypeVector %%float 3
%%v4 = OpTypeVector %%float 4
%%u2 = OpTypeVector %%uint 2
%%u3 = OpTypeVector %%uint 3
%%u4 = OpTypeVector %%uint 4
%%m32 = OpTypeMatrix %%v2 3
%%m44 = OpTypeMatrix %%v4 4
%%n4 = OpConstant %%uint 4
%%n6 = OpConstant %%uint 6
%%n8 = OpConstant %%uint 8
%%n64 = OpConstant %%uint 64
%%words = OpTypeRuntimeArray %%uint
%%few = OpTypeArray %%uint %%n4
%%columns4 = OpTypeArray %%v4 %%n8
%%item = OpTypeStruct %%v4 %%v3 %%few %%float %%m32 %%ulong
%%items = OpTypeRuntimeArray %%item
%%shorts = OpTypeRuntimeArray %%ushort
%%inblock = OpTypeStruct %%items
%%outblock = OpTypeStruct %%words
%%parameters = OpTypeStruct %%columns4 %%m44 %%float
%%pushed = OpTypeStruct %%u2 %%float
%%smallblock = OpTypeStruct %%shorts
%%inptr = OpTypePointer StorageBuffer %%inblock
%%outptr = OpTypePointer StorageBuffer %%outblock
%%smallptr = OpTypePointer StorageBuffer %%smallblock
%%paramptr = OpTypePointer Uniform %%parameters
%%pushptr = OpTypePointer PushConstant %%pushed
%%ldsarray = OpTypeArray %%uint %%n64
%%ldsptr = OpTypePointer Workgroup %%ldsarray
%%localarray = OpTypeArray %%float %%n6
%%localptr = OpTypePointer Function %%localarray
%%pair = OpTypeStruct %%float %%uint %%float
%%pairs = OpTypeArray %%pair %%n8
%%pairsptr = OpTypePointer Function %%pairs
%%node = OpTypeStruct %%ulong %%v2 %%words
%%nodeptr = OpTypePointer PhysicalStorageBuffer %%node
%%to_node_ulong = OpTypePointer PhysicalStorageBuffer %%ulong
%%to_node_v2 = OpTypePointer PhysicalStorageBuffer %%v2
%%to_node_uint = OpTypePointer PhysicalStorageBuffer %%uint
%%to_local_uint = OpTypePointer Function %%uint
%%to_in_uint = OpTypePointer StorageBuffer %%uint
%%to_in_float = OpTypePointer StorageBuffer %%float
%%to_in_ulong = OpTypePointer StorageBuffer %%ulong
%%to_in_ushort = OpTypePointer StorageBuffer %%ushort
%%to_in_v2 = OpTypePointer StorageBuffer %%v2
%%to_in_v3 = OpTypePointer StorageBuffer %%v3
%%to_in_v4 = OpTypePointer StorageBuffer %%v4
%%to_in_m32 = OpTypePointer StorageBuffer %%m32
%%to_u_v4 = OpTypePointer Uniform %%v4
%%to_u_m44 = OpTypePointer Uniform %%m44
%%to_u_float = OpTypePointer Uniform %%float
%%to_p_uint = OpTypePointer PushConstant %%uint
%%to_p_u2 = OpTypePointer PushConstant %%u2
%%to_lds = OpTypePointer Workgroup %%uint
%%to_local = OpTypePointer Function %%float
%%inword = OpTypePointer Input %%uint
%%inu3 = OpTypePointer Input %%u3
%%picturetype = OpTypeImage %%float 2D 0 0 0 2 Rgba32f
%%pictureptr = OpTypePointer UniformConstant %%picturetype
%%picture = OpVariable %%pictureptr UniformConstant
%%in = OpVariable %%inptr StorageBuffer
%%out = OpVariable %%outptr StorageBuffer
%%params = OpVariable %%paramptr Uniform
%%push = OpVariable %%pushptr PushConstant
%%small = OpVariable %%smallptr StorageBuffer
%%shared = OpVariable %%ldsptr Workgroup
%%thread = OpVariable %%inword Input
%%group = OpVariable %%inu3 Input
%s
%%main = OpFunction %%void None %%fn
%%start = OpLabel
%%local = OpVariable %%localptr Function
%%locals = OpVariable %%pairsptr Function
`

// drawShader is the text of the shader of a seed.
func drawShader(seed uint64) string {
	w := &shaderWriter{r: rand.New(rand.NewPCG(seed, 28)), constants: map[string]string{}, values: map[string][]string{}, block: "%start"}
	w.value("%uint", "OpLoad %uint %thread")
	w.value("%u3", "OpLoad %u3 %group")
	w.value("%uint", "OpCompositeExtract %uint "+w.of("%u3")+" 0")
	for range 8 + w.r.IntN(16) {
		w.statement()
	}
	w.keep()
	var constants strings.Builder
	for _, name := range slices.Sorted(maps.Keys(w.constants)) {
		constants.WriteString(w.constants[name] + "\n")
	}
	return fmt.Sprintf(drawnFrame, constants.String()) + strings.Join(w.lines, "\n") + "\nOpReturn\nOpFunctionEnd\n"
}

func (w *shaderWriter) line(format string, args ...any) {
	w.lines = append(w.lines, fmt.Sprintf(format, args...))
}

func (w *shaderWriter) id() string { w.ids++; return fmt.Sprintf("%%x%d", w.ids) }

// value adds one of a type.
func (w *shaderWriter) value(of, text string) string {
	id := w.id()
	w.line("%s = %s", id, text)
	w.values[of] = append(w.values[of], id)
	return id
}

func (w *shaderWriter) one(list ...string) string { return list[w.r.IntN(len(list))] }

// constant is one of a scalar type, or of booleans.
func (w *shaderWriter) constant(of string) string {
	words := []string{"0", "1", "2", "3", "5", "7", "8", "16", "100"}
	if scalars[of].kind == 'f' {
		words = []string{"0", "1", "0.5", "2", "-1", "3.25", "0.1"}
	} else if scalars[of].bits == 32 {
		words = append(words, "31", "255", "65535", "1000003")
	}
	return w.named(of, words[w.r.IntN(len(words))])
}

// named is a constant with a value.
func (w *shaderWriter) named(of, value string) string {
	name := "%k" + of[1:] + "_" + strings.NewReplacer("-", "m", ".", "p").Replace(value)
	w.constants[name] = fmt.Sprintf("%s = OpConstant %s %s", name, of, value)
	return name
}

// vectors have so many scalars of a type.
var vectors = map[string]struct {
	n  int
	of string
}{"%v2": {2, "%float"}, "%v3": {3, "%float"}, "%v4": {4, "%float"}, "%u2": {2, "%uint"}, "%u3": {3, "%uint"}, "%u4": {4, "%uint"}}

var vectorNames = slices.Sorted(maps.Keys(vectors))

// of is a value of a type: one of the last, mostly; else a constant, or one that is put together.
func (w *shaderWriter) of(t string) string {
	if list := w.values[t]; len(list) > 0 && w.r.IntN(5) > 0 {
		return list[max(len(list)-1-w.r.IntN(6), 0)]
	}
	if v, ok := vectors[t]; ok {
		parts := make([]string, v.n)
		for i := range parts {
			parts[i] = w.of(v.of)
		}
		return w.value(t, "OpCompositeConstruct "+t+" "+strings.Join(parts, " "))
	}
	if t == "%bool" {
		s := scalarNames[w.r.IntN(len(scalarNames))]
		return w.value(t, w.one(comparisonsOf[scalars[s].kind]...)+" %bool "+w.of(s)+" "+w.of(s))
	}
	if t == "%m32" {
		return w.value(t, "OpCompositeConstruct %m32 "+w.of("%v2")+" "+w.of("%v2")+" "+w.of("%v2"))
	}
	return w.constant(t)
}

// index is a number below a power of two.
func (w *shaderWriter) index(below int) string {
	if w.r.IntN(2) == 0 {
		return w.named("%uint", fmt.Sprint(w.r.IntN(below)))
	}
	return w.value("%uint", fmt.Sprintf("OpBitwiseAnd %%uint %s %s", w.of("%uint"), w.named("%uint", fmt.Sprint(below-1))))
}

// statement draws one; those with blocks inside lie at most two deep.
func (w *shaderWriter) statement() {
	kinds := []func(){w.binary, w.binary, w.binary, w.convert, w.load, w.load, w.load, w.vector, w.vector, w.math, w.chosen, w.shift, w.store, w.matrix, w.lds, w.array, w.pairs, w.node, w.together, w.picture}
	if w.depth < 2 {
		kinds = append(kinds, w.branch, w.branch, w.loop, w.loop, w.cases)
	}
	kinds[w.r.IntN(len(kinds))]()
}

// scalar is a type, 32 bits wide twice as often as not.
func (w *shaderWriter) scalar() string {
	if w.r.IntN(3) > 0 {
		return w.one("%uint", "%int", "%float")
	}
	return scalarNames[w.r.IntN(len(scalarNames))]
}

func (w *shaderWriter) binary() {
	t := w.scalar()
	w.value(t, fmt.Sprintf("%s %s %s %s", w.one(operationsOf[scalars[t].kind]...), t, w.of(t), w.of(t)))
}

func (w *shaderWriter) shift() {
	t := w.one("%uint", "%int", "%ulong", "%ushort")
	op := w.one("OpShiftLeftLogical", "OpShiftRightLogical", "OpShiftRightArithmetic")
	w.value(t, fmt.Sprintf("%s %s %s %s", op, t, w.of(t), w.named("%uint", fmt.Sprint(w.r.IntN(scalars[t].bits)))))
	if t == "%uint" {
		w.value(t, fmt.Sprintf("OpBitFieldUExtract %%uint %s %s %s", w.of(t), w.named("%uint", fmt.Sprint(8*w.r.IntN(4))), w.named("%uint", w.one("8", "16", "5"))))
	}
}

// convert is one from another type, by the operation for both.
func (w *shaderWriter) convert() {
	from, to := scalarNames[w.r.IntN(len(scalarNames))], w.scalar()
	f, t := scalars[from], scalars[to]
	op := map[string]string{"uu": "OpUConvert", "us": "OpUConvert", "su": "OpSConvert", "ss": "OpSConvert", "uf": "OpConvertUToF", "sf": "OpConvertSToF", "fu": "OpConvertFToU", "fs": "OpConvertFToS", "ff": "OpFConvert"}[string(f.kind)+string(t.kind)]
	switch {
	case from == to:
		return
	case f.bits == t.bits && strings.Contains(op, "onvert") && (op == "OpUConvert" || op == "OpSConvert" || op == "OpFConvert"):
		op = "OpBitcast"
	case f.bits == t.bits && w.r.IntN(2) == 0:
		op = "OpBitcast"
	case op == "OpUConvert" && t.kind == 's':
		to = map[int]string{8: "%uchar", 16: "%ushort", 32: "%uint", 64: "%ulong"}[t.bits]
	}
	w.value(to, op+" "+to+" "+w.of(from))
}

func (w *shaderWriter) load() {
	chain := func(pointer, base string, path ...string) string {
		id := w.id()
		w.line("%s = OpAccessChain %s %s %s", id, pointer, base, strings.Join(path, " "))
		return id
	}
	k := func(n int) string { return w.named("%uint", fmt.Sprint(n)) }
	item := w.item()
	zero := k(0)
	switch w.r.IntN(13) {
	case 0:
		w.value("%v4", "OpLoad %v4 "+chain("%to_in_v4", "%in", zero, item, zero))
	case 1:
		w.value("%v3", "OpLoad %v3 "+chain("%to_in_v3", "%in", zero, item, k(1)))
	case 2:
		w.value("%uint", "OpLoad %uint "+chain("%to_in_uint", "%in", zero, item, k(2), w.index(4)))
	case 3:
		w.value("%float", "OpLoad %float "+chain("%to_in_float", "%in", zero, item, k(3)))
	case 4:
		w.value("%m32", "OpLoad %m32 "+chain("%to_in_m32", "%in", zero, item, k(4)))
	case 5:
		w.value("%v2", "OpLoad %v2 "+chain("%to_in_v2", "%in", zero, item, k(4), w.named("%uint", w.one("0", "1", "2"))))
	case 6:
		w.value("%ulong", "OpLoad %ulong "+chain("%to_in_ulong", "%in", zero, item, k(5)))
	case 7:
		w.value("%v4", "OpLoad %v4 "+chain("%to_u_v4", "%params", zero, w.index(8)))
	case 8:
		m := w.id()
		w.line("%s = OpLoad %%m44 %s", m, chain("%to_u_m44", "%params", k(1)))
		w.value("%v4", fmt.Sprintf("%s %%v4 %s", "OpMatrixTimesVector", m+" "+w.of("%v4")))
	case 9:
		w.value("%uint", "OpLoad %uint "+chain("%to_p_uint", "%push", zero, w.index(2)))
	case 10:
		w.value("%ushort", "OpLoad %ushort "+chain("%to_in_ushort", "%small", zero, item))
	case 11:
		w.value("%uint", "OpLoad %uint "+chain("%to_in_uint", "%out", zero, item))
	default:
		w.value("%float", "OpLoad %float "+chain("%to_u_float", "%params", k(2)))
	}
}

// store puts a word of any type into the results.
func (w *shaderWriter) store() {
	v := w.of("%uint")
	switch w.r.IntN(5) {
	case 0:
		v = w.value("%uint", "OpBitcast %uint "+w.of("%float"))
	case 1:
		v = w.value("%uint", "OpUConvert %uint "+w.of(w.one("%ulong", "%ushort", "%uchar")))
	case 2:
		p := w.id()
		w.line("%s = OpAccessChain %%to_in_ushort %%small %s %s", p, w.named("%uint", "0"), w.of("%uint"))
		w.line("OpStore %s %s", p, w.of("%ushort"))
		return
	case 3:
		v = w.value("%uint", "OpCompositeExtract %uint "+w.of("%u4")+" "+w.one("0", "3"))
	}
	p := w.id()
	w.line("%s = OpAccessChain %%to_in_uint %%out %s %s", p, w.named("%uint", "0"), w.item())
	w.line("OpStore %s %s", p, v)
}

// keep stores the last values of each type, so that they are not for nothing.
func (w *shaderWriter) keep() {
	delete(w.values, "%picturetype")
	delete(w.values, "%nodeptr")
	for i, t := range slices.Sorted(maps.Keys(w.values)) {
		list := w.values[t]
		for k, v := range list[max(len(list)-4, 0):] {
			of := t
			if vector, ok := vectors[t]; ok {
				of = vector.of
				v = w.value(of, fmt.Sprintf("OpCompositeExtract %s %s %d", of, v, k%vector.n))
			} else if t == "%m32" {
				of = "%float"
				v = w.value(of, fmt.Sprintf("OpCompositeExtract %s %s %d 1", of, v, k%3))
			} else if t == "%bool" {
				of = "%uint"
				v = w.value(of, fmt.Sprintf("OpSelect %s %s %s %s", of, v, w.named(of, "3"), w.named(of, "8")))
			}
			p := w.id()
			w.line("%s = OpAccessChain %%to_in_uint %%out %s %s", p, w.named("%uint", "0"), w.named("%uint", fmt.Sprint(16*i+k)))
			w.line("OpStore %s %s", p, w.word(of, v))
		}
	}
}

// word is a number of any type as a word.
func (w *shaderWriter) word(of, v string) string {
	s := scalars[of]
	switch {
	case of == "%uint":
		return v
	case s.bits == 32:
		return w.value("%uint", "OpBitcast %uint "+v)
	case s.kind == 'f' && s.bits == 16:
		return w.value("%uint", "OpConvertFToU %uint "+v)
	case s.kind == 'f':
		return w.word("%float", w.value("%float", "OpFConvert %float "+v))
	}
	return w.value("%uint", "OpUConvert %uint "+v)
}

func (w *shaderWriter) vector() {
	t := vectorNames[w.r.IntN(len(vectorNames))]
	v := vectors[t]
	switch w.r.IntN(6) {
	case 0:
		w.value(v.of, fmt.Sprintf("OpCompositeExtract %s %s %d", v.of, w.of(t), w.r.IntN(v.n)))
	case 1:
		w.value(t, fmt.Sprintf("OpCompositeInsert %s %s %s %d", t, w.of(v.of), w.of(t), w.r.IntN(v.n)))
	case 2:
		var parts []string
		for range v.n {
			parts = append(parts, fmt.Sprint(w.r.IntN(2*v.n)))
		}
		w.value(t, fmt.Sprintf("OpVectorShuffle %s %s %s %s", t, w.of(t), w.of(t), strings.Join(parts, " ")))
	case 3:
		w.value(v.of, fmt.Sprintf("OpVectorExtractDynamic %s %s %s", v.of, w.of(t), w.index(2)))
	case 4:
		w.value(t, fmt.Sprintf("%s %s %s %s", w.one(operationsOf[scalars[v.of].kind]...), t, w.of(t), w.of(t)))
	default:
		if v.of == "%float" {
			w.value("%float", fmt.Sprintf("OpDot %%float %s %s", w.of(t), w.of(t)))
		}
	}
}

func (w *shaderWriter) matrix() {
	switch w.r.IntN(4) {
	case 0:
		w.value("%v2", "OpMatrixTimesVector %v2 "+w.of("%m32")+" "+w.of("%v3"))
	case 1:
		w.value("%v3", "OpVectorTimesMatrix %v3 "+w.of("%v2")+" "+w.of("%m32"))
	case 2:
		w.value("%m32", "OpMatrixTimesScalar %m32 "+w.of("%m32")+" "+w.of("%float"))
	default:
		w.value("%m32", "OpOuterProduct %m32 "+w.of("%v2")+" "+w.of("%v3"))
	}
}

// math is a function of the extended set.
func (w *shaderWriter) math() {
	f := func(n int, t string, names ...string) {
		text := fmt.Sprintf("OpExtInst %s %%glsl %s", t, w.one(names...))
		for range n {
			text += " " + w.of(t)
		}
		w.value(t, text)
	}
	switch w.r.IntN(7) {
	case 0:
		f(1, "%float", "FAbs", "Floor", "Fract", "Sqrt", "InverseSqrt", "Exp2", "Sin", "Round", "FSign")
	case 1:
		f(2, w.one("%float", "%half"), "FMin", "FMax", "Pow", "Step")
	case 2:
		f(3, w.one("%float", "%v3"), "FClamp", "FMix", "Fma", "SmoothStep")
	case 3:
		f(2, w.one("%uint", "%u3", "%ushort"), "UMin", "UMax")
	case 4:
		f(1, "%uint", "FindILsb", "FindUMsb")
	case 5:
		w.value("%uint", "OpExtInst %uint %glsl "+w.one("PackHalf2x16", "PackUnorm2x16", "PackSnorm2x16")+" "+w.of("%v2"))
	default:
		f(3, "%int", "SClamp")
	}
}

func (w *shaderWriter) chosen() {
	t := w.scalar()
	w.value(t, fmt.Sprintf("OpSelect %s %s %s %s", t, w.of("%bool"), w.of(t), w.of(t)))
}

// lds stores into the LDS and reads another lane's word after a barrier, or changes one by an atomic; barriers come where all lanes do.
func (w *shaderWriter) lds() {
	place := func() string {
		p, at := w.id(), w.index(64)
		w.line("%s = OpAccessChain %%to_lds %%shared %s", p, at)
		return p
	}
	if w.r.IntN(3) == 0 {
		w.value("%uint", fmt.Sprintf("%s %%uint %s %s %s %s", w.one("OpAtomicIAdd", "OpAtomicUMax", "OpAtomicExchange"), place(), w.named("%uint", "2"), w.named("%uint", "0"), w.of("%uint")))
		return
	}
	w.line("OpStore %s %s", place(), w.of("%uint"))
	if w.depth == 0 {
		w.line("OpControlBarrier %s %s %s", w.named("%uint", "2"), w.named("%uint", "2"), w.named("%uint", "264"))
	}
	w.value("%uint", "OpLoad %uint "+place())
}

// array goes through an array of the function.
func (w *shaderWriter) array() {
	for range 2 {
		p := w.id()
		w.line("%s = OpAccessChain %%to_local %%local %s", p, w.index(4))
		w.line("OpStore %s %s", p, w.of("%float"))
	}
	p := w.id()
	w.line("%s = OpAccessChain %%to_local %%local %s", p, w.index(4))
	w.value("%float", "OpLoad %float "+p)
}

// together is an operation of a subgroup.
func (w *shaderWriter) together() {
	scope := w.named("%uint", "3")
	switch w.r.IntN(5) {
	case 0:
		w.value("%uint", fmt.Sprintf("OpGroupNonUniformIAdd %%uint %s %s %s", scope, w.one("Reduce", "InclusiveScan", "ExclusiveScan"), w.of("%uint")))
	case 1:
		w.value("%float", fmt.Sprintf("OpGroupNonUniformFMax %%float %s Reduce %s", scope, w.of("%float")))
	case 2:
		w.value("%u4", fmt.Sprintf("OpGroupNonUniformBallot %%u4 %s %s", scope, w.of("%bool")))
	case 3:
		w.value("%uint", fmt.Sprintf("OpGroupNonUniformShuffleXor %%uint %s %s %s", scope, w.of("%uint"), w.named("%uint", w.one("1", "2", "8"))))
	default:
		w.value("%bool", fmt.Sprintf("OpGroupNonUniformAny %%bool %s %s", scope, w.of("%bool")))
	}
}

// picture reads a texel or writes one.
func (w *shaderWriter) picture() {
	image := w.value("%picturetype", "OpLoad %picturetype %picture")
	w.values["%picturetype"] = nil
	if w.r.IntN(2) == 0 {
		w.value("%v4", fmt.Sprintf("OpImageRead %%v4 %s %s", image, w.of("%u2")))
	} else {
		at, v := w.of("%u2"), w.of("%v4")
		w.line("OpImageWrite %s %s %s", image, at, v)
	}
}
