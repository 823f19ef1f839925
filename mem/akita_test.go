package mem

import (
	"testing"

	"github.com/sarchlab/akita/v3/sim"
)

// compared is a machine that both models build: the latencies of each level are
// large against the few cycles that Akita's message hops add.
func compared() Spec {
	s := DefaultSpec()
	s.Engines, s.ComputeUnits = 1, 4
	s.L2.InterleaveBytes = 256
	return s
}

// A driver issues each request when the one depended on has completed.
type driver struct {
	h      Hierarchy
	engine sim.Engine
	ready  map[uint64]uint64 // completion cycle by token
}

func newDriver(t *testing.T, akita bool) *driver {
	t.Helper()
	d := &driver{engine: sim.NewSerialEngine(), ready: map[uint64]uint64{}}
	var err error
	if akita {
		d.h, err = NewAkita(d.engine, 1*sim.GHz, compared())
	} else {
		d.h, err = NewFast(compared())
	}
	if err != nil {
		t.Fatal(err)
	}
	for cu := range 4 {
		d.h.OnComplete(cu, func(token, now uint64) { d.ready[token] = now })
	}
	return d
}

// issue sends a read of one line and runs the machine until nothing is pending
// when wait is set.
func (d *driver) issue(t *testing.T, now, token uint64, cu int, kind Kind, addr uint64, wait bool) uint64 {
	t.Helper()
	r := request(cu, kind, addr)
	r.Token = token
	reply := d.h.Access(now, r)
	if !reply.Pending {
		d.ready[token] = reply.Ready
	}
	if wait {
		if err := d.engine.Run(); err != nil {
			t.Fatal(err)
		}
	}
	return d.ready[token]
}

// chase follows n dependent lines, each a stride apart.
func (d *driver) chase(t *testing.T, n int, stride, span uint64) uint64 {
	now := uint64(0)
	for i := range uint64(n) {
		now = d.issue(t, now, i+1, 0, Read, 1<<20+i*stride%span, true)
	}
	return now
}

// stream issues n independent lines from four compute units at once.
func (d *driver) stream(t *testing.T, n int, kind Kind) (last uint64) {
	for i := range uint64(n) {
		d.issue(t, 0, i+1, int(i%4), kind, 1<<20+i*64, false)
	}
	if err := d.engine.Run(); err != nil {
		t.Fatal(err)
	}
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
		{"stream of reads", func(d *driver) uint64 { return d.stream(t, 4000, Read) }},
		{"stream of writes", func(d *driver) uint64 { return d.stream(t, 4000, Write) }},
	}
	for _, p := range patterns {
		fast, akita := float64(p.run(newDriver(t, false))), float64(p.run(newDriver(t, true)))
		t.Logf("%s: fast %.0f cycles, akita %.0f: %.2f", p.name, fast, akita, akita/fast)
		if akita > fast*factor || fast > akita*factor {
			t.Errorf("%s: fast %.0f cycles, akita %.0f: more than a factor of %g", p.name, fast, akita, factor)
		}
	}
}

// TestAkitaCompletesEverything: atomics, coherent and scalar requests, after a
// kernel boundary too.
func TestAkitaCompletesEverything(t *testing.T) {
	d := newDriver(t, true)
	now := uint64(0)
	for i, r := range []*Request{
		{Kind: Atomic, Lines: []Line{{Addr: 1 << 20, Bytes: 64, Serial: 9}}},
		{Kind: Read, Coherent: true, Lines: []Line{{Addr: 1 << 20, Bytes: 64}}},
		{Kind: Read, Scalar: true, Lines: []Line{{Addr: 1 << 20, Bytes: 4}}},
		{Kind: Write, Lines: []Line{{Addr: 1 << 20, Bytes: 4}, {Addr: 1<<20 + 64, Bytes: 64}}},
	} {
		r.Token = uint64(i + 1)
		if reply := d.h.Access(now, r); !reply.Pending {
			t.Errorf("request %d is not pending", i)
		}
		if err := d.engine.Run(); err != nil {
			t.Fatal(err)
		}
		if d.ready[r.Token] <= now {
			t.Fatalf("request %d: completed at %d, asked at %d", i, d.ready[r.Token], now)
		}
		now = d.ready[r.Token]
	}
	cycles := func(token uint64) uint64 {
		start := uint64(float64(d.engine.CurrentTime())*1e9 + 0.5)
		return d.issue(t, start, token, 0, Read, 1<<21, true) - start
	}
	cold, hit := cycles(10), cycles(11)
	d.h.KernelBoundary()
	l2 := cycles(12)
	if hit >= 80 || l2 <= 140 || cold <= 300 {
		t.Errorf("cold %d cycles, hit %d, after a kernel boundary %d; want about 310, 65 and 150", cold, hit, l2)
	}
}

// TestCountersAgree: on dependent reads both models count the same.
func TestCountersAgree(t *testing.T) {
	var counts [2][]Counter
	for i := range counts {
		d := newDriver(t, i == 1)
		d.chase(t, 3000, 64, 64<<10)
		counts[i] = d.h.Counters()
	}
	for i, want := range counts[0] {
		if got := counts[1][i]; got != want {
			t.Errorf("akita %+v, fast %+v", got, want)
		}
	}
}

func TestAkitaRefusesByName(t *testing.T) {
	s := compared()
	s.VectorL1.LineBytes = 128
	if _, err := NewAkita(sim.NewSerialEngine(), 1*sim.GHz, s); err == nil {
		t.Error("an L2 line smaller than the L1's was accepted")
	}
}
