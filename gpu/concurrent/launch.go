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

// A QueuedWork is what a launch of a queue does: a kernel, a draw, a dispatch of a graph, a transfer, or a copy between host and device.
type QueuedWork interface {
	// Prepare reads what is known only when the launch begins. It says no where there is nothing to do.
	Prepare() (some bool, err error)
	// StartConcurrent begins it by one of OpenKernel, OpenGraph, PassTransfer and Pass of its launch.
	StartConcurrent(l *QueuedLaunch, at LaunchStart) error
	// Count completes the counts of a part that ran.
	Count(c *account.Counts, p scheduler.Part)
	// Kernel is the grid that goes to the dispatcher, Graph the graph that is dispatched to; nil: it is none.
	Kernel() *cu.Launch
	Graph() *graph.Run
	// Workgroups is how many there are, where that is known before they run.
	Workgroups() (n uint64, known bool)
}

// An LaunchStart is when a launch of a queue begins, what of the machine it may have, and who is told what becomes of it.
type LaunchStart struct {
	now, floor     uint64 // cycles; it is done in the cycle floor at the earliest
	first          bool   // of its queue
	shareOfMachine scheduler.Share
	caller         *scheduler.Caller
}

// A QueuedLaunch is a launch in its queue.
type QueuedLaunch struct {
	Step, Kind       string
	Path             string // in the job
	OnHost           bool   // the host carries it out
	Work             QueuedWork
	Queue            int
	WaitsFor         []int        // launches that it waits for
	Release, Acquire []string     // levels of memory that its barrier writes back and invalidates; nil: all that a launch does
	Waited           bool         // its queue has waited for After before: it comes without a barrier
	Stored           bool         // a kernel that it waits for over others may have stored
	Codes            []*simd.Code // of its step alone, or of the graph
	Copies           *Copies      // of its program, of which it runs one that no other launch does; nil: its step counts
	// Footprint is what it accessed; nil: it was not taken down.
	Footprint *mem.Footprint
	Traffic   *hierarchy.Traffic // of its requests

	all              *Launches
	number           int // in its group
	dispatched       scheduler.Opened
	issuedBefore     account.Counts // what the nodes of its graph had issued when it began
	concurrentGraphs int            // graphs that may be on the machine at once, its own included; 0: it is of none
	copied
	functionalPart
}

// resident says that it has workgroups on the compute units.
func (l *QueuedLaunch) resident() bool { return l.Work.Kernel() != nil || l.Work.Graph() != nil }

// allWorkgroups is all of the launch.
func (l *QueuedLaunch) allWorkgroups() scheduler.Part {
	n, _ := l.Work.Workgroups()
	return scheduler.Part{End: n}
}

// Prepare fulfils command.Work.
func (l *QueuedLaunch) Prepare() (bool, error) {
	some, err := l.Work.Prepare()
	if err != nil {
		err = fmt.Errorf("%s: %w", l.Step, err)
	}
	return some, err
}

// Host fulfils command.Work.
func (l *QueuedLaunch) Host() bool { return l.OnHost }

// Open fulfils command.Work.
func (l *QueuedLaunch) Open(now, floor uint64, first bool, s scheduler.Share, c *scheduler.Caller) error {
	if l.Untimed() {
		return l.passFunctional(now, c)
	}
	return l.Work.StartConcurrent(l, LaunchStart{now, floor, first, s, c})
}

// PassCycles lets some cycles pass.
func (l *QueuedLaunch) PassCycles(at LaunchStart, cycles uint64) {
	scheduler.ReportPassed(at.caller.Port, at.caller, at.now, at.now+cycles)
}

// PassTransfer lets the time of a transfer of so many bytes pass: transfers pass one after the other.
func (l *QueuedLaunch) PassTransfer(at LaunchStart, bytes uint64) {
	g := l.all
	g.transfersUntil = max(at.now, g.transfersUntil) + g.machine.TransferCycles(bytes)
	scheduler.ReportPassed(at.caller.Port, at.caller, at.now, g.transfersUntil)
}

// OpenKernel hands a grid to the dispatcher.
func (l *QueuedLaunch) OpenKernel(at LaunchStart, k *cu.Launch) error {
	if l.Copies != nil {
		l.takeCopy(k)
	}
	l.nameCodes()
	p := l.TimedPart()
	if err := l.runPart(scheduler.Part{End: p.First}); err != nil {
		return err
	}
	l.dispatched = l.all.machine.Dispatcher.Open(at.now, at.floor, k, p, at.shareOfMachine, at.caller)
	return nil
}

// OpenGraph dispatches to a graph. A dispatch that is not the first of its queue costs what a first launch does beyond a following one.
func (l *QueuedLaunch) OpenGraph(at LaunchStart, run *graph.Run, list []graph.Entry) {
	d := &l.all.machine.Spec.Dispatcher
	if !at.first {
		at.now += uint64(max(0, d.KernelLaunchCycles-d.FollowingLaunch))
	}
	l.issuedBefore = simd.IssuedCounts(l.Codes)
	l.nameCodes()
	l.dispatched = run.Open(at.now, list, l.concurrentGraphs, at.shareOfMachine, at.caller)
}

// nameCodes has tracers know whose waves run the launch's programs.
func (l *QueuedLaunch) nameCodes() {
	if k := l.Work.Kernel(); k != nil {
		k.Code.Launch = l.Step
		return
	}
	for _, c := range l.Codes {
		c.Launch = l.Step
	}
}

// stores says whether a launch is a kernel that ran with time, so that its stores are in caches.
func (l *QueuedLaunch) stores() bool { return l.Work.Kernel() != nil && !l.Untimed() }

// barrier is what the barrier before a launch does: caches write back what kernels that it waits for have stored, and those that a launch
// does not share with others drop their lines.
func (g *Launches) barrier(l *QueuedLaunch) func(done uint64) uint64 {
	reads := l.resident()
	h, release, acquire := g.machine.Hierarchy, l.Release, l.Acquire
	levels, _ := h.(hierarchy.Barrier)
	return func(done uint64) uint64 {
		from := done
		switch {
		case !l.Stored && !slices.ContainsFunc(l.WaitsFor, func(i int) bool { return g.launches[i].stores() }):
		case release != nil:
			done = levels.ReleaseLevels(from, release)
		default:
			done = h.Release(from)
			g.releasedUntil = from
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
