// Package cu models a compute unit: the wave slots of its SIMDs, the workgroups
// resident in them, their barriers, the vector memory unit (memoryunit.go) and the
// interface to the LDS (ldsinterface.go). A unit has an event in each cycle in
// which one of its SIMDs issues, except where it runs ahead of the engine
// (package lookahead). Workgroups come from the dispatcher; answers of the LDS and of
// payload operations come as messages.
//
// An access takes one path: simd.SIMD.issue, ComputeUnit.AccessMemory, Memory, and
// memory's hierarchy, which fills in the response (timing.Response) that goes
// back the same way.
package cu

import (
	"errors"
	"fmt"

	"spvsim/check"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/cu/lookahead"
	"spvsim/engine"
	"spvsim/internal/spec"
	"spvsim/internal/timing"
	"spvsim/isa"
	"spvsim/mem"
	"spvsim/mem/hierarchy"
	"spvsim/simd"
)

// ErrNoGraph reports a payload operation outside of an execution graph.
var ErrNoGraph = errors.New("cu: a shader uses payloads, but no execution graph runs")

// Memory carries out memory accesses of one compute unit; slot is the wave slot
// of the unit, counted over its SIMDs.
type Memory interface {
	// BindSlot binds the resources of the launch for a wave that starts in the slot.
	BindSlot(slot int, l *KernelLaunch)
	// Access carries out an access. The response is valid until the next one.
	Access(now uint64, w *simd.Wave, in *isa.Inst, slot int) *timing.Response
}

// Payloads is the execution graph that the launched workgroups belong to.
type Payloads interface {
	// Execute carries out an operation on payloads or on the queue.
	Execute(now uint64, unit int, w *simd.Wave, in *isa.Inst) timing.Response
	// CheckAccess checks an access to payload memory before it is carried out: some lanes may be denied the access; not ok: no lane makes it.
	CheckAccess(w *simd.Wave, in *isa.Inst) (denied uint64, ok bool)
}

// A ComputeUnit holds the waves of resident workgroups.
type ComputeUnit struct {
	engine.Base
	SIMDs []*simd.SIMD

	index  int // in the machine
	units  *ComputeUnits
	runner *lookahead.Runner
	port   *engine.Port
	memory Memory
	ldsInterface
	response         timing.Response // to an access that does not reach memory
	answers          engine.Pool[Answer]
	instructionCache *instructionCache
	shared           *simd.Shared
	launches         []*KernelLaunch // by wave slot
	activity         *activity
	engineActivity   *activity
	barrier          uint64   // cycles
	resident         int      // resident workgroups
	busy             uint64   // cycles in which the unit held a workgroup. While one is resident, its start cycle is subtracted: busy+now is the total
	arrivals         []uint64 // cycles in which workgroups arrive that are on their way
	lastRelease      uint64   // cycle in which the dispatcher gets the last WaveEnd
	groupPool        []*simd.Workgroup
}

// A KernelLaunch is a launch of a kernel: what all its workgroups share.
type KernelLaunch struct {
	Code          *simd.Code
	Resources     Resources
	NumWorkgroups [3]uint32
	Base          [3]uint32 // added to the ids of its workgroups
	Bindings      *mem.Bindings
	Scratch       []mem.Scratch // by wave slot of the machine; nil when the program has none
	// Fragments are the quads of a draw, by workgroup: each is one wave.
	Fragments []isa.Fragments
	// Tag is the dispatcher's number of the open work that the launch is part of.
	Tag int
	// Footprint records what the launch accesses; nil: nothing does.
	Footprint *mem.Footprint
	// Traffic counts what its requests move; nil: nothing does.
	Traffic *hierarchy.Traffic

	// Check checks the accesses of its workgroups; nil: nothing does.
	Check *check.LaunchCheck

	readOnlyLoads []bool // by instruction: a load from memory that none of the launch writes; made when it is asked for
}

// A Workgroup is a workgroup to be placed.
type Workgroup struct {
	Index uint64 // what its simd.Workgroup will carry
	ID    [3]uint32
	Count [3]uint32 // of workgroups of its launch or payload
	Node  simd.Node
	// Fragments are the quads that the workgroup, one wave, is for; nil outside of draws.
	Fragments *isa.Fragments
}

// newUnit builds an empty compute unit.
func newUnit(name string, index int, s *UnitSpec, shape *spec.Shape, a *ComputeUnits, parts UnitParts) *ComputeUnit {
	u := &ComputeUnit{
		Base: engine.NewBase(a.engine, name), index: index, units: a,
		memory: parts.Memory, ldsInterface: ldsInterface{lds: parts.LDS, nextLDSAnswer: Never}, instructionCache: parts.instructionCache, barrier: uint64(s.BarrierCycles),
		launches: make([]*KernelLaunch, shape.UnitSlots()), shared: simd.NewShared(shape.SIMDs, maxLanes),
	}
	u.activity, u.engineActivity = &activity{gate: a.unitGate}, a.engines[index/shape.ComputeUnits]
	u.runner = a.Ahead.Add(u, &u.Base, u)
	u.port, u.banks = engine.NewPort(&u.Base, u, "Work"), engine.NewPort(&u.Base, u, "Banks")
	for i := range shape.SIMDs {
		u.SIMDs = append(u.SIMDs, simd.New(&s.Issue, shape, simd.SIMDParams{
			Name: fmt.Sprintf("%s.SIMD[%d]", name, i), Index: i,
			ComputeUnit: u, Pool: a.pool, Shared: u.shared, MaxOutstanding: parts.MaxOutstanding,
		}))
	}
	if p, ok := parts.Memory.(*memoryUnit); ok {
		p.attach(u)
		u.runner.LoadsOf(p.port, len(u.launches))
	}
	return u
}

// Busy returns the cycles in which the unit held a workgroup, up to cycle now.
func (u *ComputeUnit) Busy(now uint64) uint64 {
	if u.resident > 0 {
		return u.busy + now
	}
	return u.busy
}

// Resident returns the number of workgroups on the unit.
func (u *ComputeUnit) Resident() int { return u.resident }

// Activity returns what the unit did so far.
func (u *ComputeUnit) Activity() engine.ActivityCounts {
	w := u.Base.Activity()
	w.Ahead = u.runner.CyclesAhead()
	return w
}

// Index numbers the unit in the machine.
func (u *ComputeUnit) Index() int { return u.index }

// Handle implements sim.Handler: issue cycles of the SIMDs, a workgroup that arrives, an answer.
func (u *ComputeUnit) Handle(e sim.Event) error {
	if _, ok := e.(*engine.Alarm); ok {
		u.runner.RunEvent(u.Engine.Now())
		return nil
	}
	if a, ok := e.(*Answer); ok && a.local { // within a turn
		u.answer(a)
		return nil
	}
	u.runner.Join()
	switch e := e.(type) {
	case *DispatchMsg:
		if len(u.arrivals) > 0 {
			u.arrivals = u.arrivals[:copy(u.arrivals, u.arrivals[1:])]
		}
		u.startWorkgroup(u.Engine.Now(), e)
		e.Pool.Release(e)
	case *Answer:
		u.answer(e)
	}
	u.runner.Plan()
	return nil
}

func (u *ComputeUnit) answer(a *Answer) {
	a.Ticket.Complete(a.Arrives(), a.Done)
	u.answers.Release(a)
}

// startWorkgroup starts the waves of a workgroup that arrives.
func (u *ComputeUnit) startWorkgroup(now uint64, m *DispatchMsg) {
	l, wg := m.Launch, &m.Workgroup
	u.units.prepareLaunch(u, l)
	u.units.slots.track(u)
	if l.Code.SharesPrivateUnits() {
		u.catchUp(now)
	}
	g := u.newGroup(m.index(), wg.ID)
	g.LDSBase, g.LDSSize = m.LDSBase, l.Code.Program.LDSBytes
	if g.LDSSize > 0 {
		u.lds.Clear(g.LDSBase, g.LDSSize)
	}
	if c := l.Check; c != nil {
		g.Check = c.Begin(l.Code.Program, g.Index, wg.ID, len(m.Waves))
	}
	if u.resident == 0 {
		u.busy -= now
		u.activity.begin(now)
		u.engineActivity.begin(now)
	}
	u.resident++
	if u.units.trace.to != nil {
		u.units.trace.reportWorkgroup(u.index, m)
	}
	for i, at := range m.Waves {
		w := u.SIMDs[at.SIMD].Start(now, &simd.Start{
			Code: l.Code, Workgroup: g, WaveInGroup: uint32(i), WavesInGroup: uint32(len(m.Waves)),
			NumWorkgroups: wg.Count, Push: l.Bindings.Push, SlotTakenAt: m.SlotsTakenAt, FirstIssueAt: at.FirstIssueAt, Node: wg.Node, Fragments: wg.Fragments,
		})
		g.Waves = append(g.Waves, w)
		slot := u.slot(w)
		u.launches[slot] = l
		u.memory.BindSlot(slot, l)
	}
}

// catchUp runs the postponed issue cycles of the SIMDs before cycle now.
func (u *ComputeUnit) catchUp(now uint64) {
	for _, s := range u.SIMDs {
		s.CatchUp(now)
	}
}

func (u *ComputeUnit) newGroup(index uint64, id [3]uint32) *simd.Workgroup {
	n := len(u.groupPool)
	if n == 0 {
		return &simd.Workgroup{Index: index, ID: id}
	}
	g := u.groupPool[n-1]
	u.groupPool = u.groupPool[:n-1]
	*g = simd.Workgroup{Index: index, ID: id, Waves: g.Waves[:0]}
	return g
}

// Next implements lookahead.Unit: it returns the next cycle in which an instruction may be visible outside its SIMD, or an access to the LDS completes.
func (u *ComputeUnit) Next() uint64 {
	next := u.nextLDSAnswer
	for _, turn := range u.shared.NextVisible() {
		next = min(next, turn)
	}
	return next
}

// Advance implements lookahead.Unit: it delivers completed accesses to the LDS, and then lets the SIMDs issue.
func (u *ComputeUnit) Advance(now uint64) (next uint64) {
	if u.nextLDSAnswer <= now {
		u.deliverLDS(now)
	}
	for i, turn := range u.shared.NextVisible() {
		if turn <= now {
			u.SIMDs[i].Issue(now)
		}
	}
	return u.Next()
}

// Local implements lookahead.Unit.
func (u *ComputeUnit) Local(cycle uint64) bool {
	if u.shared.Pending() { // what comes may wake a wave before the access leaves the LDS
		return false
	}
	if u.nextLDSAnswer <= cycle {
		u.deliverLDS(cycle)
	}
	for i, turn := range u.shared.NextVisible() {
		if turn <= cycle && u.SIMDs[i].MayAffect(cycle) {
			return false
		}
	}
	return true
}

// Bound implements lookahead.Unit: it returns the first cycle in which a workgroup may come. An ordered tracer or shared instruction cache needs
// events in order; then it is 0 and the unit does not run ahead.
func (u *ComputeUnit) Bound() uint64 {
	a := u.units
	if a.trace.ordered || u.instructionCache.ways > 0 || u.port.Connected() || u.banks.NumHooks() > 0 || u.lds.Traced() {
		return 0
	}
	until, now := Never, u.Engine.Now()
	if len(u.arrivals) > 0 {
		until = min(until, u.arrivals[0])
	}
	if u.lastRelease > now || a.dispatcher.MayPlace(u.index) {
		until = min(until, now+a.dispatcher.PlacementLatency())
	}
	return until
}

// CountIn implements lookahead.Unit.
func (u *ComputeUnit) CountIn(copy int) { u.shared.Copy = copy }

// Expect adds a workgroup that arrives in the given cycle, no earlier than those before it.
func (u *ComputeUnit) Expect(cycle uint64) { u.arrivals = append(u.arrivals, cycle) }

// slot returns the number of the wave's slot over all SIMDs of the unit.
func (u *ComputeUnit) slot(w *simd.Wave) int {
	return w.SIMD.Index*w.SIMD.Slots() + w.Slot
}

// AccessPayloads implements simd.ComputeUnit.
func (u *ComputeUnit) AccessPayloads(now uint64, w *simd.Wave, in *isa.Inst) timing.Response {
	if u.units.payloads == nil || w.State.Payloads == nil {
		u.Engine.Fail(ErrNoGraph)
		return timing.Response{ReadyAt: now, UnitFreeAt: now}
	}
	return u.units.payloads.Execute(now, u.index, w, in)
}

// Fetch implements simd.ComputeUnit.
func (u *ComputeUnit) Fetch(_ uint64, line uint32) uint64 { return u.instructionCache.fetchLine(line) }

func (u *ComputeUnit) Print(now uint64, w *simd.Wave, in *isa.Inst) {
	if u.units.printer != nil {
		u.units.printer(now, w, in)
	}
}

func (u *ComputeUnit) ArriveAtBarrier(now uint64, w *simd.Wave) {
	if g := w.Workgroup.Check; g != nil {
		g.Barrier(w.State.WaveInGroup)
	}
	w.Workgroup.Arrived++
	u.tryRelease(now, w.Workgroup)
}

// tryRelease releases the waves of a workgroup when all that have not ended wait at the barrier.
func (u *ComputeUnit) tryRelease(now uint64, g *simd.Workgroup) {
	if g.Arrived == 0 || g.Arrived < len(g.Waves) {
		return
	}
	g.Arrived = 0
	for _, w := range g.Waves {
		w.SIMD.Release(now, w, now+max(u.barrier, 1))
	}
}

// WaveEnded implements simd.ComputeUnit. The slot and the registers are free from now on; the
// LDS and the barrier when the workgroup's last wave has ended. Stores under way
// do not hold them.
func (u *ComputeUnit) WaveEnded(now uint64, w *simd.Wave) {
	g := w.Workgroup
	g.Done = max(g.Done, w.LastMemory(), w.FreeAt())
	g.Remove(w)
	m := u.units.waveEndPool.Acquire()
	m.Unit, m.SIMD, m.Launch, m.Index, m.units = u.index, w.SIMD.Index, u.launches[u.slot(w)], g.Index&(1<<tagShift-1), u.units
	m.Last, m.LDSBase, m.Done, m.First = len(g.Waves) == 0, g.LDSBase, g.Done, g.FirstIssue
	u.lastRelease = now + endLatency
	u.port.Post(m, u.units.waveEndPort, u.lastRelease)
	if !m.Last {
		u.tryRelease(now, g)
		return
	}
	if u.resident--; u.resident == 0 {
		u.busy += now
		u.activity.end(now)
		u.engineActivity.end(now)
	}
	if u.units.trace.to != nil {
		u.units.trace.to.WorkgroupEnd(now, u.index, g.Index)
	}
	if g.Check != nil {
		g.Check.End()
	}
	u.groupPool = append(u.groupPool, g)
}
