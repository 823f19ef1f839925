package opt

import (
	"math/big"
	"math/bits"

	"spvsim/isa"
	"spvsim/program/ir"
)

// Division by constants, as drivers' compilers do it: shifts and masks for powers of two, otherwise the high half of a
// multiplication (Warren, Hacker's Delight, chapter 10).
var divisionRules = map[isa.Op]rule{
	isa.UDiv: shiftedDivisor(constantDivisor(foldUDiv)), isa.UMod: shiftedDivisor(constantDivisor(foldUMod)),
	isa.SDiv: constantDivisor(foldSDiv), isa.SRem: constantDivisor(foldSRem), isa.SMod: constantDivisor(foldSMod),
}

// constantDivisor applies a rule if the divisor is a constant. A division by zero gives zero.
func constantDivisor(r func(s *folder, t isa.Type, x *ir.Value, d uint64) *ir.Value) rule {
	return func(s *folder, v *ir.Value) *ir.Value {
		d := v.Args[1]
		if d.Op != isa.Const {
			return nil
		}
		if d.Imm == 0 {
			return s.constant(v.T, 0)
		}
		return r(s, v.T, v.Args[0], d.Imm)
	}
}

// shiftedDivisor divides by 1 << k by shifting k back, or keeps the k lowest bits; shifts count modulo the width, so that the divisor
// is never zero.
func shiftedDivisor(r rule) rule {
	return func(s *folder, v *ir.Value) *ir.Value {
		x, d := v.Args[0], v.Args[1]
		if d.Op != isa.Shl || d.T != v.T || !isConst(d.Args[0], 1) {
			return r(s, v)
		}
		if v.Op == isa.UDiv {
			return s.emit(isa.Shr, v.T, x, d.Args[1])
		}
		return s.emit(isa.And, v.T, x, s.emit(isa.ISub, v.T, d, s.constant(v.T, 1)))
	}
}

func powerOfTwo(d uint64) bool { return d&(d-1) == 0 }

func (s *folder) shift(op isa.Op, t isa.Type, x *ir.Value, n int) *ir.Value {
	return s.emit(op, t, x, s.constant(t, uint64(n)))
}

func foldUDiv(s *folder, t isa.Type, x *ir.Value, d uint64) *ir.Value {
	if powerOfTwo(d) {
		return s.shift(isa.Shr, t, x, bits.TrailingZeros64(d))
	}
	if t.Bits() < 32 {
		return s.inWord(isa.UConvert, foldUDiv, t, x, d)
	}
	width := int(t.Bits())
	k := bits.Len64(d - 1) // 2^k > d
	if small, ok := shortMultiplier(width, d, k); ok {
		hi := s.emit(isa.UMulHi, t, x, s.constant(t, small.m))
		return s.shift(isa.Shr, t, hi, small.shift)
	}
	// The multiplier m = ceil(2^(width+k)/d) has one bit more than the width: the
	// multiplication takes the others, and x itself is added for that one, halved
	// against overflow.
	m, _ := ceilPower(width+k, d)
	hi := s.emit(isa.UMulHi, t, x, s.constant(t, low64(m)))
	half := s.shift(isa.Shr, t, s.emit(isa.ISub, t, x, hi), 1)
	return s.shift(isa.Shr, t, s.emit(isa.IAdd, t, half, hi), k-1)
}

// inWord divides an integer of 8 or 16 bits in 32.
func (s *folder) inWord(widen isa.Op, divide func(*folder, isa.Type, *ir.Value, uint64) *ir.Value, t isa.Type, x *ir.Value, d uint64) *ir.Value {
	if widen == isa.SConvert {
		d = uint64(signed(t, d)) & isa.I32.Mask()
	}
	q := divide(s, isa.I32, s.resized(widen, isa.I32, x), d)
	return s.resized(isa.UConvert, t, q)
}

func (s *folder) resized(op isa.Op, t isa.Type, x *ir.Value) *ir.Value {
	v := s.f.NewValue(op, t, t, x)
	v.From, v.Block, v.Origin = x.R, s.current.Block, s.current.Origin
	w := s.simplify(v)
	if w == v {
		s.out = append(s.out, v)
	}
	return w
}

type multiplier struct {
	m     uint64
	shift int
}

// shortMultiplier finds a multiplier that the width holds, which most divisors
// have: the error m*d - 2^(width+k) must not exceed 2^k.
func shortMultiplier(width int, d uint64, most int) (multiplier, bool) {
	for k := range most {
		m, err := ceilPower(width+k, d)
		if m.BitLen() <= width && err.Cmp(power(k)) <= 0 {
			return multiplier{low64(m), k}, true
		}
	}
	return multiplier{}, false
}

func power(k int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(k)) }

func low64(m *big.Int) uint64 {
	return new(big.Int).And(m, new(big.Int).SetUint64(^uint64(0))).Uint64()
}

// ceilPower returns m = 2^k/d rounded up, and m*d - 2^k.
func ceilPower(k int, d uint64) (m, excess *big.Int) {
	by := new(big.Int).SetUint64(d)
	m = new(big.Int).Add(power(k), new(big.Int).SetUint64(d-1))
	m.Div(m, by)
	return m, new(big.Int).Sub(new(big.Int).Mul(m, by), power(k))
}

func foldUMod(s *folder, t isa.Type, x *ir.Value, d uint64) *ir.Value {
	if powerOfTwo(d) {
		return s.emit(isa.And, t, x, s.constant(t, d-1))
	}
	return s.remainder(t, x, d, foldUDiv)
}

// remainder returns x - x/d*d.
func (s *folder) remainder(t isa.Type, x *ir.Value, d uint64, divide func(*folder, isa.Type, *ir.Value, uint64) *ir.Value) *ir.Value {
	q := divide(s, t, x, d)
	if q == nil {
		return nil
	}
	return s.emit(isa.ISub, t, x, s.emit(isa.IMul, t, q, s.constant(t, d)))
}

// signed returns the constant d of type t as a signed number.
func signed(t isa.Type, d uint64) int64 {
	n := 64 - t.Bits()
	return int64(d<<n) >> n
}

func foldSDiv(s *folder, t isa.Type, x *ir.Value, d uint64) *ir.Value {
	n := signed(t, d)
	switch {
	case n == 1:
		return x
	case n == -1:
		return s.emit(isa.INeg, t, x)
	case n < 0:
		return s.negativeDivisor(t, x, -n)
	case powerOfTwo(uint64(n)):
		return s.signedShift(t, x, bits.TrailingZeros64(d))
	case t.Bits() < 32:
		return s.inWord(isa.SConvert, foldSDiv, t, x, d)
	}
	return s.signedMultiply(t, x, n)
}

// negativeDivisor divides by -n. The most negative number of a type has no
// counterpart: only itself contains it.
func (s *folder) negativeDivisor(t isa.Type, x *ir.Value, n int64) *ir.Value {
	if signed(t, uint64(n)) < 0 {
		return s.emit(isa.Select, t, s.emit(isa.IEq, t, x, s.constant(t, uint64(n))), s.constant(t, 1), s.constant(t, 0))
	}
	if q := foldSDiv(s, t, x, uint64(n)); q != nil {
		return s.emit(isa.INeg, t, q)
	}
	return nil
}

// signedShift divides by 2^k towards zero: 2^k-1 is added to negative values.
func (s *folder) signedShift(t isa.Type, x *ir.Value, k int) *ir.Value {
	width := int(t.Bits())
	sign := s.shift(isa.Sar, t, x, width-1)
	bias := s.shift(isa.Shr, t, sign, width-k)
	return s.shift(isa.Sar, t, s.emit(isa.IAdd, t, x, bias), k)
}

// signedMultiply divides by n, not a power of two, by multiplication: the high
// half, shifted, and one more for negative values.
func (s *folder) signedMultiply(t isa.Type, x *ir.Value, n int64) *ir.Value {
	width := int(t.Bits())
	m, k := signedMultiplier(width, uint64(n))
	hi := s.emit(isa.SMulHi, t, x, s.constant(t, m))
	if signed(t, m) < 0 {
		hi = s.emit(isa.IAdd, t, hi, x)
	}
	q := s.shift(isa.Sar, t, hi, k)
	return s.emit(isa.IAdd, t, q, s.shift(isa.Shr, t, x, width-1))
}

// signedMultiplier returns the multiplier and shift for a divisor n > 2: the smallest k for which ceil(2^(width+k)/n)
// is precise enough for all values.
func signedMultiplier(width int, n uint64) (m uint64, k int) {
	for k = 0; ; k++ {
		m, excess := ceilPower(width+k, n)
		if excess.Cmp(power(k+1)) <= 0 && m.BitLen() <= width {
			return low64(m), k
		}
	}
}

func foldSRem(s *folder, t isa.Type, x *ir.Value, d uint64) *ir.Value {
	if n := signed(t, d); n == 1 || n == -1 {
		return s.constant(t, 0)
	}
	return s.remainder(t, x, d, foldSDiv)
}

// foldSMod folds a remainder that has the divisor's sign. For a power of two it is a mask.
func foldSMod(s *folder, t isa.Type, x *ir.Value, d uint64) *ir.Value {
	if n := signed(t, d); n > 0 && powerOfTwo(uint64(n)) {
		return s.emit(isa.And, t, x, s.constant(t, d-1))
	}
	r := foldSRem(s, t, x, d)
	if r == nil || isConst(r, 0) {
		return r
	}
	zero := s.constant(t, 0)
	wrong := s.emit(isa.SLt, t, s.emit(isa.Xor, t, r, s.constant(t, d)), zero)
	fix := s.emit(isa.And, isa.Bool, wrong, s.emit(isa.INe, t, r, zero))
	return s.emit(isa.Select, t, fix, s.emit(isa.IAdd, t, r, s.constant(t, d)), r)
}
