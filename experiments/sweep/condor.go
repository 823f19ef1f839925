package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"spvsim/config"
)

// condor is the system that HTCondor's condor_submit and condor_q reach. Its tasks need no shared folder: HTCondor
// copies their files to the node, and the rows back.
type condor struct {
	profile *config.Cluster
	program string // copied to the node; empty: it is there
}

// NewCondor creates a launcher that writes its files to the sweep's output folder.
func NewCondor(setup ArraySetup, out string) (*Array, error) {
	if err := errors.Join(setup.Profile.CheckCondor(), installed("condor_submit", "condor_q")); err != nil {
		return nil, err
	}
	of := condor{profile: setup.Profile}
	if setup.Profile.Command == "" {
		of.program = setup.Program
	}
	return newArray(setup, of, filepath.Join(out, condorDir))
}

func (condor) script() surroundings { return surroundings{index: "$1", private: true} }

// largest: HTCondor has no limit on the jobs of a cluster, but users often have one.
func (condor) largest(context.Context) int { return 10_000 }

func (c condor) submit(ctx context.Context, s *submission, file string) (string, error) {
	description, err := c.description(s, file)
	if err != nil {
		return "", err
	}
	if err := Replace(file+".sub", []byte(description)); err != nil {
		return "", err
	}
	out, err := command(ctx, "condor_submit", "-terse", file+".sub") // prints 7.0 - 7.99
	id, _, _ := strings.Cut(strings.TrimSpace(out), ".")
	return id, err
}

// description returns the submit description of an array.
func (c condor) description(s *submission, file string) (string, error) {
	p := c.profile
	inputs := []string{file + ".zip"}
	if c.program != "" {
		inputs = append(inputs, c.program)
	}
	if image, err := filepath.Abs(p.Container); p.Container != "" && err == nil && isFile(image) {
		inputs = append(inputs, image)
	}
	for _, name := range append(inputs, file) {
		if strings.ContainsAny(name, ",\"\n") {
			return "", fmt.Errorf("%w: %s: found a comma or a quote in the name: want none, as HTCondor lists files with them", ErrCluster, name)
		}
	}
	lines := []string{
		"batch_name = " + s.Name,
		"executable = " + file + ".sh",
		"arguments = $(Process)",
		"transfer_input_files = " + strings.Join(inputs, ", "),
		"transfer_output_files = " + rowsName(s.Name, "$(Process)"),
		"should_transfer_files = YES",
		"when_to_transfer_output = ON_EXIT_OR_EVICT", // an evicted task continues after its rows
		"initialdir = " + filepath.Dir(file),
		"output = " + logName(file, "$(Process)"),
		"error = " + logName(file, "$(Process)"),
		"log = " + file + ".events",
		"periodic_remove = JobStatus == 5", // held: its points are submitted again
		fmt.Sprintf("request_cpus = %d", p.CPUs),
	}
	for _, o := range []struct {
		line  string
		given bool
	}{
		{fmt.Sprintf("request_memory = %dMB", p.MemoryMB), p.MemoryMB > 0},
		{fmt.Sprintf("allowed_execute_duration = %d", 60*p.TimeMinutes), p.TimeMinutes > 0},
		{"accounting_group = " + p.Account, p.Account != ""},
		{fmt.Sprintf("max_materialize = %d", p.Running), p.Running > 0},
	} {
		if o.given {
			lines = append(lines, o.line)
		}
	}
	lines = append(append(lines, p.Flags...), fmt.Sprintf("queue %d", s.Tasks))
	return strings.Join(lines, "\n") + "\n", nil
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// condorStates are the values of JobStatus of jobs that have not ended.
var condorStates = map[string]string{"1": "idle", "2": "running", "5": "held", "6": "transferring", "7": "suspended"}

// states lists the states of an array's jobs that have not ended.
func (condor) states(ctx context.Context, s *submission) ([]string, error) {
	out, err := command(ctx, "condor_q", "-allusers", "-constraint", fmt.Sprintf("JobBatchName == %q", s.Name), "-af", "JobStatus")
	var list []string
	for _, number := range strings.Fields(out) {
		if state, ok := condorStates[number]; ok {
			list = append(list, state)
		}
	}
	return list, err
}

// reason returns how a task ended, from the history.
func (condor) reason(ctx context.Context, s *submission, task int) string {
	out, err := command(ctx, "condor_history", "-constraint", fmt.Sprintf("JobBatchName == %q && ProcId == %d", s.Name, task), "-limit", "1", "-af", "ExitCode", "RemoveReason")
	exit, removed, ok := strings.Cut(strings.TrimSpace(out), " ")
	switch {
	case err != nil || !ok:
		return ""
	case removed != "undefined":
		return ": removed, " + removed
	}
	return ": exit code " + exit
}
