package scheduler

import (
	"spvsim/cu"
	"spvsim/internal/spec"
)

// A placement picks the compute unit of a launch's next workgroup, by its index on the machine. It
// returns -1 if no unit that it tries has space. The dispatcher then asks again when a wave ends, or
// when the rates of the engines that it tried allow another workgroup.
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

	residency []cu.Residency // by compute unit; nil: all have space, and engines no rates
	full      []bool         // by engine and class: nothing fits until a wave of the engine ends
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
	index   int
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
		p.engines = append(p.engines, shaderEngine{index: i, arrays: arrays(i*shape.ComputeUnits, shape.ComputeUnits, s.ShaderArrays)})
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

// look starts a search for the next workgroup of an open launch.
func (p *placer) look(now uint64, o *open, l *Launch) {
	p.now, p.launch, p.class, p.allowed = now, l, o.first+l.Class, o.Units
	p.number, p.at = l.Placed, cu.Never
}

// inEngine returns a unit of an engine with space for the workgroup, or -1: the units of its arrays in turn.
func (p *placer) inEngine(i int) int {
	e := &p.engines[i]
	if p.residency == nil {
		return e.next()
	}
	full := &p.full[i*p.classes+p.class]
	switch {
	case *full:
		return -1
	case e.opensAt() > p.now:
		p.at = min(p.at, e.opensAt())
		return -1
	case p.launch.Unit >= 0:
		if p.fits(p.launch.Unit) {
			return p.launch.Unit
		}
		return -1
	}
	for range e.arrays {
		a := &e.arrays[rotate(&e.turn, len(e.arrays))]
		for range a.units {
			if unit := a.next(); p.fits(unit) {
				return unit
			}
		}
	}
	*full = true
	return -1
}

// fits reports whether a unit may take the workgroup and has space for it.
func (p *placer) fits(unit int) bool {
	return (p.allowed == nil || p.allowed[unit]) && p.residency[unit].Fits(p.launch.Code.Need)
}

// next returns the unit whose turn it is, of the array whose turn it is.
func (e *shaderEngine) next() int { return e.arrays[rotate(&e.turn, len(e.arrays))].next() }

// next returns the unit whose turn it is.
func (a *shaderArray) next() int { return a.first + rotate(&a.turn, a.units) }

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
	p, place := newPlacer(s, shape), placements[s.Placement()]
	var units []int32 // by workgroup, as far as any was asked for
	return func(index uint64) int {
		for ; p.number <= index; p.number++ {
			units = append(units, int32(place(&p)))
		}
		return int(units[index])
	}
}
