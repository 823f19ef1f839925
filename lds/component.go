package lds

import (
	"github.com/sarchlab/akita/v3/sim"

	"spvsim/engine"
	"spvsim/isa"
)

// A Component is an LDS among the machine's parts. Its compute unit hands it the
// accesses of waves; each has an event in the cycle in which it has left the
// banks, with which the answer goes back.
type Component struct {
	engine.Base
	*LDS
	port    *engine.Port
	leaving engine.Stock[leave]
}

// HookPosAccess marks an access; the item is an Access.
var HookPosAccess = &sim.HookPos{Name: "LDS Access"}

// An Access is what a hook sees of an access.
type Access struct {
	Cycle  uint64
	Inst   *isa.Inst
	Timing Timing
}

// A Request is an access of a wave to its workgroup's range of Size bytes from
// Base on. It is handed over in the cycle in which the instruction issues, which
// computes its values; Timing says at once how long the banks are taken.
type Request struct {
	engine.Header
	State      *isa.State
	Base, Size uint32
	Inst       *isa.Inst
	Timing     Timing
	// Answer is the message that goes back to To when the access has left the banks.
	Answer engine.Message
	To     *engine.Port
}

// A leave is the event of an access that leaves the banks.
type leave struct {
	lds    *Component
	cycle  uint64
	answer engine.Message
	to     *engine.Port
}

// Time fulfils sim.Event.
func (l *leave) Time() sim.VTimeInSec { return l.lds.Engine.Seconds(l.cycle) }

// Handler fulfils sim.Event.
func (l *leave) Handler() sim.Handler { return l.lds }

// IsSecondary fulfils sim.Event.
func (l *leave) IsSecondary() bool { return false }

// NewComponent makes an LDS of a checked spec under a name.
func NewComponent(e *engine.Engine, name string, s *Spec) *Component {
	c := &Component{Base: engine.NewBase(e, name), LDS: New(s)}
	c.port = engine.NewPort(&c.Base, c, "Unit")
	return c
}

// Port is where accesses are handed in.
func (c *Component) Port() *engine.Port { return c.port }

// Handle fulfils sim.Handler.
func (c *Component) Handle(e sim.Event) error {
	switch e := e.(type) {
	case *Request:
		c.access(e)
	case *leave:
		answer, to := e.answer, e.to
		c.leaving.Give(e)
		c.port.Hand(answer, to)
	}
	return nil
}

// access carries out an access now and plans its end, which is in a later cycle
// even if no lane takes part.
func (c *Component) access(r *Request) {
	now := c.Engine.Now()
	r.Timing = c.LDS.Issue(now, r.State, r.Base, r.Size, r.Inst)
	if c.NumHooks() > 0 {
		c.InvokeHook(sim.HookCtx{Domain: c, Pos: HookPosAccess, Item: Access{now, r.Inst, r.Timing}})
	}
	l := c.leaving.Take()
	*l = leave{c, max(r.Timing.Ready, now+1), r.Answer, r.To}
	c.Own(l.cycle, l)
}
