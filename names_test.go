package spvsim_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A module is what the Go files of the repository declare and use.
type module struct {
	files    map[string]*ast.File       // by name from the root
	lines    map[string]int             // of each file
	packages map[string]map[string]bool // by package name: what its packages declare at the top, test files apart
	tests    map[string]bool            // functions of test files
	words    map[string]bool            // all identifiers
}

// parsed reads all Go files once.
func parsed(t *testing.T) *module {
	t.Helper()
	m := &module{map[string]*ast.File{}, map[string]int{}, map[string]map[string]bool{}, map[string]bool{}, map[string]bool{}}
	set := token.NewFileSet()
	err := eachFile(".go", func(name string, text []byte) error {
		f, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		m.files[name], m.lines[name] = f, set.File(f.Pos()).LineCount()
		m.declare(name, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// eachFile calls do for each file of the repository with an ending, but for test data.
func eachFile(ending string, do func(name string, text []byte) error) error {
	return filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && name != "."):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(name) != ending:
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return do(filepath.ToSlash(name), text)
	})
}

// declare notes what a file declares and uses.
func (m *module) declare(name string, f *ast.File) {
	test := strings.HasSuffix(name, "_test.go")
	top := m.packages[f.Name.Name]
	if top == nil && !test {
		top = map[string]bool{}
		m.packages[f.Name.Name] = top
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && test && fn.Recv == nil {
			m.tests[fn.Name.Name] = true
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if ok {
			m.words[id.Name] = true
		}
		return true
	})
	if test {
		return
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl: // of methods, the bare names: comments call them by package too
			top[d.Name.Name] = true
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					top[s.Name.Name] = true
				case *ast.ValueSpec:
					for _, id := range s.Names {
						top[id.Name] = true
					}
				}
			}
		}
	}
}

var (
	qualified = regexp.MustCompile(`(^|[^\w./"'-])([a-z]\w*)\.([A-Z]\w*)`)
	testName  = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w+`)
	goFile    = regexp.MustCompile("(?:^|[ `(\"])((?:[\\w-]+/)*[\\w-]+\\.go\\b)(?::(\\d+))?")
	nameIn    = regexp.MustCompile("`(\\w+)` (?:in|of|from) `((?:[\\w-]+/)*[\\w-]+\\.go)`")
	camel     = regexp.MustCompile(`(^|[\s("])([a-z]+[A-Z][A-Za-z]*)\b`)
)

// elsewhere are packages of other modules that have the name of one here.
var elsewhere = map[string]string{"tracing": "sarchlab/akita"}

// foreign are names that are no identifiers here, with what has them.
var foreign = map[string]string{
	"maxVectorComponents": "Vulkan", "subgroupAdd": "GLSL", "subgroupExclusiveAdd": "GLSL", "lowerFEXP": "LLVM", "lowerFLOG": "LLVM",
	"rocWMMA": "AMD", "minNum": "IEEE 754", "sRGB": "Khronos", "macOS": "Apple", "pJ": "unit",
	"invocationIndex": "manual", "writeValue": "manual", "inputValue": "manual", "dataOut": "manual", "dataIn": "manual",
}

// faults are the names in a text that nothing has; at is the file that it is in.
func (m *module) faults(at, text string, imports string) (list []string) {
	for _, x := range qualified.FindAllStringSubmatch(text, -1) {
		top, ours := m.packages[x[2]]
		if from := elsewhere[x[2]]; from != "" && strings.Contains(imports, from) {
			continue
		}
		if ours && !top[x[3]] {
			list = append(list, x[2]+"."+x[3])
		}
	}
	for _, name := range testName.FindAllString(text, -1) {
		if !m.tests[name] && !m.begins(name) {
			list = append(list, name)
		}
	}
	for _, x := range goFile.FindAllStringSubmatch(text, -1) {
		line, _ := strconv.Atoi(x[2])
		if lines := m.find(at, x[1]); lines == 0 || line > lines {
			list = append(list, x[0])
		}
	}
	return list
}

// begins reports whether tests begin with a name, as patterns of -run have it.
func (m *module) begins(name string) bool {
	for test := range m.tests {
		if strings.HasPrefix(test, name) {
			return true
		}
	}
	return false
}

// find is the number of lines of a file, by its name from the root or from a file beside it, or of the longest with that name in any
// folder where only the name is given; 0: there is none.
func (m *module) find(at, name string) int {
	most := max(m.lines[name], m.lines[path.Join(path.Dir(at), name)])
	for file, lines := range m.lines {
		if path.Base(file) == name || strings.Contains(name, "NAME") { // a placeholder
			most = max(most, lines)
		}
	}
	return most
}

// named reports whether a word is an identifier here, or one of Vulkan's, whose members begin with a capital letter in Go.
func (m *module) named(word string) bool {
	return m.words[word] || m.words[strings.ToUpper(word[:1])+word[1:]] || strings.HasPrefix(word, "vk") || foreign[word] != ""
}

// Names of Go in comments and pages are of something that is there: packages' members (probe.Tracer), tests, files with lines.
func TestNamesInCommentsAndPages(t *testing.T) {
	m := parsed(t)
	for name, f := range m.files {
		imports := ""
		for _, i := range f.Imports {
			imports += i.Path.Value
		}
		for _, group := range f.Comments {
			for _, word := range m.faults(name, group.Text(), imports) {
				t.Errorf("%s: a comment names %s, which is nowhere", name, word)
			}
			for _, x := range camel.FindAllStringSubmatch(group.Text(), -1) {
				if !m.named(x[2]) {
					t.Errorf("%s: a comment names %s, which is nowhere", name, x[2])
				}
			}
		}
	}
	err := eachFile(".md", func(name string, text []byte) error {
		for _, word := range m.faults(name, string(text), "") {
			t.Errorf("%s names %s, which is nowhere", name, word)
		}
		for _, x := range nameIn.FindAllStringSubmatch(string(text), -1) {
			if source, err := os.ReadFile(x[2]); err != nil || !regexp.MustCompile(`\b`+x[1]+`\b`).Match(source) {
				t.Errorf("%s names %s in %s, which is not there", name, x[1], x[2])
			}
		}
		return nil
	})
	if err != nil || len(m.files) < 500 {
		t.Errorf("%d files, %v", len(m.files), err)
	}
}
