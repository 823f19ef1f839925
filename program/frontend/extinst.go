package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// extInst carries out OpExtInst by its set. The operands of the set's
// instruction start at operand 2.
func (b *builder) extInst() {
	set := b.m.Import(b.arg(0))
	switch {
	case set == "GLSL.std.450":
		b.glsl(spirv.GLSLstd450(b.arg(1)))
	case set == openCLSet:
		b.openCL()
	case set == "NonSemantic.DebugPrintf":
		b.debugPrintf()
	case set == "SPV_AMD_shader_ballot":
		extended(b, ballotAMD, b.groups)
	case set == "SPV_AMD_gcn_shader":
		extended(b, gcnShader, b.gcn)
	case set == "SPV_AMD_shader_trinary_minmax":
		extended(b, trinaryMinMax, b.maths)
	case validate.Ignorable(set):
	default:
		b.unsupported("extended instruction set %q", set)
	}
}

// extended carries out the instruction of a set that has a table of rows, by the
// part that they belong to.
func extended[N ~uint32, T any](b *builder, rows map[N]func(b T), part T) {
	row := rows[N(b.arg(1))]
	if row == nil {
		b.unsupported("instruction %d of %s", b.arg(1), b.m.Import(b.arg(0)))
	}
	row(part)
}

func (b *builder) debugPrintf() {
	var args []*ir.Value
	for i := 3; i < len(b.in.Operands); i++ {
		args = append(args, b.leaves(b.arg(i))...)
	}
	b.print(b.m.String(b.arg(2)), args)
}

// print emits a print by a format.
func (b *builder) print(format string, args []*ir.Value) {
	n, ok := b.strings[format]
	if !ok {
		n = len(b.f.Strings)
		b.strings[format] = n
		b.f.Strings = append(b.f.Strings, format)
	}
	b.emit(isa.DebugPrint, isa.Void, isa.Void, args...).Imm = uint64(n)
}

func (b *builder) glsl(op spirv.GLSLstd450) {
	row := glslRows[op]
	if row == nil {
		b.unsupported("GLSL.std.450 %s in a compute shader", op)
	}
	row(b)
}

// glslRows has a row for each instruction of GLSL.std.450.
var glslRows = map[spirv.GLSLstd450]func(b *builder){}

func init() {
	attachGLSL(glslScalar(), func(b *builder) *maths { return b.maths })
	attachGLSL(glslVector(), func(b *builder) *maths { return b.maths })
	attachGLSL(glslMemory(), func(b *builder) *pointers { return b.pointers })
	attachGLSL(interpolateRows(), func(b *builder) *inputs { return b.inputs })
}

// attachGLSL adds the rows of a part.
func attachGLSL[T any](own map[spirv.GLSLstd450]func(b T), part func(b *builder) T) {
	for op, do := range own {
		if glslRows[op] != nil {
			panic("frontend: two rows for " + op.String())
		}
		glslRows[op] = func(b *builder) { do(part(b)) }
	}
}
