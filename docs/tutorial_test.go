package docs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/experiments/sweep"
)

// The tutorial shows the files of its folder as they are, and its experiment can be expanded.
func TestTutorialFiles(t *testing.T) {
	page, err := os.ReadFile("tutorial.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sum.comp", "sum.yaml", "stride.yaml"} {
		text, err := os.ReadFile(filepath.Join("tutorial", name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), "\n"+strings.TrimSpace(string(text))+"\n```") {
			t.Errorf("tutorial.md does not show %s as it is", name)
		}
	}
	e, _, err := sweep.Load(filepath.Join("tutorial", "stride.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	points, err := e.Points(false)
	if err != nil || len(points) != 20 {
		t.Errorf("%d points, %v: the tutorial says 20", len(points), err)
	}
}
