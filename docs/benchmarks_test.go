package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"spvsim/experiments/sweep"
	"spvsim/internal/suite"
)

// The experiment of the accuracy page is ready to run with a file of measured values, which its rows have where the footprints agree.
func TestBenchmarkExperiment(t *testing.T) {
	text := suite.Must(os.ReadFile("model/accuracy.md"))(t)
	block := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindStringSubmatch(string(text))
	if block == nil {
		t.Fatal("no experiment on the page")
	}
	_, rows := planOf(t, "chase.yaml", map[string]string{"chase.yaml": block[1], "measured.csv": "footprint_kb,cycles\n1,73.5\n30,101\n"})
	joined := map[any]any{}
	for _, c := range rows.Columns {
		for i, v := range c.Values {
			if c.Name == "measured" && v != nil {
				joined[i] = v
			}
		}
	}
	if rows.Rows != 8 || len(joined) != 2 || joined[0] != 73.5 {
		t.Errorf("%d rows, measured values %v: want 8, and those of the first and the third", rows.Rows, joined)
	}
}

// planOf is the plan of an experiment among files of its own, with the rows that it will have.
func planOf(t *testing.T, name string, files map[string]string) (*sweep.Plan, *sweep.Table) {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		suite.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644))
	}
	e, at, err := sweep.Load(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	plan := suite.Must(sweep.NewPlan(t.Context(), e, at, false, sweep.Limits{}, sweep.Identity{}))(t)
	rows := suite.Must(plan.Blank())(t)
	return plan, rows
}
