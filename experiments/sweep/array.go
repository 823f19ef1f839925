package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"spvsim/config"
	"spvsim/internal/files"
)

// Array runs points as job arrays of a cluster. Each submission is recorded in a file of the sweep's folder before the
// cluster gets it, so that a sweep that was killed finds its array again by the job's name.
type Array struct {
	profile *config.Cluster
	system  system
	dir     string // of submissions
	store   *Store
}

// A system runs job arrays: Slurm, or the commands of a profile.
type system interface {
	// index returns the shell's expression for a task's number from 0, and whether the script has to keep its own
	// output.
	index() (expression string, keepLog bool)
	// largest returns the largest number of tasks in an array.
	largest(ctx context.Context) int
	// submit starts an array whose files begin with file, and returns the system's id of it.
	submit(ctx context.Context, s *submission, file string) (id string, err error)
	// states returns the states of the tasks that have not ended.
	states(ctx context.Context, s *submission) ([]string, error)
	// reason returns the system's information on a task that has ended.
	reason(ctx context.Context, s *submission, task int) string
}

// A submission is one job array.
type submission struct {
	Name  string   `json:"name"`            // of the job, unlike any other
	ID    string   `json:"id"`              // empty until the cluster has answered
	Queue string   `json:"queue,omitempty"` // command that queries it, if the profile has one
	Tasks int      `json:"tasks"`
	Keys  []string `json:"keys"` // of its points
}

const submissionFile = "submissions.jsonl"

func newArray(profile *config.Cluster, of system, dir string, store *Store) (*Array, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	return &Array{profile, of, dir, store}, os.MkdirAll(dir, 0o777)
}

// Launch waits for an earlier sweep's submission, and then submits the missing points until all have a result or the
// attempts are used up.
func (l *Array) Launch(ctx context.Context, specs []Spec, ended func(*Record)) error {
	w := &arrayWatch{array: l, open: slices.Clone(specs), onRecord: ended}
	if err := w.removeCrashed(); err != nil {
		return err
	}
	last, err := l.last()
	if err != nil {
		return err
	}
	if last != nil {
		if err := w.waitForArray(ctx, last); err != nil {
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
		if err := w.waitForArray(ctx, last); err != nil {
			return err
		}
	}
	return w.giveUp(ctx, last)
}

// arrayWatch collects records as they appear.
type arrayWatch struct {
	array    *Array
	open     []Spec // without a record yet
	onRecord func(*Record)
}

// removeCrashed removes the records of points that crashed before: they are to be run again.
func (w *arrayWatch) removeCrashed() error {
	var errs []error
	for i := range w.open {
		r, err := w.array.store.Load(&w.open[i])
		if err == nil && r != nil && r.Status == Crashed {
			err = w.array.store.Remove(w.open[i].Key)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// collect reads the records that have appeared.
func (w *arrayWatch) collect() error {
	left := w.open[:0]
	for _, s := range w.open {
		r, err := w.array.store.Load(&s)
		switch {
		case err != nil:
			return err
		case r == nil:
			left = append(left, s)
		default:
			w.onRecord(r)
		}
	}
	w.open = left
	return nil
}

// waitForArray waits for an array to leave the queue, or for its last record.
func (w *arrayWatch) waitForArray(ctx context.Context, s *submission) error {
	for {
		states, err := w.array.system.states(ctx, s)
		if err != nil {
			return err
		}
		// The queue was read before: points that ended before it became empty have their record by now.
		if err := w.collect(); err != nil || len(w.open) == 0 || len(states) == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(w.array.profile.PollSeconds * float64(time.Second))):
		}
	}
}

// giveUp records the points that no attempt gave a result for as crashed.
func (w *arrayWatch) giveUp(ctx context.Context, last *submission) error {
	for i := range w.open {
		s := &w.open[i]
		r := s.record()
		r.Status = Crashed
		r.Error = fmt.Sprintf("no result after %d job arrays%s", w.array.profile.Attempts, w.array.reason(ctx, last, s))
		if err := w.array.store.Save(s.Key, r); err != nil {
			return err
		}
		w.onRecord(r)
	}
	return nil
}

// reason describes the task that should have run a point: the cluster's information, its output, and the place of that.
func (l *Array) reason(ctx context.Context, s *submission, spec *Spec) string {
	chunk := (len(s.Keys) + s.Tasks - 1) / s.Tasks
	task := slices.Index(s.Keys, spec.Key) / chunk
	text := l.system.reason(ctx, s, task)
	name := logName(filepath.Join(l.dir, s.Name), fmt.Sprint(task))
	log, err := files.Read(name, files.MaxJSON)
	if err != nil {
		return fmt.Sprintf("%s; it left no log (%s)", text, name)
	}
	return fmt.Sprintf("%s; log: %s%s", text, name, lastLines(string(log)))
}

// logName is the file of a task's output.
func logName(file, task string) string { return file + "-" + task + ".log" }

// last returns the previous submission, or nil.
func (l *Array) last() (*submission, error) {
	data, err := files.Read(filepath.Join(l.dir, submissionFile), files.MaxJSON)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	s := &submission{}
	if err := json.Unmarshal(lines[len(lines)-1], s); err != nil {
		return nil, nil // written by half: nothing was submitted
	}
	return s, nil
}

func (l *Array) note(s *submission) error {
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

// submit writes the points and the script, notes them, and notifies the cluster.
func (l *Array) submit(ctx context.Context, specs []Spec) (*submission, error) {
	s := &submission{Name: fmt.Sprintf("spvsim-%s-%x", specs[0].Key[:8], time.Now().UnixNano()), Queue: l.profile.Queue}
	var points bytes.Buffer
	for i := range specs {
		text, err := json.Marshal(&specs[i])
		if err != nil {
			return nil, err
		}
		points.Write(append(text, '\n'))
		s.Keys = append(s.Keys, specs[i].Key)
	}
	largest := l.system.largest(ctx)
	chunk := max(l.profile.Chunk, (len(specs)+largest-1)/largest)
	s.Tasks = (len(specs) + chunk - 1) / chunk
	file := filepath.Join(l.dir, s.Name)
	err := errors.Join(Replace(file+".points", points.Bytes()), Replace(file+".sh", []byte(l.script(file, chunk))), l.note(s))
	if err != nil {
		return nil, err
	}
	if s.ID, err = l.system.submit(ctx, s, file); err != nil {
		return nil, err
	}
	return s, l.note(s)
}

// script returns the shell script of each task.
func (l *Array) script(file string, chunk int) string {
	store, err := filepath.Abs(l.store.dir)
	if err != nil {
		store = l.store.dir
	}
	index, keepLog := l.system.index()
	lines := []string{"#!/bin/sh"}
	if keepLog {
		lines = append(lines, fmt.Sprintf("exec >%s 2>&1", logName(quoted(file), index)))
	}
	lines = append(lines, l.profile.Setup...)
	lines = append(lines, fmt.Sprintf("exec %s sweep-point --points %s --store %s --chunk \"%s\" --chunk-size %d",
		quoted(l.profile.Command), quoted(file+".points"), quoted(store), index, chunk))
	return strings.Join(lines, "\n") + "\n"
}

// quoted is a text as one word of the shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// ArrayStatus writes the state of a sweep's last job array, or nothing if none was submitted.
func ArrayStatus(ctx context.Context, out string, w io.Writer) error {
	for _, of := range []struct {
		dir    string
		system system
	}{{slurmDir, slurm{}}, {clusterDir, &commands{}}} {
		l := &Array{dir: filepath.Join(out, of.dir), system: of.system}
		s, err := l.last()
		if err == nil && s != nil {
			err = l.status(ctx, s, w)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *Array) status(ctx context.Context, s *submission, w io.Writer) error {
	states, err := l.system.states(ctx, s)
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
