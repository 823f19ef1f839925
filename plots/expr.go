package plots

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Expressions work row by row on numbers and texts: + - * / % ^ (power), comparisons, && || !, parentheses, numbers, 'texts',
// columns by name (`in backquotes` when it is no word), and the functions below. A comparison is 1 or 0; whatever a missing
// number touches is missing.

// expr is a compiled expression: one of num and str is set.
type expr struct {
	num func(row int) float64
	str func(row int) string
}

// functions of numbers, by name and count of arguments. if(c, a, b) also takes texts and stands apart.
var functions = map[string]struct {
	args int
	eval func(a []float64) float64
}{
	"abs":   {1, func(a []float64) float64 { return math.Abs(a[0]) }},
	"sqrt":  {1, func(a []float64) float64 { return math.Sqrt(a[0]) }},
	"exp":   {1, func(a []float64) float64 { return math.Exp(a[0]) }},
	"log":   {1, func(a []float64) float64 { return math.Log(a[0]) }},
	"log2":  {1, func(a []float64) float64 { return math.Log2(a[0]) }},
	"log10": {1, func(a []float64) float64 { return math.Log10(a[0]) }},
	"floor": {1, func(a []float64) float64 { return math.Floor(a[0]) }},
	"ceil":  {1, func(a []float64) float64 { return math.Ceil(a[0]) }},
	"round": {1, func(a []float64) float64 { return math.Round(a[0]) }},
	"min":   {2, func(a []float64) float64 { return math.Min(a[0], a[1]) }},
	"max":   {2, func(a []float64) float64 { return math.Max(a[0], a[1]) }},
}

type operation struct {
	level int // binds looser when lower
	eval  func(a, b float64) float64
	texts func(a, b string) bool // nil: not for texts
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

var operations = map[string]operation{
	"||": {0, func(a, b float64) float64 { return truth(a != 0 || b != 0) }, nil},
	"&&": {1, func(a, b float64) float64 { return truth(a != 0 && b != 0) }, nil},
	"==": {2, func(a, b float64) float64 { return truth(a == b) }, func(a, b string) bool { return a == b }},
	"!=": {2, func(a, b float64) float64 { return truth(a != b) }, func(a, b string) bool { return a != b }},
	"<=": {2, func(a, b float64) float64 { return truth(a <= b) }, nil},
	">=": {2, func(a, b float64) float64 { return truth(a >= b) }, nil},
	"<":  {2, func(a, b float64) float64 { return truth(a < b) }, nil},
	">":  {2, func(a, b float64) float64 { return truth(a > b) }, nil},
	"+":  {3, func(a, b float64) float64 { return a + b }, nil},
	"-":  {3, func(a, b float64) float64 { return a - b }, nil},
	"*":  {4, func(a, b float64) float64 { return a * b }, nil},
	"/":  {4, func(a, b float64) float64 { return a / b }, nil},
	"%":  {4, math.Mod, nil},
	"^":  {5, math.Pow, nil},
}

const (
	powerLevel  = 5
	maxExprText = 1000 // bounds the depth of the parse with it
)

type exprParser struct {
	text  string
	pos   int
	table *Table
}

// compile parses an expression over the columns of a table.
func compile(text string, t *Table) (expr, error) {
	if len(text) > maxExprText {
		return expr{}, fmt.Errorf("%d characters: want at most %d", len(text), maxExprText)
	}
	p := &exprParser{text: text, table: t}
	e, err := p.binary(0)
	if err == nil && p.peek() != "" {
		err = p.errorf("want an operator")
	}
	return e, err
}

func (p *exprParser) errorf(format string, args ...any) error {
	return fmt.Errorf("expression %q: at character %d: %s", p.text, p.pos+1, fmt.Sprintf(format, args...))
}

// peek is the next token without taking it; empty at the end.
func (p *exprParser) peek() string {
	for p.pos < len(p.text) && strings.IndexByte(" \t\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
	rest := p.text[p.pos:]
	switch {
	case rest == "":
		return ""
	case len(rest) > 1 && operations[rest[:2]].eval != nil:
		return rest[:2]
	case rest[0] == '\'' || rest[0] == '`':
		if end := strings.IndexByte(rest[1:], rest[0]); end >= 0 {
			return rest[:end+2]
		}
		return rest
	case isWord(rest[0]):
		return rest[:wordLen(rest)]
	}
	return rest[:1]
}

func isWord(c byte) bool {
	return c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// wordLen takes a name or a number, with the sign of 1e-3.
func wordLen(s string) int {
	number := s[0] >= '0' && s[0] <= '9' || s[0] == '.'
	n := 1
	for n < len(s) && (isWord(s[n]) || number && (s[n] == '-' || s[n] == '+') && (s[n-1] == 'e' || s[n-1] == 'E')) {
		n++
	}
	return n
}

func (p *exprParser) accept(token string) bool {
	if p.peek() != token {
		return false
	}
	p.pos += len(token)
	return true
}

func (p *exprParser) binary(level int) (expr, error) {
	a, err := p.unary()
	for err == nil {
		token := p.peek()
		op, ok := operations[token]
		if !ok || op.level < level {
			break
		}
		p.pos += len(token)
		next := op.level + 1
		if op.level == powerLevel { // 2^3^2 is 2^9
			next = powerLevel
		}
		var b expr
		if b, err = p.binary(next); err == nil {
			a, err = p.apply(token, op, a, b)
		}
	}
	return a, err
}

func (p *exprParser) apply(token string, op operation, a, b expr) (expr, error) {
	switch {
	case a.num != nil && b.num != nil:
		return expr{num: func(row int) float64 {
			x, y := a.num(row), b.num(row)
			if math.IsNaN(x) || math.IsNaN(y) {
				return math.NaN()
			}
			return op.eval(x, y)
		}}, nil
	case a.str != nil && b.str != nil && op.texts != nil:
		return expr{num: func(row int) float64 { return truth(op.texts(a.str(row), b.str(row))) }}, nil
	}
	return expr{}, p.errorf("%s is not for these types: texts can be compared by == and != with texts only", token)
}

// prefixes are the unary operators.
var prefixes = map[string]func(float64) float64{
	"-": func(x float64) float64 { return -x },
	"!": func(x float64) float64 { return truth(x == 0) },
}

func (p *exprParser) unary() (expr, error) {
	token := p.peek()
	eval, ok := prefixes[token]
	if !ok {
		return p.primary()
	}
	p.pos += len(token)
	a, err := p.binary(powerLevel)
	if err == nil && a.num == nil {
		err = p.errorf("%s is for numbers", token)
	}
	return expr{num: func(row int) float64 { return keepMissing(a.num(row), eval) }}, err
}

func keepMissing(x float64, eval func(float64) float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	return eval(x)
}

func (p *exprParser) primary() (expr, error) {
	if p.accept("(") {
		e, err := p.binary(0)
		if err == nil && !p.accept(")") {
			err = p.errorf("want )")
		}
		return e, err
	}
	token := p.peek()
	if token == "" || !isWord(token[0]) && (len(token) < 2 || token[0] != token[len(token)-1]) {
		return expr{}, p.errorf("want a number, a 'text', a column or (")
	}
	start := p.pos
	p.pos += len(token)
	switch {
	case token[0] == '\'':
		s := token[1 : len(token)-1]
		return expr{str: func(int) string { return s }}, nil
	case token[0] == '`':
		return p.column(token[1:len(token)-1], start)
	case p.peek() == "(":
		return p.call(token, start)
	}
	if x, err := strconv.ParseFloat(token, 64); err == nil && token[0] <= '9' {
		return expr{num: func(int) float64 { return x }}, nil
	}
	return p.column(token, start)
}

func (p *exprParser) column(name string, start int) (expr, error) {
	c := p.table.Column(name)
	if c == nil {
		p.pos = start
		return expr{}, p.errorf("%s", p.table.missing(name))
	}
	if c.Type == Text {
		return expr{str: func(row int) string { return c.Texts[row] }}, nil
	}
	return expr{num: func(row int) float64 { return c.Numbers[row] }}, nil
}

func (p *exprParser) call(name string, start int) (expr, error) {
	args, err := p.arguments()
	if err != nil {
		return expr{}, err
	}
	if name == "if" {
		return p.choose(args)
	}
	f, ok := functions[name]
	if !ok || len(args) != f.args {
		p.pos = start
		return expr{}, p.errorf("%s of %d arguments: want %s", name, len(args), functionWords)
	}
	for _, a := range args {
		if a.num == nil {
			return expr{}, p.errorf("%s is for numbers", name)
		}
	}
	return expr{num: func(row int) float64 {
		var values [2]float64
		for i, a := range args {
			values[i] = a.num(row)
		}
		return f.eval(values[:])
	}}, nil
}

const functionWords = "abs, sqrt, exp, log, log2, log10, floor, ceil or round of one, min or max of two, or if(condition, then, else)"

func (p *exprParser) arguments() ([]expr, error) {
	p.accept("(")
	var args []expr
	for {
		a, err := p.binary(0)
		if err != nil {
			return nil, err
		}
		args = append(args, a)
		if p.accept(")") {
			return args, nil
		}
		if !p.accept(",") {
			return nil, p.errorf("want , or )")
		}
	}
}

func (p *exprParser) choose(args []expr) (expr, error) {
	if len(args) != 3 || args[0].num == nil || (args[1].num == nil) != (args[2].num == nil) {
		return expr{}, p.errorf("want if(condition, then, else), then and else of one type")
	}
	c, a, b := args[0], args[1], args[2]
	if a.num == nil {
		return expr{str: func(row int) string {
			switch x := c.num(row); {
			case math.IsNaN(x):
				return ""
			case x != 0:
				return a.str(row)
			}
			return b.str(row)
		}}, nil
	}
	return expr{num: func(row int) float64 {
		switch x := c.num(row); {
		case math.IsNaN(x):
			return x
		case x != 0:
			return a.num(row)
		}
		return b.num(row)
	}}, nil
}
