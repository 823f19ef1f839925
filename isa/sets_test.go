package isa

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// Sets of operations are flags of their rows. A comparison of operations by number would silently leave out, or take in, an
// operation that is added; only bounds of the table itself are compared.
func TestNoRangesOfOperations(t *testing.T) {
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		inIsa := file.Name.Name == "isa"
		ast.Inspect(file, func(n ast.Node) bool {
			b, is := n.(*ast.BinaryExpr)
			if !is || b.Op != token.LSS && b.Op != token.LEQ && b.Op != token.GTR && b.Op != token.GEQ {
				return true
			}
			for _, side := range []ast.Expr{b.X, b.Y} {
				name := ""
				switch x := side.(type) {
				case *ast.SelectorExpr:
					if p, is := x.X.(*ast.Ident); is && p.Name == "isa" {
						name = x.Sel.Name
					}
				case *ast.Ident:
					if inIsa {
						name = x.Name
					}
				}
				if isOperation(name) {
					t.Errorf("%s: compares the number of %s: want a flag of the operation's row", files.Position(b.Pos()), name)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// isOperation reports that a constant of this package has the name of an operation: as its row's, without separators.
func isOperation(name string) bool {
	for _, row := range Table {
		if ast.IsExported(name) && strings.EqualFold(name, strings.ReplaceAll(row.Name, "_", "")) && !strings.HasPrefix(name, "Num") {
			return true
		}
	}
	return false
}
