package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// hottest is how many functions of the profile are looked for in the sources.
const hottest = 40

// The compiler uses what the profile says of functions by their names: most of the hottest ones must still have theirs. If
// not, the profile is to be recorded anew.
func TestProfileIsOfThisCode(t *testing.T) {
	out := suite.Must(exec.Command("go", "tool", "pprof", "-top", "-nodecount=200", "default.pgo").Output())(t)
	seen, known := 0, map[string]map[string]bool{}
	var gone []string
	for _, m := range regexp.MustCompile(`spvsim/([\w/]+)\.(?:\(\*?(\w+)\)\.)?(\w+)`).FindAllStringSubmatch(string(out), -1) {
		folder, name := m[1], strings.TrimPrefix(m[2]+"."+m[3], ".")
		if known[folder] == nil {
			known[folder] = functionsOf(t, "../../"+folder)
		}
		if seen++; !known[folder][name] {
			gone = append(gone, folder+"."+name)
		}
		if seen == hottest {
			break
		}
	}
	if seen < hottest || len(gone) > hottest/4 {
		t.Errorf("%d functions of the product in default.pgo, want %d; these are no more: %v: record it anew with cmd/spvsim/record-pgo.sh", seen, hottest, gone)
	}
}

// functionsOf are the functions and methods of a package.
func functionsOf(t *testing.T, folder string) map[string]bool {
	files := suite.Must(filepath.Glob(filepath.Join(folder, "*.go")))(t)
	names := map[string]bool{}
	for _, name := range files {
		file := suite.Must(parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution))(t)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				names[receiver(f)+f.Name.Name] = true
			}
		}
	}
	return names
}

// receiver is the type of a method with a dot after it.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	of := f.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if name, ok := of.(*ast.Ident); ok {
		return name.Name + "."
	}
	return ""
}
