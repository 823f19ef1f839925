package validate

import "spvsim/spirv"

// A decorated place is an id, or a member of one.
type decorated struct {
	id     uint32
	member int // -1: of the id itself
	kind   spirv.Decoration
}

// onceOnly are decorations that say where something lies: twice is a contradiction, or said for nothing (section 3.20).
var onceOnly = set(spirv.DecorationOffset, spirv.DecorationArrayStride, spirv.DecorationMatrixStride, spirv.DecorationRowMajor, spirv.DecorationColMajor)

// exclusive are the pairs of decorations of which a target has one at most (section 3.20).
var exclusive = map[spirv.Decoration]spirv.Decoration{
	spirv.DecorationRowMajor: spirv.DecorationColMajor, spirv.DecorationColMajor: spirv.DecorationRowMajor,
	spirv.DecorationBlock: spirv.DecorationBufferBlock, spirv.DecorationBufferBlock: spirv.DecorationBlock,
	spirv.DecorationAliased: spirv.DecorationRestrict, spirv.DecorationRestrict: spirv.DecorationAliased,
	spirv.DecorationAliasedPointer: spirv.DecorationRestrictPointer, spirv.DecorationRestrictPointer: spirv.DecorationAliasedPointer,
}

// decorationSets tests which decorations a target has together, and what those
// of values are on.
func decorationSets(m *Module, r *report) {
	seen := map[decorated]bool{}
	for i := range m.Raw.Instructions {
		in := &m.Raw.Instructions[i]
		switch in.Op {
		case spirv.OpDecorate, spirv.OpDecorateId:
			m.together(in, decorated{in.Operands[0], -1, spirv.Decoration(in.Operands[1])}, seen, r)
			m.onObject(in, r)
		case spirv.OpMemberDecorate:
			m.together(in, decorated{in.Operands[0], int(in.Operands[1]), spirv.Decoration(in.Operands[2])}, seen, r)
		case spirv.OpVariable:
			m.pointerAliasing(in, r)
		}
	}
}

func (m *Module) together(in *spirv.Instruction, d decorated, seen map[decorated]bool, r *report) {
	if onceOnly[d.kind] && seen[d] {
		r.at(in, "decorations", "%s on the same target again", d.kind)
	}
	if other, ok := exclusive[d.kind]; ok && seen[decorated{d.id, d.member, other}] {
		r.at(in, "decorations", "%s on a target that is %s: want one of them", d.kind, other)
	}
	seen[d] = true
}

// onObject tests decorations that are of values.
func (m *Module) onObject(in *spirv.Instruction, r *report) {
	id, kind := spirv.ID(in.Operands[0]), spirv.Decoration(in.Operands[1])
	if m.Def(id).Op == spirv.OpDecorationGroup {
		return
	}
	switch t := m.TypeOf(id); kind {
	case spirv.DecorationRelaxedPrecision:
		if m.Type(id) != nil {
			r.at(in, "decorations", "%s on the type %%%d: want a value or a member", kind, id)
		}
	case spirv.DecorationUniform, spirv.DecorationUniformId:
		if t == nil || t.Kind == KindVoid {
			r.at(in, "decorations", "%s on %%%d: want a value", kind, id)
		} else if kind == spirv.DecorationUniformId {
			m.uniformScope(in, r)
		}
	case spirv.DecorationComponent:
		if t != nil && t.Kind == KindPointer && t.Storage != spirv.StorageClassInput && t.Storage != spirv.StorageClassOutput {
			r.at(in, "decorations", "%s on %%%d, of %s: want a variable of Input or Output", kind, id, t.Storage)
		}
	}
}

// uniformScope tests the scope of UniformId, which SPIR-V 1.4 brought.
func (m *Module) uniformScope(in *spirv.Instruction, r *report) {
	if m.Raw.Version < version14 {
		r.at(in, "decorations", "%s needs SPIR-V 1.4", spirv.DecorationUniformId)
		return
	}
	id := spirv.ID(in.Operands[2])
	if t := m.TypeOf(id); t == nil || t.Kind != KindInt || t.Width != 32 {
		r.at(in, "decorations", "scope %%%d is no 32-bit integer", id)
	} else if n, ok := m.constantValue(in.Operands[2]); ok && n > uint32(spirv.ScopeShaderCallKHR) {
		r.at(in, "decorations", "scope %d: there is none", n)
	}
}

// held is what a pointer points to, the element of arrays; nil of what is no pointer.
func (t *Type) held() *Type {
	if t == nil || t.Kind != KindPointer {
		return nil
	}
	for t = t.Elem; t != nil && t.Kind == KindArray; {
		t = t.Elem
	}
	return t
}

// pointerAliasing tests that variables which hold pointers to physical storage
// say whether those are aliased (section 2.18.2).
func (m *Module) pointerAliasing(in *spirv.Instruction, r *report) {
	t := m.TypeOf(in.Result).held()
	if t == nil || t.Kind != KindPointer || t.Storage != spirv.StorageClassPhysicalStorageBuffer {
		return
	}
	if !m.Decorated(in.Result, spirv.DecorationAliasedPointer) && !m.Decorated(in.Result, spirv.DecorationRestrictPointer) {
		r.at(in, "decorations", "a variable of pointers to %s: want AliasedPointer or RestrictPointer", t.Storage)
	}
}
