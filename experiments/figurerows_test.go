package experiments_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/experiments/sweep"
	"spvsim/plots"
)

func loadFigure(t *testing.T, name string) *config.Experiment {
	t.Helper()
	e, _, err := sweep.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// The committed rows match the present experiment: one per point, all of them done.
func TestCommittedRows(t *testing.T) {
	for _, name := range experiments.FigureNames() {
		t.Run(name, func(t *testing.T) {
			points, err := loadFigure(t, name).Points(false)
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(filepath.Join("figures", name+".csv"))
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(string(text)), "\n")
			if len(lines)-1 != len(points) {
				t.Errorf("%d rows are committed, and the experiment has %d points", len(lines)-1, len(points))
			}
			for _, line := range lines[1:] {
				if !strings.Contains(line, ",done,") {
					t.Errorf("a point failed: %s", line)
				}
			}
		})
	}
}

// Each experiment has a question, an expectation and a reading, a committed picture for each of its figures, and a
// small variant with fewer points.
func TestFigureTexts(t *testing.T) {
	for _, name := range experiments.FigureNames() {
		t.Run(name, func(t *testing.T) {
			e := loadFigure(t, name)
			for part, text := range map[string]string{"question": e.Question, "expectation": e.Expectation, "reading": e.Reading} {
				if len(strings.Fields(text)) < 8 {
					t.Errorf("the %s is %q", part, text)
				}
			}
			for i := range e.Figures {
				if _, err := os.Stat(filepath.Join("figures", e.Figures[i].Name+".svg")); err != nil {
					t.Error(err)
				}
			}
			all, err1 := e.Points(false)
			small, err2 := e.Points(true)
			if err1 != nil || err2 != nil || len(small) >= len(all) {
				t.Errorf("%d points, %d in the small variant; %v, %v", len(all), len(small), err1, err2)
			}
		})
	}
}

// The committed pictures equal those drawn from the committed rows. With -update they are redrawn.
func TestCommittedFigures(t *testing.T) {
	for _, name := range experiments.FigureNames() {
		e := loadFigure(t, name)
		rows, err := plots.ReadTable(filepath.Join("figures", name+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range e.Figures {
			text, ok := e.Figures[i].Text()
			if !ok {
				t.Fatalf("%s: its figure is in a file of its own", name)
			}
			figure, err := plots.Read(e.File(), text)
			if err != nil {
				t.Fatal(err)
			}
			chart, err := plots.Build(figure, rows)
			if err != nil {
				t.Fatal(err)
			}
			for _, warning := range chart.Warnings {
				t.Errorf("%s: %s", name, warning)
			}
			for _, format := range []string{"svg", "pdf"} {
				drawn, err := chart.Draw(format, "")
				if err != nil {
					t.Fatal(err)
				}
				settlePicture(t, filepath.Join("figures", e.Figures[i].Name+"."+format), drawn)
			}
		}
	}
}

// settlePicture compares a committed picture with its expected content, or writes it.
func settlePicture(t *testing.T, name string, want []byte) {
	t.Helper()
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(name, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what its rows give (%v): run go generate ./experiments", name, err)
	}
}

// Figures over time are drawn from rows of runs (run --series): the committed ones equal those of their rows.
func TestSeriesFigures(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("series", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no figures: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		figure, err := plots.Read(file, text)
		if err != nil {
			t.Fatal(err)
		}
		at, err := figure.RowsPath()
		if err != nil {
			t.Fatal(err)
		}
		rows, err := plots.ReadTable(at)
		if err != nil {
			t.Fatal(err)
		}
		chart, err := plots.Build(figure, rows)
		if err != nil {
			t.Fatal(err)
		}
		drawn, err := chart.Draw("svg", "")
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(strings.TrimSuffix(file, ".yaml") + ".svg")
		if err != nil || !bytes.Equal(drawn, want) {
			t.Errorf("%s: its committed picture is not what its rows give (%v): spvsim plot %s", file, err, file)
		}
	}
}
