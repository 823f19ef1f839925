// Package cu is a compute unit: its SIMDs' wave slots, the workgroups resident
// in them, their barriers and the LDS; and the cluster that drives all compute
// units of a machine through the cycles in which something can happen.
//
// The package does not know which workgroup comes next nor what a program
// means. How long an access takes it learns from memory and LDS.
package cu

import (
	"errors"
	"fmt"

	"spvsim/isa"
	"spvsim/lds"
	"spvsim/mem"
	"spvsim/simd"
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

// LDS is the local data share of a compute unit. A workgroup has size bytes of it from base on.
type LDS interface {
	Clear(base, size uint32)
	Issue(now uint64, st *isa.State, base, size uint32, in *isa.Inst) lds.Timing
}

// A Listener hears what happens on the compute units of a cluster.
type Listener interface {
	// Freed: a wave or workgroup gave back resources in cycle now.
	Freed(now uint64, unit int)
	// Ended: the last wave of a workgroup ended; all that it did, stores
	// included, is done by cycle done.
	Ended(now, done uint64, unit int, g *simd.Group)
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
	component
	SIMDs []*simd.SIMD

	index    int // in the cluster
	cluster  *Cluster
	memory   Memory
	lds      LDS
	fetch    *fetch
	shared   simd.Shared
	room     room
	launches []*Launch // by wave slot
	barrier  uint64    // cycles
	booked   uint64    // the cycle for which the cluster will call tick
	resident int       // workgroups
	spare    []*simd.Group
}

// A Launch is a kernel: what every workgroup of it has in common.
type Launch struct {
	Code          *simd.Code
	Need          Need
	NumWorkgroups [3]uint32
	Bindings      *mem.Bindings
	Scratch       []mem.Scratch // by wave slot of the machine; nil when the program has none
	// Fragments are the quads of a draw, by workgroup: each is one wave.
	Fragments []isa.Fragments
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
func newUnit(name string, index int, spec *Spec, c *Cluster, parts Parts) (*ComputeUnit, error) {
	u := &ComputeUnit{
		component: newComponent(name), index: index, cluster: c,
		memory: parts.Memory, lds: parts.LDS, fetch: parts.fetch,
		room: newRoom(&spec.Limits), barrier: uint64(spec.BarrierCycles), booked: simd.Never,
		launches: make([]*Launch, spec.Limits.SIMDs*spec.SIMD.Slots),
	}
	for i := range spec.Limits.SIMDs {
		s, err := simd.New(spec.SIMD, simd.Place{
			Name: fmt.Sprintf("%s.SIMD[%d]", name, i), Index: i,
			Env: u, Pool: c.pool, Shared: &u.shared,
		})
		if err != nil {
			return nil, err
		}
		u.SIMDs = append(u.SIMDs, s)
	}
	if p, ok := parts.Memory.(*port); ok {
		p.attach(u)
	}
	return u, nil
}

// Resident is the number of workgroups on the unit.
func (u *ComputeUnit) Resident() int { return u.resident }

// Index numbers the unit in its cluster.
func (u *ComputeUnit) Index() int { return u.index }

// Fits says whether a workgroup of the need has room now.
func (u *ComputeUnit) Fits(n Need) bool { return u.room.fits(n) }

// Place puts a workgroup on the unit, which must have room for it. Wave i may
// start from cycle start(i).
func (u *ComputeUnit) Place(now uint64, l *Launch, wg *Workgroup, start func(wave int) uint64) {
	g := u.newGroup(wg.Index, wg.ID)
	base := u.room.takeLDS(l.Need.LDSBytes)
	u.room.barriers -= l.Need.Barriers
	g.LDSBase, g.LDSSize = uint32(base), l.Code.Program.LDSBytes
	if g.LDSSize > 0 {
		u.lds.Clear(g.LDSBase, g.LDSSize)
	}
	u.resident++
	if u.cluster.trace.to != nil {
		u.cluster.trace.placed(now, u.index, l, wg)
	}
	for i := range l.Need.Waves {
		s := u.SIMDs[u.room.takeSIMD(l.Need)]
		w := s.Start(now, &simd.Start{
			Code: l.Code, Group: g, WaveInGroup: uint32(i), WavesInGroup: uint32(l.Need.Waves),
			NumWorkgroups: wg.Count, At: start(i), Node: wg.Node, Fragments: wg.Fragments,
		})
		g.Waves = append(g.Waves, w)
		slot := u.slot(w)
		u.launches[slot] = l
		u.memory.Begin(slot, l)
	}
	u.book(now)
}

func (u *ComputeUnit) newGroup(index uint64, id [3]uint32) *simd.Group {
	g := &simd.Group{}
	if n := len(u.spare); n > 0 {
		g = u.spare[n-1]
		u.spare = u.spare[:n-1]
	}
	*g = simd.Group{Index: index, ID: id, Waves: g.Waves[:0]}
	return g
}

// tick does the work of cycle now.
func (u *ComputeUnit) tick(now uint64) {
	for _, s := range u.SIMDs {
		if s.Next() <= now {
			s.Turn(now)
		}
	}
}

// book asks the cluster for a tick in the next cycle in which a SIMD has a turn.
func (u *ComputeUnit) book(now uint64) {
	next := simd.Never
	for _, s := range u.SIMDs {
		next = min(next, s.Next())
	}
	if next < simd.Never {
		u.cluster.book(u, now, next)
	}
}

// slot numbers the wave's slot over all SIMDs of the unit.
func (u *ComputeUnit) slot(w *simd.Wave) int {
	return w.SIMD.Index*w.SIMD.Slots() + w.Slot
}

// Memory fulfils simd.Env.
func (u *ComputeUnit) Memory(now uint64, w *simd.Wave, in *isa.Inst) simd.Booking {
	if in.Mem.Payload && u.cluster.payloads != nil && !u.cluster.payloads.Check(w, in) {
		return simd.Booking{Ready: now, Free: now}
	}
	if w.State.Helpers&w.State.Exec != 0 && in.Op.Has(isa.FlagWrites) && in.Mem.Space != isa.SpaceScratch {
		return u.withoutHelpers(now, w, in)
	}
	return u.access(now, w, in)
}

// withoutHelpers carries out a store or an atomic operation for the lanes that
// are no helpers: helpers write nothing, and get what their registers held.
func (u *ComputeUnit) withoutHelpers(now uint64, w *simd.Wave, in *isa.Inst) simd.Booking {
	exec := w.State.Exec
	w.State.Exec &^= w.State.Helpers
	b := simd.Booking{Ready: now, Free: now + 1}
	if w.State.Exec != 0 {
		b = u.access(now, w, in)
	}
	w.State.Exec = exec
	return b
}

func (u *ComputeUnit) access(now uint64, w *simd.Wave, in *isa.Inst) simd.Booking {
	if u.cluster.trace.to != nil {
		return u.tracedAccess(now, w, in)
	}
	return u.memory.Access(now, w, in, u.slot(w))
}

// Payload fulfils simd.Env.
func (u *ComputeUnit) Payload(now uint64, w *simd.Wave, in *isa.Inst) simd.Booking {
	if u.cluster.payloads == nil {
		u.cluster.Fail(ErrNoGraph)
		return simd.Booking{Ready: now, Free: now}
	}
	return u.cluster.payloads.Do(now, u.index, w, in)
}

// LDS fulfils simd.Env.
func (u *ComputeUnit) LDS(now uint64, w *simd.Wave, in *isa.Inst) simd.Booking {
	t := u.lds.Issue(now, &w.State, w.Group.LDSBase, w.Group.LDSSize, in)
	if u.cluster.trace.to != nil {
		u.tracedLDS(now, w, in, t.Ready, t.Passes, t.ConflictPasses)
	}
	return simd.Booking{Ready: t.Ready, Free: now + t.Unit, Own: now + t.Busy, Passes: t.Passes, ConflictPasses: t.ConflictPasses}
}

// Complete brings the end of a pending access of one of the unit's waves.
func (u *ComputeUnit) Complete(now uint64, t simd.Ticket) {
	t.SIMD().Complete(now, t)
	u.book(now)
}

// Fetch fulfils simd.Env.
func (u *ComputeUnit) Fetch(_ uint64, line uint32) uint64 { return u.fetch.enter(line) }

// Print fulfils simd.Env.
func (u *ComputeUnit) Print(now uint64, w *simd.Wave, in *isa.Inst) {
	if u.cluster.printer != nil {
		u.cluster.printer(now, w, in)
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
	need := u.launches[u.slot(w)].Need
	u.room.freeWave(w.SIMD.Index, need)
	if len(g.Waves) > 0 {
		u.tryRelease(now, g)
		u.cluster.listener.Freed(now, u.index)
		return
	}
	u.room.freeGroup(g.LDSBase, need)
	u.resident--
	if u.cluster.trace.to != nil {
		u.cluster.trace.to.WorkgroupEnd(now, u.index, g.Index)
	}
	u.spare = append(u.spare, g)
	u.cluster.listener.Ended(now, g.Done, u.index, g)
	u.cluster.listener.Freed(now, u.index)
}
