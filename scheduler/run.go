package scheduler

import (
	"container/heap"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/cu"
	"spvsim/mem"
	"spvsim/simd"
	"spvsim/tracing"
)

// ErrFault says that a shader did what the specification leaves undefined.
var ErrFault = errors.New("undefined behaviour")

// ErrScratch says that the payload memory is less than the graph needs.
var ErrScratch = errors.New("scheduler: scratch memory")

// A GraphSpec says how execution graphs are scheduled. Rates are a cycle.
type GraphSpec struct {
	Kind        string // of kinds
	Dispatch    Spec
	Queue       QueueSpec
	Launch      int // cycles from picking payloads until their first workgroup may be placed
	Firmware    int // cycles that a launch takes the core of firmware
	PassLaunch  int // cycles that a compaction or dispatch of multipass takes to start
	PassBarrier int // cycles between two levels of multipass
	Poll        int // cycles between two polls of a worker of persistent
	Workers     int // of a compute unit, of persistent; 0: as many as fit
	Limits      *cu.Limits
	// MemoryEstimate is what an access to the shared cache takes where the memory model can't tell, cycles.
	MemoryEstimate int
}

// QueueSpec is the enqueue queue of the machine.
type QueueSpec struct {
	PerEngine    bool
	Depth        int
	Ports        int
	Latency      int
	LaunchRate   float64
	Arbitration  string
	Window       int    // cycles that a coalescing node waits
	PayloadBytes uint64 // on chip
}

// A Scheduler decides when payloads that were enqueued start workgroups, and
// what that costs. It is told of cycles by its Run, whose methods it uses to
// look at the payloads that wait, to open launches and to place workgroups.
type Scheduler interface {
	// Allocate books the allocation of payloads for a wave on a compute unit and
	// says when the wave has them.
	Allocate(now uint64, unit, payloads int) (ready uint64)
	// Enqueue books payloads that a wave hands over: when the wave may go on,
	// and from when they may be picked.
	Enqueue(now uint64, unit int, payloads int) (accepted, visible uint64)
	// Start begins a dispatch: the host's payloads wait.
	Start(now uint64)
	// Tick does what can be done in cycle now and says when to be called next,
	// if nothing happens before: an arrival, the end of a wave or workgroup.
	Tick(now uint64) (next uint64)
	// Ended: a workgroup on the unit ended, and all it did is done by cycle done.
	Ended(now, done uint64, unit int)
}

// A kind is a kind of scheduler.
type kind struct {
	make   func(*Run) (Scheduler, error)
	onChip bool // its payloads live on chip while there is room
}

// kinds are the schedulers by the name that machine descriptions use.
var kinds = map[string]kind{
	"hardware":   {newHardware, true},
	"firmware":   {newFirmware, false},
	"multipass":  {newMultipass, false},
	"persistent": {newPersistent, false},
}

// OnChip is the payload memory that a machine of the spec has on chip.
func (s GraphSpec) OnChip() uint64 {
	if kinds[s.Kind].onChip {
		return s.Queue.PayloadBytes
	}
	return 0
}

// Parts are what a run is connected to.
type Parts struct {
	Engine    sim.Engine
	Cluster   *cu.Cluster
	Hierarchy mem.Hierarchy
	Store     *mem.Store
}

// A Run is an execution graph on a machine, from one dispatch to the next.
type Run struct {
	component
	Parts
	graph  *Graph
	spec   GraphSpec
	pool   *pool
	sched  Scheduler
	place  placer
	groups []*group
	spareG []int32
	spareL []*launch

	bins     []*bin // of each queue, one for each stage
	order    []int  // stages in the order of arbitration
	arrivals arrivals
	ring     uint64 // address of the queue in memory
	ringNext uint64

	waiting  uint64 // payloads that wait, those on their way included
	resident int    // workgroups
	open     int    // launches that have workgroups to place
	entries  []int  // payloads in each queue
	done     uint64 // cycle by which all that ended workgroups did is done
	ended    uint64 // workgroups
	total    uint64 // workgroups of launches opened so far
	begun    uint64
	waves    uint64

	stats  []nodeStats
	opened []uint32 // workgroups of each node in the dispatch, so far
	queue  tracing.QueueCounts
	unuse  uint64
	lines  []mem.Line
	turns  int          // where round-robin begins
	wg     cu.Workgroup // that is being placed
	token  uint64
	err    error
}

// A bin holds the payloads of one stage that wait in one queue.
type bin struct {
	*stage
	queue  int
	fifo   []entry
	head   int
	hosts  []hostPayloads
	nHosts uint64
	opens  []*launch // with workgroups to place
	quota  uint64    // payloads that multipass may open in this pass
	held   bool      // its launches wait for a later pass
}

// An entry is a payload that waits.
type entry struct {
	payload int32
	since   uint64 // cycle in which it could first be picked
}

// hostPayloads are payloads of a dispatch that have not been made yet.
type hostPayloads struct {
	data   []byte
	stride int
	next   uint64
	count  uint64
	step   uint64 // every step-th of them, from next on, is of this bin
	since  uint64
}

// A launch is the workgroups that one payload starts at one node, or the one
// that several coalesced payloads start.
type launch struct {
	*stage
	bin     *bin
	input   int32
	grid    [3]uint32
	next    [3]uint32
	total   uint64
	placed  uint64
	ended   uint64
	readyAt uint64
	lanes   int    // workgroups of one invocation that share a wave; 0: they do not
	first   uint32 // number of its first workgroup among those of the node
}

// An arrival is a payload that can be picked from a cycle on.
type arrival struct {
	at      uint64
	order   uint64
	bin     *bin
	payload int32
}

type arrivals struct {
	list  []arrival
	order uint64
}

func (a *arrivals) Len() int { return len(a.list) }
func (a *arrivals) Less(i, j int) bool {
	x, y := &a.list[i], &a.list[j]
	return x.at < y.at || x.at == y.at && x.order < y.order
}
func (a *arrivals) Swap(i, j int) { a.list[i], a.list[j] = a.list[j], a.list[i] }
func (a *arrivals) Push(x any)    { a.list = append(a.list, x.(arrival)) }
func (a *arrivals) Pop() any {
	x := a.list[len(a.list)-1]
	a.list = a.list[:len(a.list)-1]
	return x
}

// A batch is payloads that a wave enqueues at once.
type batch struct {
	unit     int
	payloads []int32
}

// NewRun puts a graph on a machine. Scratch is in bytes.
func NewRun(g *Graph, spec GraphSpec, parts Parts, scratch uint64) (*Run, error) {
	kind, ok := kinds[spec.Kind]
	if !ok {
		return nil, fmt.Errorf("scheduler: no scheduler %q", spec.Kind)
	}
	chip := spec.OnChip()
	if need := g.MinimumBytes(); chip+scratch < need {
		return nil, fmt.Errorf("%w: %d bytes, and %d on chip: the graph needs at least %d bytes of scratch memory", ErrScratch, scratch, chip, need-chip)
	}
	r := &Run{component: newComponent("GraphScheduler", spec.Dispatch.ClockMHz), Parts: parts, graph: g, spec: spec,
		pool: newPool(parts.Store, chip, scratch), stats: make([]nodeStats, len(g.Nodes)), opened: make([]uint32, len(g.Nodes))}
	r.component.engine, r.work = parts.Engine, r.tick
	r.place = newPlacer(&spec.Dispatch, parts.Cluster, len(g.Nodes))
	r.place.start = r.place.startWave
	b, err := parts.Store.Reserve(ringBytes, "enqueue queue")
	if err != nil {
		return nil, err
	}
	r.ring = b.Addr
	r.entries = make([]int, r.queues())
	if r.order, err = stageOrder(g, spec.Queue.Arbitration); err != nil {
		return nil, err
	}
	for q := range r.queues() {
		for _, s := range g.stages {
			r.bins = append(r.bins, &bin{stage: s, queue: q})
		}
	}
	r.sched, err = kind.make(r)
	return r, err
}

// queueOf is the queue that a compute unit uses.
func (r *Run) queueOf(unit int) int {
	if r.spec.Queue.PerEngine {
		return r.engineOf(unit)
	}
	return 0
}

// queues is how many queues the machine has.
func (r *Run) queues() int {
	if r.spec.Queue.PerEngine {
		return r.spec.Dispatch.Engines
	}
	return 1
}

// stageOrder lists the stages in the order in which arbitration serves them.
func stageOrder(g *Graph, policy string) ([]int, error) {
	compare, ok := arbitration[policy]
	if !ok {
		return nil, fmt.Errorf("scheduler: no arbitration %q", policy)
	}
	order := make([]int, len(g.stages))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compare(g.stages[a], g.stages[b]) })
	return order, nil
}

// arbitration policies by name: which of two stages comes first. Round-robin
// keeps the order and starts elsewhere each time.
var arbitration = map[string]func(a, b *stage) int{
	"depth-first":   func(a, b *stage) int { return b.level - a.level },
	"breadth-first": func(a, b *stage) int { return a.level - b.level },
	"round-robin":   func(a, b *stage) int { return a.id - b.id },
}

func (r *Run) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.Cluster.Fail(err)
}

// bin is where payloads of a stage wait that come from an engine.
func (r *Run) bin(s *stage, engine int) *bin {
	q := 0
	if r.spec.Queue.PerEngine {
		q = engine
	}
	return r.bins[q*len(r.graph.stages)+s.id]
}

func (r *Run) engineOf(unit int) int { return unit / r.spec.Dispatch.Units }

// An Entry is what a dispatch hands to one node.
type Entry struct {
	Node   *Node
	Count  uint64
	Data   []byte
	Stride int // bytes
}

// Dispatch starts a graph in cycle now.
func (r *Run) Dispatch(now uint64, entries []Entry) {
	// What a launch costs the host is paid here, whoever schedules.
	r.begun = now + uint64(r.spec.Dispatch.KernelLaunchCycles)
	r.done = r.begun
	clear(r.opened)
	for i := range entries {
		e := &entries[i]
		top := e.Node.stages[len(e.Node.stages)-1]
		r.waiting += e.Count * uint64(1+len(e.Node.sharers))
		r.host(top, e)
		for _, s := range e.Node.sharers {
			r.host(s.stages[top.remaining], e)
		}
	}
	r.sched.Start(r.begun)
	if r.waiting > 0 {
		r.wake(r.begun)
	}
}

// host spreads the payloads of an entry over the queues.
func (r *Run) host(s *stage, e *Entry) {
	n := uint64(r.queues())
	for q := range n {
		if q >= e.Count {
			break
		}
		b := r.bins[int(q)*len(r.graph.stages)+s.id]
		b.hosts = append(b.hosts, hostPayloads{data: e.Data, stride: e.Stride, next: q, count: e.Count, step: n, since: r.begun})
		b.nHosts += (e.Count - q + n - 1) / n
	}
}

// enqueue hands payloads to the scheduler; it returns when the wave may go on.
func (r *Run) enqueue(now uint64, b *batch) uint64 {
	accepted, visible := r.sched.Enqueue(now, b.unit, len(b.payloads))
	engine := r.engineOf(b.unit)
	for _, i := range b.payloads {
		x := &r.pool.payloads[i]
		x.enqueued = accepted
		to := x.node.stages[x.remaining]
		r.arrive(r.bin(to, engine), i, visible)
		r.traceEnqueued(accepted, b.unit, r.bin(to, engine), i)
		for _, s := range to.sharers {
			r.arrive(r.bin(s.stages[x.remaining], engine), i, visible)
			r.traceEnqueued(accepted, b.unit, r.bin(s.stages[x.remaining], engine), i)
		}
	}
	q := r.queueOf(b.unit)
	r.entries[q] += len(b.payloads)
	r.queue.PeakDepth = max(r.queue.PeakDepth, uint64(r.entries[q]))
	return accepted
}

func (r *Run) arrive(b *bin, payload int32, at uint64) {
	r.waiting++
	r.arrivals.order++
	heap.Push(&r.arrivals, arrival{at, r.arrivals.order, b, payload})
	r.wake(at)
}

// tick does the work of cycle now.
func (r *Run) tick(now uint64) {
	if r.Cluster.Err() != nil {
		return
	}
	for len(r.arrivals.list) > 0 && r.arrivals.list[0].at <= now {
		a := heap.Pop(&r.arrivals).(arrival)
		a.bin.fifo = append(a.bin.fifo, entry{a.payload, a.at})
	}
	next := r.sched.Tick(now)
	if len(r.arrivals.list) > 0 {
		next = min(next, r.arrivals.list[0].at)
	}
	if next < cu.Never {
		r.wake(max(next, now+1))
	}
}

// Finished says whether the dispatch has ended, and by when all it did is done.
func (r *Run) Finished() (bool, uint64) {
	return r.waiting == 0 && r.open == 0 && r.resident == 0, r.done
}

// Progress is the number of workgroups that ended, and of those known.
func (r *Run) Progress() (ended, total uint64) { return r.ended, r.total }

// Freed fulfils cu.Listener.
func (r *Run) Freed(now uint64, unit int) {
	r.place.freed(r.engineOf(unit))
	if r.open > 0 || r.waiting > 0 {
		r.wake(now + 1)
	}
}

// Ended fulfils cu.Listener.
func (r *Run) Ended(now, done uint64, unit int, sg *simd.Group) {
	g := r.groups[sg.Index]
	r.done = max(r.done, done)
	r.resident--
	g.close(now)
	l := g.launch
	r.ended += uint64(max(l.lanes, 1))
	if l.ended++; l.ended == l.total {
		r.closeLaunch(l)
	}
	r.spareG = append(r.spareG, g.id)
	r.sched.Ended(now, done, unit)
	r.wake(now + 1)
}

// close gives back what a workgroup has allocated and not enqueued, and looks
// for what not all of its waves did.
func (g *group) close(now uint64) {
	p := g.run.pool
	for _, i := range g.arrays {
		a := &p.arrays[i]
		if !a.enqueued {
			g.run.unuse += uint64(len(a.elems))
			for _, e := range a.elems {
				p.release(e)
			}
		}
		p.dropArray(i)
	}
	p.taken -= g.reserve
	if g.run.err != nil {
		return
	}
	for _, c := range g.calls {
		g.run.fail(fmt.Errorf("%w: %s, node %v: %%%d: workgroup %v: not in uniform control flow: wave %d did not take part", ErrFault,
			g.Shader, g.Node, c.id, g.workgroup(), firstMissing(c.waves)))
	}
	if g.finish.waves != 0 && g.finish.waves != g.waves {
		g.run.fail(fmt.Errorf("%w: %s, node %v: %%%d: workgroup %v: not in uniform control flow: wave %d did not take part", ErrFault,
			g.Shader, g.Node, g.finish.id, g.workgroup(), firstMissing(g.finish.waves)))
	}
}

func firstMissing(mask uint64) int {
	i := 0
	for mask>>i&1 != 0 {
		i++
	}
	return i
}

// closeLaunch ends a launch: its input payloads are freed when nothing else uses them.
func (r *Run) closeLaunch(l *launch) {
	a := &r.pool.arrays[l.input]
	for _, i := range a.elems {
		r.unref(i)
	}
	r.pool.dropArray(l.input)
	r.spareL = append(r.spareL, l)
}

func (r *Run) unref(i int32) {
	x := &r.pool.payloads[i]
	if x.launches--; x.launches == 0 {
		r.pool.release(i)
	}
}

// Waiting says which payloads wait, for reports.
func (r *Run) Waiting() string {
	var parts []string
	for _, b := range r.bins {
		if n := b.pending(); n > 0 {
			parts = append(parts, fmt.Sprintf("%d payloads wait for node %v at level %d", n, b.Node, b.level))
		}
	}
	if n := len(r.arrivals.list); n > 0 {
		parts = append(parts, fmt.Sprintf("%d are on their way", n))
	}
	return strings.Join(append(parts, fmt.Sprintf("%d of %d bytes of payload memory are taken", r.pool.taken, r.pool.capacity)), ", ")
}

// nodeStats is what happened at a node.
type nodeStats struct {
	payloads, workgroups uint64
	waits                []uint32 // cycles of each payload from its enqueue to its launch
}

// Next is the cycle of the run's next event.
func (r *Run) Next() uint64 { return r.scheduled }
