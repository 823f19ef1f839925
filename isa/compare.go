package isa

import "spvsim/spirv"

// Comparisons.
const (
	// Comparisons: T is the type of the sources, the result is Bool.
	IEq Op = endFloats + iota
	INe
	ULt
	ULe
	SLt
	SLe
	FOrdEq
	FOrdNe
	FOrdLt
	FOrdLe
	FUnordEq
	FUnordNe
	FUnordLt
	FUnordLe

	endComparisons
)

var compareRows = []Row{
	{IEq, "ieq", compair, compare, saluC, intCompare(ieq), core(spirv.OpIEqual, spirv.OpLogicalEqual)},
	{INe, "ine", compair, compare, saluC, intCompare(ine), core(spirv.OpINotEqual, spirv.OpLogicalNotEqual)},
	{ULt, "ult", compair, compare, salu, intCompare(ult), core(spirv.OpULessThan, spirv.OpUGreaterThan)},
	{ULe, "ule", compair, compare, salu, intCompare(ule), core(spirv.OpULessThanEqual, spirv.OpUGreaterThanEqual)},
	{SLt, "slt", compair, compare, salu, intCompare(slt), core(spirv.OpSLessThan, spirv.OpSGreaterThan)},
	{SLe, "sle", compair, compare, salu, intCompare(sle), core(spirv.OpSLessThanEqual, spirv.OpSGreaterThanEqual)},
	{FOrdEq, "fordeq", compair, compare, comm, floatCompare(fordeq), core(spirv.OpFOrdEqual)},
	{FOrdNe, "fordne", compair, compare, comm, floatCompare(fordne), core(spirv.OpFOrdNotEqual)},
	{FOrdLt, "fordlt", compair, compare, pure, floatCompare(fordlt), core(spirv.OpFOrdLessThan, spirv.OpFOrdGreaterThan)},
	{FOrdLe, "fordle", compair, compare, pure, floatCompare(fordle), core(spirv.OpFOrdLessThanEqual, spirv.OpFOrdGreaterThanEqual)},
	{FUnordEq, "funordeq", compair, compare, comm, floatCompare(funordeq), core(spirv.OpFUnordEqual)},
	{FUnordNe, "funordne", compair, compare, comm, floatCompare(funordne), core(spirv.OpFUnordNotEqual)},
	{FUnordLt, "funordlt", compair, compare, pure, floatCompare(funordlt), core(spirv.OpFUnordLessThan, spirv.OpFUnordGreaterThan)},
	{FUnordLe, "funordle", compair, compare, pure, floatCompare(funordle), core(spirv.OpFUnordLessThanEqual, spirv.OpFUnordGreaterThanEqual)},
}

func ieq(a, b uint64, _ uint) bool { return a == b }
func ine(a, b uint64, _ uint) bool { return a != b }
func ult(a, b uint64, _ uint) bool { return a < b }
func ule(a, b uint64, _ uint) bool { return a <= b }
func slt(a, b uint64, w uint) bool { return signed(a, w) < signed(b, w) }
func sle(a, b uint64, w uint) bool { return signed(a, w) <= signed(b, w) }

func fordeq(a, b float64) bool   { return a == b }
func fordne(a, b float64) bool   { return a < b || a > b }
func fordlt(a, b float64) bool   { return a < b }
func fordle(a, b float64) bool   { return a <= b }
func funordeq(a, b float64) bool { return !fordne(a, b) }
func funordne(a, b float64) bool { return a != b }
func funordlt(a, b float64) bool { return !(a >= b) }
func funordle(a, b float64) bool { return !(a > b) }
