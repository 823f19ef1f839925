// Package whatif runs a job on counterfactual machines: the machine of the job without one of its limits, or with the
// user's settings. The cycles that a machine without a limit saves are what the limit costs.
package whatif

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/fault"
	"spvsim/tracing"
)

// A Loader loads the job and its machine with further settings (path=value).
type Loader func(settings []string) (*config.Job, *config.Machine, error)

// A Plan is the runs of a job on counterfactual machines, with their machines loaded.
type Plan struct {
	machine *config.Machine // of the base run
	runs    []*planned
	// Absent are the limits that the machine or the job does not have; only those that the user did not name.
	Absent []string
}

type planned struct {
	setup  gpu.Setup
	result tracing.Counterfactual
}

// NewPlan loads the machine of each counterfactual of a run.
func NewPlan(base *gpu.Setup, list []config.Counterfactual, load Loader) (*Plan, error) {
	if base.Mode == config.ModeFunctional || base.Mode == "" && base.Job.Mode == config.ModeFunctional {
		return nil, fmt.Errorf("found a functional run, which has no cycles: want mode timed or sampled")
	}
	if base.Machine.Energy.Cap == "on" {
		return nil, fmt.Errorf("found energy.cap: on, under which each machine has a clock of its own, and cycles can't be compared: want off")
	}
	p := &Plan{machine: base.Machine}
	for _, c := range list {
		job, machine, err := load(c.Settings)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		changes := machine.Changes(base.Machine)
		if !c.Chosen && (len(changes) == 0 || onlyGraphs(changes) && !job.IsGraph()) {
			p.Absent = append(p.Absent, c.Name)
			continue
		}
		setup := gpu.Setup{Machine: machine, Job: job, MaxCycles: base.MaxCycles, MaxHostSeconds: base.MaxHostSeconds, Mode: base.Mode, Time: base.Time, Threads: 1}
		p.runs = append(p.runs, &planned{setup, tracing.Counterfactual{Name: c.Name, Meaning: c.Meaning, Settings: c.Settings, Changes: changes}})
	}
	return p, nil
}

// onlyGraphs reports whether all changes are of keys that act in execution graphs only.
func onlyGraphs(changes []config.Change) bool {
	return !slices.ContainsFunc(changes, func(c config.Change) bool {
		return !strings.HasPrefix(c.Path, "queue.") && !strings.HasPrefix(c.Path, "scheduler.")
	})
}

// Run runs the plan, so many runs at a time (0: one for each processor), and adds the results to the base run's
// statistics, in the plan's order, with advice. They do not depend on the number: each run is timed on one thread.
func (p *Plan) Run(ctx context.Context, threads int, base *gpu.Result) error {
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	free := make(chan struct{}, threads)
	failures := make([]error, len(p.runs))
	var panicked atomic.Pointer[fault.Panic]
	var all sync.WaitGroup
	for i, r := range p.runs {
		all.Go(func() {
			free <- struct{}{}
			defer func() {
				<-free
				if x := recover(); x != nil {
					panicked.Store(fault.Caught(x))
				}
			}()
			failures[i] = r.run(ctx)
		})
	}
	all.Wait()
	if x := panicked.Load(); x != nil {
		panic(x) // in the caller's goroutine, which reports it
	}
	list := []tracing.Counterfactual{} // not nil: some were asked for
	for i, r := range p.runs {
		if failures[i] == nil {
			r.result.Base = base.Stats.Cycles
			list = append(list, r.result)
		}
	}
	advise(base, p.machine, list)
	base.Stats.WhatIf = list
	return errors.Join(failures...)
}

// run runs the job on one machine. Expectations that are not met do not fail it: what a shader reads of clocks, and the order
// of what runs at the same time, differ from machine to machine.
func (r *planned) run(ctx context.Context) error {
	result, err := gpu.Run(ctx, r.setup)
	if err != nil && !errors.Is(err, gpu.ErrExpectation) {
		return fmt.Errorf("what-if %s: %w", r.result.Name, err)
	}
	c := &r.result
	c.Unmet = len(result.Failures)
	c.Cycles = result.Stats.Cycles
	if result.Stats.Estimate != nil {
		c.Low, c.High = result.Stats.Interval()
	}
	return nil
}
