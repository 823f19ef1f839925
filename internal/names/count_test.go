// Package names counts how many names of each package are a bare everyday word (held, beside, take), which says nothing of
// the field, and lists the type names that packages share.
//
//	go test ./internal/names -run TestTable -v               prints a table of the packages, shared type names and generic methods
//	go test ./internal/names -run TestTable -v -of mem       prints the everyday names of package mem
//
// It counts the types, functions, methods, fields and package variables of non-test files, each name once for its kind.
// The words are in everyday.txt. Terms of the field (issue, wave, lane, set, way, line, bank, queue) are not on it.
package names

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// A kind of name. Methods of interfaces are methods, and constants are variables.
type kind string

const (
	typeName     kind = "type"
	functionName kind = "func"
	methodName   kind = "method"
	fieldName    kind = "field"
	variableName kind = "var"
)

// declared counts how often a package declares a name of a kind.
type declared map[kind]map[string]int

// A goPackage holds the names that the files of a folder declare, and the folders that they import.
type goPackage struct {
	dir     string
	names   declared
	imports map[string]bool
}

// load parses the packages below root, with or without their tests, and sorts them by folder. It skips test data and hidden folders.
func load(root string, tests bool) ([]*goPackage, error) {
	byDir := map[string]*goPackage{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go" || !tests && strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		dir = filepath.ToSlash(dir)
		if byDir[dir] == nil {
			byDir[dir] = &goPackage{dir: dir, names: declared{}, imports: map[string]bool{}}
		}
		byDir[dir].add(file)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var all []*goPackage
	for _, p := range byDir {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *goPackage) int { return strings.Compare(a.dir, b.dir) })
	return all, nil
}

// add records the declarations and imports of a file.
func (p *goPackage) add(file *ast.File) {
	for _, spec := range file.Imports {
		if dir, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), "spvsim/"); ours {
			p.imports[dir] = true
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv != nil {
				p.count(methodName, n.Name)
			} else {
				p.count(functionName, n.Name)
			}
		case *ast.TypeSpec:
			p.count(typeName, n.Name)
		case *ast.StructType:
			p.countFields(fieldName, n.Fields)
		case *ast.InterfaceType:
			p.countFields(methodName, n.Methods)
		}
		return true
	})
	for _, d := range file.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range decl.Specs {
			if v, ok := s.(*ast.ValueSpec); ok {
				p.count(variableName, v.Names...)
			}
		}
	}
}

func (p *goPackage) countFields(k kind, list *ast.FieldList) {
	for _, f := range list.List {
		p.count(k, f.Names...)
	}
}

func (p *goPackage) count(k kind, names ...*ast.Ident) {
	if p.names[k] == nil {
		p.names[k] = map[string]int{}
	}
	for _, n := range names {
		if n.Name != "_" {
			p.names[k][n.Name]++
		}
	}
}

// total is the number of names of all kinds.
func (p *goPackage) total() (n int) {
	for _, names := range p.names {
		n += len(names)
	}
	return n
}

// everyday lists the names that are an everyday word, each after its kind.
func (p *goPackage) everyday() (list []string) {
	for k, names := range p.names {
		for name := range names {
			if everyday[strings.ToLower(name)] {
				list = append(list, string(k)+" "+name)
			}
		}
	}
	slices.Sort(list)
	return list
}

// A homonym is a word that several packages declare as a name of one kind.
type homonym struct {
	word string
	dirs []string
}

// homonyms lists the words that packages which meet declare as names of a kind, the most frequent first.
func homonyms(all []*goPackage, k kind) (list []homonym) {
	byWord := map[string][]*goPackage{}
	for _, p := range all {
		words := map[string]bool{}
		for name := range p.names[k] {
			words[strings.ToLower(name)] = true
		}
		for word := range words {
			byWord[word] = append(byWord[word], p)
		}
	}
	for word, packages := range byWord {
		h := homonym{word: word}
		for _, p := range packages {
			if slices.ContainsFunc(packages, func(q *goPackage) bool { return p != q && meet(all, p, q) }) {
				h.dirs = append(h.dirs, p.dir)
			}
		}
		if len(h.dirs) > 0 {
			list = append(list, h)
		}
	}
	slices.SortFunc(list, func(a, b homonym) int {
		return cmp.Or(len(b.dirs)-len(a.dirs), strings.Compare(a.word, b.word))
	})
	return list
}

// meet reports whether one of two packages imports the other, or a third imports both.
func meet(all []*goPackage, a, b *goPackage) bool {
	return a.imports[b.dir] || b.imports[a.dir] ||
		slices.ContainsFunc(all, func(p *goPackage) bool { return p.imports[a.dir] && p.imports[b.dir] })
}
