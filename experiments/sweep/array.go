package sweep

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"spvsim/config"
	"spvsim/internal/files"
	"spvsim/internal/lists"
)

// Array runs points as job arrays of a cluster: the tasks of a bundle. Each submission is recorded in a file of the
// sweep's folder before the cluster gets it, so that a sweep that was killed finds its array again by the job's name.
type Array struct {
	ArraySetup
	system system
}

// ArraySetup is what job arrays are made of.
type ArraySetup struct {
	Profile *config.Cluster
	Program string // this one
	Plan    *Plan
	Store   *Store

	dir string // of submissions
}

// A system runs job arrays: Slurm, HTCondor, or the commands of a profile.
type system interface {
	// script describes a task's surroundings.
	script() surroundings
	// largest returns the largest number of tasks in an array.
	largest(ctx context.Context) int
	// submit starts an array whose files begin with file, and returns the system's id of it.
	submit(ctx context.Context, s *submission, file string) (id string, err error)
	// states returns the states of the tasks that have not ended.
	states(ctx context.Context, s *submission) ([]string, error)
	// reason returns the system's information on a task that has ended.
	reason(ctx context.Context, s *submission, task int) string
}

// surroundings are what a task's script depends on.
type surroundings struct {
	index   string // the shell's expression for the task's number from 0
	keepLog bool   // the script keeps its own output
	private bool   // the task has a folder of its own, with copies of its files
}

// A submission is one job array.
type submission struct {
	Name   string   `json:"name"`            // of the job, unlike any other
	ID     string   `json:"id"`              // empty until the cluster has answered
	Queue  string   `json:"queue,omitempty"` // command that queries it, if the profile has one
	Bundle string   `json:"bundle"`          // ID
	Tasks  int      `json:"tasks"`
	First  []int    `json:"first"` // of Keys, for each task, and their number
	Keys   []string `json:"keys"`  // of its points
}

const submissionFile = "submissions.jsonl"

func rowsName(file, task string) string { return file + "-" + task + ".rows" }

// newArray makes the folder of submissions in the sweep's output folder.
func newArray(setup ArraySetup, of system, dir string) (*Array, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	setup.dir = dir
	return &Array{setup, of}, os.MkdirAll(dir, 0o777)
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
	for range l.Profile.Attempts {
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
	rows     map[int]*rowsReader // of the tasks of one submission
}

// removeCrashed removes the records of points that crashed before: they are to be run again.
func (w *arrayWatch) removeCrashed() error {
	var errs []error
	for i := range w.open {
		r, err := w.array.Store.Load(&w.open[i])
		if err == nil && r != nil && r.Status == Crashed {
			err = w.array.Store.Remove(w.open[i].Key)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// collect reads the rows that have appeared in the files of tasks.
func (w *arrayWatch) collect(s *submission) error {
	wanted := map[string]int{}
	for i := range w.open {
		wanted[w.open[i].Key] = i
	}
	ended := map[string]bool{}
	for task := range s.Tasks {
		r := w.rows[task]
		if r == nil {
			r = &rowsReader{name: rowsName(filepath.Join(w.array.dir, s.Name), strconv.Itoa(task))}
			w.rows[task] = r
		}
		err := r.read(func(row *taskRow) error {
			i, ok := wanted[row.Key]
			if !ok || r.header.Bundle != s.Bundle || !w.open[i].accepts(row.Record) {
				return nil // of an earlier sweep
			}
			if err := w.array.Store.merge(&w.open[i], row.Record); err != nil {
				return fmt.Errorf("%s:%d: %w", r.name, r.line, err)
			}
			if !ended[row.Key] {
				w.onRecord(row.Record)
			}
			ended[row.Key] = true
			return nil
		}, func(int) {})
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	w.open = slices.DeleteFunc(w.open, func(s Spec) bool { return ended[s.Key] })
	return nil
}

// waitForArray waits for an array to leave the queue, or for its last record.
func (w *arrayWatch) waitForArray(ctx context.Context, s *submission) error {
	w.rows = map[int]*rowsReader{}
	for {
		states, err := w.array.system.states(ctx, s)
		if err != nil {
			return err
		}
		// The queue was read before: points that ended before it became empty have their record by now.
		if err := w.collect(s); err != nil || len(w.open) == 0 || len(states) == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(w.array.Profile.PollSeconds * float64(time.Second))):
		}
	}
}

// giveUp records the points that no attempt gave a result for as crashed.
func (w *arrayWatch) giveUp(ctx context.Context, last *submission) error {
	for i := range w.open {
		s := &w.open[i]
		r := s.record()
		r.Status = Crashed
		r.Error = fmt.Sprintf("no result after %d job arrays%s", w.array.Profile.Attempts, w.array.reason(ctx, last, s))
		if err := w.array.Store.Save(s.Key, r); err != nil {
			return err
		}
		w.onRecord(r)
	}
	return nil
}

// reason describes the task that should have run a point: the cluster's information, its output, and the place of that.
func (l *Array) reason(ctx context.Context, s *submission, spec *Spec) string {
	task := s.taskOf(slices.Index(s.Keys, spec.Key))
	text := l.system.reason(ctx, s, task)
	name := logName(filepath.Join(l.dir, s.Name), fmt.Sprint(task))
	log, err := files.Read(name, files.MaxJSON)
	if err != nil {
		return fmt.Sprintf("%s; it left no log (%s)", text, name)
	}
	return fmt.Sprintf("%s; log: %s%s", text, name, lastLines(string(log)))
}

func (s *submission) taskOf(point int) int {
	i, found := slices.BinarySearch(s.First, point)
	if !found {
		i--
	}
	return i
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

// submit writes the bundle and the script, notes them, and notifies the cluster.
func (l *Array) submit(ctx context.Context, specs []Spec) (*submission, error) {
	s := &submission{Name: fmt.Sprintf("spvsim-%s-%x", specs[0].Key[:8], time.Now().UnixNano()), Queue: l.Profile.Queue}
	s.Keys = append(s.Keys, lists.MapRefs(specs, func(s *Spec) string { return s.Key })...)
	largest := l.system.largest(ctx)
	chunk := max(l.Profile.Chunk, (len(specs)+largest-1)/largest)
	file := filepath.Join(l.dir, s.Name)
	w := l.Plan.bundle(specs, costs(l.Store.All(), specs))
	if err := w.write(file+".zip", (len(specs)+chunk-1)/chunk); err != nil {
		return nil, err
	}
	b, err := OpenBundle(file + ".zip")
	if err != nil {
		return nil, err
	}
	s.Bundle, s.First, s.Tasks = b.ID, b.Tasks, len(b.Tasks)-1
	if err := errors.Join(Replace(file+".sh", []byte(l.script(file))), l.note(s)); err != nil {
		return nil, err
	}
	if s.ID, err = l.system.submit(ctx, s, file); err != nil {
		return nil, err
	}
	return s, l.note(s)
}

// script returns the shell script of each task.
func (l *Array) script(file string) string {
	in := l.system.script()
	lines := []string{"#!/bin/sh"}
	if in.keepLog {
		lines = append(lines, fmt.Sprintf("exec >%s 2>&1", logName(quoted(file), in.index)))
	}
	program := cmp.Or(l.Profile.Command, l.Program)
	if in.private {
		file = filepath.Base(file)
		lines = append(lines, fmt.Sprintf(": >>%s", rowsName(quoted(file), in.index))) // transferred whether the rest succeeds or not
		if l.Profile.Command == "" {
			program = "./" + filepath.Base(l.Program)
			lines = append(lines, fmt.Sprintf("chmod +x %s", quoted(program)))
		}
	}
	lines = append(lines, l.Profile.Setup...)
	lines = append(lines, fmt.Sprintf("exec %s%s sweep-point --bundle %s --task \"%s\" --rows %s --workers %d", l.container(file, program, in.private), quoted(program),
		quoted(file+".zip"), in.index, rowsName(quoted(file), "\""+in.index+"\""), l.Profile.CPUs))
	return strings.Join(lines, "\n") + "\n"
}

// container returns the words that start a program in the profile's Apptainer image; "" if it has none.
func (l *Array) container(file, program string, private bool) string {
	image := l.Profile.Container
	if image == "" {
		return ""
	}
	binds := `--bind "$PWD"`
	if full, err := filepath.Abs(image); err == nil && isFile(full) {
		if image = full; private {
			image = "./" + filepath.Base(full)
		}
	}
	if !private {
		binds += " --bind " + quoted(filepath.Dir(file))
		if l.Profile.Command == "" {
			binds += " --bind " + quoted(filepath.Dir(program))
		}
	}
	return fmt.Sprintf(`apptainer exec %s --pwd "$PWD" %s `, binds, quoted(image))
}

// quoted is a text as one word of the shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// ArrayStatus writes the state of a sweep's last job array, or nothing if none was submitted.
func ArrayStatus(ctx context.Context, out string, w io.Writer) error {
	for _, of := range []struct {
		dir    string
		system system
	}{{slurmDir, slurm{}}, {condorDir, condor{}}, {clusterDir, &commands{}}} {
		l := &Array{ArraySetup{dir: filepath.Join(out, of.dir)}, of.system}
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
		count := lists.Count(states, func(other string) bool { return other == state })
		text += fmt.Sprintf(", %d %s", count, strings.ToLower(state))
	}
	if len(states) == 0 {
		text += ", all ended"
	}
	_, err = fmt.Fprintln(w, text)
	return err
}
