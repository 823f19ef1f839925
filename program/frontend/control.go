package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

func nothing(*builder) {}

func controlRows() map[spirv.Op]row {
	return map[spirv.Op]row{
		spirv.OpNop:               {do: nothing},
		spirv.OpLine:              {do: nothing},
		spirv.OpNoLine:            {do: nothing},
		spirv.OpPhi:               {do: (*builder).startPhi},
		spirv.OpSelectionMerge:    {do: (*builder).selectionMerge},
		spirv.OpLoopMerge:         {do: (*builder).loopMerge},
		spirv.OpBranch:            {do: (*builder).branch},
		spirv.OpBranchConditional: {do: (*builder).branchConditional},
		spirv.OpSwitch:            {do: (*builder).switchTo, splits: true},
		spirv.OpReturn:            {do: (*builder).ret},
		spirv.OpReturnValue:       {do: (*builder).retValue},
		spirv.OpUnreachable:       {do: func(b *builder) { b.end(ir.Unreachable, nil) }},
		spirv.OpFunctionCall:      {do: (*builder).call, splits: true},
		spirv.OpExtInst:           {do: (*builder).extInst, constant: true},
		spirv.OpControlBarrier:    {do: (*builder).controlBarrier},
		spirv.OpMemoryBarrier:     {do: func(b *builder) { b.fence(b.constBits(b.arg(1))) }},

		spirv.OpReadClockKHR: {do: (*builder).readClock},
	}
}

func (b *builder) controlBarrier() {
	scope := spirv.Scope(b.constBits(b.arg(0)))
	b.fence(b.constBits(b.arg(2)))
	switch scope {
	case spirv.ScopeWorkgroup:
		b.emit(isa.Barrier, isa.Void, isa.Void)
	case spirv.ScopeSubgroup, spirv.ScopeInvocation: // lanes run in lock-step
	default:
		b.unsupported("a control barrier of scope %s", scope)
	}
}

// fence waits for the wave's memory accesses, when the semantics ask for any
// order.
func (b *builder) fence(semantics uint64) {
	const order = spirv.MemorySemanticsAcquire | spirv.MemorySemanticsRelease |
		spirv.MemorySemanticsAcquireRelease | spirv.MemorySemanticsSequentiallyConsistent
	if spirv.MemorySemantics(semantics)&order != 0 {
		b.emit(isa.MemoryBarrier, isa.Void, isa.Void)
	}
}

// readClock carries out OpReadClockKHR, as 64 bits or as two words.
func (b *builder) readClock() {
	op := isa.Clock
	if spirv.Scope(b.constBits(b.arg(0))) == spirv.ScopeDevice {
		op = isa.Realtime
	}
	v := b.op(op, isa.I64)
	if b.resultType().Kind == validate.KindVector {
		b.set(b.recast([]*ir.Value{v}, leafList{isa.I32, isa.I32})...)
		return
	}
	b.set(v)
}

func memoryRows() map[spirv.Op]row {
	return map[spirv.Op]row{
		spirv.OpVariable:               {do: (*builder).variable},
		spirv.OpLoad:                   {do: (*builder).load},
		spirv.OpStore:                  {do: (*builder).store},
		spirv.OpCopyMemory:             {do: (*builder).copyMemory},
		spirv.OpCopyMemorySized:        {do: (*builder).copyMemorySized},
		spirv.OpAccessChain:            {do: (*builder).accessChain},
		spirv.OpInBoundsAccessChain:    {do: (*builder).accessChain},
		spirv.OpPtrAccessChain:         {do: (*builder).ptrAccessChain},
		spirv.OpInBoundsPtrAccessChain: {do: (*builder).ptrAccessChain},
		spirv.OpPtrEqual:               {do: func(b *builder) { b.ptrEqual(true) }},
		spirv.OpPtrNotEqual:            {do: func(b *builder) { b.ptrEqual(false) }},
		spirv.OpPtrDiff:                {do: (*builder).ptrDiff},
		spirv.OpArrayLength:            {do: (*builder).arrayLength},
		spirv.OpConvertPtrToU:          {do: (*builder).pointerToInteger},
		spirv.OpConvertUToPtr:          {do: (*builder).integerToPointer},
	}
}

func (b *builder) pointerToInteger() {
	b.set(b.widen(b.leaf(b.arg(0)), b.comp(b.resultType())))
}

func (b *builder) integerToPointer() { b.set(b.widen(b.leaf(b.arg(0)), isa.I64)) }
