package concurrent

import (
	"spvsim/account"
	"spvsim/engine"
	"spvsim/scheduler"
	"spvsim/scheduler/command"
)

// Launches of queues of which the job says what is timed. The others run without time when their packets are ready: no pipe and no
// compute unit spends time on them, and what waits for them begins in the same cycle.

// A chosen is what is timed of the launches of a group.
type chosen struct {
	// Choose says which part of a launch is timed, by its number, if any is; nil: all of all launches.
	Choose func(i int) (scheduler.Part, bool)
	did    account.Counts // of what ran without time, but for what is counted by step alone
}

// A without is what of a launch runs without time.
type without struct {
	decided bool
	all     bool
	part    *scheduler.Part // that is timed; nil: all, or none
	did     account.Counts
}

// Untimed fulfils command.Work. It is decided when it is asked first, when all has ended that the launch waits for.
func (l *Launch) Untimed() bool {
	if l.group.Choose == nil || !l.resident() || l.decided {
		return l.all
	}
	if some, err := l.Work.Prepare(); err != nil || !some {
		return false // which its packet finds as well
	}
	l.decided = true
	p, timed := l.group.Choose(l.number)
	_, known := l.Work.Workgroups()
	switch {
	case !timed, known && p.First == p.End:
		l.all = true
	case known:
		l.part = &p
	}
	return l.all
}

// TimedPart is the part of a kernel that is timed.
func (l *Launch) TimedPart() scheduler.Part {
	if l.part != nil {
		return *l.part
	}
	return l.whole()
}

// passFunctional runs a launch without time, in cycle now.
func (l *Launch) passFunctional(now uint64, c *scheduler.Caller) error {
	if _, err := l.run(l.whole()); err != nil {
		return err
	}
	scheduler.ReportPassed(c.Port, c, now, now)
	return nil
}

// runs runs a part without time, if there is anything in it.
func (l *Launch) runs(p scheduler.Part) error {
	if p.First == p.End {
		return nil
	}
	_, err := l.run(p)
	return err
}

// run runs a part without time, with its lines brought into the caches.
func (l *Launch) run(p scheduler.Part) (*account.Counts, error) {
	g := l.group
	g.machine.Array.Ahead.Join()
	faults := g.machine.Store.Faults.Count
	c, err := g.machine.Functional(l.Work, p, true)
	if c == nil {
		return nil, err
	}
	l.did.Add(c)
	own := *c // launches, workgroups, waves and what parts count are added up by step, and faults of memory by the machine
	own.Launches, own.Workgroups, own.Waves, own.Graph, own.Fragments = 0, 0, 0, nil, nil
	own.OutOfBounds -= g.machine.Store.Faults.Count - faults
	g.did.Add(&own)
	return c, err
}

// rest runs what comes after the part of a launch that was timed.
func (l *Launch) rest() {
	if l.part == nil {
		return
	}
	if err := l.runs(scheduler.Part{First: l.part.End, End: l.whole().End}); err != nil {
		l.group.machine.Engine.Fail(err)
	}
}

// leavesStores says whether kernels have stored what no barrier has had written back.
func leavesStores(g *Group) bool {
	for i, l := range g.launches {
		if l.Work.Kernel() != nil && (g.Choose == nil || !l.open.None() && doneAt(&g.processor.Records[i]) > g.released) {
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
