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

// A run is one call of Run, and after it what the next one uses again.
type run struct {
	ctx       context.Context
	work      WorkSource
	options   Options
	clockMask uint64
	workers   []*worker // of all threads
	most      int       // of them that have something to do
	did       Counts    // of all workers, in the end

	stop     atomic.Bool
	resident atomic.Int64
	fence    atomic.Uint64

	pool *runPool

	mutex   sync.Mutex // of all below
	err     error
	changed sync.Cond // a workgroup ended, or the run is over

	watching sync.Mutex
	watched  time.Time
}

// A worker carries workgroups out, one after the other.
type worker struct {
	run    *run
	port   *mem.Port
	lds    lds.Values
	load   func(*isa.State, *isa.Inst) // from workgroups' memory, in any case
	counts Counts
	clock  uint64 // instructions so far
	looked uint64 // clock when it watched last
	tmp    [4][]uint32

	ring   []*group // begun, none of which got on when it ran last
	spare  []*group
	tables map[*code]*table
	recent recent

	// For reports of progress.
	instructions, begunWorkgroups, endedWorkgroups atomic.Uint64
}

// A table is what a worker keeps for a program.
type table struct {
	used    bool // in the run
	entries []Issued
	issues  []Issued // of each instruction, when the run has ended
	free    []*simd.Registers
}

// newRun is of as many workgroups as most at most.
func newRun(ctx context.Context, store *mem.Store, w WorkSource, most uint64, o Options) *run {
	cache := o.Cache
	if cache == nil {
		cache = &Cache{}
	}
	pool := cache.pool(o.Warm)
	r := pool.takeRun(store, o.Threads, o.Warm)
	r.ctx, r.work, r.options, r.pool = ctx, w, o, pool
	r.clockMask = ^uint64(0)
	if o.ClockBits > 0 && o.ClockBits < 64 {
		r.clockMask = 1<<o.ClockBits - 1
	}
	r.most = int(min(uint64(len(r.workers)), most))
	r.watched, r.err = time.Now(), nil
	r.stop.Store(false)
	r.resident.Store(0)
	r.fence.Store(0)
	return r
}

// maxLanes of a wave.
const maxLanes = 64

// runWorkers runs the workers to their end; a goroutine each only where there is work for more than one.
func (r *run) runWorkers() (*Counts, error) {
	if r.most <= 1 {
		r.workers[0].loop()
		return r.finish()
	}
	var all sync.WaitGroup
	var panicked atomic.Pointer[fault.Panic]
	for _, k := range r.workers[:r.most] {
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

// finish adds the counts up, and leaves the workers to the next run.
func (r *run) finish() (*Counts, error) {
	r.count()
	for _, k := range r.workers {
		k.reset()
	}
	r.ctx, r.work, r.options = nil, nil, Options{} // which are not kept longer than the run
	r.pool.idleRun = r
	return &r.did, r.err
}

// loop carries workgroups out until there are no more. Those that get nowhere
// are kept; whenever none of them gets on, as many again are begun.
func (k *worker) loop() {
	want := 1
	for !k.stopped() {
		for ; want > 0; want-- {
			if !k.admit() {
				break
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
		switch want = 0; {
		case len(k.ring) == 0:
			want = 1
		case len(k.ring) == before && !moved:
			want = len(k.ring)
			runtime.Gosched() // for workers that others wait for
		}
		if !moved || k.clock-k.looked > lookEvery {
			k.reportProgress()
		}
	}
	k.run.end()
}

// round lets each workgroup that has begun go on, and says whether one got on.
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
		if len(k.ring) > 1 && k.clock-k.looked > lookEvery {
			k.reportProgress()
		}
	}
	clear(k.ring[len(kept):])
	k.ring = kept
	return moved
}

// admit begins a workgroup, if there is one and space for it.
func (k *worker) admit() bool {
	r := k.run
	if r.resident.Add(1) > int64(r.options.Resident) && len(k.ring) > 0 {
		r.resident.Add(-1)
		return false
	}
	kernel, wg, found, _ := r.work.Next(len(k.ring) > 0)
	if !found {
		r.resident.Add(-1)
		return false
	}
	k.ring = append(k.ring, k.beginWorkgroup(kernel, &wg))
	return true
}

// wait waits until another workgroup may be there, and says whether there may.
func (k *worker) wait() bool {
	r := k.run
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for !r.stop.Load() {
		kernel, wg, found, later := r.work.Next(false)
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
	r.work.Ended(&g.wg)
	r.resident.Add(-1)
	k.counts.Workgroups++
	k.counts.Waves += uint64(len(g.waves))
	k.endedWorkgroups.Add(1)
	k.spare = append(k.spare, g)
	if len(r.workers) > 1 {
		r.mutex.Lock()
		r.changed.Broadcast()
		r.mutex.Unlock()
	}
}

// reportProgress reports how far the run is, now and then.
func (k *worker) reportProgress() {
	k.instructions.Store(k.clock)
	k.looked = k.clock
	r := k.run
	if !r.watching.TryLock() {
		return
	}
	defer r.watching.Unlock()
	if err := r.ctx.Err(); err != nil {
		r.fail(err)
		return
	}
	if r.options.Poll == nil || time.Since(r.watched) < watchEvery {
		return
	}
	r.watched = time.Now()
	if err := r.options.Poll(r.progress()); err != nil {
		r.fail(err)
	}
}

// lookEvery is how many instructions a worker that gets on carries out between two looks at the host's time: some hundred microseconds. Knob.
const lookEvery = 1 << 14

// watchEvery is the host's time between two calls of Watch.
const watchEvery = 50 * time.Millisecond

func (r *run) progress() (p Progress) {
	for _, k := range r.workers {
		p.Instructions += k.instructions.Load()
		ended := k.endedWorkgroups.Load() // before those that began, which are no fewer
		p.Ended += ended
		p.Running += k.begunWorkgroups.Load() - ended
	}
	return p
}

func (k *worker) stopped() bool { return k.run.stop.Load() }

// fail ends the run; the first error stays.
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

// end wakes the workers that wait.
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

// code is a program cut into stretches, once for all workers.
func (r *run) code(p *program.Program) *code {
	codes := &r.pool.codes
	if c, ok := codes.Load(p); ok {
		return c.(*code)
	}
	c, _ := codes.LoadOrStore(p, newCode(p, r.options.Warm != nil || r.options.LDS != nil))
	return c.(*code)
}

// A recent program is the one that a worker looked for last.
type recent struct {
	program *program.Program
	code    *code
	table   *table
}

// codeOf is the code of a program, and what worker k keeps for it.
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

// registers takes cleared register memory.
func (t *table) registers(c *code, tmp [4][]uint32) *simd.Registers {
	if n := len(t.free); n > 0 {
		f := t.free[n-1]
		t.free = t.free[:n-1]
		clear(f.Vector[:c.VectorRows*c.WaveSize]) // what is after are literals, and what a fused step writes before it reads it
		clear(f.Scalar)
		return f
	}
	rows, tail := c.VectorRows*c.WaveSize, c.flow.Tail()
	return &simd.Registers{Vector: append(make([]uint32, rows, rows+len(tail)), tail...), Scalar: make([]uint64, c.ScalarWords), Tmp: tmp}
}

func (k *worker) takeGroup() *group {
	if n := len(k.spare); n > 0 {
		g := k.spare[n-1]
		k.spare = k.spare[:n-1]
		return g
	}
	return &group{}
}
