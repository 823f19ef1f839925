package concurrent

import (
	"spvsim/account"
	"spvsim/engine"
	"spvsim/scheduler"
	"spvsim/scheduler/command"
)

// Launches outside of the job's time window run functional when their packets are ready. No pipe and no compute unit spends time on
// them, and launches that wait for them begin in the same cycle.

// timedParts selects what is timed of the launches.
type timedParts struct {
	// Choose returns the part of launch i that is timed, if there is one; nil: all launches are timed.
	Choose           func(i int) (scheduler.WorkgroupRange, bool)
	functionalCounts account.Counts // of functional runs, except for what is counted by step
}

// A functionalPart is the part of a launch that runs functional.
type functionalPart struct {
	decided         bool
	skipsTime       bool
	timedWorkgroups *scheduler.WorkgroupRange // that is timed; nil: all, or none
	counts          account.Counts
}

// Untimed implements command.Task. It decides on its first call, when all launches that this one waits for have ended.
func (l *QueuedLaunch) Untimed() bool {
	if l.all.Choose == nil || !l.resident() || l.decided {
		return l.skipsTime
	}
	if some, err := l.Work.Prepare(); err != nil || !some {
		return false // which its packet finds as well
	}
	l.decided = true
	p, timed := l.all.Choose(l.number)
	_, known := l.Work.Workgroups()
	switch {
	case !timed, known && p.First == p.End:
		l.skipsTime = true
	case known:
		l.timedWorkgroups = &p
	}
	return l.skipsTime
}

// TimedPart returns the timed part of a kernel.
func (l *QueuedLaunch) TimedPart() scheduler.WorkgroupRange {
	if l.timedWorkgroups != nil {
		return *l.timedWorkgroups
	}
	return l.allWorkgroups()
}

// passFunctional runs a launch functional, in cycle now.
func (l *QueuedLaunch) passFunctional(now uint64, c *scheduler.Caller) error {
	if _, err := l.runFunctional(l.allWorkgroups()); err != nil {
		return err
	}
	scheduler.ReportPassed(c.Port, c, now, now)
	return nil
}

// runPart runs a part functional, if it is not empty.
func (l *QueuedLaunch) runPart(p scheduler.WorkgroupRange) error {
	if p.First == p.End {
		return nil
	}
	_, err := l.runFunctional(p)
	return err
}

// runFunctional runs a part functional, and warms the caches.
func (l *QueuedLaunch) runFunctional(p scheduler.WorkgroupRange) (*account.Counts, error) {
	g := l.all
	g.machine.Array.Ahead.Join()
	faults := g.machine.Store.Faults.Count
	c, err := g.machine.Functional(l.Work, p, true)
	if c == nil {
		return nil, err
	}
	l.counts.Add(c)
	own := *c // launches, workgroups, waves and what parts count are added up by step, and faults of memory by the machine
	own.Launches, own.Workgroups, own.Waves, own.Graph, own.Fragments = 0, 0, 0, nil, nil
	own.OutOfBounds -= g.machine.Store.Faults.Count - faults
	g.functionalCounts.Add(&own)
	return c, err
}

// runRemainder runs the workgroups after the timed part of a launch functional.
func (l *QueuedLaunch) runRemainder() {
	if l.timedWorkgroups == nil {
		return
	}
	if err := l.runPart(scheduler.WorkgroupRange{First: l.timedWorkgroups.End, End: l.allWorkgroups().End}); err != nil {
		l.all.machine.Engine.Fail(err)
	}
}

// leavesUnreleasedStores reports whether a kernel has stores that no barrier has written back.
func leavesUnreleasedStores(g *Launches) bool {
	for i, l := range g.launches {
		if l.Work.Kernel() != nil && (g.Choose == nil || !l.dispatched.None() && doneAt(&g.processor.Records[i]) > g.releasedUntil) {
			return true
		}
	}
	return false
}

// doneAt returns the cycle in which a launch was done; engine.Never if it is not.
func doneAt(r *command.Record) uint64 {
	if r.Completed {
		return r.DoneAt
	}
	return engine.Never
}
