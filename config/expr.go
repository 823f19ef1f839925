package config

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Expressions are integers and floats with + - * / % << >> & | ^, comparisons (1 or 0), unary - + ! ~, parentheses and
// names. Integer arithmetic is on 64 bits and wraps; / and % of integers truncate. A float on either side makes it float.

// node is one parsed operation.
type node struct {
	op   string // "num", "name", an operator, or "neg", "not", "inv"
	num  Number
	name string
	a, b *node
}

// maxExprText bounds an expression, and with it the depth of its parse.
const maxExprText = 400

type exprParser struct {
	text string
	pos  int
}

func parseExpr(text string) (*node, error) {
	if len(text) > maxExprText {
		return nil, fmt.Errorf("expression of %d characters: want at most %d", len(text), maxExprText)
	}
	p := &exprParser{text: text}
	n, err := p.binary(0)
	if err != nil {
		return nil, err
	}
	if p.skip(); p.pos < len(text) {
		return nil, p.errorf("want an operator")
	}
	return n, nil
}

func (p *exprParser) errorf(format string, args ...any) error {
	return fmt.Errorf("expression %q: at character %d: %s", p.text, p.pos+1, fmt.Sprintf(format, args...))
}

func (p *exprParser) skip() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

// levels of binary operators, loosest first, as in C but with the bit operators above comparisons.
var binaryLevels = [][]string{
	{"==", "!=", "<=", ">=", "<", ">"}, {"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"},
}

func (p *exprParser) binary(level int) (*node, error) {
	if level == len(binaryLevels) {
		return p.unary()
	}
	a, err := p.binary(level + 1)
	if err != nil {
		return nil, err
	}
	for {
		op := p.operator(level)
		if op == "" {
			return a, nil
		}
		b, err := p.binary(level + 1)
		if err != nil {
			return nil, err
		}
		a = &node{op: op, a: a, b: b}
	}
}

func (p *exprParser) operator(level int) string {
	p.skip()
	rest := p.text[p.pos:]
	for _, op := range binaryLevels[level] {
		if !strings.HasPrefix(rest, op) {
			continue
		}
		// < is not the start of << here.
		if len(op) == 1 && strings.HasPrefix(rest[1:], op) && (op == "<" || op == ">") {
			continue
		}
		p.pos += len(op)
		return op
	}
	return ""
}

var unaryNames = map[byte]string{'-': "neg", '!': "not", '~': "inv", '+': "plus"}

func (p *exprParser) unary() (*node, error) {
	p.skip()
	if p.pos == len(p.text) {
		return nil, p.errorf("want a number, a name or (")
	}
	c := p.text[p.pos]
	if name, ok := unaryNames[c]; ok {
		p.pos++
		a, err := p.unary()
		return &node{op: name, a: a}, err
	}
	if c == '(' {
		return p.parenthesis()
	}
	return p.primary()
}

func (p *exprParser) parenthesis() (*node, error) {
	p.pos++
	a, err := p.binary(0)
	if err != nil {
		return nil, err
	}
	if p.skip(); p.pos == len(p.text) || p.text[p.pos] != ')' {
		return nil, p.errorf("want )")
	}
	p.pos++
	return a, nil
}

func (p *exprParser) primary() (*node, error) {
	start := p.pos
	for p.pos < len(p.text) && (isWordByte(p.text[p.pos]) || p.text[p.pos] == '.' || p.exponentSign(start)) {
		p.pos++
	}
	word := p.text[start:p.pos]
	if isDottedName(word) {
		return wordNode(word), nil
	}
	if isName(strings.TrimPrefix(word, ".")) { // YAML's .inf and .nan
		return wordNode(word[1:]), nil
	}
	num, err := parseNumber(word)
	if err != nil {
		p.pos = start
		return nil, p.errorf("want a number, a name or (")
	}
	return &node{op: "num", num: num}, nil
}

func wordNode(word string) *node {
	switch strings.ToLower(word) {
	case "true":
		return &node{op: "num", num: Number{Int: 1}}
	case "false":
		return &node{op: "num"}
	case "nan":
		return &node{op: "num", num: Number{Float: math.NaN(), IsFloat: true}}
	case "inf":
		return &node{op: "num", num: Number{Float: math.Inf(1), IsFloat: true}}
	}
	return &node{op: "name", name: word}
}

// exponentSign accepts the sign of 1e-3, but not of 0x1e-3.
func (p *exprParser) exponentSign(start int) bool {
	if c := p.text[p.pos]; c != '-' && c != '+' {
		return false
	}
	word := strings.ToLower(p.text[start:p.pos])
	return strings.HasSuffix(word, "e") && word[0] >= '0' && word[0] <= '9' && !strings.HasPrefix(word, "0x")
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isName(s string) bool {
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	for i := range len(s) {
		if !isWordByte(s[i]) {
			return false
		}
	}
	return true
}

// isDottedName takes names joined by dots too: columns of rows are named like memory.l2.hits.
func isDottedName(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if !isName(part) {
			return false
		}
	}
	return true
}

// parseNumber takes unsigned 64-bit values too: they keep their bits.
func parseNumber(word string) (Number, error) {
	if i, ok := parseInt(word); ok {
		return Number{Int: i}, nil
	}
	if u, err := strconv.ParseUint(word, 0, 64); err == nil {
		return Number{Int: int64(u)}, nil
	}
	if strings.ContainsAny(word, "pP_") || strings.HasPrefix(strings.ToLower(word), "0x") {
		return Number{}, errors.New("not a number")
	}
	f, err := strconv.ParseFloat(word, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return Number{}, err
	}
	return Number{Float: f, IsFloat: true}, nil
}

// scope gives names their values.
type scope map[string]Number

var errZero = errors.New("division by zero")

func (n *node) eval(s scope) (Number, error) {
	switch n.op {
	case "num":
		return n.num, nil
	case "name":
		v, ok := s[n.name]
		if !ok {
			return v, fmt.Errorf("%s is not a parameter or a loop variable", n.name)
		}
		return v, nil
	}
	a, err := n.a.eval(s)
	if err != nil {
		return a, err
	}
	if n.b == nil {
		return unaryOps[n.op](a)
	}
	b, err := n.b.eval(s)
	if err != nil {
		return b, err
	}
	op := binaryOps[n.op]
	if !a.IsFloat && !b.IsFloat {
		return op.ints(a.Int, b.Int)
	}
	if op.floats == nil {
		return a, fmt.Errorf("%s wants integers", n.op)
	}
	return op.floats(a.AsFloat(), b.AsFloat()), nil
}

func integer(i int64) (Number, error) { return Number{Int: i}, nil }

func float(f float64) Number { return Number{Float: f, IsFloat: true} }

func truth(b bool) Number {
	if b {
		return Number{Int: 1}
	}
	return Number{}
}

var unaryOps = map[string]func(a Number) (Number, error){
	"plus": func(a Number) (Number, error) { return a, nil },
	"neg":  func(a Number) (Number, error) { return Number{-a.Int, -a.Float, a.IsFloat}, nil },
	"not":  func(a Number) (Number, error) { return truth(a.AsFloat() == 0), nil },
	"inv": func(a Number) (Number, error) {
		if a.IsFloat {
			return a, errors.New("~ wants an integer")
		}
		return integer(^a.Int)
	},
}

type binaryOp struct {
	ints   func(a, b int64) (Number, error)
	floats func(a, b float64) Number
}

var binaryOps = map[string]binaryOp{
	"+":  {func(a, b int64) (Number, error) { return integer(a + b) }, func(a, b float64) Number { return float(a + b) }},
	"-":  {func(a, b int64) (Number, error) { return integer(a - b) }, func(a, b float64) Number { return float(a - b) }},
	"*":  {func(a, b int64) (Number, error) { return integer(a * b) }, func(a, b float64) Number { return float(a * b) }},
	"/":  {divide, func(a, b float64) Number { return float(a / b) }},
	"%":  {remainder, func(a, b float64) Number { return float(math.Mod(a, b)) }},
	"&":  {func(a, b int64) (Number, error) { return integer(a & b) }, nil},
	"|":  {func(a, b int64) (Number, error) { return integer(a | b) }, nil},
	"^":  {func(a, b int64) (Number, error) { return integer(a ^ b) }, nil},
	"<<": {func(a, b int64) (Number, error) { return shift(a, b, func(n uint) int64 { return a << n }) }, nil},
	">>": {func(a, b int64) (Number, error) { return shift(a, b, func(n uint) int64 { return a >> n }) }, nil},
	"==": {func(a, b int64) (Number, error) { return truth(a == b), nil }, func(a, b float64) Number { return truth(a == b) }},
	"!=": {func(a, b int64) (Number, error) { return truth(a != b), nil }, func(a, b float64) Number { return truth(a != b) }},
	"<":  {func(a, b int64) (Number, error) { return truth(a < b), nil }, func(a, b float64) Number { return truth(a < b) }},
	"<=": {func(a, b int64) (Number, error) { return truth(a <= b), nil }, func(a, b float64) Number { return truth(a <= b) }},
	">":  {func(a, b int64) (Number, error) { return truth(a > b), nil }, func(a, b float64) Number { return truth(a > b) }},
	">=": {func(a, b int64) (Number, error) { return truth(a >= b), nil }, func(a, b float64) Number { return truth(a >= b) }},
}

func divide(a, b int64) (Number, error) {
	if b == 0 {
		return Number{}, errZero
	}
	return integer(a / b)
}

func remainder(a, b int64) (Number, error) {
	if b == 0 {
		return Number{}, errZero
	}
	return integer(a % b)
}

func shift(a, b int64, do func(n uint) int64) (Number, error) {
	if b < 0 || b > 63 {
		return Number{}, fmt.Errorf("shift by %d: want 0 to 63", b)
	}
	return integer(do(uint(b)))
}

// eval works an expression out; an empty one gives the default.
func (e Expr) eval(s scope, byDefault Number) (Number, error) {
	if e == "" {
		return byDefault, nil
	}
	n, err := parseExpr(string(e))
	if err != nil {
		return Number{}, err
	}
	v, err := n.eval(s)
	if err != nil {
		return v, fmt.Errorf("expression %q: %w", string(e), err)
	}
	return v, nil
}

// evalInt wants an integer of low..high.
func (e Expr) evalInt(s scope, byDefault, low, high int64) (int64, error) {
	v, err := e.eval(s, Number{Int: byDefault})
	if err != nil {
		return 0, err
	}
	if v.IsFloat {
		return 0, fmt.Errorf("found %g: want an integer", v.Float)
	}
	if v.Int < low || v.Int > high {
		return 0, fmt.Errorf("found %d: want %d to %d", v.Int, low, high)
	}
	return v.Int, nil
}

// splitRange reads first..last, both expressions.
func splitRange(text string) (first, last Expr, err error) {
	a, b, ok := strings.Cut(text, "..")
	if !ok {
		return "", "", fmt.Errorf("found %q", text)
	}
	for _, e := range []string{a, b} {
		if _, err := parseExpr(e); err != nil {
			return "", "", err
		}
	}
	return Expr(a), Expr(b), nil
}
