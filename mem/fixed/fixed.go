// Package fixed does the integer arithmetic of the memory model: times as fixed-point cycles, division by sizes that are
// mostly powers of two, and the interleaving of addresses over slices and channels.
package fixed

import "math/bits"

// Shift places the binary point of booked time: 1/65536 cycle.
const Shift = 16

// ShiftMask is the mask of a shift of 64 bits, which spares the test for longer ones.
const ShiftMask = 63

// A Divider splits by a constant, by shift and mask where it is a power of two.
type Divider struct {
	N     uint64
	Shift uint
	Pow2  bool
}

// NewDivider makes the divider by n, which is at least 1.
func NewDivider(n int) Divider {
	return Divider{N: uint64(n), Shift: Log2(n), Pow2: PowerOfTwo(n)}
}

// Split returns v / N and v % N.
func (d Divider) Split(v uint64) (quotient, rest uint64) {
	if d.Pow2 {
		return v >> (d.Shift & ShiftMask), v & (d.N - 1)
	}
	return v / d.N, v % d.N
}

// Ceil is v divided, rounded up.
func (d Divider) Ceil(v int) uint64 {
	q, _ := d.Split(uint64(v) + d.N - 1)
	return q
}

// Interleave spreads units of consecutive addresses over slices or channels.
// With a power of two, higher address bits are folded in, so that strides of a
// power of two do not camp on one slice.
type Interleave struct {
	UnitShift uint
	Units     Divider
	Hashed    uint64 // mask of the bits of a slice's number that higher bits are folded into
}

// NewInterleave spreads units of unitBytes, a power of two, over n slices.
func NewInterleave(unitBytes, n int) Interleave {
	return Interleave{Log2(unitBytes), NewDivider(n), uint64(n - 1)}
}

// Split returns the slice of an address, and the number of its unit within the slice.
func (i *Interleave) Split(addr uint64) (quotient, slice uint64) {
	q, r := i.Units.Split(addr >> (i.UnitShift & ShiftMask))
	if i.Units.Pow2 {
		r = i.Fold(q, r)
	}
	return q, r
}

// Fold adds higher bits to those that choose among a power of two; twice, it undoes itself.
func (i *Interleave) Fold(quotient, rest uint64) uint64 {
	return (rest ^ (quotient^quotient>>(i.Units.Shift&ShiftMask))&i.Hashed) & (i.Units.N - 1)
}

// Join is the inverse of split, giving the address of the unit.
func (i *Interleave) Join(quotient, slice uint64) uint64 {
	if i.Units.Pow2 {
		slice = i.Fold(quotient, slice)
	}
	return (quotient*i.Units.N + slice) << i.UnitShift
}

// PerByte is the fixed-point time of one byte.
func PerByte(bytesPerCycle float64) uint64 {
	return uint64((1<<Shift)/bytesPerCycle + 0.5)
}

// Rescale converts a time from cycles of one clock into those of another, to the nearest: both frequencies are in the same unit.
func Rescale(time, to, from uint64) uint64 { return (time*to + from/2) / from }

// Ceil is the first cycle that begins at a fixed-point time or later.
func Ceil(fixed uint64) uint64 { return (fixed + 1<<Shift - 1) >> Shift }

func PowerOfTwo(n int) bool { return n > 0 && n&(n-1) == 0 }

// Log2 returns the logarithm of a power of two.
func Log2(n int) uint { return uint(bits.TrailingZeros(uint(n))) }

// CeilDiv returns a / b, rounded up.
func CeilDiv(a, b int) int { return (a + b - 1) / b }
