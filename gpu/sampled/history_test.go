package sampled

import (
	"testing"

	"spvsim/config"
	"spvsim/cu"
	"spvsim/mem"
)

// Caches fit a launch where they hold the lines of the one before it, or of one like that and of its size.
func TestCachesThatFit(t *testing.T) {
	s := &Sampler{Sampling: config.DefaultSampling()}
	like := func(share, size float64) signature { return signature{mix: mix{1: share, 2: 1 - share}, size: size} }
	on := func(addr uint64) *cu.KernelLaunch {
		return &cu.KernelLaunch{Bindings: &mem.Bindings{Descriptors: []mem.Descriptor{{Addr: addr}}}}
	}
	launch := func(addr uint64, share, size float64) preceding {
		return preceding{kernel: on(addr), like: like(share, size)}
	}
	held := launch(0, 1, 100)
	held.held = true
	for _, c := range []struct {
		name string
		ran  []preceding
		want bool
	}{
		{"nothing", nil, true},
		{"timed", []preceding{launch(8, 1, 100), held}, true},
		{"nothing known", []preceding{{held: true}, launch(0, 1, 100)}, false},
		{"ones like it", []preceding{held, launch(0, 1, 105), launch(0, 1, 100)}, true},
		{"a larger one", []preceding{held, launch(0, 1, 120)}, false},
		{"other behaviour", []preceding{held, launch(0, 0.5, 100), launch(0, 1, 100)}, false},
		{"other memory", []preceding{held, launch(8, 1, 100)}, false},
	} {
		var h history
		for _, p := range c.ran {
			h.ran(p)
		}
		if got := h.fits(s); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// Launches after others of another behaviour are a stratum of their own, whatever came before those.
func TestLaunchesAfterOthers(t *testing.T) {
	s := &Sampler{Sampling: config.DefaultSampling()}
	k := newKind(s.Sampling)
	var names string
	known := map[*alike]byte{}
	for _, what := range "ppphppphhp" {
		x := signature{mix: mix{1: 1}, size: 100}
		if what == 'h' {
			x.mix = mix{2: 1}
		}
		x.after = s.history.after(&x, s)
		a := k.launches.of(&x)
		if known[a] == 0 {
			known[a] = byte('A' + len(known))
		}
		names += string(known[a])
		s.history.ran(preceding{like: x, base: a.base})
	}
	if want := "AAABCAABDC"; names != want { // D: after one of its own
		t.Errorf("strata %s, want %s", names, want)
	}
}

// Launches of as many generations are counted together, and those without any for themselves.
func TestCostsByGenerations(t *testing.T) {
	a := newKind(config.DefaultSampling()).launches.of(&signature{size: 100, generations: 1})
	a.samples = []sample{{1000, 100}, {1100, 150}, {2000, 200}}
	add := func(n uint64, generations int) {
		a.count[0]++
		if a.rest[0] += n; generations > 0 {
			a.byGenerations.add(0, generations, n)
		}
	}
	sum := 0.0
	for generations, n := range []uint64{120, 110, 190} {
		add(n, generations)
		took, _ := a.cost(1, float64(n))
		sum += took
	}
	if got, _ := a.costOf(0); got != sum {
		t.Errorf("%g cycles, one by one %g", got, sum)
	}
}

// Between a launch that fits into a cache and a larger one that does not, anything is possible from the rate of the one to that of the other.
func TestSizesThatStepUp(t *testing.T) {
	s := &newKind(config.DefaultSampling()).launches
	a := s.of(&signature{size: 100})
	a.samples = []sample{{1000, 100}, {4000, 200}}
	took, open, within, ok := s.bySize(a, 150, nil)
	if took != 2500 || open != 750 || !within || !ok {
		t.Errorf("%g cycles +- %g, within: %v, %v: want 2500 +- 750, of the rates from 1500 to 3000", took, open, within, ok)
	}
}

// Windows that may be of one of two strata say what both take together: the estimate is between that and what their samples say.
func TestUnclearWindows(t *testing.T) {
	r := &newKind(config.DefaultSampling()).rows
	a, b := r.of(&signature{mix: mix{1: 1}, demand: demand{1: 1}}), r.of(&signature{mix: mix{1: 1}, demand: demand{1: 4}})
	far := r.of(&signature{mix: mix{2: 1}})
	for i, x := range []*alike{a, b, far} {
		x.samples = []sample{{float64(100 * (i + 1)), 100}}
		x.rest[0] = 1000
	}
	if more, half := r.moved(0); more != 0 || half != 0 {
		t.Errorf("%g +- %g without such windows", more, half)
	}
	r.eitherOf(a, b, sample{100, 100})
	r.eitherOf(b, a, sample{100, 100})
	if more, half := r.moved(0); more != -500 || half != 500 { // 3000 by the samples, 2000 by the windows
		t.Errorf("%g +- %g cycles, want -500 +- 500", more, half)
	}
}

// A wave with many times the instructions of others goes on when they have ended, between as fast as alone and as slowly as among others; one that is no
// longer than those at the end that was timed does not count again.
func TestTheLongestWaveEndsLate(t *testing.T) {
	a := &alike{}
	a.like.demand[demandLatency] = 0.1
	rate := func(*alike) float64 { return 0.5 } // cycles an instruction, of 100 waves: 50 for an instruction of each
	r := ran{{a, 10000, 100}, {a, 10000, 400}, {a, 10000, 100}}
	cycles, half := r.late(rate, 100, 100)
	// 10000 cycles are left when the second part begins: 200 instructions of its longest wave. 100 were timed, and 100 take 15 to 50 cycles each.
	if cycles != 3250 || half != 1750 {
		t.Errorf("%g +- %g cycles, want 3250 +- 1750", cycles, half)
	}
	if cycles, half := r[:1].late(rate, 100, 100); cycles != 0 || half != 0 {
		t.Errorf("%g +- %g cycles of waves as long as those that were timed", cycles, half)
	}
}
