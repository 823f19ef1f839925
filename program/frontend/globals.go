package frontend

import (
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// bindVariables places every module variable that the entry point's functions use: bindings in the order of the module
// (arrays of run-time size last, because their length is unknown), LDS offsets, locals.
func (b *builder) bindVariables() {
	used := b.usedVariables()
	var late []*spirv.Instruction
	for _, in := range used {
		b.in = in
		t := b.resultType()
		if t.Kind == validate.KindPointer && t.Elem.Kind == validate.KindRuntimeArray {
			late = append(late, in)
			continue
		}
		b.bindVariable(in)
	}
	for _, in := range late {
		b.in = in
		b.bindVariable(in)
	}
	b.in = nil
}

// usedVariables lists the module's variables that instructions name which the entry point reaches, in order.
func (b *builder) usedVariables() []*spirv.Instruction {
	var list []*spirv.Instruction
	for i := range b.m.Raw.Instructions {
		in := &b.m.Raw.Instructions[i]
		if in.Op == spirv.OpFunction {
			break
		}
		if in.Op == spirv.OpVariable && b.reached[in.Result] {
			list = append(list, in)
		}
	}
	return list
}

// storageRows has a row for each storage class of module variables.
var storageRows map[spirv.StorageClass]func(b *builder, in *spirv.Instruction, t *validate.Type)

func init() {
	storageRows = map[spirv.StorageClass]func(b *builder, in *spirv.Instruction, t *validate.Type){
		spirv.StorageClassInput:           (*builder).bindInput,
		spirv.StorageClassUniformConstant: (*builder).bindUniformConstant,
		spirv.StorageClassStorageBuffer:   (*builder).bindBuffer,
		spirv.StorageClassUniform:         (*builder).bindBuffer,
		spirv.StorageClassPushConstant:    (*builder).bindPush,
		spirv.StorageClassWorkgroup:       (*builder).bindLDS,
		spirv.StorageClassCrossWorkgroup:  (*builder).bindDeviceVariables,
		spirv.StorageClassPrivate:         (*builder).bindPrivate,
		spirv.StorageClassNodePayloadAMDX: func(b *builder, in *spirv.Instruction, t *validate.Type) { b.payloads.bindPayload(in, t) },
		spirv.StorageClassOutput:          (*builder).bindOutput,
	}
}

func (b *builder) bindUniformConstant(in *spirv.Instruction, t *validate.Type) {
	if b.isKernel() {
		b.bindTable(in, t)
		return
	}
	b.images.bindImage(in, t)
}

func (b *builder) bindOutput(in *spirv.Instruction, t *validate.Type) {
	if b.isFragment() {
		b.fragments.bindOutput(in, t)
		return
	}
	b.meshes.bindOutput(in, t)
}

func (b *builder) bindVariable(in *spirv.Instruction) {
	t := b.resultType()
	class := spirv.StorageClass(in.Operands[0])
	if t.Kind != validate.KindPointer || t.Storage != class {
		b.invalid("the type is not a pointer to %s", class)
	}
	// A storage class without a row is refused by the instruction that uses the variable.
	if row := storageRows[class]; row != nil {
		row(b, in, t.Elem)
	}
}
