package mem

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// A type that has grown beyond these does more than its name says.
const (
	mostMethods = 40
	mostFields  = 20
)

// No type of the package has too many methods or fields.
func TestSizeOfTypes(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	methods, fields := map[string]int{}, map[string]int{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				methods[receiver(n)]++
			case *ast.TypeSpec:
				if s, ok := n.Type.(*ast.StructType); ok {
					fields[n.Name.Name] = s.Fields.NumFields()
				}
			}
			return true
		})
	}
	delete(methods, "")
	if methods["Port"] == 0 || fields["Port"] == 0 {
		t.Fatal("the port is not among the types: nothing was counted")
	}
	for name, n := range methods {
		if n > mostMethods {
			t.Errorf("%s has %d methods: want at most %d", name, n, mostMethods)
		}
	}
	for name, n := range fields {
		if n > mostFields {
			t.Errorf("%s has %d fields: want at most %d", name, n, mostFields)
		}
	}
}

// receiver is the name of the type that a method belongs to.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	e := f.Recv.List[0].Type
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	if name, ok := e.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}
