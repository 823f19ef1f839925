package experiments

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"testing"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
)

// The pictures in the docs equal the output of `spvsim graph --dot` for each ready graph; with -update they are
// written, and drawn if Graphviz is installed.
func TestPicturesOfGraphs(t *testing.T) {
	for _, name := range graphJobs() {
		job := load(t, name)
		m := suite.Must(config.LoadMachine(config.Request{Job: job}))(t)
		var dot bytes.Buffer
		suite.OK(t, gpu.DescribeGraph(&dot, gpu.Setup{Machine: m, Job: job}, true))
		file := filepath.Join("..", "docs", "graphs", name+".dot")
		settle(t, file, dot.Bytes())
		if !*update {
			continue
		}
		svg, err := exec.Command("dot", "-Tsvg", file).Output()
		if err != nil {
			t.Fatalf("dot (Debian package graphviz): %v", err)
		}
		settle(t, filepath.Join("..", "docs", "graphs", name+".svg"), svg)
	}
}
