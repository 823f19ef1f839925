// Package isa holds the wave operations, with a row for each in Table: its
// meaning for one lane, its timing class and its place in the specification. It
// also executes instructions on the registers of a wave.
//
// # Values
//
// A lane's value is passed as a uint64 in canonical form: integers and the bits of floats zero-extended, Bool as 0 or
// 1. Operations take and return canonical values, for every width.
//
// # Results that the specification leaves undefined
//
//   - Division by zero, and its remainders, give 0 for integers; the most
//     negative integer divided by -1 gives itself, with remainder 0.
//   - Shift amounts are taken modulo the width.
//   - Bit fields that reach beyond the width are cut at it.
//   - Conversions of floats to integers saturate; NaN gives 0.
//   - FMin and FMax give the operand that is no NaN; of zeros, FMin gives the
//     negative one and FMax the positive one.
//   - FSign of NaN is 0. The exponent of an infinity or a NaN is 0 (FrexpExp).
//   - Subnormal floats are kept, at every width; QuantizeF16 flushes those of
//     16 bits, as OpQuantizeToF16 says.
//   - FAdd, FSub, FMul, FDiv, Sqrt and Fma are rounded once, to nearest even.
//     The other functions are computed in double precision and then rounded.
//
// # Masks and uniform values
//
// An instruction writes the active lanes of a vector register and keeps the others. A Bool result of an instruction
// that is not Uniform is a lane mask in a scalar register, which keeps the bits of inactive lanes. A Uniform
// instruction writes one scalar word, whatever the execution mask.
//
// Across lanes, a Bool source is always a lane mask (or a literal: 0 false, anything else true), even if the
// instruction is Uniform: a ballot's source differs by lane though its result does not. Inactive lanes are never read.
// Reductions and scans combine the active lanes of a cluster in ascending order, rounding after every step; the first
// lane's value is taken as it is, without the identity.
//
// The package knows neither the cost of an instruction, nor anything of memory beyond the registers of an access.
package isa
