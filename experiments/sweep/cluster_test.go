package sweep

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/internal/suite"
)

// The largest array of Slurm is the one that its control command reports, or Slurm's own default.
func TestLargestArrayOfSlurm(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	for text, want := range map[string]int{
		"echo 'MaxJobCount = 7'; echo 'MaxArraySize            = 4001'; echo 'MaxStepCount = 9'": 4001,
		"echo 'MaxArraySize = none'": defaultMaxArray, "echo 'MaxArraySize = 0'": defaultMaxArray, "echo 'MaxJobCount = 7'": defaultMaxArray, "exit 1": defaultMaxArray,
	} {
		suite.OK(t, os.WriteFile(filepath.Join(dir, "scontrol"), []byte("#!/bin/sh\n"+text+"\n"), 0o755))
		if got := (slurm{}).largest(context.Background()); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}

// A queue command that prints something has running tasks; one that fails has none, if its shell could run it at all.
func TestStatesByQueueCommands(t *testing.T) {
	c := &commands{}
	for queue, want := range map[string]int{"echo R": 1, "true": 0, "echo": 0, "echo gone >&2; exit 1": 0, "exit 127": 0, "": 0} {
		list, err := c.states(context.Background(), &submission{Queue: queue})
		if len(list) != want || err != nil {
			t.Errorf("%q: %v, %v; want %d states", queue, list, err, want)
		}
	}
	for _, queue := range []string{"no-such-command-here", "echo no >&2; exit 126"} {
		if list, err := c.states(context.Background(), &submission{Queue: queue}); !errors.Is(err, ErrCluster) {
			t.Errorf("%q: %v, %v; want an error", queue, list, err)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := c.states(ctx, &submission{Queue: "echo R"}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// A submit command that runs in parallel with the sweep reports its failure after it has ended.
func TestBackgroundSubmitCommand(t *testing.T) {
	for submit, want := range map[string]string{"true": "", "echo no >&2; exit 3": "; submit: exit status 3\nno"} {
		c := &commands{profile: &config.Cluster{Submit: submit}}
		suite.Must(c.submit(context.Background(), &submission{Tasks: 1}, "x"))(t)
		if got := c.reason(context.Background(), nil, 0); got != want {
			t.Errorf("%s: %q, want %q", submit, got, want)
		}
		if list := c.running.states(); list != nil {
			t.Errorf("%s: %v after its end", submit, list)
		}
	}
}

// If there is a queue command, the last line of the submit command is the id of the submission, and its variables
// describe it.
func TestSubmissions(t *testing.T) {
	c := &commands{profile: &config.Cluster{Submit: "echo noise; echo $SPVSIM_NAME.$SPVSIM_TASKS.$SPVSIM_LAST.$SPVSIM_SCRIPT", Queue: "true"}}
	id, err := c.submit(context.Background(), &submission{Name: "n", Tasks: 5}, "f")
	if err != nil || id != "n.5.4.f.sh" {
		t.Errorf("%q, %v", id, err)
	}
	c.profile.Submit = "echo wrong >&2; exit 2"
	if _, err := c.submit(context.Background(), &submission{}, "f"); !errors.Is(err, ErrCluster) {
		t.Errorf("%v", err)
	}
}

// A submit description has what the profile says, and names that HTCondor's lists can't hold are refused.
func TestSubmitDescription(t *testing.T) {
	image := filepath.Join(t.TempDir(), "box.sif")
	suite.OK(t, os.WriteFile(image, nil, 0o600))
	profile := config.DefaultCluster()
	profile.Account, profile.CPUs, profile.MemoryMB, profile.TimeMinutes, profile.Running = "group", 4, 500, 2, 9
	profile.Flags, profile.Container = []string{"priority = 3"}, image
	text := suite.Must(condor{profile, "/bin/spvsim"}.description(&submission{Name: "n", Tasks: 7}, "/out/n"))(t)
	for _, want := range []string{
		"request_cpus = 4", "request_memory = 500MB", "allowed_execute_duration = 120", "accounting_group = group", "max_materialize = 9", "priority = 3",
		"transfer_input_files = /out/n.zip, /bin/spvsim, " + image, "transfer_output_files = n-$(Process).rows", "queue 7",
	} {
		if !strings.Contains("\n"+text, "\n"+want+"\n") {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, name := range []string{"/out,1/n", "/out\"/n", "/out\n/n"} {
		if _, err := (condor{profile: profile}).description(&submission{}, name); !errors.Is(err, ErrCluster) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// Jobs of HTCondor count as long as they have not ended; a task's end is told by the history.
func TestStatesOfCondor(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	script := func(name, text string) {
		suite.OK(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755))
	}
	script("condor_q", `printf '1\n2\n3\n4\n5\n6\n7\n'`)
	list, err := condor{}.states(t.Context(), &submission{Name: "n"})
	if got := strings.Join(list, " "); err != nil || got != "idle running held transferring suspended" {
		t.Errorf("%q, %v", got, err)
	}
	for text, want := range map[string]string{"echo 3 undefined": ": exit code 3", "echo undefined held by the system": ": removed, held by the system", "true": "", "exit 1": ""} {
		script("condor_history", text)
		if got := (condor{}).reason(t.Context(), &submission{Name: "n"}, 0); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// A task's script starts the profile's program, in its container if it has one.
func TestScriptsOfTasks(t *testing.T) {
	image := filepath.Join(t.TempDir(), "box.sif")
	suite.OK(t, os.WriteFile(image, nil, 0o600))
	for _, c := range []struct {
		system             system
		command, container string
		want               string
	}{
		{slurm{}, "", "", "exec '/bin/spvsim' sweep-point --bundle '/o/n.zip' --task \"$SLURM_ARRAY_TASK_ID\" --rows '/o/n'-\"$SLURM_ARRAY_TASK_ID\".rows --workers 1"},
		{slurm{}, "other", "", "exec 'other' sweep-point "},
		{slurm{}, "", image, "exec apptainer exec --bind \"$PWD\" --bind '/o' --bind '/bin' --pwd \"$PWD\" '" + image + "' '/bin/spvsim' sweep-point "},
		{slurm{}, "spvsim", "docker://i", "exec apptainer exec --bind \"$PWD\" --bind '/o' --pwd \"$PWD\" 'docker://i' 'spvsim' sweep-point "},
		{condor{}, "", "", "chmod +x './spvsim'\nexec './spvsim' sweep-point --bundle 'n.zip' "},
		{condor{}, "spvsim", image, "exec apptainer exec --bind \"$PWD\" --pwd \"$PWD\" './box.sif' 'spvsim' sweep-point "},
	} {
		profile := config.DefaultCluster()
		profile.Command, profile.Container = c.command, c.container
		l := &Array{ArraySetup{Profile: profile, Program: "/bin/spvsim"}, c.system}
		if got := l.script("/o/n"); !strings.Contains(got, c.want) {
			t.Errorf("no %q in\n%s", c.want, got)
		}
	}
}

// The task of a point is that of its range.
func TestTaskOfAPoint(t *testing.T) {
	s := &submission{First: []int{0, 3, 4, 9}}
	for point, want := range map[int]int{0: 0, 2: 0, 3: 1, 4: 2, 8: 2} {
		if got := s.taskOf(point); got != want {
			t.Errorf("point %d: task %d, want %d", point, got, want)
		}
	}
}
