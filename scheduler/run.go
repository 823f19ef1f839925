package scheduler

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/account"
	"spvsim/cu"
	"spvsim/engine"
	"spvsim/mem"
)

// ErrFault says that a shader did what the specification leaves undefined.
var ErrFault = errors.New("undefined behaviour")

// ErrScratch says that the payload memory is less than the graph needs.
var ErrScratch = errors.New("scheduler: scratch memory")

// A policy decides when payloads that were enqueued start workgroups, and what
// that costs. It uses the methods of its Run to look at the payloads that wait,
// to open launches, and to access queues in memory.
type policy interface {
	// Allocate books the allocation of payloads for a wave on a compute unit;
	// done hears when the wave has them, maybe before Allocate returns.
	Allocate(now uint64, unit, payloads int, done *wait)
	// Enqueue books a batch that a wave hands over: it calls accept when it is
	// known from when the wave may go on, and release when it is from when the
	// payloads may be picked.
	Enqueue(now uint64, b *batch)
	// Start begins a dispatch: the host's payloads wait.
	Start(now uint64)
	// Tick does what can be done for a queue in cycle now and says when to be
	// called next, if nothing happens before: an arrival, the end of a workgroup.
	Tick(now uint64, queue int) (next uint64)
	// Settled: the dispatcher can place nothing more in cycle now, and if nothing
	// happens before, not until cycle next.
	Settled(now, next uint64)
	// Ended: a workgroup on the unit ended, and all it did is done by cycle done.
	Ended(now, done uint64, unit int)
}

// pushed are the parts of a policy that opens launches and leaves the rest to the dispatcher.
type pushed struct{}

func (pushed) Start(uint64)             {}
func (pushed) Settled(_, _ uint64)      {}
func (pushed) Ended(_, _ uint64, _ int) {}

// Parts are what a run is connected to.
type Parts struct {
	Engine     *engine.Engine
	Array      *cu.Array
	Dispatcher *Dispatcher
	Hierarchy  mem.Hierarchy
	Store      *mem.Store
}

// A Run is an execution graph on a machine, from one dispatch to the next.
type Run struct {
	Parts
	graph  *Graph
	spec   *WorkSpec
	pool   *pool
	policy policy
	queues []*queue
	groups []*group
	spareG []int32
	spareL engine.Stock[launch]

	perEngine bool
	pulls     bool
	window    uint64
	bins      []*bin // of each queue, one for each stage
	order     []int  // stages in the order of arbitration
	ring      uint64 // address of the queue in memory
	ringNext  uint64

	waiting     uint64 // payloads that wait, those on their way included
	flying      int    // payloads enqueued that have not arrived
	resident    int    // workgroups
	open        int    // launches that have workgroups to place
	done        uint64 // cycle by which all that ended workgroups did is done
	endedGroups uint64 // workgroups
	total       uint64 // workgroups of launches opened so far
	begun       uint64
	waves       uint64

	stats  []nodeStats
	opened []uint32 // workgroups of each node in the dispatch, so far
	counts account.QueueCounts
	lines  []mem.Line
	turns  int // where round-robin begins
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

// NewRun puts a graph on a machine of a checked spec. Scratch is in bytes.
func NewRun(g *Graph, spec *WorkSpec, parts Parts, scratch uint64) (*Run, error) {
	return newRun(g, spec, parts, scratch, kinds[spec.Scheduler.Kind])
}

func newRun(g *Graph, spec *WorkSpec, parts Parts, scratch uint64, k kind) (*Run, error) {
	chip := spec.OnChip()
	if need := g.MinimumBytes(); chip+scratch < need {
		return nil, fmt.Errorf("%w: %d bytes, and %d on chip: the graph needs at least %d bytes of scratch memory", ErrScratch, scratch, chip, need-chip)
	}
	r := &Run{Parts: parts, graph: g, spec: spec, perEngine: k.engines && spec.Queue.Placement == "engine", pulls: k.pulls,
		stats: make([]nodeStats, len(g.Nodes)), opened: make([]uint32, len(g.Nodes))}
	r.pool = newPool(r, chip, scratch)
	if k.window {
		r.window = uint64(spec.Queue.CoalescingWindow)
	}
	b, err := parts.Store.Reserve(ringBytes, "enqueue queue")
	if err != nil {
		return nil, err
	}
	r.ring = b.Addr
	r.order = stageOrder(g, spec.Queue.Arbitration)
	for q := range r.numQueues() {
		r.queues = append(r.queues, r.newQueue(fmt.Sprintf("%s[%d]", k.queue, q), q))
		for _, s := range g.stages {
			r.bins = append(r.bins, &bin{stage: s, queue: q})
		}
	}
	r.policy, err = k.make(r)
	return r, err
}

// Components are the parts of the machine that the graph's scheduling adds.
func (r *Run) Components() []sim.Component {
	list := []sim.Component{r.pool}
	for _, q := range r.queues {
		list = append(list, q)
	}
	return list
}

// queueOf is the queue that a compute unit uses.
func (r *Run) queueOf(unit int) int {
	if r.perEngine {
		return r.engineOf(unit)
	}
	return 0
}

// numQueues is how many queues the machine has.
func (r *Run) numQueues() int {
	if r.perEngine {
		return r.Dispatcher.limits.ShaderEngines
	}
	return 1
}

// stageOrder lists the stages in the order in which arbitration serves them.
func stageOrder(g *Graph, policy string) []int {
	compare := arbitration[policy]
	order := make([]int, len(g.stages))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compare(g.stages[a], g.stages[b]) })
	return order
}

// arbitration policies by name: which of two stages comes first. Round-robin
// keeps the order and starts elsewhere each time.
var arbitration = map[string]func(a, b *stage) int{
	"depth-first":   func(a, b *stage) int { return b.level - a.level },
	"breadth-first": func(a, b *stage) int { return a.level - b.level },
	"round-robin":   func(a, b *stage) int { return a.id - b.id },
}

func (r *Run) fail(err error) { r.Engine.Fail(err) }

// bin is where payloads of a stage wait that come from an engine.
func (r *Run) bin(s *stage, engine int) *bin {
	q := 0
	if r.perEngine {
		q = engine
	}
	return r.bins[q*len(r.graph.stages)+s.id]
}

func (r *Run) engineOf(unit int) int {
	if r.Dispatcher == nil {
		return 0
	}
	return unit / r.Dispatcher.limits.ComputeUnits
}

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
	r.begun = now + uint64(r.spec.Dispatcher.KernelLaunchCycles)
	r.done = r.begun
	r.load(entries)
	r.Dispatcher.serve(r, len(r.graph.Nodes))
	r.policy.Start(r.begun)
	if r.waiting > 0 {
		r.wake(r.begun)
	}
}

// load hands the host's payloads over.
func (r *Run) load(entries []Entry) {
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
}

// host spreads the payloads of an entry over the queues.
func (r *Run) host(s *stage, e *Entry) {
	n := uint64(len(r.queues))
	for q := range n {
		if q >= e.Count {
			break
		}
		b := r.bins[int(q)*len(r.graph.stages)+s.id]
		b.hosts = append(b.hosts, hostPayloads{data: e.Data, stride: e.Stride, next: q, count: e.Count, step: n, since: r.begun})
		b.nHosts += (e.Count - q + n - 1) / n
	}
}

// Finished says whether the dispatch has ended, and by when all it did is done.
func (r *Run) Finished() (bool, uint64) {
	return r.waiting == 0 && r.open == 0 && r.resident == 0, r.done
}

// Progress is the number of workgroups that ended, of those in the compute units, and of all known.
func (r *Run) Progress() (ended, running, total uint64) {
	return r.endedGroups, uint64(r.resident), r.total
}

// ended fulfils work.
func (r *Run) ended(now uint64, m *cu.WaveEnd) {
	r.done = max(r.done, m.Done)
	r.endGroup(now, r.groups[m.Index])
	r.policy.Ended(now, m.Done, m.Unit)
	r.wake(now)
}

// endGroup takes a workgroup out, and its launch with the last one.
func (r *Run) endGroup(now uint64, g *group) {
	r.resident--
	g.close(now)
	l := g.launch
	r.endedGroups += uint64(max(l.lanes, 1))
	if l.ended++; l.ended == l.total {
		r.closeLaunch(l)
	}
	r.spareG = append(r.spareG, g.id)
}

// close gives back what a workgroup has allocated and not enqueued, and looks
// for what not all of its waves did.
func (g *group) close(now uint64) {
	p := g.run.pool
	for _, i := range g.arrays {
		a := &p.arrays[i]
		if !a.enqueued {
			g.run.stats[g.Node.id].unused += uint64(len(a.elems))
			for _, e := range a.elems {
				p.release(e)
			}
		}
		p.dropArray(i)
	}
	p.taken -= g.reserve
	if g.run.Engine.Err() != nil {
		return
	}
	for i := range g.calls {
		g.incomplete(&g.calls[i])
	}
	if g.finish.waves != 0 && g.finish.waves != g.waves {
		g.incomplete(&g.finish)
	}
}

// incomplete stops the run for a call that not all waves of the workgroup made.
func (g *group) incomplete(c *call) {
	g.run.fail(fmt.Errorf("%w: %s, node %v: %v: %s: workgroup %v: not in uniform control flow: wave %d did not take part", ErrFault,
		g.Shader, g.Node, c.id, operation(c.op), g.workgroup(), firstMissing(c.waves)))
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
	r.spareL.Give(l)
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
	if r.flying > 0 {
		parts = append(parts, fmt.Sprintf("%d are on their way", r.flying))
	}
	return strings.Join(append(parts, fmt.Sprintf("%d of %d bytes of payload memory are taken", r.pool.taken, r.pool.capacity)), ", ")
}

// nodeStats is what happened at a node.
type nodeStats struct {
	payloads, workgroups uint64
	unused               uint64   // payloads that it allocated and did not enqueue
	waits                []uint32 // cycles of each payload from its enqueue to its launch
}
