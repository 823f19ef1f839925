package gpu

import (
	"cmp"
	"context"
	"fmt"
	"time"
)

// A guard enforces the run's limits on the host, and reports progress.
type guard struct {
	ctx      context.Context
	setup    *Setup
	host     *budget
	started  time.Time // when the run began
	polls    uint64    // looks so far
	stall    stall
	progress Progress
}

// heapEvery is the number of polls between two reads of the heap's size.
const heapEvery = 16

// checkLimits returns an error if the run has used up its host time or its host memory.
func (g *guard) checkLimits() error {
	if limit := g.setup.HostSeconds(); limit > 0 && time.Since(g.started).Seconds() > limit {
		return fmt.Errorf("%w: %g seconds", ErrHostTime, limit)
	}
	if g.polls++; g.polls%heapEvery != 0 {
		return nil
	}
	if held := heapBytes(); held > g.host.limit {
		return fmt.Errorf("%w: found %d bytes of this computer's memory in use: want at most %d", ErrHostLimit, held, g.host.limit)
	}
	return nil
}

// interrupted returns the error of a run whose context ended; nil if it did not.
func (g *guard) interrupted(format string, args ...any) error {
	if g.ctx.Err() == nil {
		return nil
	}
	return &interrupted{fmt.Sprintf(format, args...), g.ctx.Err()}
}

// reportProgress reports how far the run is.
func (g *guard) reportProgress(cycle, instructions, ended, running, total uint64) {
	if g.setup.Progress == nil {
		return
	}
	p := &g.progress
	p.Cycle, p.Nanoseconds, p.Instructions = cycle, cycle*1000/uint64(g.setup.Machine.ClockMHz), instructions
	p.Ended, p.Running, p.Total = ended, running, total
	g.setup.Progress(*p)
}

// stallAfter is the host time without an ended workgroup after which Setup.Stalled is called.
const stallAfter = 20 * time.Second

// A stall holds the watchdog's state: the number of ended workgroups when it last changed, and the host time of that change.
type stall struct {
	endedWorkgroups uint64
	since           time.Time
	wait            time.Duration // until somebody is told, twice as long each time
}

// reportStall reports when no workgroup has ended for long.
func (g *guard) reportStall(ended uint64, report func() string) {
	if g.setup.Stalled == nil {
		return
	}
	if s := &g.stall; ended != s.endedWorkgroups || s.since.IsZero() {
		*s = stall{ended, time.Now(), g.setup.StallAfter}
		s.wait = cmp.Or(s.wait, stallAfter)
	} else if took := time.Since(s.since); took >= s.wait {
		s.wait *= 2
		g.setup.Stalled(fmt.Sprintf("no workgroup has ended for %.0f s %s", took.Seconds(), report()))
	}
}
