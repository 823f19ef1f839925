package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"spvsim/config"
)

// slurm is the system that sbatch and squeue reach.
type slurm struct{ profile *config.Cluster }

// ErrCluster means that a command of a cluster failed.
var ErrCluster = errors.New("cluster")

// NewSlurm creates a launcher that writes its files to the sweep's output folder.
func NewSlurm(setup ArraySetup, out string) (*Array, error) {
	if err := errors.Join(setup.Profile.CheckWithoutCommands("slurm"), installed("sbatch", "squeue")); err != nil {
		return nil, err
	}
	return newArray(setup, slurm{setup.Profile}, filepath.Join(out, slurmDir))
}

func installed(tools ...string) error {
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("%w: %s is not installed here: submit from a node of the cluster", ErrCluster, tool)
		}
	}
	return nil
}

func (slurm) script() surroundings { return surroundings{index: "$SLURM_ARRAY_TASK_ID"} }

func (l slurm) submit(ctx context.Context, s *submission, file string) (string, error) {
	out, err := command(ctx, "sbatch", l.arguments(s, file)...)
	id, _, _ := strings.Cut(strings.TrimSpace(out), ";") // id, or id;cluster
	return id, err
}

// reason is the state of a task where the cluster keeps accounts.
func (slurm) reason(ctx context.Context, s *submission, task int) string {
	out, err := command(ctx, "sacct", "-n", "-P", "-X", "-j", fmt.Sprintf("%s_%d", s.ID, task), "-o", "State,ExitCode")
	if err != nil {
		return ""
	}
	if state, exit, ok := strings.Cut(strings.TrimSpace(out), "|"); ok {
		return fmt.Sprintf(": %s, exit code %s", state, exit)
	}
	return ""
}

// states lists the states of a job's tasks that have not ended.
func (slurm) states(ctx context.Context, s *submission) ([]string, error) {
	out, err := command(ctx, "squeue", "--noheader", "--array", "--name="+s.Name, "--format=%T")
	return strings.Fields(out), err
}

func (l slurm) arguments(s *submission, file string) []string {
	p := l.profile
	array := fmt.Sprintf("0-%d", s.Tasks-1)
	if p.Running > 0 {
		array += fmt.Sprintf("%%%d", p.Running)
	}
	args := []string{"--parsable", "--job-name=" + s.Name, "--array=" + array, "--output=" + logName(file, "%a"), "--cpus-per-task=" + strconv.Itoa(p.CPUs)}
	for _, o := range []struct {
		flag, value string
		given       bool
	}{
		{"--partition=", p.Partition, p.Partition != ""},
		{"--account=", p.Account, p.Account != ""},
		{"--mem=", fmt.Sprintf("%dM", p.MemoryMB), p.MemoryMB > 0},
		{"--time=", strconv.Itoa(p.TimeMinutes), p.TimeMinutes > 0},
	} {
		if o.given {
			args = append(args, o.flag+o.value)
		}
	}
	return append(append(args, p.Flags...), file+".sh")
}

// defaultMaxArray is Slurm's own default of MaxArraySize, one more than the largest index.
const defaultMaxArray = 1001

// largest queries the cluster's limit on the tasks of an array.
func (slurm) largest(ctx context.Context) int {
	out, err := command(ctx, "scontrol", "show", "config")
	if err != nil {
		return defaultMaxArray
	}
	for line := range strings.Lines(out) {
		name, value, _ := strings.Cut(line, "=")
		if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && n > 0 && strings.TrimSpace(name) == "MaxArraySize" {
			return n
		}
	}
	return defaultMaxArray
}

func command(ctx context.Context, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	var out, complaint bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaint
	err := c.Run()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", fmt.Errorf("%w: %s: %w%s", ErrCluster, name, err, lastLines(complaint.String()))
	}
	return out.String(), nil
}
