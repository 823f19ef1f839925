// Package concurrent runs launches of several hardware queues at the same time, as one work for the machine. It starts each launch when its packet is
// served, counts what each did and moved, and finds hazards between launches.
package concurrent

import (
	"errors"
	"fmt"
	"slices"
	"spvsim/mem/hierarchy"
	"strings"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/account"
	"spvsim/config"
	"spvsim/cu"
	"spvsim/gpu/machine"
	"spvsim/scheduler"
	"spvsim/scheduler/command"
	"spvsim/scheduler/graph"
	"spvsim/simd"
)

// Launches are the launches of several queues, which overlap: one work for the machine.
type Launches struct {
	machine   Machine
	noun      string // what a launch is called
	launches  []*QueuedLaunch
	queues    []*command.Queue
	processor *command.Processor
	running   []*QueuedLaunch // that have workgroups, and have not ended
	// OnEnd is called when launch i has ended; nil: its step counts it.
	OnEnd        func(i int)
	stepTally    account.Tally // of the launches of one run of the group
	codes        []*simd.Code  // of all launches, each once
	graphs       []*graph.Run
	issuedBefore map[*simd.Code]*account.Counts // what steps' programs had issued; only looked up
	order        []int                          // of the launches; each comes after the launches that it waits for
	hazards      bool                           // are looked for
	unordered    [][2]int                       // launches of which neither waits for the other
	launchesTimes
	timedParts
}

// A Machine is the machine as concurrent launches need it.
type Machine struct {
	*machine.Machine
	// Functional runs a part and completes its counts, which are valid until the next run. warm: it brings its lines into the caches.
	Functional func(w QueuedWork, p scheduler.WorkgroupRange, warm bool) (*account.Counts, error)
}

// launchesTimes are cycles of a group.
type launchesTimes struct {
	start          uint64
	transfersUntil uint64 // from when memory is free for the next transfer
	releasedUntil  uint64 // up to when all that was stored has been written back
}

// ErrQueues reports that a job's queues are not valid.
var ErrQueues = errors.New("gpu: queues")

// New returns a group without launches. noun is the word for a launch in messages.
func New(m Machine, noun string) *Launches { return &Launches{machine: m, noun: noun} }

// Add appends a launch. Its number is the number of launches before it.
func (g *Launches) Add(l *QueuedLaunch) {
	l.all, l.number = g, len(g.launches)
	g.launches = append(g.launches, l)
	g.order = append(g.order, l.number)
	g.addGraph(l)
	g.addCodes(l.Codes)
}

// addCodes adds programs that the group does not have yet.
func (g *Launches) addCodes(codes []*simd.Code) {
	for _, c := range codes {
		if !slices.Contains(g.codes, c) {
			g.codes = append(g.codes, c)
		}
	}
}

// AddQueue adds an empty queue.
func (g *Launches) AddQueue(q *command.Queue) { g.queues = append(g.queues, q) }

// AddMark appends a mark to a queue: the function is called with the cycle in which the queue reaches it and some launches are done.
func (g *Launches) AddMark(queue int, after []int, mark func(cycle uint64)) {
	q := g.queues[queue]
	q.Packets = append(q.Packets, command.Packet{WaitsFor: after, Timestamp: mark})
}

// Queues makes the queues of a job, and enqueues all launches.
func (g *Launches) Queues(calls []config.QueueCall) error {
	for i := range calls {
		q := &command.Queue{Name: calls[i].Name, Pipe: calls[i].Pipe, Priority: slices.Index(command.Priorities, calls[i].Priority)}
		if q.Pipe < 0 {
			q.Pipe = i % g.machine.Spec.FrontEnd.Pipes
		}
		if err := g.restrictUnits(q, &calls[i]); err != nil {
			return err
		}
		g.queues = append(g.queues, q)
	}
	for _, l := range g.launches {
		g.Enqueue(l)
	}
	return g.Serve(&g.machine.Spec.FrontEnd)
}

// Enqueue puts a launch at the end of its queue.
func (g *Launches) Enqueue(l *QueuedLaunch) {
	p := command.Packet{Launch: l.number, Task: l}
	if !l.Waited {
		p.WaitsFor, p.Sync = l.WaitsFor, g.barrier(l)
	}
	q := g.queues[l.Queue]
	q.Packets = append(q.Packets, p)
}

// Serve puts the queues on the pipes of a front end.
func (g *Launches) Serve(spec *command.FrontEndSpec) (err error) {
	d := &g.machine.Spec.Dispatcher
	costs := command.Costs{FirstLaunch: uint64(d.KernelLaunchCycles), FollowingLaunch: uint64(d.FollowingLaunch), Floor: uint64(d.LaunchFloor)}
	g.processor, err = command.New(g.machine.Engine, spec, costs, g.machine.Dispatcher.Port(), g.queues)
	if err == nil {
		g.processor.OnLaunchEnd = g.launchEnded
	}
	return err
}

// restrictUnits restricts a queue to some compute units, on which all of its launches run.
func (g *Launches) restrictUnits(q *command.Queue, c *config.QueueCall) error {
	if !c.Limited {
		return nil
	}
	if c.Units[1] >= g.machine.Spec.ComputeUnits {
		return fmt.Errorf("%w: %s: units: found %d: want less than %d, the compute units of a shader engine of %s", ErrQueues, c.Path, c.Units[1], g.machine.Spec.ComputeUnits, g.machine.Spec.Name)
	}
	q.Units = make([]bool, g.machine.Spec.Units())
	for i := range q.Units {
		unit := i % g.machine.Spec.ComputeUnits
		q.Units[i] = unit >= c.Units[0] && unit <= c.Units[1]
	}
	return nil
}

// CheckLevels returns an error if a barrier names a level that the machine does not have.
func (g *Launches) CheckLevels(l *config.Launch) error {
	if l.Release == nil && l.Acquire == nil {
		return nil
	}
	levels, ok := g.machine.Hierarchy.(hierarchy.Barrier)
	if !ok {
		return fmt.Errorf("%w: %s: found release or acquire of single levels: want memory.model fast", ErrQueues, l.Path)
	}
	names := levels.LevelNames()
	for _, name := range slices.Concat(l.Release, l.Acquire) {
		if !slices.Contains(names, name) {
			return fmt.Errorf("%w: %s: found level %q: want a level of memory of %s: %s", ErrQueues, l.Path, name, g.machine.Spec.Name, strings.Join(names, ", "))
		}
	}
	return nil
}

func (g *Launches) Prepare() (bool, error) { return true, nil }

// BeginCounting starts the counts of steps.
func (g *Launches) BeginCounting() {
	g.stepTally.BeginRound()
	g.issuedBefore = map[*simd.Code]*account.Counts{}
	for _, l := range g.launches {
		g.stepTally.Number(l.Step) // steps are counted in their order in the job
		if l.Work.Kernel() != nil {
			before := simd.IssuedCounts(l.Codes)
			g.issuedBefore[l.Codes[0]] = &before
		}
	}
}

// RunFunctional runs the launches one after the other, each after the launches that it waits for. run gets the number of a launch.
func (g *Launches) RunFunctional(run func(i int) (*account.Counts, error)) (*account.Counts, error) {
	sum := &account.Counts{}
	for _, i := range g.order {
		some, err := g.launches[i].Prepare()
		if err != nil {
			return sum, err
		}
		if !some {
			continue
		}
		c, err := run(i)
		if c != nil {
			sum.Add(c)
		}
		if err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// ClassKey returns the same text for groups of the same launches with the same dependences.
func (g *Launches) ClassKey() string {
	var text strings.Builder
	for _, l := range g.launches {
		like := ""
		if r, ok := l.Work.(interface{ ClassKey() string }); ok {
			like = r.ClassKey()
		}
		fmt.Fprintf(&text, "%s %s %d %v\n", l.Kind, like, l.Queue, l.WaitsFor)
	}
	return text.String()
}

func (g *Launches) Count(*account.Counts, scheduler.WorkgroupRange) {}

func (g *Launches) Workgroups() (uint64, bool) { return 0, false }
func (g *Launches) Resources() cu.Resources    { return cu.Resources{} }
func (g *Launches) Codes() []*simd.Code        { return g.codes }
func (g *Launches) Finished() (bool, uint64)   { return g.processor.Finished() }
func (g *Launches) Waiting() string            { return "; " + g.processor.Waiting() }

func (g *Launches) WaveOwner(w *simd.Wave) string {
	if node := graph.NodeOf(w); node != "" {
		return "node " + node + ", "
	}
	return ""
}

func (g *Launches) Open(m *machine.Machine, _ scheduler.WorkgroupRange) error {
	m.Dispatcher.Clear()
	m.Dispatcher.Expect(true)
	m.Array.SetConcurrent(true)
	m.Serve(g.graphs...)
	return nil
}

func (g *Launches) Start(now uint64, _ scheduler.WorkgroupRange, follows bool) {
	g.start, g.transfersUntil, g.releasedUntil, g.functionalCounts = now, now, now, account.Counts{}
	g.running = nil
	g.recordAccesses()
	for _, l := range g.launches {
		l.dispatched, l.functionalPart = scheduler.SourceHandle{}, functionalPart{}
	}
	g.processor.Start(now, follows)
}

func (g *Launches) Progress() (ended, running, total uint64) {
	for _, l := range g.launches {
		if l.dispatched.None() {
			continue
		}
		e, r, t := l.dispatched.Progress()
		ended, running, total = ended+e, running+r, total+t
	}
	return ended, running, total
}

// Close implements the end of a work as a single kernel does.
func (g *Launches) Close(end uint64) (done, next uint64) {
	m := g.machine
	m.Dispatcher.Expect(false)
	m.Array.SetConcurrent(false)
	for _, c := range g.codes {
		c.Launch = ""
	}
	done = end
	if leavesUnreleasedStores(g) {
		done = m.Hierarchy.Release(end)
		m.Array.Drain(end, done)
	}
	return done, max(done, m.Cycle())
}

// Components returns the components of the front end that serves the queues.
func (g *Launches) Components() []sim.Component { return g.processor.Components() }
