package graph

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The firmware's core reads an entry and starts its launch, one after the other;
// a wave waits for the atomic, the payload for what was written.
func TestFirmwareCore(t *testing.T) {
	for _, pending := range []bool{false, true} {
		for _, cycles := range []int{1, 2, 500} {
			s := defaultQueue("firmware")
			s.Scheduler.FirmwareCycles, s.Queue.Latency = cycles, 7
			n := static("n")
			r := newQueueRig(t, s, pending, n)
			accepted, started := r.serve(t, n, 3)
			each := uint64(replyCycles + cycles)
			first := begin + replyCycles + 7 + each + 1
			want := []uint64{first, first + each, first + 2*each}
			if diff := cmp.Diff(want, started); diff != "" || accepted != begin+replyCycles {
				t.Errorf("%d cycles a launch, replies pending %v: taken in %d (-want +got):\n%s", cycles, pending, accepted, diff)
			}
			if got := r.run.stats.queue.StallCycles; got != replyCycles {
				t.Errorf("replies pending %v: %d cycles stalled, want the %d of the atomic", pending, got, replyCycles)
			}
			if got := r.run.stats.opened[0]; got != 3 {
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
		_, started := r.serve(t, n, 5)
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
		started := r.starts()
		r.run.Dispatch(0, []Entry{{Node: n, Count: 1, Data: make([]byte, 4), Stride: 4}})
		r.finish(t)
		return (*started)[0]
	}
	for kind, want := range map[string]uint64{"firmware": 1000, "hardware": 0} {
		if got := start(kind, 1000) - start(kind, 0); got != want {
			t.Errorf("%s: starts %d cycles later, want %d", kind, got, want)
		}
	}
}
