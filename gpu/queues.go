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
	"spvsim/mem/hierarchy"
	"spvsim/scheduler"
	"spvsim/scheduler/command"
	"spvsim/simd"
	"spvsim/tracing/probe"
)

// A group is the launches of all queues of a job, which run beside each other: one work for the machine.
type group struct {
	machine   *machine
	spec      *config.Machine
	launches  []*besideLaunch
	queues    []*command.Queue
	processor *command.Processor
	tally     *tally
	own       tally        // of the launches of one run of the group
	list      []*simd.Code // of all launches, each once
	graphs    []*graphJob
	beside    []account.HardwareQueue
	before    map[*simd.Code]*account.Counts // what steps' programs had issued; only looked up
	order     []int                          // of the launches, in which each comes after those that it waits for
	hazards   bool                           // are looked for
	loose     [][2]int                       // launches of which neither waits for the other
	noun      string                         // what a launch is called
	groupTimes
	chosen
	divided
}

// groupTimes are cycles of a group.
type groupTimes struct {
	pause    uint64 // before its first packet, until what comes before has been seen to end in other queues
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
	if g.launches[0].mode == config.ModeSampled {
		return intoGroups(r, g, calls)
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
				l.codes = w.codes()
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
		g.list = withEach(g.list, l.codes)
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
	g.processor, err = command.New(g.machine.engine, spec, costs, g.machine.dispatcher.Port(), g.queues)
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
	levels, ok := g.machine.hierarchy.(hierarchy.Barrier)
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

func (g *group) prepare() (bool, error) { return true, nil }

// timed: what the machine did is known of all launches together; of each, when it ran.
func (g *group) timed(t *timing, step string, p scheduler.Part, follows bool) (*account.Counts, error) {
	g.own.begin()
	g.before = map[*simd.Code]*account.Counts{}
	for _, l := range g.launches {
		g.own.number(l.step) // steps are counted in their order in the job
		if l.kernel() != nil {
			before := issued(l.codes)
			g.before[l.codes[0]] = &before
		}
	}
	var c *account.Counts
	err := g.untimed.during(func() (err error) {
		c, err = t.run(step, g, p, follows)
		return err
	})
	if c == nil {
		return c, err
	}
	c.Launches = 0
	g.tell(c)
	if to, ok := g.machine.array.Tracer().(probe.QueueTracer); ok {
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
			g.tally.step(l.step).Add(c)
			sum.Add(c)
		}
		if err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// like: the same launches with the same dependences.
func (g *group) like() string {
	var text strings.Builder
	for _, l := range g.launches {
		like := ""
		if r, ok := l.work.(resident); ok {
			like = r.like()
		}
		fmt.Fprintf(&text, "%s %s %d %v\n", l.kind, like, l.queue, l.after)
	}
	return text.String()
}

func (g *group) count(*account.Counts, scheduler.Part) {}

func (g *group) workgroups() (uint64, bool) { return 0, false }
func (g *group) need() cu.Need              { return cu.Need{} }
func (g *group) codes() []*simd.Code        { return g.list }
func (g *group) finished() (bool, uint64)   { return g.processor.Finished() }
func (g *group) waiting() string            { return "; " + g.processor.Waiting() }

func (g *group) whose(w *simd.Wave) string {
	if node := scheduler.NodeOf(w); node != "" {
		return "node " + node + ", "
	}
	return ""
}

func (g *group) open(m *machine, _ scheduler.Part) error {
	m.dispatcher.Clear()
	m.dispatcher.Expect(true)
	m.array.Beside(true)
	m.serve(runs(g.graphs)...)
	return nil
}

func (g *group) start(now uint64, _ scheduler.Part, follows bool) {
	g.begun, g.moves, g.released, g.did = now, now, now, account.Counts{}
	g.watch()
	g.active, g.changes = g.active[:0], 0
	for i, l := range g.launches {
		l.open, l.without, l.number, l.divides = scheduler.Opened{}, without{}, i, false
	}
	g.processor.Start(now+g.pause, follows)
}

func (g *group) progress() (ended, running, total uint64) {
	for _, l := range g.launches {
		if l.open.None() {
			continue
		}
		e, r, t := l.open.Progress()
		ended, running, total = ended+e, running+r, total+t
	}
	return ended, running, total
}

// close: as for one kernel.
func (g *group) close(end uint64) (done, next uint64) {
	m := g.machine
	m.dispatcher.Expect(false)
	m.array.Beside(false)
	for _, c := range g.list {
		c.Launch = ""
	}
	done = end
	if leavesStores(g) {
		done = m.hierarchy.Release(end)
		m.array.Drain(end, done)
	}
	return done, max(done, m.cycle())
}

// moveCycles is the time of a transfer that reads and writes bytes of device memory: all channels at the rate that they sustain.
func moveCycles(m *config.Machine, bytes uint64) uint64 {
	rate := m.Memory.BytesPerCycle * float64(m.Memory.Channels)
	if m.Memory.Efficiency > 0 {
		rate *= m.Memory.Efficiency
	}
	return uint64(math.Ceil(float64(bytes) / rate))
}
