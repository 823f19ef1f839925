package gpu

import (
	"fmt"
	"slices"

	"spvsim/mem"
	"spvsim/mem/hierarchy"
	"spvsim/scheduler"
	"spvsim/simd"
)

// A queued is a work that may be in a queue, beside others.
type queued interface {
	work
	// beside begins it as a launch of a queue.
	beside(l *besideLaunch, at opening) error
}

// An opening is when a launch of a queue begins, what of the machine it may have, and who is told what becomes of it.
type opening struct {
	now, floor uint64 // cycles; it is done in the cycle floor at the earliest
	first      bool   // of its queue
	share      scheduler.Share
	caller     *scheduler.Caller
}

// A besideLaunch is a launch in its queue.
type besideLaunch struct {
	*launch
	work             queued
	group            *group
	queue            int
	after            []int    // launches that it waits for
	release, acquire []string // levels of memory that its barrier writes back and invalidates; nil: all that a launch does
	open             scheduler.Opened
	codes            []*simd.Code // of its step alone, or of the graph
	// touched is what it accessed; nil: it was not taken down.
	touched *mem.Footprint
	traffic *hierarchy.Traffic // of its requests
	stored  bool               // a kernel that it waits for over others may have stored
	own     *ownCode           // of a device's launch: what it alone issues; nil: its step counts
	number  int                // in its group
	divides bool               // a part of its workgroups may run without time while others are on the machine
	among   int                // graphs that may be on the machine at once, its own included; 0: it is of none
	without
}

// kernel is what of the launch goes to the dispatcher as one; nil: nothing.
func (l *launch) kernel() *kernel {
	switch w := l.work.(type) {
	case *kernel:
		return w
	case *drawing:
		return &w.kernel
	}
	return nil
}

// graph is the graph that the launch is a dispatch of; nil: it is of none.
func (l *launch) graph() *graphJob {
	if w, ok := l.work.(*graphWork); ok {
		return w.graphJob
	}
	return nil
}

// Prepare fulfils command.Work.
func (l *besideLaunch) Prepare() (bool, error) {
	some, err := l.work.prepare()
	if err != nil {
		err = fmt.Errorf("%s: %w", l.step, err)
	}
	return some, err
}

// Host fulfils command.Work.
func (l *besideLaunch) Host() bool { return l.host }

// Open fulfils command.Work.
func (l *besideLaunch) Open(now, floor uint64, first bool, s scheduler.Share, c *scheduler.Caller) error {
	if l.Untimed() {
		return l.pass(now, c)
	}
	l.group.changes++
	l.group.active = append(l.group.active, l)
	return l.work.beside(l, opening{now, floor, first, s, c})
}

func (h *hostCopy) beside(_ *besideLaunch, at opening) error {
	scheduler.Passed(at.caller.Port, at.caller, at.now, at.now+h.cycles())
	return nil
}

// beside: transfers pass one after the other.
func (x *transfer) beside(l *besideLaunch, at opening) error {
	x.watchMoves(l.touched)
	for _, move := range x.moves {
		move()
	}
	g := l.group
	g.moves = max(at.now, g.moves) + moveCycles(g.spec, x.bytes)
	scheduler.Passed(at.caller.Port, at.caller, at.now, g.moves)
	return nil
}

func (k *kernel) beside(l *besideLaunch, at opening) error {
	if l.own != nil {
		l.own.begin(k)
	}
	l.nameCodes()
	p := l.timedPart()
	if l.group.division != nil {
		p.Next, l.divides = l.group.division.next, dividable(k)
	}
	if err := l.runs(scheduler.Part{End: p.First}); err != nil {
		return err
	}
	l.open = l.group.machine.dispatcher.Open(at.now, at.floor, &k.Launch, p, at.share, at.caller)
	return nil
}

// dividable says whether workgroups of a kernel may be left half done while others run without time: none waits for another.
func dividable(k *kernel) bool {
	insts := k.Code.Program.Insts
	for i := range insts {
		if mayWait(&insts[i]) {
			return false
		}
	}
	return k.Fragments == nil
}

func (d *drawing) beside(l *besideLaunch, at opening) error {
	d.clear(l.timedPart())
	return d.kernel.beside(l, at)
}

// beside: a dispatch that is not the first of its queue costs what a first launch does beyond a following one.
func (g *graphWork) beside(l *besideLaunch, at opening) error {
	d := &l.group.spec.Dispatcher
	if !at.first {
		at.now += uint64(max(0, d.KernelLaunchCycles-d.FollowingLaunch))
	}
	g.before = issued(l.codes)
	g.watch(l.touched, l.traffic)
	l.nameCodes()
	if err := g.read(); err != nil {
		return err
	}
	l.open = g.run.Open(at.now, g.list, l.among, at.share, at.caller)
	return nil
}

// nameCodes has tracers know whose waves run the launch's programs.
func (l *besideLaunch) nameCodes() {
	if k := l.kernel(); k != nil {
		k.Code.Launch = l.step
		return
	}
	for _, c := range l.codes {
		c.Launch = l.step
	}
}

// stores says whether a launch is a kernel that ran with time, so that its stores are in caches.
func (l *besideLaunch) stores() bool { return l.kernel() != nil && !l.Untimed() }

// sync is what the barrier before a launch does: caches write back what kernels that it waits for have stored, and those that a launch
// does not share with others drop their lines.
func (g *group) sync(l *besideLaunch) func(done uint64) uint64 {
	_, reads := l.work.(resident)
	h, release, acquire := g.machine.hierarchy, l.release, l.acquire
	levels, _ := h.(hierarchy.Barrier)
	return func(done uint64) uint64 {
		from := done
		switch {
		case !l.stored && !slices.ContainsFunc(l.after, func(i int) bool { return g.launches[i].stores() }):
		case release != nil:
			done = levels.ReleaseLevels(from, release)
		default:
			done = h.Release(from)
			g.released = from
		}
		if len(g.queues) == 1 { // beside others, free slots wait for work of theirs
			g.machine.array.Drain(from, done)
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
