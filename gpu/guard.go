package gpu

import (
	"context"
	"fmt"
	"time"
)

// A guard holds a run to its limits of the computer that simulates, and reports how far it is.
type guard struct {
	ctx      context.Context
	setup    *Setup
	host     *budget
	started  time.Time // when the run began
	polls    uint64    // looks so far
	stall    stall
	progress Progress
}

// heapEvery is how many looks at a run there are between two at the memory that it holds.
const heapEvery = 16

// checkLimits says whether the run has had its time, or its memory, of the computer that simulates.
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

// interrupted is the error of a run that was told to end, nil where it was not.
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

// stallAfter is how long, on the host, no workgroup may end before somebody is told.
const stallAfter = 20 * time.Second

// A stall is what the watchdog remembers: how many workgroups had ended when that number last changed, and when.
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
		if s.wait == 0 {
			s.wait = stallAfter
		}
	} else if took := time.Since(s.since); took >= s.wait {
		s.wait *= 2
		g.setup.Stalled(fmt.Sprintf("no workgroup has ended for %.0f s %s", took.Seconds(), report()))
	}
}
