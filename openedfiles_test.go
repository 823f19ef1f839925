package spvsim_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// opening are functions that open files by name. Package files opens what users name; the others here open what is no file of a user.
var opening = map[string]bool{"os.Open": true, "os.OpenFile": true, "os.ReadFile": true, "os.DirFS": true, "os.OpenRoot": true, "ioutil.ReadFile": true, "elf.Open": true}

// ownFiles are the places, as package/function, that open files which no user names.
var ownFiles = map[string]string{
	"internal/files/OS": "it is the place", "internal/files/Sandbox": "it is the place",
	"cmd/spvsim/findIdentity": "the program itself", "vulkan/launch/build": "the library that it has built",
	"vulkan/launch/lock": "writes: a lock", "cmd/spvsim/addRows": "writes: the file of all rows", "cmd/spvsim/outputs": "writes: files of results",
	"gpu/defaultHostBytes": "the system's limits", "gpu/memTotal": "the system's table of memory",
	"vulkan/driver/loadedFrom": "the system's table of this process", "vulkan/driver/buildID": "the library itself",
	"vulkan/driver/newRecorder": "writes: rows", "vulkan/driver/newProgress": "writes: progress", "vulkan/driver/refuse": "writes: refused calls", "experiments/sweep/note": "writes: a list of submissions", "experiments/sweep/openRows": "writes: a task's rows",
	"experiments/sweep/syncDir": "a folder, to write it through", "tracing/daisen/replace": "writes: a database",
}

// Each package of the product opens files that users name through package files, which refuses devices, pipes and long files.
func TestFilesAreOpenedInOnePlace(t *testing.T) {
	used := map[string]bool{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		dir := filepath.ToSlash(filepath.Dir(name))
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || !product(dir) {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			ast.Inspect(decl, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok && opening[selected(s)] {
					place := dir + "/" + declared(decl)
					used[place] = true
					if ownFiles[place] == "" {
						t.Errorf("%s: %s calls %s: want package files", name, place, selected(s))
					}
				}
				return true
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for place := range ownFiles {
		if !used[place] {
			t.Errorf("%s opens nothing: want it off the list", place)
		}
	}
}

// product says whether a folder is of the command, the driver, or a program that reads files of users.
func product(dir string) bool {
	for _, tool := range []string{"internal/fuzz", "internal/judge", "internal/ledger", "internal/oracle", "internal/randfigure", "internal/skips", "internal/suite",
		"docs", "internal/systemtest", "isa/gen", "isa/avo", "spirv/grammar/gen", "vulkan/gen"} {
		if dir == tool || strings.HasPrefix(dir, tool+"/") {
			return false
		}
	}
	return true
}

// selected is a selector of a package: os.Open.
func selected(s *ast.SelectorExpr) string {
	if x, ok := s.X.(*ast.Ident); ok {
		return x.Name + "." + s.Sel.Name
	}
	return ""
}

// declared is the name of a function or method, or of the first variable of a declaration.
func declared(d ast.Decl) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Name.Name
	case *ast.GenDecl:
		if v, ok := d.Specs[0].(*ast.ValueSpec); ok {
			return v.Names[0].Name
		}
	}
	return ""
}
