package expression

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"
)

// Names returns the type of a name, or an error if there is no such name.
type Names func(name string) (Type, error)

// Program is a compiled expression. It may run in several goroutines at once.
type Program struct {
	text  string
	kind  Arithmetic
	typ   Type
	names []string
	code  *vm.Program
}

// Compile parses and checks an expression. With nil names every name may be a number or a text.
func Compile(text string, kind Arithmetic, names Names) (*Program, error) {
	if n := utf8.RuneCountInString(text); n > MaxText {
		return nil, fmt.Errorf("expression of %d characters: want at most %d: %w", n, MaxText, ErrSyntax)
	}
	s, err := scan(text)
	if err != nil {
		return nil, err
	}
	config := libraries[kind].Get().(*conf.Config)
	defer libraries[kind].Put(config)
	tree, err := parser.ParseWithConfig(s.text, config)
	if err != nil {
		return nil, s.explain(err)
	}
	r := &rewriter{scanned: s, kind: kind, types: names, seen: map[string]bool{}}
	node, typ, err := r.rewrite(tree.Node)
	if err != nil {
		return nil, err
	}
	p := &Program{text: text, kind: kind, typ: typ, names: r.names}
	p.code, err = generate(node, tree, config)
	if err != nil {
		return nil, s.explain(err)
	}
	return p, nil
}

func generate(node ast.Node, tree *parser.Tree, config *conf.Config) (*vm.Program, error) {
	tree.Node = node
	if _, err := checker.Check(tree, config); err != nil {
		return nil, err
	}
	return compiler.Compile(tree, config)
}

// libraries pools results of library, each for one compilation at a time: making one takes longer than compiling most
// expressions.
var libraries = [...]sync.Pool{Integers: {New: func() any { return library(Integers) }}, Reals: {New: func() any { return library(Reals) }}}

// library returns a configuration of the library in which this package's functions replace all of its own.
func library(kind Arithmetic) *conf.Config {
	c := conf.CreateNew()
	c.MaxNodes, c.DisableIfOperator, c.Optimize = maxNodes, true, false
	for name := range c.Builtins {
		c.Disabled[name] = true
	}
	clear(c.Builtins)
	c.WithEnv(map[string]any{})
	c.Strict = false
	for name, f := range calls {
		c.Functions[name] = &builtin.Function{Name: name, Func: guarded(name, kind, f)}
	}
	return c
}

// Type returns the type of the result.
func (p *Program) Type() Type { return p.typ }

// Names lists the names that the expression uses, in order and each once.
func (p *Program) Names() []string { return p.names }

// Run evaluates the expression. Values and result are int64, uint64 (above the largest int64), float64 or string. Under
// Reals the result is NaN if it depends on a missing number.
func (p *Program) Run(value func(name string) (any, error)) (any, error) {
	env := make(map[string]any, len(p.names))
	for _, name := range p.names {
		v, err := value(name)
		if err != nil {
			return nil, fmt.Errorf("expression %q: %w", p.text, err)
		}
		env[variablePrefix+name] = p.kind.number(v)
	}
	machine := vm.VM{MemoryBudget: maxNodes}
	out, err := machine.Run(p.code, env)
	if err == nil {
		return out, nil
	}
	if p.kind == Reals && errors.Is(err, errMissing) {
		return math.NaN(), nil
	}
	return nil, p.fault(err)
}

func (p *Program) fault(err error) error {
	var at *file.Error
	if !errors.As(err, &at) {
		return fmt.Errorf("expression %q: %w", p.text, err)
	}
	cause := at.Prev
	if cause == nil {
		cause = errors.New(at.Message)
	}
	return &Error{Text: p.text, Char: at.From + 1, Err: cause, atRuntime: true}
}
