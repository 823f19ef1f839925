package experiments

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spvsim/internal/suite"
	"spvsim/spirv"
	"spvsim/spirv/grammar"
)

// read is a file of the repository.
func read(t *testing.T, elements ...string) string {
	t.Helper()
	text := suite.Must(os.ReadFile(filepath.Join(append([]string{".."}, elements...)...)))(t)
	return string(text)
}

// extensionRows are the names of everything that needs the capability, by the grammar.
func extensionRows() []string {
	needs := func(capabilities []uint32) bool {
		return slices.Contains(capabilities, uint32(spirv.CapabilityShaderEnqueueAMDX))
	}
	names := []string{"ShaderEnqueueAMDX"}
	for i := range grammar.Ops {
		if needs(grammar.Ops[i].Capabilities) {
			names = append(names, grammar.Ops[i].Name)
		}
	}
	for i := range grammar.Kinds {
		for _, e := range grammar.Kinds[i].Enumerants {
			if needs(e.Capabilities) {
				names = append(names, e.Name)
			}
		}
	}
	return names
}

// The section of the graphs page on tests has a row for everything in the extension, and names existing tests.
func TestGraphSpecIsComplete(t *testing.T) {
	page := read(t, "docs", "graphs", "writing.md")
	rows := extensionRows()
	if len(rows) < 26 {
		t.Fatalf("only %q need the capability", rows)
	}
	for _, name := range rows {
		if !strings.Contains(page, "| "+name+" ") {
			t.Errorf("no row for %s", name)
		}
	}
	tests := declaredTests(t)
	for _, m := range regexp.MustCompile("`(Test[A-Za-z]+)(/[^`]+)?`").FindAllStringSubmatch(page, -1) {
		if !slices.Contains(tests, m[1]) {
			t.Errorf("there is no %s", m[1])
		}
		if m[2] != "" && !hasSubtest(t, m[1], m[2][1:]) {
			t.Errorf("there is no %s%s", m[1], m[2])
		}
	}
	for _, m := range regexp.MustCompile("`TestRandomGraphsAreAsInterpreted` \\(([^)]+)\\)").FindAllStringSubmatch(page, -1) {
		for _, name := range strings.Split(m[1], ", ") {
			if !strings.Contains(read(t, "experiments", "randomgraph_test.go"), `{"`+name+`", func(`) {
				t.Errorf("random graphs count no %q", name)
			}
		}
	}
}

// declaredTests are the names of the repository's test functions.
func declaredTests(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, pattern := range []string{"*/*_test.go", "*/*/*_test.go", "*/*/*/*_test.go"} {
		files := suite.Must(filepath.Glob(filepath.Join("..", pattern)))(t)
		for _, f := range files {
			for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(read(t, strings.TrimPrefix(f, "../")), -1) {
				names = append(names, m[1])
			}
		}
	}
	return names
}

// hasSubtest looks for a subtest in the test's table.
func hasSubtest(t *testing.T, test, name string) bool {
	switch plain := strings.ReplaceAll(name, "_", " "); test {
	case "TestGraphsGiveTheSameBuffersUnderEveryScheduler":
		return slices.Contains(graphJobs(), name)
	case "TestExtensionRules":
		return strings.Contains(read(t, "docs", "reference", "spirv.md"), "`TestExtensionRules/"+name+"`")
	case "TestGraphFaultsEndTheRun":
		return strings.Contains(read(t, "cmd", "spvsim", "graphfault_test.go"), `{"`+plain+`"`)
	case "TestGraphs":
		return strings.Contains(read(t, "program", "frontend", "graph_test.go"), `module: "`+name+`"`)
	case "TestGraphFaults":
		return strings.Contains(read(t, "gpu", "graph_test.go"), `{"`+plain+`"`)
	}
	return false
}
