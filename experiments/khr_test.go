package experiments

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"testing/fstest"

	"spvsim/config"
	"spvsim/internal/suite"
)

// spirv-opt rewrites modules with AMD's extensions to those of Khronos: the jobs give the same buffers. Exceptions are
// the latency job, which distinguishes one from the other, and the environment map, whose texels at a border depend on
// the last bit of a coordinate.
func TestRewrittenModulesGiveTheSameBuffers(t *testing.T) {
	tool, err := exec.LookPath("spirv-opt")
	if err != nil {
		t.Skip("spirv-opt is not installed (Debian package spirv-tools)")
	}
	for _, c := range []struct{ job, module string }{
		{"groupscan-dpp", "groupscan"}, {"groupscan-lds", "groupscan"}, {"compact", "compact"}, {"mipchain", "mipchain"},
	} {
		t.Run(c.job, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "khr.spv")
			from := filepath.Join("library", c.module+".spv")
			if text, err := exec.Command(tool, "--amd-ext-to-khr", from, "-o", out).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			job := rewritten(t, c.job, c.module, out)
			for _, machine := range []string{"rdna3-rx7900xtx", "gcn3-r9nano"} {
				execute(t, job, machine) // reports deviations from the job's expectations
			}
		})
	}
}

// rewritten returns a job with its module replaced.
func rewritten(t *testing.T, name, module, file string) *config.Job {
	t.Helper()
	text := suite.Must(os.ReadFile(filepath.Join("library", name+".yaml")))(t)
	was := suite.Must(os.ReadFile(filepath.Join("library", module+".spv")))(t)
	is := suite.Must(os.ReadFile(file))(t)
	if bytes.Equal(was, is) || bytes.Contains(is, []byte("SPV_AMD_")) {
		t.Fatal("nothing was rewritten")
	}
	job := suite.Must(config.LoadJob(fstest.MapFS{name + ".yaml": {Data: text}, module + ".spv": {Data: is}}, name+".yaml"))(t)
	return job
}
