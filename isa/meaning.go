package isa

import "fmt"

// A Meaning computes one lane from canonical operands. Operands that the
// operation does not have are zero. The result is canonical.
type Meaning func(t, from Type, imm, a, b, c, d uint64) uint64

// Eval computes one lane of an operation that has a Meaning. Missing arguments
// count as zero.
func Eval(op Op, t, from Type, imm uint64, args ...uint64) uint64 {
	row := &Table[op]
	if row.Meaning == nil {
		panic(fmt.Sprintf("isa: %s has no meaning for one lane", row.Name))
	}
	var a [4]uint64
	copy(a[:], args)
	return row.Meaning(t, from, imm, a[0], a[1], a[2], a[3])
}

// Adapters from the plain functions to a Meaning. The first source's type gives the width; the result is cut to the
// width of T.

func int1(f func(a uint64, w uint) uint64) Meaning {
	return func(t, _ Type, _, a, _, _, _ uint64) uint64 { return f(a, t.Bits()) & t.Mask() }
}

func int2(f func(a, b uint64, w uint) uint64) Meaning {
	return func(t, _ Type, _, a, b, _, _ uint64) uint64 { return f(a, b, t.Bits()) & t.Mask() }
}

func int3(f func(a, b, c uint64, w uint) uint64) Meaning {
	return func(t, _ Type, _, a, b, c, _ uint64) uint64 { return f(a, b, c, t.Bits()) & t.Mask() }
}

func int4(f func(a, b, c, d uint64, w uint) uint64) Meaning {
	return func(t, _ Type, _, a, b, c, d uint64) uint64 { return f(a, b, c, d, t.Bits()) & t.Mask() }
}

func intCompare(f func(a, b uint64, w uint) bool) Meaning {
	return func(t, _ Type, _, a, b, _, _ uint64) uint64 { return truth(f(a, b, t.Bits())) }
}

func float1(f func(a float64) float64) Meaning {
	return func(t, _ Type, _, a, _, _, _ uint64) uint64 { return FloatBits(t, f(FloatOf(t, a))) }
}

func float2(f func(a, b float64) float64) Meaning {
	return func(t, _ Type, _, a, b, _, _ uint64) uint64 { return FloatBits(t, f(FloatOf(t, a), FloatOf(t, b))) }
}

func float3(f func(a, b, c float64) float64) Meaning {
	return func(t, _ Type, _, a, b, c, _ uint64) uint64 {
		return FloatBits(t, f(FloatOf(t, a), FloatOf(t, b), FloatOf(t, c)))
	}
}

func floatTest(f func(a float64) bool) Meaning {
	return func(t, _ Type, _, a, _, _, _ uint64) uint64 { return truth(f(FloatOf(t, a))) }
}

func floatCompare(f func(a, b float64) bool) Meaning {
	return func(t, _ Type, _, a, b, _, _ uint64) uint64 { return truth(f(FloatOf(t, a), FloatOf(t, b))) }
}

// widthless adapts functions that need no width.
func widthless(f func(a, b, c uint64) uint64) Meaning {
	return func(t, _ Type, _, a, b, c, _ uint64) uint64 { return f(a, b, c) & t.Mask() }
}

// widthless4 is plain for four operands.
func widthless4(f func(a, b, c, d uint64) uint64) Meaning {
	return func(t, _ Type, _, a, b, c, d uint64) uint64 { return f(a, b, c, d) & t.Mask() }
}
