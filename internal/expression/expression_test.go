package expression

import (
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// values are what names represent in these tests.
var values = map[string]any{
	"n": int64(10), "zero": int64(0), "x": 2.5, "big": uint64(1 << 63), "lds.banks": int64(32), "min": int64(3), "odd name": int64(7),
	"missing": math.NaN(), "s": "wave32", "in": int64(1), "env": int64(2), "a.in.b": int64(4),
}

func types(name string) (Type, error) {
	switch values[name].(type) {
	case nil:
		return 0, fmt.Errorf("there is no %s", name)
	case string:
		return Text, nil
	}
	return Number, nil
}

func evaluate(text string, kind Arithmetic) (any, error) {
	p, err := Compile(text, kind, types)
	if err != nil {
		return nil, err
	}
	return p.Run(func(name string) (any, error) { return values[name], nil })
}

func TestIntegers(t *testing.T) {
	tests := map[string]any{
		"1+2*3": int64(7), "(1+2)*3": int64(9), "7/2": int64(3), "-7/2": int64(-3), "-7%3": int64(-1), "n/4.0": 2.5, "n*x": 25.0, "1e3": 1000.0, "1e-3": 0.001,
		"0x1e-3": int64(27), "010": int64(10), "1_000": int64(1000), "0b101 + 0o17": int64(20), "n>=10": int64(1), "n<10": int64(0), "true + true": int64(2), "- -3": int64(3),
		"1 - 2 - 3": int64(-4), "2 ** 3 ** 2": int64(512), "-2 ** 2": int64(-4), "2 ** 62": int64(1 << 62), "2 ** 63": uint64(1 << 63), "(-1) ** 1001": int64(-1), "0 ** 1000": int64(0),
		"9007199254740993 + 0": int64(9007199254740993), "9007199254740993 * 3 == 27021597764222979": int64(1), "18446744073709551615 - 1": uint64(math.MaxUint64 - 1),
		"-9223372036854775808 + 0": int64(math.MinInt64), "0xffffffffffffffff - 18446744073709551615": int64(0), "big / 2": int64(1 << 62), "big > 9223372036854775807": int64(1),
		"bitxor(0x9e3779b97f4a7c15, 0xffffffffffffffff)": int64(^uint64(0x9e3779b97f4a7c15)), "bitor(bitand(5, 3), 8)": int64(9), "bitnot(0)": int64(-1), "bitshl(1, n - 2)": int64(256),
		"bitshl(1, 63)": uint64(1 << 63), "bitshr(-8, 1)": int64(-4), "1<<4>>2": int64(4), "1 << n-2": int64(256), "1 << 2 * 3 == 64": int64(1), "-1 >> 1 << 2": int64(-4), "1<<n": int64(1024), "div(-7, 2)": int64(-3), "div(7.5, 2)": int64(3), "ceildiv(7, 2)": int64(4), "ceildiv(-7, 2)": int64(-3),
		"ceildiv(8, 2)": int64(4), "ceildiv(-7, -2)": int64(4), "min(3, 1, 2)": int64(1), "max(1, 2.5)": 2.5, "sum(1, 2, 3)": int64(6), "mean(1, 2)": 1.5, "abs(-3)": int64(3), "abs(-2.5)": 2.5,
		"floor(-2.5)": int64(-3), "ceil(2.1)": int64(3), "round(2.5)": int64(3), "int(-2.9)": int64(-2), "int(9007199254740993)": int64(9007199254740993), "int(log2(1024))": int64(10),
		"float(7) / 2": 3.5, "sqrt(16)": 4.0, "pow(3, 4)": int64(81), "pow(2, 0.5) > 1.41": int64(1), "exp(0) + log(1) + log10(100)": 3.0, "ceil(1e19)": uint64(1e19),
		"n == 10 ? 1 : 1 / zero": int64(1), "if(zero, 1 / zero, 2)": int64(2), "zero != 0 && 1 / zero > 0": int64(0), "n > 1 || 1 / zero": int64(1), "n && x": int64(1), "zero || zero": int64(0),
		"not n": int64(0), "!(n == 3)": int64(1), "n > 1 and x > 1 or zero": int64(1), "!zero && 2": int64(1), "1 == 1.0": int64(1), "9007199254740993 == 9007199254740992": int64(0),
		"lds.banks * 2": int64(64), "min + max(1, 2)": int64(5), "`odd name` % 4": int64(3), "`in` + env + a.in.b": int64(7), "s == 'wave32'": int64(1), `s != "wave64"`: int64(1),
		"s startsWith 'wave' && s endsWith '32' && s contains 've'": int64(1), "n in [1, 10.0]": int64(1), "s not in ['wave64', 'wave128']": int64(1), "if(n > 1, s, 'no')": "wave32",
		"inf > n": int64(1), "-.5 + 1": 0.5, "5. * 2": 10.0, "3 > 2 == 1": int64(1), "+3": int64(3), "1\n+ 2": int64(3),
	}
	for text, want := range tests {
		if got, err := evaluate(text, Integers); got != want || err != nil {
			t.Errorf("%s = %v (%T), %v: want %v (%T)", text, got, got, err, want, want)
		}
	}
}

func TestReals(t *testing.T) {
	tests := map[string]float64{
		"1 / 2": 0.5, "7 / 2 * 2": 7, "n / 4": 2.5, "5 % 3": 2, "2 ** 0.5 ** 2": math.Pow(2, 0.25), "1 / zero": math.Inf(1), "floor(n / 4) / 4": 0.5, "int(-2.5)": -2, "div(7, 2)": 3,
		"div(-7, 2)": -3, "ceildiv(7, 2)": 4, "bitand(6, 3)": 2, "bitshl(1, 4)": 16, "n > 3": 1, "round(7 / 2)": 4, "mean(1, 2)": 1.5, "true / 2": 0.5,
		"if(s == 'x', missing, 3)": 3, "1 ? 2 : missing": 2, "18446744073709551615": 1 << 64,
	}
	for text, want := range tests {
		if got, err := evaluate(text, Reals); got != want || err != nil {
			t.Errorf("%s = %v, %v: want %v", text, got, err, want)
		}
	}
	missing := []string{"missing", "missing + 1", "missing ** 0", "missing > 1", "missing != 1", "!missing", "missing ? 1 : 2", "n > 1 || missing", "zero && missing", "max(1, missing)",
		"missing in [1]", "zero / zero > 1", "sqrt(-1) == 1", "bitand(missing, 1)", "if(missing, 'a', 'b') == 'a'", "nan < 1"}
	for _, text := range missing {
		got, err := evaluate(text, Reals)
		if x, ok := got.(float64); !ok || !math.IsNaN(x) || err != nil {
			t.Errorf("%s = %v, %v: want NaN", text, got, err)
		}
	}
}

// What fails, with a word of its error and where it is.
func TestFaults(t *testing.T) {
	tests := []struct {
		text string
		kind Arithmetic
		at   int
		want string
	}{
		{"", Integers, 1, "want a number, a name or ("}, {"1+", Integers, 3, "want a number, a name or ("}, {"1 2", Integers, 3, "want an operator"}, {"(1", Integers, 3, "want )"},
		{"[1)", Integers, 3, "want ]"}, {"1)", Integers, 2, "want an operator"}, {"()", Integers, 2, "want a number"}, {"$", Integers, 1, "want a number"}, {"$0", Integers, 1, "want a number"},
		{"0x", Integers, 1, "0x is not a number"}, {"1.2.3", Integers, 4, "want an operator"}, {"18446744073709551616", Integers, 1, "want at most 18446744073709551615"},
		{"a\\b", Integers, 2, "unrecognized"}, {"'x", Integers, 3, "literal not terminated"}, {"n + in", Integers, 5, "in: it is a word of the language"},
		{"5 ^ 3", Integers, 3, "bitxor(a, b) for exclusive or, a ** b for a power"}, {"5 | 3", Reals, 3, "bitor(a, b)"}, {"5 & 3", Integers, 3, "bitand(a, b)"}, {"~5", Integers, 1, "bitnot(a)"},
		{"1 < < 4", Integers, 5, "want a number"}, {"1 <<< 4", Integers, 5, "want a number"}, {"1..2 << 3", Integers, 2, "no ranges"}, {"s << 1", Integers, 1, "bitshl is for numbers"}, {"n = 1", Integers, 3, "write == to compare"}, {"let a = 1; a", Integers, 1, "backquotes"},
		{"7 // 2", Integers, 3, "no comments"}, {"7 /* 2 */ + 1", Integers, 3, "no comments"}, {"1 # 2", Integers, 3, "no loops"}, {"1; 2", Integers, 2, "one expression"},
		{"1..1000000000", Integers, 2, "no ranges"}, {"sum(1..1000000000)", Integers, 6, "no ranges"}, {"map([1, 2], # > 1)", Integers, 13, "no loops"}, {"[1, 2]", Integers, 1, "after in alone"},
		{"map([1, 2], {1})", Integers, 13, "no blocks"}, {"map([1], 2)", Integers, 1, "map is not a function"}, {"sin(1)", Integers, 1, "sin is not a function: there are abs,"},
		{"repeat('a', 1000000000)", Integers, 1, "repeat is not a function"}, {"n[0]", Integers, 2, "no lists"}, {"n.size()", Integers, 3, "name of a function"}, {"b'x'", Integers, 1, "want a number"},
		{"min(1)", Integers, 1, "min of 1 arguments: want 2 or more"}, {"if(1, 2)", Integers, 1, "if of 2 arguments"}, {"sqrt(1, 2)", Integers, 1, "sqrt of 2 arguments: want 1"},
		{"s + 1", Integers, 1, "+ is for numbers"}, {"-s", Integers, 2, "- is for numbers"}, {"s < 'x'", Integers, 1, "< is for numbers"}, {"s == 1", Integers, 3, "== of a number and a text"},
		{"n contains 1", Integers, 3, "contains is for texts"}, {"if(s, 1, 2)", Integers, 4, "a condition is for numbers"}, {"if(n, 1, s)", Integers, 4, "two numbers or two texts"},
		{"n in 3", Integers, 3, "want a list"}, {"n in ['a']", Integers, 7, "numbers alone"}, {"n + none", Integers, 5, "there is no none"}, {"1 < 2 < 3", Integers, 7, "a < b && b < c"},
		{"1 < 2 < 3 < 4", Integers, 11, "a < b && b < c"}, {"!n * 2", Integers, 1, "put parentheses"}, {"not n % 2", Integers, 1, "put parentheses"},

		{"1 / 0", Integers, 3, "division by zero"}, {"1 % zero", Integers, 3, "division by zero"}, {"1.5 / 0", Integers, 5, "division by zero"}, {"div(1, 0)", Integers, 1, "division by zero"},
		{"div(1.5, 0)", Integers, 1, "division by zero"}, {"9223372036854775807 * 3", Integers, 21, "overflow"}, {"-9223372036854775808 - 1", Integers, 22, "overflow"}, {"2 ** 64", Integers, 3, "overflow"},
		{"2 ** 9223372036854775807", Integers, 3, "overflow"}, {"2 ** -1", Integers, 3, "write float(2)"}, {"bitshl(3, 63)", Integers, 1, "overflow"}, {"1 << 64", Integers, 3, "want 0 to 63"}, {"3 << 63", Integers, 3, "overflow"}, {"1.5 << 2", Integers, 5, "bits want an integer"},
		{"bitshl(1, -1)", Integers, 1, "want 0 to 63"}, {"bitshl(1.5, 2)", Integers, 1, "bits want an integer"}, {"bitnot(x)", Integers, 1, "bits want an integer"}, {"bitand(0.5, 1)", Reals, 1, "bits want an integer"},
		{"bitxor(0xffffffffffffffff, -1)", Integers, 1, "overflow"}, {"1e308 * 10", Integers, 7, "overflow"}, {"sqrt(-1)", Integers, 1, "overflow: the result is NaN"}, {"int(1e30)", Integers, 1, "overflow"},
		{"ceil(inf)", Integers, 1, "overflow"}, {"missing > 1", Integers, 9, "missing"}, {"-big - 1", Integers, 6, "overflow"},
	}
	for _, tt := range tests {
		got, err := evaluate(tt.text, tt.kind)
		var at *Error
		if !errors.As(err, &at) || at.Char != tt.at || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s = %v, %v: want %q at character %d", tt.text, got, err, tt.want, tt.at)
		}
	}
	for _, long := range []string{strings.Repeat("(", MaxText+1), strings.Repeat("-", MaxText-1) + "1" + " ", strings.Repeat("(", MaxText/2-1) + "1" + strings.Repeat(")", MaxText/2-1)} {
		if _, err := evaluate(long, Integers); err != nil && !errors.Is(err, ErrSyntax) {
			t.Errorf("%.20s...: %v", long, err)
		}
	}
}

func TestNamesAreListedOnce(t *testing.T) {
	p, err := Compile("b + a.c * b + max(a, `odd name`) + inf", Reals, nil)
	if err != nil || !slices.Equal(p.Names(), []string{"b", "a.c", "a", "odd name"}) {
		t.Errorf("%v, %v", p, err)
	}
}

// Where types of names are not known before, texts in the place of numbers are found when the expression runs.
func TestTypesAtRun(t *testing.T) {
	run := func(text string) (any, error) {
		p, err := Compile(text, Integers, nil)
		if err != nil {
			return nil, err
		}
		return p.Run(func(name string) (any, error) { return values[name], nil })
	}
	for _, text := range []string{"s == 'wave32'", "n == 10", "s in ['wave64', s]", "s contains '32'", "if(n > 1, s, 'x') == s"} {
		if v, err := run(text); v != int64(1) || err != nil {
			t.Errorf("%s = %v, %v", text, v, err)
		}
	}
	for text, want := range map[string]string{
		"s + 1": "a text: want a number (at character 3)", "s == 1": "a number and a text are compared", "n contains 'x'": "a number: want a text", "-s": "a text: want a number", "s ? 1 : 2": "a text: want a number",
		"n in [s]": "a number and a text are compared", "s && 1": "a text: want a number", "1 && s": "a text: want a number", "max(1, s)": "a text: want a number",
	} {
		if v, err := run(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s = %v, %v: want %q", text, v, err, want)
		}
	}
}

func FuzzExpression(f *testing.F) {
	for _, seed := range []string{"1+2*(n-3)", "-!~.inf", "0xffffffffffffffff ** 2", "`odd name` in [1,2]", "a ? b : c", "if(s=='x',1,2)", "1<2<3", "not a in [1]", "\"\\u{41}\" == 'A'", "x[1:2]?.y", "//", "é + 1", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, kind := range []Arithmetic{Integers, Reals} {
			p, err := Compile(text, kind, nil)
			if err != nil {
				if !errors.Is(err, ErrSyntax) {
					t.Fatalf("%q: %v is not ErrSyntax", text, err)
				}
				continue
			}
			out, err := p.Run(func(string) (any, error) { return int64(7), nil })
			switch out.(type) {
			case int64, uint64, float64, string:
			default:
				if err == nil {
					t.Fatalf("%q: a result of type %T", text, out)
				}
			}
		}
	})
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compile("(n + 255) / 256 * max(2, lds.banks)", Integers, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	b.ReportAllocs()
	p, err := Compile("(n + 255) / 256 * max(2, lds.banks)", Integers, nil)
	for b.Loop() && err == nil {
		_, err = p.Run(func(name string) (any, error) { return values[name], nil })
	}
	if err != nil {
		b.Fatal(err)
	}
}

// The page on expressions names every function, and every function it names in its table exists.
func TestFunctionsAreDocumented(t *testing.T) {
	page := suite.Must(os.ReadFile("../../docs/reference/job.md"))(t)
	_, table, _ := strings.Cut(string(page), "## Functions")
	table, _, _ = strings.Cut(table, "## Errors")
	for _, name := range Functions() {
		if !strings.Contains(table, "`"+name+"(") {
			t.Errorf("%s is not in docs/reference/job.md", name)
		}
	}
	for _, m := range regexp.MustCompile("^`([a-z0-9]+)\\(|[| ]`([a-z0-9]+)\\(").FindAllStringSubmatch(table, -1) {
		if name := m[1] + m[2]; !slices.Contains(Functions(), name) {
			t.Errorf("docs/reference/job.md has a function %s", name)
		}
	}
}
