package hierarchy

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"spvsim/internal/spec"
	"spvsim/mem/dram"
)

// banked is device memory of a standard alone, of 16 channels.
func banked(standard string) (*dramChannels, *MemorySpec) {
	s := DefaultSpec().Memory
	d := DRAMSpec{Standard: standard, Queue: 64, Writes: 32, Drained: 8, HashBanks: true}
	return newDRAMChannels(&s, &d, 1000, new(uint64)), &s
}

// share is the part of the peak that a stream of lines gets, all of them asked for from the beginning.
func share(m *dramChannels, s *MemorySpec, lines int, kind func(i int) Kind) float64 {
	end := uint64(0)
	for i := range lines {
		ready, _ := m.transfer(0, 0, uint64(i)*64, 64, kind(i))
		end = max(end, ready-m.latency)
	}
	end = m.drain(end)
	return float64(lines) * 64 / s.BytesPerCycle / float64(s.Channels) / float64(end)
}

// Streams over all channels come near the peak and not beyond it; reads that writes mix with lose more.
func TestBankedStreams(t *testing.T) {
	for _, standard := range dram.Names() {
		reads := func(int) Kind { return Read }
		both := func(i int) Kind { return Kind(i / 4 % 2) }
		m, s := banked(standard)
		a := share(m, s, 100_000, reads)
		m, s = banked(standard)
		b := share(m, s, 100_000, both)
		t.Logf("%s: reads %.3f, reads and writes %.3f", standard, a, b)
		if a > 1 || a < 0.8 || b > a || b < 0.4 {
			t.Errorf("%s: reads get %.3f of the peak, reads and writes %.3f", standard, a, b)
		}
		if n := m.counter; n.Hits+n.Misses != n.Accesses || n.Bytes != n.Accesses*64 {
			t.Errorf("%s: found %+v", standard, n)
		}
	}
}

// A first read takes what the standard says, and the way there.
func TestBankedLatency(t *testing.T) {
	m, s := banked("HBM")
	ready, taken := m.transfer(1000, 0, 0, 32, Read)
	x := &dram.Standards[0].Timings
	least := 1000 + uint64(math.Ceil(x.RCDRD+x.CL)) + uint64(s.LatencyCycles)
	if slack := uint64(10); ready < least || ready > least+slack || taken != 1000 {
		t.Errorf("ready at %d, taken at %d: want %d to %d, 1000", ready, taken, least, least+slack)
	}
}

// A write queue can be drained: what stays in it is less than it holds. Without one, or without banks, nothing is asked.
func TestWriteQueuesCanBeDrained(t *testing.T) {
	for _, c := range []struct {
		standard        string
		writes, drained int
		ok              bool
	}{{"HBM3", 32, 31, true}, {"HBM3", 32, 32, false}, {"HBM3", 32, 33, false}, {"HBM3", 1, 0, true}, {"HBM3", 0, 8, true}, {"none", 8, 8, true}, {"", 8, 8, true}} {
		if got := (DRAMSpec{Standard: c.standard, Writes: c.writes, Drained: c.drained}).Check() == nil; got != c.ok {
			t.Errorf("%+v: accepted: %t", c, got)
		}
	}
}

// Of the 128 channels of an MI300, bits 8 to 11 of an address choose one of 16, and bits 12 to 14 with bits 19 to 21 and 26 to 28 which 16 (Linux,
// umc_v12_0.h, where 12 has 20 and 27, 13 has 21 and 28, 14 has 19 and 26). Slices of the last cache before memory, with one for each channel, are the
// same. The number of a slice in a cache before that one, and of a slice among fewer than channels, has higher bits folded into all of it.
func TestUnhashedChannels(t *testing.T) {
	s := DefaultSpec()
	s.Memory.Channels, s.Memory.InterleaveBytes, s.Memory.Unhashed = 128, 256, 16
	slice := func(name string) func(addr uint64) uint64 {
		levels := s.Levels()
		l := newLevel(levels[slices.Index(LevelNames, name)], &s, &spec.Shape{ClockMHz: 1000, ShaderEngines: 1, ComputeUnits: 1}, nil, new(uint64))
		return func(addr uint64) uint64 { i, _, _ := l.split(addr); return i }
	}
	sliced := CacheSpec{Bytes: 1 << 20, LineBytes: 128, Ways: 2, Slices: 128, InterleaveBytes: 256, Write: WriteBack}
	s.L2, s.MemorySide = sliced, CacheSpec{}
	lastL2 := slice("l2")
	s.MemorySide = sliced
	side, innerL2 := slice("memory_side"), slice("l2")
	s.MemorySide.Slices = 64
	fewer := slice("memory_side")
	m, r := newDevice(&s.Memory), rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		addr := r.Uint64N(1 << 33)
		bit := func(n uint) uint64 { return addr >> n & 1 }
		want := addr >> 8 & 127
		for ch, pa := range map[uint]uint{4: 19, 5: 20, 6: 21} {
			want ^= (bit(pa) ^ bit(pa+7)) << ch
		}
		_, channel := m.interleave.Split(addr)
		if side, l2 := side(addr), lastL2(addr); channel != want || side != want || l2 != want {
			t.Fatalf("%x: channel %d, slice %d, and %d where the L2 is the last cache, want %d", addr, channel, side, l2, want)
		}
		if got, want := innerL2(addr), (addr>>8^addr>>15^addr>>22)&127; got != want {
			t.Fatalf("%x: slice %d of the L2 before another cache, want %d", addr, got, want)
		}
		if got, want := fewer(addr), (addr>>8^addr>>14^addr>>20)&63; got != want {
			t.Fatalf("%x: slice %d of 64, want %d", addr, got, want)
		}
	}
}
