package lookahead

import (
	"runtime"
	"sync"
	"sync/atomic"

	"spvsim/internal/fault"
)

// A pool holds the worker threads beside the engine's. The engine's thread enqueues units
// while the workers have little to do. A unit that a worker runs publishes
// its progress, so that the engine continues with others where it need not wait;
// a unit that no worker has begun is run by the engine's thread.
type pool struct {
	workers      int
	queue        [queueSlots]atomic.Pointer[Runner]
	dequeued     atomic.Uint64 // units out of the queue so far
	enqueued     atomic.Uint64 // units into the queue so far
	sleeping     atomic.Int32  // workers that wait for wake
	wake         chan struct{}
	quit         atomic.Bool
	workersDone  sync.WaitGroup
	fault        atomic.Pointer[fault.Panic] // what a worker panicked with
	workerCycles atomic.Uint64               // that workers ran
	busy         bool                        // workers run
}

const (
	// queueSlots is more than the units that are in the queue at once, as a rule. Where it is full, the engine's thread runs ahead itself.
	queueSlots = 1 << 10
	// spins bounds how often a worker polls the queue before it sleeps, and the engine's thread a unit of a worker before it
	// yields: tens of microseconds.
	spins = 1 << 13
)

// Where a unit is.
const (
	owned   uint32 = iota // with the engine's thread
	queued                // for the workers, of which none has begun
	running               // a thread runs it ahead
)

// A status holds the progress of a unit that was handed to the workers. Two threads access
// it at a time, so that it has cache lines of its own.
type status struct {
	_        [64]byte
	state    atomic.Uint32
	progress atomic.Uint64 // a cycle before which the unit has no turn left
	runUntil uint64
	worker   int  // who runs it, from 1; 0: the engine's thread
	lent     bool // given away, and not taken back: for the engine's thread alone
	_        [64]byte
}

// starved reports whether the workers are about to run out of units.
func (p *pool) starved() bool { return p.enqueued.Load()-p.dequeued.Load() < uint64(p.workers) }

// enqueue adds a unit to the queue, to run ahead until a cycle; it returns false where the queue is full.
func (p *pool) enqueue(r *Runner, until uint64) bool {
	if !p.busy {
		p.startWorkers()
	}
	n := p.enqueued.Load()
	if n-p.dequeued.Load() >= queueSlots {
		return false
	}
	r.runUntil, r.lent = until, true
	r.progress.Store(r.all.engine.Now())
	r.state.Store(queued)
	p.queue[n%queueSlots].Store(r)
	p.enqueued.Store(n + 1)
	if p.sleeping.Load() > 0 {
		select {
		case p.wake <- struct{}{}:
		default:
		}
	}
	return true
}

func (p *pool) startWorkers() {
	p.wake, p.busy = make(chan struct{}, p.workers), true
	p.quit.Store(false)
	p.workersDone.Add(p.workers)
	for i := range p.workers {
		go p.workerLoop(i + 1)
	}
}

func (p *pool) stopWorkers() {
	p.quit.Store(true)
	close(p.wake)
	p.workersDone.Wait()
	p.busy = false
}

// workerLoop runs units until the pool ends. Workers are numbered from 1.
func (p *pool) workerLoop(worker int) {
	defer p.workersDone.Done()
	for idle := 0; !p.quit.Load(); idle++ {
		if r := p.dequeue(); r != nil {
			p.workerCycles.Add(p.run(r, worker))
			idle = 0
		} else if idle > spins {
			p.sleep()
			idle = 0
		}
	}
}

// dequeue returns the next unit of the queue, or nil.
func (p *pool) dequeue() *Runner {
	n := p.dequeued.Load()
	if n == p.enqueued.Load() {
		return nil
	}
	r := p.queue[n%queueSlots].Load()
	if !p.dequeued.CompareAndSwap(n, n+1) {
		return nil
	}
	return r
}

// sleep waits until a unit is sent, or the pool ends.
func (p *pool) sleep() {
	p.sleeping.Add(1)
	if p.dequeued.Load() == p.enqueued.Load() && !p.quit.Load() {
		<-p.wake
	}
	p.sleeping.Add(-1)
}

// run runs a unit ahead that no thread has begun, and returns how many cycles it
// had. The engine's thread raises a panic of a worker again.
func (p *pool) run(r *Runner, worker int) (turns uint64) {
	if !r.state.CompareAndSwap(queued, running) {
		return 0
	}
	before := r.cyclesAhead
	defer func() {
		if x := recover(); x != nil {
			p.fault.Store(fault.Caught(x))
		}
		turns = r.cyclesAhead - before
		r.state.Store(owned)
	}()
	r.worker = worker
	r.unit.CountIn(worker)
	r.runAhead(r.runUntil)
	return 0 // the deferred function knows
}

// runAhead runs a unit ahead until a cycle, or to the first in which other parts
// can observe it. The engine's thread returns before that if the
// workers are about to run out of units.
func (r *Runner) runAhead(until uint64) {
	r.ahead = true
	for {
		r.completeLoads()
		next := r.unit.Next()
		if next >= until || !r.local(next) {
			break
		}
		if r.worker > 0 {
			r.progress.Store(next)
		} else if r.all.pool.starved() {
			break
		}
		r.unit.Advance(next)
		r.cyclesAhead++
	}
	r.ahead = false
}

// isAhead reports whether a worker runs the unit and has passed cycle now. The alarm is then set to the worker's progress.
func (r *Runner) isAhead(now uint64) bool {
	for n := 0; r.lent && r.state.Load() == running; n++ {
		if at := r.progress.Load(); at > now {
			r.bookLoads(now)
			r.alarm.Set(min(at, r.unbooked()))
			return true
		}
		if n > spins {
			runtime.Gosched()
		}
	}
	return false
}

// Join takes the unit back from the workers.
func (r *Runner) Join() {
	if !r.lent {
		return
	}
	r.lent = false
	p := r.all.pool
	for n := 0; r.state.Load() != owned; n++ {
		if r.state.Load() == queued {
			p.run(r, 0)
		} else if other := p.dequeue(); other != nil {
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
