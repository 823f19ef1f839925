package expression

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseInteger(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "-0": "0", "010": "10", "+7": "7", "1_000": "1000", "0x3e8": "1000", "-0x10": "-16", "0b101": "5", "0o17": "15", "0XFF": "255",
		"1e3": "1000", "1E+3": "1000", "1.5e1": "15", "1000.0": "1000", "2.": "2", "120e-1": "12", "0e999999999999999999999": "0", "0.0": "0", "000.000e-5": "0",
		"9007199254740993.0": "9007199254740993", "18446744073709551615": "18446744073709551615", "1844674407370955161.5e1": "18446744073709551615", "-9223372036854775808": "-9223372036854775808",
	} {
		if got, err := ParseInteger(text); err != nil || got.String() != want {
			t.Errorf("%s: %v (%v), want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]error{
		"": ErrInteger, "-": ErrInteger, "--1": ErrInteger, "+-1": ErrInteger, "0.5": ErrInteger, "1e-1": ErrInteger, "1e": ErrInteger, "e3": ErrInteger, ".": ErrInteger, "1.2.3": ErrInteger,
		"0x": ErrInteger, "0x1p3": ErrInteger, "inf": ErrInteger, "nan": ErrInteger, ".inf": ErrInteger, "1 000": ErrInteger, "4k": ErrInteger, "0.99999999999999999999": ErrInteger, "1e-999999999999999999999": ErrInteger,
		"18446744073709551616": ErrOverflow, "1e20": ErrOverflow, "1e999999999999999999999": ErrOverflow, "-9223372036854775809": ErrOverflow, "0x10000000000000000": ErrOverflow,
	} {
		if got, err := ParseInteger(text); !errors.Is(err, want) {
			t.Errorf("%q: %v (%v), want %v", text, got, err, want)
		}
	}
}

// An exact rational decides what each decimal text is.
func TestParseIntegerAgainstRationals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`-?[0-9]{0,22}(\.[0-9]{0,22})?(e-?[0-9]{1,2})?`).Draw(t, "text")
		number := text
		if strings.HasPrefix(strings.TrimPrefix(text, "-"), "e") {
			number = "x" // math/big takes no such text either
		}
		r, ok := new(big.Rat).SetString(number)
		ok = ok && r.IsInt() && (r.Num().IsInt64() || r.Num().IsUint64())
		got, err := ParseInteger(text)
		if (err == nil) != ok || ok && got.String() != r.Num().String() {
			t.Fatalf("%q: %v (%v), want %v", text, got, err, r)
		}
	})
}

func TestIntegerOf(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
		err   error
	}{
		{int64(-3), "-3", nil}, {uint64(1 << 63), "9223372036854775808", nil}, {1e3, "1000", nil}, {-9223372036854775808.0, "-9223372036854775808", nil},
		{0.5, "", ErrInteger}, {math.NaN(), "", ErrInteger}, {math.Inf(1), "", ErrOverflow}, {math.Inf(-1), "", ErrOverflow}, {18446744073709551616.0, "", ErrOverflow}, {"1", "", ErrInteger},
	} {
		if got, err := IntegerOf(c.value); !errors.Is(err, c.err) || err == nil && got.String() != c.want {
			t.Errorf("%v: %v (%v), want %s (%v)", c.value, got, err, c.want, c.err)
		}
	}
}

func TestIntegerIn(t *testing.T) {
	for _, c := range []struct {
		i    Integer
		low  int64
		high uint64
		want bool
	}{
		{Signed(-1), 0, 10, false}, {Signed(-1), -1, 0, true}, {Signed(-2), -1, 0, false}, {Unsigned(math.MaxUint64), 0, math.MaxUint64, true}, {Unsigned(11), 0, 10, false},
		{Unsigned(4), 5, 10, false}, {Unsigned(5), 5, 10, true}, {Unsigned(1 << 63), math.MinInt64, math.MaxInt64, false},
	} {
		if got := c.i.In(c.low, c.high); got != c.want {
			t.Errorf("%v in %d to %d: %v", c.i, c.low, c.high, got)
		}
	}
}
