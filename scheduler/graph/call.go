package graph

import (
	"spvsim/internal/timing"
	"spvsim/isa"
	"spvsim/simd"
)

// A call is one execution of an instruction by all waves of a workgroup together.
type call struct {
	pc           int
	waves        uint64 // waves that have executed it
	count, index uint64
	array        int32
	result       uint64
	id           isa.Origin
	op           isa.Op
	*callWaiters
}

// callWaiters are the waves that wait for a call, and the cycle in which it is done, once known.
type callWaiters struct {
	allocator *allocator
	unit      int
	at        uint64
	known     bool
	tickets   []simd.Ticket
}

func (g *workgroup) newCallWaiters() *callWaiters {
	return &callWaiters{allocator: g.allocator, unit: g.unit}
}

// wait returns the wait that answers the waves when the call is done.
func (a *callWaiters) wait(from uint64) *wait {
	return gather(from, func(at uint64) {
		a.at, a.known = at, true
		for _, t := range a.tickets {
			a.allocator.answer(a.unit, t, at)
		}
		a.tickets = nil
	})
}

// response lets a wave that makes the call now go on at once; the result comes when the call is done.
func (a *callWaiters) response(v *waveOp) timing.Response {
	switch {
	case a.known && a.at <= v.now:
		return timing.Response{ReadyAt: v.now, UnitFreeAt: v.now}
	case a.known:
		a.allocator.answer(a.unit, v.wave.Ticket(), a.at)
	default:
		a.tickets = append(a.tickets, v.wave.Ticket())
	}
	return timing.Response{Completion: timing.ByCallback, UnitFreeAt: v.now}
}

// joinCall returns the call that a wave takes part in: the first one at this instruction that the wave has not
// executed, or a new one.
func (g *workgroup) joinCall(v *waveOp) (c *call, isNew bool) {
	for i := range g.calls {
		if c := &g.calls[i]; c.pc == v.pc && c.waves&v.bit() == 0 {
			c.waves |= v.bit()
			return c, false
		}
	}
	g.calls = append(g.calls, call{pc: v.pc, waves: v.bit(), id: v.in.Origin, op: v.in.Op})
	return &g.calls[len(g.calls)-1], true
}

// dropCompleteCalls removes the calls that all waves have executed.
func (g *workgroup) dropCompleteCalls() {
	kept := g.calls[:0]
	for _, c := range g.calls {
		if c.waves != g.waves {
			kept = append(kept, c)
		}
	}
	g.calls = kept
}
