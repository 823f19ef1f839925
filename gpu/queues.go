package gpu

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"spvsim/account"
	"spvsim/config"
	"spvsim/cu"
	"spvsim/gpu/machine"
	"spvsim/mem"
	"spvsim/scheduler"
	"spvsim/scheduler/command"
	"spvsim/scheduler/graph"
	"spvsim/simd"
	"spvsim/tracing/probe"
)

// A group is the launches of all queues of a job, which run beside each other: one work for the machine.
type group struct {
	machine   *machine.Machine
	spec      *config.Machine
	launches  []*besideLaunch
	queues    []*command.Queue
	processor *command.Processor
	tally     *account.Tally
	own       account.Tally // of the launches of one run of the group
	list      []*simd.Code  // of all launches, each once
	graphs    []*graphJob
	beside    []account.HardwareQueue
	before    map[*simd.Code]*account.Counts // what steps' programs had issued; only looked up
	order     []int                          // of the launches, in which each comes after those that it waits for
	hazards   bool                           // are looked for
	loose     [][2]int                       // launches of which neither waits for the other
	noun      string                         // what a launch is called
	groupTimes
	chosen
}

// groupTimes are cycles of a group.
type groupTimes struct {
	begun    uint64
	moves    uint64 // from when memory is free for the next transfer
	released uint64 // up to when all that was stored has been written back
}

// errQueues says that a job's queues can't run as it says.
var errQueues = errors.New("gpu: queues")

// prepareQueues makes one launch of all steps in queues.
func (r *runner) prepareQueues() error {
	calls, err := r.setup.Job.QueueCalls()
	if err != nil || len(calls) == 0 {
		return err
	}
	g := &group{machine: r.machine, spec: r.setup.Machine, tally: r.tally, noun: "step", chosen: chosen{untimed: r.untimed}}
	if r.window != nil {
		g.choose = func(l *launch, w resident) (scheduler.Part, bool) { return r.windowOf(l, w) }
	}
	for i := range r.launches {
		l := &r.launches[i]
		switch {
		case l.mode == config.ModeSampled:
			return fmt.Errorf("%w: %s: mode: found sampled: want timed or functional (of launches that overlap, time chooses what is timed), or the launches as steps, one after the other", errQueues, l.from.Path)
		case l.mode != r.launches[0].mode:
			return fmt.Errorf("%w: %s: mode: found %s: want one mode for all launches of queues, as they overlap", errQueues, l.from.Path, l.mode)
		case l.once:
			return fmt.Errorf("%w: %s: found once: want no step that runs once in queues, as a round of queues runs as a whole", errQueues, l.from.Path)
		}
		if err := g.checkLevels(l.from); err != nil {
			return err
		}
		g.launches = append(g.launches, &besideLaunch{launch: l, work: l.work.(queued), group: g, queue: l.from.Queue, after: l.from.After, release: l.from.Release, acquire: l.from.Acquire})
	}
	if err := g.separate(r); err != nil {
		return err
	}
	if err := g.graphsInTurn(); err != nil {
		return err
	}
	if err := g.line(calls); err != nil {
		return err
	}
	r.launches = []launch{{step: "queues", mode: g.launches[0].mode, from: g.launches[0].from, work: g}}
	return nil
}

// separate gives each step code of its own, so that what its instructions cost is known of it.
func (g *group) separate(r *runner) error {
	for _, l := range g.launches {
		k := l.kernel()
		if k == nil {
			if w, ok := l.work.(*graphWork); ok {
				l.codes = w.Codes()
			}
		} else {
			own, err := r.programs.codeOf(k.Code, l.step)
			if err != nil {
				return err
			}
			k.Code = own
			k.machine = g.machine
			l.codes = []*simd.Code{own}
		}
		for _, c := range l.codes {
			if !slices.Contains(g.list, c) {
				g.list = append(g.list, c)
			}
		}
	}
	return nil
}

// line puts launches into queues, and the queues on pipes.
func (g *group) line(calls []config.QueueCall) error {
	for i := range calls {
		q := &command.Queue{Name: calls[i].Name, Pipe: calls[i].Pipe, Priority: slices.Index(command.Priorities, calls[i].Priority)}
		if q.Pipe < 0 {
			q.Pipe = i % g.spec.FrontEnd.Pipes
		}
		if err := g.limit(q, &calls[i]); err != nil {
			return err
		}
		g.queues = append(g.queues, q)
	}
	for i := range g.launches {
		g.enqueue(i)
	}
	return g.serve(&g.spec.FrontEnd)
}

// enqueue puts a launch at the end of its queue.
func (g *group) enqueue(i int) {
	l := g.launches[i]
	q := g.queues[l.queue]
	q.Packets = append(q.Packets, command.Packet{Launch: i, Work: l, After: l.after, Sync: g.sync(l)})
}

// serve puts the queues on pipes.
func (g *group) serve(spec *command.FrontEndSpec) (err error) {
	d := &g.spec.Dispatcher
	costs := command.Costs{First: uint64(d.KernelLaunchCycles), Following: uint64(d.FollowingLaunch), Floor: uint64(d.LaunchFloor)}
	g.processor, err = command.New(g.machine.Engine, spec, costs, g.machine.Dispatcher.Port(), g.queues)
	if err == nil {
		g.processor.Ended = g.ended
	}
	return err
}

// limit keeps a queue to a part of the compute units, on which all that it launches must fit.
func (g *group) limit(q *command.Queue, c *config.QueueCall) error {
	if !c.Limited {
		return nil
	}
	if c.Units[1] >= g.spec.ComputeUnits {
		return fmt.Errorf("%w: %s: units: found %d: want less than %d, the compute units of a shader engine of %s", errQueues, c.Path, c.Units[1], g.spec.ComputeUnits, g.spec.Name)
	}
	q.Units = make([]bool, g.spec.Units())
	for i := range q.Units {
		unit := i % g.spec.ComputeUnits
		q.Units[i] = unit >= c.Units[0] && unit <= c.Units[1]
	}
	return nil
}

// checkLevels refuses levels that the machine has not.
func (g *group) checkLevels(l *config.Launch) error {
	if l.Release == nil && l.Acquire == nil {
		return nil
	}
	levels, ok := g.machine.Hierarchy.(mem.Barrier)
	if !ok {
		return fmt.Errorf("%w: %s: found release or acquire of single levels: want memory.model fast", errQueues, l.Path)
	}
	names := levels.LevelNames()
	for _, name := range slices.Concat(l.Release, l.Acquire) {
		if !slices.Contains(names, name) {
			return fmt.Errorf("%w: %s: found level %q: want a level of memory of %s: %s", errQueues, l.Path, name, g.spec.Name, strings.Join(names, ", "))
		}
	}
	return nil
}

func (g *group) Prepare() (bool, error) { return true, nil }

// timed: what the machine did is known of all launches together; of each, when it ran.
func (g *group) timed(t *timing, step string, p scheduler.Part, follows bool) (*account.Counts, error) {
	g.own.BeginRound()
	g.before = map[*simd.Code]*account.Counts{}
	for _, l := range g.launches {
		g.own.Number(l.step) // steps are counted in their order in the job
		if l.kernel() != nil {
			before := simd.IssuedCounts(l.codes)
			g.before[l.codes[0]] = &before
		}
	}
	var c *account.Counts
	err := g.untimed.During(func() (err error) {
		c, err = t.run(step, g, p, follows)
		return err
	})
	if c == nil {
		return c, err
	}
	c.Launches = 0
	g.tell(c)
	if to, ok := g.machine.Array.Tracer().(probe.QueueTracer); ok {
		g.trace(to)
	}
	return c, err
}

// functional runs the launches one after the other, in an order that what they wait for allows.
func (g *group) functional(u *untimed, _ scheduler.Part, warm bool) (*account.Counts, error) {
	sum := &account.Counts{}
	for _, i := range g.order {
		l := g.launches[i]
		some, err := l.Prepare()
		if err != nil {
			return sum, err
		}
		if !some {
			continue
		}
		c, err := u.run(l.work, whole(l.work), warm)
		if c != nil {
			g.tally.Step(l.step).Add(c)
			sum.Add(c)
		}
		if err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// Like: the same launches with the same dependences.
func (g *group) Like() string {
	var text strings.Builder
	for _, l := range g.launches {
		like := ""
		if r, ok := l.work.(resident); ok {
			like = r.Like()
		}
		fmt.Fprintf(&text, "%s %s %d %v\n", l.kind, like, l.queue, l.after)
	}
	return text.String()
}

func (g *group) Count(*account.Counts, scheduler.Part) {}

func (g *group) Workgroups() (uint64, bool) { return 0, false }
func (g *group) Resources() cu.Need         { return cu.Need{} }
func (g *group) Codes() []*simd.Code        { return g.list }
func (g *group) Finished() (bool, uint64)   { return g.processor.Finished() }
func (g *group) Waiting() string            { return "; " + g.processor.Waiting() }

func (g *group) WaveOwner(w *simd.Wave) string {
	if node := graph.NodeOf(w); node != "" {
		return "node " + node + ", "
	}
	return ""
}

func (g *group) Open(m *machine.Machine, _ scheduler.Part) error {
	m.Dispatcher.Clear()
	m.Dispatcher.Expect(true)
	m.Array.Beside(true)
	m.Serve(runs(g.graphs)...)
	return nil
}

func (g *group) Start(now uint64, _ scheduler.Part, follows bool) {
	g.begun, g.moves, g.released, g.did = now, now, now, account.Counts{}
	g.watch()
	for _, l := range g.launches {
		l.open, l.without = scheduler.Opened{}, without{}
	}
	g.processor.Start(now, follows)
}

func (g *group) Progress() (ended, running, total uint64) {
	for _, l := range g.launches {
		if l.open.None() {
			continue
		}
		e, r, t := l.open.Progress()
		ended, running, total = ended+e, running+r, total+t
	}
	return ended, running, total
}

// Close: as for one kernel.
func (g *group) Close(end uint64) (done, next uint64) {
	m := g.machine
	m.Dispatcher.Expect(false)
	m.Array.Beside(false)
	for _, c := range g.list {
		c.Launch = ""
	}
	done = end
	if leavesStores(g) {
		done = m.Hierarchy.Release(end)
		m.Array.Drain(end, done)
	}
	return done, max(done, m.Cycle())
}

// moveCycles is the time of a transfer that reads and writes bytes of device memory: all channels at the rate that they sustain.
func moveCycles(m *config.Machine, bytes uint64) uint64 {
	rate := m.Memory.BytesPerCycle * float64(m.Memory.Channels)
	if m.Memory.Efficiency > 0 {
		rate *= m.Memory.Efficiency
	}
	return uint64(math.Ceil(float64(bytes) / rate))
}
