package graph

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
			if diff := cmp.Diff(want, r.Prints); diff != "" || accepted != begin {
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
		if got, want := r.run.stats.queue.StallCycles, second-alone; got != want {
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
				return r.Prints[len(r.Prints)-1], r, accepted
			}
			with, r, accepted := started(c.depth)
			without, _, _ := started(1 << 20)
			q := r.run.stats.queue
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
		_, started := r.serve(t, n, len(c.want))
		for i := range started {
			started[i] -= begin
		}
		if diff := cmp.Diff(c.want, started); diff != "" {
			t.Errorf("%v launches a cycle (-want +got):\n%s", c.rate, diff)
		}
	}
}

// What a wave waits for others at the entrance is counted, and not what its own payloads take.
func TestWaitsAtPorts(t *testing.T) {
	for _, c := range []struct {
		ports, payloads int
		want            uint64
	}{{1, 1, 1}, {1, 3, 3}, {4, 1, 0}, {4, 4, 1}, {4, 6, 1}, {1024, 8, 0}} {
		s := defaultQueue("hardware")
		s.Queue.Ports = c.ports
		n := static("n")
		r := newQueueRig(t, s, false, n)
		var accepted [2]uint64
		for i := range accepted {
			r.enqueue(t, begin, n, c.payloads, &accepted[i])
		}
		r.finish(t)
		if got := r.run.stats.queue.StallPort; got != c.want || accepted[1]-accepted[0] != got {
			t.Errorf("%+v: %d cycles, taken in %v", c, got, accepted)
		}
	}
}
