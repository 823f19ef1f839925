package concurrent

import (
	"fmt"
	"slices"
	"spvsim/mem/hierarchy"

	"spvsim/account"
	"spvsim/cu"
	"spvsim/mem"
	"spvsim/scheduler"
	"spvsim/scheduler/graph"
	"spvsim/simd"
)

// A Work is what a launch of a queue does: a kernel, a draw, a dispatch of a graph, a transfer, or a copy between host and device.
type Work interface {
	// Prepare reads what is known only when the launch begins. It says no where there is nothing to do.
	Prepare() (some bool, err error)
	// StartConcurrent begins it by one of OpenKernel, OpenGraph, PassTransfer and Pass of its launch.
	StartConcurrent(l *Launch, at Opening) error
	// Count completes the counts of a part that ran.
	Count(c *account.Counts, p scheduler.Part)
	// Kernel is the grid that goes to the dispatcher, Graph the graph that is dispatched to; nil: it is none.
	Kernel() *cu.Launch
	Graph() *graph.Run
	// Workgroups is how many there are, where that is known before they run.
	Workgroups() (n uint64, known bool)
}

// An Opening is when a launch of a queue begins, what of the machine it may have, and who is told what becomes of it.
type Opening struct {
	now, floor uint64 // cycles; it is done in the cycle floor at the earliest
	first      bool   // of its queue
	share      scheduler.Share
	caller     *scheduler.Caller
}

// A Launch is a launch in its queue.
type Launch struct {
	Step, Kind       string
	Path             string // in the job
	OnHost           bool   // the host carries it out
	Work             Work
	Queue            int
	After            []int        // launches that it waits for
	Release, Acquire []string     // levels of memory that its barrier writes back and invalidates; nil: all that a launch does
	Waited           bool         // its queue has waited for After before: it comes without a barrier
	Stored           bool         // a kernel that it waits for over others may have stored
	Codes            []*simd.Code // of its step alone, or of the graph
	Copies           *Copies      // of its program, of which it runs one that no other launch does; nil: its step counts
	// Touched is what it accessed; nil: it was not taken down.
	Touched *mem.Footprint
	Traffic *hierarchy.Traffic // of its requests

	group  *Group
	number int // in its group
	open   scheduler.Opened
	before account.Counts // what the nodes of its graph had issued when it began
	among  int            // graphs that may be on the machine at once, its own included; 0: it is of none
	copied
	without
}

// resident says that it has workgroups on the compute units.
func (l *Launch) resident() bool { return l.Work.Kernel() != nil || l.Work.Graph() != nil }

// whole is all of the launch.
func (l *Launch) whole() scheduler.Part {
	n, _ := l.Work.Workgroups()
	return scheduler.Part{End: n}
}

// Prepare fulfils command.Work.
func (l *Launch) Prepare() (bool, error) {
	some, err := l.Work.Prepare()
	if err != nil {
		err = fmt.Errorf("%s: %w", l.Step, err)
	}
	return some, err
}

// Host fulfils command.Work.
func (l *Launch) Host() bool { return l.OnHost }

// Open fulfils command.Work.
func (l *Launch) Open(now, floor uint64, first bool, s scheduler.Share, c *scheduler.Caller) error {
	if l.Untimed() {
		return l.passFunctional(now, c)
	}
	return l.Work.StartConcurrent(l, Opening{now, floor, first, s, c})
}

// Pass lets some cycles pass.
func (l *Launch) Pass(at Opening, cycles uint64) {
	scheduler.ReportPassed(at.caller.Port, at.caller, at.now, at.now+cycles)
}

// PassTransfer lets the time of a transfer of so many bytes pass: transfers pass one after the other.
func (l *Launch) PassTransfer(at Opening, bytes uint64) {
	g := l.group
	g.moves = max(at.now, g.moves) + g.machine.TransferCycles(bytes)
	scheduler.ReportPassed(at.caller.Port, at.caller, at.now, g.moves)
}

// OpenKernel hands a grid to the dispatcher.
func (l *Launch) OpenKernel(at Opening, k *cu.Launch) error {
	if l.Copies != nil {
		l.takeCopy(k)
	}
	l.nameCodes()
	p := l.TimedPart()
	if err := l.runs(scheduler.Part{End: p.First}); err != nil {
		return err
	}
	l.open = l.group.machine.Dispatcher.Open(at.now, at.floor, k, p, at.share, at.caller)
	return nil
}

// OpenGraph dispatches to a graph. A dispatch that is not the first of its queue costs what a first launch does beyond a following one.
func (l *Launch) OpenGraph(at Opening, run *graph.Run, list []graph.Entry) {
	d := &l.group.machine.Spec.Dispatcher
	if !at.first {
		at.now += uint64(max(0, d.KernelLaunchCycles-d.FollowingLaunch))
	}
	l.before = simd.IssuedCounts(l.Codes)
	l.nameCodes()
	l.open = run.Open(at.now, list, l.among, at.share, at.caller)
}

// nameCodes has tracers know whose waves run the launch's programs.
func (l *Launch) nameCodes() {
	if k := l.Work.Kernel(); k != nil {
		k.Code.Launch = l.Step
		return
	}
	for _, c := range l.Codes {
		c.Launch = l.Step
	}
}

// stores says whether a launch is a kernel that ran with time, so that its stores are in caches.
func (l *Launch) stores() bool { return l.Work.Kernel() != nil && !l.Untimed() }

// sync is what the barrier before a launch does: caches write back what kernels that it waits for have stored, and those that a launch
// does not share with others drop their lines.
func (g *Group) sync(l *Launch) func(done uint64) uint64 {
	reads := l.resident()
	h, release, acquire := g.machine.Hierarchy, l.Release, l.Acquire
	levels, _ := h.(hierarchy.Barrier)
	return func(done uint64) uint64 {
		from := done
		switch {
		case !l.Stored && !slices.ContainsFunc(l.After, func(i int) bool { return g.launches[i].stores() }):
		case release != nil:
			done = levels.ReleaseLevels(from, release)
		default:
			done = h.Release(from)
			g.released = from
		}
		if len(g.queues) == 1 { // beside others, free slots wait for work of theirs
			g.machine.Array.Drain(from, done)
		}
		switch {
		case !reads || l.Untimed(): // a run without time does that itself
		case acquire != nil:
			levels.AcquireLevels(acquire)
		default:
			h.KernelBoundary()
		}
		return done
	}
}
