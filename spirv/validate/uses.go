package validate

import (
	"spvsim/spirv"
	"spvsim/spirv/grammar"
)

// A definition is the position of an id's definition: function is 0 for globals, and 1 + the index in Functions otherwise;
// block is -1 for parameters and the function.
type definition struct {
	function, block int32
	index           int // index in Raw.Instructions
}

// scope walks a module with the place of each of its instructions.
type scope struct {
	m           *Module
	r           *report
	definitions []definition
	forward     map[spirv.ID]bool // pointers declared by OpTypeForwardPointer
	in          *spirv.Instruction
	position    definition
	ctx         *spirv.Context
	phi         int // operands of OpPhi seen
	free        bool
}

// uses tests that each id is defined before it is used, at a position that dominates its use (section 2.16.1).
func uses(m *Module, r *report) {
	s := &scope{m: m, r: r, definitions: make([]definition, m.Raw.Bound), forward: map[spirv.ID]bool{}, ctx: spirv.NewContext(int(min(m.Raw.Bound, 1<<16)))}
	s.eachInstruction(func() {
		if s.in.Result != 0 {
			s.definitions[s.in.Result] = s.position
		}
	})
	m.definitions = s.definitions
	visit := s.operand
	s.eachInstruction(func() {
		if s.in.Op == spirv.OpTypeForwardPointer {
			s.forward[spirv.ID(s.in.Operands[0])] = true
		}
		s.phi, s.free = 0, s.m.refersAhead(s.in)
		if s.in.Type != 0 {
			s.use(s.in.Type)
		}
		if !s.free && !r.full() {
			_ = spirv.WalkIDs(s.in, s.ctx, visit) // build has walked it: no faults left
		}
		s.ctx.Note(s.in)
	})
}

// eachInstruction visits the instructions with their places.
func (s *scope) eachInstruction(visit func()) {
	s.position = definition{block: -1}
	f := int32(0)
	for i := range s.m.Raw.Instructions {
		s.in, s.position.index = &s.m.Raw.Instructions[i], i
		switch s.in.Op {
		case spirv.OpFunction:
			f++
			visit()
			s.position.function = f
			continue
		case spirv.OpLabel:
			s.position.block++
		}
		visit()
		if s.in.Op == spirv.OpFunctionEnd {
			s.position = definition{block: -1}
		}
	}
}

// refersAhead reports whether an instruction's operands may all be defined later: those before the first type, and
// information for debuggers.
func (m *Module) refersAhead(in *spirv.Instruction) bool {
	switch in.Op {
	case spirv.OpExtInst, spirv.OpExtInstWithForwardRefsKHR:
		return Ignorable(m.imports[spirv.ID(in.Operands[0])])
	case spirv.OpTypeForwardPointer:
		return true
	}
	s, ok := sectionOf[in.Op]
	return ok && s < secAnnotation || in.Op.Grammar().Class == "Annotation"
}

func (s *scope) operand(index int, id spirv.ID) error {
	def := s.m.Def(id)
	switch {
	case s.in.Op == spirv.OpPhi:
		s.phiOperand(id)
	case def.Op == spirv.OpLabel:
		s.label(index, id)
	case def.Op == spirv.OpFunction:
		if s.in.Op != spirv.OpFunctionCall {
			s.r.faultAt(s.in, "ids", "operand %d: %%%d is a function", index, id)
		}
	case def.Op == spirv.OpTypePointer && s.forward[id] && s.in.Op.Grammar().Class == "Type-Declaration":
	case index == 0 && s.in.Op == spirv.OpExtInst && def.Op != spirv.OpExtInstImport:
		s.r.faultAt(s.in, "ids", "operand 0: %%%d is no imported instruction set", id)
	case s.m.isType(id) && !declaresType(s.in.Op) && !typeOperands[s.in.Op]:
		s.r.faultAt(s.in, "ids", "operand %d: %%%d is a type: want a value", index, id)
	default:
		s.use(id)
	}
	return nil
}

// typeOperands lists the instructions with operands that are types, without the declarations of types.
var typeOperands = set(spirv.OpFunction, spirv.OpSizeOf, spirv.OpCooperativeMatrixLengthKHR, spirv.OpSpecConstantOp, spirv.OpUntypedVariableKHR,
	spirv.OpUntypedAccessChainKHR, spirv.OpUntypedInBoundsAccessChainKHR, spirv.OpUntypedPtrAccessChainKHR, spirv.OpUntypedInBoundsPtrAccessChainKHR,
	spirv.OpUntypedArrayLengthKHR, spirv.OpIsNodePayloadValidAMDX)

func (s *scope) label(index int, id spirv.ID) {
	if !isMerge(s.in.Op) && !terminator(s.in.Op) {
		s.r.faultAt(s.in, "ids", "operand %d: %%%d is a label", index, id)
	}
}

// use tests an id that must be defined before the current place.
func (s *scope) use(id spirv.ID) {
	p := s.definitions[id]
	switch {
	case p.index >= s.position.index && !s.elsewhere(p):
		s.r.faultAt(s.in, "ids", "%%%d is used before it is defined, at word %d", id, s.m.Def(id).Word)
	case p.function != 0 && p.function != s.position.function:
		s.r.faultAt(s.in, "ids", "%%%d is of another function", id)
	case p.function != 0 && p.block >= 0 && !s.dominated(p.block, s.position.block):
		s.r.faultAt(s.in, "dominance", "%%%d is not defined on every path to here", id)
	}
}

// elsewhere reports a place in another block of the function, if blocks stand in any order: those of llvm-spirv do, and
// the domination of blocks is what counts.
func (s *scope) elsewhere(p definition) bool {
	return s.m.Kernels() && p.function == s.position.function && p.block >= 0 && p.block != s.position.block
}

// dominated reports whether ids defined in block a may be used in block b; in a block that is not reached, any may.
func (s *scope) dominated(a, b int32) bool {
	if a == b {
		return true
	}
	t := s.m.graphs[s.m.Functions[s.position.function-1].ID].real
	return !t.reached(b) || t.dominates(a, b)
}

// phiOperand tests the pairs of a value and the block that it comes from; the value is used at the end of that block.
func (s *scope) phiOperand(id spirv.ID) {
	s.phi++
	if s.phi%2 == 1 {
		return
	}
	value := spirv.ID(s.in.Operands[s.phi-2])
	p, from := s.definitions[value], s.definitions[id]
	switch {
	case s.m.Def(id).Op != spirv.OpLabel || from.function != s.position.function:
		s.r.faultAt(s.in, "ids", "operand %d: %%%d is not a block of the function", s.phi-1, id)
	case p.function == 0 && p.index >= s.position.index:
		s.r.faultAt(s.in, "ids", "%%%d is used before it is defined", value)
	case p.function != 0 && p.function != s.position.function:
		s.r.faultAt(s.in, "ids", "%%%d is of another function", value)
	case p.function != 0 && p.block >= 0 && !s.dominated(p.block, from.block):
		s.r.faultAt(s.in, "dominance", "%%%d is not defined on every path through block %%%d", value, id)
	}
}

// isType reports an id that names a type.
func (m *Module) isType(id spirv.ID) bool { return m.Type(id) != nil }

// scoped reports operands that the specification calls scopes or semantics.
func scoped(k grammar.Kind) bool {
	return k == grammar.KindIdScope || k == grammar.KindIdMemorySemantics
}
