package cu

import (
	"runtime"
	"sync"
	"sync/atomic"

	"spvsim/mem"
)

// A crew is the threads beside the engine's that run units ahead of it. What a
// unit does there nobody else can tell, so the run comes out the same however
// many there are, and whoever gets to a unit first. The engine's thread sends
// units out while the others have little to do. A unit that is out says how far it
// is, so that the engine goes on with others where it need not wait; one that
// nobody has begun with it runs itself.
type crew struct {
	workers int
	queue   [queueSlots]atomic.Pointer[ComputeUnit]
	taken   atomic.Uint64 // units out of the queue so far
	sent    atomic.Uint64 // units into the queue so far
	resting atomic.Int32  // workers that wait for wake
	wake    chan struct{}
	quit    atomic.Bool
	ended   sync.WaitGroup
	fault   atomic.Pointer[any] // what a worker panicked with
	busy    bool                // workers run
}

const (
	// queueSlots is more than the units that are out at once, as a rule; where it is full, the engine's thread goes on alone.
	queueSlots = 1 << 10
	// spins is how often a worker looks for a unit before it rests, and the engine's thread at a unit that is out before it yields:
	// tens of microseconds.
	spins = 1 << 13
)

// Where a unit is.
const (
	home    uint32 = iota // with the engine's thread
	queued                // sent out; nobody has begun
	running               // a thread runs it ahead
)

// An excursion is a unit's way ahead of the engine on another thread. Two threads
// look at it at a time, so that it has cache lines of its own.
type excursion struct {
	_     [64]byte
	where atomic.Uint32
	at    atomic.Uint64 // a cycle before which the unit has no turn left
	until uint64
	out   bool // sent, and not taken back: for the engine's thread alone
	_     [64]byte
}

// Threads says how many threads run units, the engine's among them.
func (a *Array) Threads(n int) {
	a.Home()
	a.crew = nil
	for _, u := range a.Units {
		u.loads = nil
	}
	if n < 2 {
		return
	}
	a.crew = &crew{workers: n - 1}
	spaces := make([]*mem.Workspace, n) // by thread
	for i := range spaces {
		spaces[i] = mem.NewWorkspace()
	}
	for _, u := range a.Units {
		u.loads = newLoads(u.memory, spaces, len(u.launches))
	}
}

// threads is how many threads run units.
func (a *Array) threads() int {
	if a.crew == nil {
		return 1
	}
	return a.crew.workers + 1
}

// Home takes all units back and ends the workers: nobody else is at work then.
func (a *Array) Home() {
	if a.crew == nil || !a.crew.busy {
		return
	}
	a.Return()
	a.crew.end()
}

// Return takes all units back for a look at them.
func (a *Array) Return() {
	if a.crew == nil || !a.crew.busy {
		return
	}
	for _, u := range a.Units {
		u.back()
	}
}

// short says that the workers are about to have nothing to do.
func (c *crew) short() bool { return c.sent.Load()-c.taken.Load() < uint64(c.workers) }

// send sends a unit out to go ahead until a cycle; it is false where the queue is full.
func (c *crew) send(u *ComputeUnit, until uint64) bool {
	if !c.busy {
		c.begin()
	}
	n := c.sent.Load()
	if n-c.taken.Load() >= queueSlots {
		return false
	}
	u.away.until, u.away.out = until, true
	u.away.at.Store(u.Engine.Now())
	u.away.where.Store(queued)
	c.queue[n%queueSlots].Store(u)
	c.sent.Store(n + 1)
	if c.resting.Load() > 0 {
		select {
		case c.wake <- struct{}{}:
		default:
		}
	}
	return true
}

func (c *crew) begin() {
	c.wake, c.busy = make(chan struct{}, c.workers), true
	c.quit.Store(false)
	c.ended.Add(c.workers)
	for i := range c.workers {
		go c.work(i + 1)
	}
}

func (c *crew) end() {
	c.quit.Store(true)
	close(c.wake)
	c.ended.Wait()
	c.busy = false
}

// work runs units until the crew ends. Workers are numbered from 1.
func (c *crew) work(worker int) {
	defer c.ended.Done()
	for idle := 0; !c.quit.Load(); idle++ {
		if u := c.take(); u != nil {
			c.run(u, worker)
			idle = 0
		} else if idle > spins {
			c.rest()
			idle = 0
		}
	}
}

// take is the next unit of the queue, if there is one.
func (c *crew) take() *ComputeUnit {
	n := c.taken.Load()
	if n == c.sent.Load() {
		return nil
	}
	u := c.queue[n%queueSlots].Load()
	if !c.taken.CompareAndSwap(n, n+1) {
		return nil
	}
	return u
}

// rest waits until a unit is sent, or the crew ends.
func (c *crew) rest() {
	c.resting.Add(1)
	if c.taken.Load() == c.sent.Load() && !c.quit.Load() {
		<-c.wake
	}
	c.resting.Add(-1)
}

// run runs a unit ahead that nobody else has begun with. A panic is the engine's thread's to have.
func (c *crew) run(u *ComputeUnit, worker int) {
	if !u.away.where.CompareAndSwap(queued, running) {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			c.fault.Store(&p)
		}
		u.away.where.Store(home)
	}()
	u.shared.Worker = worker
	c.ahead(u, u.away.until)
}

// ahead takes a unit ahead until a cycle, or to the first thing that others can tell. The
// engine's thread comes back before that if the workers are about to have nothing to do.
func (c *crew) ahead(u *ComputeUnit, until uint64) {
	worker := u.shared.Worker > 0
	u.early = true
	for {
		u.hear()
		next := u.next()
		if next >= until || !u.within(next) {
			break
		}
		if worker {
			u.away.at.Store(next)
		} else if c.short() {
			break
		}
		u.turns(next)
	}
	u.early = false
}

// passed says that the unit is out, and so far that it has no turn in the cycle at hand: the alarm is set to how far it is.
func (u *ComputeUnit) passed(now uint64) bool {
	for n := 0; u.away.out && u.away.where.Load() == running; n++ {
		if at := u.away.at.Load(); at > now {
			u.Idle()
			u.book(now)
			u.alarm.Set(min(at, u.first()))
			return true
		}
		if n > spins {
			runtime.Gosched()
		}
	}
	return false
}

// back takes the unit back if it is out.
func (u *ComputeUnit) back() {
	if !u.away.out {
		return
	}
	u.away.out = false
	c := u.array.crew
	for n := 0; u.away.where.Load() != home; n++ {
		if u.away.where.Load() == queued {
			c.run(u, 0)
		} else if other := c.take(); other != nil {
			c.run(other, 0) // rather than wait
		} else if n > spins {
			runtime.Gosched()
		}
	}
	u.shared.Worker = 0
	if p := c.fault.Load(); p != nil {
		panic(*p)
	}
}
