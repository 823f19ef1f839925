package spvsim_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// The most methods and fields of a type of the model.
const (
	mostMethods = 40
	mostFields  = 20
)

// A type of the model does one thing: none has more methods or fields than a reader can keep in mind. Those of its own count, and
// those of the types of its package that it embeds.
func TestTypesAreSmall(t *testing.T) {
	for _, dir := range []string{"cu", "simd", "lds", "mem", "cu/lookahead", "scheduler", "scheduler/graph", "gpu", "vulkan/driver"} {
		for name, c := range typesOf(t, dir) {
			if c.methods > mostMethods {
				t.Errorf("%s.%s has %d methods: want at most %d", dir, name, c.methods, mostMethods)
			}
			if c.fields > mostFields {
				t.Errorf("%s.%s has %d fields: want at most %d", dir, name, c.fields, mostFields)
			}
		}
	}
}

// A typeSize is how large a type is.
type typeSize struct {
	methods, fields int
	embeds          []string // types of the package
}

// typesOf measures the types of a package, without its tests.
func typesOf(t *testing.T, dir string) map[string]*typeSize {
	t.Helper()
	files, err := filepath.Glob(dir + "/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", dir, len(files), err)
	}
	types := map[string]*typeSize{}
	of := func(name string) *typeSize {
		if types[name] == nil {
			types[name] = &typeSize{}
		}
		return types[name]
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv != nil {
					of(typeName(n.Recv.List[0].Type)).methods++
				}
			case *ast.TypeSpec:
				of(n.Name.Name).measure(n.Type)
			}
			return true
		})
	}
	own := map[string]int{}
	for name, c := range types {
		own[name] = c.methods
	}
	for _, c := range types {
		for _, e := range c.embeds {
			c.methods += own[e]
		}
	}
	return types
}

// measure counts the fields of a structure and the methods of an interface.
func (c *typeSize) measure(x ast.Expr) {
	switch x := x.(type) {
	case *ast.StructType:
		for _, f := range x.Fields.List {
			c.fields += max(len(f.Names), 1)
			if len(f.Names) == 0 {
				c.embeds = append(c.embeds, typeName(f.Type))
			}
		}
	case *ast.InterfaceType:
		for _, f := range x.Methods.List {
			if c.methods += len(f.Names); len(f.Names) == 0 {
				c.embeds = append(c.embeds, typeName(f.Type))
			}
		}
	}
}

// typeName is the name of a type of the package; empty for others.
func typeName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.StarExpr:
		return typeName(x.X)
	case *ast.IndexExpr:
		return typeName(x.X)
	}
	return ""
}
