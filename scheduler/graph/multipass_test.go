package graph

import "testing"

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
			list := r.starts()
			r.run.Dispatch(0, []Entry{{Node: first, Count: 1, Data: make([]byte, 4), Stride: 4}})
			var accepted uint64
			// The first level's wave would enqueue: here while it is resident.
			at := uint64(c.launch + 1)
			r.enqueue(t, at, second, 1, &accepted)
			r.finish(t)
			started := *list
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
			if r.run.stats.queue.Passes != 2 {
				t.Errorf("%+v: %d passes", c, r.run.stats.queue.Passes)
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
		r.run.policy.(*multipass).launch = own
		begun := r.starts()
		r.run.Dispatch(0, []Entry{{Node: first, Count: 1, Data: make([]byte, 4), Stride: 4}})
		var accepted uint64
		for _, n := range list {
			r.enqueue(t, launch+1, n, 1, &accepted)
		}
		r.finish(t)
		started := *begun
		over := uint64(launch+1+2) + barrier + 1
		for i := range nodes {
			if len(started) != 1+nodes || started[1+i] != over+want[i] {
				t.Fatalf("%s: waves start in %v, want node %d's in %d", passes, started, i, over+want[i])
			}
		}
	}
}
