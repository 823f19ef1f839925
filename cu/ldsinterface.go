package cu

import (
	"spvsim/engine"
	"spvsim/internal/timing"
	"spvsim/isa"
	"spvsim/lds"
	"spvsim/simd"
)

// LDS is the local data share of a compute unit. A workgroup has size bytes of it
// from base on. Accesses are handed to its port, as lds.Request.
type LDS interface {
	Clear(base, size uint32)
	Port() *engine.Port
	// NextCompletion is the cycle in which the next access completes, and DeliverUntil delivers the answers of all accesses
	// that completed by cycle now; the unit calls it before it issues.
	NextCompletion() uint64
	DeliverUntil(now uint64)
	// Traced reports whether a tracer needs the accesses in the order of time.
	Traced() bool
}

// An ldsInterface connects a compute unit with its LDS.
type ldsInterface struct {
	lds           LDS
	banks         *engine.Port // of the unit, to the LDS
	request       lds.Request  // the current one
	nextLDSAnswer uint64       // cycle in which the next access completes
}

func (u *ComputeUnit) AccessLDS(now uint64, w *simd.Wave, in *isa.Inst) *timing.Response {
	if g := w.Workgroup.Check; g != nil {
		pc, _ := w.CurrentInst()
		g.AccessLDS(&w.State, pc, in)
	}
	a, r := u.Answer(w.Ticket()), &u.request
	r.Cycle, r.State, r.Base, r.Size, r.Inst = now, &w.State, w.Workgroup.LDSBase, w.Workgroup.LDSSize, in
	r.Answer, r.To, a.local = a, u.banks, true
	u.banks.Deliver(r, u.lds.Port(), now)
	u.nextLDSAnswer = u.lds.NextCompletion()
	a.Done = r.Response.ReadyAt
	if u.units.trace.to != nil {
		u.traceLDS(now, w, in, r.Response)
	}
	return r.Response
}

// deliverLDS delivers the answers of the accesses that completed by cycle now.
func (u *ComputeUnit) deliverLDS(now uint64) {
	u.lds.DeliverUntil(now)
	u.nextLDSAnswer = u.lds.NextCompletion()
}
