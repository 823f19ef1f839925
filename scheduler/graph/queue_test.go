package graph

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/program"
	"spvsim/simd"
)

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
			r.run.stats.live[feeder.stages[0].id]++
		}
		b := r.run.queues.nodeQueues.of(n.stages[0], 0)
		b.push(0, begin)
		if at := r.run.launcher.launchableAt(b); at != begin+c.want {
			t.Errorf("%+v: a launch may open in cycle %d, want %d", c, at, begin+c.want)
		}
		r.run.stats.live[feeder.stages[0].id], r.run.stats.inFlightTo[n.stages[0].id] = 0, 1
		if at := r.run.launcher.launchableAt(b); at != begin+uint64(map[bool]int{true: c.packing, false: c.coalescing}[c.packed]) {
			t.Errorf("%+v, with a payload on its way: a launch may open in cycle %d", c, at)
		}
	}
}

func startOfLast(t *testing.T, kind string, window, payloads int, n *Node) []uint64 {
	t.Helper()
	s := defaultQueue(kind)
	s.Queue.CoalescingWindow, s.Scheduler.FirmwareCycles, s.Scheduler.PersistentGroups = window, 1, 1
	feeder := static("feeder")
	feeder.Program.Node.Outputs = []program.Output{feedOutput(n)}
	r := newQueueRig(t, s, false, n, feeder)
	r.run.stats.live[feeder.stages[0].id]++ // more may come
	var accepted uint64
	r.run.stats.inFlight++ // something is on its way: workers poll on
	r.in(begin, func(uint64) { r.run.stats.inFlight-- })
	r.enqueue(t, begin, n, payloads, &accepted)
	r.finish(t)
	return r.Prints
}

// With one queue for each engine, ports and launch rates are of each.
func TestQueuesOfEngines(t *testing.T) {
	for place, want := range map[string]int{"central": 1, "engine": 2} {
		s := defaultQueue("hardware")
		s.Queue.Placement, s.Queue.Ports = place, 1
		n := static("n")
		r := newQueueRigOn(t, wide(), s, false, n)
		run := r.run
		if len(run.queues.list) != want || len(run.Components()) != want+1 {
			t.Errorf("placement %s: %d queues", place, len(run.queues.list))
		}
		var ready []uint64
		for _, unit := range []int{0, 3} { // of the two engines
			r.in(begin, func(now uint64) {
				run.policy.Allocate(now, unit, 1, gather(now, func(at uint64) { ready = append(ready, at) }))
			})
		}
		run.Dispatch(0, []Entry{{Node: n, Count: 12, Data: make([]byte, 48), Stride: 4}})
		r.finish(t)
		if diff := cmp.Diff([]uint64{begin, begin + uint64(2-want)}, ready); diff != "" {
			t.Errorf("placement %s: allocations of both engines in one cycle (-want +got):\n%s", place, diff)
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
		r.OnPrint = func(w *simd.Wave) { got += NodeOf(w) + " " }
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
