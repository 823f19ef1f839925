package asm

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"spvsim/spirv"
)

// floatFormat is the layout of a floating-point number: a sign, then bits of
// exponent, then bits of fraction.
type floatFormat struct{ exponent, fraction uint }

var (
	half   = floatFormat{5, 10}
	single = floatFormat{8, 23}
	double = floatFormat{11, 52}
)

var encodings = map[spirv.FPEncoding]floatFormat{
	spirv.FPEncodingBFloat16KHR:   {8, 7},
	spirv.FPEncodingFloat8E4M3EXT: {4, 3},
	spirv.FPEncodingFloat8E5M2EXT: {5, 2},
	spirv.FPEncodingFloat6E2M3EXT: {2, 3},
	spirv.FPEncodingFloat6E3M2EXT: {3, 2},
	spirv.FPEncodingFloat4E2M1EXT: {2, 1},
}

// formatOf returns the layout of a float type, if it is known.
func formatOf(n spirv.Number) (floatFormat, bool) {
	if n.Encoded {
		f, ok := encodings[n.Encoding]
		return f, ok && f.width() == n.Width
	}
	for _, f := range []floatFormat{half, single, double} {
		if f.width() == n.Width {
			return f, true
		}
	}
	return floatFormat{}, false
}

func (f floatFormat) width() int         { return int(1 + f.exponent + f.fraction) }
func (f floatFormat) bias() int64        { return 1<<(f.exponent-1) - 1 }
func (f floatFormat) topExponent() int64 { return f.bias() + 1 }

// appendHex writes a number as the SPIR-V tools do: a leading 1 always, even
// for subnormal numbers, and infinities and NaNs with the exponent that their
// bits would mean.
func (f floatFormat) appendHex(dst []byte, v uint64) []byte {
	if v>>(f.exponent+f.fraction)&1 != 0 {
		dst = append(dst, '-')
	}
	fraction := v & (1<<f.fraction - 1)
	exponent := int64(v>>f.fraction&(1<<f.exponent-1)) - f.bias()
	if exponent == -f.bias() && fraction == 0 {
		return append(dst, "0x0p+0"...)
	}
	if exponent == -f.bias() {
		shift := uint(int(f.fraction) + 1 - bits.Len64(fraction))
		fraction = fraction << shift & (1<<f.fraction - 1)
		exponent -= int64(shift) - 1
	}
	dst = append(dst, "0x1"...)
	nibbles := (f.fraction + 3) / 4
	fraction <<= nibbles*4 - f.fraction
	if text := strings.TrimRight(fmt.Sprintf("%0*x", nibbles, fraction), "0"); text != "" {
		dst = append(append(dst, '.'), text...)
	}
	return fmt.Appendf(dst, "p%+d", exponent)
}

var errFloat = errors.New("no floating-point number")

// parseHex reads a hexadecimal float. Bits of the fraction that don't fit are dropped; an exponent that is too large
// gives infinity.
func (f floatFormat) parseHex(s string) (uint64, error) {
	sign := uint64(0)
	if s[0] == '-' || s[0] == '+' {
		if s[0] == '-' {
			sign = 1 << (f.exponent + f.fraction)
		}
		s = s[1:]
	}
	mantissa, exp, hasExp := strings.Cut(strings.ToLower(s[2:]), "p")
	m, e, err := parseMantissa(mantissa)
	if err != nil {
		return 0, err
	}
	if !hasExp {
		return 0, errors.New("a hexadecimal float wants an exponent, as 0x1.8p+3")
	}
	p, err := strconv.ParseInt(exp, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, errFloat
	}
	const far = 1 << 40 // beyond any exponent, and far from overflow
	return sign | f.pack(m, e+min(max(p, -far), far)), nil
}

// parseMantissa returns m and e such that the digits mean m * 2^e, with m cut
// to its 60 or more leading bits.
func parseMantissa(s string) (m uint64, e int64, err error) {
	digits, point := 0, false
	for _, c := range []byte(s) {
		if c == '.' && !point {
			point = true
			continue
		}
		d := strings.IndexByte("0123456789abcdef", c)
		if d < 0 {
			return 0, 0, errFloat
		}
		digits++
		kept := m>>60 == 0
		if kept {
			m = m<<4 | uint64(d)
		}
		if kept && point {
			e -= 4
		} else if !kept && !point {
			e += 4
		}
	}
	if digits == 0 {
		return 0, 0, errFloat
	}
	return m, e, nil
}

// pack encodes m * 2^e, truncating.
func (f floatFormat) pack(m uint64, e int64) uint64 {
	if m == 0 {
		return 0
	}
	lead := bits.LeadingZeros64(m)
	m <<= lead // the leading 1 is bit 63
	e += 63 - int64(lead)
	switch {
	case e > f.topExponent():
		return (1<<f.exponent - 1) << f.fraction
	case e > -f.bias():
		return uint64(e+f.bias())<<f.fraction | m<<1>>(64-f.fraction)
	}
	// Subnormal: the leading 1 moves down into the fraction.
	shift := 64 - int64(f.fraction) + (-f.bias() - e)
	if shift > 63 {
		return 0
	}
	return m >> uint(shift)
}

// parseFloat reads a decimal or hexadecimal literal of a float type.
func parseFloat(s string, n spirv.Number) (uint64, error) {
	f, ok := formatOf(n)
	if !ok {
		return 0, fmt.Errorf("literals of %d-bit floats are not known: write !words", n.Width)
	}
	if digits := strings.TrimLeft(s, "+-"); len(s)-len(digits) <= 1 && len(digits) > 2 && strings.EqualFold(digits[:2], "0x") {
		return f.parseHex(s)
	}
	if strings.Trim(s, "+-.0123456789eE") != "" {
		return 0, errFloat
	}
	return f.parseDecimal(s)
}

func (f floatFormat) parseDecimal(s string) (uint64, error) {
	width := 64
	if f != double {
		width = 32
	}
	v, err := strconv.ParseFloat(s, width)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("a number too large for %d bits", f.width())
	}
	if err != nil {
		return 0, errFloat
	}
	switch f {
	case double:
		return math.Float64bits(v), nil
	case single:
		return uint64(math.Float32bits(float32(v))), nil
	}
	return f.narrow(v)
}

// narrow cuts a float64 down to a narrow format, toward zero as the SPIR-V
// tools do.
func (f floatFormat) narrow(v float64) (uint64, error) {
	b := math.Float64bits(v)
	m, e := b&(1<<52-1)|1<<52, int64(b>>52&0x7FF)-1023-52
	if v == 0 {
		m = 0
	}
	packed := f.pack(m, e)
	if packed>>f.fraction == 1<<f.exponent-1 {
		return 0, fmt.Errorf("a number too large for %d bits", f.width())
	}
	return b>>63<<(f.exponent+f.fraction) | packed, nil
}

// parseInt reads a decimal, octal or hexadecimal literal of an integer type and extends its sign to whole words. A
// hexadecimal literal of a signed type may give the bits of a negative number.
func parseInt(s string, n spirv.Number) (uint64, error) {
	if n.Width < 1 || n.Width > 64 {
		return 0, fmt.Errorf("literals of %d-bit integers are not known: write !words", n.Width)
	}
	digits := strings.TrimPrefix(s, "-")
	hex := strings.HasPrefix(digits, "0x") || strings.HasPrefix(digits, "0X")
	if !hex && strings.Trim(digits, "0123456789") != "" {
		return 0, errors.New("no integer")
	}
	v, err := strconv.ParseUint(digits, 0, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, errors.New("no integer")
	}
	if digits != s {
		return negative(v, n, err)
	}
	limit := uint64(math.MaxUint64) >> (64 - n.Width)
	if n.Signed && !hex {
		limit >>= 1
	}
	if err != nil || v > limit {
		return 0, rangeError(n)
	}
	if n.Signed {
		v = uint64(int64(v<<(64-n.Width)) >> (64 - n.Width))
	}
	return v, nil
}

func negative(v uint64, n spirv.Number, err error) (uint64, error) {
	if !n.Signed && v != 0 {
		return 0, errors.New("a negative number for an unsigned literal")
	}
	if err != nil || v > 1<<(n.Width-1) {
		return 0, rangeError(n)
	}
	return -v, nil
}

func rangeError(n spirv.Number) error {
	return fmt.Errorf("a number out of range for %d bits", n.Width)
}

// parseNumber reads a literal of a numeric type as words, low word first.
func parseNumber(dst []uint32, s string, n spirv.Number) ([]uint32, error) {
	parse := parseInt
	if n.Float {
		parse = parseFloat
	}
	v, err := parse(s, n)
	if err != nil {
		return nil, err
	}
	dst = append(dst, uint32(v))
	if n.Width > 32 {
		dst = append(dst, uint32(v>>32))
	}
	return dst, nil
}

// appendNumber writes a literal; ok is false, and out of no use, when text
// can't represent the words, for want of a known type or for bits outside it.
func appendNumber(dst []byte, words []uint32, n spirv.Number) (out []byte, ok bool) {
	v := uint64(words[0])
	if len(words) == 2 {
		v |= uint64(words[1]) << 32
	}
	if n.Width < 1 || n.Width > 64 || len(words) != n.Words() {
		return dst, false
	}
	if n.Float {
		return appendFloat(dst, v, n)
	}
	if !n.Signed {
		return strconv.AppendUint(dst, v, 10), v>>n.Width == 0
	}
	signed := int64(v<<(64-n.Width)) >> (64 - n.Width)
	unused := 64 - 32*len(words)
	return strconv.AppendInt(dst, signed, 10), uint64(signed)<<unused>>unused == v
}

// appendFloat writes a float as the SPIR-V tools do: decimal for zero and
// normal numbers of 32 and 64 bits, hexadecimal for the rest.
func appendFloat(dst []byte, v uint64, n spirv.Number) ([]byte, bool) {
	f, ok := formatOf(n)
	if !ok || v>>1>>(n.Width-1) != 0 {
		return dst, false
	}
	exponent := v >> f.fraction & (1<<f.exponent - 1)
	zero := v<<(64-n.Width)<<1 == 0
	if !zero && (exponent == 0 || exponent == 1<<f.exponent-1) {
		return f.appendHex(dst, v), true
	}
	// 9 and 17 digits tell all floats of these widths apart.
	switch f {
	case single:
		return strconv.AppendFloat(dst, float64(math.Float32frombits(uint32(v))), 'g', 9, 32), true
	case double:
		return strconv.AppendFloat(dst, math.Float64frombits(v), 'g', 17, 64), true
	}
	return f.appendHex(dst, v), true
}
