package docs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// houseTop introduces the page of packages.
const houseTop = `# Packages

Each package with its purpose, the packages of this module that it imports, and its size in lines of Go, rounded to hundreds: the package
itself + its tests. Data flows in one direction: ` + "`house_test.go`" + ` has the list of packages that each may import. This page is generated
from ` + "`go list`" + `, by ` + "`go generate ./docs`" + `.

`

// floors are the sections of the page, each with its packages.
var floors = []struct {
	title    string
	packages []string
}{
	{"From bytes to a validated module", []string{"spirv", "spirv/grammar", "spirv/grammar/gen", "spirv/asm", "spirv/validate", "spirv/internal"}},
	{"From a module to a program of wave instructions", []string{"isa", "isa/gen", "program"}},
	{"Descriptions: jobs, machines and their language", []string{"expression", "fault", "files", "bounds", "spec", "config"}},
	{"The machine", []string{"engine", "account", "energy", "probe", "raster", "mem", "lds", "simd", "lookahead", "cu", "scheduler", "command", "functional", "gpu"}},
	{"Output: statistics, traces, reports, figures", []string{"tracing", "plots"}},
	{"Experiments, the Vulkan driver and commands", []string{"experiments", "starter", "vulkan", "cmd"}},
	{"Only for tests of the rest", []string{"systemtest", "internal", "fuzz", "docs"}},
}

// listed is what go list says of a package.
type listed struct {
	ImportPath, Dir, Doc                        string
	Imports, GoFiles, TestGoFiles, XTestGoFiles []string
}

// The page of the house is what go list says; every package has its floor.
func TestHousePage(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(houseTop)
	all := listPackages(t)
	done := map[string]bool{}
	for _, floor := range floors {
		fmt.Fprintf(&b, "## %s\n\n| package | purpose | imports | lines |\n| --- | --- | --- | --- |\n", floor.title)
		for _, root := range floor.packages {
			for _, p := range all {
				name := strings.TrimPrefix(p.ImportPath, "spvsim/")
				if inside := name == root || strings.HasPrefix(name, root+"/"); inside && !done[name] {
					done[name] = true
					writePackage(t, &b, name, &p)
				}
			}
		}
		fmt.Fprintln(&b)
	}
	for _, p := range all {
		if name := strings.TrimPrefix(p.ImportPath, "spvsim/"); !done[name] && name != "spvsim" {
			t.Errorf("package %s is in no layer of the page", name)
		}
	}
	compareOrWrite(t, "house.md", append(bytes.TrimRight(b.Bytes(), "\n"), '\n'))
}

func listPackages(t *testing.T) (all []listed) {
	t.Helper()
	out, err := exec.Command("go", "list", "-pgo=off", "-json=ImportPath,Dir,Doc,Imports,GoFiles,TestGoFiles,XTestGoFiles", "../...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// docStart is what a package comment begins with.
var docStart = regexp.MustCompile(`^(Package|Command) \S+ `)

func writePackage(t *testing.T, b *bytes.Buffer, name string, p *listed) {
	t.Helper()
	var imports []string
	for _, path := range p.Imports {
		if ours, ok := strings.CutPrefix(path, "spvsim/"); ok {
			imports = append(imports, ours)
		}
	}
	purpose := docStart.ReplaceAllString(p.Doc, "")
	if purpose == "" {
		purpose = "tests only"
	}
	tests := slices.Concat(p.TestGoFiles, p.XTestGoFiles)
	fmt.Fprintf(b, "| `%s` | %s | %s | %s + %s |\n", name, strings.ReplaceAll(purpose, "|", `\|`), strings.Join(imports, ", "), hundreds(t, p.Dir, p.GoFiles), hundreds(t, p.Dir, tests))
}

// hundreds counts lines in hundreds, so that the page changes seldom.
func hundreds(t *testing.T, dir string, files []string) string {
	t.Helper()
	lines := 0
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		lines += bytes.Count(text, []byte("\n"))
	}
	if lines == 0 {
		return "0"
	}
	return fmt.Sprint(max((lines+50)/100*100, 100))
}

var sourceFile = regexp.MustCompile("`([a-z0-9_]+/[A-Za-z0-9_/.-]+\\.(?:go|yaml|md|comp))`")

// The files that the recipes for changes name are there.
func TestRecipesNameFiles(t *testing.T) {
	text, err := os.ReadFile(filepath.FromSlash("../CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, m := range sourceFile.FindAllStringSubmatch(string(text), -1) {
		if strings.Contains(m[1], "NAME") {
			continue
		}
		found++
		if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(m[1]))); err != nil {
			t.Error(err)
		}
	}
	if found < 20 {
		t.Errorf("%d files: the recipes have lost theirs", found)
	}
}
