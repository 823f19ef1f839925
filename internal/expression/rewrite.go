package expression

import (
	"fmt"
	"math"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// rewriter rewrites a parsed expression as calls of this package's functions, and checks types.
type rewriter struct {
	*scanned
	kind  Arithmetic
	types Names
	names []string
	seen  map[string]bool
}

// variablePrefix distinguishes names from functions: a column may be called min.
const variablePrefix = "."

func (r *rewriter) rewrite(n ast.Node) (ast.Node, Type, error) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return r.constant(n, int64(n.Value)), Number, nil
	case *ast.FloatNode:
		return r.constant(n, n.Value), Number, nil
	case *ast.BoolNode:
		return r.constant(n, truth(n.Value)), Number, nil
	case *ast.StringNode:
		return r.text(n)
	case *ast.IdentifierNode:
		return r.word(n)
	case *ast.MemberNode:
		return r.member(n)
	case *ast.UnaryNode:
		return r.unary(n)
	case *ast.BinaryNode:
		return r.binary(n)
	case *ast.ConditionalNode:
		return r.choose(n, n.Cond, n.Exp1, n.Exp2)
	case *ast.CallNode:
		return r.call(n)
	case *ast.BuiltinNode:
		return nil, 0, r.unknownFunction(n, n.Name)
	case *ast.ArrayNode:
		return nil, 0, r.errorAt(n, "a list comes after in alone: a in [1, 2, 3]")
	}
	return nil, 0, r.errorAt(n, "want a number, a name or (")
}

func (r *rewriter) errorAt(n ast.Node, format string, args ...any) error {
	return r.fault(n.Location().From, format, args...)
}

func located(n, from ast.Node) ast.Node {
	n.SetLocation(from.Location())
	return n
}

func (r *rewriter) constant(n ast.Node, v any) ast.Node {
	return located(&ast.ConstantNode{Value: r.kind.number(v)}, n)
}

func callOf(n ast.Node, name string, args ...ast.Node) ast.Node {
	return located(&ast.CallNode{Callee: located(&ast.IdentifierNode{Value: name}, n), Arguments: args}, n)
}

// text rewrites a text in quotes, or a name in backquotes.
func (r *rewriter) text(n *ast.StringNode) (ast.Node, Type, error) {
	if runes := []rune(r.original); runes[n.Location().From] == '`' {
		return r.name(n, n.Value)
	}
	return located(&ast.ConstantNode{Value: n.Value}, n), Text, nil
}

// word rewrites a name without dots, inf, nan, or an integer above the largest int64 (see scanned).
func (r *rewriter) word(n *ast.IdentifierNode) (ast.Node, Type, error) {
	if u, ok := r.largeIntegers[n.Value]; ok {
		return r.constant(n, u), Number, nil
	}
	switch strings.ToLower(n.Value) {
	case "inf":
		return r.constant(n, math.Inf(1)), Number, nil
	case "nan":
		return r.constant(n, math.NaN()), Number, nil
	}
	return r.name(n, n.Value)
}

func (r *rewriter) name(n ast.Node, name string) (ast.Node, Type, error) {
	typ := NumberOrText
	if r.types != nil {
		var err error
		if typ, err = r.types(name); err != nil {
			return nil, 0, &Error{Text: r.original, Char: n.Location().From + 1, Err: err}
		}
	}
	if !r.seen[name] {
		r.seen[name] = true
		r.names = append(r.names, name)
	}
	return located(&ast.IdentifierNode{Value: variablePrefix + name}, n), typ, nil
}

// member rewrites a name with dots, such as those of statistics.
func (r *rewriter) member(n *ast.MemberNode) (ast.Node, Type, error) {
	var parts []string
	for node := ast.Node(n); ; {
		switch at := node.(type) {
		case *ast.MemberNode:
			property, ok := at.Property.(*ast.StringNode)
			if !ok || at.Method {
				return nil, 0, r.errorAt(at, "there are no lists and methods in expressions")
			}
			parts = append([]string{property.Value}, parts...)
			node = at.Node
		case *ast.IdentifierNode:
			return r.name(at, strings.Join(append([]string{at.Value}, parts...), "."))
		default:
			return nil, 0, r.errorAt(node, "want a name before the dot")
		}
	}
}

// numbers rewrites operands, and refuses texts.
func (r *rewriter) numbers(what string, nodes ...ast.Node) ([]ast.Node, error) {
	out := make([]ast.Node, len(nodes))
	for i, n := range nodes {
		node, typ, err := r.rewrite(n)
		if err != nil {
			return nil, err
		}
		if typ == Text {
			return nil, r.errorAt(n, "%s is for numbers, and this is a text", what)
		}
		out[i] = node
	}
	return out, nil
}

var unaryCalls = map[string]string{"-": "(neg)", "+": "(plus)", "!": "(not)", "not": "(not)"}

func (r *rewriter) unary(n *ast.UnaryNode) (ast.Node, Type, error) {
	if b, ok := n.Node.(*ast.BinaryNode); ok && unaryCalls[n.Operator] == "(not)" && r.bare(n, b) {
		return nil, 0, r.errorAt(n, "%s before %s: put parentheses around what is negated", n.Operator, b.Operator)
	}
	args, err := r.numbers(n.Operator, n.Node)
	if err != nil {
		return nil, 0, err
	}
	return callOf(n, unaryCalls[n.Operator], args...), Number, nil
}

// bare reports whether the operand of a negation is a product without parentheses: the library parses !a * b as !(a * b),
// other languages as (!a) * b.
func (r *rewriter) bare(n ast.Node, operand *ast.BinaryNode) bool {
	if !strings.Contains("* / % **", operand.Operator) {
		return false
	}
	depth := 0
	for _, t := range r.tokens {
		if t.From > n.Location().From && t.From < operand.Location().From {
			depth += strings.Count("([", t.Value) - strings.Count(")]", t.Value)
		}
	}
	return depth == 0
}

func (r *rewriter) binary(n *ast.BinaryNode) (ast.Node, Type, error) {
	switch n.Operator {
	case "&&", "and":
		return r.conjunction(n)
	case "||", "or":
		return r.disjunction(n)
	case "in":
		return r.in(n)
	case "==", "!=", "contains", "startsWith", "endsWith":
		return r.compare(n)
	}
	name := n.Operator
	if name == ".." {
		name = r.shifts[n.Location().From]
	}
	if calls[name] == nil {
		return nil, 0, r.errorAt(n, "%s is not an operator of expressions", n.Operator)
	}
	args, err := r.numbers(name, n.Left, n.Right)
	if err != nil {
		return nil, 0, err
	}
	return callOf(n, name, args...), Number, nil
}

// conjunction rewrites a && b. Under Integers b is evaluated only if a is true; under Reals a missing operand makes the whole
// missing.
func (r *rewriter) conjunction(n *ast.BinaryNode) (ast.Node, Type, error) {
	if chained(n) {
		return nil, 0, r.errorAt(n, "a chain of comparisons: write a < b && b < c")
	}
	args, err := r.numbers(n.Operator, n.Left, n.Right)
	if err != nil || r.kind == Reals {
		return callOf(n, "&&", args...), Number, err
	}
	return r.branch(n, args[0], callOf(n, "(truth)", args[1]), r.constant(n, int64(0))), Number, nil
}

func (r *rewriter) disjunction(n *ast.BinaryNode) (ast.Node, Type, error) {
	args, err := r.numbers(n.Operator, n.Left, n.Right)
	if err != nil || r.kind == Reals {
		return callOf(n, "||", args...), Number, err
	}
	return r.branch(n, args[0], r.constant(n, int64(1)), callOf(n, "(truth)", args[1])), Number, nil
}

func (r *rewriter) branch(n, condition, then, otherwise ast.Node) ast.Node {
	return located(&ast.ConditionalNode{Ternary: true, Cond: callOf(n, "(true)", condition), Exp1: then, Exp2: otherwise}, n)
}

// chained reports whether the library parsed a < b < c as a < b && b < c, with one node for both b. Other languages parse it
// as (a < b) < c.
func chained(n *ast.BinaryNode) bool {
	left, ok1 := n.Left.(*ast.BinaryNode)
	right, ok2 := n.Right.(*ast.BinaryNode)
	if ok1 && left.Operator == "&&" {
		left, ok1 = left.Right.(*ast.BinaryNode)
	}
	return ok1 && ok2 && left.Right == right.Left
}

// in rewrites x in [a, b], which is true if x equals a or b.
func (r *rewriter) in(n *ast.BinaryNode) (ast.Node, Type, error) {
	list, ok := n.Right.(*ast.ArrayNode)
	if !ok {
		return nil, 0, r.errorAt(n, "in: want a list, as in a in [1, 2, 3]")
	}
	x, typ, err := r.rewrite(n.Left)
	if err != nil {
		return nil, 0, err
	}
	args := []ast.Node{x}
	for _, item := range list.Nodes {
		v, t, err := r.rewrite(item)
		if err != nil {
			return nil, 0, err
		}
		if differ(t, typ) {
			return nil, 0, r.errorAt(item, "in: want numbers alone or texts alone")
		}
		args = append(args, v)
	}
	return callOf(n, "in", args...), Number, nil
}

func (r *rewriter) compare(n *ast.BinaryNode) (ast.Node, Type, error) {
	a, typ, err := r.rewrite(n.Left)
	if err != nil {
		return nil, 0, err
	}
	b, other, err := r.rewrite(n.Right)
	if err != nil {
		return nil, 0, err
	}
	if differ(typ, other) {
		return nil, 0, r.errorAt(n, "%s of a number and a text", n.Operator)
	}
	if min(typ, other) == Number && n.Operator[0] >= 'a' {
		return nil, 0, r.errorAt(n, "%s is for texts", n.Operator)
	}
	return callOf(n, n.Operator, a, b), Number, nil
}

// differ reports whether one type is Number and the other Text.
func differ(a, b Type) bool { return a != b && a != NumberOrText && b != NumberOrText }

func (r *rewriter) choose(n, condition, then, otherwise ast.Node) (ast.Node, Type, error) {
	c, err := r.numbers("a condition", condition)
	if err != nil {
		return nil, 0, err
	}
	a, typ, err := r.rewrite(then)
	if err != nil {
		return nil, 0, err
	}
	b, other, err := r.rewrite(otherwise)
	if err != nil {
		return nil, 0, err
	}
	if differ(typ, other) {
		return nil, 0, r.errorAt(condition, "then and else: want two numbers or two texts")
	}
	return r.branch(condition, c[0], a, b), min(typ, other), nil
}

func (r *rewriter) call(n *ast.CallNode) (ast.Node, Type, error) {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return nil, 0, r.errorAt(n, "want the name of a function before (")
	}
	if callee.Value == "if" {
		if len(n.Arguments) != 3 {
			return nil, 0, r.errorAt(n, "if of %d arguments: want if(condition, then, else)", len(n.Arguments))
		}
		return r.choose(n, n.Arguments[0], n.Arguments[1], n.Arguments[2])
	}
	f, ok := functions[callee.Value]
	if !ok {
		return nil, 0, r.unknownFunction(n, callee.Value)
	}
	if k := len(n.Arguments); k < f.low || k > f.high {
		return nil, 0, r.errorAt(n, "%s of %d arguments: want %s", callee.Value, k, f.argumentCounts())
	}
	args, err := r.numbers(callee.Value, n.Arguments...)
	if err != nil {
		return nil, 0, err
	}
	return callOf(n, callee.Value, args...), Number, nil
}

func (r *rewriter) unknownFunction(n ast.Node, name string) error {
	return r.errorAt(n, "%s is not a function: there are %s", name, strings.Join(Functions(), ", "))
}

func (f *function) argumentCounts() string {
	switch {
	case f.low == f.high:
		return fmt.Sprint(f.low)
	case f.high == manyArguments:
		return fmt.Sprintf("%d or more", f.low)
	}
	return fmt.Sprintf("%d to %d", f.low, f.high)
}
