package expression

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
)

// number converts a value to the arithmetic's: under Reals to float64, under Integers to int64 where it fits.
func (k Arithmetic) number(v any) any {
	switch v := v.(type) {
	case int64:
		if k == Reals {
			return float64(v)
		}
	case uint64:
		if k == Reals {
			return float64(v)
		}
		if v <= math.MaxInt64 {
			return int64(v)
		}
	}
	return v
}

func asFloat(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case uint64:
		return float64(v)
	case float64:
		return v
	}
	return math.NaN()
}

// asBig returns an integer; nil: the value is a float.
func asBig(v any) *big.Int {
	switch v := v.(type) {
	case int64:
		return big.NewInt(v)
	case uint64:
		return new(big.Int).SetUint64(v)
	}
	return nil
}

// integers returns the values as integers; ok is false if one is a float.
func integers(a []any) (list []*big.Int, ok bool) {
	for _, v := range a {
		i := asBig(v)
		if i == nil {
			return nil, false
		}
		list = append(list, i)
	}
	return list, true
}

// fit returns an integer result as int64 or uint64, or ErrOverflow.
func (k Arithmetic) fit(z *big.Int) (any, error) {
	switch {
	case z.IsInt64():
		return k.number(z.Int64()), nil
	case z.IsUint64():
		return k.number(z.Uint64()), nil
	}
	return nil, fmt.Errorf("%w: the result is outside of %d to %d", ErrOverflow, math.MinInt64, uint64(math.MaxUint64))
}

// operator is a binary operator of two integers or two floats.
type operator struct {
	integers func(x, y *big.Int) (*big.Int, error)
	floats   func(x, y float64) float64
	divides  bool
}

var operators = map[string]operator{
	"+":  {total((*big.Int).Add), func(x, y float64) float64 { return x + y }, false},
	"-":  {total((*big.Int).Sub), func(x, y float64) float64 { return x - y }, false},
	"*":  {total((*big.Int).Mul), func(x, y float64) float64 { return x * y }, false},
	"/":  {nonZero((*big.Int).Quo), func(x, y float64) float64 { return x / y }, true},
	"%":  {nonZero((*big.Int).Rem), math.Mod, true},
	"**": {power, math.Pow, false},
}

func total(f func(z, x, y *big.Int) *big.Int) func(x, y *big.Int) (*big.Int, error) {
	return func(x, y *big.Int) (*big.Int, error) { return f(new(big.Int), x, y), nil }
}

func nonZero(f func(z, x, y *big.Int) *big.Int) func(x, y *big.Int) (*big.Int, error) {
	return func(x, y *big.Int) (*big.Int, error) {
		if y.Sign() == 0 {
			return nil, ErrZero
		}
		return f(new(big.Int), x, y), nil
	}
}

// power is exact. Of exponents above 64 only powers of 0, 1 and -1 fit in 64 bits, and these depend on the exponent's last bit
// alone. So exponents of 128 and more become 64 or 65.
func power(x, y *big.Int) (*big.Int, error) {
	if y.Sign() < 0 {
		return nil, fmt.Errorf("%d to the power of %d is not an integer: write float(%d)", x, y, x)
	}
	if y.BitLen() > 7 {
		y = new(big.Int).Add(big.NewInt(64), big.NewInt(int64(y.Bit(0))))
	}
	return new(big.Int).Exp(x, y, nil), nil
}

func (k Arithmetic) binary(op operator, a []any) (any, error) {
	if list, ok := integers(a); ok {
		z, err := op.integers(list[0], list[1])
		if err != nil {
			return nil, err
		}
		return k.fit(z)
	}
	if k == Integers && op.divides && asFloat(a[1]) == 0 {
		return nil, ErrZero
	}
	return op.floats(asFloat(a[0]), asFloat(a[1])), nil
}

func negate(k Arithmetic, a []any) (any, error) {
	if i := asBig(a[0]); i != nil {
		return k.fit(i.Neg(i))
	}
	return -asFloat(a[0]), nil
}

func (k Arithmetic) magnitude(v any) (any, error) {
	if i := asBig(v); i != nil {
		return k.fit(i.Abs(i))
	}
	return math.Abs(asFloat(v)), nil
}

// extreme returns the least number (sign -1) or the largest (sign 1), as a float if one of them is a float.
func (k Arithmetic) extreme(a []any, sign int, floats func(x, y float64) float64) any {
	if list, ok := integers(a); ok {
		best := 0
		for i := range list {
			if list[i].Cmp(list[best]) == sign {
				best = i
			}
		}
		return a[best]
	}
	best := asFloat(a[0])
	for _, v := range a[1:] {
		best = floats(best, asFloat(v))
	}
	return best
}

func (k Arithmetic) sum(a []any) (out any, err error) {
	out = a[0]
	for _, v := range a[1:] {
		if out, err = k.binary(operators["+"], []any{out, v}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func mean(_ Arithmetic, a []any) (any, error) {
	sum := 0.0
	for _, v := range a {
		sum += asFloat(v)
	}
	return sum / float64(len(a)), nil
}

// quotient returns an integer quotient, rounded by floats or ints.
func (k Arithmetic) quotient(a []any, floats func(float64) float64, ints func(z, x, y *big.Int) *big.Int) (any, error) {
	if list, ok := integers(a); ok {
		z, err := nonZero(ints)(list[0], list[1])
		if err != nil {
			return nil, err
		}
		return k.fit(z)
	}
	if k == Integers && asFloat(a[1]) == 0 {
		return nil, ErrZero
	}
	return k.toInteger(floats(asFloat(a[0]) / asFloat(a[1])))
}

func ceilQuotient(z, x, y *big.Int) *big.Int {
	rest := new(big.Int)
	z.QuoRem(x, y, rest)
	if rest.Sign() != 0 && rest.Sign() == y.Sign() {
		z.Add(z, big.NewInt(1))
	}
	return z
}

// toInteger returns a float without fraction as an integer; under Reals, as it is.
func (k Arithmetic) toInteger(x float64) (any, error) {
	if k == Reals {
		return x, nil
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil, fmt.Errorf("%w: %g is not an integer", ErrOverflow, x)
	}
	z, _ := big.NewFloat(x).Int(nil)
	return k.fit(z)
}

func rounding(f func(float64) float64) eval {
	return func(k Arithmetic, a []any) (any, error) {
		if asBig(a[0]) != nil {
			return a[0], nil
		}
		return k.toInteger(f(asFloat(a[0])))
	}
}

func ofFloat(f func(float64) float64) eval {
	return func(_ Arithmetic, a []any) (any, error) { return f(asFloat(a[0])), nil }
}

// asBits returns an operand of a bit operation: an integer or, under Reals, a float without fraction up to 2^53.
func (k Arithmetic) asBits(v any) (*big.Int, error) {
	if i := asBig(v); i != nil {
		return i, nil
	}
	x := asFloat(v)
	switch {
	case k == Reals && math.IsNaN(x):
		return nil, errMissing
	case k == Integers || x != math.Trunc(x) || math.Abs(x) > 1<<53:
		return nil, fmt.Errorf("%g: bits want an integer", x)
	}
	return big.NewInt(int64(x)), nil
}

func bits(f func(z, x, y *big.Int) *big.Int) eval {
	return func(k Arithmetic, a []any) (any, error) {
		x, err := k.asBits(a[0])
		if err != nil {
			return nil, err
		}
		y, err := k.asBits(a[1])
		if err != nil {
			return nil, err
		}
		return k.fit(f(new(big.Int), x, y))
	}
}

func shift(f func(z, x *big.Int, n uint) *big.Int) eval {
	return func(k Arithmetic, a []any) (any, error) {
		x, err := k.asBits(a[0])
		if err != nil {
			return nil, err
		}
		n, err := k.asBits(a[1])
		if err != nil {
			return nil, err
		}
		if !n.IsInt64() || n.Int64() < 0 || n.Int64() > 63 {
			return nil, fmt.Errorf("shift by %d: want 0 to 63", n)
		}
		return k.fit(f(new(big.Int), x, uint(n.Int64())))
	}
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// isTrue reports whether a number is not 0.
func isTrue(v any) (bool, error) {
	if x := asFloat(v); !math.IsNaN(x) {
		return x != 0, nil
	}
	return false, errMissing
}

// condition converts a number to the bool that the library's branches take.
func condition(_ Arithmetic, a []any) (any, error) { return isTrue(a[0]) }

func logic(f func(a []bool) bool) eval {
	return func(k Arithmetic, a []any) (any, error) {
		list := make([]bool, len(a))
		for i := range a {
			var err error
			if list[i], err = isTrue(a[i]); err != nil {
				return nil, err
			}
		}
		return k.number(truth(f(list))), nil
	}
}

// compare orders two numbers, or two texts.
func compare(a, b any) (int, error) {
	s, text1 := a.(string)
	t, text2 := b.(string)
	switch {
	case text1 && text2:
		return strings.Compare(s, t), nil
	case text1 || text2:
		return 0, errors.New("a number and a text are compared")
	}
	if list, ok := integers([]any{a, b}); ok {
		return list[0].Cmp(list[1]), nil
	}
	x, y := asFloat(a), asFloat(b)
	switch {
	case math.IsNaN(x) || math.IsNaN(y):
		return 0, errMissing
	case x < y:
		return -1, nil
	case x > y:
		return 1, nil
	}
	return 0, nil
}

func ordered(holds func(c int) bool) eval {
	return func(k Arithmetic, a []any) (any, error) {
		c, err := compare(a[0], a[1])
		return k.number(truth(holds(c))), err
	}
}

func equal(holds func(same bool) bool) eval {
	return ordered(func(c int) bool { return holds(c == 0) })
}

func inList(k Arithmetic, a []any) (any, error) {
	found := false
	for _, item := range a[1:] {
		c, err := compare(a[0], item)
		if err != nil {
			return nil, err
		}
		found = found || c == 0
	}
	return k.number(truth(found)), nil
}

func ofTexts(f func(s, part string) bool) eval {
	return func(k Arithmetic, a []any) (any, error) {
		s, ok1 := a[0].(string)
		part, ok2 := a[1].(string)
		if !ok1 || !ok2 {
			return nil, errors.New("a number: want a text")
		}
		return k.number(truth(f(s, part))), nil
	}
}

// forTexts are the functions that accept texts. They check types themselves.
var forTexts = []string{"==", "!=", "in", "contains", "startsWith", "endsWith"}

// guarded adds the checks of all functions to f: only forTexts accept texts; under Reals a NaN argument makes the whole
// expression NaN; under Integers an infinity or NaN from finite numbers is an overflow.
func guarded(name string, k Arithmetic, f eval) func(a ...any) (any, error) {
	texts := slices.Contains(forTexts, name)
	return func(a ...any) (any, error) {
		if !texts && slices.ContainsFunc(a, isText) {
			return nil, errors.New("a text: want a number")
		}
		if k == Reals && slices.ContainsFunc(a, isNaN) {
			return nil, errMissing
		}
		out, err := f(k, a)
		if k == Integers && notFinite(out) && !slices.ContainsFunc(a, notFinite) {
			return nil, fmt.Errorf("%w: the result is %v", ErrOverflow, out)
		}
		return out, err
	}
}

func isText(v any) bool {
	_, ok := v.(string)
	return ok
}

func isNaN(v any) bool {
	x, ok := v.(float64)
	return ok && math.IsNaN(x)
}

func notFinite(v any) bool {
	x, ok := v.(float64)
	return ok && (math.IsNaN(x) || math.IsInf(x, 0))
}
