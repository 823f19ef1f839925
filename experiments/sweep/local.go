package sweep

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"spvsim/config"
)

// Simulate runs one point in a worker. An error is the simulation's own.
type Simulate func(ctx context.Context, run *config.Run) (Output, error)

// Output is what a simulation came to: its statistics as JSON, and its buffers by name.
type Output struct {
	Stats   []byte
	Buffers map[string][]byte
}

// Work reads a spec, simulates it and writes its record: all that a worker process does. When the input then ends, orphaned is
// called: who started the worker is gone.
func Work(ctx context.Context, in io.Reader, out io.Writer, simulate Simulate, orphaned func()) error {
	var s Spec
	lines := bufio.NewReader(in)
	text, err := lines.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		return fmt.Errorf("want a point in one line of standard input: %w", err)
	}
	go func() {
		_, _ = io.Copy(io.Discard, lines)
		orphaned()
	}()
	begin := time.Now()
	r := s.record()
	run, err := s.Ready()
	var result Output
	if err == nil {
		result, err = simulate(ctx, run)
	}
	if err == nil {
		r.Stats = result.Stats
		r.Values, err = s.elements(result.Buffers)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.HostSeconds = time.Since(begin).Seconds()
	if err != nil {
		r.fail(s.Limits, err)
	}
	return json.NewEncoder(out).Encode(r)
}

// A Stopped is the error of a simulation that reached a limit.
type Stopped struct{ Err error }

func (s *Stopped) Error() string { return s.Err.Error() }
func (s *Stopped) Unwrap() error { return s.Err }

// maxReasons is how many lines of an error a row holds: what happened, and the loops that most waves are in.
const maxReasons = 4

// fail notes why the simulation failed; where a limit was reached, with the limits, as with others it might not.
func (r *Record) fail(limits Limits, err error) {
	lines := strings.Split(err.Error(), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	r.Status, r.Error = Failed, strings.Join(lines[:min(len(lines), maxReasons)], " ")
	if stopped := (*Stopped)(nil); errors.As(err, &stopped) {
		r.Stopped = &limits
	}
}

func (s *Spec) record() *Record {
	return &Record{Inputs: s.Inputs, Version: s.Identity.Version, Build: s.Identity.Build, Job: s.Job, Cells: s.Cells, Work: s.Work, Status: Done}
}

// Workers starts worker processes.
type Workers struct {
	Command []string // program and arguments that run Work
	Count   int
	Store   *Store
}

// workerEnv: a simulation is one thread; with more, its garbage collector takes cores from the other workers.
const workerEnv = "GOMAXPROCS=1"

// Run runs specs on Count processes at once and stores a record of each. ended is called for each as it ends, one at a time.
// When the context ends, running workers are killed and ctx.Err is returned.
func (w *Workers) Run(ctx context.Context, specs []Spec, ended func(*Record)) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan *Spec)
	var group sync.WaitGroup
	var one sync.Mutex
	for range min(max(w.Count, 1), len(specs)) {
		group.Go(func() {
			for s := range next {
				r, err := w.point(ctx, s)
				if err != nil {
					stop(err)
					continue
				}
				one.Lock()
				ended(r)
				one.Unlock()
			}
		})
	}
	feed(ctx, next, specs)
	group.Wait()
	return context.Cause(ctx)
}

func feed(ctx context.Context, next chan<- *Spec, specs []Spec) {
	defer close(next)
	for i := range specs {
		select {
		case next <- &specs[i]:
		case <-ctx.Done():
			return
		}
	}
}

// point runs one spec in a process of its own: whatever happens there is this point's alone.
func (w *Workers) point(ctx context.Context, s *Spec) (*Record, error) {
	begin := time.Now()
	limited, stop := s.deadline(ctx)
	defer stop()
	out, err := w.process(limited, s)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r := &Record{}
	if err == nil {
		err = json.Unmarshal(out, r)
	}
	if err != nil {
		r = s.record()
		r.Status, r.Error, r.HostSeconds = Crashed, err.Error(), time.Since(begin).Seconds()
		if limited.Err() != nil {
			r.fail(s.Limits, &Stopped{fmt.Errorf("host-time limit reached: %g seconds, and the worker did not end by itself", s.Limits.Seconds)})
		}
	}
	return r, w.Store.Put(s.Key, r)
}

// grace is what a worker has, after its time is up, to end by itself and say what it came to.
const grace = 5 * time.Second

// deadline ends the worker of a point that does not keep its limit of time itself.
func (s *Spec) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.Limits.Seconds == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(s.Limits.Seconds*float64(time.Second))+grace)
}

// process gives the worker its spec and keeps its standard input open: the worker ends when this process does.
func (w *Workers) process(ctx context.Context, s *Spec) ([]byte, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, w.Command[0], w.Command[1:]...)
	c.Env = append(os.Environ(), workerEnv)
	var out, complaint bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaint
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	_, err = in.Write(append(text, '\n'))
	err = errors.Join(c.Wait(), ignoreClosed(err))
	_ = in.Close() // Wait has done it, where the process has started
	if err != nil {
		return nil, fmt.Errorf("the worker ended without a result: %w%s", err, lastLines(complaint.String()))
	}
	return out.Bytes(), nil
}

// ignoreClosed: a worker that is gone closes its input, and how it ended says more.
func ignoreClosed(err error) error {
	if p := (*os.PathError)(nil); errors.As(err, &p) {
		return nil
	}
	return err
}

// maxComplaint is how much of a worker's standard error goes into its record.
const maxComplaint = 2000

func lastLines(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	return "\n" + s[:min(len(s), maxComplaint)]
}
