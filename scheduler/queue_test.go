package scheduler

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sarchlab/akita/v3/sim"

	"spvsim/account"
	"spvsim/cu"
	"spvsim/engine"
	"spvsim/mem"
	"spvsim/program"
	"spvsim/simd"
)

// replyCycles is what an access of a queue to memory takes here.
const replyCycles = 40

// constantMemory answers every request after replyCycles, at once or when that time has come.
type constantMemory struct {
	mem.Hierarchy
	engine   *engine.Engine
	pending  bool
	requests int
	log      []string // of each request: what, by whose path, how long, where
}

func (m *constantMemory) LineBytes() (vector, scalar int) { return 64, 64 }
func (m *constantMemory) KernelBoundary()                 { m.log = append(m.log, "kernel boundary") }

var kindNames = map[mem.Kind]string{mem.Read: "read", mem.Write: "write", mem.Atomic: "atomic"}

// A reply is the event of a request that is answered later.
type reply struct {
	at      uint64
	to      mem.Receiver
	handler *constantMemory
}

func (r *reply) Time() sim.VTimeInSec { return r.handler.engine.Seconds(r.at) }
func (r *reply) Handler() sim.Handler { return r.handler }
func (r *reply) IsSecondary() bool    { return false }

func (m *constantMemory) Access(now uint64, r *mem.Request) mem.Reply {
	m.requests++
	entry := fmt.Sprintf("%s unit %d busy %d:", kindNames[r.Kind], r.CU, r.Busy)
	for _, l := range r.Lines {
		entry += fmt.Sprintf(" %d+%d", l.Addr, l.Bytes)
	}
	m.log = append(m.log, entry)
	if m.pending {
		m.engine.Schedule(&reply{now + replyCycles, r.To, m})
		return mem.Reply{Busy: r.Busy, Pending: true}
	}
	return mem.Reply{Ready: now + replyCycles, Busy: r.Busy}
}

func (m *constantMemory) Handle(e sim.Event) error {
	r := e.(*reply)
	r.to.Completed(0, r.at)
	return nil
}

// A queueRig is a machine of one engine with one compute unit of ten wave slots,
// on which a graph runs whose nodes mark the cycle in which each wave issues.
type queueRig struct {
	*rig
	run    *Run
	memory *constantMemory
	spec   *WorkSpec
	graph  *Graph
}

// newQueueRig makes a rig for a graph of the nodes. The kernel's launch costs
// nothing, and rates of the dispatcher are out of the way.
func newQueueRig(t *testing.T, spec WorkSpec, pending bool, nodes ...*Node) *queueRig {
	t.Helper()
	m := newMachine()
	r := &queueRig{rig: newRig(t, m)}
	r.memory = &constantMemory{engine: r.engine, pending: pending}
	for _, n := range nodes {
		prog := assemble(64, mark)
		prog.Node = n.Program.Node
		code, err := simd.NewCode(prog, m.rules(), 0)
		if err != nil {
			t.Fatal(err)
		}
		need, err := cu.NewNeed(prog, m.limits())
		if err != nil {
			t.Fatal(err)
		}
		n.Program, n.Launch = prog, &cu.Launch{Code: code, Need: need, Bindings: &mem.Bindings{}}
	}
	g, err := NewGraph(nodes, leastLimits)
	if err != nil {
		t.Fatal(err)
	}
	spec.Dispatcher = m.disp
	r.graph, r.spec = g, &spec
	r.run, err = NewRun(g, r.spec, Parts{Engine: r.engine, Array: r.array, Dispatcher: r.dispatcher, Hierarchy: r.memory, Store: mem.NewStore(0)}, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	r.array.Serve(Payloads{})
	r.array.Begin(0)
	r.run.Dispatch(0, nil)
	return r
}

// defaultQueue is a spec in which nothing but latencies of zero and rates of one is.
func defaultQueue(kind string) WorkSpec {
	return WorkSpec{
		Scheduler: SchedulerSpec{Kind: kind, FirmwareCycles: 1, PollInterval: 1},
		Queue:     QueueSpec{Placement: "central", Depth: 1 << 10, RefillThreshold: 256, SpillLines: 64, Ports: 1 << 10, LaunchRate: 1 << 10, Arbitration: "depth-first"},
	}
}

// An action is something that a test does in a cycle.
type action struct {
	at     uint64
	engine *engine.Engine
	do     func(now uint64)
}

func (a *action) Time() sim.VTimeInSec   { return a.engine.Seconds(a.at) }
func (a *action) Handler() sim.Handler   { return a }
func (a *action) IsSecondary() bool      { return true } // as the compute units' turns
func (a *action) Handle(sim.Event) error { a.do(a.at); return nil }

func (r *queueRig) in(cycle uint64, do func(now uint64)) {
	r.engine.Schedule(&action{cycle, r.engine, do})
}

// enqueue hands n payloads for a node over in a cycle; accepted is called when they are taken.
func (r *queueRig) enqueue(t *testing.T, cycle uint64, n *Node, count int, accepted *uint64) {
	t.Helper()
	r.in(cycle, func(now uint64) {
		b := r.run.queues[0].batches.Take()
		b.unit, b.payloads = 0, b.payloads[:0]
		for range count {
			i, err := r.run.memory.pool.take(n.size, true)
			if err != nil {
				t.Error(err)
				return
			}
			x := &r.run.memory.pool.payloads[i]
			x.state, x.node, x.remaining = payloadQueued, n, 0
			if err := r.run.size(x, n.stages[0]); err != nil {
				t.Error(err)
			}
			b.payloads = append(b.payloads, i)
		}
		at, known := r.run.enqueue(now, b)
		if known {
			*accepted = at
			return
		}
		b.waiter = func(at uint64) { *accepted = at }
	})
}

func (r *queueRig) finish(t *testing.T) {
	t.Helper()
	if err := r.engine.Run(); err != nil {
		t.Fatal(err)
	}
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

// One payload: its wave issues when the latency and the launch have passed.
func TestHardwareLatency(t *testing.T) {
	for _, latency := range []int{0, 1, 2, 63, 64, 1500} {
		for _, launch := range []int{0, 1, 17} {
			s := defaultQueue("hardware")
			s.Queue.Latency, s.Scheduler.LaunchCycles = latency, launch
			n := static("n")
			r := newQueueRig(t, s, false, n)
			var accepted uint64
			r.enqueue(t, begin, n, 1, &accepted)
			r.finish(t)
			want := []uint64{begin + uint64(latency+launch) + 1} // the dispatcher's message takes a cycle
			if diff := cmp.Diff(want, r.prints); diff != "" || accepted != begin {
				t.Errorf("latency %d, launch %d: taken in %d (-want +got):\n%s", latency, launch, accepted, diff)
			}
		}
	}
}

// An allocation takes the latency there and back, and its turn at the ports.
func TestHardwareAllocation(t *testing.T) {
	for _, c := range []struct{ latency, ports, payloads, more int }{
		{0, 1, 1, 0}, {10, 1, 1, 0}, {10, 1, 2, 1}, {10, 4, 3, 0}, {10, 4, 4, 0}, {10, 4, 5, 1}, {10, 4, 8, 1}, {10, 4, 9, 2}, {10, 4, 0, 0},
	} {
		s := defaultQueue("hardware")
		s.Queue.Latency, s.Queue.Ports = c.latency, c.ports
		r := newQueueRig(t, s, false, static("n"))
		var ready []uint64
		for range 2 { // the second one finds the ports taken
			r.in(begin, func(now uint64) {
				r.run.policy.Allocate(now, 0, c.payloads, gather(now, func(at uint64) { ready = append(ready, at) }))
			})
		}
		r.finish(t)
		alone := uint64(begin + 2*c.latency + c.more)
		second := uint64(begin+2*c.latency) + uint64(max(2*c.payloads-1, 0)/c.ports)
		if diff := cmp.Diff([]uint64{alone, second}, ready); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c, diff)
		}
		if got, want := r.run.ledger.queue.StallCycles, second-alone; got != want {
			t.Errorf("%+v: %d cycles stalled, want %d", c, got, want)
		}
	}
}

// A wave goes on when the ports have taken its payloads.
func TestHardwareEnqueuePorts(t *testing.T) {
	for _, c := range []struct {
		ports, payloads int
		want            uint64
	}{{1, 1, 0}, {1, 2, 1}, {4, 4, 0}, {4, 5, 1}, {4, 8, 1}, {4, 9, 2}} {
		s := defaultQueue("hardware")
		s.Queue.Ports = c.ports
		n := static("n")
		r := newQueueRig(t, s, false, n)
		var accepted uint64
		r.enqueue(t, begin, n, c.payloads, &accepted)
		r.finish(t)
		if accepted != begin+c.want {
			t.Errorf("%+v: taken in cycle %d, want %d", c, accepted, begin+c.want)
		}
	}
}

// Payloads beyond the depth go to memory, in lines that nothing waits for, and are read back before they start; those of the depth are not.
// Two requests of as many lanes find the queue as full as it is, whatever starts together: all that spilled is read back.
func TestHardwareDepth(t *testing.T) {
	for _, pending := range []bool{false, true} {
		for _, c := range []struct {
			depth, payloads, batch int
			spills                 uint64
			more                   uint64 // cycles that the last workgroup starts later
		}{{4, 3, 1, 0, 0}, {4, 4, 1, 0, 0}, {4, 5, 1, 1, replyCycles}, {4, 9, 1, 5, replyCycles}, {1, 2, 1, 1, replyCycles}, {4, 32, 8, 28, replyCycles}, {16, 64, 64, 48, replyCycles}} {
			started := func(depth int) (last uint64, r *queueRig, accepted uint64) {
				s := defaultQueue("hardware")
				s.Queue.Depth = depth
				n := static("n")
				if c.batch > 1 {
					n = coalescing("n", uint32(c.batch))
				}
				r = newQueueRig(t, s, pending, n)
				r.enqueue(t, begin, n, c.payloads, &accepted)
				r.finish(t)
				return r.prints[len(r.prints)-1], r, accepted
			}
			with, r, accepted := started(c.depth)
			without, _, _ := started(1 << 20)
			q := r.run.ledger.queue
			if q.Spills != c.spills || q.Refills != c.spills || accepted != begin || q.PeakDepth != uint64(c.payloads) {
				t.Errorf("%+v, replies pending %v: %d spilled, %d read back, taken in %d, peak %d; want %d, %d, %d", c, pending,
					q.Spills, q.Refills, accepted, q.PeakDepth, c.spills, begin, c.payloads)
			}
			if more := with - without; more > c.more || c.more > 0 && more < c.more/2 {
				t.Errorf("%+v, replies pending %v: the last starts %d cycles later, want %d", c, pending, more, c.more)
			}
		}
	}
}

// Lines that are written hold a wave only while all line buffers are in use.
func TestSpillLines(t *testing.T) {
	for _, c := range []struct {
		lines, payloads int
		waits           bool
	}{{1, 8, false}, {1, 15, false}, {1, 16, true}, {2, 16, false}, {2, 24, true}} {
		s := defaultQueue("hardware")
		s.Queue.Depth, s.Queue.SpillLines = 1, c.lines
		n := static("n")
		r := newQueueRig(t, s, false, n)
		line, _ := r.memory.LineBytes()
		var accepted uint64
		r.enqueue(t, begin, n, 1+c.payloads*line/128, &accepted)
		r.finish(t)
		if want := uint64(begin); accepted-want != map[bool]uint64{true: replyCycles}[c.waits] {
			t.Errorf("%+v: taken in cycle %d", c, accepted)
		}
	}
}

// Launches start at the queue's rate.
func TestHardwareLaunchRate(t *testing.T) {
	for _, c := range []struct {
		rate float64
		want []uint64
	}{
		{1024, []uint64{1, 1, 1, 1, 1}}, {2, []uint64{1, 1, 2, 2, 3}}, {1, []uint64{1, 2, 3, 4, 5}}, {0.5, []uint64{1, 3, 5, 7, 9}}, {0.25, []uint64{1, 5, 9, 13, 17}},
	} {
		s := defaultQueue("hardware")
		s.Queue.LaunchRate = c.rate
		n := static("n")
		r := newQueueRig(t, s, false, n)
		var accepted uint64
		var started []uint64
		r.onPrint = func(w *simd.Wave) { started = append(started, startOf(w)-begin) }
		r.enqueue(t, begin, n, len(c.want), &accepted)
		r.finish(t)
		if diff := cmp.Diff(c.want, started); diff != "" {
			t.Errorf("%v launches a cycle (-want +got):\n%s", c.rate, diff)
		}
	}
}

// startOf is the cycle from which the first instruction of a wave could issue,
// whoever else took the port.
func startOf(w *simd.Wave) uint64 { return w.Ready() }

// A coalescing node waits for the window, unless a full workgroup is there.
func TestCoalescingWindow(t *testing.T) {
	for _, kind := range []string{"hardware", "firmware", "persistent"} {
		for _, c := range []struct {
			window, payloads int
			groups           int
			waits            bool
		}{
			{0, 1, 1, false}, {50, 1, 1, true}, {50, 3, 1, true}, {50, 4, 1, false}, {50, 5, 2, true}, {50, 8, 2, false}, {1, 3, 1, true},
		} {
			n := coalescing("n", 4)
			with, without := startOfLast(t, kind, c.window, c.payloads, n), startOfLast(t, kind, 0, c.payloads, coalescing("n", 4))
			if len(with) != c.groups {
				t.Fatalf("%s, %+v: %d workgroups, want %d", kind, c, len(with), c.groups)
			}
			more := with[len(with)-1] - without[len(without)-1]
			least, most := uint64(0), uint64(0)
			if c.waits {
				least, most = uint64(c.window), uint64(c.window)
			}
			busy := uint64(c.groups-1) * 2 // the first workgroup's mark and End take the port
			if kind != "hardware" {        // a core or a worker may be busy when the window closes
				busy = 2 * replyCycles
			}
			least, most = least-min(least, busy), most+busy
			if more < least || more > most {
				t.Errorf("%s, %+v: the last workgroup starts %d cycles later than without a window, want %d to %d", kind, c, more, least, most)
			}
		}
	}
}

// A window ends when nothing else can arrive: nothing lives that leads to the node, and nothing is on its way. Packed workgroups have a
// window of their own.
func TestWindowsEnd(t *testing.T) {
	for _, c := range []struct {
		packed, feeds       bool
		coalescing, packing int
		want                uint64
	}{
		{false, true, 50, 0, 50}, {false, false, 50, 0, 0}, {false, true, 0, 50, 0},
		{true, true, 50, 0, 0}, {true, true, 0, 50, 50}, {true, false, 0, 50, 0},
	} {
		s := defaultQueue("hardware")
		s.Queue.CoalescingWindow, s.Queue.PackingWindow = c.coalescing, c.packing
		n, feeder := coalescing("n", 4), static("feeder")
		feeder.Program.Node.Outputs = []program.Output{feedOutput(n)}
		r := newQueueRig(t, s, false, n, feeder)
		n.Program.Packed = c.packed
		if c.feeds {
			r.run.ledger.live[feeder.stages[0].id]++
		}
		b := r.run.opener.bin(n.stages[0], 0)
		b.push(0, begin)
		if at := r.run.opener.readyAt(b); at != begin+c.want {
			t.Errorf("%+v: a launch may open in cycle %d, want %d", c, at, begin+c.want)
		}
		r.run.ledger.live[feeder.stages[0].id], r.run.ledger.bound[n.stages[0].id] = 0, 1
		if at := r.run.opener.readyAt(b); at != begin+uint64(map[bool]int{true: c.packing, false: c.coalescing}[c.packed]) {
			t.Errorf("%+v, with a payload on its way: a launch may open in cycle %d", c, at)
		}
	}
}

// feedOutput is an output to a node.
func feedOutput(n *Node) program.Output {
	return program.Output{PayloadType: program.PayloadType{Bytes: n.Program.Node.Input.Bytes, MaxPayloads: 1}, Node: n.Name, SharesLimits: -1, Single: true, Workgroup: true}
}

func startOfLast(t *testing.T, kind string, window, payloads int, n *Node) []uint64 {
	t.Helper()
	s := defaultQueue(kind)
	s.Queue.CoalescingWindow, s.Scheduler.FirmwareCycles, s.Scheduler.PersistentGroups = window, 1, 1
	feeder := static("feeder")
	feeder.Program.Node.Outputs = []program.Output{feedOutput(n)}
	r := newQueueRig(t, s, false, n, feeder)
	r.run.ledger.live[feeder.stages[0].id]++ // more may come
	var accepted uint64
	r.run.ledger.flying++ // something is on its way: workers poll on
	r.in(begin, func(uint64) { r.run.ledger.flying-- })
	r.enqueue(t, begin, n, payloads, &accepted)
	r.finish(t)
	return r.prints
}

// The firmware's core reads an entry and starts its launch, one after the other;
// a wave waits for the atomic, the payload for what was written.
func TestFirmwareCore(t *testing.T) {
	for _, pending := range []bool{false, true} {
		for _, cycles := range []int{1, 2, 500} {
			s := defaultQueue("firmware")
			s.Scheduler.FirmwareCycles, s.Queue.Latency = cycles, 7
			n := static("n")
			r := newQueueRig(t, s, pending, n)
			var accepted uint64
			var started []uint64
			r.onPrint = func(w *simd.Wave) { started = append(started, startOf(w)) }
			r.enqueue(t, begin, n, 3, &accepted)
			r.finish(t)
			each := uint64(replyCycles + cycles)
			first := begin + replyCycles + 7 + each + 1
			want := []uint64{first, first + each, first + 2*each}
			if diff := cmp.Diff(want, started); diff != "" || accepted != begin+replyCycles {
				t.Errorf("%d cycles a launch, replies pending %v: taken in %d (-want +got):\n%s", cycles, pending, accepted, diff)
			}
			if got := r.run.ledger.queue.StallCycles; got != replyCycles {
				t.Errorf("replies pending %v: %d cycles stalled, want the %d of the atomic", pending, got, replyCycles)
			}
			if got := r.run.ledger.opened[0]; got != 3 {
				t.Errorf("%d workgroups numbered of three launches", got)
			}
		}
	}
}

// A core that may start several launches of a node at a time pays once for them.
func TestFirmwareStartsLaunchesTogether(t *testing.T) {
	for _, pending := range []bool{false, true} {
		s := defaultQueue("firmware")
		s.Scheduler.FirmwareCycles, s.Scheduler.FirmwareLaunches, s.Queue.Latency = 500, 2, 7
		n := static("n")
		r := newQueueRig(t, s, pending, n)
		var accepted uint64
		var started []uint64
		r.onPrint = func(w *simd.Wave) { started = append(started, startOf(w)) }
		r.enqueue(t, begin, n, 5, &accepted)
		r.finish(t)
		each := uint64(replyCycles + 500)
		var late []int // rounds of the core after the first
		for _, at := range started {
			late = append(late, int((at-started[0])/each))
		}
		if diff := cmp.Diff([]int{0, 0, 1, 1, 2}, late); diff != "" {
			t.Errorf("replies pending %v (-want +got):\n%s", pending, diff)
		}
	}
}

// A dispatch costs the core its time before the first launch, and nothing else.
func TestFirmwareDispatchCycles(t *testing.T) {
	start := func(kind string, cycles int) uint64 {
		n := static("n")
		r := newQueueRig(t, defaultQueue(kind), false, n)
		r.spec.Scheduler.FirmwareDispatch = cycles // of this dispatch, and not of the rig's own
		var started uint64
		r.onPrint = func(w *simd.Wave) { started = startOf(w) }
		r.run.Dispatch(0, []Entry{{Node: n, Count: 1, Data: make([]byte, 4), Stride: 4}})
		r.finish(t)
		return started
	}
	for kind, want := range map[string]uint64{"firmware": 1000, "hardware": 0} {
		if got := start(kind, 1000) - start(kind, 0); got != want {
			t.Errorf("%s: starts %d cycles later, want %d", kind, got, want)
		}
	}
}

// Each level of multipass begins after the barrier, compacts what was enqueued,
// and starts it; each command costs its launch.
func TestMultipassCosts(t *testing.T) {
	for _, pending := range []bool{false, true} {
		for _, c := range []struct{ launch, barrier int }{{0, 0}, {1, 0}, {0, 1}, {300, 0}, {0, 700}, {300, 700}} {
			s := defaultQueue("multipass")
			s.Scheduler.PassLaunchCycles, s.Scheduler.BarrierCycles = c.launch, c.barrier
			first := node("first", 0, output2("second"))
			second := static("second")
			r := newQueueRig(t, s, pending, first, second)
			var started []uint64
			r.onPrint = func(w *simd.Wave) { started = append(started, startOf(w)) }
			r.run.Dispatch(0, []Entry{{Node: first, Count: 1, Data: make([]byte, 4), Stride: 4}})
			var accepted uint64
			// The first level's wave would enqueue: here while it is resident.
			at := uint64(c.launch + 1)
			r.enqueue(t, at, second, 1, &accepted)
			r.finish(t)
			if len(started) != 2 || started[0] != at {
				t.Fatalf("%+v: waves start in %v, the first should in %d", c, started, at)
			}
			if accepted != at+replyCycles {
				t.Errorf("%+v: taken in %d, want %d", c, accepted, at+replyCycles)
			}
			// The End issues after the mark and takes a cycle to arrive; the pass
			// is over when the payload has been counted, too.
			over := at + 2
			if pending {
				over = max(over, at+replyCycles)
			}
			compact := uint64(c.barrier + c.launch + replyCycles + c.launch)
			want := over + compact + 1
			if got := started[1]; got != want {
				t.Errorf("%+v, replies pending %v: the second level starts in %d, want %d", c, pending, got, want)
			}
			if r.run.ledger.queue.Passes != 2 {
				t.Errorf("%+v: %d passes", c, r.run.ledger.queue.Passes)
			}
		}
	}
}

// Passes of a level that overlap cost a launch before all compactions and one before all dispatches, and the front end's own time between two; those
// in turn cost a launch each, and wait for each compaction.
func TestMultipassOverlap(t *testing.T) {
	const launch, barrier, own, nodes = 300, 700, 20, 3
	for passes, want := range map[string][nodes]uint64{
		"serial":     {2*launch + replyCycles, 4*launch + 2*replyCycles, 6*launch + 3*replyCycles},
		"overlapped": {2*launch + 2*own + replyCycles, 2*launch + 3*own + replyCycles, 2*launch + 4*own + replyCycles},
	} {
		s := defaultQueue("multipass")
		s.Scheduler.PassLaunchCycles, s.Scheduler.BarrierCycles, s.Scheduler.Passes = launch, barrier, passes
		first := node("first", 0, output2("a"), output2("b"), output2("c"))
		list := []*Node{static("a"), static("b"), static("c")}
		r := newQueueRig(t, s, false, append([]*Node{first}, list...)...)
		r.run.OwnCycles = own
		var started []uint64
		r.onPrint = func(w *simd.Wave) { started = append(started, startOf(w)) }
		r.run.Dispatch(0, []Entry{{Node: first, Count: 1, Data: make([]byte, 4), Stride: 4}})
		var accepted uint64
		for _, n := range list {
			r.enqueue(t, launch+1, n, 1, &accepted)
		}
		r.finish(t)
		over := uint64(launch+1+2) + barrier + 1
		for i := range nodes {
			if len(started) != 1+nodes || started[1+i] != over+want[i] {
				t.Fatalf("%s: waves start in %v, want node %d's in %d", passes, started, i, over+want[i])
			}
		}
	}
}

// output2 is an output of single payloads of four bytes.
func output2(to string) program.Output {
	return program.Output{PayloadType: program.PayloadType{Bytes: 4, MaxPayloads: 1}, Node: to, SharesLimits: -1, Single: true, Workgroup: true}
}

// A worker of the persistent kernel takes the most of each resource that any node takes, and as many are resident as fit with that; a
// node's workgroups keep their waves.
func TestPersistentWorkersTakeTheMost(t *testing.T) {
	a, b := static("a"), static("b")
	r := newQueueRig(t, defaultQueue("persistent"), false, a, b)
	limits := r.run.Dispatcher.limits
	for _, c := range []struct{ a, b cu.Need }{
		{cu.Need{Waves: 1, VectorRegs: 8, ScalarRegs: 16, LDSBytes: 1024}, cu.Need{Waves: 2, Barriers: 1, VectorRegs: 4, ScalarRegs: 32}},
		{cu.Need{Waves: 2, Barriers: 1, VectorRegs: 4, ScalarRegs: 32}, cu.Need{Waves: 1, VectorRegs: 8, ScalarRegs: 16, LDSBytes: 1024}},
	} {
		a.Launch.Need, b.Launch.Need = c.a, c.b
		p, err := newPersistent(r.run)
		if err != nil {
			t.Fatal(err)
		}
		want := cu.Need{Waves: 2, Barriers: 1, VectorRegs: 8, ScalarRegs: 32, LDSBytes: 1024}
		if n := want.Occupancy(limits); n == 0 || p.(*persistent).workers[0] != n {
			t.Errorf("%d workers on a unit, want the %d that fit", p.(*persistent).workers[0], n)
		}
		for i, n := range []*Node{a, b} {
			if want.Waves = []cu.Need{c.a, c.b}[i].Waves; n.Launch.Need != want {
				t.Errorf("%s takes %+v, want %+v", n, n.Launch.Need, want)
			}
		}
	}
}

// A persistent worker pops with an atomic and reads the entry, both at once; when
// it found nothing, it sleeps from the answer on.
func TestPersistentPolls(t *testing.T) {
	for _, pending := range []bool{false, true} {
		for _, poll := range []int{1, 10, 500} {
			s := defaultQueue("persistent")
			s.Scheduler.PollInterval, s.Scheduler.PersistentGroups = poll, 1
			n := static("n")
			r := newQueueRig(t, s, pending, n)
			r.run.Dispatch(0, []Entry{{Node: n, Count: 1, Data: make([]byte, 4), Stride: 4}})
			var accepted uint64
			const late = 2000
			r.run.ledger.flying++ // something is on its way: the worker polls on
			r.in(late, func(uint64) { r.run.ledger.flying-- })
			r.enqueue(t, late, n, 1, &accepted)
			r.finish(t)
			if len(r.prints) != 2 || r.prints[0] != replyCycles && r.prints[0] != replyCycles+1 {
				t.Fatalf("poll %d, replies pending %v: waves start in %v, the first should in %d", poll, pending, r.prints, replyCycles)
			}
			visible := uint64(late + replyCycles)
			each := uint64(replyCycles + poll)
			if got := r.prints[1]; got < visible+replyCycles || got > visible+each+replyCycles+1 {
				t.Errorf("poll %d, replies pending %v: the second wave starts in %d, want it within a poll of %d", poll, pending, got, visible)
			}
			if got, most := r.run.ledger.queue.Polls, visible/each+3; got > most+1 || got+5 < most {
				t.Errorf("poll %d, replies pending %v: %d polls, want about %d", poll, pending, got, most)
			}
		}
	}
}

// With one queue for each engine, ports and launch rates are of each.
func TestQueuesOfEngines(t *testing.T) {
	for place, want := range map[string]int{"central": 1, "engine": 2} {
		m := wide()
		s := defaultQueue("hardware")
		s.Queue.Placement, s.Dispatcher = place, m.disp
		r := newRig(t, m)
		n := static("n")
		prog := assemble(64, mark)
		prog.Node = n.Program.Node
		code, err := simd.NewCode(prog, m.rules(), 0)
		if err != nil {
			t.Fatal(err)
		}
		need, _ := cu.NewNeed(prog, m.limits())
		n.Program, n.Launch = prog, &cu.Launch{Code: code, Need: need, Bindings: &mem.Bindings{}}
		g, err := NewGraph([]*Node{n}, leastLimits)
		if err != nil {
			t.Fatal(err)
		}
		run, err := NewRun(g, &s, Parts{Engine: r.engine, Array: r.array, Dispatcher: r.dispatcher, Hierarchy: &constantMemory{engine: r.engine}, Store: mem.NewStore(0)}, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if len(run.queues) != want || len(run.Components()) != want+1 {
			t.Errorf("placement %s: %d queues", place, len(run.queues))
		}
		r.array.Serve(Payloads{})
		run.Dispatch(0, []Entry{{Node: n, Count: 12, Data: make([]byte, 48), Stride: 4}})
		units := map[string]int{}
		r.onPrint = func(w *simd.Wave) { units[fmt.Sprint(w.Place().Unit/3)]++ }
		if err := r.engine.Run(); err != nil {
			t.Fatal(err)
		}
		if done, _ := run.Finished(); !done {
			t.Fatalf("placement %s: %s", place, run.Waiting())
		}
	}
}

// traffic is what queues ask of memory while a test has them do something, with addresses from the ring's start on.
func (r *queueRig) traffic(do func(w *wait)) []string {
	r.memory.log, r.run.memory.ring = nil, 0
	w := gather(0, nil)
	do(w)
	w.close()
	return r.memory.log
}

// Entries of 16 bytes follow each other after the counters, in requests of lines; counters have a line each.
func TestTrafficOfQueues(t *testing.T) {
	r := newQueueRig(t, defaultQueue("multipass"), false, static("n"))
	const first = counterBytes
	for _, c := range []struct {
		name string
		do   func(w *wait)
		want []string
	}{
		{"five entries", func(w *wait) { r.run.memory.ringNext = first; r.run.memory.write(0, w, 0, 5) },
			[]string{fmt.Sprintf("write unit 0 busy 1: %d+64 %d+16", first, first+64)}},
		{"five after them", func(w *wait) { r.run.memory.write(0, w, 3, 5) },
			[]string{fmt.Sprintf("write unit 3 busy 1: %d+48 %d+32", first+64, first+128)}},
		{"at the ring's end", func(w *wait) { r.run.memory.ringNext = ringBytes - 64; r.run.memory.write(0, w, 0, 4) },
			[]string{fmt.Sprintf("write unit 0 busy 1: %d+64", ringBytes-64)}},
		{"after its end", func(w *wait) { r.run.memory.write(0, w, 0, 1) },
			[]string{fmt.Sprintf("write unit 0 busy 1: %d+16", first)}},
		{"an entry back", func(w *wait) { r.run.memory.read(0, w, 0) },
			[]string{fmt.Sprintf("read unit 0 busy 1: %d+16", first)}},
		{"the first counter", func(w *wait) { r.run.memory.atomic(0, w, 1, 0) }, []string{"atomic unit 1 busy 1: 0+4"}},
		{"the last counter", func(w *wait) { r.run.memory.atomic(0, w, 1, counterBytes/256-1) }, []string{fmt.Sprintf("atomic unit 1 busy 1: %d+4", (counterBytes-256)&^63)}},
		{"one more", func(w *wait) { r.run.memory.atomic(0, w, 1, counterBytes/256) }, []string{"atomic unit 1 busy 1: 0+4"}},
	} {
		if diff := cmp.Diff(c.want, r.traffic(c.do)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	// No more than half of the ring is written at once: what lies there is read before.
	r.run.memory.ringNext = first
	r.traffic(func(w *wait) { r.run.memory.write(0, w, 0, ringBytes/entryBytes) })
	if got, want := r.run.memory.ringNext, uint64(first+ringBytes/2); got != want {
		t.Errorf("a write of a whole ring ends at %d, want %d", got, want)
	}
}

// A pass counts each batch with one atomic and writes where its payloads are; the next one is a kernel of its own, whose compaction reads
// what a node has not started, the units sharing it by whole lines, and writes it again.
func TestTrafficOfPasses(t *testing.T) {
	n := static("n")
	r := newQueueRig(t, defaultQueue("multipass"), false, n)
	r.run.memory.ring, r.run.memory.ringNext = 0, counterBytes
	r.memory.log = nil
	var accepted uint64
	r.enqueue(t, begin, n, 5, &accepted)
	r.finish(t)
	lines := fmt.Sprintf("unit 0 busy 1: %d+64 %d+16", counterBytes, counterBytes+64)
	want := []string{fmt.Sprintf("atomic unit 0 busy 1: %d+4", counterEntry*256), "write " + lines, "kernel boundary", "read " + lines, "write " + lines}
	if diff := cmp.Diff(want, r.memory.log); diff != "" {
		t.Errorf("five payloads (-want +got):\n%s", diff)
	}
	for _, c := range []struct{ waiting, started, bytes int }{{4, 0, 64}, {9, 5, 64}, {5, 5, 0}} {
		b := &bin{fifo: make([]entry, c.waiting), head: c.started}
		got := r.traffic(func(w *wait) { r.run.policy.(*multipass).compact(0, w, b) })
		var want []string
		for range min(1, c.bytes) {
			lines := fmt.Sprintf("unit 0 busy %d: %d+%d", c.bytes/64, counterBytes, c.bytes)
			want = append(want, "read "+lines, "write "+lines)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d entries of which %d have started (-want +got):\n%s", c.waiting, c.started, diff)
		}
	}
}

// Under round-robin, nodes take turns from the one after the last on; under depth-first the last of them comes first.
func TestArbitration(t *testing.T) {
	for how, want := range map[string]string{"round-robin": "a[0] b[0] c[0] a[0] b[0] c[0] ", "breadth-first": "a[0] a[0] b[0] b[0] c[0] c[0] "} {
		s := defaultQueue("hardware")
		s.Queue.Arbitration = how
		nodes := []*Node{static("a"), static("b"), static("c")}
		r := newQueueRig(t, s, false, nodes...)
		got := ""
		r.onPrint = func(w *simd.Wave) { got += NodeOf(w) + " " }
		var list []Entry
		for _, n := range nodes {
			list = append(list, Entry{Node: n, Count: 2, Data: make([]byte, 8), Stride: 4})
		}
		r.run.Dispatch(0, list)
		r.finish(t)
		if got != want {
			t.Errorf("%s: %s, want %s", how, got, want)
		}
		if ended, running, total := r.run.Progress(); ended != 6 || running != 0 || total != 6 {
			t.Errorf("%s: %d workgroups ended, %d run, of %d: want 6, 0, 6", how, ended, running, total)
		}
	}
}

// A holding is a policy whose workers hold slots from a cycle on.
type holding struct {
	policy
	slots, from uint64
}

func (h holding) holds() (slots, from uint64) { return h.slots, h.from }

// Slots that workers hold and no wave is in are charged to payloads, as far as they are empty.
func TestHeldSlots(t *testing.T) {
	for _, c := range []struct{ slots, from, end, used, empty, payload uint64 }{
		{2, 100, 104, 0, 20, 8}, {2, 100, 104, 5, 20, 3}, {2, 100, 104, 8, 20, 0}, {2, 100, 104, 9, 20, 0},
		{2, 100, 100, 0, 20, 0}, {2, 100, 90, 0, 20, 0}, {2, 100, 104, 0, 7, 7}, {2, 100, 104, 0, 8, 8},
	} {
		count := account.SlotCycles{account.Issued: c.used, account.Empty: c.empty}
		(&Run{policy: holding{slots: c.slots, from: c.from}}).Charge(&count, c.end)
		want := account.SlotCycles{account.Issued: c.used, account.Empty: c.empty - c.payload, account.Payload: c.payload}
		if count != want {
			t.Errorf("%+v: %v, want %v", c, count, want)
		}
	}
}
