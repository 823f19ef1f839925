package scheduler

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/cu"
	"spvsim/engine"
	"spvsim/mem"
	"spvsim/mem/hierarchy"
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
	// done is called when the wave has them, maybe before Allocate returns.
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
	Hierarchy  hierarchy.Model
	Store      *mem.Store
	OwnCycles  uint64 // what a launch that waits for nothing takes of the front end
	// Shared is what all graphs of the machine have in common.
	Shared *Shared
}

// A Run is an execution graph on a machine, from one dispatch to the next. What it keeps is in three parts: the ledger counts what
// became of payloads and workgroups, the opener has the launches, the memory what of the queue is in memory.
type Run struct {
	Parts
	graph  *Graph
	spec   *WorkSpec
	policy policy
	queues []*queue
	groups residents

	ledger ledger
	opener opener
	memory queueMemory

	spread spread
	pulls  bool
}

// A spread says how many queues a machine has.
type spread uint8

const (
	central spread = iota
	byEngine
	byUnit
)

// spreads by the words of queue.placement.
var spreads = map[string]spread{"central": central, "engine": byEngine, "unit": byUnit}

// NewRun puts a graph on a machine of a checked spec. Scratch is in bytes.
func NewRun(g *Graph, spec *WorkSpec, parts Parts, scratch uint64) (*Run, error) {
	return newRun(g, spec, parts, scratch, kinds[spec.Scheduler.Kind])
}

func newRun(g *Graph, spec *WorkSpec, parts Parts, scratch uint64, k kind) (*Run, error) {
	chip := spec.OnChip()
	if need := g.MinimumBytes(); chip+scratch < need {
		return nil, fmt.Errorf("%w: found %d bytes, and %d on chip: want at least %d bytes of scratch memory", ErrScratch, scratch, chip, need-chip)
	}
	r := &Run{Parts: parts, graph: g, spec: spec, pulls: k.pulls}
	if r.Shared == nil {
		r.Shared = &Shared{}
	}
	if k.engines {
		r.spread = spreads[spec.Queue.Placement]
	}
	r.ledger = newLedger(g)
	if err := r.memory.init(r, chip, scratch); err != nil {
		return nil, err
	}
	r.opener.init(r, k)
	for q := range r.numQueues() {
		r.queues = append(r.queues, r.newQueue(fmt.Sprintf("%s[%d]", k.queue, q), q))
	}
	var err error
	r.policy, err = k.make(r)
	return r, err
}

// Components are the parts of the machine that the graph's scheduling adds.
func (r *Run) Components() []sim.Component {
	list := []sim.Component{r.memory.pool}
	for _, q := range r.queues {
		list = append(list, q)
	}
	return list
}

// queueOf is the queue that a compute unit uses.
func (r *Run) queueOf(unit int) int {
	switch r.spread {
	case byEngine:
		return r.engineOf(unit)
	case byUnit:
		return unit
	}
	return 0
}

// numQueues is how many queues the machine has.
func (r *Run) numQueues() int {
	switch r.spread {
	case byEngine:
		return r.Dispatcher.limits.ShaderEngines
	case byUnit:
		return r.Dispatcher.limits.ShaderEngines * r.Dispatcher.limits.ComputeUnits
	}
	return 1
}

// firstUnit is the compute unit through whose path a queue's own accesses go.
func (r *Run) firstUnit(q int) int {
	if r.spread == byEngine {
		return q * r.Dispatcher.limits.ComputeUnits
	}
	return q
}

func (r *Run) fail(err error) { r.Engine.Fail(err) }

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
	r.share(1)
	r.ledger.begun = now + r.LaunchCycles()
	r.ledger.done = r.ledger.begun
	r.opener.load(entries)
	r.Dispatcher.serve(&r.opener)
	r.policy.Start(r.ledger.begun)
	if r.ledger.waiting > 0 {
		r.wake(r.ledger.begun)
	}
}

// LaunchCycles is the cost of the host's launch of a dispatch.
func (r *Run) LaunchCycles() uint64 { return uint64(r.spec.Dispatcher.KernelLaunchCycles) }

// share gives the next dispatch its part of the payload memory on chip, of the queues' entries and of their line buffers, of which so
// many graphs have one each.
func (r *Run) share(among int) {
	m := &r.memory
	m.pool.use(r.spec.OnChip() / uint64(among))
	m.copies = m.pool.capacity / max(r.graph.MinimumBytes(), 1)
	for _, q := range r.queues {
		if q.over != nil {
			q.over.divide(among)
		}
	}
}

// Fits says whether the graph's memory is enough where the payload memory on chip is divided among so many graphs, and how many bytes it
// then has and needs.
func (r *Run) Fits(among int) (have, need uint64, ok bool) {
	have, need = r.spec.OnChip()/uint64(among)+r.memory.pool.scratch, r.graph.MinimumBytes()
	return have, need, have >= need
}

// Finished says whether the dispatch has ended, and by when all it did is done.
func (r *Run) Finished() (bool, uint64) {
	return r.ledger.idle(), r.ledger.done
}

// Progress is the number of workgroups that ended, of those in the compute units, and of all known.
func (r *Run) Progress() (ended, running, total uint64) {
	return r.ledger.endedGroups, uint64(r.ledger.resident), r.ledger.total
}

// Waiting says which payloads wait, for reports.
func (r *Run) Waiting() string {
	var parts []string
	for _, b := range r.opener.bins {
		if n := b.pending(); n > 0 {
			parts = append(parts, fmt.Sprintf("%d payloads wait for node %v at level %d", n, b.Node, b.level))
		}
	}
	if r.ledger.flying > 0 {
		parts = append(parts, fmt.Sprintf("%d are on their way", r.ledger.flying))
	}
	return strings.Join(append(parts, fmt.Sprintf("%d of %d bytes of payload memory are taken", r.memory.pool.taken, r.memory.pool.capacity)), ", ")
}
