package sweep

import (
	"context"
	"errors"
	"os"
	"path/filepath"
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
