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

// A QueuedWork is the work of a launch: a kernel, a draw, a dispatch of a graph, a transfer, or a copy between host and device.
type QueuedWork interface {
	// Prepare reads the values that are known only when the launch begins. It returns false if there is nothing to do.
	Prepare() (some bool, err error)
	// Arguments returns where the arguments of an indirect dispatch are; no bytes: it is none.
	Arguments() (addr, bytes uint64)
	// StartConcurrent starts the launch by one of its methods OpenKernel, OpenGraph, PassTransfer and PassCycles.
	StartConcurrent(l *QueuedLaunch, at LaunchStart) error
	// Count completes the counts of a part that ran.
	Count(c *account.Counts, p scheduler.WorkgroupRange)
	// Kernel returns the grid for the dispatcher, Graph the graph that is dispatched to; nil: none.
	Kernel() *cu.KernelLaunch
	Graph() *graph.Run
	// Workgroups returns the number of workgroups, if it is known before they run.
	Workgroups() (n uint64, known bool)
}

// A LaunchStart has the cycle in which a launch begins, its share of the machine, and the receiver of its completion.
type LaunchStart struct {
	now, floor     uint64 // cycles; the launch is done in cycle floor at the earliest
	first          bool   // of its queue
	shareOfMachine scheduler.MachineShare
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
	Waited           bool         // its queue has waited for WaitsFor already: no barrier comes before it
	Stored           bool         // a kernel that it waits for indirectly may have stored
	Codes            []*simd.Code // of its step alone, or of the graph
	Copies           *Copies      // of its program, of which it runs one that no other launch does; nil: its step counts
	// Footprint records its accesses; nil: they are not needed, as all other launches are ordered with this one.
	Footprint *mem.Footprint
	Traffic   *hierarchy.Traffic // of its requests

	all              *Launches
	number           int // in its group
	dispatched       scheduler.SourceHandle
	issuedBefore     account.Counts // what the nodes of its graph had issued when it began
	concurrentGraphs int            // number of graphs that may be resident at once, including its own; 0: no graph
	copied
	launchWaits
	functionalPart
}

// resident reports whether the launch has workgroups on the compute units.
func (l *QueuedLaunch) resident() bool { return l.Work.Kernel() != nil || l.Work.Graph() != nil }

// allWorkgroups returns the part that is the whole launch.
func (l *QueuedLaunch) allWorkgroups() scheduler.WorkgroupRange {
	n, _ := l.Work.Workgroups()
	return scheduler.WorkgroupRange{End: n}
}

// Prepare implements command.Task.
func (l *QueuedLaunch) Prepare() (bool, error) {
	some, err := l.Work.Prepare()
	if err != nil {
		err = fmt.Errorf("%s: %w", l.Step, err)
	}
	return some, err
}

// FetchArguments implements command.Task.
func (l *QueuedLaunch) FetchArguments(now uint64) (ready uint64) {
	return l.all.machine.FetchArguments(now, l.Work)
}

// Host implements command.Task.
func (l *QueuedLaunch) Host() bool { return l.OnHost }

// Open implements command.Task.
func (l *QueuedLaunch) Open(now, floor uint64, first bool, s scheduler.MachineShare, c *scheduler.Caller) error {
	if l.Untimed() {
		return l.passFunctional(now, c)
	}
	return l.Work.StartConcurrent(l, LaunchStart{now, floor, first, s, c})
}

// PassCycles ends the launch after some cycles.
func (l *QueuedLaunch) PassCycles(at LaunchStart, cycles uint64) {
	scheduler.ReportPassed(at.caller.Port, at.caller, at.now, at.now+cycles)
}

// PassTransfer ends the launch after a transfer of some bytes. Transfers run one after the other.
func (l *QueuedLaunch) PassTransfer(at LaunchStart, bytes uint64) {
	g := l.all
	g.transfersUntil = max(at.now, g.transfersUntil) + g.machine.TransferCycles(bytes)
	scheduler.ReportPassed(at.caller.Port, at.caller, at.now, g.transfersUntil)
}

// OpenKernel hands a grid to the dispatcher.
func (l *QueuedLaunch) OpenKernel(at LaunchStart, k *cu.KernelLaunch) error {
	if l.Copies != nil {
		l.takeCopy(k)
	}
	l.nameCodes()
	p := l.TimedPart()
	if err := l.runPart(scheduler.WorkgroupRange{End: p.First}); err != nil {
		return err
	}
	l.beginWaits(k.Code)
	l.dispatched = l.all.machine.Dispatcher.Open(at.now, at.floor, k, p, at.shareOfMachine, at.caller)
	return nil
}

// OpenGraph dispatches to a graph. Unless it is the first of its queue, a dispatch costs the difference of a first launch and a following one.
func (l *QueuedLaunch) OpenGraph(at LaunchStart, run *graph.Run, list []graph.Entry) {
	d := &l.all.machine.Spec.Dispatcher
	if !at.first {
		at.now += uint64(max(0, d.KernelLaunchCycles-d.FollowingLaunch))
	}
	l.issuedBefore = simd.IssuedCounts(l.Codes)
	l.nameCodes()
	l.beginWaits(l.Codes...)
	l.dispatched = run.Open(at.now, list, l.concurrentGraphs, at.shareOfMachine, at.caller)
}

// nameCodes names the launch in its programs, for tracers.
func (l *QueuedLaunch) nameCodes() {
	if k := l.Work.Kernel(); k != nil {
		k.Code.Launch = l.Step
		return
	}
	for _, c := range l.Codes {
		c.Launch = l.Step
	}
}

// stores reports whether the launch is a timed kernel, whose stores stay in caches.
func (l *QueuedLaunch) stores() bool { return l.Work.Kernel() != nil && !l.Untimed() }

// barrier returns the barrier before a launch: caches write back the stores of the kernels that it waits for, and private caches drop
// their lines. It takes the cycle in which those kernels are done, and returns the cycle in which their stores are written back.
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
		if len(g.queues) == 1 { // otherwise work of other queues may fill the slots
			g.machine.Array.Drain(from, done)
		}
		switch {
		case !reads || l.Untimed(): // a functional run does that itself
		case acquire != nil:
			levels.AcquireLevels(acquire)
		default:
			h.KernelBoundary()
		}
		return done
	}
}
