package sampled

import (
	"slices"
	"testing"

	"spvsim/config"
	"spvsim/scheduler"
)

// Launches are cache-insensitive if their demand on memory is below 0.4 of issue's, also with an empty last level, and
// so is the wait for loads.
func TestCacheInsensitiveDemand(t *testing.T) {
	for _, c := range []struct {
		memory, latency, coldMemory float64
		want                        bool
	}{{0.9, 0, 0.9, false}, {0, 0, 0.9, false}, {0.1, 0.8, 0.1, false}, {0.1, 0.2, 0.1, true}} {
		d := demand{demandIssue: 1, demandMemory: c.memory, demandLatency: c.latency}
		if got := d.cacheInsensitive(c.coldMemory); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// The last level holds the data if memory serves at most 2 % of the demand with an empty last level.
func TestFitsLastLevel(t *testing.T) {
	for memory, want := range map[float64]bool{0: true, 0.01: true, 0.03: false, 0.5: false} {
		if d := (demand{demandMemory: memory}); d.fitsLastLevel(0.5) != want {
			t.Errorf("%g of 0.5: %v", memory, !want)
		}
	}
}

// Profiled parts cover the launch, and the first workgroups of each block warm the caches. A slightly larger launch is
// profiled at the same workgroups.
func TestProfiledParts(t *testing.T) {
	by := config.DefaultSampling()
	var places [2][]uint64
	for i, all := range []uint64{5000, 5100} {
		at := uint64(0)
		for _, p := range profiledParts(all, by) {
			if p.First != at || p.End <= p.First {
				t.Fatalf("%d workgroups: %+v after %d", all, p, at)
			}
			if at = p.End; p.warms {
				places[i] = append(places[i], p.First)
			}
		}
		if at != all {
			t.Errorf("%d of %d workgroups", at, all)
		}
	}
	if len(places[0]) < 2 || !slices.Equal(places[0], places[1]) {
		t.Errorf("profiled at %v and at %v", places[0], places[1])
	}
	if one := profiledParts(1, by); len(one) != 1 || !one[0].warms {
		t.Errorf("one workgroup: %+v", one)
	}
}

// A fast-forward begins and ends at multiples of the alignment: with 4 workgroups a generation, of 4.
func TestWindowsAreAligned(t *testing.T) {
	l := newTestLaunch(t, 200)
	l.parts.Array.TrackRecent(true)
	d := newDivision(New(l.machine(), config.DefaultSampling()), l, l.kernel, &kind{windows: strata{Sampling: config.DefaultSampling()}}, 4)
	d.start, d.settleCounts = 1, make([]float64, len(d.vector(l.SoFar())))
	left := map[uint64]uint64{}
	for next := uint64(13); next < 17; next++ {
		if leave, hold := d.onWorkgroupEnd(scheduler.WorkgroupEnd{NextIndex: next, EndedWorkgroups: next - 4, ResidentWorkgroups: 4}); leave > 0 && !hold {
			left[next] = next + leave
		}
	}
	if to := left[16]; len(left) != 1 || to == 0 || to%4 != 0 {
		t.Errorf("left from and to %v: want that from 16 to a multiple of four", left)
	}
}
