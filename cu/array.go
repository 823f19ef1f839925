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

// UnitParts are the parts of the machine that a compute unit is connected with.
type UnitParts struct {
	Memory Memory
	LDS    LDS
	// MaxOutstanding is the most vector memory instructions of one wave in flight.
	MaxOutstanding int

	instructionCache *instructionCache
}

// ComputeUnits are all compute units of a machine, with what they share:
// register memory, the graph that runs, the tracer. Each unit has its own
// events; those of one cycle go by the units' index.
type ComputeUnits struct {
	Units []*ComputeUnit
	// Ahead runs the units.
	Ahead *lookahead.Units

	engine            *engine.Engine
	payloads          Payloads // nil: no execution graph runs
	printer           Printer
	pool              *simd.RegisterPool
	instructionCaches []*instructionCache // instruction caches
	waveEndPool       engine.Pool[WaveEnd]
	// Who places workgroups, and where the ends of waves go.
	dispatcher     Dispatcher
	waveEndPort    *engine.Port
	readOnlyLaunch *KernelLaunch // the launch whose read-only loads are known
	slots          slots
	trace          trace
	unitGate       uint64 // cycles until a unit without a workgroup is gated
	engines        []*activity
	concurrent     bool // launches overlap, so memory that this launch only reads may be written by another
}

// Links connect compute units with the rest of the machine.
type Links struct {
	Engine  *engine.Engine
	Printer Printer // nil: no display
	// UnitGate and EngineGate are the cycles until a unit without a workgroup, or an engine without one, is gated.
	UnitGate, EngineGate uint64
	// NewUnitParts makes the memory and LDS of a unit, by its name, its engine and its index there.
	NewUnitParts func(name string, engine, unit int) UnitParts
}

// A Printer shows a DebugPrint of a wave.
type Printer func(now uint64, w *simd.Wave, in *isa.Inst)

// New builds the compute units of a machine, from specs that have been checked.
func New(s *UnitSpec, shape *spec.Shape, links Links) *ComputeUnits {
	a := &ComputeUnits{Ahead: lookahead.New(links.Engine), engine: links.Engine, printer: links.Printer, pool: &simd.RegisterPool{}, unitGate: links.UnitGate}
	for range shape.ShaderEngines {
		a.engines = append(a.engines, &activity{gate: links.EngineGate})
	}
	for i := range shape.Units() {
		e, unit := i/shape.ComputeUnits, i%shape.ComputeUnits
		name := fmt.Sprintf("SE[%d].CU[%d]", e, unit)
		parts := links.NewUnitParts(name, e, unit)
		k := 0 // which only counts where fetch takes time
		if s.Fetch.Enabled {
			k = shape.Instance(s.Fetch.SharedBy, e, unit)
		}
		for len(a.instructionCaches) <= k {
			a.instructionCaches = append(a.instructionCaches, newInstructionCache(a.engine, fmt.Sprintf("InstructionCache[%d]", len(a.instructionCaches)), &s.Fetch))
		}
		parts.instructionCache = a.instructionCaches[k]
		a.Units = append(a.Units, newUnit(name, i, s, shape, a, parts))
	}
	a.slots.beginPeriod(0, a.Units)
	return a
}

// InstructionCaches returns the instruction caches of the machine; none where fetch takes no time.
func (a *ComputeUnits) InstructionCaches() (list []sim.Component) {
	for _, f := range a.instructionCaches {
		if f.ways > 0 {
			list = append(list, f)
		}
	}
	return list
}

// BeginPeriod starts an accounting period at cycle now.
func (a *ComputeUnits) BeginPeriod(now uint64) {
	a.pool.DropUnused()
	a.readOnlyLaunch = nil
	a.slots.beginPeriod(now, a.Units)
}

// ServeGraph sets the execution graph that workgroups belong to from now on; nil: none.
func (a *ComputeUnits) ServeGraph(p Payloads) { a.payloads = p }

// SetConcurrent sets whether launches overlap from now on.
func (a *ComputeUnits) SetConcurrent(b bool) { a.concurrent = b }

// A Dispatcher places workgroups on the units.
type Dispatcher interface {
	// MayPlace reports whether a workgroup may be placed on a unit, by its index, before a wave of it ends.
	MayPlace(unit int) bool
	// PlacementLatency returns the least number of cycles from the placement of a workgroup to its arrival.
	PlacementLatency() uint64
}

// Report sets the dispatcher, and the port that receives WaveEnd messages.
func (a *ComputeUnits) Report(d Dispatcher, to *engine.Port) { a.dispatcher, a.waveEndPort = d, to }

// Busy returns the cycles in which units held workgroups, added up over all units.
func (a *ComputeUnits) Busy(now uint64) (sum uint64) {
	for _, u := range a.Units {
		sum += u.Busy(now)
	}
	return sum
}

// CatchUp runs the postponed issue cycles of all SIMDs before cycle now, before their waves are inspected.
func (a *ComputeUnits) CatchUp(now uint64) {
	for _, u := range a.Units {
		u.catchUp(now)
	}
}

// TrackRecent sets whether issues are counted for IssuedFrom from now on.
func (a *ComputeUnits) TrackRecent(issues bool) {
	for _, u := range a.Units {
		if u.shared.Recent = nil; issues {
			u.shared.Recent = simd.NewRecent(lookahead.MaxAhead)
		}
	}
}

// IssuedFrom returns how many instructions of each class units have issued from cycle now on, ahead of the engine; all earlier ones are issued before it returns.
func (a *ComputeUnits) IssuedFrom(now uint64) (sum [isa.NumClasses]uint64) {
	a.Ahead.Join()
	a.CatchUp(now)
	for _, u := range a.Units {
		for class, n := range u.shared.Recent.IssuedFrom(now) {
			sum[class] += n
		}
	}
	return sum
}

// ChargeEmpty charges the empty slots up to cycle end, and adds up all slot-cycles.
func (a *ComputeUnits) ChargeEmpty(end uint64) account.SlotCycles {
	a.slots.chargeEmpty(end, account.Empty)
	return a.slots.sum()
}

// Drain charges the slots, whose waves ended in cycle from or before, up to cycle end to stores that memory takes until then.
func (a *ComputeUnits) Drain(from, end uint64) {
	a.slots.chargeEmpty(from, account.Empty)
	a.slots.chargeEmpty(end, account.MemoryWrite)
}

// prepareLaunch prepares a launch, and the unit that one of its workgroups comes to, for counting and for loads ahead of the engine.
func (a *ComputeUnits) prepareLaunch(u *ComputeUnit, l *KernelLaunch) {
	l.Code.Copies(a.Ahead.Copies())
	u.shared.LoadsAhead = u.runner.LoadsAhead() && a.payloads == nil && !a.concurrent
	if u.shared.LoadsAhead && l != a.readOnlyLaunch {
		a.readOnlyLaunch = l
		l.readOnlyLoads = l.Bindings.ReadOnlyLoads(l.Code.Program.Insts)
	}
}
