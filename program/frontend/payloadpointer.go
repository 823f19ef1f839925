package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// A graph holds the node's types as pointers to payloads use them.
type graph struct {
	input   *spirv.Instruction // the input variable; nil if none
	outputs map[spirv.ID]int   // by type id: index in Node.Outputs
}

// spacePayload represents payload memory among the objects written. Accesses go
// to isa.SpaceFlat.
const spacePayload isa.Space = 0xfe

// Objects of payload memory: the input, then the outputs; -1 may be any.
const (
	inputObject = iota
	firstOutputObject
)

// payloadObject identifies the memory of an array by its type. A type of both the input and an output identifies
// neither.
func (b *pointers) payloadObject(t *validate.Type) int {
	out, isOutput := b.graph.outputs[t.ID]
	isInput := b.graph.input != nil && b.typ(b.graph.input.Type).Elem == t
	switch {
	case isOutput && !isInput:
		return firstOutputObject + out
	case isInput && !isOutput:
		return inputObject
	}
	return -1
}

// arrayPointer points to the payload array of type t that a handle names.
func (b *pointers) arrayPointer(t *validate.Type, handle *ir.Value) pointer {
	return pointer{typ: t, space: isa.SpaceFlat, payload: true, handle: handle, object: b.payloadObject(t), align: 4}
}

// payloadPointerOf makes a pointer to payload memory from its leaf: a handle
// for an array, else an address.
func (b *pointers) payloadPointerOf(t *validate.Type, leaf *ir.Value) pointer {
	if t.Kind == validate.KindNodePayloadArray {
		return b.arrayPointer(t, leaf)
	}
	return pointer{typ: t, space: isa.SpaceFlat, payload: true, index: leaf, object: -1, align: 1}
}

// handle returns the array that a pointer to a payload array points to. A variable of array type holds the handle.
func (b *pointers) handle(p pointer) *ir.Value {
	if p.typ.Kind != validate.KindNodePayloadArray {
		b.invalid("a pointer to %%%d, which is not a payload array", p.typ.ID)
	}
	if p.handle != nil {
		return p.handle
	}
	return b.loadLeaves(p)[0]
}

// stepPayload goes from a pointer to a payload array to an element.
func (b *pointers) stepPayload(p pointer, index spirv.ID) pointer {
	i := b.number(index)
	q := b.arrayPointer(p.typ, b.handle(p))
	return b.elementPointer(q, i, p)
}

// number returns a count of payloads, or an index of a payload or a node, in 32 bits. Larger values saturate: there are
// neither so many payloads nor so many nodes.
func (b *pointers) number(id spirv.ID) *ir.Value {
	v := b.scalarOf(id)
	if v.R == isa.I64 {
		v = b.op(isa.UMin, isa.I64, v, b.constant(isa.I64, 1<<32-1))
	}
	return b.resize(v, b.typeOf(id), isa.I32)
}

// elementPointer returns a pointer to element i of an array, accessed as the pointer from.
func (b *pointers) elementPointer(array pointer, i *ir.Value, from pointer) pointer {
	q := pointer{typ: array.typ.Elem, space: isa.SpaceFlat, payload: true, object: array.object,
		volatile: from.volatile, coherent: from.coherent}
	q.index = b.emit(isa.PayloadElem, isa.I64, isa.I64, array.handle, i)
	q.align = min(b.shape(q.typ, layout{}).align, 8)
	return q
}

// payloadReadOnly reports memory that is not written while the node runs: the
// input, unless this shader writes it.
func (b *pointers) payloadReadOnly(m *ir.Mem) bool {
	return m.Object == inputObject && !b.writes[object{spacePayload, inputObject}] && !b.writes[object{spacePayload, -1}]
}
