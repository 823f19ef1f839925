package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// payloads holds the instructions of an execution graph's nodes.
type payloads struct {
	*pointers
	input *ir.Value // handle of the node's input; nil until it is used
}

func payloadRows() map[spirv.Op]row[*payloads] {
	return map[spirv.Op]row[*payloads]{
		spirv.OpAllocateNodePayloadsAMDX:     {translate: (*payloads).allocatePayloads},
		spirv.OpEnqueueNodePayloadsAMDX:      {translate: (*payloads).enqueuePayloads},
		spirv.OpNodePayloadArrayLengthAMDX:   {translate: (*payloads).payloadLength},
		spirv.OpIsNodePayloadValidAMDX:       {translate: (*payloads).payloadValid},
		spirv.OpFinishWritingNodePayloadAMDX: {translate: (*payloads).finishPayload},
	}
}

// inputHandle returns the handle of the node's input.
func (b *payloads) inputHandle() *ir.Value {
	if b.input == nil {
		b.input = b.onceOne(func() *ir.Value { return b.op(isa.PayloadIn, isa.I64) })
	}
	return b.input
}

// bindPayload binds the input variable: to an array, or to the only payload.
func (b *payloads) bindPayload(in *spirv.Instruction, t *validate.Type) {
	if b.graph.input == nil || in.Result != b.graph.input.Result {
		return // another entry point's
	}
	if t.Kind == validate.KindNodePayloadArray {
		b.bind(in, b.arrayPointer(t, b.inputHandle()))
		return
	}
	p := pointer{typ: t, space: isa.SpaceFlat, payload: true, object: inputObject}
	p.index = b.onceOne(func() *ir.Value {
		return b.emit(isa.PayloadElem, isa.I64, isa.I64, b.inputHandle(), b.i32(0))
	})
	p.align = min(b.shape(t, layout{}).align, 8)
	b.bind(in, p)
}

// allocScopes maps the visibilities of an allocation to operations.
var allocScopes = map[spirv.Scope]isa.Op{
	spirv.ScopeWorkgroup:  isa.PayloadAlloc,
	spirv.ScopeInvocation: isa.PayloadAllocLane,
}

func (b *payloads) allocatePayloads() {
	t := b.resultType()
	if t.Kind != validate.KindPointer || t.Storage != spirv.StorageClassNodePayloadAMDX || t.Elem.Kind != validate.KindNodePayloadArray {
		b.invalid("the result type is not a pointer to a payload array in NodePayloadAMDX")
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
	count, index := b.number(b.arg(1)), b.number(b.arg(2))
	v := b.emit(op, isa.I64, isa.I64, count, index)
	v.Imm = uint64(out)
	p := b.arrayPointer(t.Elem, v)
	b.decorate(&p, b.m.Decorations(b.in.Result))
	b.define(val{ptr: &p})
}

func (b *payloads) outputOf(t *validate.Type) int {
	out, ok := b.graph.outputs[t.ID]
	if !ok {
		b.invalid("the module lacks capability ShaderEnqueueAMDX")
	}
	return out
}

// memoryBarrier waits for the wave's own stores, which others read from here on.
func (b *payloads) memoryBarrier() { b.emit(isa.MemoryBarrier, isa.Void, isa.Void) }

func (b *payloads) enqueuePayloads() {
	h := b.handle(b.ptr(b.arg(0)))
	b.memoryBarrier()
	b.emit(isa.PayloadEnqueue, isa.I64, isa.Void, h)
}

func (b *payloads) payloadLength() {
	b.set(b.emit(isa.PayloadLength, isa.I32, isa.I32, b.handle(b.ptr(b.arg(0)))))
}

// payloadValid takes a type, or as compilers emit it a variable of the type.
func (b *payloads) payloadValid() {
	t := b.arrayNamed(b.in)
	if t == nil {
		b.invalid("%%%d is neither a payload array type nor a variable of one", b.arg(0))
	}
	v := b.emit(isa.PayloadValid, isa.Bool, isa.Bool, b.number(b.arg(1)))
	v.Imm = uint64(b.outputOf(t))
	b.set(v)
}

// finishPayload reports that the workgroup has written the input. Only the input can be finished, so a pointer to its
// payload identifies the whole.
func (b *payloads) finishPayload() {
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
	b.memoryBarrier()
	b.set(b.emit(isa.PayloadFinish, isa.Bool, isa.Bool, h))
}

// arrayNamed returns the payload array type that an instruction allocates or whose validity it queries; else nil.
func (b *payloads) arrayNamed(in *spirv.Instruction) *validate.Type {
	var t *validate.Type
	switch in.Op {
	case spirv.OpAllocateNodePayloadsAMDX:
		t = b.m.Type(in.Type)
	case spirv.OpIsNodePayloadValidAMDX:
		id := spirv.ID(in.Operands[0])
		if t = b.m.Type(id); t == nil {
			t = b.m.TypeOf(id)
		}
	}
	if t != nil && t.Kind == validate.KindPointer {
		t = t.Elem
	}
	if t == nil || t.Kind != validate.KindNodePayloadArray {
		return nil
	}
	return t
}
