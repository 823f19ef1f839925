package docs_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/experiments/sweep"
	"spvsim/internal/suite"
	"spvsim/plots"
)

// pythonRows are rows as a sweep of lds-aliasing writes them.
func pythonRows() *sweep.Table {
	texts := func(list ...any) []any { return list }
	return &sweep.Table{Rows: 4, Columns: []sweep.TableColumn{
		{Name: "point", Type: sweep.Integer, Role: sweep.Bookkeeping, Values: texts(int64(0), int64(1), int64(2), int64(3))},
		{Name: "arrays", Type: sweep.Text, Role: sweep.Parameter, Values: texts("separate", "separate", "aliased", "aliased")},
		{Name: "lds_bytes", Type: sweep.Integer, Role: sweep.Parameter, Unit: "bytes", Source: "machine.lds.bytes", Values: texts(int64(8192), int64(65536), int64(8192), int64(65536))},
		{Name: "status", Type: sweep.Text, Role: sweep.Bookkeeping, Values: texts("done", "done", "done", "done")},
		{Name: "cycles", Type: sweep.Integer, Role: sweep.Result, Unit: "cycles", Source: "cycles", Values: texts(int64(400), int64(300), int64(200), int64(310))},
		{Name: "error", Type: sweep.Text, Role: sweep.Bookkeeping, Values: texts(nil, nil, nil, nil)},
		{Name: "inputs", Type: sweep.Text, Role: sweep.Bookkeeping, Values: texts("a", "b", "c", "d")},
		{Name: "version", Type: sweep.Text, Role: sweep.Bookkeeping, Values: texts("v1", "v1", "v1", "v1")},
	}}
}

// between are the texts between two marks.
func between(text, from, to string) (list []string) {
	for {
		_, rest, ok := strings.Cut(text, from)
		part, after, closed := strings.Cut(rest, to)
		if !ok || !closed {
			return list
		}
		list, text = append(list, part), after
	}
}

// The page's examples run, where Python has what they import, and print what the page says.
func TestPythonPage(t *testing.T) {
	page := suite.Must(os.ReadFile("guide/scripting.md"))(t)
	code := strings.Join(between(string(page), "```python\n", "```"), "\n")
	if strings.Count(code, "import") < 4 {
		t.Fatalf("the page has lost its examples:\n%s", code)
	}
	python := pythonWithLibraries(t)
	dir := t.TempDir()
	suite.OK(t, os.Mkdir(filepath.Join(dir, "out"), 0o777))
	suite.Must(pythonRows().Write(filepath.Join(dir, "out"), "lds-aliasing-small"))(t)
	c := exec.Command(python, "-c", code)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"{'name': 'cycles', 'type': 'integer', 'role': 'result', 'unit': 'cycles', 'source': 'cycles'}", "speedup", "aliased"} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("it prints\n%s\nwant %s", out, want)
		}
	}
	drawSpeedups(t, dir, string(page))
}

func pythonWithLibraries(t *testing.T) string {
	t.Helper()
	python := os.Getenv("PYTHON")
	if python == "" {
		python = "python3"
	}
	if err := exec.Command(python, "-c", "import pandas, pyarrow, polars").Run(); err != nil {
		t.Skip("no Python with pandas, pyarrow and polars (PYTHON names one)")
	}
	return python
}

// drawSpeedups draws the page's figure from what its examples wrote.
func drawSpeedups(t *testing.T, dir, page string) {
	t.Helper()
	text := strings.ReplaceAll(between(page, "with `out/speedups.yaml`\n\n", "\n\n")[0], "    ", "")
	figure := suite.Must(plots.Read("speedups.yaml", []byte(text)))(t)
	rows := suite.Must(plots.ReadTable(filepath.Join(dir, "out", "speedups.csv")))(t)
	chart := suite.Must(plots.Build(figure, rows))(t)
	if got := chart.Panels[0].Series[0].Points; len(got) != 2 || got[0].Y != 2 {
		t.Errorf("points %+v: want a speed-up of 2 with 8 KB", got)
	}
}
