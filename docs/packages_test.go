package docs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// packagesIntro introduces the page of packages.
const packagesIntro = `# Packages

Each package with its purpose and the packages of this module that it imports. Data flows in one direction: ` + "`imports_test.go`" + `
lists the packages that each may import. This page is generated from ` + "`go list`" + `, by ` + "`go generate ./docs`" + `.

`

// layers are the sections of the page, each with its packages.
var layers = []struct {
	title    string
	packages []string
}{
	{"From bytes to a validated module", []string{"spirv", "spirv/grammar", "spirv/grammar/gen", "spirv/asm", "spirv/validate", "spirv/internal"}},
	{"From a module to a program of wave instructions", []string{"isa", "isa/gen", "program"}},
	{"Descriptions: jobs, machines and their language", []string{"config", "internal/expression", "internal/fault", "internal/files", "internal/lists", "internal/bounds", "internal/spec"}},
	{"The machine", []string{"engine", "account", "energy", "mem", "lds", "check", "simd", "cu", "scheduler", "gpu"}},
	{"Output: statistics, traces, reports, figures", []string{"tracing", "plots"}},
	{"Experiments, the Vulkan driver and commands", []string{"experiments", "internal/starter", "vulkan", "cmd"}},
	{"Only for tests of the rest", []string{"internal", "docs"}},
}

// listed is what go list says of a package.
type listed struct {
	ImportPath, Doc string
	Imports         []string
}

// The page of packages is what go list says; every package has its layer.
func TestPackagesPage(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(packagesIntro)
	all := listPackages(t)
	done := map[string]bool{}
	for _, layer := range layers {
		fmt.Fprintf(&b, "## %s\n\n| package | purpose | imports |\n| --- | --- | --- |\n", layer.title)
		for _, root := range layer.packages {
			for _, p := range all {
				name := strings.TrimPrefix(p.ImportPath, "spvsim/")
				if inside := name == root || strings.HasPrefix(name, root+"/"); inside && !done[name] {
					done[name] = true
					writePackage(&b, name, &p)
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
	compareOrWrite(t, "develop/packages.md", append(bytes.TrimRight(b.Bytes(), "\n"), '\n'))
}

func listPackages(t *testing.T) (all []listed) {
	t.Helper()
	out := suite.Must(exec.Command("go", "list", "-pgo=off", "-json=ImportPath,Doc,Imports", "../...").Output())(t)
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p listed
		suite.OK(t, d.Decode(&p))
		all = append(all, p)
	}
	return all
}

// docStart is what a package comment begins with.
var docStart = regexp.MustCompile(`^(Package|Command) \S+ `)

func writePackage(b *bytes.Buffer, name string, p *listed) {
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
	fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, strings.ReplaceAll(purpose, "|", `\|`), strings.Join(imports, ", "))
}

var sourceFile = regexp.MustCompile("`([a-z0-9_]+/[A-Za-z0-9_/.-]+\\.(?:go|yaml|md|comp))`")

// The files that the recipes for changes name are there.
func TestRecipesNameFiles(t *testing.T) {
	text := suite.Must(os.ReadFile(filepath.FromSlash("../CONTRIBUTING.md")))(t)
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
