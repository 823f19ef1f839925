package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// The example of a workflow for Snakemake gives the rows of the sweep, also if a job is killed and Snakemake starts
// again.
func TestSnakemakeGivesTheSameRows(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	snakemake, err := exec.LookPath("snakemake")
	if err != nil {
		t.Skip("snakemake is not installed (Debian package snakemake)")
	}
	program := build(t)
	writeMany(t, program)
	dir := filepath.Dir(program)
	workflow := suite.Must(filepath.Abs("../../experiments/snakemake/Snakefile"))(t)
	run := func(flags ...string) ([]byte, error) {
		c := exec.CommandContext(t.Context(), snakemake, append([]string{"-s", workflow, "--cores", "2", "--config", "experiment=many.yaml", "tasks=3", "spvsim=" + program}, flags...)...)
		c.Dir, c.Env = dir, append(os.Environ(), "HOME="+dir, "XDG_CACHE_HOME="+dir) // of its own files
		return c.CombinedOutput()
	}
	if out, err := run("--until", "bundle"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	script := read(t, filepath.Join(dir, "tasks", "task.sh"))
	suite.OK(t, os.WriteFile(filepath.Join(dir, "tasks", "task.sh"), []byte("kill -9 $$\n"), 0o644))
	if out, err := run("--until", "task"); err == nil {
		t.Fatalf("tasks that are killed end well:\n%s", out)
	}
	suite.OK(t, os.WriteFile(filepath.Join(dir, "tasks", "task.sh"), script, 0o644))
	if out, err := run(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, want := range wantMany(t, program) {
		if !bytes.Equal(read(t, filepath.Join(dir, "results", name)), want) {
			t.Errorf("%s differs", name)
		}
	}
}

// debianRoot is a root that vulkan/scripts/debian-root.sh made with a set of packages; the test skips if there is none.
func debianRoot(t *testing.T, set string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts processes in another root")
	}
	cache := cmp.Or(os.Getenv("XDG_CACHE_HOME"), filepath.Join(os.Getenv("HOME"), ".cache"))
	root := cmp.Or(os.Getenv("SPVSIM_"+strings.ToUpper(set)+"_ROOT"), filepath.Join(cache, "spvsim", "roots", set))
	if !exists(filepath.Join(root, "var", "lib", "debian-root", set)) {
		t.Skipf("vulkan/scripts/debian-root.sh make %s %s makes the root", set, root)
	}
	if os.Getuid() != 0 || exec.Command("unshare", "--mount", "true").Run() != nil {
		t.Skip("entering a root needs root's rights")
	}
	return root
}

// buildStatic builds the command as for any Linux.
func buildStatic(t *testing.T, dir string) string {
	t.Helper()
	program := filepath.Join(dir, "spvsim")
	c := exec.CommandContext(t.Context(), "go", "build", "-tags", "static", "-o", program, ".")
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-pgo=off")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// A task runs on a system that has nothing but what debootstrap calls minimal: no Go, no repository, no network.
func TestBundleOnABareRoot(t *testing.T) {
	root := debianRoot(t, "bare")
	dir := t.TempDir()
	program := buildStatic(t, dir)
	writeMany(t, program)
	if out, err := command(t, program, "sweep", "many.yaml", "--bundle", "tasks", "--tasks", "2", "-o", "merged").CombinedOutput(); err != nil || strings.Contains(string(out), "glibc") {
		t.Fatalf("%v\n%s", err, out)
	}
	inside := suite.Must(os.MkdirTemp(root, "tasks-"))(t)
	t.Cleanup(func() { suite.OK(t, os.RemoveAll(inside)) })
	suite.OK(t, os.CopyFS(inside, os.DirFS(filepath.Join(dir, "tasks"))))
	args := []string{"sweep", "--merge", "--bundle", "tasks", "-o", "merged"}
	for task := range 2 {
		script := fmt.Sprintf("! command -v go && cd /%s && sh task.sh %d", filepath.Base(inside), task)
		c := exec.CommandContext(t.Context(), "unshare", "--net", "chroot", root, "/usr/bin/env", "-i", "PATH=/usr/bin:/bin", "sh", "-euc", script)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		args = append(args, filepath.Join(inside, fmt.Sprintf("rows-%d.jsonl", task)))
	}
	if out, err := command(t, program, args...).CombinedOutput(); err == nil || !strings.Contains(string(out), "2 of 12 points failed") || strings.Contains(string(out), "without a result") {
		t.Errorf("%v\n%s", err, out)
	}
	sameRows(t, program, "merged")
}

// sameRows compares the rows of a folder with those of a sweep by the same program.
func sameRows(t *testing.T, program string, folders ...string) {
	t.Helper()
	dir := filepath.Dir(program)
	_, _ = command(t, program, "sweep", "many.yaml", "-q", "-o", "undisturbed").CombinedOutput() // exit status 1: points fail
	for _, folder := range folders {
		for _, name := range []string{"many.csv", "many.parquet"} {
			if want := read(t, filepath.Join(dir, "undisturbed", name)); !bytes.Equal(read(t, filepath.Join(dir, folder, name)), want) {
				t.Errorf("%s of %s differs", name, folder)
			}
		}
	}
}

// clusterProfiles are the profiles of the sweeps on HTCondor, by the folder of their rows. FOLDER is the sweeps' own.
var clusterProfiles = map[string]string{
	"plain": "account: group_one\nmemory_mb: 100\ntime_minutes: 5\nrunning: 2\nflags: [priority = 1]\nsetup: ['# nothing to load']\n",
	"box":   "container: spvsim.sif\ncommand: spvsim\n",
	// The first tasks are killed, and their points submitted again.
	"killed": "setup: ['[ $(ls FOLDER/seen | wc -l) -ge 2 ] || { touch FOLDER/seen/$$; kill -9 $$; }']\n",
	"never":  "attempts: 1\nsetup: [echo no such module, exit 3]\n",
}

// Sweeps on a real HTCondor, in Apptainer's containers and without, give the rows of a sweep on this machine. Tasks of
// a bundle run as the guide describes.
func TestHTCondorAndApptainer(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("a root of Debian")
	}
	root := debianRoot(t, "cluster")
	script := suite.Must(filepath.Abs("../../experiments/condor/single-node.sh"))(t)
	dir := suite.Must(os.MkdirTemp("", "condor"))(t) // short, as names of sockets are
	t.Cleanup(func() { suite.OK(t, os.RemoveAll(dir)) })
	suite.OK(t, os.Chmod(dir, 0o755))
	program := buildStatic(t, dir)
	writeMany(t, program)
	suite.OK(t, os.Mkdir(filepath.Join(dir, "seen"), 0o777))
	suite.OK(t, os.WriteFile(filepath.Join(dir, "apptainer.def"), read(t, "../../apptainer.def"), 0o644))
	suite.OK(t, os.WriteFile(filepath.Join(dir, "tasks.sub"), guideSubmission(t), 0o644))
	for name, text := range clusterProfiles {
		text = "chunk: 3\npoll_seconds: 0.5\n" + strings.ReplaceAll(text, "FOLDER", dir)
		suite.OK(t, os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(text), 0o644))
	}
	shared := "chunk: 3\npoll_seconds: 0.5\ncontainer: spvsim.sif\nindex: $1\nsubmit: for i in $(seq 0 $SPVSIM_LAST); do sh $SPVSIM_SCRIPT $i; done\n"
	suite.OK(t, os.WriteFile(filepath.Join(dir, "shared.yaml"), []byte(shared), 0o644))
	commands := `apptainer build spvsim.sif apptainer.def
apptainer exec spvsim.sif spvsim machine gcn3-r9nano >inside.txt && ./spvsim machine gcn3-r9nano | cmp - inside.txt
for name in plain box killed never; do ./spvsim sweep many.yaml -o $name --launcher condor --profile $name.yaml || [ $? = 1 ]; done
./spvsim sweep many.yaml -o plain --status
./spvsim sweep many.yaml -o shared --launcher command --profile shared.yaml || [ $? = 1 ]
./spvsim sweep many.yaml --bundle tasks --tasks 3 -o merged
cp tasks.sub tasks && cd tasks && condor_submit tasks.sub && condor_wait tasks.log
cd .. && ./spvsim sweep --merge tasks/rows-*.jsonl -o merged || [ $? = 1 ]
condor_history -af ExitCode ExitBySignal >history.txt`
	c := exec.CommandContext(t.Context(), script, root, dir, "sh", "-euxc", commands)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sameRows(t, program, "plain", "box", "killed", "shared", "merged")
	for _, want := range []string{"4 tasks, all ended", "no result after 1 job arrays: exit code 3; log: " + dir + "/never/condor/spvsim-", "no such module", "12 of 12 points failed"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	history := string(read(t, filepath.Join(dir, "history.txt")))
	if got := strings.Count(history, "undefined true\n"); got < 2 || got > 4 { // all four may look at the same time
		t.Errorf("%d tasks were killed, want 2 to 4:\n%s", got, history)
	}
}

// guideSubmission is the submit description of the guide, for three tasks.
func guideSubmission(t *testing.T) []byte {
	t.Helper()
	_, after, _ := strings.Cut(string(read(t, "../../docs/guide/scripting.md")), "\n    executable = ")
	block, _, found := strings.Cut(after, "\n\n")
	if !found {
		t.Fatal("the guide has no submit description")
	}
	text := "executable = " + block + "\n"
	return []byte(strings.ReplaceAll(strings.ReplaceAll(text, "\n    ", "\n"), "queue 100", "queue 3"))
}
