// Package opencl is the extended instruction set OpenCL.std as a table: a row for each instruction, which emits
// operations on scalars. Whoever emits them, and in which form, is behind the interface Emitter; of SPIR-V the package
// knows only the numbers of the instructions. Instructions that access memory (vloadn, vstoren and their forms for
// halves, printf) have no row: they belong to the front end's pointers.
//
// Full forms have at most the error that OpenCL C's table of relative errors allows, for all arguments: subnormal
// numbers, infinities, NaNs and angles of any size. Those that isa has as operations (sin, exp, log, pow and others of
// 32 bits) stay operations, which the optimiser's precise sequences replace. The others, and all of 64 bits, are
// sequences as in AMD's device libraries: range reduction, a polynomial, arithmetic with numbers in two floats. native_
// and half_ forms are the machine's instructions. Halves are computed in 32 bits, where the operation rounds.
package opencl

import (
	"fmt"

	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
)

// An Emitter appends operations to a program.
type Emitter interface {
	// Emit appends an operation of type t (of conversions: from type from) and returns its result.
	Emit(op isa.Op, t, from isa.Type, imm uint64, args ...*ir.Value) *ir.Value
	// Constant returns a constant.
	Constant(t isa.Type, bits uint64) *ir.Value
	// IfElse computes values on one of two paths, by a condition.
	IfElse(is *ir.Value, yes, no func() []*ir.Value) []*ir.Value
}

// A Call is an instruction with its operands.
type Call struct {
	Emitter
	// Result is the type of the result's components, Void if there is none.
	Result isa.Type
	// Args holds the components of each operand, operands that are pointers left out.
	Args [][]*ir.Value
}

// A Row is the translation of an instruction.
type Row struct {
	// Operands is the number of operands that are values.
	Operands int
	// Pointers is the number of operands that are pointers, to which further results are stored.
	Pointers int

	scalar   func(c code, x []*ir.Value) []*ir.Value // a component of each result from one of each operand
	vector   func(c code, call Call) [][]*ir.Value
	viaFloat bool // halves are computed in 32 bits
}

// Rows has a row for each instruction.
var Rows = tableOf(integerRows, commonRows, geometricRows, mathRows, nativeRows)

func tableOf(groups ...map[spirv.OpenCLstd]Row) map[spirv.OpenCLstd]*Row {
	table := map[spirv.OpenCLstd]*Row{}
	for _, group := range groups {
		for op, row := range group {
			if table[op] != nil {
				panic("opencl: two rows for " + op.String())
			}
			table[op] = &row
		}
	}
	return table
}

// Emit emits the operations of an instruction. It returns the components of each result: of the instruction's own, if it
// has one, then of what is stored through each pointer.
func (r *Row) Emit(call Call) ([][]*ir.Value, error) {
	if len(call.Args) != r.Operands {
		return nil, fmt.Errorf("%d values as operands: want %d", len(call.Args), r.Operands)
	}
	if len(call.Args[0]) == 0 || r.scalar == nil && r.vector == nil {
		return nil, nil
	}
	c := code{call.Emitter, call.Args[0][0].R, call.Result}
	if r.vector != nil {
		return r.vector(c, call), nil
	}
	n := len(call.Args[0])
	var results [][]*ir.Value
	for i := range n {
		x := make([]*ir.Value, r.Operands)
		for j, list := range call.Args {
			if len(list) != n {
				return nil, fmt.Errorf("operands of %d and %d components", n, len(list))
			}
			x[j] = list[i]
		}
		for j, v := range r.component(c, x) {
			if i == 0 {
				results = append(results, nil)
			}
			results[j] = append(results[j], v)
		}
	}
	return results, nil
}

// component emits the operations for one component.
func (r *Row) component(c code, x []*ir.Value) []*ir.Value {
	if c.t != isa.F16 || !r.viaFloat {
		return r.scalar(c, x)
	}
	wide := make([]*ir.Value, len(x))
	for i, v := range x {
		if wide[i] = v; v.R == isa.F16 {
			wide[i] = c.convert(isa.FConvert, isa.F32, v)
		}
	}
	results := r.scalar(code{c.Emitter, isa.F32, c.result}, wide)
	for i, v := range results {
		if v.R == isa.F32 {
			results[i] = c.convert(isa.FConvert, isa.F16, v)
		}
	}
	return results
}
