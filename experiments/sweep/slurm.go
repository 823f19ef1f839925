package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"spvsim/config"
)

// Slurm runs points as a job array. What was submitted is a file in the sweep's folder, written before sbatch runs, so that a
// sweep that was killed finds its array again by the job's name.
type Slurm struct {
	profile *config.Cluster
	dir     string // of submissions
	store   *Store
}

// A submission is one job array.
type submission struct {
	Name  string   `json:"name"` // of the job, unlike any other
	ID    string   `json:"id"`   // empty until sbatch has answered
	Tasks int      `json:"tasks"`
	Keys  []string `json:"keys"` // of its points
}

const submissionFile = "submissions.jsonl"

// ErrSlurm means that a command of Slurm failed.
var ErrSlurm = errors.New("slurm")

// NewSlurm makes a launcher that keeps its files in the sweep's output folder.
func NewSlurm(profile *config.Cluster, out string, store *Store) (*Slurm, error) {
	for _, tool := range []string{"sbatch", "squeue"} {
		if _, err := exec.LookPath(tool); err != nil {
			return nil, fmt.Errorf("%w: %s is not installed here: submit from a node of the cluster", ErrSlurm, tool)
		}
	}
	dir, err := filepath.Abs(filepath.Join(out, slurmDir))
	if err != nil {
		return nil, err
	}
	return &Slurm{profile, dir, store}, os.MkdirAll(dir, 0o777)
}

// Launch waits for what an earlier sweep submitted, and then submits what is missing until nothing is or the attempts are used up.
func (l *Slurm) Launch(ctx context.Context, specs []Spec, ended func(*Record)) error {
	w := &watch{slurm: l, open: slices.Clone(specs), ended: ended}
	if err := w.forget(); err != nil {
		return err
	}
	last, err := l.last()
	if err != nil {
		return err
	}
	if last != nil {
		if err := w.until(ctx, last); err != nil {
			return err
		}
	}
	for range l.profile.Attempts {
		if len(w.open) == 0 {
			return nil
		}
		if last, err = l.submit(ctx, w.open); err != nil {
			return err
		}
		if err := w.until(ctx, last); err != nil {
			return err
		}
	}
	return w.giveUp(ctx, last)
}

// watch takes records as they appear.
type watch struct {
	slurm *Slurm
	open  []Spec // without a record yet
	ended func(*Record)
}

// forget removes the records of points that crashed before: they are to be run again.
func (w *watch) forget() error {
	var errs []error
	for i := range w.open {
		r, err := w.slurm.store.Get(&w.open[i])
		if err == nil && r != nil && r.Status == Crashed {
			err = w.slurm.store.Remove(w.open[i].Key)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// collect takes the records that are there.
func (w *watch) collect() error {
	left := w.open[:0]
	for _, s := range w.open {
		r, err := w.slurm.store.Get(&s)
		switch {
		case err != nil:
			return err
		case r == nil:
			left = append(left, s)
		default:
			w.ended(r)
		}
	}
	w.open = left
	return nil
}

// until waits for an array to leave the queue, or for its last record.
func (w *watch) until(ctx context.Context, s *submission) error {
	for {
		states, err := queue(ctx, s.Name)
		if err != nil {
			return err
		}
		// The queue is looked at first: what ended before it was empty has its record by now.
		if err := w.collect(); err != nil || len(w.open) == 0 || len(states) == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(w.slurm.profile.PollSeconds * float64(time.Second))):
		}
	}
}

// giveUp records what no attempt gave a result for.
func (w *watch) giveUp(ctx context.Context, last *submission) error {
	for i := range w.open {
		s := &w.open[i]
		r := s.record()
		r.Status = Crashed
		r.Error = fmt.Sprintf("no result after %d job arrays%s", w.slurm.profile.Attempts, w.slurm.reason(ctx, last, s))
		if err := w.slurm.store.Put(s.Key, r); err != nil {
			return err
		}
		w.ended(r)
	}
	return nil
}

// reason is what is known of the task that should have run a point: its state where the cluster keeps accounts, its output.
func (l *Slurm) reason(ctx context.Context, s *submission, spec *Spec) string {
	chunk := (len(s.Keys) + s.Tasks - 1) / s.Tasks
	task := slices.Index(s.Keys, spec.Key) / chunk
	text := ""
	if out, err := command(ctx, "sacct", "-n", "-P", "-X", "-j", fmt.Sprintf("%s_%d", s.ID, task), "-o", "State,ExitCode"); err == nil {
		if state, exit, ok := strings.Cut(strings.TrimSpace(out), "|"); ok {
			text = fmt.Sprintf(": %s, exit code %s", state, exit)
		}
	}
	log, err := os.ReadFile(filepath.Join(l.dir, fmt.Sprintf("%s-%d.log", s.Name, task)))
	if err != nil {
		return text
	}
	return text + lastLines(string(log))
}

// last is the submission before this one; nil when there is none.
func (l *Slurm) last() (*submission, error) {
	data, err := os.ReadFile(filepath.Join(l.dir, submissionFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	s := &submission{}
	if err := json.Unmarshal(lines[len(lines)-1], s); err != nil {
		return nil, nil // written by half: sbatch has not run
	}
	return s, nil
}

func (l *Slurm) note(s *submission) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(l.dir, submissionFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, recordMode)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	return errors.Join(err, f.Sync(), f.Close())
}

// submit writes the points and the script, notes them, and calls sbatch.
func (l *Slurm) submit(ctx context.Context, specs []Spec) (*submission, error) {
	s := &submission{Name: fmt.Sprintf("spvsim-%s-%x", specs[0].Key[:8], time.Now().UnixNano())}
	var points bytes.Buffer
	for i := range specs {
		text, err := json.Marshal(&specs[i])
		if err != nil {
			return nil, err
		}
		points.Write(append(text, '\n'))
		s.Keys = append(s.Keys, specs[i].Key)
	}
	largest := maxArray(ctx)
	chunk := max(l.profile.Chunk, (len(specs)+largest-1)/largest)
	s.Tasks = (len(specs) + chunk - 1) / chunk
	file := filepath.Join(l.dir, s.Name)
	err := errors.Join(Replace(file+".points", points.Bytes()), Replace(file+".sh", []byte(l.script(file, chunk))), l.note(s))
	if err != nil {
		return nil, err
	}
	out, err := command(ctx, "sbatch", l.arguments(s, file)...)
	if err != nil {
		return nil, err
	}
	s.ID, _, _ = strings.Cut(strings.TrimSpace(out), ";") // id, or id;cluster
	return s, l.note(s)
}

// script is what each task runs.
func (l *Slurm) script(file string, chunk int) string {
	store, err := filepath.Abs(l.store.dir)
	if err != nil {
		store = l.store.dir
	}
	lines := append([]string{"#!/bin/sh"}, l.profile.Setup...)
	lines = append(lines, fmt.Sprintf("exec %s sweep-point --points %s --store %s --chunk \"$SLURM_ARRAY_TASK_ID\" --chunk-size %d",
		quoted(l.profile.Command), quoted(file+".points"), quoted(store), chunk))
	return strings.Join(lines, "\n") + "\n"
}

// quoted is a text as one word of the shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func (l *Slurm) arguments(s *submission, file string) []string {
	p := l.profile
	array := fmt.Sprintf("0-%d", s.Tasks-1)
	if p.Running > 0 {
		array += fmt.Sprintf("%%%d", p.Running)
	}
	args := []string{"--parsable", "--job-name=" + s.Name, "--array=" + array, "--output=" + file + "-%a.log", "--cpus-per-task=" + strconv.Itoa(p.CPUs)}
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

// maxArray asks the cluster how many tasks an array may have.
func maxArray(ctx context.Context) int {
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

// queue lists the states of a job's tasks that have not ended.
func queue(ctx context.Context, name string) ([]string, error) {
	out, err := command(ctx, "squeue", "--noheader", "--array", "--name="+name, "--format=%T")
	return strings.Fields(out), err
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
		return "", fmt.Errorf("%w: %s: %w%s", ErrSlurm, name, err, lastLines(complaint.String()))
	}
	return out.String(), nil
}

// SlurmStatus says how the last job array of a sweep stands; nothing when none was submitted.
func SlurmStatus(ctx context.Context, out string, w io.Writer) error {
	l := &Slurm{dir: filepath.Join(out, slurmDir)}
	s, err := l.last()
	if err != nil || s == nil {
		return err
	}
	states, err := queue(ctx, s.Name)
	if err != nil {
		return err
	}
	slices.Sort(states)
	text := fmt.Sprintf("job array %s (%s): %d tasks", s.ID, s.Name, s.Tasks)
	for _, state := range slices.Compact(slices.Clone(states)) {
		count := 0
		for _, other := range states {
			if other == state {
				count++
			}
		}
		text += fmt.Sprintf(", %d %s", count, strings.ToLower(state))
	}
	if len(states) == 0 {
		text += ", all ended"
	}
	_, err = fmt.Fprintln(w, text)
	return err
}
