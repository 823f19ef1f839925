package isa

import (
	"fmt"
	"strings"

	"spvsim/spirv"
)

// A Row defines one operation.
type Row struct {
	Op    Op
	Name  string // as in the timing table and in listings
	Class Classes
	Sig   Signature
	Flags Flags
	// Meaning computes one lane. It is nil for operations that depend on more than their sources: on other lanes or the
	// wave, memory, synchronisation and control flow.
	Meaning Meaning
	Spec    SpecRef
}

// String returns the operation's name.
func (o Op) String() string {
	if o < NumOps {
		return Table[o].Name
	}
	return fmt.Sprintf("op(%d)", uint16(o))
}

// Lookup finds an operation by its name, as the timing table writes it.
func Lookup(name string) (Op, bool) {
	for i := range Table {
		if Table[i].Name == name {
			return Op(i), true
		}
	}
	return Nop, false
}

// Has reports whether the operation has all of the flags.
func (o Op) Has(f Flags) bool { return Table[o].Flags&f == f }

// Flags are properties by which operations are treated alike.
type Flags uint32

// Flags of operations.
const (
	FlagPure          Flags = 1 << iota // same sources, same result, no effect: may be moved, merged, removed
	FlagCommutes                        // the first two sources may be swapped
	FlagScalarUnit                      // the scalar unit can do it for uniform sources; without this a uniform result costs a vector instruction
	FlagCrossLane                       // depends on the execution mask or on other lanes: must not cross control flow
	FlagPerLane                         // the result differs by lane even when the sources are uniform
	FlagUniform                         // the result is the same in all lanes even when the sources differ (Reduce and VoteAllEqual: over the whole wave)
	FlagReads                           // reads memory
	FlagWrites                          // writes memory
	FlagEffect                          // seen from outside the wave, or by later instructions in other ways than through Dst: must not be removed
	FlagControl                         // control flow of the lowered program
	FlagIROnly                          // exists in the intermediate form only
	FlagCheap                           // one or two simple instructions: worth computing before its need is known
	FlagAtomic                          // atomic access to a buffer, an image or the LDS: orders memory, and may change it
	FlagSamples                         // looks at an image through a sampler
	FlagDot                             // integer dot product whose third source is an accumulator that wraps
	FlagLocalID                         // a component of LocalInvocationId
	FlagWorkgroupID                     // a component of WorkgroupId
	FlagNumWorkgroups                   // a component of NumWorkgroups
	FlagSubgroup                        // an operation among all lanes of a subgroup, from which helpers may be excluded: those of quads need them
)

// A Kind is the way in which an operand's type is determined.
type Kind uint8

// Operand kinds: the operation's types, or fixed.
const (
	OfNothing Kind = iota
	OfT
	OfFrom
	OfBool
	OfI8
	OfI16
	OfI32
	OfI64
)

// A Signature lists the kinds of the result and of the sources.
type Signature struct {
	Result Kind
	Src    []Kind
}

func sig(result Kind, src ...Kind) Signature { return Signature{result, src} }

func (k Kind) resolve(t, from Type) Type {
	return [...]Type{OfNothing: Void, OfT: t, OfFrom: from, OfBool: Bool, OfI8: I8, OfI16: I16, OfI32: I32, OfI64: I64}[k]
}

func ResultType(op Op, t, from Type) Type { return Table[op].Sig.Result.resolve(t, from) }

// SourceType returns the type of the i-th source of op on the types t and from; Void
// beyond the last.
func SourceType(op Op, i int, t, from Type) Type {
	if src := Table[op].Sig.Src; i < len(src) {
		return src[i].resolve(t, from)
	}
	return Void
}

// NumSources returns the number of sources of op, address and data of memory
// operations not counted.
func NumSources(op Op) int { return len(Table[op].Sig.Src) }

// Classes holds the timing classes of an operation by its type.
type Classes struct{ Bool, Int, Int64, F16, F32, F64 Class }

// For returns the class for type t; Void counts as a 32-bit integer.
func (c Classes) For(t Type) Class {
	return [...]Class{Void: c.Int, Bool: c.Bool, I8: c.Int, I16: c.Int, I32: c.Int, I64: c.Int64, F16: c.F16, F32: c.F32, F64: c.F64, BF16: c.F16, E4M3: c.F16, E5M2: c.F16}[t]
}

// A SpecRef locates the definition of an operation in the specification: the instructions that it implements, wholly or
// in part, or a note if there is none.
type SpecRef struct {
	Core []spirv.Op
	GLSL []spirv.GLSLstd450
	Note string
}

func core(ops ...spirv.Op) SpecRef         { return SpecRef{Core: ops} }
func glsl(ops ...spirv.GLSLstd450) SpecRef { return SpecRef{GLSL: ops} }
func specNote(note string) SpecRef         { return SpecRef{Note: note} }

// trinary returns a place in SPV_AMD_shader_trinary_minmax.
func trinary(op spirv.AMDShaderTrinaryMinmax) SpecRef {
	return specNote("SPV_AMD_shader_trinary_minmax " + op.String())
}

func (p SpecRef) merge(q SpecRef) SpecRef {
	return SpecRef{append(p.Core, q.Core...), append(p.GLSL, q.GLSL...), p.Note + q.Note}
}

func (p SpecRef) String() string {
	var parts []string
	for _, op := range p.Core {
		parts = append(parts, op.String())
	}
	for _, op := range p.GLSL {
		parts = append(parts, "GLSL.std.450 "+op.String())
	}
	if p.Note != "" {
		parts = append(parts, p.Note)
	}
	return strings.Join(parts, ", ")
}
