package expression

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ErrInteger reports a number that is no integer.
var ErrInteger = errors.New("not an integer")

// An Integer is an integer of files and flags, from -2^63 to 2^64-1. Its spelling does not matter: 1e3, 1000.0 and 0x3e8 are 1000.
// Other numbers are errors: nothing is rounded, truncated or wrapped.
type Integer struct {
	bits     uint64 // two's complement
	negative bool
}

func Signed(i int64) Integer { return Integer{uint64(i), i < 0} }

func Unsigned(u uint64) Integer { return Integer{bits: u} }

// Bits returns the integer's 64 bits, in two's complement if it is negative.
func (i Integer) Bits() uint64 { return i.bits }

// Int64 returns the integer; ok is false if it is above the largest int64.
func (i Integer) Int64() (n int64, ok bool) {
	return int64(i.bits), i.negative || i.bits <= math.MaxInt64
}

// In reports low <= i <= high.
func (i Integer) In(low int64, high uint64) bool {
	if i.negative {
		return low < 0 && int64(i.bits) >= low
	}
	return i.bits <= high && (low < 0 || i.bits >= uint64(low))
}

// Float returns the nearest float64.
func (i Integer) Float() float64 {
	if i.negative {
		return float64(int64(i.bits))
	}
	return float64(i.bits)
}

// String returns the integer in decimal.
func (i Integer) String() string {
	if i.negative {
		return strconv.FormatInt(int64(i.bits), 10)
	}
	return strconv.FormatUint(i.bits, 10)
}

// ParseInteger parses an integer: decimal digits, with a point or exponent if the value is still an integer (1.5e3); 0x, 0o and 0b;
// underscores between digits. A leading zero alone does not make it octal, as in YAML 1.2.
func ParseInteger(text string) (Integer, error) {
	digits, negative := strings.CutPrefix(text, "-")
	if !negative {
		digits = strings.TrimPrefix(digits, "+")
	}
	if digits == "" || digits[0] == '+' || digits[0] == '-' {
		return Integer{}, fmt.Errorf("%w: %q", ErrInteger, text)
	}
	base := 0
	if len(digits) < 2 || digits[0] != '0' || !strings.ContainsRune("xXoObB", rune(digits[1])) {
		base = 10
		var err error
		if digits, err = plainDigits(digits); err != nil {
			return Integer{}, fmt.Errorf("%w: %q", err, text)
		}
	}
	u, err := strconv.ParseUint(digits, base, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) || negative && u > 1<<63:
		return Integer{}, fmt.Errorf("%w: %s is outside of %d to %d", ErrOverflow, text, math.MinInt64, uint64(math.MaxUint64))
	case err != nil:
		return Integer{}, fmt.Errorf("%w: %q", ErrInteger, text)
	case negative:
		return Signed(-int64(u)), nil
	}
	return Unsigned(u), nil
}

// maxDigits is the number of decimal digits of 2^64.
const maxDigits = 20

// plainDigits returns a decimal number without point and exponent: 1500 for 1.5e3.
func plainDigits(text string) (string, error) {
	mantissa, exponent, scaled := strings.Cut(strings.ReplaceAll(strings.ToLower(text), "_", ""), "e")
	shift := 0
	if scaled {
		var err error
		shift, err = strconv.Atoi(exponent)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return "", ErrInteger
		}
	}
	whole, part, _ := strings.Cut(mantissa, ".")
	digits := whole + part
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return "", ErrInteger
	}
	short := strings.TrimRight(digits, "0")
	zeros := len(digits) - len(short) - len(part) // the number is short times 10^(zeros+shift)
	switch short = strings.TrimLeft(short, "0"); {
	case short == "":
		return "0", nil
	case shift < -zeros:
		return "", ErrInteger
	case shift > maxDigits-zeros-len(short):
		return "", ErrOverflow
	}
	return short + strings.Repeat("0", zeros+shift), nil
}

// IntegerOf converts a value of an expression to an integer.
func IntegerOf(value any) (Integer, error) {
	switch v := value.(type) {
	case int64:
		return Signed(v), nil
	case uint64:
		return Unsigned(v), nil
	case float64:
		switch {
		case v != math.Trunc(v): // NaN too
			return Integer{}, fmt.Errorf("%w: %g", ErrInteger, v)
		case v < -1<<63 || v >= 1<<64:
			return Integer{}, fmt.Errorf("%w: %g is outside of %d to %d", ErrOverflow, v, math.MinInt64, uint64(math.MaxUint64))
		case v < 0:
			return Signed(int64(v)), nil
		}
		return Unsigned(uint64(v)), nil
	}
	return Integer{}, fmt.Errorf("%w: %v", ErrInteger, value)
}

// ParseWithin parses an integer from low to high.
func ParseWithin(text string, low, high int64) (int64, error) {
	i, err := ParseInteger(text)
	if err != nil || !i.In(low, uint64(high)) {
		return 0, fmt.Errorf("found %q: want an integer of %d to %d", text, low, high)
	}
	n, _ := i.Int64()
	return n, nil
}
