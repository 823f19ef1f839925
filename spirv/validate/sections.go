package validate

import (
	"strings"

	"spvsim/spirv"
)

// A section of a module's logical layout (specification section 2.4).
type section int

const (
	secCapability section = iota
	secExtension
	secImport
	secMemoryModel
	secEntryPoint
	secMode
	secSource
	secName
	secProcessed
	secAnnotation
	secGlobal
	secFunction
	secAnywhere // from the first OpString on, or wherever
)

var sectionNames = [...]string{
	"OpCapability", "OpExtension", "OpExtInstImport", "OpMemoryModel", "OpEntryPoint", "OpExecutionMode",
	"OpString and OpSource", "OpName", "OpModuleProcessed", "annotations", "types, constants and global variables", "functions",
}

// sectionOf has a row for each instruction with one section. Types and constants are placed by their class in the
// grammar; other instructions belong in functions.
var sectionOf = map[spirv.Op]section{
	spirv.OpNop:               secAnywhere,
	spirv.OpCapability:        secCapability,
	spirv.OpExtension:         secExtension,
	spirv.OpExtInstImport:     secImport,
	spirv.OpMemoryModel:       secMemoryModel,
	spirv.OpEntryPoint:        secEntryPoint,
	spirv.OpExecutionMode:     secMode,
	spirv.OpExecutionModeId:   secMode,
	spirv.OpString:            secSource,
	spirv.OpSource:            secSource,
	spirv.OpSourceExtension:   secSource,
	spirv.OpSourceContinued:   secSource,
	spirv.OpName:              secName,
	spirv.OpMemberName:        secName,
	spirv.OpModuleProcessed:   secProcessed,
	spirv.OpLine:              secAnywhere,
	spirv.OpNoLine:            secAnywhere,
	spirv.OpFunction:          secFunction,
	spirv.OpFunctionParameter: secFunction,
	spirv.OpFunctionEnd:       secFunction,
	spirv.OpLabel:             secFunction,
}

// sections tests the order of the module's sections, that there is one memory model, and that globals and code are in
// their sections.
func sections(m *Module, r *report) {
	at, models, inside := secCapability, 0, false
	list := m.Raw.Instructions
	for i := range list {
		in := &list[i]
		s := m.sectionOf(in, at)
		if s == secAnywhere {
			continue
		}
		if s < at {
			r.faultAt(in, "logical layout", "comes after %s: want it among %s", sectionNames[at], sectionNames[s])
			continue
		}
		if in.Op == spirv.OpMemoryModel {
			models++
		}
		if i > 0 && (list[i-1].Op == spirv.OpFunction || list[i-1].Op == spirv.OpFunctionParameter) && m.remark(in) {
			r.faultAt(in, "logical layout", "before the first block of a function: want it in a block")
		}
		if at = s; s == secFunction {
			inside = m.codePlace(in, inside, r)
		}
	}
	if models != 1 {
		r.add(Fault{Word: spirv.HeaderWords, Op: spirv.OpMemoryModel, Rule: "logical layout", Text: plural(models) + " in the module: want one"})
	}
}

// remark reports an instruction of a set without meaning; information for
// debuggers, of parameters for example, is none.
func (m *Module) remark(in *spirv.Instruction) bool {
	if in.Op != spirv.OpExtInst {
		return false
	}
	set := m.imports[spirv.ID(in.Operands[0])]
	return strings.HasPrefix(set, "NonSemantic.") && !strings.Contains(set, "DebugInfo")
}

func plural(n int) string {
	if n == 0 {
		return "none"
	}
	return "more than one"
}

func (m *Module) sectionOf(in *spirv.Instruction, at section) section {
	if s, ok := sectionOf[in.Op]; ok {
		return s
	}
	if declaresType(in.Op) {
		return secGlobal
	}
	switch in.Op.Grammar().Class {
	case "Annotation":
		return secAnnotation
	case "Constant-Creation":
		return secGlobal
	}
	switch in.Op {
	case spirv.OpVariable:
		if spirv.StorageClass(in.Operands[0]) != spirv.StorageClassFunction {
			return secGlobal
		}
	case spirv.OpUndef, spirv.OpExtInst, spirv.OpExtInstWithForwardRefsKHR:
		if at < secFunction {
			return secGlobal
		}
	case spirv.OpConstantStringAMDX, spirv.OpSpecConstantStringAMDX:
		return secGlobal
	}
	return secFunction
}

// codePlace tests that code is in functions. It returns whether the following instruction is inside one.
func (m *Module) codePlace(in *spirv.Instruction, inside bool, r *report) bool {
	switch {
	case in.Op == spirv.OpFunction:
		return true
	case in.Op == spirv.OpFunctionEnd:
		return false
	case !inside && in.Op != spirv.OpExtInst:
		r.faultAt(in, "logical layout", "outside of a function")
	}
	return inside
}

// calls tests that functions have bodies, that calls are of functions, and that
// no function which an entry point reaches calls itself (section 2.16.1: the
// call graph of an entry point has no cycles).
func calls(m *Module, r *report) {
	for _, f := range m.Functions {
		if len(f.Blocks) == 0 {
			r.unsupported(f.Def, "functions", "the function is imported: it has no body")
		}
	}
	ok := true
	for _, in := range m.calls() {
		if m.Function(spirv.ID(in.Operands[0])) == nil {
			r.faultAt(in, "functions", "operand 0: %%%d is not a function", in.Operands[0])
			ok = false
		}
	}
	if !ok {
		return
	}
	state := make(map[spirv.ID]int8, len(m.Functions))
	for i := range m.EntryPoints {
		m.recursion(m.Function(m.EntryPoints[i].Func), state, r)
	}
}

const (
	callOpen int8 = 1 + iota
	callDone
)

func (m *Module) recursion(f *Function, state map[spirv.ID]int8, r *report) {
	if state[f.ID] != 0 {
		return
	}
	state[f.ID] = callOpen
	for _, b := range f.Blocks {
		for i := range b.Code {
			in := &b.Code[i]
			if in.Op != spirv.OpFunctionCall {
				continue
			}
			g := m.Function(spirv.ID(in.Operands[0]))
			if state[g.ID] == callOpen {
				r.faultAt(in, "functions", "the call of %%%d is recursive", g.ID)
			} else {
				m.recursion(g, state, r)
			}
		}
	}
	state[f.ID] = callDone
}
