package validate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spvsim/internal/suite"
	"spvsim/spirv"
	"spvsim/spirv/grammar"
)

// operandTypes has a value of each kind of type, %v and a number, which instructions are tried with.
const operandTypes = `%int64 = OpTypeInt 64 1
%uint64 = OpTypeInt 64 0
%short = OpTypeInt 16 0
%half = OpTypeFloat 16
%double = OpTypeFloat 64
%f2 = OpTypeVector %float 2
%f3 = OpTypeVector %float 3
%f4 = OpTypeVector %float 4
%i2 = OpTypeVector %int 2
%w2 = OpTypeVector %uint 2
%w4 = OpTypeVector %uint 4
%b2 = OpTypeVector %bool 2
%d2 = OpTypeVector %double 2
%m22 = OpTypeMatrix %f2 2
%m23 = OpTypeMatrix %f3 2
%m32 = OpTypeMatrix %f2 3
%list = OpTypeArray %uint %u4
%twice = OpTypeStruct %uint %uint
%ffs = OpTypeStruct %float %float
%fis = OpTypeStruct %float %int
%pu = OpTypePointer Function %uint
%pf = OpTypePointer Function %float
%pl = OpTypePointer Function %list
%ws = OpTypePointer Workgroup %uint
%wf = OpTypePointer Workgroup %float
%s = OpSpecConstant %uint 1
%w = OpVariable %ws Workgroup
%x = OpVariable %wf Workgroup`

// operandNames are the types of the values, in the order in which they come.
var operandNames = strings.Fields("bool uint int uint64 int64 short float half double f2 f3 f4 i2 w2 w4 b2 d2 m22 m23 m32 list twice ffs fis pu pf pl ws wf")

// An operandTrial tries instructions with operands of all kinds.
type operandTrial struct {
	m      *Module
	v      *valueCheck
	random *rand.Rand
	types  []uint32
	values [][]uint32 // by their type's place
	set    uint32     // of extended instructions
	result spirv.ID
}

func newOperandTrial(t *testing.T) *operandTrial {
	var code strings.Builder
	names := ""
	for i, name := range operandNames {
		fmt.Fprintf(&code, "%%v%d = OpUndef %%%s\n%%o%[1]d = OpUndef %%%[2]s\n", i, name)
		names += fmt.Sprintf("OpName %%%s \"%s\"\nOpName %%v%d \"v%[3]d\"\nOpName %%o%[3]d \"o%[3]d\"\n", name, name, i)
	}
	caps := "OpCapability Int64\nOpCapability Int16\nOpCapability Float16\nOpCapability Float64\nOpCapability VariablePointers\n" + glsl
	code.WriteString("%last = OpUndef %uint")
	names += "OpName %glsl \"glsl\"\nOpName %last \"last\"\nOpName %w \"w\"\nOpName %x \"x\"\nOpName %s \"s\"\nOpName %u0 \"u0\"\nOpName %u1 \"u1\"\nOpName %f1 \"f1\""
	text := withParts("CAPS", caps, "MODES", names, "TYPES", operandTypes, "CODE", code.String())
	text = strings.Replace(text, `%main "main"`, `%main "main" %w %x`, 1)
	text = strings.Replace(text, "OpExecutionMode %main LocalSize 1 1 1\n", "", 1)
	text = strings.Replace(text, "OpName", "OpExecutionMode %main LocalSize 1 1 1\nOpName", 1)
	m := suite.Must(Check(assemble(t, text)))(t)
	ids := map[string]uint32{}
	for _, in := range m.Raw.Instructions {
		if in.Op == spirv.OpName {
			name, _ := spirv.DecodeString(in.Operands[1:])
			ids[name] = in.Operands[0]
		}
	}
	x := &operandTrial{m: m, random: rand.New(rand.NewPCG(7, 9)), set: ids["glsl"], result: spirv.ID(ids["last"])}
	for i, name := range operandNames {
		x.types = append(x.types, ids[name])
		x.values = append(x.values, []uint32{ids[fmt.Sprint("v", i)], ids[fmt.Sprint("o", i)]})
	}
	of := func(name string, more ...string) {
		for _, id := range more {
			i := slices.Index(operandNames, name)
			x.values[i] = append(x.values[i], ids[id])
		}
	}
	of("uint", "u0", "u1", "s")
	of("float", "f1")
	of("ws", "w")
	of("wf", "x")
	x.v = &valueCheck{m: m, r: &report{}, ctx: spirv.NewContext(int(m.Raw.Bound)), f: m.Function(m.EntryPoints[0].Func)}
	return x
}

// operand returns a value of a type for an operand of a kind, or a literal.
func (x *operandTrial) operand(k grammar.Kind, typ int) uint32 {
	switch k {
	case grammar.KindIdScope, grammar.KindIdMemorySemantics:
		if x.random.IntN(4) > 0 {
			return x.values[1][2+x.random.IntN(3)]
		}
	case grammar.KindIdRef:
	default:
		return x.random.Uint32N(4)
	}
	return x.values[typ][x.random.IntN(len(x.values[typ]))]
}

// try gives an instruction operands, which have the result's type more often than any other, and counts the verdicts.
func (x *operandTrial) try(op spirv.Op, extended uint32, operands []grammar.Operand, times map[string]int) {
	typ := x.random.IntN(len(x.types))
	in := &spirv.Instruction{Op: op}
	name := op.String()
	if op.Grammar().HasType {
		in.Type, in.Result = spirv.ID(x.types[typ]), x.result
	}
	if op == spirv.OpExtInst {
		in.Operands = []uint32{x.set, extended}
		name = spirv.GLSLstd450(extended).String()
	}
	argument := x.random.IntN(len(x.types))
	for _, o := range operands {
		n := 1
		switch o.Quantifier {
		case grammar.Optional:
			n = 0
		case grammar.Any:
			n = x.random.IntN(5)
		}
		for range n {
			from := []int{typ, argument, x.random.IntN(len(x.types))}[x.random.IntN(8)/3]
			in.Operands = append(in.Operands, x.operand(o.Kind, from))
		}
	}
	x.v.in, x.v.r.faults = in, nil
	x.v.instruction(0)
	if len(x.v.r.faults) == 0 {
		times[name+" passes"]++
	}
	for _, f := range x.v.r.faults {
		times[f.format]++
	}
}

// Of all instructions with operands of any type, as many pass as in testdata/operands.txt, and the others break each
// sentence as often. -update writes the file.
func TestTypesThatInstructionsTake(t *testing.T) {
	const tries = 300
	times := map[string]int{}
	x := newOperandTrial(t)
	skipped := set(spirv.OpFunction, spirv.OpVariable, spirv.OpExtInst, spirv.OpPhi, spirv.OpFunctionCall, spirv.OpTypeStruct, spirv.OpTypeImage, spirv.OpTypeCooperativeMatrixKHR)
	for i := range grammar.Ops {
		g := &grammar.Ops[i]
		op := spirv.Op(g.Code)
		if _, known := parsed[op]; skipped[op] || !known && typeRules[op] == nil || strings.Contains(g.Name, "ConstantComposite") || strings.Contains(g.Name, "CooperativeMatrix") || strings.Contains(g.Name, "Untyped") {
			continue
		}
		for range tries {
			x.try(op, 0, g.Operands, times)
		}
	}
	for _, e := range grammar.LookupSet(glslSet).Instructions {
		for range tries {
			x.try(spirv.OpExtInst, e.Code, e.Operands, times)
		}
	}
	asWritten(t, "operands.txt", times)
}
