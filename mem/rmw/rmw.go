// Package rmw holds the meaning of the atomic operations: the new value of an
// element, for each operation and element type. Device memory and the LDS share
// it. It does not know where an element lives nor what an update costs.
package rmw

import "spvsim/isa"

// A Func gives the new value of an element from the old one, the operand and,
// for compare-exchange, the comparator. Values are the element's bits,
// zero-extended; of the new value, those above the element's may be anything.
type Func func(old, value, comparator uint64) uint64

type row struct {
	op    isa.Op
	types []isa.Type
	build func(t isa.Type) Func
}

var (
	integers = []isa.Type{isa.I8, isa.I16, isa.I32, isa.I64}
	floats   = []isa.Type{isa.F16, isa.F32, isa.F64}
	anyType  = append(append([]isa.Type{}, integers...), floats...)
)

// rows is the table of updates: one row an operation.
var rows = []row{
	{isa.AtomicLoad, anyType, allTypes(func(old, _, _ uint64) uint64 { return old })},
	{isa.AtomicStore, anyType, allTypes(func(_, v, _ uint64) uint64 { return v })},
	{isa.AtomicExchange, anyType, allTypes(func(_, v, _ uint64) uint64 { return v })},
	{isa.AtomicCompareExchange, anyType, allTypes(compareExchange)},
	{isa.AtomicIAdd, integers, allTypes(func(old, v, _ uint64) uint64 { return old + v })},
	{isa.AtomicISub, integers, allTypes(func(old, v, _ uint64) uint64 { return old - v })},
	{isa.AtomicUMin, integers, allTypes(func(old, v, _ uint64) uint64 { return min(old, v) })},
	{isa.AtomicUMax, integers, allTypes(func(old, v, _ uint64) uint64 { return max(old, v) })},
	{isa.AtomicSMin, integers, signed(func(old, v int64) int64 { return min(old, v) })},
	{isa.AtomicSMax, integers, signed(func(old, v int64) int64 { return max(old, v) })},
	{isa.AtomicAnd, integers, allTypes(func(old, v, _ uint64) uint64 { return old & v })},
	{isa.AtomicOr, integers, allTypes(func(old, v, _ uint64) uint64 { return old | v })},
	{isa.AtomicXor, integers, allTypes(func(old, v, _ uint64) uint64 { return old ^ v })},
	{isa.AtomicIInc, integers, allTypes(func(old, _, _ uint64) uint64 { return old + 1 })},
	{isa.AtomicIDec, integers, allTypes(func(old, _, _ uint64) uint64 { return old - 1 })},
	{isa.AtomicFAdd, floats, float(func(old, v float64) float64 { return old + v })},
	{isa.AtomicFMin, floats, float(isa.MinNum)},
	{isa.AtomicFMax, floats, float(isa.MaxNum)},
}

var table = build()

func build() (t [isa.NumOps][isa.F64 + 1]Func) {
	for _, r := range rows {
		for _, typ := range r.types {
			t[r.op][typ] = r.build(typ)
		}
	}
	return t
}

// Lookup returns the update of op on elements of type t, or nil when op is no
// atomic operation or has no meaning on t.
func Lookup(op isa.Op, t isa.Type) Func { return table[op][t] }

// allTypes is the update of all types.
func allTypes(f Func) func(isa.Type) Func { return func(isa.Type) Func { return f } }

func signed(f func(old, v int64) int64) func(isa.Type) Func {
	return func(t isa.Type) Func {
		shift := 64 - t.Bits()
		return func(old, v, _ uint64) uint64 {
			return uint64(f(int64(old<<shift)>>shift, int64(v<<shift)>>shift))
		}
	}
}

// float computes in float64. Adding two floats of 16 or 32 bits there and
// rounding once more gives the correctly rounded sum: 53 >= 2*24 + 2.
func float(f func(old, v float64) float64) func(isa.Type) Func {
	return func(t isa.Type) Func {
		return func(old, v, _ uint64) uint64 { return isa.FloatBits(t, f(isa.FloatOf(t, old), isa.FloatOf(t, v))) }
	}
}

func compareExchange(old, v, comparator uint64) uint64 {
	if old == comparator {
		return v
	}
	return old
}
