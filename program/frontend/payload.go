package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// spacePayload stands for payload memory among the objects written. Accesses go
// to isa.SpaceFlat.
const spacePayload isa.Space = 0xfe

// Objects of payload memory: the input, then the outputs; -1 may be any.
const (
	inputObject = iota
	firstOutputObject
)

func payloadRows() map[spirv.Op]row {
	return map[spirv.Op]row{
		spirv.OpAllocateNodePayloadsAMDX:     {do: (*builder).allocatePayloads},
		spirv.OpEnqueueNodePayloadsAMDX:      {do: (*builder).enqueuePayloads},
		spirv.OpNodePayloadArrayLengthAMDX:   {do: (*builder).payloadLength},
		spirv.OpIsNodePayloadValidAMDX:       {do: (*builder).payloadValid},
		spirv.OpFinishWritingNodePayloadAMDX: {do: (*builder).finishPayload},
	}
}

// payloadObject names the memory of an array by its type: a type that is that
// of the input and of an output names neither.
func (b *builder) payloadObject(t *validate.Type) int {
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
func (b *builder) arrayPointer(t *validate.Type, handle *ir.Value) pointer {
	return pointer{typ: t, space: isa.SpaceFlat, payload: true, handle: handle, object: b.payloadObject(t), align: 4}
}

// payloadPointerOf makes a pointer to payload memory from its leaf: a handle
// for an array, else an address.
func (b *builder) payloadPointerOf(t *validate.Type, leaf *ir.Value) pointer {
	if t.Kind == validate.KindNodePayloadArray {
		return b.arrayPointer(t, leaf)
	}
	return pointer{typ: t, space: isa.SpaceFlat, payload: true, index: leaf, object: -1, align: 1}
}

// handle is the array that a pointer to a payload array points to. A variable
// of array type holds the handle.
func (b *builder) handle(p pointer) *ir.Value {
	if p.typ.Kind != validate.KindNodePayloadArray {
		b.invalid("a pointer to %%%d, which is no payload array", p.typ.ID)
	}
	if p.handle != nil {
		return p.handle
	}
	return b.loadLeaves(p)[0]
}

// stepPayload goes from a pointer to a payload array to an element.
func (b *builder) stepPayload(p pointer, index spirv.ID) pointer {
	i := b.resize(b.leaf(index), b.typeOf(index), isa.I32)
	q := b.arrayPointer(p.typ, b.handle(p))
	return b.elementPointer(q, i, p)
}

// elementPointer points to element i of an array; how it is accessed is that of
// the pointer that leads there.
func (b *builder) elementPointer(array pointer, i *ir.Value, from pointer) pointer {
	q := pointer{typ: array.typ.Elem, space: isa.SpaceFlat, payload: true, object: array.object,
		volatile: from.volatile, coherent: from.coherent}
	q.index = b.emit(isa.PayloadElem, isa.I64, isa.I64, array.handle, i)
	q.align = min(b.shape(q.typ, layout{}).align, 8)
	return q
}

// once puts values that depend on nothing at the start of the entry block.
func (b *builder) once(make func() *ir.Value) *ir.Value {
	blk, fr := b.blk, b.fr
	b.blk, b.fr = &ir.Block{}, nil
	v := make()
	b.head = append(b.head, b.blk.Code...)
	b.blk, b.fr = blk, fr
	return v
}

// inputHandle is the handle of the node's input.
func (b *builder) inputHandle() *ir.Value {
	if b.graph.in == nil {
		b.graph.in = b.once(func() *ir.Value { return b.op(isa.PayloadIn, isa.I64) })
	}
	return b.graph.in
}

// bindPayload gives the input variable its place: an array, or the only payload
// of one.
func (b *builder) bindPayload(in *spirv.Instruction, t *validate.Type) {
	if b.graph.input == nil || in.Result != b.graph.input.Result {
		return // another entry point's
	}
	if t.Kind == validate.KindNodePayloadArray {
		b.bind(in, b.arrayPointer(t, b.inputHandle()))
		return
	}
	p := pointer{typ: t, space: isa.SpaceFlat, payload: true, object: inputObject}
	p.index = b.once(func() *ir.Value {
		return b.emit(isa.PayloadElem, isa.I64, isa.I64, b.inputHandle(), b.i32(0))
	})
	p.align = min(b.shape(t, layout{}).align, 8)
	b.bind(in, p)
}

// allocScopes has the operation of each visibility that allocation may have.
var allocScopes = map[spirv.Scope]isa.Op{
	spirv.ScopeWorkgroup:  isa.PayloadAlloc,
	spirv.ScopeInvocation: isa.PayloadAllocLane,
}

func (b *builder) allocatePayloads() {
	t := b.resultType()
	if t.Kind != validate.KindPointer || t.Storage != spirv.StorageClassNodePayloadAMDX || t.Elem.Kind != validate.KindNodePayloadArray {
		b.invalid("the result type is no pointer to a payload array in NodePayloadAMDX")
	}
	scope := spirv.Scope(b.constBits(b.arg(0)))
	op, ok := allocScopes[scope]
	if !ok {
		b.invalid("visibility %s: want Workgroup or Invocation", scope)
	}
	out := b.outputOf(t.Elem)
	o := &b.f.Node.Outputs[out]
	o.Workgroup = o.Workgroup || op == isa.PayloadAlloc
	o.Invocation = o.Invocation || op == isa.PayloadAllocLane
	count, index := b.widen(b.leaf(b.arg(1)), isa.I32), b.widen(b.leaf(b.arg(2)), isa.I32)
	v := b.emit(op, isa.I64, isa.I64, count, index)
	v.Imm = uint64(out)
	p := b.arrayPointer(t.Elem, v)
	b.decorate(&p, b.m.Decorations(b.in.Result))
	b.define(val{ptr: &p})
}

func (b *builder) outputOf(t *validate.Type) int {
	out, ok := b.graph.outputs[t.ID]
	if !ok {
		b.invalid("the module lacks capability ShaderEnqueueAMDX")
	}
	return out
}

// settle waits for the wave's own stores, which others read from here on.
func (b *builder) settle() { b.emit(isa.MemoryBarrier, isa.Void, isa.Void) }

func (b *builder) enqueuePayloads() {
	h := b.handle(b.ptr(b.arg(0)))
	b.settle()
	b.emit(isa.PayloadEnqueue, isa.I64, isa.Void, h)
}

func (b *builder) payloadLength() {
	b.set(b.emit(isa.PayloadLength, isa.I32, isa.I32, b.handle(b.ptr(b.arg(0)))))
}

// payloadValid takes a type, or as compilers emit it a variable of the type.
func (b *builder) payloadValid() {
	t := b.arrayNamed(b.in)
	if t == nil {
		b.invalid("%%%d is neither a payload array type nor a variable of one", b.arg(0))
	}
	v := b.emit(isa.PayloadValid, isa.Bool, isa.Bool, b.widen(b.leaf(b.arg(1)), isa.I32))
	v.Imm = uint64(b.outputOf(t))
	b.set(v)
}

// finishPayload tells that the workgroup has written the input. Only the input
// can be finished, so a pointer to its payload says no more than that.
func (b *builder) finishPayload() {
	p := b.ptr(b.arg(0))
	if b.graph.input == nil || !p.payload && p.typ.Kind != validate.KindNodePayloadArray {
		b.invalid("%%%d is not the input payload", b.arg(0))
	}
	if !b.f.Node.Input.TrackFinish {
		b.invalid("the input payload has no TrackFinishWritingAMDX")
	}
	h := b.inputHandle()
	if p.typ.Kind == validate.KindNodePayloadArray {
		h = b.handle(p)
	}
	b.settle()
	b.set(b.emit(isa.PayloadFinish, isa.Bool, isa.Bool, h))
}

// payloadReadOnly reports memory that nobody writes while the node runs: the
// input, unless this shader writes it.
func (b *builder) payloadReadOnly(m *ir.Mem) bool {
	return m.Object == inputObject && !b.writes[object{spacePayload, inputObject}] && !b.writes[object{spacePayload, -1}]
}
