package validate

import (
	"spvsim/spirv"
	"spvsim/spirv/grammar"
)

// memoryRules lists the rules of memory semantics and of atomic operations.
var memoryRules = []rule{
	{name: "semantics-sequential", sentence: "[VUID-StandaloneSpirv-MemorySemantics-10866] MemorySemantics with SequentiallyConsistent memory order must not be used in the Vulkan API. (Compilers write it: it orders as AcquireRelease does. In a module with the memory model Vulkan it is an error, of the rule `types`.)", warning: true,
		check: eachSemantics(func(s *semantics) {
			if s.bits&spirv.MemorySemanticsSequentiallyConsistent != 0 {
				s.fault("SequentiallyConsistent: want Acquire, Release or AcquireRelease")
			}
		})},
	{name: "semantics-store", sentence: "[VUID-StandaloneSpirv-OpAtomicStore-10867] OpAtomicStore MemorySemantics must not use Acquire or AcquireRelease memory order.",
		check: eachSemantics(func(s *semantics) {
			if s.in.Op == spirv.OpAtomicStore && s.bits&acquires != 0 {
				s.fault("%s: want Release or none", s.bits&acquires)
			}
		})},
	{name: "semantics-load", sentence: "[VUID-StandaloneSpirv-OpAtomicLoad-10868] OpAtomicLoad MemorySemantics must not use Release or AcquireRelease memory order.",
		check: eachSemantics(func(s *semantics) {
			if s.in.Op == spirv.OpAtomicLoad && s.bits&releases != 0 {
				s.fault("%s: want Acquire or none", s.bits&releases)
			}
		})},
	{name: "semantics-relaxed-barrier", sentence: "[VUID-StandaloneSpirv-OpMemoryBarrier-10869] OpMemoryBarrier MemorySemantics must not use Relaxed memory order.", warning: true,
		check: eachSemantics(func(s *semantics) {
			if s.in.Op == spirv.OpMemoryBarrier && s.order() == 0 {
				s.fault("no memory order: want Acquire, Release or AcquireRelease")
			}
		})},
	{name: "semantics-no-class", sentence: "[VUID-StandaloneSpirv-MemorySemantics-10870] MemorySemantics with a non-relaxed memory order (Acquire, Release, or AcquireRelease) must have at least one Vulkan-supported storage class semantics bit set (UniformMemory, WorkgroupMemory, ImageMemory, or OutputMemory).", warning: true,
		check: eachSemantics(func(s *semantics) {
			if s.order() != 0 && s.bits&ordered == 0 {
				s.fault("%s of no storage class: want UniformMemory, WorkgroupMemory, ImageMemory or OutputMemory too", s.order())
			}
		})},
	{name: "semantics-no-order", sentence: "[VUID-StandaloneSpirv-MemorySemantics-10871] MemorySemantics with at least one Vulkan-supported storage class semantics bit set must use a non-relaxed memory order (Acquire, Release, or AcquireRelease).", warning: true,
		check: eachSemantics(func(s *semantics) {
			if s.order() == 0 && s.bits&ordered != 0 {
				s.fault("%s without a memory order: want Acquire, Release or AcquireRelease too", s.bits&ordered)
			}
		})},
	{name: "semantics-available", sentence: "[VUID-StandaloneSpirv-MemorySemantics-10872, 10873] MemorySemantics with MakeAvailable bit set must use Release or AcquireRelease memory order. MemorySemantics with MakeVisible bit set must use Acquire or AcquireRelease memory order.",
		check: eachSemantics(func(s *semantics) {
			if s.bits&spirv.MemorySemanticsMakeAvailable != 0 && s.bits&releases == 0 {
				s.fault("MakeAvailable: want Release or AcquireRelease")
			}
			if s.bits&spirv.MemorySemanticsMakeVisible != 0 && s.bits&acquires == 0 {
				s.fault("MakeVisible: want Acquire or AcquireRelease")
			}
		})},
	{name: "semantics-volatile", sentence: "[VUID-StandaloneSpirv-MemorySemantics-13551] MemorySemantics with Volatile bit set must not be used with barrier instructions.",
		check: eachSemantics(func(s *semantics) {
			if s.bits&spirv.MemorySemanticsVolatile != 0 && (s.in.Op == spirv.OpControlBarrier || s.in.Op == spirv.OpMemoryBarrier) {
				s.fault("Volatile, of a barrier")
			}
		})},
	{name: "semantics-unequal", sentence: "[OpAtomicCompareExchange] Unequal must not be set to Release or Acquire and Release. In addition, Unequal must not be set to a stronger memory-order then Equal.",
		check: eachSemantics(func(s *semantics) {
			equal, ok := s.equal()
			if !ok {
				return
			}
			if s.bits&releases != 0 {
				s.fault("Unequal %s: want Acquire or none", s.bits&releases)
			} else if s.order() != 0 && spirv.MemorySemantics(equal)&spirv.MemorySemantics(orders) == 0 ||
				s.bits&spirv.MemorySemanticsSequentiallyConsistent != 0 && spirv.MemorySemantics(equal)&spirv.MemorySemanticsSequentiallyConsistent == 0 {
				s.fault("Unequal %s is stronger than Equal", s.order())
			}
		})},
	{name: "semantics-unequal-class", sentence: "[VUID-StandaloneSpirv-UnequalMemorySemantics-10877, 10878, 10879] Unequal Memory Semantics must not have any Vulkan-supported storage class semantics bit or MakeVisible bit set unless this bit is also set in the corresponding Equal Memory Semantics; it must have Volatile bit set if and only if Equal has.", warning: true,
		check: eachSemantics(func(s *semantics) {
			equal, ok := s.equal()
			if !ok {
				return
			}
			const bits = ordered | spirv.MemorySemanticsMakeVisible
			more := s.bits &^ spirv.MemorySemantics(equal) & bits
			if more |= (s.bits ^ spirv.MemorySemantics(equal)) & spirv.MemorySemanticsVolatile; more != 0 {
				s.fault("%s in one of Equal and Unequal", more)
			}
		})},
	{name: "semantics-invocation", sentence: "[VUID-StandaloneSpirv-None-04641] OpMemoryBarrier [and all with Memory Semantics] must be Relaxed if used with Invocation Memory Scope.", warning: true,
		check: eachSemantics(func(s *semantics) {
			if scope, ok := s.constantValue(s.in.Operands[s.scopeAt()]); ok && s.order() != 0 && spirv.Scope(scope) == spirv.ScopeInvocation {
				s.fault("%s in the scope Invocation: want no memory order", s.order())
			}
		})},
	{name: "barrier-scope", sentence: "[VUID-StandaloneSpirv-None-04636, 04637, 04638] Scope for Execution must be limited to Workgroup and Subgroup. Scope for Memory must be limited to Device, QueueFamily, Workgroup, ShaderCallKHR, Subgroup, or Invocation. [VUID-StandaloneSpirv-None-07321] (Memory CrossDevice is invalid.)",
		check: func(c *extension) {
			c.eachOp(func(in *spirv.Instruction) {
				if s, ok := c.constantValue(in.Operands[0]); ok && in.Op == spirv.OpControlBarrier && spirv.Scope(s) != spirv.ScopeWorkgroup && spirv.Scope(s) != spirv.ScopeSubgroup {
					c.faultAt(in, "Execution %s: want Workgroup or Subgroup", spirv.Scope(s))
				}
			}, spirv.OpControlBarrier)
			c.eachKnown(grammar.KindIdScope, func(in *spirv.Instruction, at int, s uint32) {
				if spirv.Scope(s) == spirv.ScopeCrossDevice {
					c.faultAt(in, "operand %d: the scope CrossDevice", at)
				}
			})
		}},
	{name: "atomic-class", sentence: "[VUID-StandaloneSpirv-None-04686] The Pointer operand of all atomic instructions must have a Storage Class limited to Uniform, Workgroup, Image, StorageBuffer, PhysicalStorageBuffer, or TaskPayloadWorkgroupEXT. (And NodePayloadAMDX.)",
		check: func(c *extension) {
			for i := range c.Raw.Instructions {
				in := &c.Raw.Instructions[i]
				if !atomicOp(in.Op) {
					continue
				}
				if t := c.TypeOf(spirv.ID(in.Operands[0])); t != nil && t.Kind == KindPointer && !atomicClasses[t.Storage] {
					c.faultAt(in, "operand 0: %%%d points to %s", in.Operands[0], t.Storage)
				}
			}
		}},
}

// Groups of memory semantics.
const (
	acquires = spirv.MemorySemanticsAcquire | spirv.MemorySemanticsAcquireRelease
	releases = spirv.MemorySemanticsRelease | spirv.MemorySemanticsAcquireRelease
	ordered  = spirv.MemorySemanticsUniformMemory | spirv.MemorySemanticsWorkgroupMemory | spirv.MemorySemanticsImageMemory | spirv.MemorySemanticsOutputMemory
)

var atomicClasses = set(spirv.StorageClassUniform, spirv.StorageClassWorkgroup, spirv.StorageClassImage, spirv.StorageClassStorageBuffer,
	spirv.StorageClassPhysicalStorageBuffer, spirv.StorageClassTaskPayloadWorkgroupEXT, spirv.StorageClassNodePayloadAMDX)

// atomicOp reports the instructions that are tested as atomic operations.
func atomicOp(op spirv.Op) bool {
	return op >= spirv.OpAtomicLoad && op <= spirv.OpAtomicXor || op == spirv.OpAtomicFAddEXT || op == spirv.OpAtomicFMinEXT || op == spirv.OpAtomicFMaxEXT
}

// semantics holds the memory semantics of an instruction, in the context of a rule.
type semantics struct {
	*extension
	in      *spirv.Instruction
	operand int // operand
	bits    spirv.MemorySemantics
}

func (s *semantics) fault(format string, args ...any) { s.extension.faultAt(s.in, format, args...) }

// order returns the memory order; preceding rules allow at most one.
func (s *semantics) order() spirv.MemorySemantics { return s.bits & spirv.MemorySemantics(orders) }

// equal returns the Equal semantics of a comparison if these are its Unequal semantics.
func (s *semantics) equal() (uint32, bool) {
	if s.in.Op != spirv.OpAtomicCompareExchange || s.operand != 3 {
		return 0, false
	}
	return s.constantValue(s.in.Operands[2])
}

// scopeAt returns the operand with the scope of memory: before the semantics, and before both of a comparison.
func (s *semantics) scopeAt() int {
	if s.in.Op == spirv.OpAtomicCompareExchange {
		return 1
	}
	return s.operand - 1
}

// eachSemantics returns a check of the operands that are memory semantics with a known value.
func eachSemantics(visit func(s *semantics)) func(*extension) {
	return func(c *extension) {
		c.eachKnown(grammar.KindIdMemorySemantics, func(in *spirv.Instruction, at int, bits uint32) {
			visit(&semantics{c, in, at, spirv.MemorySemantics(bits)})
		})
	}
}

// eachKnown visits the operands of a kind with a known value.
func (c *extension) eachKnown(kind grammar.Kind, visit func(in *spirv.Instruction, at int, value uint32)) {
	for i := range c.Raw.Instructions {
		in := &c.Raw.Instructions[i]
		for at, o := range in.Op.Grammar().Operands {
			if o.Kind != kind || at >= len(in.Operands) {
				continue
			}
			if value, ok := c.constantValue(in.Operands[at]); ok {
				visit(in, at, value)
			}
		}
	}
}
