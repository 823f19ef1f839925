package spvsim_test

import (
	"go/ast"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// readingStep is a line of the walks: a function as package.Type.Function or package.Function, with the folder of the package.
var readingStep = regexp.MustCompile("(?m)^- `([a-z/]+(?:\\.[A-Za-z]+){1,2})`: \\S.*\\.$")

// Every step of the walks of docs/develop/code.md names a function of the product, and says in one line what it does.
func TestReadingOrder(t *testing.T) {
	page, _, _ := strings.Cut(string(suite.Must(os.ReadFile("docs/develop/code.md"))(t)), "\n## Packages\n")
	functions := parsed(t).functions()
	steps := readingStep.FindAllStringSubmatch(page, -1)
	for _, step := range steps {
		if !functions[step[1]] {
			t.Errorf("%s is no function", step[1])
		}
	}
	if lines := strings.Count(page, "\n- "); len(steps) != lines || lines < 60 {
		t.Errorf("%d of %d lines name a function: want all, and 60 or more", len(steps), lines)
	}
}

// functions returns the names of all functions and methods outside of tests: folder.Type.Method and folder.Function.
func (m *module) functions() map[string]bool {
	names := map[string]bool{}
	for file, f := range m.files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
				names[path.Dir(file)+"."+typeName(fn.Recv.List[0].Type)+"."+fn.Name.Name] = true
			} else if ok {
				names[path.Dir(file)+"."+fn.Name.Name] = true
			}
		}
	}
	return names
}
