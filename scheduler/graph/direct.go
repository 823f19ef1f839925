package graph

import (
	"sync"

	"spvsim/cu"
	"spvsim/engine"
	"spvsim/isa"
	"spvsim/mem"
	"spvsim/scheduler"
)

// A Direct is an execution graph in a functional run: enqueued payloads may be launched at once, and workers ask for
// the next workgroup. Several goroutines may use it, unless SingleThreaded.
type Direct struct {
	run        *Run // for reports
	engine     *engine.Engine
	launcher   *launcher
	workgroups *workgroups
	mutex      sync.Mutex
	// SingleThreaded: one goroutine runs all workgroups, so that accesses to payloads need no lock.
	SingleThreaded bool
}

// direct is the policy of functional runs: nothing takes time.
type direct struct {
	pushPolicy
	*queues
}

func (d *direct) Allocate(_ uint64, _, _ int, done *wait) { done.close() }

func (d *direct) Enqueue(now uint64, b *batch) {
	d.accept(b, now+1)
	d.arrive(now, b)
}

func (d *direct) Tick(uint64, int) uint64 { return cu.Never }

// NewDirect puts a graph on the memory of a machine, for functional runs. The spec has been checked.
func NewDirect(g *Graph, spec *scheduler.WorkSpec, store *mem.Store, scratch uint64) (*Direct, error) {
	inOrder := *spec
	inOrder.Queue.Arbitration = "depth-first" // needs the least payload memory
	parts := Parts{Engine: engine.New(1), Store: store}
	r, err := newRun(g, &inOrder, parts, scratch, kind{queue: "DirectQueue", make: func(r *Run) (policy, error) { return &direct{queues: r.queues}, nil }})
	if err != nil {
		return nil, err
	}
	return &Direct{run: r, engine: parts.Engine, launcher: r.launcher, workgroups: r.workgroups}, nil
}

// Dispatch queues the payloads that the host dispatches.
func (d *Direct) Dispatch(entries []Entry) { d.launcher.loadHostPayloads(entries) }

// Run returns the counts and reports of the graph. No workgroup may be running.
func (d *Direct) Run() *Run { return d.run }

// A State is the outcome of Direct.Next.
type State uint8

// States.
const (
	Found State = iota
	Later       // a workgroup may become available when another ends
	Over        // no workgroup is left
)

// Next returns the next workgroup. A coalescing node waits for a whole batch while a running workgroup may enqueue
// more, unless nothing else can run.
func (d *Direct) Next(nothingElse bool) (l *cu.KernelLaunch, wg cu.Workgroup, s State) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	o := d.launcher
	b := d.nextReady(false)
	if b == nil && (nothingElse || o.stats.resident == 0) {
		b = d.nextReady(true)
	}
	switch {
	case d.engine.Err() != nil:
		return nil, wg, Over
	case b != nil:
		l = b.launches[0].Code
		o.beginWorkgroup(b, 0, &wg)
		wg.Node.Payloads = &table{d, d.workgroups.list[wg.Index]}
		return l, wg, Found
	case o.stats.resident > 0:
		return nil, wg, Later
	}
	return nil, wg, Over
}

// nextReady returns the node queue of the next workgroup, or nil.
func (d *Direct) nextReady(partial bool) *nodeQueue {
	o := d.launcher
	for k := range o.nodeQueues.order {
		b := o.nodeQueues.inOrder(0, k)
		for len(b.launches) == 0 && b.pending() > 0 && (partial || b.pending() >= b.batchSize() || b.numHostPayloads > 0) && d.engine.Err() == nil {
			d.launch(b)
		}
		if len(b.launches) > 0 && o.reserveMemory(b.launches[0]) {
			return b
		}
	}
	return nil
}

// launch opens a launch. It may have no workgroups.
func (d *Direct) launch(b *nodeQueue) {
	o := d.launcher
	if l := o.launch(0, b); l != nil {
		l.ReadyAt = 0
		if l.Total == 0 {
			o.stats.openLaunches--
			o.endLaunch(l)
		}
	}
}

// WorkgroupEnded removes a workgroup that has ended.
func (d *Direct) WorkgroupEnded(index uint64) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.launcher.endWorkgroup(d.workgroups.list[index])
}

// Execute executes an operation on payloads for a wave of the workgroup with that index.
func (d *Direct) Execute(index uint64, st *isa.State, pc int, in *isa.Inst) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.workgroups.list[index].execute(&waveOp{st: st, pc: pc, in: in, now: 1})
}

// Check looks at an access to payload memory, as CheckAccess does.
func (d *Direct) Check(index uint64, st *isa.State, pc int, in *isa.Inst) (denied uint64, ok bool) {
	if !d.SingleThreaded {
		d.mutex.Lock()
		defer d.mutex.Unlock()
	}
	return d.workgroups.list[index].check(&waveOp{st: st, pc: pc, in: in})
}

// Err returns the first fault of a shader.
func (d *Direct) Err() error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.engine.Err()
}

// Stuck reports whether payloads wait though no workgroup runs.
func (d *Direct) Stuck() bool {
	done, _ := d.run.Finished()
	return !done
}

// A table gives waves the payloads of their workgroup.
type table struct {
	d *Direct
	g *workgroup
}

// Elem implements isa.PayloadTable.
func (t *table) Elem(handle uint64, i uint32) uint64 {
	if t.d.SingleThreaded {
		return t.g.Elem(handle, i)
	}
	t.d.mutex.Lock()
	defer t.d.mutex.Unlock()
	return t.g.Elem(handle, i)
}

// Length implements isa.PayloadTable.
func (t *table) Length(handle uint64) uint32 {
	t.d.mutex.Lock()
	defer t.d.mutex.Unlock()
	return t.g.Length(handle)
}

// Valid implements isa.PayloadTable.
func (t *table) Valid(output int, index uint32) bool {
	t.d.mutex.Lock()
	defer t.d.mutex.Unlock()
	return t.g.Valid(output, index)
}
