package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"spvsim/internal/suite"
)

const slurmScript = "../../experiments/slurm/single-node.sh"

// slurmFolder is the folder of the daemons that the first test started; empty: none run.
var slurmFolder string

// startSlurm starts a single-node Slurm once for all tests, as its daemons take seconds to start. It returns the reason
// if there is none.
var startSlurm = sync.OnceValue(func() error {
	for _, tool := range []string{"sbatch", "squeue", "munged", "slurmctld", "slurmd"} {
		if _, err := exec.LookPath(tool); err != nil {
			if _, err := os.Stat("/usr/sbin/" + tool); err != nil {
				return fmt.Errorf("%s is not installed (Debian packages slurm-wlm and munge)", tool)
			}
		}
	}
	if os.Getuid() != 0 {
		return errors.New("the daemons of Slurm want root")
	}
	dir, err := os.MkdirTemp("", "slurm") // short, and open to the user of munged, as t.TempDir is not
	if err != nil {
		return err
	}
	if text, err := exec.Command(slurmScript, "start", dir).CombinedOutput(); err != nil {
		return fmt.Errorf("starting Slurm: %w\n%s", err, text)
	}
	slurmFolder = dir
	return os.Setenv("SLURM_CONF", filepath.Join(dir, "slurm.conf")) // of no effect on other tests
})

// slurm skips a test if Slurm is not installed.
func slurm(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("Slurm's daemons take seconds to start and to poll")
	}
	if err := startSlurm(); err != nil {
		t.Skip(err)
	}
}

// stopSlurm ends the daemons when all tests have run.
func stopSlurm() {
	if slurmFolder == "" {
		return
	}
	if text, err := exec.Command(slurmScript, "stop", slurmFolder).CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, text)
	}
	_ = os.RemoveAll(slurmFolder)
}

const clusterProfile = `partition: main
chunk: 5
memory_mb: 100
time_minutes: 5
poll_seconds: 0.2
flags: [--nice=10]
setup: ["# nothing to load"]
`

// The same sweep as a job array gives the same rows; after its submitter is killed, a new one continues with the
// submitted array.
func TestSlurmGivesTheSameRows(t *testing.T) {
	t.Parallel()
	slurm(t)
	program := build(t)
	writeMany(t, program)
	suite.OK(t, os.WriteFile(filepath.Join(filepath.Dir(program), "cluster.yaml"), []byte(clusterProfile), 0o644))
	want := wantMany(t, program)
	flags := []string{"--launcher", "slurm", "--profile", "cluster.yaml"}
	sameFiles(t, sweepTo(t, program, "array", flags...), want)
	status, err := command(t, program, "sweep", "many.yaml", "-o", "array", "--status").CombinedOutput()
	if err != nil || !strings.Contains(string(status), "10 of 12 points done, 2 failed") || !strings.Contains(string(status), "3 tasks, all ended") {
		t.Errorf("status: %v\n%s", err, status)
	}

	c := command(t, program, append([]string{"sweep", "many.yaml", "-o", "resumed", "-q"}, flags...)...)
	suite.OK(t, c.Start())
	submissions := filepath.Join(c.Dir, "resumed", "slurm", "submissions.jsonl")
	waitFor(t, func() bool {
		data, err := os.ReadFile(submissions)
		return err == nil && bytes.Count(data, []byte("\n")) == 2
	})
	_ = c.Process.Kill() // it may have ended
	_ = c.Wait()
	sameFiles(t, sweepTo(t, program, "resumed", flags...), want)
	if data, err := os.ReadFile(submissions); err != nil || bytes.Count(data, []byte("\n")) != 2 {
		t.Errorf("submitted again: %v\n%s", err, data)
	}
}

// Points that an array leaves without a result are submitted again, and recorded as failed if that does not help.
func TestSlurmResubmits(t *testing.T) {
	t.Parallel()
	slurm(t)
	program := build(t)
	writeMany(t, program)
	dir := filepath.Dir(program)
	// The tasks of the first array fail before the simulator starts; those of later arrays don't.
	setup := "poll_seconds: 0.2\nchunk: 6\nattempts: %d\nsetup: ['echo $SLURM_ARRAY_JOB_ID >> \"" + dir + "/seen\"; [ \"$(head -n 1 \"" + dir + "/seen\")\" != $SLURM_ARRAY_JOB_ID ] || exit 1']\n"
	text := fmt.Sprintf(setup, 2)
	suite.OK(t, os.WriteFile(filepath.Join(dir, "cluster.yaml"), []byte(text), 0o644))
	sameFiles(t, sweepTo(t, program, "again", "--launcher", "slurm", "--profile", "cluster.yaml"), wantMany(t, program))

	never := "poll_seconds: 0.2\nchunk: 12\nattempts: 1\nsetup: ['echo no such module; exit 3']\n"
	suite.OK(t, os.WriteFile(filepath.Join(dir, "never.yaml"), []byte(never), 0o644))
	out, err := command(t, program, "sweep", "many.yaml", "-o", "never", "--launcher", "slurm", "--profile", "never.yaml").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "12 of 12 points failed") {
		t.Errorf("%v\n%s", err, out)
	}
	rows, err := os.ReadFile(filepath.Join(dir, "never", "many.csv"))
	if err != nil || strings.Count(string(rows), "no such module") != 12 {
		t.Errorf("%v\n%s", err, rows)
	}
	wantLog(t, dir, string(out))
}

// wantLog asserts that an error names the log of a task, and that the log has the reason.
func wantLog(t *testing.T, dir, text string) {
	t.Helper()
	_, after, _ := strings.Cut(text, "; log: ")
	name, _, _ := strings.Cut(after, "\n")
	if log, err := os.ReadFile(name); err != nil || !strings.HasPrefix(name, dir) || !strings.Contains(string(log), "no such module") {
		t.Errorf("the log is named as %q (%v) in\n%s", name, err, text)
	}
}
