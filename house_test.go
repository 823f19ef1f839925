package spvsim_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// house says which packages of this module each package may import, besides
// those that its folder is in: data flows one way, and a stage can't be
// skipped.
var house = map[string]string{
	"docs":                  "",                                             // tests only
	"internal/suite":        "",                                             // for tests
	"internal/skips":        "",                                             // decides in .ci/run what may skip
	"internal/randfigure":   "",                                             // likewise
	"internal/ledger":       "config gpu internal/suite probe spec tracing", // likewise
	"internal/mutate":       "internal/suite",                               // a tool for those who work on the model
	"internal/pgo":          "",                                             // records the profile that the command is compiled by
	"internal/judge":        "account config cu gpu isa program simd spirv spirv/validate tracing",
	"internal/judge/cmd":    "config experiments internal/judge",
	"systemtest":            "", // tests only
	"spirv/grammar":         "",
	"spirv/grammar/gen":     "",
	"spirv":                 "spirv/grammar",
	"spirv/asm":             "spirv spirv/grammar",
	"spirv/internal/sample": "spirv spirv/grammar",
	"spirv/validate":        "spirv spirv/grammar",
	"isa":                   "spirv",
	"isa/gen":               "isa",
	"raster":                "",
	"mem/lane":              "isa",
	"mem/rmw":               "isa mem/lane",
	"mem/dram":              "",
	"program/ir":            "isa spirv",
	"internal/oracle":       "isa program/ir",
	"program/frontend":      "isa program/ir spirv spirv/validate",
	"program/opt":           "isa program/ir",
	"program":               "isa program/ir program/frontend program/opt spirv spirv/validate",
	"expression":            "",
	"energy":                "account isa spec",
	"files":                 "fault",
	"bounds":                "files",
	"config":                "command files energy expression fault isa spec simd lds mem cu scheduler", // the machine is put together from its components' specs
	"engine":                "",
	"spec":                  "",
	"starter":               "config isa program program/ir spirv spirv/validate", // of config, the sizes of texels
	"account":               "isa",
	"probe":                 "program account",
	"tracing":               "isa program config account energy",
	"tracing/perfetto":      "account expression probe isa tracing",
	"tracing/profile":       "account energy probe isa program config tracing",
	"tracing/report":        "account probe tracing tracing/profile",
	"tracing/daisen":        "account probe isa tracing",
	"tracing/monitor":       "",
	"simd":                  "isa program account probe spec",
	"lds":                   "engine isa mem/lane mem/rmw spec",
	"mem":                   "engine isa mem/dram mem/lane mem/rmw program/ir spec",
	"lookahead":             "fault account engine isa mem simd",
	"cu":                    "engine isa program simd lds lookahead mem account probe spec",
	"scheduler":             "engine isa program simd mem mem/lane cu account probe spec",
	"command":               "engine scheduler",
	"functional":            "fault account isa lds mem program simd",
	"gpu":                   "bounds account command energy functional probe engine raster spirv spirv/asm spirv/validate isa program program/ir program/opt config simd lds mem cu scheduler tracing",
	"fault":                 "",
	"experiments":           "config",
	"experiments/accuracy":  "files config gpu",
	"experiments/sampling":  "files account config experiments gpu",
	"experiments/sweep":     "files config experiments tracing",
	"plots":                 "files expression fault",
	"fuzz":                  "config experiments fuzz/mutate gpu plots program spirv spirv/asm spirv/validate starter tracing/profile tracing/report",
	"fuzz/mutate":           "spirv spirv/grammar",
	"fuzz/cmd":              "fuzz",
	"vulkan":                "vulkan/driver",
	"vulkan/driver":         "files account config gpu isa mem probe program program/ir spirv spirv/validate tracing tracing/perfetto tracing/profile vulkan/vk expression",
	"vulkan/gen":            "",
	"vulkan/launch":         "files",
	"vulkan/rows":           "files account experiments/sweep plots tracing/perfetto tracing/report",
	"vulkan/vk":             "",
	"cmd/spvsim":            "bounds fault files account probe engine starter spirv spirv/asm spirv/validate program config gpu tracing tracing/perfetto tracing/profile tracing/report tracing/daisen tracing/monitor experiments experiments/sweep plots internal/judge vulkan/launch vulkan/rows expression",
}

// akita are the packages that may know the event engine.
var akita = map[string]bool{"engine": true, "simd": true, "lds": true, "lookahead": true, "cu": true, "scheduler": true, "command": true, "mem": true, "gpu": true, "tracing": true,
	"internal/ledger": true, "tracing/daisen": true, "tracing/monitor": true}

func TestImportsRunDownTheHouse(t *testing.T) {
	out, err := exec.Command("go", "list", "-pgo=off", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		words := strings.Fields(line)
		from, ok := strings.CutPrefix(words[0], "spvsim/")
		if !ok {
			continue
		}
		allowed, known := house[from]
		if !known {
			t.Errorf("package %s is not in the house: say what it may import", from)
			continue
		}
		checkImports(t, from, strings.Fields(allowed), words[1:])
	}
}

// archived are modules without a maintainer, with what to use in their place.
var archived = map[string]string{"gopkg.in/yaml.v3": "go.yaml.in/yaml/v3", "gopkg.in/yaml.v2": "go.yaml.in/yaml/v3", "github.com/pkg/errors": "errors"}

func checkImports(t *testing.T, from string, allowed, imports []string) {
	sort.Strings(allowed)
	for _, path := range imports {
		if instead := archived[path]; instead != "" {
			t.Errorf("%s imports %s, which is archived: use %s", from, path, instead)
		}
		if strings.HasPrefix(path, "github.com/sarchlab/akita") && !akita[from] {
			t.Errorf("%s imports %s: the event engine is not for this package", from, path)
		}
		to, ours := strings.CutPrefix(path, "spvsim/")
		if i := sort.SearchStrings(allowed, to); ours && (i == len(allowed) || allowed[i] != to) {
			t.Errorf("%s imports %s: the house does not allow it", from, to)
		}
	}
}

// Compute units, their SIMDs and their LDS are models in cycles: which thread of the host runs them, package lookahead knows.
func TestTheModelKnowsNoThreads(t *testing.T) {
	out, err := exec.Command("go", "list", "-pgo=off", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./simd", "./lds", "./cu").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		words := strings.Fields(line)
		for _, path := range words[1:] {
			if path == "sync" || path == "sync/atomic" || path == "runtime" {
				t.Errorf("%s imports %s", words[0], path)
			}
		}
	}
}

// The most methods and fields of a type of the model.
const (
	mostMethods = 40
	mostFields  = 20
)

// A type of the model does one thing: none has more methods or fields than a reader can keep in mind. Those of its own count, and
// those of the types of its package that it embeds.
func TestTypesAreSmall(t *testing.T) {
	for _, dir := range []string{"cu", "simd", "lds", "mem", "lookahead", "scheduler", "gpu", "vulkan/driver"} {
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

// opening are functions that open files by name. Package files opens what users name; the others here open what is no file of a user.
var opening = map[string]bool{"os.Open": true, "os.OpenFile": true, "os.ReadFile": true, "os.DirFS": true, "os.OpenRoot": true, "ioutil.ReadFile": true, "elf.Open": true}

// ownFiles are the places, as package/function, that open files which no user names.
var ownFiles = map[string]string{
	"files/OS": "it is the place", "files/Sandbox": "it is the place",
	"cmd/spvsim/findIdentity": "the program itself", "vulkan/launch/build": "the library that it has built",
	"vulkan/launch/lock": "writes: a lock", "cmd/spvsim/addRows": "writes: the file of all rows", "cmd/spvsim/outputs": "writes: files of results",
	"gpu/defaultHostBytes": "the system's limits", "gpu/memTotal": "the system's table of memory",
	"vulkan/driver/loadedFrom": "the system's table of this process", "vulkan/driver/buildID": "the library itself",
	"vulkan/driver/newRecorder": "writes: rows", "vulkan/driver/newProgress": "writes: progress", "experiments/sweep/note": "writes: a list of submissions",
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
	for _, tool := range []string{"internal", "fuzz", "docs", "systemtest", "isa/gen", "isa/avo", "spirv/grammar/gen", "vulkan/gen"} {
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
