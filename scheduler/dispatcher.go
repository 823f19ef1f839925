// Package scheduler places workgroups on compute units: the dispatcher, with its rates and the order in which it fills
// the machine.
//
//	dispatcher  places the workgroups of open launches
//	placement   which compute unit a workgroup goes to: a table of functions
//	kernel      one launch, which the host opens
//	open        several launches at once: shares of the machine, orders and reports
//	spec        what machine descriptions say of the dispatcher, of graphs and of the host
//
// The launches of execution graphs come from package graph. The package does not know what a workgroup computes.
package scheduler

import (
	"github.com/sarchlab/akita/v3/sim"

	"spvsim/cu"
	"spvsim/engine"
)

// RateBits is the number of bits below a cycle in which rates are booked.
const RateBits = 20

// A LaunchSource offers launches to the dispatcher, in lists: those of a kernel or of an execution graph. The launches
// of a list start one after the other.
type LaunchSource interface {
	// Lists returns the number of lists. The dispatcher asks list 0 first.
	Lists() int
	// Head returns the first launch of a list that may be placed; nil: the list has none.
	Head(list int) *GridLaunch
	// Reserve reports whether the memory that the next workgroup of a list's first launch may allocate is free.
	Reserve(list int) bool
	// NextWorkgroup fills in the next workgroup of a list's first launch, for a compute unit.
	NextWorkgroup(list, unit int, wg *cu.Workgroup)
	// WorkgroupEnded is called with the end of a workgroup's last wave.
	WorkgroupEnded(now uint64, m *cu.WaveEnd)
	// OnIdle is called when the dispatcher has placed all that it can in cycle now. Without an event before, it places
	// nothing until cycle next.
	OnIdle(now, next uint64)
	// SetTag writes the number of the source into its launches, so that ends of waves find it. Classes returns the
	// number of launch classes.
	SetTag(tag int)
	Classes() int
	// AllPlaced reports whether all workgroups have been placed; Finished, whether all have ended, and the cycle by
	// which their memory accesses are done.
	AllPlaced() bool
	Finished() (bool, uint64)
	// Progress returns the workgroups that ended, those resident, and all known so far.
	Progress() (ended, running, total uint64)
	// PullsWork reports that resident workers take the workgroups: the dispatcher places none.
	PullsWork() bool
}

// A GridLaunch is a grid of workgroups to place: a kernel, or the workgroups that one payload (or several coalesced ones)
// starts at a node.
type GridLaunch struct {
	Code             *cu.KernelLaunch
	Class            int // launches of one class need the same resources
	Engine           int // shader engine that it is pinned to; -1: none
	Unit             int // compute unit that it is pinned to; -1: none
	Grid             [3]uint32
	NextID           [3]uint32 // WorkgroupId of the next workgroup
	Total            uint64
	PlacedWorkgroups uint64
	EndedWorkgroups  uint64
	ReadyAt          uint64 // cycle from which workgroups may be placed; cu.Never: not known yet
}

// Advance steps NextID to the next workgroup, x first.
func (l *GridLaunch) Advance() {
	l.PlacedWorkgroups++
	for i := range l.NextID {
		if l.NextID[i]++; l.NextID[i] < l.Grid[i] {
			return
		}
		l.NextID[i] = 0
	}
}

// A Dispatcher places the workgroups of open launches on compute units: at its rates, by its placement, and where
// registers, wave slots, LDS and barriers are free.
type Dispatcher struct {
	engine.Base
	alarm *engine.Alarm
	port  *engine.Port
	array *cu.ComputeUnits
	placer
	pickUnit placement
	spec     *DispatcherSpec
	limits   *cu.Limits

	groupGap, refillGap, waveGap uint64 // in fractions of a cycle

	openSources  []*openSource // in placement order
	byTag        []*openSource
	nextSource   int     // index of the source whose turn it is
	expects      bool    // launches may be opened at any time
	kernel       *kernel // the one opened last
	dispatchMsgs engine.Pool[cu.DispatchMsg]
}

func New(e *engine.Engine, s *DispatcherSpec, limits *cu.Limits, array *cu.ComputeUnits) *Dispatcher {
	d := &Dispatcher{
		Base: engine.NewBase(e, "Dispatcher"), array: array, spec: s, limits: limits,
		placer: newPlacer(s, limits.Shape), pickUnit: placements[s.Placement()],
		groupGap: RateGap(s.WorkgroupsPerCycle), refillGap: RateGap(s.WorkgroupsPerCycle), waveGap: RateGap(s.WavesPerCycle),
	}
	if s.RefilledPerCycle > 0 {
		d.refillGap = RateGap(s.RefilledPerCycle)
	}
	d.alarm, d.port = engine.NewAlarm(&d.Base, d, false), engine.NewPort(&d.Base, d, "Units")
	for range array.Units {
		d.residency = append(d.residency, cu.NewResourceTable(limits))
	}
	array.Report(d, d.port)
	return d
}

// MayPlace implements cu.Dispatcher: a kernel's next workgroup needs space on the unit, a graph may launch at any
// time.
func (d *Dispatcher) MayPlace(unit int) bool {
	if d.expects || len(d.openSources) == 0 {
		return true
	}
	for _, o := range d.openSources {
		k, ok := o.LaunchSource.(*kernel)
		if !ok {
			return true
		}
		if l := k.Head(0); l != nil && d.residency[unit].Fits(l.Code.Resources) {
			return true
		}
	}
	return false
}

// PlacementLatency implements cu.Dispatcher. Payloads that workers pop arrive when memory has answered.
func (d *Dispatcher) PlacementLatency() uint64 {
	for _, open := range d.openSources {
		if open.PullsWork() {
			return 1
		}
	}
	return uint64(max(d.spec.LaunchLatency, 1))
}

// RateGap returns the time between two events of a rate, in 1/2^RateBits cycles: 1/perCycle.
func RateGap(perCycle float64) uint64 {
	return max(uint64(float64(uint64(1)<<RateBits)/perCycle), 1)
}

// Serve closes what is open and opens a source alone.
func (d *Dispatcher) Serve(w LaunchSource) {
	d.Clear()
	d.Add(w, MachineShare{}, nil)
}

// Wake has the dispatcher try to place workgroups in a cycle.
func (d *Dispatcher) Wake(cycle uint64) { d.alarm.Set(cycle) }

// Handle implements sim.Handler: an alarm, an order, or the end of a wave.
func (d *Dispatcher) Handle(e sim.Event) error {
	now := d.Engine.Now()
	switch m := e.(type) {
	case *cu.WaveEnd:
		d.waveEnded(now, m)
		m.Handled()
	case *Order:
		return m.Open(now)
	default:
		d.tick(now)
	}
	return nil
}

// waveEnded frees the slot and registers of a wave; with a workgroup's last wave, its LDS and barrier too.
func (d *Dispatcher) waveEnded(now uint64, m *cu.WaveEnd) {
	r, o := &d.residency[m.Unit], d.byTag[m.Launch.Tag]
	e := m.Unit / d.limits.ComputeUnits
	r.FreeWave(m.SIMD, m.Launch.Resources)
	o.Usage.Change(now, -1)
	if m.Last {
		r.FreeGroup(m.LDSBase, m.Launch.Resources)
		d.engines[e].workgroupEnded()
		o.WorkgroupEnded(now, m)
	}
	clear(d.full[e*d.classes : (e+1)*d.classes])
	d.alarm.Set(now)
}

// tick places workgroups until none can be placed in cycle now, and sets the alarm for the next try.
func (d *Dispatcher) tick(now uint64) {
	placed, next := true, cu.Never
	for placed && d.Engine.Err() == nil {
		placed, next = d.placeNext(now)
	}
	if next < cu.Never {
		d.alarm.Set(max(next, now+1))
	}
	for _, o := range d.openSources {
		o.OnIdle(now, next)
	}
	d.report(now)
}

// placeNext places one workgroup, of the source whose turn it is. If none can be placed, it returns the cycle of the
// next try.
func (d *Dispatcher) placeNext(now uint64) (placed bool, next uint64) {
	next = cu.Never
	for i := range d.openSources {
		placed, at := d.placeFrom(now, d.sourceInTurn(i))
		if placed {
			d.endTurn(i)
			return true, now
		}
		next = min(next, at)
	}
	return false, next
}

// placeFrom is placeNext for one source.
func (d *Dispatcher) placeFrom(now uint64, o *openSource) (placed bool, next uint64) {
	next = cu.Never
	for i := range o.Lists() {
		l := o.Head(i)
		switch {
		case l == nil:
			continue
		case l.ReadyAt > now:
			next = min(next, l.ReadyAt)
			continue
		case !o.Reserve(i):
			continue // until the end of a workgroup frees payloads
		}
		unit, at := d.findUnit(now, o, l)
		if unit >= 0 {
			d.placeWorkgroup(now, unit, i, o, l)
			return true, now
		}
		next = min(next, at)
	}
	return false, next
}

// findUnit returns a compute unit with space for the launch's next workgroup, or -1. If only placement rates prevent
// it, at is the cycle from which they allow it.
func (d *Dispatcher) findUnit(now uint64, o *openSource, l *GridLaunch) (unit int, at uint64) {
	d.beginSearch(now, o, l)
	switch {
	case l.Unit >= 0:
		if unit = -1; d.accepts(l.Engine) && d.fits(l.Unit) {
			unit = l.Unit
		}
	case l.Engine >= 0:
		unit = d.inEngine(l.Engine)
	default:
		unit = d.pickUnit(&d.placer)
	}
	return unit, d.retryAt
}

// placeWorkgroup sends the next workgroup of a list's first launch to a compute unit, at the rates of its engine.
func (d *Dispatcher) placeWorkgroup(now uint64, unit, list int, o *openSource, l *GridLaunch) {
	e := &d.engines[unit/d.limits.ComputeUnits]
	e.groupAt = max(e.groupAt, now<<RateBits) + d.placementGap(e)
	m := d.Occupy(now, unit, l.Code)
	for i := range m.Waves {
		at := max(e.waveAt, now<<RateBits)
		e.waveAt = at + d.waveGap
		m.Waves[i].FirstIssueAt = at>>RateBits + uint64(d.spec.LaunchLatency)
	}
	o.NextWorkgroup(list, unit, &m.Workgroup)
	o.firstPlacedAt = min(o.firstPlacedAt, now)
	o.Usage.Change(now, len(m.Waves))
	d.Send(unit, m)
}

// placementGap counts a workgroup placed on an engine and returns the time until the engine may place another: that of
// refilled_per_cycle while ended workgroups have not been replaced.
func (d *Dispatcher) placementGap(e *shaderEngine) (gap uint64) {
	e.running++
	if e.unreplaced == 0 {
		return d.groupGap
	}
	e.unreplaced--
	return d.refillGap
}

// workgroupEnded counts a workgroup that ended. An empty engine fills at the full rate again.
func (e *shaderEngine) workgroupEnded() {
	e.running--
	if e.unreplaced++; e.running == 0 {
		e.unreplaced = 0
	}
}

// Occupy takes the resources of a workgroup on a unit, and returns the message that places it.
func (d *Dispatcher) Occupy(now uint64, unit int, l *cu.KernelLaunch) *cu.DispatchMsg {
	r, m := &d.residency[unit], d.dispatchMsgs.Acquire()
	m.Launch, m.SlotsTakenAt, m.Pool, m.Waves = l, now, &d.dispatchMsgs, m.Waves[:0]
	m.LDSBase = r.TakeGroup(l.Resources)
	for range l.Resources.Waves {
		m.Waves = append(m.Waves, cu.DispatchedWave{SIMD: r.TakeWave(l.Resources)})
	}
	return m
}

// Send sends a placed workgroup to its unit. It arrives when its first wave may issue, at least one cycle later.
func (d *Dispatcher) Send(unit int, m *cu.DispatchMsg) {
	u, arrives := d.array.Units[unit], max(m.Waves[0].FirstIssueAt, d.Engine.Now()+1)
	u.Expect(arrives)
	d.port.Post(m, u.Port(), arrives)
}
