package scheduler

import (
	"spvsim/cu"
	"spvsim/internal/spec"
)

// A placement picks the compute unit of a launch's next workgroup, by its index on the machine. It
// returns -1 if no unit that it tries has space. The dispatcher then asks again when a wave ends, or
// when the rates of the engines that it tried allow another workgroup. It may try only engines that
// accept a workgroup, and units that fit: inEngine does both.
type placement func(p *placer) int

// placements by name. Timed runs and functional runs that warm caches (UnitsInTurn) use the same functions.
var placements = map[string]placement{
	"round-robin": roundRobin,
	"fixed-order": fixedOrder,
}

// Placement names the placement that the description chooses.
func (s *DispatcherSpec) Placement() string {
	if s.FixedOrder {
		return "fixed-order"
	}
	return "round-robin"
}

// roundRobin tries all shader engines in turn, from the one after the last that was tried.
func roundRobin(p *placer) int {
	for range p.engines {
		if unit := p.inEngine(rotate(&p.nextEngine, len(p.engines))); unit >= 0 {
			return unit
		}
	}
	return -1
}

// fixedOrder tries one engine: workgroup i of a launch goes to engine i modulo their number.
func fixedOrder(p *placer) int { return p.inEngine(int(p.number % uint64(len(p.engines)))) }

// A placer holds the state of placement: the turns of engines, arrays and units, and the free resources of units.
type placer struct {
	engines    []shaderEngine
	nextEngine int    // engine whose turn it is
	number     uint64 // of the workgroup in its launch, from 0

	residency []cu.ResourceTable // by compute unit; nil: all have space and no rate limits
	full      []bool             // by engine and class: no unit has space until a wave of the engine ends
	classes   int

	// The launch of the current search.
	now     uint64
	launch  *GridLaunch
	class   int
	allowed []bool // compute units; nil: all
	retryAt uint64 // first cycle in which the rates of an engine tried allow a workgroup
}

// A shaderEngine holds the dispatcher's state of one shader engine.
type shaderEngine struct {
	arrays     []shaderArray
	nextArray  int    // array whose turn it is
	groupAt    uint64 // time from which it may place a workgroup, in 1/2^RateBits cycles
	waveAt     uint64 // time from which it may start a wave, in 1/2^RateBits cycles
	running    int    // resident workgroups
	unreplaced int    // workgroups that ended and were not replaced, since it was last empty
}

// A shaderArray is a range of an engine's compute units. Arrays of an engine take turns, whatever their sizes.
type shaderArray struct {
	first, units int
	nextUnit     int // unit whose turn it is
}

// newPlacer returns the placer of an empty machine without limits of space.
func newPlacer(s *DispatcherSpec, shape *spec.Shape) (p placer) {
	for i := range shape.ShaderEngines {
		p.engines = append(p.engines, shaderEngine{arrays: arrays(i*shape.ComputeUnits, shape.ComputeUnits, s.ShaderArrays)})
	}
	return p
}

// arrays divides units into n arrays as evenly as possible, larger ones first: 10 units in 4 arrays are 3, 3, 2, 2.
func arrays(first, units, n int) (list []shaderArray) {
	for n = min(n, units); n > 0; n-- {
		share := (units + n - 1) / n
		list = append(list, shaderArray{first: first, units: share})
		first, units = first+share, units-share
	}
	return list
}

// beginSearch starts a search for the next workgroup of a launch.
func (p *placer) beginSearch(now uint64, o *openSource, l *GridLaunch) {
	p.now, p.launch, p.class, p.allowed = now, l, o.firstClass+l.Class, o.Units
	p.number, p.retryAt = l.PlacedWorkgroups, cu.Never
}

// inEngine returns a unit of an engine with space for the workgroup, or -1. Arrays take turns, and so do the units of
// each.
func (p *placer) inEngine(i int) int {
	if !p.accepts(i) {
		return -1
	}
	e := &p.engines[i]
	for range e.arrays {
		a := &e.arrays[rotate(&e.nextArray, len(e.arrays))]
		for range a.units {
			if unit := a.first + rotate(&a.nextUnit, a.units); p.fits(unit) {
				return unit
			}
		}
	}
	p.full[i*p.classes+p.class] = true
	return -1
}

// accepts reports whether the rates of an engine allow a workgroup now, and no earlier search found its units full.
func (p *placer) accepts(i int) bool {
	if p.residency == nil {
		return true
	}
	if p.full[i*p.classes+p.class] {
		return false
	}
	at := p.engines[i].opensAt()
	if at > p.now {
		p.retryAt = min(p.retryAt, at)
	}
	return at <= p.now
}

// fits reports whether the launch may use a unit that has space for the workgroup.
func (p *placer) fits(unit int) bool {
	return p.residency == nil || (p.allowed == nil || p.allowed[unit]) && p.residency[unit].Fits(p.launch.Code.Resources)
}

// rotate returns the current turn of n and advances it.
func rotate(turn *int, n int) (i int) {
	i = *turn
	if *turn++; *turn == n {
		*turn = 0
	}
	return i
}

// opensAt returns the cycle from which the engine's rates allow another workgroup.
func (e *shaderEngine) opensAt() uint64 { return max(e.groupAt, e.waveAt) >> RateBits }

// UnitsInTurn returns a function from the index of a workgroup to its compute unit if no unit were ever full.
// Functional warming uses it.
func (s *DispatcherSpec) UnitsInTurn(shape *spec.Shape) func(index uint64) int {
	return unitsInTurn(placements[s.Placement()], newPlacer(s, shape), shape.ComputeUnits)
}

func unitsInTurn(place placement, p placer, perEngine int) func(index uint64) int {
	var units []int32 // by workgroup, up to the largest index asked for
	return func(index uint64) int {
		for ; p.number <= index; p.number++ {
			unit := place(&p)
			p.engines[unit/perEngine].running++
			units = append(units, int32(unit))
		}
		return int(units[index])
	}
}
