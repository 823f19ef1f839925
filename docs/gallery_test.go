package docs_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/experiments"
	"spvsim/experiments/sweep"
	"spvsim/internal/suite"
)

// galleryTop introduces the gallery.
const galleryTop = `# All figures

This page has every figure of the library. For each there are two commands: one simulates its points and draws it (SVG, PDF and PNG into
` + "`results/NAME`" + `), and one draws it again from the committed rows, without simulating. Run them in the folder of the repository.
[experiments](experiments.md) has the question and the reading of each figure, and [the reference](reference-figure.md) says how to write one.
`

// The gallery shows every committed figure, those of experiments in the order of their page. With -update it is written anew.
func TestGallery(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(galleryTop)
	shown := map[string]bool{}
	for _, s := range sections {
		e, _, err := sweep.Load(s.name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "\n## %s\n", s.title)
		for i := range e.Figures {
			picture := "../experiments/figures/" + e.Figures[i].Name + ".svg"
			shown[picture] = true
			fmt.Fprintf(&b, "\n![%s](%s)\n", e.Description, picture)
		}
		fmt.Fprintf(&b, "\n    spvsim sweep %s\n    spvsim sweep %s --draw experiments/figures/%s.csv -o figures\n", s.name, s.name, s.name)
	}
	b.WriteString("\n## Occupancy over time\n\nRows that `spvsim run --series` wrote, as [experiments](experiments.md) says, and a figure file beside them.\n")
	for _, name := range seriesFigures(t) {
		picture := "../experiments/series/" + name + ".svg"
		shown[picture] = true
		fmt.Fprintf(&b, "\n![%s](%s)\n\n    spvsim plot experiments/series/%s.yaml -o figures\n", name, picture, name)
	}
	compareOrWrite(t, "gallery.md", b.Bytes())
	for _, folder := range []string{"figures", "series"} {
		files := suite.Must(filepath.Glob(filepath.Join("..", "experiments", folder, "*.svg")))(t)
		for _, file := range files {
			if !shown[filepath.ToSlash(file)] {
				t.Errorf("%s is in no section: no experiment of the page draws it", file)
			}
		}
	}
	if len(sections) != len(experiments.FigureNames()) {
		t.Errorf("%d sections, and %d experiments", len(sections), len(experiments.FigureNames()))
	}
}

func seriesFigures(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "experiments", "series", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no figures of series: %v", err)
	}
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".yaml"))
	}
	return names
}

func compareOrWrite(t *testing.T, name string, want []byte) {
	t.Helper()
	if *update {
		suite.OK(t, os.WriteFile(name, want, 0o644))
		return
	}
	if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the library says (%v): run go generate ./docs", name, err)
	}
}
