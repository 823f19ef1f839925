package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/experiments/sweep"
	"spvsim/internal/suite"
	"spvsim/plots"
)

// The tutorial shows the files of its folder as they are, and its experiment can be expanded.
func TestTutorialFiles(t *testing.T) {
	page := suite.Must(os.ReadFile("guide/tutorial.md"))(t)
	for _, name := range []string{"sum.comp", "sum.yaml", "stride.yaml"} {
		text := suite.Must(os.ReadFile(filepath.Join("tutorial", name)))(t)
		if !strings.Contains(string(page), "\n"+strings.TrimSpace(string(text))+"\n```") {
			t.Errorf("guide/tutorial.md does not show %s as it is", name)
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
	rows := suite.Must(plots.ReadTable(filepath.Join("tutorial", "stride.csv")))(t)
	for machine, text := range map[string]string{"gcn3-r9nano": "step 32 takes %.1f times as long as step 1 on the R9 Nano", "rdna3-rx7900xtx": "and %.1f times as long on the RX 7900 XTX"} {
		if want := fmt.Sprintf(text, slowdownAt32(t, rows, machine)); !strings.Contains(string(page), want) {
			t.Errorf("guide/tutorial.md lacks %q, as its rows have it", want)
		}
	}
}

// slowdownAt32 is the slowdown of a machine's row at step 32.
func slowdownAt32(t *testing.T, rows *plots.Table, machine string) float64 {
	t.Helper()
	for i, name := range rows.Column("machine").Texts {
		if name == machine && rows.Column("step").Numbers[i] == 32 {
			return rows.Column("slowdown").Numbers[i]
		}
	}
	t.Fatalf("the rows have no step 32 of %s", machine)
	return 0
}
