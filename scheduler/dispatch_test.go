package scheduler

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/account"
	"spvsim/cu"
	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/simd"
)

// wide is a machine of two engines with three compute units each.
func wide() *machine {
	m := newMachine()
	m.Shape.ShaderEngines, m.Shape.ComputeUnits = 2, 3
	return m
}

func TestLaunchCosts(t *testing.T) {
	for _, c := range []struct{ kernel, latency int }{{0, 0}, {1000, 0}, {0, 25}, {1000, 25}} {
		m := newMachine()
		m.disp.KernelLaunchCycles, m.disp.LaunchLatency = c.kernel, c.latency
		o := newRig(t, m).run(t, assemble(64, add(3, 1, 2)), 1, simd.Never)
		o.check(t, m)
		if want := uint64(c.kernel + max(c.latency, 1) + 2); o.cycles != want {
			t.Errorf("kernel launch %d, wave launch %d: %d cycles, want %d", c.kernel, c.latency, o.cycles, want)
		}
		if got, want := o.slots[account.Dispatch], uint64(max(c.latency, 1)); got != want {
			t.Errorf("%d slot-cycles for dispatch, want %d", got, want)
		}
	}
}

// With nothing else in the way, the rates say when the n-th workgroup's wave starts.
func TestDispatchRates(t *testing.T) {
	for _, c := range []struct {
		groups, waves float64 // a cycle and engine
		local         uint32
		want          []uint64 // cycles of the marks
	}{
		{1024, 1024, 64, []uint64{1, 1, 1, 1, 1, 1}},
		{1, 1024, 64, []uint64{1, 1, 2, 2, 3, 3}},
		{0.25, 1024, 64, []uint64{1, 1, 5, 5, 9, 9}},
		{1024, 0.5, 64, []uint64{1, 1, 3, 3, 5, 5}},
		{1024, 1, 64, []uint64{1, 1, 2, 2, 3, 3}},
		// The second wave of a workgroup finds the port taken by the first one's mark and End.
		{1024, 1, 128, []uint64{1, 1, 3, 3, 3, 3, 5, 5, 5, 5, 7, 7}},
	} {
		m := wide()
		m.disp.WorkgroupsPerCycle, m.disp.WavesPerCycle = c.groups, c.waves
		r := newRig(t, m)
		o := r.run(t, assemble(c.local, mark), 6, simd.Never)
		o.check(t, m)
		if diff := cmp.Diff(c.want, r.Prints); diff != "" {
			t.Errorf("%v workgroups and %v waves a cycle (-want +got):\n%s", c.groups, c.waves, diff)
		}
	}
}

// Workgroups that take the place of others come at a rate of their own; those that find an engine empty, and the first ones, do not.
func TestRefillRate(t *testing.T) {
	starts := func(refilled float64, groups uint64) []uint64 {
		m := newMachine()
		m.Shape.WaveSlots, m.disp.WorkgroupsPerCycle, m.disp.WavesPerCycle, m.disp.RefilledPerCycle = 4, 1, 1024, refilled
		r := newRig(t, m)
		o := r.run(t, assemble(64, mark, load(3), add(4, 3, 3)), groups, simd.Never)
		o.check(t, m)
		slices.Sort(r.Prints)
		return r.Prints
	}
	as, own := starts(1, 12), starts(0.1, 12)
	if diff := cmp.Diff(as, starts(0, 12)); diff != "" {
		t.Errorf("0 is not workgroups_per_cycle:\n%s", diff)
	}
	slots := 4
	for slots < len(own) && own[slots] < 100 {
		slots++ // those that find space at once: of all SIMDs
	}
	if diff := cmp.Diff(as[:slots], own[:slots]); diff != "" {
		t.Errorf("the first workgroups:\n%s", diff)
	}
	for i := slots + 1; i < len(own); i++ {
		if d := own[i] - own[i-1]; d < 9 {
			t.Errorf("workgroup %d takes the place of another one %d cycles after the one before, want 10 but for the port: %v", i, d, own)
		}
	}
	if slots == len(own) {
		t.Fatalf("all start at once: %v", own)
	}
}

// A wave slot more lets one workgroup more be resident: the marks of those that had to wait come later.
func TestResidentWorkgroups(t *testing.T) {
	for _, slots := range []int{1, 2, 3} {
		m := newMachine()
		m.Shape.WaveSlots = slots
		r := newRig(t, m)
		const groups = 3
		o := r.run(t, assemble(64, mark, load(3), add(4, 3, 3)), groups, simd.Never)
		o.check(t, m)
		early := 0
		for _, at := range r.Prints {
			if at < 100 {
				early++
			}
		}
		if early != slots {
			t.Errorf("%d slots: %d workgroups started at once", slots, early)
		}
	}
}

// Workgroups are numbered x fastest, and every one runs once.
func TestWorkgroupOrder(t *testing.T) {
	m := newMachine()
	m.Shape.WaveSlots = 1
	r := newRig(t, m)
	var ids [][3]uint32
	r.OnPrint = func(w *simd.Wave) { ids = append(ids, w.State.Workgroup) }
	o := r.runGrid(t, assemble(64, mark), [3]uint32{2, 3, 2}, simd.Never)
	o.check(t, m)
	i := 0
	for z := range uint32(2) {
		for y := range uint32(3) {
			for x := range uint32(2) {
				if i >= len(ids) || ids[i] != [3]uint32{x, y, z} {
					t.Fatalf("workgroup %d of %v is not %v", i, ids, [3]uint32{x, y, z})
				}
				i++
			}
		}
	}
}

func TestEmptyGrid(t *testing.T) {
	m := newMachine()
	m.disp.KernelLaunchCycles = 100
	o := newRig(t, m).run(t, assemble(64, add(3, 1, 2)), 0, simd.Never)
	o.check(t, m)
	if o.cycles != 100 || o.slots[account.Empty] != 100*m.Slots() {
		t.Errorf("%d cycles, %v", o.cycles, o.slots)
	}
}

// The last wave of a workgroup has only the lanes that hold invocations.
func TestPartialWave(t *testing.T) {
	m := newMachine()
	r := newRig(t, m)
	var exec []uint64
	r.OnPrint = func(w *simd.Wave) { exec = append(exec, w.State.Exec) }
	o := r.run(t, assemble(100, mark), 1, simd.Never)
	o.check(t, m)
	if diff := cmp.Diff([]uint64{^uint64(0), 1<<36 - 1}, exec); diff != "" {
		t.Errorf("execution masks (-want +got):\n%s", diff)
	}
}

// Waves leave a barrier of their own workgroup only.
func TestWorkgroupsDoNotShareBarriers(t *testing.T) {
	m := newMachine()
	list := append([]isa.Inst{load(3), add(4, 3, 3), barrier}, mark)
	r := newRig(t, m)
	o := r.run(t, assemble(128, list...), 4, simd.Never)
	o.check(t, m)
	if len(r.Prints) != 8 {
		t.Errorf("%d waves passed the barrier, want 8", len(r.Prints))
	}
}

// What an engine has no space for, another may: that an engine is full is known of each class of launches by itself.
func TestFullEngines(t *testing.T) {
	m := wide()
	d := newRig(t, m).dispatcher
	need := suite.Must(cu.NewResources(assemble(64, mark), m.Limits()))(t)
	d.Serve(&kernel{GridLaunch: GridLaunch{Code: &cu.KernelLaunch{}}})
	d.classes = 2
	for _, c := range []struct {
		full         []int // engine, class
		class, found int   // -1: no engine
	}{{nil, 0, 0}, {[]int{0, 1}, 1, 1}, {[]int{0, 1}, 0, 0}, {[]int{1, 0}, 0, 0}, {[]int{1, 1}, 1, 0}, {[]int{0, 0, 1, 0}, 0, -1}, {[]int{0, 0, 1, 0}, 1, 0}, {[]int{0, 0, 1, 1}, 0, 1}} {
		d.full, d.nextEngine = make([]bool, 4), 0
		for i := 0; i < len(c.full); i += 2 {
			d.full[c.full[i]*2+c.full[i+1]] = true
		}
		unit, _ := d.findUnit(0, d.openSources[0], &GridLaunch{Code: &cu.KernelLaunch{Resources: need}, Class: c.class, Engine: -1, Unit: -1})
		if found := engineOf(m, unit); found != c.found {
			t.Errorf("full %v, class %d: engine %d, want %d", c.full, c.class, found, c.found)
		}
	}
}
