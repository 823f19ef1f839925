package scheduler

import (
	"maps"
	"slices"
	"testing"

	"spvsim/cu"
)

// engineOf is the shader engine of a compute unit; -1: of none.
func engineOf(m *machine, unit int) int {
	if unit < 0 {
		return -1
	}
	return unit / m.Shape.ComputeUnits
}

// Where units have space, each placement picks these, in timed runs and in functional ones.
func TestPlacementOrder(t *testing.T) {
	want := map[string][]int{ // engines of two arrays, with units 0, 1 and 2, and 3, 4 and 5
		"round-robin": {0, 3, 2, 5, 1, 4, 2, 5, 0, 3},
		"fixed-order": {0, 3, 2, 5, 1, 4, 2, 5, 0, 3},
	}
	if got := slices.Sorted(maps.Keys(placements)); !slices.Equal(got, slices.Sorted(maps.Keys(want))) {
		t.Fatalf("placements %v: want a row for each here", got)
	}
	for name, want := range want {
		m := wide()
		m.disp.ShaderArrays = 2
		d := newRig(t, m).dispatcher
		d.pickUnit = placements[name]
		l := &GridLaunch{Code: &cu.KernelLaunch{Resources: cu.Resources{Waves: 1, VectorRegs: 1, ScalarRegs: 1}}, Engine: -1, Unit: -1}
		d.Serve(&kernel{GridLaunch: *l})
		unit := unitsInTurn(placements[name], newPlacer(&m.disp, &m.Shape), m.Shape.ComputeUnits)
		var timed, functional []int
		for i := range want {
			u, _ := d.findUnit(0, d.openSources[0], l)
			timed, functional = append(timed, u), append(functional, unit(uint64(i)))
			d.placementGap(&d.engines[u/m.Shape.ComputeUnits])
			l.PlacedWorkgroups++
		}
		if !slices.Equal(timed, want) || !slices.Equal(functional, want) {
			t.Errorf("%s: units %v in a timed run, %v in a functional one, want %v", name, timed, functional, want)
		}
		if again := unit(0); again != want[0] {
			t.Errorf("%s: unit %d when asked again, want %d", name, again, want[0])
		}
	}
}

// Each description of a machine chooses a placement that the table has.
func TestPlacementOfDescriptions(t *testing.T) {
	for want, s := range map[string]DispatcherSpec{"round-robin": {}, "fixed-order": {FixedOrder: true}} {
		if got := s.Placement(); got != want || placements[got] == nil {
			t.Errorf("%+v: placement %q, want %q", s, got, want)
		}
	}
}

// In fixed order a full engine makes the dispatcher wait; otherwise it is passed over.
func TestFixedOrder(t *testing.T) {
	for fixed, want := range map[bool]int{false: 1, true: -1} {
		m := wide()
		m.disp.FixedOrder = fixed
		d := newRig(t, m).dispatcher
		d.Serve(&kernel{GridLaunch: GridLaunch{Code: &cu.KernelLaunch{}}})
		need := cu.Resources{Waves: 1, VectorRegs: 1, ScalarRegs: 1}
		for i := range d.residency[:m.Shape.ComputeUnits] {
			for d.residency[i].Fits(need) {
				d.residency[i].TakeWave(need)
			}
		}
		l := &GridLaunch{Code: &cu.KernelLaunch{Resources: need}, Engine: -1, Unit: -1, Total: 2}
		if unit, _ := d.findUnit(0, d.openSources[0], l); engineOf(m, unit) != want {
			t.Errorf("fixed order %v: unit %d takes the first workgroup, want one of engine %d", fixed, unit, want)
		}
		l.PlacedWorkgroups = 1
		if unit, _ := d.findUnit(0, d.openSources[0], l); engineOf(m, unit) != 1 {
			t.Errorf("fixed order %v: the second workgroup goes to unit %d, want one of engine 1", fixed, unit)
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
			m.Shape.ComputeUnits, m.Shape.SIMDs, m.Shape.WaveSlots, m.disp.ShaderArrays = c.units, 1, slots, c.arrays
			d := newRig(t, m).dispatcher
			d.Serve(&kernel{GridLaunch: GridLaunch{Code: &cu.KernelLaunch{}}})
			need := cu.Resources{Waves: 1, VectorRegs: 1, ScalarRegs: 1}
			l := &GridLaunch{Code: &cu.KernelLaunch{Resources: need}, Engine: -1, Unit: -1}
			var got []int
			for u, _ := d.findUnit(0, d.openSources[0], l); u >= 0; u, _ = d.findUnit(0, d.openSources[0], l) {
				d.residency[u].TakeWave(need)
				got = append(got, u)
			}
			if want == nil {
				unit := m.disp.UnitsInTurn(&m.Shape)
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
