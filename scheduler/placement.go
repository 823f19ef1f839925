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
		if unit := p.inEngine(rotate(&p.turn, len(p.engines))); unit >= 0 {
			return unit
		}
	}
	return -1
}

// fixedOrder tries one engine: workgroup i of a launch goes to engine i modulo their number.
func fixedOrder(p *placer) int { return p.inEngine(int(p.number % uint64(len(p.engines)))) }

// A placer is the state of placement: whose turn it is, and the space of compute units.
type placer struct {
	engines []shaderEngine
	turn    int    // engine whose turn it is
	number  uint64 // of the workgroup in its launch, from 0

	residency []cu.ResourceTable // by compute unit; nil: all have space, and engines no rates
	full      []bool             // by engine and class: nothing fits until a wave of the engine ends
	classes   int

	// The workgroup's launch, and what it may use.
	now     uint64
	launch  *Launch
	class   int
	allowed []bool // compute units; nil: all
	at      uint64 // first cycle in which the rates of a tried engine allow a workgroup
}

// A shaderEngine is the dispatcher's view of one shader engine.
type shaderEngine struct {
	arrays  []shaderArray
	turn    int    // array whose turn it is
	groupAt uint64 // from when it may place the next workgroup, in fractions of a cycle
	waveAt  uint64 // from when it may start the next wave, in fractions of a cycle
	running int    // its workgroups
	ended   int    // since it was last empty: whose places have not been taken again
}

// A shaderArray is some of an engine's compute units. Workgroups go to an engine's arrays in turn, however many units these have.
type shaderArray struct {
	first, units int
	turn         int // unit whose turn it is
}

// newPlacer makes the placer of an idle machine in which all units have space.
func newPlacer(s *DispatcherSpec, shape *spec.Shape) (p placer) {
	for i := range shape.ShaderEngines {
		p.engines = append(p.engines, shaderEngine{arrays: arrays(i*shape.ComputeUnits, shape.ComputeUnits, s.ShaderArrays)})
	}
	return p
}

// arrays shares an engine's units out, as evenly as they can be; the first arrays have the odd ones.
func arrays(first, units, n int) (list []shaderArray) {
	for n = min(n, units); n > 0; n-- {
		share := (units + n - 1) / n
		list = append(list, shaderArray{first: first, units: share})
		first, units = first+share, units-share
	}
	return list
}

// beginSearch starts a search for the next workgroup of an open launch.
func (p *placer) beginSearch(now uint64, o *openSource, l *Launch) {
	p.now, p.launch, p.class, p.allowed = now, l, o.first+l.Class, o.Units
	p.number, p.at = l.Placed, cu.Never
}

// inEngine returns the unit of an engine that takes the workgroup, of its arrays in turn; -1: none does.
func (p *placer) inEngine(i int) int {
	if !p.accepts(i) {
		return -1
	}
	e := &p.engines[i]
	for range e.arrays {
		a := &e.arrays[rotate(&e.turn, len(e.arrays))]
		for range a.units {
			if unit := a.first + rotate(&a.turn, a.units); p.fits(unit) {
				return unit
			}
		}
	}
	p.full[i*p.classes+p.class] = true
	return -1
}

// accepts reports whether an engine may take the workgroup now, as far as its rates and what is known of its space go.
func (p *placer) accepts(i int) bool {
	if p.residency == nil {
		return true
	}
	if p.full[i*p.classes+p.class] {
		return false
	}
	at := p.engines[i].opensAt()
	if at > p.now {
		p.at = min(p.at, at)
	}
	return at <= p.now
}

// fits reports whether a unit may take the workgroup and has space for it.
func (p *placer) fits(unit int) bool {
	return p.residency == nil || (p.allowed == nil || p.allowed[unit]) && p.residency[unit].Fits(p.launch.Code.Resources)
}

// rotate returns whose turn it is, of n, and gives it to the next.
func rotate(turn *int, n int) (i int) {
	i = *turn
	if *turn++; *turn == n {
		*turn = 0
	}
	return i
}

// opensAt is the cycle from which the engine's rates allow another workgroup.
func (e *shaderEngine) opensAt() uint64 { return max(e.groupAt, e.waveAt) >> RateBits }

// UnitsInTurn returns a function from the index of a workgroup in its launch to the compute unit that
// the placement picks where all units have space. Functional runs bring their lines into that unit's caches.
func (s *DispatcherSpec) UnitsInTurn(shape *spec.Shape) func(index uint64) int {
	return unitsInTurn(placements[s.Placement()], newPlacer(s, shape), shape.ComputeUnits)
}

func unitsInTurn(place placement, p placer, perEngine int) func(index uint64) int {
	var units []int32 // by workgroup, as far as any was asked for
	return func(index uint64) int {
		for ; p.number <= index; p.number++ {
			unit := place(&p)
			p.engines[unit/perEngine].running++
			units = append(units, int32(unit))
		}
		return int(units[index])
	}
}
