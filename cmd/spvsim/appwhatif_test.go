package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// The jobs that the driver leaves run on the counterfactual machines: the table is that of run --what-if. Programs of a
// list leave them in folders. Here the program is a shell that leaves a job as the driver does.
func TestAppWhatIf(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	folder := t.TempDir()
	library := filepath.Join(folder, "driver.so")
	suite.OK(t, os.WriteFile(library, nil, 0o666))
	t.Setenv("SPVSIM_VULKAN_DRIVER", library)
	shader := suite.Must(filepath.Abs("../../docs/diagnosis/tile.spv"))(t)
	job := filepath.Join(folder, "job")
	text := strings.ReplaceAll(string(suite.Must(os.ReadFile("../../docs/diagnosis/tile.yaml"))(t)), "tile.spv", shader)
	suite.OK(t, os.WriteFile(job, []byte("# captured\n"+text), 0o666))
	script := "mkdir -p $SPVSIM_CAPTURE && cp " + job + " $SPVSIM_CAPTURE/0001.yaml"

	file := filepath.Join(folder, "tile.yaml")
	suite.OK(t, os.Rename(job, file))
	_, want, _ := strings.Cut(spvsim("", "run", file, "--what-if", "conflicts,latency").stdout, "\nwhat if")
	suite.OK(t, os.Rename(file, job))
	want, _, _ = strings.Cut(want, "\n\nset by")
	list := filepath.Join(folder, "list")
	suite.OK(t, os.WriteFile(list, []byte(script+"\n"+script+"\n"), 0o666))
	flags := []string{"app", "--what-if", "conflicts,latency", "--select", "*"}
	for count, args := range [][]string{1: {"--", "sh", "-c", script}, 2: {"--programs", list}} {
		if args == nil {
			continue
		}
		r := spvsim("", append(flags, args...)...)
		if r.status != exitDone || want == "" || strings.Count(r.stderr, want) != count {
			t.Errorf("exit %d: want %d times\n%s\nfound\n%s", r.status, count, want, r.stderr)
		}
	}
	if r := spvsim("", append(flags, "--", "true")...); r.status != exitFailed || !strings.Contains(r.stderr, "no dispatch was captured") {
		t.Errorf("exit %d: %s", r.status, r.stderr)
	}
}
