package sweep

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"spvsim/config"
)

// Simulate runs one point in a worker. An error is the simulation's own.
type Simulate func(ctx context.Context, run *config.Run) (Output, error)

// Output is the result of a simulation: its statistics as JSON, and its buffers by name.
type Output struct {
	Stats   []byte
	Buffers map[string][]byte
	// Warnings are caveats for the reader of the row.
	Warnings []string
}

// RunWorker is a worker process: it reads specs, a line each, simulates one after the other and writes their records. It
// ends when its input does. If that ends while a point is simulated, it calls orphaned: the parent is gone. The points'
// files are in a bundle, if there is one.
func RunWorker(ctx context.Context, in io.Reader, out io.Writer, from *Bundle, simulate Simulate, orphaned func()) error {
	points := &input{lines: make(chan []byte), orphaned: orphaned}
	go points.read(in)
	for text := range points.lines {
		var s Spec
		if err := json.Unmarshal(text, &s); err != nil {
			return fmt.Errorf("want a point in each line of standard input: %w", err)
		}
		r := s.simulated(ctx, from, simulate)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		points.busy.Store(false)
		if err := json.NewEncoder(out).Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// An input is the stream of points to a worker.
type input struct {
	lines    chan []byte
	busy     atomic.Bool // from a line on until its record is written
	orphaned func()
}

func (p *input) read(in io.Reader) {
	defer close(p.lines)
	for lines := bufio.NewReader(in); ; {
		text, err := lines.ReadBytes('\n')
		if len(text) == 0 || err != nil && !errors.Is(err, io.EOF) {
			break
		}
		p.busy.Store(true)
		p.lines <- text
	}
	if p.busy.Load() {
		p.orphaned()
	}
}

// simulated is the record of the point.
func (s *Spec) simulated(ctx context.Context, from *Bundle, simulate Simulate) *Record {
	begin := time.Now()
	r := s.record()
	run, err := s.Ready(from)
	var result Output
	if err == nil {
		result, err = simulate(ctx, run)
	}
	if err == nil {
		r.Stats, r.Warnings = result.Stats, result.Warnings
		r.Values, err = s.elements(result.Buffers)
	}
	r.HostSeconds = time.Since(begin).Seconds()
	if err != nil {
		r.fail(s.Limits, err)
	}
	return r
}

// A Stopped is the error of a simulation that reached a limit.
type Stopped struct{ Err error }

func (s *Stopped) Error() string { return s.Err.Error() }
func (s *Stopped) Unwrap() error { return s.Err }

// maxReasons is the number of an error's lines in a row: the failure, and the loops that most waves are in.
const maxReasons = 4

// fail records why the simulation failed; if it reached a limit, with the limits, as it might succeed with others.
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
	return &Record{Inputs: s.Inputs, Version: s.Identity.Version, Build: s.Identity.Build, Job: s.Job, Cells: s.Cells, Workgroups: s.Workgroups, Status: Done}
}

// Workers are worker processes. Each runs points one after the other, as long as they are short and end as they should.
type Workers struct {
	Command []string // program and arguments that run Work
	Count   int
	Store   saver
}

// A saver keeps records: a Store, or a task's file of rows.
type saver interface {
	Save(key string, r *Record) error
}

// workerEnv: a simulation has one thread; with more, its garbage collector would use cores of the other workers.
const workerEnv = "GOMAXPROCS=1"

// Run runs specs on Count processes at once and stores a record of each. It calls ended for each as it ends, never
// concurrently. When the context ends, it kills running workers and returns ctx.Err.
func (w *Workers) Run(ctx context.Context, specs []Spec, ended func(*Record)) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan *Spec)
	count := min(max(w.Count, 1), len(specs))
	storing := make(chan struct{}, count) // records are stored while the next points run, as the disk takes its time
	var group sync.WaitGroup
	var one sync.Mutex
	store := func(s *Spec, r *Record) {
		defer func() { <-storing }()
		if err := w.Store.Save(s.Key, r); err != nil {
			stop(err)
			return
		}
		one.Lock()
		defer one.Unlock()
		ended(r)
	}
	for range count {
		group.Go(func() {
			k := &worker{command: w.Command}
			defer func() { _ = k.end() }() // of a process that has nothing more to do
			for s := range next {
				r, err := k.point(ctx, s)
				if err != nil {
					stop(err)
					continue
				}
				storing <- struct{}{}
				group.Go(func() { store(s, r) })
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

// point runs one spec.
func (k *worker) point(ctx context.Context, s *Spec) (*Record, error) {
	begin := time.Now()
	limited, stop := s.deadline(ctx)
	defer stop()
	out, err := k.run(limited, s)
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
	return r, nil
}

// endTimeout is the time that a worker has, after its limit, to end by itself and report its result.
const endTimeout = 5 * time.Second

// deadline ends the worker of a point that does not keep its limit of time itself.
func (s *Spec) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.Limits.Seconds == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(s.Limits.Seconds*float64(time.Second))+endTimeout)
}

// longPoint is the duration of a point after which its process ends: a new start costs little in comparison, and frees
// the memory. Knob.
const longPoint = time.Second

// A worker is at most one process, whose standard input stays open: it ends when this process does.
type worker struct {
	command   []string
	process   *exec.Cmd // nil: no process runs
	in        io.WriteCloser
	out       *bufio.Reader
	complaint *bytes.Buffer
}

// run sends the spec to a process. If a process fails after other points, the spec is sent to a new one, so that a
// failure there is this point's alone.
func (k *worker) run(ctx context.Context, s *Spec) ([]byte, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	text = append(text, '\n')
	if k.process != nil {
		if out, err := k.request(ctx, text); err == nil || ctx.Err() != nil {
			return out, err
		}
	}
	if err := k.start(); err != nil {
		return nil, err
	}
	return k.request(ctx, text)
}

func (k *worker) start() (err error) {
	c := exec.Command(k.command[0], k.command[1:]...)
	c.Env = append(os.Environ(), workerEnv)
	k.complaint = &bytes.Buffer{}
	c.Stderr = k.complaint
	if k.in, err = c.StdinPipe(); err != nil {
		return err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	k.process, k.out = c, bufio.NewReader(out)
	return nil
}

// request runs a point in the process that is there.
func (k *worker) request(ctx context.Context, text []byte) ([]byte, error) {
	begin, process := time.Now(), k.process.Process
	stop := context.AfterFunc(ctx, func() { _ = process.Kill() }) // it has ended where that fails
	_, err := k.in.Write(text)
	out, gone := k.out.ReadBytes('\n')
	lives := stop()
	if gone != nil {
		err = errors.Join(k.end(), ignoreClosed(err))
		return nil, fmt.Errorf("the worker ended without a result: %w%s", cmp.Or(err, gone), lastLines(k.complaint.String()))
	}
	if !lives || time.Since(begin) > longPoint {
		_ = k.end() // the result is already known
	}
	return out, nil
}

// end ends the process, if one runs.
func (k *worker) end() error {
	if k.process == nil {
		return nil
	}
	_ = k.in.Close() // Wait does it as well
	err := k.process.Wait()
	k.process = nil
	return err
}

// ignoreClosed: a dead worker closes its input, and its exit status is the better error.
func ignoreClosed(err error) error {
	if p := (*os.PathError)(nil); errors.As(err, &p) {
		return nil
	}
	return err
}

// maxComplaint bounds the bytes of a worker's standard error in its record.
const maxComplaint = 2000

func lastLines(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	return "\n" + s[:min(len(s), maxComplaint)]
}
