package validate

import "spvsim/spirv"

// A target is what a decoration may stand on.
type target struct {
	text string
	ok   func(m *Module, id spirv.ID) bool
}

var (
	onStructure = target{"structure type", func(m *Module, id spirv.ID) bool { t := m.Type(id); return t != nil && t.Kind == KindStruct }}
	onVariable  = target{"variable", func(m *Module, id spirv.ID) bool {
		return m.Def(id).Op == spirv.OpVariable
	}}
	onArray = target{"array or pointer type", func(m *Module, id spirv.ID) bool {
		t := m.Type(id)
		return t != nil && (t.Kind == KindArray || t.Kind == KindRuntimeArray || t.Kind == KindPointer || t.Kind == KindOther)
	}}
	onConstant = target{"constant", func(m *Module, id spirv.ID) bool { return constant(m.Def(id).Op) }}
	onSpec     = target{"specialization constant", func(m *Module, id spirv.ID) bool {
		switch m.Def(id).Op {
		case spirv.OpSpecConstant, spirv.OpSpecConstantTrue, spirv.OpSpecConstantFalse, spirv.OpSpecConstantStringAMDX:
			return true
		}
		return false
	}}
)

// targets says what OpDecorate may put a decoration on (section 3.20).
var targets = map[spirv.Decoration]target{
	spirv.DecorationBlock: onStructure, spirv.DecorationBufferBlock: onStructure,
	spirv.DecorationBinding: onVariable, spirv.DecorationDescriptorSet: onVariable, spirv.DecorationInputAttachmentIndex: onVariable,
	spirv.DecorationLocation: onVariable, spirv.DecorationInvariant: onVariable, spirv.DecorationIndex: onVariable, spirv.DecorationArrayStride: onArray, spirv.DecorationSpecId: onSpec,
}

// memberOnly are decorations of members alone.
var memberOnly = set(spirv.DecorationOffset, spirv.DecorationMatrixStride, spirv.DecorationRowMajor, spirv.DecorationColMajor)

// structures tests what decorations and names stand on.
func structures(m *Module, r *report) {
	for i := range m.Raw.Instructions {
		in := &m.Raw.Instructions[i]
		switch in.Op {
		case spirv.OpDecorate:
			m.decorationTarget(in, r)
		case spirv.OpMemberDecorate, spirv.OpMemberDecorateString, spirv.OpMemberName:
			t := m.Type(spirv.ID(in.Operands[0]))
			if t == nil || t.Kind != KindStruct {
				r.at(in, "decorations", "%%%d is not a structure type", in.Operands[0])
			} else if int(in.Operands[1]) >= len(t.Members) {
				r.at(in, "decorations", "%%%d has %d members, none is %d", in.Operands[0], len(t.Members), in.Operands[1])
			}
		case spirv.OpTypeStruct:
			m.builtInMembers(in, r)
		case spirv.OpLine:
			if m.Def(spirv.ID(in.Operands[0])).Op != spirv.OpString {
				r.at(in, "debug information", "file %%%d is no OpString", in.Operands[0])
			}
		}
	}
}

func (m *Module) decorationTarget(in *spirv.Instruction, r *report) {
	id, kind := spirv.ID(in.Operands[0]), spirv.Decoration(in.Operands[1])
	if m.Def(id).Op == spirv.OpDecorationGroup {
		return
	}
	if t, ok := targets[kind]; ok && !t.ok(m, id) {
		r.at(in, "decorations", "%s on %%%d: want a %s", kind, id, t.text)
	}
	if kind == spirv.DecorationBuiltIn {
		want := onVariable
		if spirv.BuiltIn(in.Operands[2]) == spirv.BuiltInWorkgroupSize {
			want = onConstant
		}
		if !want.ok(m, id) {
			r.at(in, "decorations", "built-in %s on %%%d: want a %s", spirv.BuiltIn(in.Operands[2]), id, want.text)
		}
	}
	if memberOnly[kind] && m.Type(id) != nil {
		r.at(in, "decorations", "%s on %%%d: want a member of a structure", kind, id)
	}
}

// builtInMembers tests that either all or none of a structure's members are
// built-ins.
func (m *Module) builtInMembers(in *spirv.Instruction, r *report) {
	n, members := 0, len(in.Operands)
	for i := range members {
		if m.MemberDecorated(in.Result, i, spirv.DecorationBuiltIn) {
			n++
		}
	}
	if n != 0 && n != members {
		r.at(in, "decorations", "%d of %d members are built-ins: want all or none", n, members)
	}
}
