package spvsim_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// mostMethods is the most methods of a type of the model, those of embedded types included: one with more does more than one thing.
const mostMethods = 40

// moreMethods are the types that have more, with their number, which may only fall.
var moreMethods = map[string]int{"mem/hierarchy.cache": 64, "scheduler/graph.workgroup": 45, "gpu/concurrent.Launches": 47, "gpu/sampled.division": 42}

func TestTypesAreSmall(t *testing.T) {
	for _, dir := range []string{"cu", "cu/lookahead", "simd", "lds", "mem", "mem/akita", "mem/hierarchy", "mem/texture", "scheduler", "scheduler/graph", "gpu", "gpu/concurrent", "gpu/machine", "gpu/sampled", "vulkan/driver"} {
		methods, embeds := typesOf(t, dir)
		for name := range methods {
			n, most := methodsOf(name, methods, embeds), max(mostMethods, moreMethods[dir+"."+name])
			if n > most {
				t.Errorf("%s.%s has %d methods, with those of the types it embeds: want at most %d", dir, name, n, most)
			}
		}
	}
}

// methodsOf counts the methods of a type and of those types of its package that it embeds, and these in turn.
func methodsOf(name string, methods map[string]int, embeds map[string][]string) int {
	n := methods[name]
	for _, e := range embeds[name] {
		n += methodsOf(e, methods, embeds)
	}
	return n
}

// typesOf counts the own methods of the types of a package without its tests, and lists what each embeds.
func typesOf(t *testing.T, dir string) (methods map[string]int, embeds map[string][]string) {
	t.Helper()
	files, err := filepath.Glob(dir + "/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", dir, len(files), err)
	}
	methods, embeds = map[string]int{}, map[string][]string{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file := suite.Must(parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution))(t)
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv != nil {
					methods[typeName(n.Recv.List[0].Type)]++
				}
			case *ast.TypeSpec:
				methods[n.Name.Name] += 0
				for _, f := range members(n.Type) {
					if len(f.Names) == 0 {
						embeds[n.Name.Name] = append(embeds[n.Name.Name], typeName(f.Type))
					} else if _, ok := n.Type.(*ast.InterfaceType); ok {
						methods[n.Name.Name] += len(f.Names)
					}
				}
			}
			return true
		})
	}
	return methods, embeds
}

// members are the fields of a structure or the methods of an interface.
func members(x ast.Expr) []*ast.Field {
	switch x := x.(type) {
	case *ast.StructType:
		return x.Fields.List
	case *ast.InterfaceType:
		return x.Methods.List
	}
	return nil
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
