package scheduler

import (
	"testing"

	"spvsim/simd"
)

// The first launch of a stream takes its floor at least; one that follows has a cost of its own and no floor.
func TestLaunchesOfAStream(t *testing.T) {
	for _, c := range []struct {
		floor   int
		follows bool
		want    uint64
	}{{0, false, 1003}, {900, false, 1003}, {5000, false, 5000}, {5000, true, 303}} {
		m := newMachine()
		m.disp.KernelLaunchCycles, m.disp.FollowingLaunch, m.disp.LaunchFloor, m.disp.LaunchLatency = 1000, 300, c.floor, 0
		r := newRig(t, m)
		r.follows = c.follows
		if got := r.run(t, assemble(64, add(3, 1, 2)), 1, simd.Never).cycles; got != c.want {
			t.Errorf("floor %d, follows %v: ended in cycle %d, want %d", c.floor, c.follows, got, c.want)
		}
	}
}
