//go:build akita

package akita

import (
	"math/rand/v2"
	"testing"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/internal/spec"
	"spvsim/internal/suite"
	"spvsim/internal/timing"
	"spvsim/mem/hierarchy"
)

// compared is a machine that both models build: the latencies of each level are
// large against the few cycles that Akita's message hops add.
func compared() hierarchy.Spec {
	s := hierarchy.DefaultSpec()
	s.L2.InterleaveBytes = 256
	return s
}

// fourUnits share an engine.
func fourUnits() *spec.Shape { return &spec.Shape{ClockMHz: 1000, ShaderEngines: 1, ComputeUnits: 4} }

// A driver issues each request when the one depended on has completed.
type driver struct {
	h      hierarchy.Model
	engine sim.Engine
	ready  map[uint64]uint64 // completion cycle by token
}

func newDriver(t *testing.T, akita bool) *driver {
	t.Helper()
	if akita {
		return newDriverOf(t, compared())
	}
	s := compared()
	return &driver{h: hierarchy.NewAnalytic(&s, fourUnits()), engine: sim.NewSerialEngine(), ready: map[uint64]uint64{}}
}

// newDriverOf drives the model akita of a machine.
func newDriverOf(t *testing.T, s hierarchy.Spec) *driver {
	t.Helper()
	d := &driver{engine: sim.NewSerialEngine(), ready: map[uint64]uint64{}}
	d.h = suite.Must(New(d.engine, &s, fourUnits()))(t)
	for cu := range 4 {
		d.h.OnComplete(cu, func(token, now uint64) { d.ready[token] = now })
	}
	return d
}

// issue sends a read of one line and runs the machine until nothing is pending
// when wait is set.
func (d *driver) issue(t *testing.T, now, token uint64, cu int, kind hierarchy.Kind, addr uint64, wait bool) uint64 {
	t.Helper()
	r := lineRequest(cu, kind, addr)
	r.Token = token
	reply := d.h.Access(now, r)
	if reply.Completion == timing.KnownAtIssue {
		d.ready[token] = reply.ReadyAt
	}
	if wait {
		suite.OK(t, d.engine.Run())
	}
	return d.ready[token]
}

// chase follows n dependent lines, each a stride apart.
func (d *driver) chase(t *testing.T, n int, stride, span uint64) uint64 {
	now := uint64(0)
	for i := range uint64(n) {
		now = d.issue(t, now, i+1, 0, hierarchy.Read, 1<<20+i*stride%span, true)
	}
	return now
}

// stream issues n independent lines from four compute units at once.
func (d *driver) stream(t *testing.T, n int, kind hierarchy.Kind) (last uint64) {
	for i := range uint64(n) {
		d.issue(t, 0, i+1, int(i%4), kind, 1<<20+i*64, false)
	}
	suite.OK(t, d.engine.Run())
	for i := range uint64(n) {
		if d.ready[i+1] == 0 {
			t.Fatalf("line %d never came", i)
		}
		last = max(last, d.ready[i+1])
	}
	return last
}

// TestModelsAgree: patterns that one level or one bandwidth decides come out
// within a factor of 1.25 of each other.
func TestModelsAgree(t *testing.T) {
	const factor = 1.25
	patterns := []struct {
		name string
		run  func(d *driver) uint64
	}{
		{"chase in L1", func(d *driver) uint64 { return d.chase(t, 400, 64, 4096) }},
		{"chase in L2", func(d *driver) uint64 { return d.chase(t, 4000, 64, 64<<10) }},
		{"chase in memory", func(d *driver) uint64 { return d.chase(t, 400, 4096, 1<<30) }},
		{"stream of reads", func(d *driver) uint64 { return d.stream(t, 4000, hierarchy.Read) }},
		{"stream of writes", func(d *driver) uint64 { return d.stream(t, 4000, hierarchy.Write) }},
	}
	for i, p := range patterns {
		if testing.Short() && i%3 == 1 {
			continue
		}
		fast, akita := float64(p.run(newDriver(t, false))), float64(p.run(newDriver(t, true)))
		t.Logf("%s: fast %.0f cycles, akita %.0f: %.2f", p.name, fast, akita, akita/fast)
		if akita > fast*factor || fast > akita*factor {
			t.Errorf("%s: fast %.0f cycles, akita %.0f: more than a factor of %g", p.name, fast, akita, factor)
		}
	}
}

// TestModelsAgreeOnUnhashedChannels: lines that the lower bits of their addresses put into one channel, or into one slice of the last cache where it
// has a slice for each channel, take the time of that one where no higher bits choose among channels, and half of it at most where they do.
func TestModelsAgreeOnUnhashedChannels(t *testing.T) {
	const n, channels, unit = 1024, 16, 256
	for _, slow := range []string{"channels", "slices"} { // at a byte a cycle
		for _, unhashed := range []int{0, channels} {
			s := compared()
			s.Memory.Channels, s.Memory.InterleaveBytes, s.Memory.Unhashed, s.L2.Slices, s.L2.InterleaveBytes = channels, unit, unhashed, channels, unit
			if slow == "channels" {
				s.Memory.BytesPerCycle, s.L2.Slices = 1, 1
			} else {
				s.L2.BytesPerCycle = 1
			}
			for model, d := range map[string]*driver{"akita": newDriverOf(t, s),
				"fast": {h: hierarchy.NewAnalytic(&s, fourUnits()), engine: sim.NewSerialEngine(), ready: map[uint64]uint64{}}} {
				cycles := uint64(0)
				for i := range uint64(n) {
					d.issue(t, 0, i+1, int(i%4), hierarchy.Read, 1<<24+i*channels*unit, false)
				}
				suite.OK(t, d.engine.Run())
				for _, at := range d.ready {
					cycles = max(cycles, at)
				}
				one := uint64(n * s.L2.LineBytes) // cycles of one channel or slice
				t.Logf("%s, %s of 1 byte a cycle, %d unhashed channels: %d cycles, of one alone %d", model, slow, unhashed, cycles, one)
				if unhashed == 0 && cycles > one/2 || unhashed > 0 && (cycles < one || cycles > one+one/20) {
					t.Errorf("%s, %s of 1 byte a cycle, %d unhashed channels: %d cycles, of one alone %d", model, slow, unhashed, cycles, one)
				}
			}
		}
	}
}

// TestAkitaCompletesEverything: atomics, coherent and scalar requests, after a
// kernel boundary too.
func TestAkitaCompletesEverything(t *testing.T) {
	d := newDriver(t, true)
	now := uint64(0)
	for i, r := range []*hierarchy.Request{
		{Kind: hierarchy.Atomic, Lines: []hierarchy.Line{{Addr: 1 << 20, Bytes: 64, Serial: 9}}},
		{Kind: hierarchy.Read, Coherent: true, Lines: []hierarchy.Line{{Addr: 1 << 20, Bytes: 64}}},
		{Kind: hierarchy.Read, Scalar: true, Lines: []hierarchy.Line{{Addr: 1 << 20, Bytes: 4}}},
		{Kind: hierarchy.Write, Lines: []hierarchy.Line{{Addr: 1 << 20, Bytes: 4}, {Addr: 1<<20 + 64, Bytes: 64}}},
	} {
		r.Token = uint64(i + 1)
		if reply := d.h.Access(now, r); reply.Completion == timing.KnownAtIssue {
			t.Errorf("request %d is not pending", i)
		}
		suite.OK(t, d.engine.Run())
		if d.ready[r.Token] <= now {
			t.Fatalf("request %d: completed at %d, asked at %d", i, d.ready[r.Token], now)
		}
		now = d.ready[r.Token]
	}
	cycles := func(token uint64) uint64 {
		start := uint64(float64(d.engine.CurrentTime())*1e9 + 0.5)
		return d.issue(t, start, token, 0, hierarchy.Read, 1<<21, true) - start
	}
	cold, hit := cycles(10), cycles(11)
	d.h.KernelBoundary()
	l2 := cycles(12)
	if hit >= 80 || l2 <= 130 || cold <= 290 {
		t.Errorf("cold %d cycles, hit %d, after a kernel boundary %d; want about 300, 60 and 140", cold, hit, l2)
	}
	for _, f := range d.h.(*Memory).fronts {
		if f != nil && len(f.flight) != 0 {
			t.Errorf("unit %d waits for %d messages that were answered", f.cu, len(f.flight))
		}
	}
}

// TestCountersAgree: on dependent reads both models count the same. Akita's links are not counted.
func TestCountersAgree(t *testing.T) {
	var counts [2][]hierarchy.Counter
	for i := range counts {
		d := newDriver(t, i == 1)
		d.chase(t, 3000, 64, 64<<10)
		counts[i] = d.h.Counters()
	}
	for i, want := range counts[0] {
		want.LinkRead, want.LinkWritten = 0, 0
		if got := counts[1][i]; got != want {
			t.Errorf("akita %+v, fast %+v", got, want)
		}
	}
}

// everywhere is what the presets differ by, and more: lines that are larger
// than those of the level behind, sliced caches that do not keep stores, slices
// of no power of two, first levels that keep stores, levels that are none.
var everywhere = []struct {
	name   string
	change func(s *hierarchy.Spec)
}{
	{"as it is", func(*hierarchy.Spec) {}},
	{"larger lines before smaller ones", func(s *hierarchy.Spec) { s.VectorL1.LineBytes = 256 }},
	{"smaller lines before larger ones", func(s *hierarchy.Spec) { s.L2.LineBytes, s.L2.Bytes, s.ScalarL1.LineBytes = 256, 64<<10, 32 }},
	{"sliced shader array", func(s *hierarchy.Spec) {
		s.ShaderArray = hierarchy.CacheSpec{Bytes: 12 << 10, LineBytes: 128, Ways: 4, Slices: 3, SharedBy: 2,
			LatencyCycles: 30, BytesPerCycle: 64, Misses: 8}
	}},
	{"memory-side cache of six slices", func(s *hierarchy.Spec) {
		s.L2.SharedBy, s.L2.Slices, s.L2.Bytes = 1, 3, 12<<10
		s.MemorySide = hierarchy.CacheSpec{Bytes: 24 << 10, LineBytes: 128, Ways: 4, Slices: 6, InterleaveBytes: 256,
			LatencyCycles: 50, BytesPerCycle: 32, Write: hierarchy.WriteBack, WriteAllocate: true}
	}},
	{"first level keeps stores", func(s *hierarchy.Spec) { s.VectorL1.Write, s.VectorL1.WriteAllocate = hierarchy.WriteBack, true }},
	{"first level allocates", func(s *hierarchy.Spec) { s.VectorL1.WriteAllocate = true }},
	{"no second level", func(s *hierarchy.Spec) { s.L2.Bytes = 0 }},
	{"one slice of few sets behind a wide path", func(s *hierarchy.Spec) {
		s.VectorMemory.LinesPerCycle, s.L2.Slices, s.L2.BytesPerCycle = 4, 1, 512
	}},
	{"few misses", func(s *hierarchy.Spec) { s.VectorL1.Misses, s.L2.Misses, s.ScalarL1.Misses = 1, 1, 1 }},
}

// TestAkitaNeverStops: lines that fight for few sets, read and stored in parts
// by all compute units at once, all come in the end. Caches of one set a slice
// evict what is on its way to be read again.
func TestAkitaNeverStops(t *testing.T) {
	for _, e := range everywhere {
		t.Run(e.name, func(t *testing.T) {
			s := compared()
			s.VectorL1.Bytes, s.ScalarL1.Bytes, s.L2.Bytes = 1<<10, 1<<10, 16<<10
			e.change(&s)
			d := newDriverOf(t, s)
			n := fights
			switch {
			case testing.Short():
				n /= 8
			case !suite.AllCases():
				n /= 2
			}
			fight(d, n)
			suite.OK(t, d.engine.Run())
			if len(d.ready) != n {
				t.Errorf("%d of %d requests completed", len(d.ready), n)
			}
			if a := d.h.(*Memory); a.pending != 0 || a.Stuck(1<<40) {
				t.Errorf("%d requests are pending", a.pending)
			}
		})
	}
}

const fights = 2000

func fight(d *driver, n int) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		lines := make([]hierarchy.Line, 1+r.IntN(3))
		for j := range lines {
			lines[j] = hierarchy.Line{Addr: 1<<20 + r.Uint64N(1<<9)*256, Bytes: 4 << r.IntN(7), Serial: uint32(r.IntN(2))}
		}
		kind := hierarchy.Kind(r.IntN(8))
		if kind > hierarchy.Atomic {
			kind = hierarchy.Write
		}
		d.h.Access(0, &hierarchy.Request{CU: r.IntN(4), Kind: kind, Scalar: kind == hierarchy.Read && r.IntN(4) == 0, Coherent: r.IntN(8) == 0,
			Lines: lines, Token: uint64(i + 1)})
	}
}

// TestStuck: a request that is never answered is noticed, after its patience
// and not before.
func TestStuck(t *testing.T) {
	a := newDriver(t, true).h.(*Memory)
	if a.Stuck(1 << 40) {
		t.Error("stuck with nothing to wait for")
	}
	a.Access(100, lineRequest(0, hierarchy.Read, 1<<20)) // the engine does not run
	if a.Stuck(100+a.stuckAfter) || !a.Stuck(101+a.stuckAfter) {
		t.Errorf("want stuck from cycle %d on", 101+a.stuckAfter)
	}
}

// lineRequest asks for a whole line.
func lineRequest(cu int, kind hierarchy.Kind, addr uint64) *hierarchy.Request {
	return &hierarchy.Request{CU: cu, Kind: kind, Busy: 1, Lines: []hierarchy.Line{{Addr: addr, Bytes: 64, Words: 1<<16 - 1}}}
}
