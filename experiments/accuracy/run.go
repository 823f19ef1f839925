package main

import (
	"context"
	"path"
	"slices"
	"sync"
	"time"

	"spvsim/config"
	"spvsim/gpu"
)

// setup is the step of a job that the measured time does not hold.
const setup = "setup"

// workShare is the parameter of a job that is the part of the measured work that it does, where all of it takes long to simulate.
const workShare = "share"

// A result is a point with the outcome of its simulation.
type result struct {
	*point
	simulated float64 // microseconds; of a curve, its value
	host      float64 // seconds
	err       error
}

// ratio is simulated over measured time; of a curve, over its measured value.
func (r *result) ratio() float64 { return r.simulated / r.microseconds }

// simulate runs a point on a machine with fields set.
func simulate(ctx context.Context, p *point, machine []config.Setting, limit time.Duration) result {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	begin := time.Now()
	r := result{point: p}
	set := slices.Concat(machine, p.settings)
	if p.pair != nil {
		r.simulated, r.err = p.pair.value(ctx, p.job, set)
	} else {
		loader := config.Files{FS: embedded, Dir: "."}
		var run *config.Run
		if run, r.err = loader.Load(p.job, set); r.err == nil {
			r.simulated, r.err = microseconds(ctx, run)
		}
	}
	r.host = time.Since(begin).Seconds()
	return r
}

func microseconds(ctx context.Context, run *config.Run) (float64, error) {
	out, err := gpu.Run(ctx, gpu.Setup{Machine: run.Machine, Job: run.Job})
	if err != nil {
		return 0, err
	}
	var cycles uint64
	for i := range out.Stats.Steps {
		if out.Stats.Steps[i].Name != setup {
			cycles += out.Stats.Steps[i].Cycles
		}
	}
	us := float64(cycles) / float64(out.Stats.ClockMHz)
	if share, ok := run.Job.Parameter(workShare); ok {
		us /= share
	}
	return us, nil
}

// simulateAll runs points in parallel and passes on each result when it ends. Of a prediction, what comes after a point of
// the same kernel that was given up does not begin.
func simulateAll(points []point, machine []config.Setting, o *options, done func(result)) {
	end := time.Now().Add(o.total)
	var wait sync.WaitGroup
	var lock sync.Mutex
	next := make(chan *point)
	over := map[string]bool{}
	for range o.jobs {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for p := range next {
				r := simulate(context.Background(), p, machine, o.limit)
				lock.Lock()
				over[p.kernel] = over[p.kernel] || o.predict && r.err != nil
				done(r)
				lock.Unlock()
			}
		}()
	}
	for i := range points {
		lock.Lock()
		skip := over[points[i].kernel]
		lock.Unlock()
		if !skip && time.Now().Before(end) {
			next <- &points[i]
		}
	}
	close(next)
	wait.Wait()
}

// matches reports whether a name matches one of the patterns, in which * is any text; without patterns, all names
// match.
func matches(name string, patterns []string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool {
		ok, _ := path.Match(p, name)
		return ok
	})
}
