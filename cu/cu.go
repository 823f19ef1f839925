// Package cu is a compute unit: the wave slots of its SIMDs, the workgroups
// resident in them, their barriers and the LDS. A unit has a turn in each cycle
// in which one of its SIMDs has one. A turn is an event, except where the unit
// runs ahead of the engine (package lookahead). Workgroups come from the
// dispatcher; results of the LDS and of payload operations come as messages.
//
// The package does not know which workgroup comes next, what else fits, nor
// what a program means. How long an access takes it learns from memory and LDS.
package cu

import (
	"errors"
	"fmt"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/cu/lookahead"
	"spvsim/engine"
	"spvsim/internal/spec"
	"spvsim/isa"
	"spvsim/lds"
	"spvsim/mem"
	"spvsim/mem/hierarchy"
	"spvsim/simd"
)

// ErrNoGraph says that a payload operation ran outside of an execution graph.
var ErrNoGraph = errors.New("cu: a shader uses payloads, but no execution graph runs")

// Memory carries out memory accesses of one compute unit; slot is the wave slot
// of the unit, counted over its SIMDs.
type Memory interface {
	// Begin says that a wave of the launch starts in the slot.
	Begin(slot int, l *Launch)
	// Access carries out an access, and says in b what it costs: b is that of the access before.
	Access(now uint64, w *simd.Wave, in *isa.Inst, slot int, b *simd.Booking)
}

// LDS is the local data share of a compute unit. A workgroup has size bytes of it
// from base on. Accesses are handed to its port, as lds.Request.
type LDS interface {
	Clear(base, size uint32)
	Port() *engine.Port
	// Next is the cycle in which the next access leaves the banks, and Leave hands back
	// the answers of those that have by now: the unit calls it before it has a turn.
	Next() uint64
	Leave(now uint64)
	// Watched says that accesses must be reported in the order of time.
	Watched() bool
}

// Payloads is the execution graph that the launched workgroups belong to.
type Payloads interface {
	// Do carries out an operation on payloads or on the queue.
	Do(now uint64, unit int, w *simd.Wave, in *isa.Inst) simd.Booking
	// Check looks at an access to payload memory before it is carried out, and
	// says whether it may be.
	Check(w *simd.Wave, in *isa.Inst) bool
}

// A ComputeUnit holds the waves of resident workgroups.
type ComputeUnit struct {
	engine.Base
	SIMDs []*simd.SIMD

	index  int // in the machine
	array  *Array
	runner *lookahead.Runner
	port   *engine.Port
	memory Memory
	share
	booking  simd.Booking // of the last access to memory
	answers  engine.Stock[Answer]
	fetch    *fetch
	shared   *simd.Shared
	launches []*Launch // by wave slot
	barrier  uint64    // cycles
	resident int       // workgroups
	busy     uint64    // cycles with a workgroup, up to when the last one ended, or less those before the first of those resident came
	coming   []uint64  // cycles in which workgroups arrive that are on their way
	freed    uint64    // cycle in which the dispatcher has heard of the last wave that ended
	spare    []*simd.Group
}

// A share is the unit's LDS as the unit uses it.
type share struct {
	lds    LDS
	banks  *engine.Port // to it
	access lds.Request  // the one at hand
	leaves uint64       // cycle in which the next access leaves the banks
	taken  simd.Booking // by the last access
}

// A Launch is a kernel: what every workgroup of it has in common.
type Launch struct {
	Code          *simd.Code
	Need          Need
	NumWorkgroups [3]uint32
	Base          [3]uint32 // added to the ids of its workgroups
	Bindings      *mem.Bindings
	Scratch       []mem.Scratch // by wave slot of the machine; nil when the program has none
	// Fragments are the quads of a draw, by workgroup: each is one wave.
	Fragments []isa.Fragments
	// Tag is the dispatcher's number of the open work that the launch is part of.
	Tag int
	// Touched takes down what the launch accesses; nil: nothing does.
	Touched *mem.Footprint
	// Traffic counts what its requests move; nil: nothing does.
	Traffic *hierarchy.Traffic

	steady []bool // by instruction: a load from memory that none of the launch writes; made when it is asked for
}

// A Workgroup is one that is to be placed.
type Workgroup struct {
	Index uint64 // what its simd.Group will carry
	ID    [3]uint32
	Count [3]uint32 // of workgroups of its launch or payload
	Node  simd.Node
	// Fragments are the quads that the workgroup, one wave, is for; nil outside of draws.
	Fragments *isa.Fragments
}

// newUnit builds an empty compute unit.
func newUnit(name string, index int, s *UnitSpec, shape *spec.Shape, a *Array, parts Parts) *ComputeUnit {
	u := &ComputeUnit{
		Base: engine.NewBase(a.engine, name), index: index, array: a,
		memory: parts.Memory, share: share{lds: parts.LDS, leaves: Never}, fetch: parts.fetch, barrier: uint64(s.BarrierCycles),
		launches: make([]*Launch, shape.UnitSlots()), shared: simd.NewShared(shape.SIMDs, maxLanes),
	}
	u.runner = a.Ahead.Add(u, &u.Base, u)
	u.port, u.banks = engine.NewPort(&u.Base, u, "Work"), engine.NewPort(&u.Base, u, "Banks")
	for i := range shape.SIMDs {
		u.SIMDs = append(u.SIMDs, simd.New(&s.Issue, shape, simd.Place{
			Name: fmt.Sprintf("%s.SIMD[%d]", name, i), Index: i,
			Env: u, Pool: a.pool, Shared: u.shared, MaxOutstanding: parts.MaxOutstanding,
		}))
	}
	if p, ok := parts.Memory.(*port); ok {
		p.attach(u)
		u.runner.LoadsOf(p.port, len(u.launches))
	}
	return u
}

// Busy is for how many cycles the unit has had a workgroup by now.
func (u *ComputeUnit) Busy(now uint64) uint64 {
	if u.resident > 0 {
		return u.busy + now
	}
	return u.busy
}

// Resident is the number of workgroups on the unit.
func (u *ComputeUnit) Resident() int { return u.resident }

// Work is what the unit did so far.
func (u *ComputeUnit) Work() engine.Work {
	w := u.Base.Work()
	w.Ahead = u.runner.Turns()
	return w
}

// Index numbers the unit in the machine.
func (u *ComputeUnit) Index() int { return u.index }

// Handle fulfils sim.Handler: a turn of the SIMDs, a workgroup, an answer.
func (u *ComputeUnit) Handle(e sim.Event) error {
	if _, ok := e.(*engine.Alarm); ok {
		u.runner.Turn(u.Engine.Now())
		return nil
	}
	if a, ok := e.(*Answer); ok && a.local { // within a turn
		u.answer(a)
		return nil
	}
	u.runner.Join()
	switch e := e.(type) {
	case *Place:
		if len(u.coming) > 0 {
			u.coming = u.coming[:copy(u.coming, u.coming[1:])]
		}
		u.place(u.Engine.Now(), e)
		e.Stock.Give(e)
	case *Answer:
		u.answer(e)
	}
	u.runner.Plan()
	return nil
}

func (u *ComputeUnit) answer(a *Answer) {
	a.Ticket.SIMD().Complete(a.Arrives(), a.Done, a.Ticket)
	u.answers.Give(a)
}

// place takes a workgroup in.
func (u *ComputeUnit) place(now uint64, m *Place) {
	l, wg := m.Launch, &m.Workgroup
	u.array.ready(u, l)
	u.array.slots.use(u)
	if l.Code.Crosses() {
		u.catchUp(now)
	}
	g := u.newGroup(m.index(), wg.ID)
	g.LDSBase, g.LDSSize = m.LDSBase, l.Code.Program.LDSBytes
	if g.LDSSize > 0 {
		u.lds.Clear(g.LDSBase, g.LDSSize)
	}
	if u.resident == 0 {
		u.busy -= now
	}
	u.resident++
	if u.array.trace.to != nil {
		u.array.trace.placed(u.index, m)
	}
	for i, at := range m.Waves {
		w := u.SIMDs[at.SIMD].Start(now, &simd.Start{
			Code: l.Code, Group: g, WaveInGroup: uint32(i), WavesInGroup: uint32(len(m.Waves)),
			NumWorkgroups: wg.Count, Push: l.Bindings.Push, Placed: m.Placed, At: at.At, Node: wg.Node, Fragments: wg.Fragments,
		})
		g.Waves = append(g.Waves, w)
		slot := u.slot(w)
		u.launches[slot] = l
		u.memory.Begin(slot, l)
	}
}

// catchUp lets the SIMDs take the turns before cycle now that they put off.
func (u *ComputeUnit) catchUp(now uint64) {
	for _, s := range u.SIMDs {
		s.CatchUp(now)
	}
}

func (u *ComputeUnit) newGroup(index uint64, id [3]uint32) *simd.Group {
	n := len(u.spare)
	if n == 0 {
		return &simd.Group{Index: index, ID: id}
	}
	g := u.spare[n-1]
	u.spare = u.spare[:n-1]
	*g = simd.Group{Index: index, ID: id, Waves: g.Waves[:0]}
	return g
}

// Next fulfils lookahead.Unit: the cycle in which a SIMD has its next turn, or an access leaves the LDS.
func (u *ComputeUnit) Next() uint64 {
	next := u.leaves
	for _, turn := range u.shared.Turns() {
		next = min(next, turn)
	}
	return next
}

// Advance fulfils lookahead.Unit: it takes what has left the LDS, and gives the SIMDs whose turn it is theirs.
func (u *ComputeUnit) Advance(now uint64) (next uint64) {
	if u.leaves <= now {
		u.leave(now)
	}
	for i, turn := range u.shared.Turns() {
		if turn <= now {
			u.SIMDs[i].Turn(now)
		}
	}
	return u.Next()
}

// leave takes the answers of the accesses that have left the LDS by cycle now.
func (u *ComputeUnit) leave(now uint64) {
	u.lds.Leave(now)
	u.leaves = u.lds.Next()
}

// Local fulfils lookahead.Unit.
func (u *ComputeUnit) Local(cycle uint64) bool {
	if u.shared.Pending() { // what comes may wake a wave before the access leaves the LDS
		return false
	}
	if u.leaves <= cycle {
		u.leave(cycle)
	}
	for i, turn := range u.shared.Turns() {
		if turn <= cycle && u.SIMDs[i].MayAffect(cycle) {
			return false
		}
	}
	return true
}

// Bound fulfils lookahead.Unit: the first cycle in which a workgroup may come. Who
// must be told of the unit's work in the order of time is told in events.
func (u *ComputeUnit) Bound() uint64 {
	a := u.array
	if a.trace.to != nil || u.fetch.ways > 0 || u.port.Connected() || u.banks.NumHooks() > 0 || u.lds.Watched() {
		return 0
	}
	until, now := Never, u.Engine.Now()
	if len(u.coming) > 0 {
		until = min(until, u.coming[0])
	}
	if u.freed > now || a.dispatcher.MayPlace(u.index) {
		until = min(until, now+a.dispatcher.Placing())
	}
	return until
}

// CountIn fulfils lookahead.Unit.
func (u *ComputeUnit) CountIn(copy int) { u.shared.Copy = copy }

// Expect says that a workgroup has been sent, which comes in the given cycle, not
// before those that were sent before it.
func (u *ComputeUnit) Expect(cycle uint64) { u.coming = append(u.coming, cycle) }

// slot numbers the wave's slot over all SIMDs of the unit.
func (u *ComputeUnit) slot(w *simd.Wave) int {
	return w.SIMD.Index*w.SIMD.Slots() + w.Slot
}

// Memory fulfils simd.Env.
func (u *ComputeUnit) Memory(now uint64, w *simd.Wave, in *isa.Inst) *simd.Booking {
	if u.shared.LoadsAhead {
		if b, ok := u.runner.Load(now, u.slot(w), w); ok {
			return u.booked(b)
		}
	}
	if in.Mem.Payload && u.array.payloads != nil && !u.array.payloads.Check(w, in) {
		return u.booked(simd.Booking{Ready: now, Free: now})
	}
	if mask := mem.Writers(&w.State, in); mask != w.State.Exec {
		return u.withoutHelpers(now, w, in, mask)
	}
	return u.reach(now, w, in)
}

// booked keeps a booking up to the next.
func (u *ComputeUnit) booked(b simd.Booking) *simd.Booking {
	u.booking = b
	return &u.booking
}

// LoadAhead fulfils simd.Env.
func (u *ComputeUnit) LoadAhead(w *simd.Wave, in *isa.Inst) bool {
	slot := u.slot(w)
	pc, _ := w.Where()
	return u.runner.MayLoad(slot, u.launches[slot].steady[pc], &w.State, &u.memory.(*port).env[slot], in)
}

// withoutHelpers carries out a store or an atomic operation for the lanes that
// are no helpers.
func (u *ComputeUnit) withoutHelpers(now uint64, w *simd.Wave, in *isa.Inst, mask uint64) *simd.Booking {
	exec := w.State.Exec
	w.State.Exec = mask
	b := u.booked(simd.Booking{Ready: now, Free: now + 1})
	if w.State.Exec != 0 {
		b = u.reach(now, w, in)
	}
	w.State.Exec = exec
	return b
}

// reach carries out an access to memory.
func (u *ComputeUnit) reach(now uint64, w *simd.Wave, in *isa.Inst) *simd.Booking {
	if u.array.trace.to != nil {
		return u.tracedAccess(now, w, in)
	}
	u.memory.Access(now, w, in, u.slot(w), &u.booking)
	return &u.booking
}

// Payload fulfils simd.Env.
func (u *ComputeUnit) Payload(now uint64, w *simd.Wave, in *isa.Inst) simd.Booking {
	if u.array.payloads == nil || w.State.Payloads == nil {
		u.Engine.Fail(ErrNoGraph)
		return simd.Booking{Ready: now, Free: now}
	}
	return u.array.payloads.Do(now, u.index, w, in)
}

// LDS fulfils simd.Env.
func (u *ComputeUnit) LDS(now uint64, w *simd.Wave, in *isa.Inst) *simd.Booking {
	r := &u.access
	r.Cycle, r.State, r.Base, r.Size, r.Inst = now, &w.State, w.Group.LDSBase, w.Group.LDSSize, in
	u.ask(now, w, r)
	t := &r.Timing
	if u.array.trace.to != nil {
		u.tracedLDS(now, w, in, t.Ready, t.Passes, t.ConflictPasses)
	}
	u.taken = simd.Booking{Pending: true, Free: now + t.Unit, Own: now + t.Busy, Passes: t.Passes, ConflictPasses: t.ConflictPasses}
	return &u.taken
}

// complete brings the end of a pending access to memory of one of the unit's waves.
func (u *ComputeUnit) complete(done uint64, t simd.Ticket) {
	a := u.Answer(t)
	a.Done = done
	u.port.Post(a, u.port, max(done, u.Engine.Soonest()))
}

// Fetch fulfils simd.Env.
func (u *ComputeUnit) Fetch(_ uint64, line uint32) uint64 { return u.fetch.enter(line) }

// Print fulfils simd.Env.
func (u *ComputeUnit) Print(now uint64, w *simd.Wave, in *isa.Inst) {
	if u.array.printer != nil {
		u.array.printer(now, w, in)
	}
}

// Arrive fulfils simd.Env.
func (u *ComputeUnit) Arrive(now uint64, w *simd.Wave) {
	w.Group.Arrived++
	u.tryRelease(now, w.Group)
}

// tryRelease lets the waves of a workgroup go on when all that have not ended wait at the barrier.
func (u *ComputeUnit) tryRelease(now uint64, g *simd.Group) {
	if g.Arrived == 0 || g.Arrived < len(g.Waves) {
		return
	}
	g.Arrived = 0
	for _, w := range g.Waves {
		w.SIMD.Release(now, w, now+max(u.barrier, 1))
	}
}

// Ended fulfils simd.Env. The slot and the registers are free from now on; the
// LDS and the barrier when the workgroup's last wave has ended. Stores under way
// do not hold them.
func (u *ComputeUnit) Ended(now uint64, w *simd.Wave) {
	g := w.Group
	g.Done = max(g.Done, w.LastMemory(), w.FreeAt())
	g.Remove(w)
	m := u.array.ended.Take()
	m.Unit, m.SIMD, m.Launch, m.Index, m.array = u.index, w.SIMD.Index, u.launches[u.slot(w)], g.Index&(1<<tagShift-1), u.array
	m.Last, m.LDSBase, m.Done, m.First = len(g.Waves) == 0, g.LDSBase, g.Done, g.First
	u.freed = now + endLatency
	u.port.Post(m, u.array.ends, u.freed)
	if !m.Last {
		u.tryRelease(now, g)
		return
	}
	if u.resident--; u.resident == 0 {
		u.busy += now
	}
	if u.array.trace.to != nil {
		u.array.trace.to.WorkgroupEnd(now, u.index, g.Index)
	}
	u.spare = append(u.spare, g)
}
