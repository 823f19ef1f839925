package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// A change replaces the bytes from..to of a file.
type change struct {
	file     string
	line     int
	from, to int
	text     string // what is there then
	source   []byte
	in       *function
}

// pkg is the folder of the package that changes.
func (c *change) pkg() string { return filepath.ToSlash(filepath.Dir(c.file)) }

func (c *change) String() string {
	old := strings.Join(strings.Fields(string(c.source[c.from:c.to])), " ")
	if c.text == "" {
		return fmt.Sprintf("%s:%d: without %q", c.file, c.line, old)
	}
	return fmt.Sprintf("%s:%d: %q instead of %q", c.file, c.line, c.text, old)
}

// swaps are the operators that are exchanged.
var swaps = map[token.Token]token.Token{
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL,
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND,
	token.SHL: token.SHR, token.SHR: token.SHL, token.AND: token.OR, token.OR: token.AND,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN,
}

// changes are all that can be made in a file, in the order of the source: none where another file says what it is.
func changes(file string) ([]change, error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	f := token.NewFileSet()
	tree, err := parser.ParseFile(f, file, source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	if ast.IsGenerated(tree) {
		return nil, nil
	}
	v := &visitor{files: f, file: file, source: source}
	for _, d := range tree.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && !words(fn.Name.Name) {
			v.in = newFunction(f, tree.Name.Name, fn, source)
			ast.Inspect(fn.Body, v.visit)
		}
	}
	return v.list, nil
}

// words says that a function makes text for people, which tests need not hold to the letter.
func words(name string) bool {
	return name == "String" || name == "Error" || strings.HasSuffix(name, "Text") || strings.HasPrefix(name, "Write") || strings.HasPrefix(name, "Describe")
}

// A visitor gathers the changes of a file.
type visitor struct {
	files  *token.FileSet
	file   string
	source []byte
	in     *function
	list   []change
}

func (v *visitor) add(from, to token.Pos, text string) {
	p := v.files.Position(from)
	v.list = append(v.list, change{v.file, p.Line, p.Offset, v.files.Position(to).Offset, text, v.source, v.in})
}

func (v *visitor) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if to, ok := swaps[n.Op]; ok && !isText(n.X) && !isText(n.Y) {
			v.add(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), to.String())
		}
	case *ast.CallExpr:
		return v.call(n)
	case *ast.BlockStmt:
		v.statements(n.List)
	case *ast.CaseClause:
		v.statements(n.Body)
	}
	return true
}

// call exchanges min and max, and stays out of what only makes errors.
func (v *visitor) call(n *ast.CallExpr) bool {
	switch f := n.Fun.(type) {
	case *ast.Ident:
		if f.Name == "panic" {
			return false
		}
		if to, ok := map[string]string{"min": "max", "max": "min"}[f.Name]; ok && len(n.Args) > 1 {
			v.add(f.Pos(), f.End(), to)
		}
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok && (x.Name == "fmt" || x.Name == "errors") {
			return false
		}
	}
	return true
}

// statements leaves out each statement that only has an effect, but for a panic: that is a fault of our own, which no input comes to.
func (v *visitor) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if !isPanic(s.X) {
				v.add(s.Pos(), s.End(), "")
			}
		case *ast.IncDecStmt:
			v.add(s.Pos(), s.End(), "")
		case *ast.AssignStmt:
			if s.Tok == token.ASSIGN && len(s.Lhs) == 1 && !isBlank(s.Lhs[0]) || s.Tok == token.ADD_ASSIGN || s.Tok == token.SUB_ASSIGN || s.Tok == token.OR_ASSIGN {
				v.add(s.Pos(), s.End(), "")
			}
		}
	}
}

func isPanic(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	f, ok := call.Fun.(*ast.Ident)
	return ok && f.Name == "panic"
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

func isText(e ast.Expr) bool {
	l, ok := e.(*ast.BasicLit)
	return ok && l.Kind == token.STRING
}
