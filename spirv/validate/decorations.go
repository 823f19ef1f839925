package validate

import "spvsim/spirv"

// A decorated place is an id, or a member of one.
type decorated struct {
	id     uint32
	member int // -1: of the id itself
	kind   spirv.Decoration
}

// manyAllowed lists the decorations that the specification allows more than once on a target. Section 3.20: "It is
// invalid to decorate any given <id> or structure member more than one time with the same decoration, unless explicitly
// allowed".
var manyAllowed = set(spirv.DecorationFuncParamAttr, spirv.DecorationUserSemantic)

// repeatedByCompilers lists decorations without operands that glslang, DXC, Slang or the LLVM translator are known to
// repeat.
var repeatedByCompilers = set(spirv.DecorationRelaxedPrecision, spirv.DecorationNoContraction, spirv.DecorationRestrict, spirv.DecorationCoherent,
	spirv.DecorationFlat, spirv.DecorationBlock, spirv.DecorationNoSignedWrap, spirv.DecorationNoUnsignedWrap, spirv.DecorationPayloadNodeSparseArrayAMDX)

// exclusive holds the pairs of decorations that exclude each other on a target (section 3.20).
var exclusive = map[spirv.Decoration]spirv.Decoration{
	spirv.DecorationRowMajor: spirv.DecorationColMajor, spirv.DecorationColMajor: spirv.DecorationRowMajor,
	spirv.DecorationBlock: spirv.DecorationBufferBlock, spirv.DecorationBufferBlock: spirv.DecorationBlock,
	spirv.DecorationAliased: spirv.DecorationRestrict, spirv.DecorationRestrict: spirv.DecorationAliased,
	spirv.DecorationAliasedPointer: spirv.DecorationRestrictPointer, spirv.DecorationRestrictPointer: spirv.DecorationAliasedPointer,
}

// decorationSets tests which decorations a target combines, groups resolved, and the targets of decorations of values.
func decorationSets(m *Module, r *report) {
	seen := map[decorated]bool{}
	for i := range m.Raw.Instructions {
		in := &m.Raw.Instructions[i]
		switch o := in.Operands; in.Op {
		case spirv.OpDecorate, spirv.OpDecorateId, spirv.OpDecorateString:
			m.checkRepeated(in, decorated{o[0], -1, spirv.Decoration(o[1])}, seen, r)
			m.onObject(in, spirv.ID(o[0]), Decoration{spirv.Decoration(o[1]), o[2:]}, r)
		case spirv.OpMemberDecorate, spirv.OpMemberDecorateString:
			m.checkRepeated(in, decorated{o[0], int(o[1]), spirv.Decoration(o[2])}, seen, r)
		case spirv.OpGroupDecorate:
			for _, id := range o[1:] {
				m.grouped(in, decorated{id: id, member: -1}, seen, r)
			}
		case spirv.OpGroupMemberDecorate:
			for n := 1; n+1 < len(o); n += 2 {
				m.grouped(in, decorated{id: o[n], member: int(o[n+1])}, seen, r)
			}
		case spirv.OpVariable:
			m.pointerAliasing(in, r)
		}
	}
}

// grouped tests the decorations that a group adds to a target.
func (m *Module) grouped(in *spirv.Instruction, d decorated, seen map[decorated]bool, r *report) {
	for _, of := range m.Decorations(spirv.ID(in.Operands[0])) {
		d.kind = of.Kind
		m.checkRepeated(in, d, seen, r)
		if d.member < 0 {
			m.onObject(in, spirv.ID(d.id), of, r)
		}
	}
}

func (m *Module) checkRepeated(in *spirv.Instruction, d decorated, seen map[decorated]bool, r *report) {
	if seen[d] && !manyAllowed[d.kind] {
		text, args := "%s again on %%%d: want it once", []any{d.kind, d.id}
		if d.member >= 0 {
			text, args = "%s again on member %d of %%%d: want it once", []any{d.kind, d.member, d.id}
		}
		if repeatedByCompilers[d.kind] {
			r.warn(in, "decorations", text, args...)
		} else {
			r.faultAt(in, "decorations", text, args...)
		}
	}
	if other, ok := exclusive[d.kind]; ok && seen[decorated{d.id, d.member, other}] {
		r.faultAt(in, "decorations", "%s on a target that is %s: want one of them", d.kind, other)
	}
	seen[d] = true
}

// onObject tests decorations that are of values.
func (m *Module) onObject(in *spirv.Instruction, id spirv.ID, d Decoration, r *report) {
	if m.Def(id).Op == spirv.OpDecorationGroup {
		return
	}
	kind := d.Kind
	switch t := m.TypeOf(id); kind {
	case spirv.DecorationRelaxedPrecision:
		if m.Type(id) != nil {
			r.faultAt(in, "decorations", "%s on the type %%%d: want a value or a member", kind, id)
		}
	case spirv.DecorationUniform, spirv.DecorationUniformId:
		if t == nil || t.Kind == KindVoid {
			r.faultAt(in, "decorations", "%s on %%%d: want a value", kind, id)
		} else if kind == spirv.DecorationUniformId {
			m.uniformScope(in, spirv.ID(d.Args[0]), r)
		}
	case spirv.DecorationComponent:
		if t != nil && t.Kind == KindPointer && t.Storage != spirv.StorageClassInput && t.Storage != spirv.StorageClassOutput {
			r.faultAt(in, "decorations", "%s on %%%d, of %s: want a variable of Input or Output", kind, id, t.Storage)
		}
	}
}

// uniformScope tests the scope of UniformId, which SPIR-V 1.4 brought.
func (m *Module) uniformScope(in *spirv.Instruction, id spirv.ID, r *report) {
	if m.Raw.Version < version14 {
		r.faultAt(in, "decorations", "%s needs SPIR-V 1.4", spirv.DecorationUniformId)
		return
	}
	if t := m.TypeOf(id); t == nil || t.Kind != KindInt || t.Width != 32 {
		r.faultAt(in, "decorations", "scope %%%d is no 32-bit integer", id)
	} else if n, ok := m.constantValue(uint32(id)); ok && n > uint32(spirv.ScopeShaderCallKHR) {
		r.faultAt(in, "decorations", "scope %d: there is none", n)
	}
}

// innerPointee returns the pointee of a pointer, the element for arrays; nil if the type is no pointer.
func (t *Type) innerPointee() *Type {
	if t == nil || t.Kind != KindPointer {
		return nil
	}
	for t = t.Elem; t != nil && t.Kind == KindArray; {
		t = t.Elem
	}
	return t
}

// pointerAliasing tests that variables which hold pointers to physical storage declare whether those are aliased
// (section 2.18.2).
func (m *Module) pointerAliasing(in *spirv.Instruction, r *report) {
	t := m.TypeOf(in.Result).innerPointee()
	if t == nil || t.Kind != KindPointer || t.Storage != spirv.StorageClassPhysicalStorageBuffer {
		return
	}
	if !m.Decorated(in.Result, spirv.DecorationAliasedPointer) && !m.Decorated(in.Result, spirv.DecorationRestrictPointer) {
		r.faultAt(in, "decorations", "a variable of pointers to %s: want AliasedPointer or RestrictPointer", t.Storage)
	}
}
