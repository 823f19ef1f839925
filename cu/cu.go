// Package cu is a compute unit: its SIMDs' wave slots, the workgroups resident
// in them, their barriers and the LDS. A unit has one event in each cycle in
// which one of its SIMDs has a turn; workgroups come from the dispatcher, results
// of the LDS and of payload operations as messages.
//
// The package does not know which workgroup comes next, what else has room, nor
// what a program means. How long an access takes it learns from memory and LDS.
package cu

import (
	"errors"
	"fmt"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/engine"
	"spvsim/isa"
	"spvsim/lds"
	"spvsim/mem"
	"spvsim/simd"
	"spvsim/spec"
)

// ErrNoGraph says that a payload operation ran outside of an execution graph.
var ErrNoGraph = errors.New("cu: a shader uses payloads, but no execution graph runs")

// Memory carries out memory accesses of one compute unit; slot is the wave slot
// of the unit, counted over its SIMDs.
type Memory interface {
	// Begin says that a wave of the launch starts in the slot.
	Begin(slot int, l *Launch)
	Access(now uint64, w *simd.Wave, in *isa.Inst, slot int) simd.Booking
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
	// Watched says that somebody must hear of accesses in the order of time.
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

	index    int // in the machine
	array    *Array
	alarm    *engine.Alarm
	port     *engine.Port
	own      engine.Base  // counts what the unit does where it is ahead of the engine
	banks    *engine.Port // to the LDS, of own
	memory   Memory
	lds      LDS
	access   lds.Request // the one at hand
	answers  engine.Stock[Answer]
	fetch    *fetch
	shared   *simd.Shared
	launches []*Launch // by wave slot
	barrier  uint64    // cycles
	resident int       // workgroups
	coming   []uint64  // cycles in which workgroups arrive that are on their way
	freed    uint64    // cycle in which the dispatcher has heard of the last wave that ended
	spare    []*simd.Group
	loads    *loads // nil: none is issued ahead of the engine
	early    bool   // the unit is ahead of the engine
	away     excursion
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
		memory: parts.Memory, lds: parts.LDS, fetch: parts.fetch, barrier: uint64(s.BarrierCycles),
		launches: make([]*Launch, shape.UnitSlots()), shared: simd.NewShared(shape.SIMDs, maxLanes),
	}
	u.alarm, u.port = engine.NewAlarm(&u.Base, u, true), engine.NewPort(&u.Base, u, "Work")
	u.own = engine.NewBase(a.engine, name)
	u.banks = engine.NewPort(&u.own, u, "Banks")
	u.AddPort("Banks", u.banks)
	for i := range shape.SIMDs {
		u.SIMDs = append(u.SIMDs, simd.New(&s.Issue, shape, simd.Place{
			Name: fmt.Sprintf("%s.SIMD[%d]", name, i), Index: i,
			Env: u, Pool: a.pool, Shared: u.shared, MaxOutstanding: parts.MaxOutstanding,
		}))
	}
	if p, ok := parts.Memory.(*port); ok {
		p.attach(u)
	}
	return u
}

// Resident is the number of workgroups on the unit.
func (u *ComputeUnit) Resident() int { return u.resident }

// Work is what the unit did so far: a turn is an event, as is a workgroup that comes.
func (u *ComputeUnit) Work() engine.Work {
	w, own := u.Base.Work(), u.own.Work()
	w.Events += own.Events
	w.Sent += own.Sent
	w.Received += own.Received
	return w
}

// Index numbers the unit in the machine.
func (u *ComputeUnit) Index() int { return u.index }

// Handle fulfils sim.Handler: a turn of the SIMDs, a workgroup, an answer.
func (u *ComputeUnit) Handle(e sim.Event) error {
	if a, ok := e.(*Answer); ok && a.local {
		u.answer(a) // a tick is at work, which plans when it is done
		return nil
	}
	if _, ok := e.(*engine.Alarm); ok && u.passed(u.Engine.Now()) {
		return nil
	}
	u.back()
	switch e := e.(type) {
	case *engine.Alarm:
		u.tick(u.Engine.Now())
	case *Place:
		if len(u.coming) > 0 {
			u.coming = u.coming[:copy(u.coming, u.coming[1:])]
		}
		u.place(u.Engine.Now(), e)
		e.Stock.Give(e)
	case *Answer:
		u.answer(e)
	}
	u.plan()
	return nil
}

func (u *ComputeUnit) answer(a *Answer) {
	a.Ticket.SIMD().Complete(a.Arrives(), a.Done, a.Ticket)
	u.answers.Give(a)
}

// place takes a workgroup in.
func (u *ComputeUnit) place(now uint64, m *Place) {
	l, wg := m.Launch, &m.Workgroup
	l.Code.Threads(u.array.threads())
	u.array.loading(u, l)
	g := u.newGroup(wg.Index, wg.ID)
	g.LDSBase, g.LDSSize = m.LDSBase, l.Code.Program.LDSBytes
	if g.LDSSize > 0 {
		u.lds.Clear(g.LDSBase, g.LDSSize)
	}
	u.resident++
	if u.array.trace.to != nil {
		u.array.trace.placed(m.Placed, u.index, l, wg)
	}
	for i, at := range m.Waves {
		w := u.SIMDs[at.SIMD].Start(now, &simd.Start{
			Code: l.Code, Group: g, WaveInGroup: uint32(i), WavesInGroup: uint32(len(m.Waves)),
			NumWorkgroups: wg.Count, Placed: m.Placed, At: at.At, Node: wg.Node, Fragments: wg.Fragments,
		})
		g.Waves = append(g.Waves, w)
		slot := u.slot(w)
		u.launches[slot] = l
		u.memory.Begin(slot, l)
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

// tick does the work of cycle now, and of the cycles behind it in which nothing
// can reach the unit nor anything of it be told from outside; or sends the unit
// out for it, and comes again in the cycle in which it would have had its next turn.
func (u *ComputeUnit) tick(now uint64) {
	u.Idle() // its turns count
	u.book(now)
	u.hear()
	if u.next() <= now { // it was not there already
		u.turns(now)
	}
	c, until := u.array.crew, u.alone()
	if c == nil {
		u.ahead(until)
		return
	}
	if u.loads != nil {
		u.loads.begin(now)
	}
	if !c.short() {
		c.ahead(u, until)
	}
	if c.short() {
		u.leave(until)
	}
}

// leave sends the unit out where that is worth it: where it will not come at once to what others can tell.
func (u *ComputeUnit) leave(until uint64) {
	if next := u.next(); next+worthIt <= until && u.within(next) && u.array.crew.send(u, until) {
		u.alarm.Set(min(next, u.first()))
	}
}

// worthIt is the least number of cycles for which a unit is sent out.
const worthIt = 4

// ahead goes on until a cycle, or to the first thing that others can tell.
func (u *ComputeUnit) ahead(until uint64) {
	for next := u.next(); next < until && u.within(next); next = u.next() {
		u.turns(next)
	}
}

// within says that what the unit does in a cycle, which is the next in which it
// does anything, nobody else can tell.
func (u *ComputeUnit) within(cycle uint64) bool {
	if u.lds.Next() <= cycle {
		u.lds.Leave(cycle)
	}
	if u.loads != nil && cycle >= u.loads.horizon {
		return false
	}
	if cycle < u.shared.Alone() {
		return true
	}
	if u.shared.Pending() {
		return false
	}
	if u.loads != nil {
		u.loads.ask()
	}
	for i, turn := range u.shared.Next() {
		if turn <= cycle && u.SIMDs[i].Outside(cycle) {
			return false
		}
	}
	return true
}

// turns takes what has left the LDS by cycle now, and gives the SIMDs whose turn it is theirs.
func (u *ComputeUnit) turns(now uint64) {
	if u.lds.Next() <= now {
		u.lds.Leave(now)
	}
	had := false
	for i, next := range u.shared.Next() {
		if next <= now {
			had = u.SIMDs[i].Turn(now) || had
		}
	}
	if had {
		u.own.Came()
	}
}

// next is the cycle in which a SIMD has its next turn, or an access leaves the LDS.
func (u *ComputeUnit) next() uint64 {
	next := u.lds.Next()
	for _, turn := range u.shared.Next() {
		next = min(next, turn)
	}
	return next
}

// alone is the first cycle in which a workgroup may come, or somebody look at the
// unit: 0 where its turns must be those of the engine.
func (u *ComputeUnit) alone() uint64 {
	a := u.array
	if a.payloads != nil || a.trace.to != nil || u.fetch.ways > 0 || u.Engine.NumHooks() > 0 || u.lds.Watched() {
		return 0
	}
	now := u.Engine.Now()
	until := min(now+maxAhead, u.Engine.Unseen())
	if len(u.coming) > 0 {
		until = min(until, u.coming[0])
	}
	if u.freed > now || a.dispatcher.MayPlace(u.index) {
		until = min(until, now+a.placing)
	}
	return until
}

// maxAhead bounds how many cycles a unit goes ahead, so that limits and whoever watches the run come to their right.
const maxAhead = 1024

// Expect says that a workgroup has been sent, which comes in the given cycle, not
// before those that were sent before it.
func (u *ComputeUnit) Expect(cycle uint64) { u.coming = append(u.coming, cycle) }

// plan sets the alarm to the next cycle in which the unit has something to do, unless it is out.
func (u *ComputeUnit) plan() {
	if !u.away.out {
		u.alarm.Set(min(u.next(), u.first()))
	}
}

// slot numbers the wave's slot over all SIMDs of the unit.
func (u *ComputeUnit) slot(w *simd.Wave) int {
	return w.SIMD.Index*w.SIMD.Slots() + w.Slot
}

// Memory fulfils simd.Env.
func (u *ComputeUnit) Memory(now uint64, w *simd.Wave, in *isa.Inst) simd.Booking {
	if u.shared.Early {
		if p := &u.loads.prepared[u.slot(w)]; p.made {
			return u.load(now, w, p)
		}
	}
	if in.Mem.Payload && u.array.payloads != nil && !u.array.payloads.Check(w, in) {
		return simd.Booking{Ready: now, Free: now}
	}
	if mask := mem.Writers(&w.State, in); mask != w.State.Exec {
		return u.withoutHelpers(now, w, in, mask)
	}
	return u.reach(now, w, in)
}

// withoutHelpers carries out a store or an atomic operation for the lanes that
// are no helpers.
func (u *ComputeUnit) withoutHelpers(now uint64, w *simd.Wave, in *isa.Inst, mask uint64) simd.Booking {
	exec := w.State.Exec
	w.State.Exec = mask
	b := simd.Booking{Ready: now, Free: now + 1}
	if w.State.Exec != 0 {
		b = u.reach(now, w, in)
	}
	w.State.Exec = exec
	return b
}

// reach carries out an access to memory.
func (u *ComputeUnit) reach(now uint64, w *simd.Wave, in *isa.Inst) simd.Booking {
	if u.array.trace.to != nil {
		return u.tracedAccess(now, w, in)
	}
	return u.memory.Access(now, w, in, u.slot(w))
}

// Payload fulfils simd.Env.
func (u *ComputeUnit) Payload(now uint64, w *simd.Wave, in *isa.Inst) simd.Booking {
	if u.array.payloads == nil {
		u.Engine.Fail(ErrNoGraph)
		return simd.Booking{Ready: now, Free: now}
	}
	return u.array.payloads.Do(now, u.index, w, in)
}

// LDS fulfils simd.Env.
func (u *ComputeUnit) LDS(now uint64, w *simd.Wave, in *isa.Inst) simd.Booking {
	r := &u.access
	r.Cycle, r.State, r.Base, r.Size, r.Inst = now, &w.State, w.Group.LDSBase, w.Group.LDSSize, in
	u.ask(now, w, r)
	t := &r.Timing
	if u.array.trace.to != nil {
		u.tracedLDS(now, w, in, t.Ready, t.Passes, t.ConflictPasses)
	}
	return simd.Booking{Pending: true, Free: now + t.Unit, Own: now + t.Busy, Passes: t.Passes, ConflictPasses: t.ConflictPasses}
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
	m.Unit, m.SIMD, m.Launch, m.Index, m.array = u.index, w.SIMD.Index, u.launches[u.slot(w)], g.Index, u.array
	m.Last, m.LDSBase, m.Done = len(g.Waves) == 0, g.LDSBase, g.Done
	u.freed = now + endLatency
	u.port.Post(m, u.array.ends, u.freed)
	if !m.Last {
		u.tryRelease(now, g)
		return
	}
	u.resident--
	if u.array.trace.to != nil {
		u.array.trace.to.WorkgroupEnd(now, u.index, g.Index)
	}
	u.spare = append(u.spare, g)
}
