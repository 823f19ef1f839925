package lds

import (
	"github.com/sarchlab/akita/v3/sim"

	"spvsim/engine"
	"spvsim/internal/timing"
	"spvsim/isa"
)

// A Component is the LDS among the machine's parts. Its compute unit hands it the
// accesses of waves. An answer goes back in the cycle in which an access has left the
// banks. The compute unit asks for the answers (DeliverUntil) instead of getting events, as no
// other part sees them: it may run ahead of the engine.
type Component struct {
	engine.Base
	*LDS
	port    *engine.Port
	pending []completion // the earliest first
	ahead   uint64       // cycles before the pipe is free in which an access may issue
	idleAt  uint64       // cycle from which the pipe is free
}

// HookPosAccess marks an access; the item is an Access.
var HookPosAccess = &sim.HookPos{Name: "LDS Access"}

// An Access is the item of HookPosAccess.
type Access struct {
	Cycle    uint64
	Inst     *isa.Inst
	Response timing.Response
}

// A Request is an access of a wave to its workgroup's range of Size bytes from
// Base on. It is handed over in the cycle in which the instruction issues, which
// computes its values. Response is there at once, and valid until the next request.
type Request struct {
	engine.Header
	Cycle      uint64 // in which the instruction issues
	State      *isa.State
	Base, Size uint32
	Inst       *isa.Inst
	Response   *timing.Response
	// Answer is the message that goes back to To when the access has left the banks.
	Answer engine.Message
	To     *engine.Port
}

// A completion is an access that leaves the banks in a cycle, with its answer.
type completion struct {
	cycle  uint64
	answer engine.Message
	to     *engine.Port
}

// NewComponent makes an LDS of a checked spec under a name. Where SIMDs issue in turns, cadence cycles apart, an access may issue in the last
// cycle of the one before: the pipe would otherwise be idle until a SIMD that has none there has its turn.
func NewComponent(e *engine.Engine, name string, s *Spec, cadence int) *Component {
	c := &Component{Base: engine.NewBase(e, name), LDS: New(s), ahead: uint64(min(1, cadence-1))}
	c.port = engine.NewPort(&c.Base, c, "Unit")
	return c
}

// Port returns the port for accesses.
func (c *Component) Port() *engine.Port { return c.port }

// Traced reports whether a hook needs the accesses in the order of time.
func (c *Component) Traced() bool { return c.NumHooks() > 0 || c.port.NumHooks() > 0 }

// Handle implements sim.Handler.
func (c *Component) Handle(e sim.Event) error {
	if r, ok := e.(*Request); ok {
		c.access(r)
	}
	return nil
}

// access carries out an access and plans its end, which is in a later cycle even
// if no lane takes part.
func (c *Component) access(r *Request) {
	r.Response = c.LDS.Issue(r.Cycle, r.State, r.Base, r.Size, r.Inst)
	c.waitForPipe(r.Cycle, r.Response)
	if c.NumHooks() > 0 {
		c.InvokeHook(sim.HookCtx{Domain: c, Pos: HookPosAccess, Item: Access{r.Cycle, r.Inst, *r.Response}})
	}
	l := completion{max(r.Response.ReadyAt, r.Cycle+1), r.Answer, r.To}
	c.pending = append(c.pending, l)
	for i := len(c.pending) - 1; i > 0 && c.pending[i-1].cycle > l.cycle; i-- {
		c.pending[i-1], c.pending[i] = l, c.pending[i-1]
	}
}

// waitForPipe lets an access that issued before the pipe is free wait for it.
func (c *Component) waitForPipe(now uint64, a *timing.Response) {
	wait := max(c.idleAt, now) - now
	a.ReadyAt, a.OwnUnitFreeAt, c.idleAt = a.ReadyAt+wait, a.OwnUnitFreeAt+wait, a.UnitFreeAt+wait
	a.UnitFreeAt = max(now, c.idleAt-min(c.idleAt, c.ahead))
}

// NextCompletion returns the cycle in which the next access leaves the banks; engine.Never if there is none.
func (c *Component) NextCompletion() uint64 {
	if len(c.pending) == 0 {
		return engine.Never
	}
	return c.pending[0].cycle
}

// DeliverUntil delivers the answers of the accesses that have left the banks by cycle now.
func (c *Component) DeliverUntil(now uint64) {
	n := 0
	for ; n < len(c.pending) && c.pending[n].cycle <= now; n++ {
		l := &c.pending[n]
		c.port.Deliver(l.answer, l.to, l.cycle)
	}
	c.pending = c.pending[:copy(c.pending, c.pending[n:])]
}
