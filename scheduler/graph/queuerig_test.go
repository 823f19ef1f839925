package graph

import (
	"fmt"
	"spvsim/internal/suite"
	"spvsim/internal/timing"
	"spvsim/mem/hierarchy"
	"testing"

	"spvsim/engine"
	"spvsim/mem"
	"spvsim/program"
	"spvsim/scheduler"
	"spvsim/scheduler/internal/testmachine"
	"spvsim/simd"
)

// replyCycles is what an access of a queue to memory takes here.
const replyCycles = 40

// constantMemory answers every request after replyCycles, at once or when that time has come.
type constantMemory struct {
	hierarchy.Model
	engine   *engine.Engine
	pending  bool
	requests int
	log      []string // of each request: what, by whose path, how long, where
}

func (m *constantMemory) LineBytes() (vector, scalar int) { return 64, 64 }
func (m *constantMemory) WordBytes() int                  { return 4 }
func (m *constantMemory) KernelBoundary()                 { m.log = append(m.log, "kernel boundary") }

var kindNames = map[hierarchy.Kind]string{hierarchy.Read: "read", hierarchy.Write: "write", hierarchy.Atomic: "atomic"}

func (m *constantMemory) Access(now uint64, r *hierarchy.Request) *timing.Response {
	m.requests++
	entry := fmt.Sprintf("%s unit %d busy %d:", kindNames[r.Kind], r.CU, r.Busy)
	if r.Uncached {
		entry = "uncached " + entry
	}
	for _, l := range r.Lines {
		entry += fmt.Sprintf(" %d+%d", l.Addr, l.Bytes)
	}
	m.log = append(m.log, entry)
	if m.pending {
		m.engine.Schedule(&testmachine.Event{Cycle: now + replyCycles, Engine: m.engine, Action: func(now uint64) { r.To.Completed(0, now) }})
		return &timing.Response{UnitFreeAt: now + r.Busy, Completion: timing.ByCallback}
	}
	return &timing.Response{ReadyAt: now + replyCycles, UnitFreeAt: now + r.Busy}
}

// A machine is everything that a test may choose.
type machine struct {
	*testmachine.Machine
	disp     scheduler.DispatcherSpec
	fetch    hierarchy.FetchSpec
	commands CommandProcessor
}

func newMachine() *machine {
	return &machine{Machine: testmachine.New(), disp: scheduler.DispatcherSpec{WorkgroupsPerCycle: 1024, WavesPerCycle: 1024, ShaderArrays: 1}}
}

// wide is a machine of two engines with three compute units each.
func wide() *machine {
	m := newMachine()
	m.Shape.ShaderEngines, m.Shape.ComputeUnits = 2, 3
	return m
}

// mark notes the cycle in which a wave issues it.
var mark = testmachine.Print

// A queueRig is a machine of one engine with one compute unit of ten wave slots,
// on which a graph runs whose nodes mark the cycle in which each wave issues.
type queueRig struct {
	*testmachine.Rig
	m      *machine
	run    *Run
	memory *constantMemory
	spec   *scheduler.WorkSpec
	graph  *Graph
}

// newQueueRig makes a rig for a graph of the nodes. The kernel's launch costs
// nothing, and rates of the dispatcher are out of the way.
func newQueueRig(t *testing.T, spec scheduler.WorkSpec, pending bool, nodes ...*Node) *queueRig {
	t.Helper()
	r := newQueueRigOn(t, newMachine(), spec, pending, nodes...)
	r.Array.BeginPeriod(0)
	r.run.Dispatch(0, nil)
	return r
}

// newQueueRigOn makes one on a machine, and dispatches nothing yet.
func newQueueRigOn(t *testing.T, m *machine, spec scheduler.WorkSpec, pending bool, nodes ...*Node) *queueRig {
	t.Helper()
	r := &queueRig{Rig: m.Build(), m: m}
	r.memory = &constantMemory{engine: r.Engine, pending: pending}
	for _, n := range nodes {
		prog := testmachine.Assemble(64, mark)
		prog.Node = n.Program.Node
		n.Program, n.Launch = prog, m.Launch(t, prog)
	}
	g, err := NewGraph(nodes, leastLimits)
	if err != nil {
		t.Fatal(err)
	}
	spec.Dispatcher = m.disp
	r.graph, r.spec = g, &spec
	r.run, err = NewRun(g, r.spec, Parts{Engine: r.Engine, Array: r.Array, Dispatcher: scheduler.New(r.Engine, &m.disp, m.Limits(), r.Array), Limits: m.Limits(), Hierarchy: r.memory, Store: mem.NewStore(0),
		FetchPath: hierarchy.NewFetchPath(&m.fetch, r.memory), Commands: m.commands}, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	r.Array.ServeGraph(Payloads{})
	return r
}

// defaultQueue is a spec in which nothing but latencies of zero and rates of one is.
func defaultQueue(kind string) scheduler.WorkSpec {
	return scheduler.WorkSpec{
		Scheduler: scheduler.SchedulerSpec{Kind: kind, FirmwareCycles: 1, PollInterval: 1},
		Queue:     scheduler.QueueSpec{Placement: "central", Depth: 1 << 10, RefillThreshold: 256, SpillLines: 64, Ports: 1 << 10, LaunchRate: 1 << 10, Arbitration: "depth-first"},
	}
}

func (r *queueRig) in(cycle uint64, do func(now uint64)) {
	r.Engine.Schedule(&testmachine.Event{Cycle: cycle, Engine: r.Engine, Secondary: true, Action: do})
}

// enqueue hands n payloads for a node over in a cycle; accepted is called when they are taken.
func (r *queueRig) enqueue(t *testing.T, cycle uint64, n *Node, count int, accepted *uint64) {
	t.Helper()
	r.in(cycle, func(now uint64) {
		b := r.run.queues.list[0].batches.Acquire()
		b.unit, b.payloads = 0, b.payloads[:0]
		for range count {
			i, err := r.run.pool.allocate(n.size, true)
			if err != nil {
				t.Error(err)
				return
			}
			x := &r.run.pool.payloads[i]
			x.state, x.node, x.remaining = payloadQueued, n, 0
			if err := size(x, n.stages[0]); err != nil {
				t.Error(err)
			}
			b.payloads = append(b.payloads, i)
		}
		at, known := r.run.queues.enqueue(now, b)
		if known {
			*accepted = at
			return
		}
		b.waiter = func(at uint64) { *accepted = at }
	})
}

// starts gathers in which cycles waves start.
func (r *queueRig) starts() *[]uint64 {
	var list []uint64
	r.OnPrint = func(w *simd.Wave) { list = append(list, startOf(w)) }
	return &list
}

// serve is when so many payloads, enqueued together, are taken, and when their waves start.
func (r *queueRig) serve(t *testing.T, n *Node, count int) (accepted uint64, started []uint64) {
	t.Helper()
	list := r.starts()
	r.enqueue(t, begin, n, count, &accepted)
	r.finish(t)
	return accepted, *list
}

func (r *queueRig) finish(t *testing.T) {
	t.Helper()
	suite.OK(t, r.Engine.Run())
	if done, _ := r.run.Finished(); !done {
		t.Fatalf("the graph did not finish: %s", r.run.Waiting())
	}
}

// static is a node of one workgroup a payload; coalescing one of up to n payloads a workgroup.
func static(name string) *Node { return node(name, 0) }

func coalescing(name string, n uint32) *Node {
	c := node(name, 0)
	c.Program.Node.Launch, c.Program.Node.Workgroups = program.Coalescing, [3]uint32{}
	c.Program.Node.Input.MaxPayloads = n
	return c
}

const begin = 100 // the cycle in which the tests enqueue

// startOf is the cycle from which the first instruction of a wave could issue,
// whoever else took the port.
func startOf(w *simd.Wave) uint64 { return w.Ready() }

// feedOutput is an output to a node.
func feedOutput(n *Node) program.Output {
	return program.Output{PayloadType: program.PayloadType{Bytes: n.Program.Node.Input.Bytes, MaxPayloads: 1}, Node: n.Name, SharesLimits: -1, Workgroup: true}
}

// output2 is an output of single payloads of four bytes.
func output2(to string) program.Output {
	return program.Output{PayloadType: program.PayloadType{Bytes: 4, MaxPayloads: 1}, Node: to, SharesLimits: -1, Workgroup: true}
}
