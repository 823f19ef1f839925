package scheduler

import (
	"slices"
	"testing"

	"spvsim/cu"
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

// In fixed order a full engine makes the dispatcher wait; otherwise it is passed over.
func TestFixedOrder(t *testing.T) {
	for fixed, want := range map[bool]int{false: 1, true: -1} {
		m := wide()
		m.disp.FixedOrder = fixed
		d := newRig(t, m).dispatcher
		d.serve(&kernel{launch: launch{code: &cu.Launch{}}})
		need := cu.Need{Waves: 1, VectorRegs: 1, ScalarRegs: 1}
		for i := range d.residency[:m.shape.ComputeUnits] {
			for d.residency[i].Fits(need) {
				d.residency[i].TakeWave(need)
			}
		}
		l := &launch{code: &cu.Launch{Need: need}, engine: -1, unit: -1, total: 2}
		got := -1
		if e, _, _ := d.find(0, d.open[0], l); e != nil {
			got = e.index
		}
		if got != want {
			t.Errorf("fixed order %v: engine %d takes the first workgroup, want %d", fixed, got, want)
		}
		l.placed = 1
		if e, _, _ := d.find(0, d.open[0], l); e == nil || e.index != 1 {
			t.Errorf("fixed order %v: the second workgroup finds no place on engine 1", fixed)
		}
	}
}

// Workgroups go to an engine's arrays in turn: to units of smaller arrays go more. An array without space is passed over.
func TestShaderArrays(t *testing.T) {
	for _, c := range []struct {
		units, arrays int
		want          []int // units, in the order in which they take workgroups of which each fits one
		twice         []int // the same with space for two
	}{
		{3, 1, []int{0, 1, 2}, []int{0, 1, 2, 0, 1, 2}},
		{4, 2, []int{0, 2, 1, 3}, []int{0, 2, 1, 3, 0, 2, 1, 3}},
		{3, 2, []int{0, 2, 1}, []int{0, 2, 1, 2, 0, 1}},
		{5, 3, []int{0, 2, 4, 1, 3}, []int{0, 2, 4, 1, 3, 4, 0, 2, 1, 3}},
		{2, 4, []int{0, 1}, []int{0, 1, 0, 1}},
	} {
		for slots, want := range map[int][]int{1: c.want, 2: c.twice, 16: nil} {
			m := newMachine()
			m.shape.ComputeUnits, m.shape.SIMDs, m.shape.WaveSlots, m.disp.ShaderArrays = c.units, 1, slots, c.arrays
			d := newRig(t, m).dispatcher
			need := cu.Need{Waves: 1, VectorRegs: 1, ScalarRegs: 1}
			l := &launch{code: &cu.Launch{Need: need}, engine: -1, unit: -1}
			var got []int
			for u := d.unit(&d.engines[0], l, nil); u >= 0; u = d.unit(&d.engines[0], l, nil) {
				d.residency[u].TakeWave(need)
				got = append(got, u)
			}
			if want == nil {
				unit := m.disp.InTurn(&m.shape)
				for i := range 16 {
					want = append(want, unit(uint64(i)))
				}
				got = got[:16]
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d units in %d arrays, %d waves each: workgroups go to units %v, want %v", c.units, c.arrays, slots, got, want)
			}
		}
	}
}
