package validate

import "spvsim/spirv"

// A target is the kind of ids that a decoration applies to.
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

// targets holds the targets of decorations by OpDecorate (section 3.20).
var targets = map[spirv.Decoration]target{
	spirv.DecorationBlock: onStructure, spirv.DecorationBufferBlock: onStructure,
	spirv.DecorationBinding: onVariable, spirv.DecorationDescriptorSet: onVariable, spirv.DecorationInputAttachmentIndex: onVariable,
	spirv.DecorationLocation: onVariable, spirv.DecorationInvariant: onVariable, spirv.DecorationIndex: onVariable, spirv.DecorationArrayStride: onArray, spirv.DecorationSpecId: onSpec,
}

// memberOnly lists decorations of members alone.
var memberOnly = set(spirv.DecorationOffset, spirv.DecorationMatrixStride, spirv.DecorationRowMajor, spirv.DecorationColMajor)

// structures tests the targets of decorations and names.
func structures(m *Module, r *report) {
	for i := range m.Raw.Instructions {
		in := &m.Raw.Instructions[i]
		switch in.Op {
		case spirv.OpDecorate:
			m.decorationTarget(in, spirv.ID(in.Operands[0]), Decoration{spirv.Decoration(in.Operands[1]), in.Operands[2:]}, r)
		case spirv.OpGroupDecorate:
			for _, d := range m.Decorations(spirv.ID(in.Operands[0])) {
				for _, id := range in.Operands[1:] {
					m.decorationTarget(in, spirv.ID(id), d, r)
				}
			}
		case spirv.OpMemberDecorate, spirv.OpMemberDecorateString, spirv.OpMemberName:
			m.memberTarget(in, in.Operands[0], in.Operands[1], r)
		case spirv.OpGroupMemberDecorate:
			for n := 1; n+1 < len(in.Operands); n += 2 {
				m.memberTarget(in, in.Operands[n], in.Operands[n+1], r)
			}
		case spirv.OpTypeStruct:
			m.builtInMembers(in, r)
		case spirv.OpLine:
			if m.Def(spirv.ID(in.Operands[0])).Op != spirv.OpString {
				r.faultAt(in, "debug information", "file %%%d is no OpString", in.Operands[0])
			}
		}
	}
}

// memberTarget tests that a structure has a member.
func (m *Module) memberTarget(in *spirv.Instruction, id, member uint32, r *report) {
	if t := m.Type(spirv.ID(id)); t == nil || t.Kind != KindStruct {
		r.faultAt(in, "decorations", "%%%d is not a structure type", id)
	} else if int(member) >= len(t.Members) {
		r.faultAt(in, "decorations", "%%%d has %d members, none is %d", id, len(t.Members), member)
	}
}

func (m *Module) decorationTarget(in *spirv.Instruction, id spirv.ID, d Decoration, r *report) {
	kind := d.Kind
	if m.Def(id).Op == spirv.OpDecorationGroup {
		return
	}
	if t, ok := targets[kind]; ok && !t.ok(m, id) {
		r.faultAt(in, "decorations", "%s on %%%d: want a %s", kind, id, t.text)
	}
	if kind == spirv.DecorationBuiltIn {
		want := onVariable
		if spirv.BuiltIn(d.Args[0]) == spirv.BuiltInWorkgroupSize && !m.Kernels() {
			want = onConstant
		}
		if !want.ok(m, id) {
			r.faultAt(in, "decorations", "built-in %s on %%%d: want a %s", spirv.BuiltIn(d.Args[0]), id, want.text)
		}
	}
	if memberOnly[kind] && m.Type(id) != nil {
		r.faultAt(in, "decorations", "%s on %%%d: want a member of a structure", kind, id)
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
		r.faultAt(in, "decorations", "%d of %d members are built-ins: want all or none", n, members)
	}
}
