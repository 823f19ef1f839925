package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// fragments holds the outputs of fragment shaders.
type fragments struct {
	*pointers
	outputs   []output
	demotions int // number of instructions so far that make lanes helpers
}

// fragmentModes lists the execution modes that fragment shaders may have in addition to those of all shaders.
var fragmentModes = map[spirv.ExecutionMode]bool{
	spirv.ExecutionModeOriginUpperLeft:     true,
	spirv.ExecutionModeEarlyFragmentTests:  true,
	spirv.ExecutionModeRequireFullQuadsKHR: true, // all quads start full
	spirv.ExecutionModeDepthUnchanged:      true, // nothing replaces the depth
}

func fragmentRows() map[spirv.Op]row[*fragments] {
	return map[spirv.Op]row[*fragments]{
		spirv.OpDemoteToHelperInvocation: {translate: (*fragments).demote},
		spirv.OpIsHelperInvocationEXT:    {translate: (*fragments).isHelper},
	}
}

func (b *fragments) isHelper() {
	b.needFragment()
	b.set(b.emit(isa.IsHelper, isa.Bool, isa.Bool))
}

func (b *fragments) demote() {
	b.needFragment()
	b.f.Fragment.Discards = true
	b.emit(isa.Demote, isa.Void, isa.Void)
}

// leaveHelpersOut marks the operations of a subgroup among values, and counts demotions, which make more helpers.
func (b *fragments) leaveHelpersOut(values []*ir.Value) {
	for _, v := range values {
		if v.Op == isa.Demote {
			b.demotions++
		} else if v.Op.Has(isa.FlagSubgroup) {
			v.Imm |= isa.HelpersImm(b.demotions)
		}
	}
}

func (b *fragments) declareFragment() {
	if b.isFragment() {
		b.f.Fragment = &ir.Fragment{EarlyTests: b.entry.Mode(spirv.ExecutionModeEarlyFragmentTests) != nil}
	}
}

// An output is a variable whose value is exported when the shader ends.
type output struct {
	in     *spirv.Instruction
	p      pointer
	target colorTarget
}

// A colorTarget is the target of an output: a location and, for a dual-source output, the index of the source.
type colorTarget struct{ location, index uint32 }

// binding returns the number of a target among the bindings of colours.
func (t colorTarget) binding() uint32 { return ir.ColorBinding(t.location, t.index) }

func (b *fragments) bindOutput(in *spirv.Instruction, t *validate.Type) {
	if kind, ok := b.m.Decoration(in.Result, spirv.DecorationBuiltIn); ok {
		b.unsupported("output %s", spirv.BuiltIn(kind))
	}
	location, ok := b.m.Decoration(in.Result, spirv.DecorationLocation)
	if !ok {
		b.unsupported("an output without a location")
	}
	if n, ok := b.m.Decoration(in.Result, spirv.DecorationComponent); ok && n != 0 {
		b.unsupported("an output with Component %d", n)
	}
	index, _ := b.m.Decoration(in.Result, spirv.DecorationIndex)
	if index > 1 {
		b.invalid("an output with Index %d: want 0 or 1", index)
	}
	target := colorTarget{location, index}
	p := b.local(in, t)
	b.bind(in, p)
	if len(in.Operands) > 1 {
		b.private = append(b.private, initStore{in, p, b.leaves(spirv.ID(in.Operands[1]))})
	}
	b.outputs = append(b.outputs, output{in, p, target})
	b.colorOutputs(t, target)
}

// colorOutputs makes the bindings of an output, one for each element of an array.
func (b *fragments) colorOutputs(t *validate.Type, target colorTarget) {
	n, elem := 1, t
	if t.Kind == validate.KindArray {
		n, elem = b.count(t), t.Elem
	}
	if types := b.leafTypes(elem); len(types) > 4 || elem.Component() == nil || types[0] != isa.F32 && types[0] != isa.I32 {
		b.unsupported("an output that is not a vector of 32-bit numbers")
	}
	for i := range n {
		b.f.Bindings = append(b.f.Bindings, ir.Binding{
			Set: meshSet, Binding: colorTarget{target.location + uint32(i), target.index}.binding(), Kind: ir.ColorOutput, Count: 1, Name: b.m.Name(b.in.Result),
		})
	}
}

func (b *fragments) exportAll() {
	for i := range b.outputs {
		b.export(&b.outputs[i])
	}
}

// export writes an output to its attachments. Components that the shader does not write are zero.
func (b *fragments) export(o *output) {
	b.in = o.in
	leaves := b.loadLeaves(o.p)
	n := 1
	if o.p.typ.Kind == validate.KindArray {
		n = b.count(o.p.typ)
	}
	each := len(leaves) / n
	for i := range n {
		b.exportTexel(colorTarget{o.target.location + uint32(i), o.target.index}, leaves[i*each:(i+1)*each])
	}
	b.in = nil
}

func (b *fragments) exportTexel(target colorTarget, leaves []*ir.Value) {
	p := pointer{space: isa.SpaceImage, binding: b.colorBinding(target)}
	p.object = b.bindingObject(p.binding)
	m := &ir.Mem{Access: isa.Access{Space: isa.SpaceImage, Binding: p.binding, Elem: leaves[0].R, Count: 4}, Object: p.object, Align: 4}
	args := append([]*ir.Value(nil), leaves...)
	for len(args) < 4 {
		args = append(args, b.constant(m.Elem, 0))
	}
	b.emit(isa.Export, m.Elem, isa.Void, args...).Mem = m
	b.wrote(p)
}

func (b *fragments) colorBinding(target colorTarget) int {
	for i := range b.f.Bindings {
		if o := &b.f.Bindings[i]; o.Kind == ir.ColorOutput && o.Binding == target.binding() {
			return i
		}
	}
	b.invalid("no output has location %d", target.location)
	return 0
}
