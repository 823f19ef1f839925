package cu

import (
	"spvsim/internal/timing"
	"spvsim/isa"
	"spvsim/mem"
	"spvsim/simd"
)

// port is the memory of a compute unit as its SIMDs use it: it knows what the
// wave in each slot has bound, and who waits for which pending access.
type port struct {
	port    *mem.Port
	env     []mem.Env // by wave slot of the unit
	first   int       // number of the unit's first wave slot in the machine
	waiting []waiting
	unit    *ComputeUnit
}

type waiting struct {
	token  uint64
	ticket simd.Ticket
}

// Begin says that a wave of the launch starts in the slot.
func (p *port) Begin(slot int, l *Launch) {
	e := mem.Env{Bindings: l.Bindings, Touched: l.Touched, Traffic: l.Traffic}
	if l.Scratch != nil {
		e.Scratch = &l.Scratch[p.first+slot]
		e.Scratch.Ready(int(l.Code.Program.ScratchWords), l.Code.Program.WaveSize)
	}
	p.env[slot] = e
}

// Access carries out an instruction on the bytes of memory.
func (p *port) Access(now uint64, w *simd.Wave, in *isa.Inst, slot int, b *simd.Booking) {
	e := &p.env[slot]
	if f := e.Touched; f != nil {
		p.port.Mark(f, &w.State, e, in)
	}
	var t *timing.Response
	if e.Traffic != nil {
		t = p.port.IssueFor(e.Traffic, now, &w.State, e, in)
	} else {
		t = p.port.Issue(now, &w.State, e, in)
	}
	pending := t.Completion == timing.ByCallback
	if pending {
		p.waiting = append(p.waiting, waiting{t.Token, w.Ticket()})
	}
	b.Ready, b.Free, b.Full, b.FullOf, b.Pending, b.Outstanding = t.ReadyAt, t.UnitFreeAt, t.StallCycles, t.StallReason, pending, false
}

// complete hands a completion to the wave that waits for it.
func (p *port) complete(token, now uint64) {
	for i := range p.waiting {
		if wait := p.waiting[i]; wait.token == token {
			p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
			if t := p.unit.array.trace.to; t != nil {
				t.AccessDone(now, p.unit.index, token)
			}
			p.unit.complete(now, wait.ticket)
			return
		}
	}
}

// NewMemory makes the memory of a compute unit with the given wave slots, of
// which the first is number first in the machine.
func NewMemory(p *mem.Port, first, slots int) Memory {
	return &port{port: p, env: make([]mem.Env, slots), first: first}
}

// attach connects pending completions with the unit.
func (p *port) attach(u *ComputeUnit) {
	p.unit = u
	p.port.OnComplete(p.complete)
}
