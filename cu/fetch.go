package cu

import (
	"github.com/sarchlab/akita/v3/sim"

	"spvsim/engine"
	"spvsim/simd"
)

// instructionCache models an instruction cache: tags with the time of last use, in sets. A wave
// gets its delay at once when it enters a line: the cache has no events.
type instructionCache struct {
	engine.Base
	tags                  []uint32 // line number, 0 when empty; way w of set s is tags[s*ways+w]
	used                  []uint64
	ways                  int
	sets                  int
	hitCycles, missCycles uint64 // cycles
	clock                 uint64
	Hits                  uint64
	Misses                uint64
}

// Handle implements sim.Handler: the cache schedules no events.
func (*instructionCache) Handle(sim.Event) error { return nil }

func newInstructionCache(e *engine.Engine, name string, f *simd.FetchSpec) *instructionCache {
	base := engine.NewBase(e, name)
	if !f.Enabled {
		return &instructionCache{Base: base}
	}
	lines := f.Bytes / f.LineBytes
	return &instructionCache{
		Base: base,
		tags: make([]uint32, lines), used: make([]uint64, lines),
		ways: f.Ways, sets: lines / f.Ways,
		hitCycles: uint64(f.HitCycles), missCycles: uint64(f.MissCycles),
	}
}

// fetchLine returns the delay of a wave that enters a line.
func (f *instructionCache) fetchLine(line uint32) uint64 {
	if f.ways == 0 {
		return 0
	}
	f.CountReservation()
	f.clock++
	first := int(line) % f.sets * f.ways
	victim := first
	for i := first; i < first+f.ways; i++ {
		if f.tags[i] == line {
			f.used[i] = f.clock
			f.Hits++
			return f.hitCycles
		}
		if f.used[i] < f.used[victim] {
			victim = i
		}
	}
	f.tags[victim], f.used[victim] = line, f.clock
	f.Misses++
	return f.missCycles
}
