// Package graph schedules execution graphs: it turns payloads that shaders enqueue into launches that the dispatcher
// places.
//
//	graph       nodes that fit together, their levels and memory; text: as text and DOT
//	run         a graph on the machine: connects the parts
//	workgroup   what a workgroup does with payloads: allocate, enqueue, check, call (of its waves together)
//	pool        payloads and the arrays that name them; allocator: the component that answers requests for them
//	queue       the component in which payloads wait; nodequeues: by node, in arbitration order; layout: of units
//	launcher    launches of waiting payloads, for the dispatcher
//	policy      the table of schedulers: hardware, firmware, multipass, lists, generated, persistent
//	spill       entries of a hardware queue in memory; blocked: batches that a full queue keeps out; steal: between queues
//	ring        queues and counters in memory; inmemory: what policies with queues in memory have in common
//	stats       counts of payloads and workgroups, by node; path: the longest way through the graph
//	shared      what concurrent graphs share
//	direct      a graph in functional runs
//
// The memory hierarchy carries out accesses to payloads; here they are only checked.
package graph

import (
	"errors"
	"fmt"
	"spvsim/mem/hierarchy"
	"strings"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/cu"
	"spvsim/engine"
	"spvsim/mem"
	"spvsim/scheduler"
)

// ErrFault reports undefined behaviour of a shader.
var ErrFault = errors.New("undefined behaviour")

// ErrScratch reports payload memory that is smaller than the graph needs.
var ErrScratch = errors.New("scheduler: scratch memory")

// Parts are the parts of the machine that a run uses.
type Parts struct {
	Engine     *engine.Engine
	Array      *cu.ComputeUnits
	Dispatcher *scheduler.Dispatcher
	Limits     *cu.Limits // nil in functional runs
	Hierarchy  hierarchy.Model
	Store      *mem.Store
	Commands   CommandProcessor
	// Shared is common to all graphs of the machine; nil: there is one graph.
	Shared *Shared
	// FetchPath is the command processor's own path to memory; nil: it has none.
	FetchPath *hierarchy.FetchPath
}

// A Run is an execution graph on a machine, from one dispatch to the next. It connects its parts, and each part has
// what it uses.
type Run struct {
	Parts
	graph      *Graph
	spec       *scheduler.WorkSpec
	policy     policy
	stats      *graphStats
	pool       *pool
	allocator  *allocator
	ring       *ring
	queues     *queues
	workgroups *workgroups
	launcher   *launcher
}

// NewRun puts a graph on a machine, with so many bytes of scratch memory. The spec has been checked.
func NewRun(g *Graph, spec *scheduler.WorkSpec, parts Parts, scratch uint64) (*Run, error) {
	return newRun(g, spec, parts, scratch, kinds[spec.Scheduler.Kind])
}

func newRun(g *Graph, spec *scheduler.WorkSpec, parts Parts, scratch uint64, k kind) (*Run, error) {
	chip := OnChip(spec)
	if need := g.MinimumBytes(); chip+scratch < need {
		return nil, fmt.Errorf("%w: found %d bytes, and %d on chip: want at least %d bytes of scratch memory", ErrScratch, scratch, chip, need-chip)
	}
	if parts.Shared == nil {
		parts.Shared = &Shared{}
	}
	r := &Run{Parts: parts, graph: g, spec: spec, stats: newGraphStats(g)}
	place := central
	if k.engines {
		place = spreads[spec.Queue.Placement]
	}
	r.pool = newPool(g, parts.Store, &r.stats.queue, chip, scratch)
	r.allocator = newAllocator(parts.Engine, parts.units(), &spec.Queue, r.stats)
	var err error
	if r.ring, err = newRing(parts.Store, parts.Hierarchy); err != nil {
		return nil, err
	}
	trace := &payloadTrace{parts.Array, g, r.pool, r.stats}
	r.queues = newQueues(g, &spec.Queue, k, newLayout(place, parts.Limits), &parts, r.pool, r.stats, trace)
	r.workgroups = &workgroups{
		limits: &g.limits, engine: parts.Engine, pool: r.pool, stats: r.stats, queues: r.queues, allocator: r.allocator, ring: r.ring,
	}
	r.launcher = newLauncher(g, &spec.Queue, k, &parts, r.queues, r.workgroups)
	if r.policy, err = k.make(r); err != nil {
		return nil, err
	}
	r.queues.policy, r.workgroups.policy, r.launcher.policy = r.policy, r.policy, r.policy
	return r, nil
}

// units returns the compute units; none in functional runs.
func (p *Parts) units() []*cu.ComputeUnit {
	if p.Array == nil {
		return nil
	}
	return p.Array.Units
}

// Components returns the components of the graph's scheduling.
func (r *Run) Components() []sim.Component {
	list := []sim.Component{r.allocator}
	for _, q := range r.queues.list {
		list = append(list, q)
	}
	return list
}

// An Entry is what a dispatch hands to one node.
type Entry struct {
	Node   *Node
	Count  uint64
	Data   []byte
	Stride int // bytes
}

// Dispatch starts a dispatch of the graph alone, in cycle now, after the cost of a kernel launch.
func (r *Run) Dispatch(now uint64, entries []Entry) {
	// What a launch costs the host is paid here, whoever schedules.
	r.shareStorage(1)
	r.stats.startCycle = now + r.LaunchCycles()
	r.stats.endCycle = r.stats.startCycle
	r.launcher.loadHostPayloads(entries)
	r.Dispatcher.Serve(r.launcher)
	r.policy.Start(r.stats.startCycle)
	if r.stats.waiting > 0 {
		r.queues.wake(r.stats.startCycle)
	}
}

// Open starts a dispatch of the graph, concurrent with other launches: its payloads may be launched from cycle begun on.
// Concurrent graphs divide storage: among is their number, including this one.
func (r *Run) Open(begun uint64, entries []Entry, among int, s scheduler.MachineShare, c *scheduler.Caller) scheduler.SourceHandle {
	r.shareStorage(among)
	r.stats.startCycle, r.stats.endCycle = begun, begun
	r.launcher.loadHostPayloads(entries)
	o := r.Dispatcher.Add(r.launcher, s, c)
	r.policy.Start(begun)
	if r.stats.waiting > 0 {
		r.queues.wake(begun)
	}
	r.Dispatcher.Wake(r.Engine.Now()) // an empty dispatch has ended
	return o
}

// Exclusive reports whether a dispatch of the graph needs the whole machine: its workers hold compute units.
func (r *Run) Exclusive() bool { return r.launcher.pullsWork }

// LaunchCycles returns the cost of the host's launch.
func (r *Run) LaunchCycles() uint64 { return uint64(r.spec.Dispatcher.KernelLaunchCycles) }

// shareStorage gives the next dispatch 1/among of the on-chip payload memory, of the queues' entries and of their line
// buffers.
func (r *Run) shareStorage(among int) {
	r.pool.setOnChip(OnChip(r.spec) / uint64(among))
	for _, q := range r.queues.list {
		if q.spill != nil {
			q.spill.shareAmong(among)
		}
	}
}

// Fits reports whether the graph's payload memory is enough if among graphs divide the on-chip memory, and returns the
// bytes that it then has and needs.
func (r *Run) Fits(among int) (have, need uint64, ok bool) {
	have, need = OnChip(r.spec)/uint64(among)+r.pool.scratch, r.graph.MinimumBytes()
	return have, need, have >= need
}

// Finished reports whether the dispatch has ended, and the cycle by which its memory accesses are done.
func (r *Run) Finished() (bool, uint64) {
	return r.stats.allDone(), r.stats.endCycle
}

// Progress returns the workgroups that ended, those resident, and all known so far.
func (r *Run) Progress() (ended, running, total uint64) {
	return r.stats.progress()
}

// Waiting describes the waiting payloads, for deadlock reports.
func (r *Run) Waiting() string {
	var parts []string
	for _, b := range r.queues.nodeQueues.list {
		if n := b.pending(); n > 0 {
			parts = append(parts, fmt.Sprintf("%d payloads wait for node %v at level %d", n, b.Node, b.level))
		}
	}
	if r.stats.inFlight > 0 {
		parts = append(parts, fmt.Sprintf("%d are on their way", r.stats.inFlight))
	}
	return strings.Join(append(parts, fmt.Sprintf("%d of %d bytes of payload memory are taken", r.pool.reserved, r.pool.capacity)), ", ")
}
