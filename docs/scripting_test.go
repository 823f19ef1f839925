package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// scriptingInGo is the part of the page of scripts that is about Go.
func scriptingInGo(t *testing.T) string {
	t.Helper()
	text, _, found := strings.Cut(string(suite.Must(os.ReadFile("guide/scripting.md"))(t)), "\n## Python\n")
	if !found {
		t.Fatal("guide/scripting.md has no part about Python")
	}
	return text
}

// The program of the library's page runs in a module of its own, and prints what the page says; the names that it calls stable are there.
func TestLibraryPage(t *testing.T) {
	if testing.Short() {
		t.Skip("links a program")
	}
	blocks := regexp.MustCompile("(?s)```(?:go)?\n(.*?)```").FindAllStringSubmatch(scriptingInGo(t), -1)
	if len(blocks) != 2 {
		t.Fatalf("%d blocks: want the program and its output", len(blocks))
	}
	repository := suite.Must(filepath.Abs(".."))(t)
	module := suite.Must(os.ReadFile("../go.mod"))(t)
	// Its requirements are those of the repository, so that nothing is fetched.
	local := strings.ReplaceAll(string(module), "=> ./", "=> "+repository+"/")
	own := strings.Replace(local, "module spvsim", "module study", 1) + "\nrequire spvsim v0.0.0\nreplace spvsim => " + repository + "\n"
	sums := suite.Must(os.ReadFile("../go.sum"))(t)
	dir := t.TempDir()
	for name, data := range map[string]string{"go.mod": own, "go.sum": string(sums), "main.go": blocks[0][1]} {
		suite.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644))
	}
	c := exec.Command("go", "run", "-mod=mod", ".")
	c.Dir = dir
	c.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=")
	if out, err := c.CombinedOutput(); err != nil || string(out) != blocks[1][1] {
		t.Errorf("%v: it prints\n%s\nand the page says\n%s", err, out, blocks[1][1])
	}
}

// stableRow is a row of the table of packages whose names the page calls stable.
var stableRow = regexp.MustCompile("(?m)^\\| `([a-z]+)` \\| (.*) \\| yes")

func TestStableNamesAreThere(t *testing.T) {
	names := regexp.MustCompile("`([A-Z][A-Za-z]+)`")
	rows := stableRow.FindAllStringSubmatch(scriptingInGo(t), -1)
	if len(rows) < 4 {
		t.Fatalf("%d rows: want those of the stable packages", len(rows))
	}
	for _, row := range rows {
		out, err := exec.Command("go", "doc", "-all", "spvsim/"+row[1]).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, name := range names.FindAllStringSubmatch(row[2], -1) {
			if !regexp.MustCompile(`(?m)^\s*(func|type|const|var)( \([^)]*\))? ` + name[1] + `\b`).Match(out) {
				t.Errorf("%s has no %s", row[1], name[1])
			}
		}
	}
}
