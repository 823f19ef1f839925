package sampled

import (
	"testing"

	"spvsim/config"
	"spvsim/cu"
	"spvsim/mem"
)

// Caches match if every launch since the cached one has its behaviour, size and memory.
func TestCachesMatch(t *testing.T) {
	s := &Sampler{Sampling: config.DefaultSampling()}
	signatureOf := func(share, size float64) signature { return signature{mix: mix{1: share, 2: 1 - share}, size: size} }
	on := func(addr uint64) *cu.KernelLaunch {
		return &cu.KernelLaunch{Bindings: &mem.Bindings{Descriptors: []mem.Descriptor{{Addr: addr}}}}
	}
	launch := func(addr uint64, share, size float64) preceding {
		return preceding{kernel: on(addr), signature: signatureOf(share, size)}
	}
	held := launch(0, 1, 100)
	held.cached = true
	for _, c := range []struct {
		name     string
		launches []preceding
		want     bool
	}{
		{"nothing", nil, true},
		{"timed", []preceding{launch(8, 1, 100), held}, true},
		{"nothing known", []preceding{{cached: true}, launch(0, 1, 100)}, false},
		{"ones like it", []preceding{held, launch(0, 1, 105), launch(0, 1, 100)}, true},
		{"a larger one", []preceding{held, launch(0, 1, 120)}, false},
		{"other behaviour", []preceding{held, launch(0, 0.5, 100), launch(0, 1, 100)}, false},
		{"other memory", []preceding{held, launch(8, 1, 100)}, false},
	} {
		var h history
		for _, p := range c.launches {
			h.record(p)
		}
		if got := h.cachesMatch(s); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// Launches after one of other behaviour form a stratum of their own, whatever preceded that one.
func TestPrecedingLaunch(t *testing.T) {
	s := &Sampler{Sampling: config.DefaultSampling()}
	k := &kind{launches: strata{Sampling: s.Sampling}}
	var names string
	known := map[*stratum]byte{}
	for _, what := range "ppphppphhp" {
		x := signature{mix: mix{1: 1}, size: 100}
		if what == 'h' {
			x.mix = mix{2: 1}
		}
		x.preceding = s.history.otherPreceding(&x, s)
		a := k.launches.stratumOf(&x)
		if known[a] == 0 {
			known[a] = byte('A' + len(known))
		}
		names += string(known[a])
		s.history.record(preceding{signature: x, base: a.base})
	}
	if want := "AAABCAABDC"; names != want { // D: after one of its own
		t.Errorf("strata %s, want %s", names, want)
	}
}

// After a replay the caches hold the lines of the last launch that was replayed, not those of one whose memory cannot be
// restored.
func TestReplayOfRestorableLaunches(t *testing.T) {
	l := newTestLaunch(t, 64)
	m := l.machine()
	free := uint64(0)
	m.FreeBytes = func() uint64 { return free }
	s := New(m, config.DefaultSampling())
	launch := func(size float64) preceding {
		x := signature{mix: mix{1: 1}, size: size}
		x.demand[demandLevels] = 1
		return preceding{launch: l, kernel: l.kernel, signature: x}
	}
	for _, c := range []struct {
		free     uint64
		sizes    []float64 // of launches; one of size 1 writes too much memory for its instructions
		cached   float64
		uncached int
	}{{0, []float64{5e4}, 0, 1}, {1 << 20, []float64{5e4}, 5e4, 0}, {1 << 20, []float64{1, 5e4}, 5e4, 0}, {1 << 20, []float64{5e4, 1}, 5e4, 1}} {
		free, s.history = c.free, history{}
		s.machine.Functional.(*testLaunch).executed = 1e9
		for _, size := range c.sizes {
			s.history.record(launch(size))
		}
		other := *l.kernel
		other.Code = nil // another program
		if err := s.replayPreceding(&other); err != nil {
			t.Fatal(err)
		}
		if h := &s.history; h.cached.signature.size != c.cached || len(h.uncached) != c.uncached {
			t.Errorf("%+v: the caches hold the lines of size %g, %d launches since", c, h.cached.signature.size, len(h.uncached))
		}
	}
}
