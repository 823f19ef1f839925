package hierarchy

import (
	"math/rand/v2"
	"testing"

	"spvsim/internal/spec"
)

const (
	crossbarPorts   = 16
	crossbarService = 8 // cycles that a slice takes for a line
)

// crossbar is a machine of units that ask slices of a cache, as many, for lines that are there; one request of a unit is on
// its way at a time, and one waits at a slice.
func crossbar(credits int) *Analytic {
	s := tiny()
	s.VectorL1.Requests, s.VectorL1.LinkCredits = 8, credits
	s.VectorL1.LinkRead = 64 / crossbarService
	s.L2.Slices, s.L2.Bytes, s.L2.BytesPerCycle, s.L2.Requests = crossbarPorts, 1024*crossbarPorts, 64/crossbarService, 1
	f := NewAnalytic(&s, &spec.Shape{ShaderEngines: 1, ComputeUnits: crossbarPorts})
	for slice := range uint64(crossbarPorts) {
		f.Access(0, lineOf(0, slice))
	}
	return f
}

func lineOf(unit int, slice uint64) *Request {
	r := request(unit, Read, slice*64)
	r.Coherent = true
	return r
}

// shareServed returns what part of the slices' peak a number of units gets, each of which asks for one line after the other.
func shareServed(f *Analytic, units int, pick func(unit, n int) uint64) float64 {
	const from, requests = 10000, 2000 // of a unit
	next, done, n := make([]uint64, units), uint64(0), make([]int, units)
	for unit := range next {
		next[unit] = from
	}
	for range units * requests {
		first := 0
		for unit := range next {
			if next[unit] < next[first] {
				first = unit
			}
		}
		now := next[first]
		a := f.Access(now, lineOf(first, pick(first, n[first])))
		next[first], done = a.UnitFreeAt, max(done, a.ReadyAt)
		n[first]++
	}
	return float64(units*requests*crossbarService) / float64((done-from)*uint64(min(units, crossbarPorts)))
}

// cycleByCycle is the part of their peak that outputs of such a crossbar serve: each has one line that is served and one that waits; the
// first line of an input keeps those behind it, and an input sends no faster than an output serves.
func cycleByCycle(r *rand.Rand) float64 {
	const cycles = 200000
	var wants, sendsFrom, servedUntil, waiting [crossbarPorts]int
	for i := range wants {
		wants[i] = r.IntN(crossbarPorts)
	}
	total := 0
	for now := range cycles {
		for i := range waiting {
			if servedUntil[i] <= now && waiting[i] > 0 {
				servedUntil[i], waiting[i] = now+crossbarService, 0
				total++
			}
		}
		for _, i := range r.Perm(crossbarPorts) {
			if to := wants[i]; sendsFrom[i] <= now && waiting[to] == 0 {
				waiting[to], sendsFrom[i], wants[i] = 1, now+crossbarService, r.IntN(crossbarPorts)
				if servedUntil[to] <= now {
					servedUntil[to], waiting[to] = now+crossbarService, 0
					total++
				}
			}
		}
	}
	return float64(total*crossbarService) / (cycles * crossbarPorts)
}

// Units that ask for lines of slices at random get what a crossbar whose inputs are queues gives, not the peak (M. Karol, M. Hluchyj,
// S. Morgan, 1987: 0.586 without the place at an output); one unit, and units that never ask for the same slice at a time, get all.
func TestHeadOfLineBlocking(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func(int, int) uint64 { return r.Uint64N(crossbarPorts) }
	want := cycleByCycle(rand.New(rand.NewPCG(3, 4)))
	if got := shareServed(crossbar(1), crossbarPorts, random); got < want-0.05 || got > want+0.05 {
		t.Errorf("random slices: %.3f of the peak, want %.3f as cycle by cycle", got, want)
	}
	if got := shareServed(crossbar(0), crossbarPorts, random); got < 0.9 {
		t.Errorf("random slices, without a limit of what is on the way: %.3f of the peak, want nearly all", got)
	}
	for name, pick := range map[string]func(unit, n int) uint64{
		"each unit a slice of its own": func(unit, _ int) uint64 { return uint64(unit) },
		"in turns":                     func(unit, n int) uint64 { return uint64(unit+n) % crossbarPorts },
	} {
		if got := shareServed(crossbar(1), crossbarPorts, pick); got < 0.97 {
			t.Errorf("%s: %.3f of the peak, want all", name, got)
		}
	}
	if got := shareServed(crossbar(1), 1, func(int, int) uint64 { return 0 }); got < 0.97 {
		t.Errorf("one unit: %.3f of a slice's peak, want all", got)
	}
}
