package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"spvsim/config"
)

// commands is the system behind the commands of a profile. They are shell lines that get the array's name, files and
// numbers as variables, so that nothing in them needs quoting by this program.
type commands struct {
	profile *config.Cluster
	running *process // the last submit command, if there is no queue command
}

// A process is a submit command that ends when its tasks have.
type process struct {
	done   chan struct{}
	reason string // why it failed, known when it has ended
}

// NewCommands creates a launcher of a profile with commands. It writes its files to the sweep's output folder.
func NewCommands(setup ArraySetup, out string) (*Array, error) {
	if err := setup.Profile.CheckCommands(); err != nil {
		return nil, err
	}
	return newArray(setup, &commands{profile: setup.Profile}, filepath.Join(out, clusterDir))
}

func (c *commands) script() surroundings {
	return surroundings{index: c.profile.Index, keepLog: true}
}

// largest: a cluster with its own limit needs a larger chunk.
func (c *commands) largest(context.Context) int { return 1_000_000 }

// variables returns the environment of a profile's shell lines.
func (s *submission) variables(file string) []string {
	return append(os.Environ(), "SPVSIM_NAME="+s.Name, "SPVSIM_TASKS="+strconv.Itoa(s.Tasks), "SPVSIM_LAST="+strconv.Itoa(s.Tasks-1),
		"SPVSIM_SCRIPT="+file+".sh", "SPVSIM_ID="+s.ID)
}

// submit runs the submit command: to its end if there is a queue command, else in parallel with the sweep.
func (c *commands) submit(ctx context.Context, s *submission, file string) (string, error) {
	line := exec.CommandContext(ctx, "sh", "-c", c.profile.Submit)
	line.Env = s.variables(file)
	line.Cancel = func() error { return line.Process.Signal(os.Interrupt) }
	line.WaitDelay = endTimeout
	var out, complaint bytes.Buffer
	line.Stdout, line.Stderr = &out, &complaint
	if c.profile.Queue == "" {
		return "", c.startInBackground(line, &complaint)
	}
	if err := line.Run(); err != nil {
		return "", errors.Join(ctx.Err(), fmt.Errorf("%w: submit: %w%s", ErrCluster, err, lastLines(complaint.String())))
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	return strings.TrimSpace(lines[len(lines)-1]), nil
}

func (c *commands) startInBackground(line *exec.Cmd, complaint *bytes.Buffer) error {
	if err := line.Start(); err != nil {
		return fmt.Errorf("%w: submit: %w", ErrCluster, err)
	}
	p := &process{done: make(chan struct{})}
	c.running = p
	go func() {
		defer close(p.done)
		if err := line.Wait(); err != nil { // failed tasks have no record: their points are submitted again
			p.reason = fmt.Sprintf("; submit: %v%s", err, lastLines(complaint.String()))
		}
	}()
	return nil
}

// states: the queue command prints something as long as tasks have not ended.
func (c *commands) states(ctx context.Context, s *submission) ([]string, error) {
	if s.Queue == "" {
		return c.running.states(), nil
	}
	line := exec.CommandContext(ctx, "sh", "-c", s.Queue)
	line.Env = s.variables("")
	out, err := line.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if len(bytes.TrimSpace(out)) > 0 {
		return []string{"waiting or running"}, nil
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(exit.Stderr) > 0 && exit.ExitCode() >= shellFails {
		return nil, fmt.Errorf("%w: queue: %w%s", ErrCluster, err, lastLines(string(exit.Stderr)))
	}
	return nil, nil // many such commands fail for a job that has ended
}

// shellFails is the least exit status of a shell that does not run a command at all.
const shellFails = 126

func (p *process) states() []string {
	if p == nil {
		return nil // of a sweep that has ended
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(time.Millisecond):
		return []string{"running"}
	}
}

func (c *commands) reason(context.Context, *submission, int) string {
	if c.running == nil {
		return ""
	}
	<-c.running.done
	return c.running.reason
}
