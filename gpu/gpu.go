// Package gpu runs a job on the machine that its description defines: it lowers shaders, fills buffers, runs launches in order and checks
// expectations. Run is in gpu.go; read on in this order:
//
//	run        what a job does, round by round; course: its launches
//	machine    (package) builds the machine
//	programs   lowers shaders; shaders, shadertext: what a shader file is
//	resources  fills buffers, images and samplers, and binds them; draw: rasterises draws
//	work       what a launch does: kernel (with draws), graphwork, transfer (with copies from and to the host), queues
//	timing     runs a work with time, functional without; sampled (package) times a part of the launches, window the part that the job chooses
//	concurrent (package) runs launches of several queues at the same time
//	guard      limits of the run on the host, and progress; bounds: of its memory
//	report     lists the waves when a run stops; whereabouts: the loops that they are in
//	device     a machine that a driver gives work to; devicegraph, devicequeues
//
// The package opens no files but those that a job names, and does not format results.
package gpu

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"spvsim/mem/texture"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/check"
	"spvsim/config"
	"spvsim/program"
	"spvsim/tracing"
	"spvsim/tracing/probe"
)

// Kinds of failure. ErrInput: the job, its machine or its shaders can't be
// used; ErrRun: a run that was set up rightly failed.
var (
	ErrInput = errors.New("bad input")
	ErrRun   = errors.New("run failed")
)

// What ErrRun can be.
var (
	ErrDeadlock    = errors.New("deadlock: no wave can go on")
	ErrLimit       = errors.New("cycle limit reached")
	ErrHostTime    = errors.New("host-time limit reached")
	ErrInterrupted = errors.New("interrupted")
	ErrExpectation = errors.New("the results are not what the job expects")
	ErrCheck       = errors.New("a shader does what it may not do")
)

// ErrStrict reports warnings of a run whose setup makes them errors. It wraps ErrInput if a warning is known before the first cycle, else
// ErrRun.
var ErrStrict = errors.New("warnings are errors (strict)")

// failure gives an error one of the kinds, without changing its text.
type failure struct{ kind, err error }

func (f *failure) Error() string   { return f.err.Error() }
func (f *failure) Unwrap() []error { return []error{f.kind, f.err} }

// interrupted is the error of a run whose context ended.
type interrupted struct {
	where string
	cause error
}

func (i *interrupted) Error() string   { return fmt.Sprintf("%v %s", ErrInterrupted, i.where) }
func (i *interrupted) Unwrap() []error { return []error{ErrInterrupted, i.cause} }

func inputError(err error) error { return &failure{ErrInput, err} }
func runError(err error) error   { return &failure{ErrRun, err} }

// Setup describes a run.
type Setup struct {
	Machine *config.Machine
	Job     *config.Job

	Observer probe.Observer // nil: no display
	Tracer   probe.Tracer   // nil: none; receives events of the round that is counted, the last
	// Attach is called with the engine and its components before the run, to observe them.
	Attach func(sim.Engine, []sim.Component) error
	// Components asks for the parts of the machine with their work, in the result. What is timed runs on one thread then:
	// how much of it is events of the engine depends on how many there are.
	Components bool
	// MaxCycles and MaxHostSeconds, where they are not 0, take the place of the job's limits; over all rounds and launches.
	MaxCycles      uint64
	MaxHostSeconds float64
	// Mode, if not empty, overrides the mode of the job and of its steps.
	Mode string
	// Time, if not nil, overrides the job's time window.
	Time *config.Time
	// Threads on the host. Functional: 0 is one for each processor, and the order of workgroups depends on the number. Timed: 0 is 1, and
	// results are equal for all numbers.
	Threads int
	// Check looks for accesses that no shader may make: see package check.
	Check bool
	// Strict makes warnings errors, before the first cycle where they are known by then.
	Strict bool
	// Lower, if not nil, changes the target that shaders are lowered for, to compare compilers.
	Lower    func(*program.Target)
	Progress func(Progress) // nil, or called now and then while the job runs
	// Checkpoints, if not nil, saves the state of the run between launches, or begins with one that was saved.
	Checkpoints *Checkpoints
	// Stalled, if not nil, is called when no workgroup has ended for StallAfter (0: 20 s) of host time, with a report of the loops that waves
	// are in.
	Stalled    func(report string)
	StallAfter time.Duration
}

// Bounds of a setup: threads far above what a host has, and a year.
const (
	MaxThreads     = 1024
	MaxHostSeconds = 365 * 24 * 3600
)

func (s *Setup) check() error {
	if s.Threads < 0 || s.Threads > MaxThreads {
		return fmt.Errorf("%d threads: want 0 to %d", s.Threads, MaxThreads)
	}
	return errors.Join(CheckHostSeconds(s.MaxHostSeconds), s.checkCheckpoints())
}

// CheckHostSeconds tests a limit of the host's time.
func CheckHostSeconds(seconds float64) error {
	if !(seconds >= 0 && seconds <= MaxHostSeconds) { // NaN fails it
		return fmt.Errorf("%g seconds: want 0 to %d", seconds, MaxHostSeconds)
	}
	return nil
}

// HostSeconds returns the time on the host that the run may take; 0: no limit.
func (s *Setup) HostSeconds() float64 {
	if s.MaxHostSeconds != 0 {
		return s.MaxHostSeconds
	}
	return s.Job.Limits.HostSeconds
}

// Progress has the counts of a run so far.
type Progress struct {
	Round, Rounds    int    // counted from 1
	Launch, Launches int    // of the round, counted from 1
	Ended, Total     uint64 // workgroups of the launch
	Running          uint64 // of them, in the compute units
	Cycle            uint64
	Instructions     uint64 // so far
	Nanoseconds      uint64 // simulated
}

// A Buffer is a buffer's or image's bytes at the end of a run.
type Buffer struct {
	Name         string
	Set, Binding uint32
	Bytes        []byte
	image        *texture.Image // nil: no display
}

// Result has the statistics, the buffers and the warnings of a run.
type Result struct {
	Stats    *tracing.Stats
	Buffers  []Buffer          // in the order of the job
	Listings []tracing.Listing // of each program, in the order of first use
	Faults   []string          // the first accesses out of bounds
	// Components are the parts of the machine and what they did, if the setup asked for them.
	Components []Component
	// Events is the number of events that the engine handled, WorkerTurns the number of turns of compute units that worker threads ran.
	Events, WorkerTurns uint64
	Warnings            []string      // settings of the job without effect
	Unused              []string      // bindings and push constants that no shader takes, and dispatches of nothing, with their places in the job
	Idle                []string      // keys of the machine that were set and do nothing: because of another key or, where the job has a graph, under its scheduler
	Checked             *check.Report // what Setup.Check found; nil: it was not asked to look
	// Failures are the expectations that were not met.
	Failures []error
}

// Run executes the job. When the run itself fails or expectations are not met,
// the result so far comes with the error.
func Run(ctx context.Context, s Setup) (*Result, error) {
	begin := time.Now()
	if err := s.check(); err != nil {
		return nil, inputError(err)
	}
	r, err := preparedRunner(ctx, s)
	if err != nil {
		return nil, err
	}
	if err := checkStrict(r); err != nil {
		return nil, inputError(err)
	}
	r.guard.started = begin
	err = r.runRounds()
	result := r.result(time.Since(begin))
	if err != nil {
		result.Stats.Stopped = reason(err)
		return result, err
	}
	if result.Failures = r.expectations(); len(result.Failures) > 0 {
		err = runError(fmt.Errorf("%w: %w", ErrExpectation, errors.Join(result.Failures...)))
	}
	if err = errors.Join(err, addFindings(r, result)); err != nil {
		return result, err
	}
	if list := result.Remarks(); s.Strict && len(list) > 0 {
		return result, runError(fmt.Errorf("%w: %s", ErrStrict, strings.Join(list, "\n")))
	}
	return result, nil
}

// preparedRunner does what comes before the first cycle, in the time that the run may take.
func preparedRunner(ctx context.Context, s Setup) (*runner, error) {
	limited, done := ctx, context.CancelFunc(func() {})
	if seconds := s.HostSeconds(); seconds > 0 {
		limited, done = context.WithTimeoutCause(ctx, time.Duration(seconds*float64(time.Second)), ErrHostTime)
	}
	defer done()
	r, err := newRunner(limited, s)
	switch cause := context.Cause(limited); {
	case err == nil:
		r.guard.ctx = ctx
		return r, nil
	case cause == nil || !errors.Is(err, cause):
		return nil, inputError(err)
	case cause == ErrHostTime:
		return nil, runError(fmt.Errorf("%w: %g seconds, before the first cycle", ErrHostTime, s.HostSeconds()))
	default:
		return nil, runError(&interrupted{"before the first cycle", cause})
	}
}

// reason returns the kind of an error that stopped a run, in few words.
func reason(err error) string {
	for _, kind := range []error{ErrInterrupted, ErrLimit, ErrHostTime, ErrDeadlock, ErrHostLimit} {
		if errors.Is(err, kind) {
			return kind.Error()
		}
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}

func (r *runner) result(took time.Duration) *Result {
	result := &Result{
		Stats:    r.stats(took),
		Buffers:  r.resources.contents(),
		Listings: r.programs.listings(),
		Faults:   r.faults(),
		Warnings: r.programs.warnings, Unused: r.resources.usage.unused(), Idle: idleKeys(r),
		Events: r.machine.Engine.Handled(), WorkerTurns: r.machine.Array.Ahead.WorkerCycles(),
	}
	result.Stats.ShareEnergy(result.Listings)
	addUtilization(result.Stats, r.programs) // the listings have gathered the counts
	if r.setup.Components {
		result.Components = r.componentWork()
		shareEnergy(result.Components, result.Stats.Energy())
	}
	return result
}

// idleKeys returns the keys of the machine that were set and do nothing for the job.
func idleKeys(r *runner) []string { return r.setup.Machine.WithoutEffect(len(r.graphs) > 0) }

// Remarks returns all warnings of a run: those known before it, then those of the run.
func (r *Result) Remarks() []string {
	return slices.Concat(r.Warnings, r.Unused, r.Idle, r.Faults, r.Stats.LostPayloads())
}

// checkStrict returns the warnings that are known before the first cycle as an error, if the setup asks for it.
func checkStrict(r *runner) error {
	if list := slices.Concat(r.programs.warnings, r.resources.usage.unused(), idleKeys(r)); r.setup.Strict && len(list) > 0 {
		return fmt.Errorf("%w: %s", ErrStrict, strings.Join(list, "\n"))
	}
	return nil
}

// stats adds up the counts of the last round.
func (r *runner) stats(took time.Duration) *tracing.Stats {
	s := &tracing.Stats{Machine: r.setup.Machine.Name, ClockMHz: r.setup.Machine.ClockMHz, Steps: r.tally.Steps, Energies: r.setup.Machine.Energies()}
	s.Queues = r.queues
	if r.tally.Whole != nil {
		s.Counts = *r.tally.Whole
	} else {
		for i := range r.tally.Steps {
			s.Counts.Add(&r.tally.Steps[i].Counts)
		}
	}
	s.Mode = r.modesText()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s.Host = tracing.Host{Seconds: took.Seconds(), PeakBytes: m.Sys}
	if took > 0 {
		s.Host.InstructionsPerSecond = float64(r.tally.Issued) / took.Seconds()
	}
	return s
}

// expectations compares the buffers with what the job expects.
func (r *runner) expectations() (failures []error) {
	job := r.setup.Job
	for i := range job.Expect {
		e := &job.Expect[i]
		if err := e.Check(r.resources.bytesOf(e.Buffer), r.resources.address); err != nil {
			failures = append(failures, err)
		}
	}
	return failures
}

func (r *runner) faults() (list []string) {
	for _, f := range r.machine.Store.Faults.First {
		f.Buffer = r.resources.nameAt(f.Address, f.Size)
		list = append(list, f.String())
	}
	for _, l := range r.machine.LDS {
		for _, f := range l.First {
			list = append(list, f.String())
		}
	}
	for _, f := range r.functionalRunner.faults {
		list = append(list, f.String())
	}
	return list
}
