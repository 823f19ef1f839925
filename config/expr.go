package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"spvsim/internal/expression"
)

func isName(s string) bool {
	for i, c := range []byte(s) {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// parseNumber also accepts unsigned 64-bit values.
func parseNumber(word string) (Number, error) {
	i, noInteger := expression.ParseInteger(word)
	hexadecimal := strings.HasPrefix(strings.ToLower(strings.TrimLeft(word, "+-")), "0x")
	if noInteger == nil && (hexadecimal || !strings.ContainsAny(word, ".eE")) {
		return ofInteger(i), nil
	}
	if strings.ContainsAny(word, "pP_") || hexadecimal {
		return Number{}, fmt.Errorf("found %q: want a number", word)
	}
	f, err := strconv.ParseFloat(word, 64)
	if err != nil {
		return Number{}, err
	}
	back, err := expression.IntegerOf(f)
	whole, same := err == nil, noInteger == nil && back == i
	return Number{Float: f, IsFloat: true, Rounded: whole && !same}, nil
}

// scope maps names to their values.
type scope map[string]Number

func (s scope) value(name string) (any, error) {
	v, ok := s[name]
	if !ok {
		return nil, fmt.Errorf("found %q: want a number, a parameter or a loop variable", name)
	}
	return v.value(), nil
}

// value is the number as expressions have it.
func (n Number) value() any {
	switch {
	case n.IsFloat:
		return n.Float
	case n.Unsigned:
		return uint64(n.Int)
	}
	return n.Int
}

// numberOf is the inverse of value; ok is false for a text.
func numberOf(value any) (n Number, ok bool) {
	switch v := value.(type) {
	case int64:
		return Number{Int: v}, true
	case uint64:
		return Number{Int: int64(v), Unsigned: v > math.MaxInt64}, true
	case float64:
		return float(v), true
	}
	return Number{}, false
}

func float(f float64) Number { return Number{Float: f, IsFloat: true} }

// yamlWords are numbers that YAML writes with words, in small letters.
var yamlWords = map[string]Number{
	"true": {Int: 1}, "false": {}, ".inf": float(math.Inf(1)), "+.inf": float(math.Inf(1)), "-.inf": float(math.Inf(-1)), ".nan": float(math.NaN()),
}

// literal parses the expression as a number, if it is one as YAML writes it.
func (e Expr) literal() (Number, bool) {
	if n, ok := digits(string(e)); ok {
		return Number{Int: n}, true
	}
	text := strings.TrimSpace(string(e))
	if n, ok := yamlWords[strings.ToLower(text)]; ok {
		return n, true
	}
	if rest := strings.TrimLeft(text, "+-."); rest == "" || rest[0] < '0' || rest[0] > '9' {
		return Number{}, false
	}
	n, err := parseNumber(text)
	return n, err == nil && (!n.IsFloat || strings.ContainsAny(text, ".eE")) // no integer of more than 64 bits
}

// digits parses a decimal number of up to 18 digits that does not begin with 0; others have ok false.
func digits(text string) (n int64, ok bool) {
	if len(text) == 0 || len(text) > 18 || text[0] == '0' {
		return 0, false
	}
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, true
}

// check compiles the expression, with any names.
func (e Expr) check() error {
	if _, ok := e.literal(); ok {
		return nil
	}
	p, err := e.program(expression.Integers)
	if err == nil && p.Type() == expression.Text {
		return fmt.Errorf("expression %q: a text: want a number", string(e))
	}
	return err
}

func (e Expr) program(kind expression.Arithmetic) (*expression.Program, error) {
	return expression.Cached(string(e), kind)
}

// eval evaluates an expression; an empty one yields the default.
func (e Expr) eval(s scope, byDefault Number) (Number, error) {
	if e == "" {
		return byDefault, nil
	}
	if n, ok := e.literal(); ok {
		return n, nil
	}
	return e.run(expression.Integers, s.value)
}

func (e Expr) run(kind expression.Arithmetic, value func(name string) (any, error)) (Number, error) {
	p, err := e.program(kind)
	if err != nil {
		return Number{}, err
	}
	v, err := p.Run(value)
	if err != nil {
		return Number{}, err
	}
	n, ok := numberOf(v)
	if !ok {
		return n, fmt.Errorf("expression %q: found %q: want a number", string(e), v)
	}
	return n, nil
}

// evalInt evaluates an integer from low to high.
func (e Expr) evalInt(s scope, byDefault, low, high int64) (int64, error) {
	v, err := e.eval(s, Number{Int: byDefault})
	if err != nil {
		return 0, err
	}
	i, err := v.IntegerWithin(low, uint64(high))
	n, _ := i.Int64()
	return n, err
}

// splitRange reads first..last, both expressions.
func splitRange(text string) (first, last Expr, err error) {
	a, b, ok := strings.Cut(text, "..")
	if !ok {
		return "", "", fmt.Errorf("found %q", text)
	}
	for _, e := range []string{a, b} {
		if err := Expr(e).check(); err != nil {
			return "", "", err
		}
	}
	return Expr(a), Expr(b), nil
}
