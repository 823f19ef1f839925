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
	"spvsim/internal/suite"
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
			points := suite.Must(loadFigure(t, name).Points(false))(t)
			text := suite.Must(os.ReadFile(filepath.Join("figures", name+".csv")))(t)
			lines := strings.Split(strings.TrimSpace(string(text)), "\n")
			if len(lines)-1 != len(points) {
				t.Errorf("%d rows are committed, and the experiment has %d points", len(lines)-1, len(points))
			}
			for _, line := range lines[1:] {
				suite.Contains(t, line, ",done,")
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
		rows := suite.Must(plots.ReadTable(filepath.Join("figures", name+".csv")))(t)
		for i := range e.Figures {
			text, ok := e.Figures[i].Text()
			if !ok {
				t.Fatalf("%s: its figure is in a file of its own", name)
			}
			figure := suite.Must(plots.Read(e.File(), text))(t)
			chart := suite.Must(plots.Build(figure, rows))(t)
			for _, warning := range chart.Warnings {
				t.Errorf("%s: %s", name, warning)
			}
			for _, format := range []string{"svg", "pdf"} {
				drawn := suite.Must(chart.Draw(format, ""))(t)
				settlePicture(t, filepath.Join("figures", e.Figures[i].Name+"."+format), drawn)
			}
		}
	}
}

// settlePicture compares a committed picture with its expected content, or writes it.
func settlePicture(t *testing.T, name string, want []byte) {
	t.Helper()
	if flag.Lookup("update").Value.String() == "true" {
		suite.OK(t, os.WriteFile(name, want, 0o644))
		return
	}
	if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what its rows give (%v): run go generate ./experiments", name, err)
	}
}

// Figures over time are drawn from rows of runs (run --series), and others from measured rows: the committed ones equal those of their rows.
func TestOtherFigures(t *testing.T) {
	var files []string
	for _, folder := range []string{"series", "measured"} {
		list, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
		if err != nil || len(list) == 0 {
			t.Fatalf("no figures in %s: %v", folder, err)
		}
		files = append(files, list...)
	}
	for _, file := range files {
		text := suite.Must(os.ReadFile(file))(t)
		figure := suite.Must(plots.Read(file, text))(t)
		at := suite.Must(figure.RowsPath())(t)
		rows := suite.Must(plots.ReadTable(at))(t)
		chart := suite.Must(plots.Build(figure, rows))(t)
		drawn := suite.Must(chart.Draw("svg", ""))(t)
		want, err := os.ReadFile(strings.TrimSuffix(file, ".yaml") + ".svg")
		if err != nil || !bytes.Equal(drawn, want) {
			t.Errorf("%s: its committed picture is not what its rows give (%v): spvsim plot %s", file, err, file)
		}
	}
}
