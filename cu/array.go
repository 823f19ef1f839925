package cu

import (
	"fmt"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/account"
	"spvsim/cu/lookahead"
	"spvsim/engine"
	"spvsim/internal/spec"
	"spvsim/isa"
	"spvsim/simd"
)

// Never is later than every cycle that a run can reach.
const Never = engine.Never

// A SIMD knows no engine, and has the number for itself; this does not compile where the two differ.
var _ [engine.Never - simd.Never]struct{} = [0]struct{}{}

// maxLanes is the most lanes of a wave.
const maxLanes = 64

// Parts are what a compute unit needs from outside.
type Parts struct {
	Memory Memory
	LDS    LDS
	// MaxOutstanding is the most vector memory instructions of one wave in flight.
	MaxOutstanding int

	fetch *fetch
}

// An Array is all compute units of a machine, and what they have in common:
// register memory, the graph that runs, who listens. Each unit has its own
// events; those of one cycle go by the units' index.
type Array struct {
	Units []*ComputeUnit
	// Ahead runs the units.
	Ahead *lookahead.Units

	engine   *engine.Engine
	payloads Payloads // nil: no execution graph runs
	printer  Printer
	pool     *simd.Pool
	fetch    []*fetch // instruction caches
	ended    engine.Stock[WaveEnd]
	// Who places workgroups, and where the ends of waves go.
	dispatcher Dispatcher
	ends       *engine.Port
	steady     *Launch // of which loads from memory that does not change are known
	slots      slots
	trace      trace
	beside     bool // launches overlap: what one does not write another may
}

// Links are what compute units are connected to.
type Links struct {
	Engine  *engine.Engine
	Printer Printer // nil: no display
	// Parts makes the memory and LDS of a unit, by its name, its engine and its index there.
	Parts func(name string, engine, unit int) Parts
}

// A Printer shows a DebugPrint of a wave.
type Printer func(now uint64, w *simd.Wave, in *isa.Inst)

// New builds the compute units of a machine, from specs that have been checked.
func New(s *UnitSpec, shape *spec.Shape, links Links) *Array {
	a := &Array{Ahead: lookahead.New(links.Engine), engine: links.Engine, printer: links.Printer, pool: &simd.Pool{}}
	for i := range shape.Units() {
		e, unit := i/shape.ComputeUnits, i%shape.ComputeUnits
		name := fmt.Sprintf("SE[%d].CU[%d]", e, unit)
		parts := links.Parts(name, e, unit)
		k := 0 // which only counts where fetch takes time
		if s.Fetch.Enabled {
			k = shape.Instance(s.Fetch.SharedBy, e, unit)
		}
		for len(a.fetch) <= k {
			a.fetch = append(a.fetch, newFetch(a.engine, fmt.Sprintf("InstructionCache[%d]", len(a.fetch)), &s.Fetch))
		}
		parts.fetch = a.fetch[k]
		a.Units = append(a.Units, newUnit(name, i, s, shape, a, parts))
	}
	a.slots.begin(0, a.Units)
	return a
}

// InstructionCaches are those of the machine among its parts; none when fetch takes no time.
func (a *Array) InstructionCaches() (list []sim.Component) {
	for _, f := range a.fetch {
		if f.ways > 0 {
			list = append(list, f)
		}
	}
	return list
}

// Begin starts an accounting period at cycle now.
func (a *Array) Begin(now uint64) {
	a.pool.Drop()
	a.steady = nil
	a.slots.begin(now, a.Units)
}

// Serve says which graph workgroups are part of from now on, if any.
func (a *Array) Serve(p Payloads) { a.payloads = p }

// Beside says whether launches overlap from now on.
func (a *Array) Beside(b bool) { a.beside = b }

// A Dispatcher places workgroups on the units.
type Dispatcher interface {
	// MayPlace says whether a workgroup may be placed on a unit, by its index, before a wave of it ends.
	MayPlace(unit int) bool
	// Placing is how many cycles at least a workgroup that is placed is on its way.
	Placing() uint64
}

// Report says who places workgroups, and where those and their waves that end are told of.
func (a *Array) Report(d Dispatcher, to *engine.Port) { a.dispatcher, a.ends = d, to }

// Busy is for how many cycles units have had workgroups by now, added up over all units.
func (a *Array) Busy(now uint64) (sum uint64) {
	for _, u := range a.Units {
		sum += u.Busy(now)
	}
	return sum
}

// CatchUp lets all SIMDs take the turns before cycle now that they put off, for a look at their waves.
func (a *Array) CatchUp(now uint64) {
	for _, u := range a.Units {
		u.catchUp(now)
	}
}

// Watch says whether IssuedFrom is asked for from now on.
func (a *Array) Watch(issues bool) {
	for _, u := range a.Units {
		if u.shared.Recent = nil; issues {
			u.shared.Recent = simd.NewRecent(lookahead.MaxAhead)
		}
	}
}

// IssuedFrom is how many instructions of each class units issued from cycle now on, ahead of the engine; all that they issue before it has issued then.
func (a *Array) IssuedFrom(now uint64) (sum [isa.NumClasses]uint64) {
	a.Ahead.Join()
	a.CatchUp(now)
	for _, u := range a.Units {
		for class, n := range u.shared.Recent.From(now) {
			sum[class] += n
		}
	}
	return sum
}

// Settle charges the empty slots up to cycle end and adds up where all slot-cycles went.
func (a *Array) Settle(end uint64) account.SlotCycles {
	a.slots.settle(end, account.Empty)
	return a.slots.sum()
}

// Drain charges the slots, whose waves ended in cycle from or before, up to cycle end to stores that memory takes until then.
func (a *Array) Drain(from, end uint64) {
	a.slots.settle(from, account.Empty)
	a.slots.settle(end, account.MemoryWrite)
}

// ready readies a launch of which a workgroup comes, and the unit, to count and to load ahead of the engine.
func (a *Array) ready(u *ComputeUnit, l *Launch) {
	l.Code.Copies(a.Ahead.Copies())
	u.shared.LoadsAhead = u.runner.LoadsAhead() && a.payloads == nil && !a.beside
	if u.shared.LoadsAhead && l != a.steady {
		a.steady = l
		l.steady = l.Bindings.Steady(l.Code.Program.Insts)
	}
}
