package isa

import (
	"math"
	"math/bits"
)

// The meaning of integer operations: functions of canonical operands and the
// width w in bits (8 to 64; the logical ones also 1, for Bool). The caller
// truncates the result to the width.

// signed returns a sign-extended from w bits.
func signed(a uint64, w uint) int64 { return int64(a<<(64-w)) >> (64 - w) }

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func iadd(a, b uint64, _ uint) uint64 { return a + b }
func isub(a, b uint64, _ uint) uint64 { return a - b }
func imul(a, b uint64, _ uint) uint64 { return a * b }
func ineg(a uint64, _ uint) uint64    { return -a }

func umulhi(a, b uint64, w uint) uint64 {
	hi, lo := bits.Mul64(a, b)
	if w == 64 {
		return hi
	}
	return lo >> w
}

func smulhi(a, b uint64, w uint) uint64 {
	if w < 64 {
		return uint64(signed(a, w)*signed(b, w)) >> w
	}
	hi, _ := bits.Mul64(a, b)
	return hi - b*(a>>63) - a*(b>>63)
}

func udiv(a, b uint64, _ uint) uint64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func umod(a, b uint64, _ uint) uint64 {
	if b == 0 {
		return 0
	}
	return a % b
}

func sdiv(a, b uint64, w uint) uint64 {
	if b == 0 {
		return 0
	}
	return uint64(signed(a, w) / signed(b, w))
}

func srem(a, b uint64, w uint) uint64 {
	if b == 0 {
		return 0
	}
	return uint64(signed(a, w) % signed(b, w))
}

func smod(a, b uint64, w uint) uint64 {
	r := srem(a, b, w)
	if r != 0 && (int64(r) < 0) != (signed(b, w) < 0) {
		r += uint64(signed(b, w))
	}
	return r
}

// divSelect is choose, but returns 0 for a divisor of zero.
func divSelect(a, b, c, divisor uint64) uint64 {
	if divisor == 0 {
		return 0
	}
	return choose(a, b, c)
}

func uaddcarry(a, b uint64, w uint) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if w == 64 {
		return carry
	}
	return sum >> w
}

func usubborrow(a, b uint64, _ uint) uint64 { return truth(a < b) }

func umin(a, b uint64, _ uint) uint64 { return min(a, b) }
func umax(a, b uint64, _ uint) uint64 { return max(a, b) }
func smin(a, b uint64, w uint) uint64 { return uint64(min(signed(a, w), signed(b, w))) }
func smax(a, b uint64, w uint) uint64 { return uint64(max(signed(a, w), signed(b, w))) }

// An extreme is one of umin, umax, smin and smax.
type extreme = func(a, b uint64, w uint) uint64

func three(inner, outer extreme) func(a, b, c uint64, w uint) uint64 {
	return func(a, b, c uint64, w uint) uint64 { return outer(inner(a, b, w), c, w) }
}

// middle returns the median of three.
func middle(low, high extreme) func(a, b, c uint64, w uint) uint64 {
	return func(a, b, c uint64, w uint) uint64 { return high(low(a, b, w), low(high(a, b, w), c, w), w) }
}

func sabs(a uint64, w uint) uint64 {
	if s := signed(a, w); s < 0 {
		return uint64(-s)
	}
	return a
}

func ssign(a uint64, w uint) uint64 {
	s := signed(a, w)
	return uint64(s>>63) | truth(s > 0)
}

func umul24(a, b uint64, w uint) uint64 { return (a & 0xffffff) * (b & 0xffffff) }

func imad(a, b, c uint64, _ uint) uint64    { return a*b + c }
func lshladd(a, b, c uint64, w uint) uint64 { return shl(a, b, w) + c }
func iadd3(a, b, c uint64, _ uint) uint64   { return a + b + c }
func lshlor(a, b, c uint64, w uint) uint64  { return shl(a, b, w) | c }
func addlshl(a, b, c uint64, w uint) uint64 { return shl(a+b, c, w) }
func andor(a, b, c uint64, _ uint) uint64   { return a&b | c }
func or3(a, b, c uint64, _ uint) uint64     { return a | b | c }

// An intDot is a dot product of the parts of two words, each of the given width.
type intDot struct {
	bits             uint
	signedA, signedB bool
}

// sum returns the exact sum of c and the products: it takes 34 bits at the most.
func (p intDot) sum(a, b, c uint64) int64 {
	sum := lowBits(c, 32, p.signedA)
	for at := uint(0); at < 32; at += p.bits {
		sum += lowBits(a>>at, p.bits, p.signedA) * lowBits(b>>at, p.bits, p.signedB)
	}
	return sum
}

// lowBits returns the low w bits of x as a number.
func lowBits(x uint64, w uint, sign bool) int64 {
	if sign {
		return signed(x, w)
	}
	return int64(x & (1<<w - 1))
}

func (p intDot) wrapped(_, _ Type, _, a, b, c, _ uint64) uint64 {
	return uint64(p.sum(a, b, c)) & math.MaxUint32
}

func (p intDot) saturated(_, _ Type, _, a, b, c, _ uint64) uint64 {
	low, high := int64(0), int64(math.MaxUint32)
	if p.signedA {
		low, high = math.MinInt32, math.MaxInt32
	}
	return uint64(min(max(p.sum(a, b, c), low), high)) & math.MaxUint32
}

// The dot products of bytes for the loops over lanes.

func sdot4(x, y uint32) uint32 {
	return uint32(int32(int8(x))*int32(int8(y)) + int32(int8(x>>8))*int32(int8(y>>8)) +
		int32(int8(x>>16))*int32(int8(y>>16)) + (int32(x)>>24)*(int32(y)>>24))
}

func udot4(x, y uint32) uint32 {
	return x&0xff*(y&0xff) + x>>8&0xff*(y>>8&0xff) + x>>16&0xff*(y>>16&0xff) + x>>24*(y>>24)
}

func sudot4(x, y uint32) uint32 {
	return uint32(int32(int8(x))*int32(y&0xff) + int32(int8(x>>8))*int32(y>>8&0xff) +
		int32(int8(x>>16))*int32(y>>16&0xff) + (int32(x)>>24)*int32(y>>24))
}

func and(a, b uint64, _ uint) uint64 { return a & b }
func or(a, b uint64, _ uint) uint64  { return a | b }
func xor(a, b uint64, _ uint) uint64 { return a ^ b }
func not(a uint64, _ uint) uint64    { return ^a }

func shl(a, b uint64, w uint) uint64 { return a << (b & uint64(w-1)) }
func shr(a, b uint64, w uint) uint64 { return a >> (b & uint64(w-1)) }
func sar(a, b uint64, w uint) uint64 { return uint64(signed(a, w) >> (b & uint64(w-1))) }

func bitcount(a uint64, _ uint) uint64   { return uint64(bits.OnesCount64(a)) }
func bitreverse(a uint64, w uint) uint64 { return bits.Reverse64(a) >> (64 - w) }

// field returns the mask of count bits from offset on, cut at the width, and the
// offset and count that remain.
func field(offset, count uint64, w uint) (mask, off, n uint64) {
	off = min(offset, uint64(w))
	n = min(count, uint64(w)-off)
	return (uint64(1)<<n - 1) << off, off, n
}

func bitinsert(base, insert, offset, count uint64, w uint) uint64 {
	mask, off, _ := field(offset, count, w)
	return base&^mask | insert<<off&mask
}

func bituextract(base, offset, count uint64, w uint) uint64 {
	mask, off, _ := field(offset, count, w)
	return (base & mask) >> off
}

func bitsextract(base, offset, count uint64, w uint) uint64 {
	mask, off, n := field(offset, count, w)
	if n == 0 {
		return 0
	}
	return uint64(signed((base&mask)>>off, uint(n)))
}

func findilsb(a uint64, _ uint) uint64 {
	if a == 0 {
		return ^uint64(0)
	}
	return uint64(bits.TrailingZeros64(a))
}

func findumsb(a uint64, _ uint) uint64 { return uint64(bits.Len64(a)) - 1 }

func findsmsb(a uint64, w uint) uint64 {
	s := signed(a, w)
	return uint64(bits.Len64(uint64(s^s>>63))) - 1
}

func ieq(a, b uint64, _ uint) bool { return a == b }
func ine(a, b uint64, _ uint) bool { return a != b }
func ult(a, b uint64, _ uint) bool { return a < b }
func ule(a, b uint64, _ uint) bool { return a <= b }
func slt(a, b uint64, w uint) bool { return signed(a, w) < signed(b, w) }
func sle(a, b uint64, w uint) bool { return signed(a, w) <= signed(b, w) }
