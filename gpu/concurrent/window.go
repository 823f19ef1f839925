package concurrent

import (
	"spvsim/account"
	"spvsim/engine"
	"spvsim/scheduler"
	"spvsim/scheduler/command"
)

// Launches of queues of which the job says what is timed. The others run without time when their packets are ready: no pipe and no
// compute unit spends time on them, and what waits for them begins in the same cycle.

// A timedParts is what is timed of the launches of a group.
type timedParts struct {
	// Choose says which part of a launch is timed, by its number, if any is; nil: all of all launches.
	Choose           func(i int) (scheduler.Part, bool)
	functionalCounts account.Counts // of what ran without time, but for what is counted by step alone
}

// A functionalPart is what of a launch runs without time.
type functionalPart struct {
	decided         bool
	skipsTime       bool
	timedWorkgroups *scheduler.Part // that is timed; nil: all, or none
	counts          account.Counts
}

// Untimed fulfils command.Work. It is decided when it is asked first, when all has ended that the launch waits for.
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

// TimedPart is the part of a kernel that is timed.
func (l *QueuedLaunch) TimedPart() scheduler.Part {
	if l.timedWorkgroups != nil {
		return *l.timedWorkgroups
	}
	return l.allWorkgroups()
}

// passFunctional runs a launch without time, in cycle now.
func (l *QueuedLaunch) passFunctional(now uint64, c *scheduler.Caller) error {
	if _, err := l.runFunctional(l.allWorkgroups()); err != nil {
		return err
	}
	scheduler.ReportPassed(c.Port, c, now, now)
	return nil
}

// runPart runs a part without time, if there is anything in it.
func (l *QueuedLaunch) runPart(p scheduler.Part) error {
	if p.First == p.End {
		return nil
	}
	_, err := l.runFunctional(p)
	return err
}

// runFunctional runs a part without time, with its lines brought into the caches.
func (l *QueuedLaunch) runFunctional(p scheduler.Part) (*account.Counts, error) {
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

// runRemainder runs what comes after the part of a launch that was timed.
func (l *QueuedLaunch) runRemainder() {
	if l.timedWorkgroups == nil {
		return
	}
	if err := l.runPart(scheduler.Part{First: l.timedWorkgroups.End, End: l.allWorkgroups().End}); err != nil {
		l.all.machine.Engine.Fail(err)
	}
}

// leavesUnreleasedStores says whether kernels have stored what no barrier has had written back.
func leavesUnreleasedStores(g *Launches) bool {
	for i, l := range g.launches {
		if l.Work.Kernel() != nil && (g.Choose == nil || !l.dispatched.None() && doneAt(&g.processor.Records[i]) > g.releasedUntil) {
			return true
		}
	}
	return false
}

// doneAt is the cycle in which a launch was done; engine.Never: it has not.
func doneAt(r *command.Record) uint64 {
	if r.Ended {
		return r.Done
	}
	return engine.Never
}
