package functional

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"spvsim/internal/fault"
	"spvsim/isa"
	"spvsim/lds"
	"spvsim/mem"
	"spvsim/program"
	"spvsim/simd"
)

// A run is the state of one call of Run. A cache keeps it for the next call.
type run struct {
	ctx           context.Context
	source        WorkSource
	options       Options
	clockMask     uint64
	turn          int       // instructions of a wave's turn
	workers       []*worker // one per thread
	activeWorkers int       // workers that run: no more than there are workgroups
	counts        Counts    // sum of the workers, set at the end

	stop     atomic.Bool
	resident atomic.Int64
	fence    atomic.Uint64

	pool *runPool

	mutex   sync.Mutex // guards err, and is the lock of changed
	err     error
	changed sync.Cond // a workgroup ended, or the run is over

	pollMutex sync.Mutex
	lastPoll  time.Time
}

// A worker is a goroutine that executes its workgroups in turn.
type worker struct {
	run        *run
	port       *mem.Port
	lds        lds.Values
	load       func(*isa.State, *isa.Inst) // LDS load for all cases, called by the compiled flow
	counts     Counts
	clock      uint64 // instructions so far
	reportedAt uint64 // clock at the last report of progress
	tmp        [4][]uint32

	ring       []*group // resident workgroups
	freeGroups []*group
	tables     map[*code]*table
	recent     recent

	// For reports of progress.
	instructions, begunWorkgroups, endedWorkgroups atomic.Uint64
}

// A table has a worker's counters and free registers for a program.
type table struct {
	used    bool // in this run
	entries []Issued
	issues  []Issued // of each instruction, computed at the end of the run
	free    []*simd.Registers
}

// newRun prepares a run of at most that many workgroups.
func newRun(ctx context.Context, store *mem.Store, w WorkSource, most uint64, o Options) *run {
	cache := o.Cache
	if cache == nil {
		cache = &Cache{}
	}
	pool := cache.pool(o.Warm)
	r := pool.takeRun(store, o.Threads, o.Warm)
	r.ctx, r.source, r.options, r.pool = ctx, w, o, pool
	r.clockMask = ^uint64(0)
	if o.ClockBits > 0 && o.ClockBits < 64 {
		r.clockMask = 1<<o.ClockBits - 1
	}
	r.activeWorkers = int(min(uint64(len(r.workers)), most))
	if r.turn = instructionsPerTurn; o.Beside > 1 {
		r.turn = shortTurn
	}
	r.lastPoll, r.err = time.Now(), nil
	r.stop.Store(false)
	r.resident.Store(0)
	r.fence.Store(0)
	return r
}

// maxLanes of a wave.
const maxLanes = 64

// runWorkers runs the workers until all workgroups have ended. Several workers get a goroutine each; one worker runs in
// the caller's.
func (r *run) runWorkers() (*Counts, error) {
	if r.activeWorkers <= 1 {
		r.workers[0].loop()
		return r.finish()
	}
	var all sync.WaitGroup
	var panicked atomic.Pointer[fault.Panic]
	for _, k := range r.workers[:r.activeWorkers] {
		all.Add(1)
		go func() {
			defer all.Done()
			defer func() {
				if x := recover(); x != nil {
					panicked.Store(fault.Caught(x))
					r.end()
				}
			}()
			k.loop()
		}()
	}
	all.Wait()
	if p := panicked.Load(); p != nil {
		panic(p)
	}
	return r.finish()
}

// finish sums the counts, and returns the run to its pool.
func (r *run) finish() (*Counts, error) {
	r.count()
	for _, k := range r.workers {
		k.reset()
	}
	r.ctx, r.source, r.options = nil, nil, Options{} // so that the pool does not keep them alive
	r.pool.idleRun = r
	return &r.counts, r.err
}

// loop executes workgroups until there are no more. Workgroups without progress
// stay in the ring; if none of them made progress in a round, loop begins as many
// more.
func (k *worker) loop() {
	beside := max(k.run.options.Beside, 1)
	want := beside
	for !k.stopped() {
		for want > 0 && !k.stopped() && k.admit() {
			if beside == 1 || !k.endsAtOnce() {
				want--
			}
		}
		if len(k.ring) == 0 {
			if k.wait() {
				want = 1
				continue
			}
			return
		}
		before := len(k.ring)
		moved := k.round()
		switch want = max(beside-len(k.ring), 0); {
		case len(k.ring) == before && !moved:
			want = len(k.ring)
			runtime.Gosched() // its workgroups may wait for those of other workers
		}
		if !moved || k.clock-k.reportedAt > progressInterval {
			k.reportProgress()
		}
	}
	k.run.end()
}

// round gives each resident workgroup a turn, and reports whether one made progress.
func (k *worker) round() (moved bool) {
	kept := k.ring[:0]
	for _, g := range k.ring {
		over, on := k.runTurn(g)
		moved = moved || on
		if !over {
			kept = append(kept, g)
			continue
		}
		k.close(g)
		if len(k.ring) > 1 && k.clock-k.reportedAt > progressInterval {
			k.reportProgress()
		}
	}
	clear(k.ring[len(kept):])
	k.ring = kept
	return moved
}

// endsAtOnce gives the workgroup that was begun last its first turn, and reports whether it has ended: the next one finds its
// registers in the host's caches.
func (k *worker) endsAtOnce() bool {
	last := len(k.ring) - 1
	g := k.ring[last]
	over, _ := k.runTurn(g)
	if over {
		k.ring = k.ring[:last]
		k.close(g)
	}
	return over
}

// admit begins a workgroup, if the source has one and Options.Resident allows it. The
// first workgroup of a worker is always allowed.
func (k *worker) admit() bool {
	r := k.run
	if r.resident.Add(1) > int64(r.options.Resident) && len(k.ring) > 0 {
		r.resident.Add(-1)
		return false
	}
	kernel, wg, found, _ := r.source.Next(len(k.ring) > 0)
	if !found {
		r.resident.Add(-1)
		return false
	}
	k.ring = append(k.ring, k.beginWorkgroup(kernel, &wg))
	return true
}

// wait waits for the source's next workgroup and begins it. It returns false if there
// will be none.
func (k *worker) wait() bool {
	r := k.run
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for !r.stop.Load() {
		kernel, wg, found, later := r.source.Next(false)
		if found {
			r.resident.Add(1)
			k.ring = append(k.ring, k.beginWorkgroup(kernel, &wg))
			return true
		}
		if !later {
			return false
		}
		r.changed.Wait()
	}
	return false
}

// close ends a workgroup.
func (k *worker) close(g *group) {
	r := k.run
	r.source.WorkgroupEnded(&g.wg)
	r.resident.Add(-1)
	k.counts.Workgroups++
	k.counts.Waves += uint64(len(g.waves))
	k.endedWorkgroups.Add(1)
	if c := g.shared.Check; c != nil {
		c.End()
	}
	k.freeGroups = append(k.freeGroups, g)
	if len(r.workers) > 1 {
		r.mutex.Lock()
		r.changed.Broadcast()
		r.mutex.Unlock()
	}
}

// reportProgress publishes the worker's counts, ends the run if its context has ended, and calls Options.Poll if
// pollInterval has passed since the last call.
func (k *worker) reportProgress() {
	k.instructions.Store(k.clock)
	k.reportedAt = k.clock
	r := k.run
	if !r.pollMutex.TryLock() {
		return
	}
	defer r.pollMutex.Unlock()
	if err := r.ctx.Err(); err != nil {
		r.fail(err)
		return
	}
	if r.options.Poll == nil || time.Since(r.lastPoll) < pollInterval {
		return
	}
	r.lastPoll = time.Now()
	if err := r.options.Poll(r.progress()); err != nil {
		r.fail(err)
	}
}

// progressInterval is the number of instructions between two calls of reportProgress by a worker that makes progress: some
// hundred microseconds. Knob.
const progressInterval = 1 << 14

// pollInterval is the host time between two calls of Options.Poll.
const pollInterval = 50 * time.Millisecond

func (r *run) progress() (p Progress) {
	for _, k := range r.workers {
		p.Instructions += k.instructions.Load()
		ended := k.endedWorkgroups.Load() // loaded first, so that begun - ended is not negative
		p.EndedWorkgroups += ended
		p.RunningWorkgroups += k.begunWorkgroups.Load() - ended
	}
	return p
}

func (k *worker) stopped() bool { return k.run.stop.Load() }

// fail stops the run, and keeps the first error. It returns false.
func (r *run) fail(err error) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.err == nil {
		r.err = err
	}
	r.stop.Store(true)
	r.changed.Broadcast()
	return false
}

// end wakes the waiting workers.
func (r *run) end() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.changed.Broadcast()
}

func (r *run) print(at uint64, g *group, st *isa.State, in *isa.Inst) {
	if r.options.Print == nil {
		return
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.options.Print(r.options.Clock+at, g.kernel.Program, st, in)
}

// code returns the segments of a program, which all workers share.
func (r *run) code(p *program.Program) *code {
	codes := &r.pool.codes
	if c, ok := codes.Load(p); ok {
		return c.(*code)
	}
	c, _ := codes.LoadOrStore(p, newCode(p, r.options.Warm != nil || r.options.LDS != nil || r.options.Checked))
	return c.(*code)
}

// recent caches a worker's last lookup of a program.
type recent struct {
	program *program.Program
	code    *code
	table   *table
}

func (x *recent) codeOf(k *worker, p *program.Program) (*code, *table) {
	if x.program != p {
		c := k.run.code(p)
		*x = recent{p, c, k.table(c)}
	}
	return x.code, x.table
}

func (k *worker) table(c *code) *table {
	t := k.tables[c]
	if t == nil {
		t = &table{entries: make([]Issued, len(c.Insts)), issues: make([]Issued, len(c.Insts))}
		k.tables[c] = t
	}
	return t
}

// registers returns cleared registers of a wave.
func (t *table) registers(c *code, tmp [4][]uint32) *simd.Registers {
	if n := len(t.free); n > 0 {
		f := t.free[n-1]
		t.free = t.free[:n-1]
		clear(f.Vector[:c.VectorRows*c.WaveSize]) // behind them are literals, and temporaries that a fused step writes before it reads them
		clear(f.Scalar)
		return f
	}
	rows, tail := c.VectorRows*c.WaveSize, c.flow.Tail()
	return &simd.Registers{Vector: append(make([]uint32, rows, rows+len(tail)), tail...), Scalar: make([]uint64, c.ScalarWords), Tmp: tmp}
}

func (k *worker) takeGroup() *group {
	if n := len(k.freeGroups); n > 0 {
		g := k.freeGroups[n-1]
		k.freeGroups = k.freeGroups[:n-1]
		return g
	}
	return &group{}
}
