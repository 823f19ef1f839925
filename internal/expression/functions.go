package expression

import (
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
)

// function is a function that expressions may call.
type function struct {
	low, high int // fewest and most arguments
	eval      eval
}

// eval evaluates a call. Arguments are values as of Run. Compile has checked which are texts.
type eval func(k Arithmetic, a []any) (any, error)

const manyArguments = maxNodes

var functions = map[string]function{
	"abs":     {1, 1, func(k Arithmetic, a []any) (any, error) { return k.magnitude(a[0]) }},
	"min":     {2, manyArguments, func(k Arithmetic, a []any) (any, error) { return k.extreme(a, -1, math.Min), nil }},
	"max":     {2, manyArguments, func(k Arithmetic, a []any) (any, error) { return k.extreme(a, 1, math.Max), nil }},
	"sum":     {1, manyArguments, func(k Arithmetic, a []any) (any, error) { return k.sum(a) }},
	"mean":    {1, manyArguments, mean},
	"pow":     {2, 2, func(k Arithmetic, a []any) (any, error) { return k.binary(operators["**"], a) }},
	"div":     {2, 2, func(k Arithmetic, a []any) (any, error) { return k.quotient(a, math.Trunc, (*big.Int).Quo) }},
	"ceildiv": {2, 2, func(k Arithmetic, a []any) (any, error) { return k.quotient(a, math.Ceil, ceilQuotient) }},

	"sqrt":  {1, 1, ofFloat(math.Sqrt)},
	"exp":   {1, 1, ofFloat(math.Exp)},
	"log":   {1, 1, ofFloat(math.Log)},
	"log2":  {1, 1, ofFloat(math.Log2)},
	"log10": {1, 1, ofFloat(math.Log10)},

	"floor": {1, 1, rounding(math.Floor)},
	"ceil":  {1, 1, rounding(math.Ceil)},
	"round": {1, 1, rounding(math.Round)},
	"int":   {1, 1, rounding(math.Trunc)},
	"float": {1, 1, ofFloat(func(x float64) float64 { return x })},

	"bitand": {2, 2, bits((*big.Int).And)},
	"bitor":  {2, 2, bits((*big.Int).Or)},
	"bitxor": {2, 2, bits((*big.Int).Xor)},
	"bitnot": {1, 1, func(k Arithmetic, a []any) (any, error) {
		return bits(func(z, x, _ *big.Int) *big.Int { return z.Not(x) })(k, []any{a[0], a[0]})
	}},
	"bitshl": {2, 2, shift((*big.Int).Lsh)},
	"bitshr": {2, 2, shift((*big.Int).Rsh)},
}

// Functions lists the functions by name; if(condition, a, b), another form of condition ? a : b, is the last.
func Functions() (names []string) {
	names = slices.Sorted(maps.Keys(functions))
	return append(names, "if")
}

// calls are all functions that a rewritten expression calls: functions and operators.
var calls = withFunctions(map[string]eval{
	"(neg)":   negate,
	"(plus)":  func(_ Arithmetic, a []any) (any, error) { return a[0], nil },
	"(not)":   logic(func(a []bool) bool { return !a[0] }),
	"(truth)": logic(func(a []bool) bool { return a[0] }),
	"(true)":  condition,
	"&&":      logic(func(a []bool) bool { return a[0] && a[1] }),
	"||":      logic(func(a []bool) bool { return a[0] || a[1] }),
	"==":      equal(func(same bool) bool { return same }),
	"!=":      equal(func(same bool) bool { return !same }),
	"<":       ordered(func(c int) bool { return c < 0 }),
	"<=":      ordered(func(c int) bool { return c <= 0 }),
	">":       ordered(func(c int) bool { return c > 0 }),
	">=":      ordered(func(c int) bool { return c >= 0 }),
	"in":      inList,

	"contains":   ofTexts(strings.Contains),
	"startsWith": ofTexts(strings.HasPrefix),
	"endsWith":   ofTexts(strings.HasSuffix),
})

func withFunctions(calls map[string]eval) map[string]eval {
	for name, f := range functions {
		calls[name] = f.eval
	}
	for name, op := range operators {
		calls[name] = func(k Arithmetic, a []any) (any, error) { return k.binary(op, a) }
	}
	return calls
}
