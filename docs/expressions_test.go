package docs_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// The page's axes over items of lists and over columns of the rows are those of an experiment: each point takes its file, and columns go by
// their names alone.
func TestPathsOfThePage(t *testing.T) {
	text := suite.Must(os.ReadFile("reference/job.md"))(t)
	axes := regexp.MustCompile(`(?m)^    axes:\n(?:      .*\n)+`).FindString(string(text))
	if axes == "" {
		t.Fatal("no axes on the page")
	}
	shader := suite.Must(os.ReadFile("../experiments/library/vectoradd.spv"))(t)
	plan, rows := planOf(t, "paths.yaml", map[string]string{
		"vectoradd.spv": string(shader), "small.bin": strings.Repeat("s", 64), "large.bin": strings.Repeat("b", 64),
		"sparse.bin": strings.Repeat("0", 64), "dense.bin": strings.Repeat("1", 64), "none.bin": strings.Repeat("n", 64),
		"job.yaml": `shader: vectoradd.spv
buffers:
  - {set: 0, binding: 0, name: a, data: {file: none.bin}}
  - {set: 0, binding: 1, name: b, data: {file: none.bin}}
  - {set: 0, binding: 2, name: c, data: {zero: 64}}
push_constants: [{u32: 16}]
dispatch: [1]
`, "paths.yaml": "set: {job: job.yaml}\n" + regexp.MustCompile(`(?m)^    `).ReplaceAllString(axes, ""),
	})
	columns := map[string][]any{}
	for _, c := range rows.Columns {
		columns[c.Name] = c.Values
	}
	for name, want := range map[string][]string{"input": {"large.bin", "small.bin"}, "kind": {"dense", "sparse"}, "density": {"0.1", "1"}, "again": {"1", "2", "3"}} {
		found := map[string]bool{}
		for _, v := range columns[name] {
			found[fmt.Sprint(v)] = true
		}
		if got := slices.Sorted(maps.Keys(found)); !slices.Equal(got, want) {
			t.Errorf("column %s has the values %v: want %v", name, got, want)
		}
	}
	// Points read different files, and are different simulations but for the repetition.
	inputs := map[string]bool{}
	for i := range plan.Specs {
		inputs[plan.Specs[i].Inputs] = true
	}
	if len(plan.Specs) != 12 || len(inputs) != 4 {
		t.Errorf("%d points of %d different inputs: want 12 of 4", len(plan.Specs), len(inputs))
	}
}
