package lookahead

import (
	"runtime"
	"sync"
	"sync/atomic"

	"spvsim/internal/fault"
)

// A pool is the worker threads beside the engine's. The engine's thread puts units
// into their queue while they have little to do. A unit that a worker runs says
// how far it is, so that the engine goes on with others where it need not wait;
// one that no worker has begun with the engine's thread runs itself.
type pool struct {
	workers int
	queue   [queueSlots]atomic.Pointer[Runner]
	taken   atomic.Uint64 // units out of the queue so far
	sent    atomic.Uint64 // units into the queue so far
	resting atomic.Int32  // workers that wait for wake
	wake    chan struct{}
	quit    atomic.Bool
	ended   sync.WaitGroup
	fault   atomic.Pointer[fault.Panic] // what a worker panicked with
	turns   atomic.Uint64               // that workers ran
	busy    bool                        // workers run
}

const (
	// queueSlots is more than the units that are in the queue at once, as a rule; where it is full, the engine's thread goes on alone.
	queueSlots = 1 << 10
	// spins is how often a worker looks for a unit before it rests, and the engine's thread at a unit that a worker has before it
	// yields: tens of microseconds.
	spins = 1 << 13
)

// Where a unit is.
const (
	home    uint32 = iota // with the engine's thread
	queued                // for the workers, of which none has begun
	running               // a thread runs it ahead
)

// A status is how far a unit is that was given to the workers. Two threads look at
// it at a time, so that it has cache lines of its own.
type status struct {
	_      [64]byte
	where  atomic.Uint32
	at     atomic.Uint64 // a cycle before which the unit has no turn left
	until  uint64
	worker int  // who runs it, from 1; 0: the engine's thread
	out    bool // given away, and not taken back: for the engine's thread alone
	_      [64]byte
}

// short says that the workers are about to have nothing to do.
func (p *pool) short() bool { return p.sent.Load()-p.taken.Load() < uint64(p.workers) }

// send puts a unit into the queue, to go ahead until a cycle; it is false where the queue is full.
func (p *pool) send(r *Runner, until uint64) bool {
	if !p.busy {
		p.begin()
	}
	n := p.sent.Load()
	if n-p.taken.Load() >= queueSlots {
		return false
	}
	r.until, r.out = until, true
	r.at.Store(r.all.engine.Now())
	r.where.Store(queued)
	p.queue[n%queueSlots].Store(r)
	p.sent.Store(n + 1)
	if p.resting.Load() > 0 {
		select {
		case p.wake <- struct{}{}:
		default:
		}
	}
	return true
}

func (p *pool) begin() {
	p.wake, p.busy = make(chan struct{}, p.workers), true
	p.quit.Store(false)
	p.ended.Add(p.workers)
	for i := range p.workers {
		go p.work(i + 1)
	}
}

func (p *pool) end() {
	p.quit.Store(true)
	close(p.wake)
	p.ended.Wait()
	p.busy = false
}

// work runs units until the pool ends. Workers are numbered from 1.
func (p *pool) work(worker int) {
	defer p.ended.Done()
	for idle := 0; !p.quit.Load(); idle++ {
		if r := p.take(); r != nil {
			p.turns.Add(p.run(r, worker))
			idle = 0
		} else if idle > spins {
			p.rest()
			idle = 0
		}
	}
}

// take is the next unit of the queue, if there is one.
func (p *pool) take() *Runner {
	n := p.taken.Load()
	if n == p.sent.Load() {
		return nil
	}
	r := p.queue[n%queueSlots].Load()
	if !p.taken.CompareAndSwap(n, n+1) {
		return nil
	}
	return r
}

// rest waits until a unit is sent, or the pool ends.
func (p *pool) rest() {
	p.resting.Add(1)
	if p.taken.Load() == p.sent.Load() && !p.quit.Load() {
		<-p.wake
	}
	p.resting.Add(-1)
}

// run runs a unit ahead with which no thread has begun, and says how many turns it
// had. A panic is the engine's thread's to have.
func (p *pool) run(r *Runner, worker int) (turns uint64) {
	if !r.where.CompareAndSwap(queued, running) {
		return 0
	}
	before := r.turns
	defer func() {
		if x := recover(); x != nil {
			p.fault.Store(fault.Caught(x))
		}
		turns = r.turns - before
		r.where.Store(home)
	}()
	r.worker = worker
	r.unit.CountIn(worker)
	r.runAhead(r.until)
	return 0 // the deferred function knows
}

// runAhead takes a unit ahead until a cycle, or to the first in which other parts
// can observe what it does. The engine's thread comes back before that if the
// workers are about to have nothing to do.
func (r *Runner) runAhead(until uint64) {
	r.ahead = true
	for {
		r.learn()
		next := r.unit.Next()
		if next >= until || !r.local(next) {
			break
		}
		if r.worker > 0 {
			r.at.Store(next)
		} else if r.all.pool.short() {
			break
		}
		r.unit.Advance(next)
		r.turns++
	}
	r.ahead = false
}

// passed says that a worker has the unit, and is so far that there is no turn in the cycle at hand: the alarm is set to how far it is.
func (r *Runner) passed(now uint64) bool {
	for n := 0; r.out && r.where.Load() == running; n++ {
		if at := r.at.Load(); at > now {
			r.book(now)
			r.alarm.Set(min(at, r.unbooked()))
			return true
		}
		if n > spins {
			runtime.Gosched()
		}
	}
	return false
}

// Join takes the unit back from the workers if they have it.
func (r *Runner) Join() {
	if !r.out {
		return
	}
	r.out = false
	p := r.all.pool
	for n := 0; r.where.Load() != home; n++ {
		if r.where.Load() == queued {
			p.run(r, 0)
		} else if other := p.take(); other != nil {
			p.run(other, 0) // rather than wait
		} else if n > spins {
			runtime.Gosched()
		}
	}
	r.worker = 0
	r.unit.CountIn(0)
	if panicked := p.fault.Load(); panicked != nil {
		panic(panicked)
	}
}
