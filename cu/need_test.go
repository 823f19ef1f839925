package cu

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"spvsim/internal/spec"
	"spvsim/internal/suite"
	"spvsim/lds"
	"spvsim/program"
)

func limitsForTest() *Limits {
	u := &UnitSpec{
		Registers: RegistersSpec{Vector: 256, VectorGranule: 4, VectorMax: 256, Scalar: 800, ScalarGranule: 16, ScalarMax: 102},
		LDS:       lds.DefaultSpec(), Barriers: 16,
	}
	return &Limits{Machine: "test", Shape: &spec.Shape{WaveSize: 64, SIMDs: 4, WaveSlots: 10}, UnitSpec: u}
}

// Each resource alone decides; the case gives the last value that n workgroups fit with, and the first that they do not.
func TestOccupancyBoundaries(t *testing.T) {
	wave := func(vector, scalar int) *program.Program {
		return &program.Program{Name: "main", WaveSize: 64, LocalSize: [3]uint32{64, 1, 1}, VectorRegs: vector, ScalarRegs: scalar}
	}
	group := func(local, ldsBytes uint32) *program.Program {
		return &program.Program{Name: "main", WaveSize: 64, LocalSize: [3]uint32{local, 1, 1}, VectorRegs: 1, ScalarRegs: 1, LDSBytes: ldsBytes}
	}
	for _, c := range []struct {
		name string
		prog *program.Program
		want int
	}{
		{"slots", wave(1, 1), 40},
		{"vector registers, 10 a SIMD", wave(24, 1), 40},
		{"vector registers, 9 a SIMD", wave(25, 1), 36},
		{"vector registers, 2 a SIMD", wave(128, 1), 8},
		{"vector registers, 1 a SIMD", wave(129, 1), 4},
		{"vector registers, more than a wave may have", wave(257, 1), 4},
		{"scalar registers, 10 a SIMD", wave(1, 80), 40},
		{"scalar registers, 8 a SIMD", wave(1, 81), 32},
		{"scalar registers, the most a wave may have", wave(24, 102), 28},
		{"scalar registers, one more in a lane of a vector register", wave(64, 103), 12},
		{"scalar registers, a vector register of them", wave(63, 102+64), 16},
		{"scalar registers, one more than a vector register", wave(63, 102+65), 12},
		{"LDS, 64 granules", group(64, 1024), 40},
		{"LDS, half", group(64, 32768), 2},
		{"LDS, over half", group(64, 32769), 1},
		{"barriers, two waves", group(128, 0), 16},
		{"slots, three waves", group(192, 0), 13},
		{"slots, forty waves", group(2560, 0), 1},
	} {
		l := limitsForTest()
		n, err := NewResources(c.prog, l)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := n.Occupancy(l); got != c.want {
			t.Errorf("%s: %d workgroups fit, want %d", c.name, got, c.want)
		}
		if got := fill(l, n); got != c.want {
			t.Errorf("%s: %d workgroups were placed, want %d", c.name, got, c.want)
		}
	}
}

// fill places workgroups while they fit.
func fill(l *Limits, n Resources) (placed int) {
	r := NewResourceTable(l)
	for r.Fits(n) {
		r.TakeGroup(n)
		for range n.Waves {
			r.TakeWave(n)
		}
		placed++
	}
	return placed
}

func TestNeverFits(t *testing.T) {
	for _, c := range []struct {
		name      string
		local     uint32
		lds       uint32
		vector    int
		fits      bool
		waveLanes int
	}{
		{"all LDS", 64, 65536, 1, true, 64},
		{"a byte more", 64, 65537, 1, false, 64},
		{"all slots", 2560, 0, 24, true, 64},
		{"a wave more", 2561, 0, 24, false, 64},
		{"registers for 4 waves", 256, 0, 256, true, 64},
		{"and a fifth", 257, 0, 256, false, 64},
	} {
		l := limitsForTest()
		_, err := NewResources(&program.Program{Name: "main", WaveSize: c.waveLanes, LocalSize: [3]uint32{c.local, 1, 1},
			VectorRegs: c.vector, ScalarRegs: 1, LDSBytes: c.lds}, l)
		if (err == nil) != c.fits || err != nil && !errors.Is(err, ErrFit) {
			t.Errorf("%s: error %v", c.name, err)
		}
	}
}

// A workgroup may have less of the LDS than there is.
func TestLDSOfOneWorkgroup(t *testing.T) {
	l := limitsForTest()
	l.LDS.MaxWorkgroupBytes = 32768
	for bytes, fits := range map[uint32]bool{32768: true, 32769: false} {
		_, err := NewResources(&program.Program{Name: "main", WaveSize: 64, LocalSize: [3]uint32{64, 1, 1}, VectorRegs: 1, ScalarRegs: 1, LDSBytes: bytes}, l)
		if (err == nil) != fits {
			t.Errorf("%d bytes: %v", bytes, err)
		}
	}
}

// Odd machines: an LDS that is no multiple of its granule, fewer registers than a wave's rows.
func TestOddLimits(t *testing.T) {
	p := &program.Program{Name: "main", WaveSize: 64, LocalSize: [3]uint32{64, 1, 1}, VectorRegs: 1, ScalarRegs: 1, LDSBytes: 1000}
	l := limitsForTest()
	l.LDS.Bytes, l.LDS.MaxWorkgroupBytes = 1023, 1023
	if _, err := NewResources(p, l); !errors.Is(err, ErrFit) {
		t.Errorf("LDS: error %v, want %v", err, ErrFit)
	}
	l = limitsForTest()
	l.WaveSize, l.Registers.Vector, l.Registers.VectorMax = 32, 1, 1
	if _, err := NewResources(p, l); !errors.Is(err, ErrFit) {
		t.Errorf("registers: error %v, want %v", err, ErrFit)
	}
}

// A program of more registers than a wave may have takes all of a SIMD's, unless its workgroup would not fit: then as many as it may.
func TestRegistersBeyondTheMost(t *testing.T) {
	l := limitsForTest()
	l.Registers.Vector, l.Registers.VectorMax = 512, 256
	for waves, want := range map[uint32]int{1: 512, 4: 512, 5: 256, 8: 256} {
		n, err := NewResources(&program.Program{Name: "main", WaveSize: 64, LocalSize: [3]uint32{64 * waves, 1, 1}, VectorRegs: 267, ScalarRegs: 1}, l)
		if err != nil || n.VectorRegs != want {
			t.Errorf("%d waves: %d registers each, %v: want %d", waves, n.VectorRegs, err, want)
		}
	}
	if _, err := NewResources(&program.Program{Name: "main", WaveSize: 64, LocalSize: [3]uint32{64 * 9, 1, 1}, VectorRegs: 267, ScalarRegs: 1}, l); !errors.Is(err, ErrFit) {
		t.Errorf("nine waves of 256 registers each: %v, want %v", err, ErrFit)
	}
}

func TestHugeWorkgroupIsRefused(t *testing.T) {
	l := limitsForTest()
	_, err := NewResources(&program.Program{Name: "main", WaveSize: 64, LocalSize: [3]uint32{1 << 31, 1 << 31, 1 << 31}}, l)
	if !errors.Is(err, ErrFit) {
		t.Errorf("error %v, want %v", err, ErrFit)
	}
}

// A wave of 64 lanes takes two rows of each register of a machine that counts them for 32.
func TestLargeWaveTakesTwoRows(t *testing.T) {
	l := limitsForTest()
	l.WaveSize, l.WaveSlots = 32, 16
	for lanes, want := range map[int]int{32: 4 * 8, 64: 4 * 4} {
		n := suite.Must(NewResources(&program.Program{Name: "main", WaveSize: lanes, LocalSize: [3]uint32{uint32(lanes), 1, 1}, VectorRegs: 32, ScalarRegs: 1}, l))(t)
		if got := n.Occupancy(l); got != want {
			t.Errorf("%d lanes: %d workgroups fit, want %d", lanes, got, want)
		}
	}
}

// A workgroup takes its LDS in whole granules of 512 bytes, and as many fit as the 64 KB have of what it takes.
func TestLDSIsTakenInGranules(t *testing.T) {
	l := limitsForTest()
	for bytes, want := range map[uint32]int{0: 0, 1: 512, 511: 512, 512: 512, 513: 1024, 2048: 2048, 2049: 2560, 65536: 65536} {
		n := suite.Must(NewResources(&program.Program{Name: "main", WaveSize: 64, LocalSize: [3]uint32{64, 1, 1}, VectorRegs: 1, ScalarRegs: 1, LDSBytes: bytes}, l))(t)
		if n.LDSBytes != want {
			t.Errorf("%d bytes take %d, want %d", bytes, n.LDSBytes, want)
		}
		if fit := n.Occupancy(l); want >= 2048 && fit != 65536/want {
			t.Errorf("%d bytes: %d workgroups fit, want %d", bytes, fit, 65536/want)
		}
	}
}

// The LDS is given out in granules, and a freed range is found again.
func TestLDSRanges(t *testing.T) {
	l := limitsForTest()
	r := NewResourceTable(l)
	a, b, c := r.takeLDS(16384), r.takeLDS(32768), r.takeLDS(16384)
	if a != 0 || b != 16384 || c != 49152 {
		t.Fatalf("ranges start at %d, %d, %d", a, b, c)
	}
	if r.findLDS(512) >= 0 {
		t.Error("a full LDS has space")
	}
	r.FreeGroup(16384, Resources{LDSBytes: 32768})
	if at := r.takeLDS(32768); at != 16384 {
		t.Errorf("the freed range is not taken again, but %d", at)
	}
}

func TestRoundRobinOverSIMDs(t *testing.T) {
	l := limitsForTest()
	r := NewResourceTable(l)
	n := Resources{Waves: 1, VectorRegs: 256, ScalarRegs: 16}
	for want := range 4 {
		if got := r.TakeWave(n); got != want {
			t.Errorf("wave %d went to SIMD %d", want, got)
		}
	}
	if r.Fits(n) {
		t.Error("a fifth wave fits")
	}
	r.FreeWave(2, n)
	if got := r.TakeWave(n); got != 2 {
		t.Errorf("the next wave went to SIMD %d, want the one that is free", got)
	}
}

// A workgroup that has no space for want of registers is told so; one of more waves than there are slots is told that.
func TestRegistersThatDoNotFitAreToldAsThat(t *testing.T) {
	for _, c := range []struct {
		local uint32
		want  string
		regs  int
	}{
		{local: 512, regs: 200, want: "main needs 200 vector and 1 scalar registers a wave, so that 4 waves fit on a compute unit of test: its workgroups have 8"},
		{local: 64 * 41, regs: 1, want: "main needs 41 waves, a compute unit of test has 40"},
	} {
		l := limitsForTest()
		_, err := NewResources(&program.Program{Name: "main", WaveSize: 64, LocalSize: [3]uint32{c.local, 1, 1}, VectorRegs: c.regs, ScalarRegs: 1}, l)
		if !errors.Is(err, ErrFit) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("found %v\nwant %s", err, c.want)
		}
	}
}

// Workgroups of one wave and of several count alike against the most that a unit holds.
func TestMostWorkgroups(t *testing.T) {
	for _, c := range []struct {
		most  int
		local uint32
		want  int
	}{{0, 64, 40}, {40, 64, 40}, {39, 64, 39}, {1, 64, 1}, {17, 128, 16}, {16, 128, 16}, {15, 128, 15}} {
		l := limitsForTest()
		l.Workgroups = c.most
		n := suite.Must(NewResources(&program.Program{Name: "main", WaveSize: 64, LocalSize: [3]uint32{c.local, 1, 1}, VectorRegs: 1, ScalarRegs: 1}, l))(t)
		if got, placed := n.Occupancy(l), fill(l, n); got != c.want || placed != c.want {
			t.Errorf("%d at most, %d lanes: %d fit, %d were placed, want %d", c.most, c.local, got, placed, c.want)
		}
	}
}

// A workgroup that ends makes space for another.
func TestRoomOfWorkgroupsComesBack(t *testing.T) {
	l := limitsForTest()
	l.Workgroups = 1
	n := suite.Must(NewResources(&program.Program{Name: "main", WaveSize: 64, LocalSize: [3]uint32{64, 1, 1}, VectorRegs: 1, ScalarRegs: 1}, l))(t)
	r := NewResourceTable(l)
	for range 3 {
		if !r.Fits(n) {
			t.Fatal("an empty unit has no space")
		}
		base := r.TakeGroup(n)
		simd := r.TakeWave(n)
		if r.Fits(n) {
			t.Fatal("a second workgroup fits")
		}
		r.FreeWave(simd, n)
		r.FreeGroup(base, n)
	}
}

// The limiter is the resource of which a workgroup takes most; the others follow.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		prog *program.Program
		want string
	}{
		{&program.Program{VectorRegs: 1, ScalarRegs: 1}, "wave slots 40, scalar registers 200, vector registers 256"},
		{&program.Program{VectorRegs: 128, ScalarRegs: 1}, "vector registers 8, wave slots 40, scalar registers 200"},
		{&program.Program{VectorRegs: 1, ScalarRegs: 102}, "scalar registers 28, wave slots 40, vector registers 256"},
		{&program.Program{VectorRegs: 1, ScalarRegs: 1, LDSBytes: 32768}, "LDS 2, wave slots 40, scalar registers 200, vector registers 256"},
		{&program.Program{VectorRegs: 1, ScalarRegs: 1, LocalSize: [3]uint32{128, 1, 1}}, "barriers 16, wave slots 20, scalar registers 100, vector registers 128"},
	} {
		c.prog.WaveSize = 64
		if c.prog.LocalSize[0] == 0 {
			c.prog.LocalSize = [3]uint32{64, 1, 1}
		}
		l := limitsForTest()
		n := suite.Must(NewResources(c.prog, l))(t)
		var found []string
		for _, b := range n.OccupancyLimits(l) {
			found = append(found, fmt.Sprint(b.Resource, " ", b.Groups))
		}
		if got := strings.Join(found, ", "); got != c.want {
			t.Errorf("found %s, want %s", got, c.want)
		}
	}
}

// A workgroup of several waves takes a barrier, one of a single wave none.
func TestBarriersOfWorkgroups(t *testing.T) {
	for local, want := range map[uint32]int{1: 0, 64: 0, 65: 1, 256: 1} {
		n, err := NewResources(&program.Program{Name: "main", WaveSize: 64, LocalSize: [3]uint32{local, 1, 1}, VectorRegs: 1, ScalarRegs: 1}, limitsForTest())
		if err != nil || n.Barriers != want {
			t.Errorf("%d invocations: %d barriers, %v, want %d", local, n.Barriers, err, want)
		}
	}
}

// Fits answers as a look at all resources does, whatever was taken or freed since it was asked.
func TestFitsFollowsEveryChange(t *testing.T) {
	l := limitsForTest()
	n := suite.Must(NewResources(&program.Program{Name: "main", WaveSize: 64, LocalSize: [3]uint32{64, 1, 1}, VectorRegs: 100, ScalarRegs: 1}, l))(t)
	table := NewResourceTable(l)
	check := func() bool {
		t.Helper()
		fits := table.findSpace(n)
		for range 2 { // the second time from the kept answer
			if table.Fits(n) != fits {
				t.Fatalf("a workgroup fits: %t, want %t", !fits, fits)
			}
		}
		return fits
	}
	var bases []uint32
	var simds []int
	for check() {
		bases = append(bases, table.TakeGroup(n))
		check()
		simds = append(simds, table.TakeWave(n))
	}
	for i, simd := range simds {
		table.FreeWave(simd, n)
		check()
		table.FreeGroup(bases[i], n)
		check()
	}
}
