package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// initStore is a Private variable's initializer, stored before the shader starts.
type initStore struct {
	in     *spirv.Instruction
	to     pointer
	leaves []*ir.Value
}

func (b *pointers) bind(in *spirv.Instruction, p pointer) {
	b.decorate(&p, b.m.Decorations(in.Result))
	b.globals[in.Result] = val{ptr: &p}
}

// binding finds or adds the descriptor of a variable.
func (b *pointers) binding(in *spirv.Instruction, kind ir.BindingKind, t *validate.Type) int {
	d := ir.Binding{Kind: kind, Count: 1, Name: b.m.Name(in.Result)}
	set, okSet := b.m.Decoration(in.Result, spirv.DecorationDescriptorSet)
	num, okNum := b.m.Decoration(in.Result, spirv.DecorationBinding)
	if !okSet || !okNum {
		b.invalid("the variable has no DescriptorSet or no Binding")
	}
	d.Set, d.Binding = set, num
	if d.Name == "" {
		d.Name = b.m.Name(t.ID)
	}
	switch t.Kind {
	case validate.KindArray:
		d.Count = uint32(b.count(t))
	case validate.KindRuntimeArray:
		d.Count = 0
	}
	for i := range b.f.Bindings {
		if o := &b.f.Bindings[i]; o.Set == set && o.Binding == num && o.Kind == kind && o.Count == d.Count {
			return i
		}
	}
	b.f.Bindings = append(b.f.Bindings, d)
	return len(b.f.Bindings) - 1
}

// bindingObject numbers the memory of a binding: the first one with its set
// and number.
func (b *pointers) bindingObject(n int) int {
	d := &b.f.Bindings[n]
	for i := range b.f.Bindings {
		if o := &b.f.Bindings[i]; o.Set == d.Set && o.Binding == d.Binding {
			return i
		}
	}
	return n
}

func isArray(t *validate.Type) bool {
	return t.Kind == validate.KindArray || t.Kind == validate.KindRuntimeArray
}

func (b *pointers) bindBuffer(in *spirv.Instruction, t *validate.Type) {
	block := t
	if isArray(t) {
		block = t.Elem
	}
	kind := ir.UniformBuffer
	if spirv.StorageClass(in.Operands[0]) == spirv.StorageClassStorageBuffer ||
		b.m.Decorated(block.ID, spirv.DecorationBufferBlock) {
		kind = ir.StorageBuffer
	}
	p := pointer{typ: t, space: isa.SpaceBuffer, array: isArray(t), align: baseAlign}
	p.binding = b.binding(in, kind, t)
	p.object = b.bindingObject(p.binding)
	b.f.Bindings[p.binding].Restrict = b.m.Decorated(in.Result, spirv.DecorationRestrict)
	if kind != ir.UniformBuffer && b.m.Decorated(in.Result, spirv.DecorationAliased) { // no name may write a uniform block
		p.object = -1
	}
	b.bind(in, p)
}

func (b *pointers) bindPush(in *spirv.Instruction, t *validate.Type) {
	b.f.PushBytes = max(b.f.PushBytes, roundUp(b.shape(t, layout{}).size, 4))
	b.bind(in, pointer{typ: t, space: isa.SpacePush, align: baseAlign, object: -1})
}

// explicitLDS reports that the entry point's Workgroup variables have explicit layout: blocks, which all start at
// byte 0 (SPV_KHR_workgroup_memory_explicit_layout). Of one entry point all do or none.
func (b *pointers) explicitLDS() bool { return len(b.f.LDSViews) > 0 }

func (b *pointers) bindLDS(in *spirv.Instruction, t *validate.Type) {
	p := pointer{typ: t, space: isa.SpaceLDS, align: baseAlign}
	if b.m.WorkgroupBlock(b.typ(in.Type)) {
		b.viewLDS(in, t)
		b.bind(in, p)
		return
	}
	p.layout = layout{natural: true, opencl: b.isKernel()}
	p.offset = roundUp(b.f.LDSBytes, baseAlign)
	p.object = int(in.Result)
	bytes := b.bulkSize
	if p.layout.opencl {
		bytes = func(t *validate.Type) uint64 { n, _ := b.placeOf(t); return uint64(n) }
	}
	size := uint64(p.offset) + bytes(t)
	if size > maxLDS {
		b.unsupported("Workgroup variables of %d bytes", size)
	}
	b.f.LDSBytes = roundUp(uint32(size), 4)
	b.f.LDSVariables = append(b.f.LDSVariables, ir.LDSVariable{Name: b.m.Name(in.Result), ID: uint32(in.Result), Offset: p.offset, Bytes: uint32(bytes(t)), Zero: len(in.Operands) > 1})
	b.bind(in, p)
}

// viewLDS adds a view of LDS. A workgroup takes the size of the largest view.
func (b *pointers) viewLDS(in *spirv.Instruction, t *validate.Type) {
	view := ir.LDSView{Name: b.m.Name(in.Result), ID: uint32(in.Result), Bytes: b.shape(t, layout{}).size}
	if view.Bytes > maxLDS {
		b.unsupported("Workgroup variables of %d bytes", view.Bytes)
	}
	for i, member := range t.Members {
		off, inner := b.member(t, i, layout{})
		view.Members = append(view.Members, ir.LDSMember{
			Name: b.m.MemberName(t.ID, i), Type: uint32(member.ID), Offset: off, Bytes: b.shape(member, inner).size})
	}
	b.f.LDSViews = append(b.f.LDSViews, view)
	b.f.LDSVariables = append(b.f.LDSVariables, ir.LDSVariable{Name: view.Name, ID: view.ID, Bytes: view.Bytes, Zero: len(in.Operands) > 1})
	b.f.LDSBytes = max(b.f.LDSBytes, roundUp(view.Bytes, 4))
}

// maxLDS bounds Workgroup memory, in bytes, far above any machine's.
const maxLDS = 1 << 24

// ldsArgument places the memory behind a kernel's Workgroup pointer.
func (b *pointers) ldsArgument(i int, bytes uint32) (offset uint32) {
	offset = roundUp(b.f.LDSBytes, kernelAlign)
	size := uint64(offset) + uint64(bytes)
	if size > maxLDS {
		b.unsupported("Workgroup variables of %d bytes", size)
	}
	b.f.LDSArguments = append(b.f.LDSArguments, ir.LDSArgument{Argument: i, Offset: offset, Bytes: bytes})
	b.f.LDSBytes = roundUp(uint32(size), 4)
	return offset
}

func (b *pointers) bindPrivate(in *spirv.Instruction, t *validate.Type) {
	p := b.local(in, t)
	b.checkVariable(in, p)
	b.bind(in, p)
	if len(in.Operands) > 1 {
		b.private = append(b.private, initStore{in, p, b.leaves(spirv.ID(in.Operands[1]))})
	}
}

// local makes a Function or Private variable.
func (b *pointers) local(in *spirv.Instruction, t *validate.Type) pointer {
	types := b.leafTypes(t)
	l := &ir.Local{ID: len(b.f.Locals), Name: b.m.Name(in.Result), Slots: make([]isa.Type, len(types)), SlotWords: 1}
	for i, leaf := range types {
		l.Slots[i] = memType(leaf)
		if leaf.Bits() == 64 {
			l.SlotWords = 2
		}
	}
	b.f.Locals = append(b.f.Locals, l)
	return pointer{typ: t, space: isa.SpaceScratch, local: l, object: l.ID}
}

// variable carries out OpVariable in a function.
func (b *pointers) variable() {
	t := b.resultType()
	if spirv.StorageClass(b.in.Operands[0]) != spirv.StorageClassFunction || t.Kind != validate.KindPointer {
		b.invalid("a variable in a function is not of storage class Function")
	}
	variable := b.local
	if b.isKernel() && opaque(t.Elem) {
		delete(b.kernels.handles, b.in.Result)
		b.define(val{ptr: &pointer{typ: t.Elem}})
		return
	}
	if b.isKernel() {
		variable = b.localBytes
	}
	p := variable(b.in, t.Elem)
	b.checkVariable(b.in, p)
	b.decorate(&p, b.m.Decorations(b.in.Result))
	b.define(val{ptr: &p})
	if len(b.in.Operands) > 1 {
		b.storeLeaves(p, b.leaves(b.arg(1)))
	}
}
