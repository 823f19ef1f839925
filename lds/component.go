package lds

import (
	"github.com/sarchlab/akita/v3/sim"

	"spvsim/engine"
	"spvsim/isa"
)

// A Component is an LDS among the machine's parts. Its compute unit hands it the
// accesses of waves; each has an event in the cycle in which it has left the
// banks, with which the answer goes back. These events are the unit's to run
// (Leave), as no other part sees them: it may go ahead of the engine.
type Component struct {
	engine.Base
	*LDS
	port    *engine.Port
	leaving []leave // the earliest first
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
	Cycle      uint64 // in which the instruction issues
	State      *isa.State
	Base, Size uint32
	Inst       *isa.Inst
	Timing     Timing
	// Answer is the message that goes back to To when the access has left the banks.
	Answer engine.Message
	To     *engine.Port
}

// A leave is an access that leaves the banks in a cycle.
type leave struct {
	cycle  uint64
	answer engine.Message
	to     *engine.Port
}

// NewComponent makes an LDS of a checked spec under a name.
func NewComponent(e *engine.Engine, name string, s *Spec) *Component {
	c := &Component{Base: engine.NewBase(e, name), LDS: New(s)}
	c.port = engine.NewPort(&c.Base, c, "Unit")
	return c
}

// Port is where accesses are handed in.
func (c *Component) Port() *engine.Port { return c.port }

// Watched says that the accesses are reported, in the order of time.
func (c *Component) Watched() bool { return c.NumHooks() > 0 || c.port.NumHooks() > 0 }

// Handle fulfils sim.Handler.
func (c *Component) Handle(e sim.Event) error {
	if r, ok := e.(*Request); ok {
		c.access(r)
	}
	return nil
}

// access carries out an access and plans its end, which is in a later cycle even
// if no lane takes part.
func (c *Component) access(r *Request) {
	r.Timing = c.LDS.Issue(r.Cycle, r.State, r.Base, r.Size, r.Inst)
	if c.NumHooks() > 0 {
		c.InvokeHook(sim.HookCtx{Domain: c, Pos: HookPosAccess, Item: Access{r.Cycle, r.Inst, r.Timing}})
	}
	l := leave{max(r.Timing.Ready, r.Cycle+1), r.Answer, r.To}
	c.leaving = append(c.leaving, l)
	for i := len(c.leaving) - 1; i > 0 && c.leaving[i-1].cycle > l.cycle; i-- {
		c.leaving[i-1], c.leaving[i] = l, c.leaving[i-1]
	}
}

// Next is the cycle in which the next access leaves the banks; engine.Never if there is none.
func (c *Component) Next() uint64 {
	if len(c.leaving) == 0 {
		return engine.Never
	}
	return c.leaving[0].cycle
}

// Leave hands back the answers of the accesses that have left by cycle now.
func (c *Component) Leave(now uint64) {
	n := 0
	for ; n < len(c.leaving) && c.leaving[n].cycle <= now; n++ {
		l := &c.leaving[n]
		c.port.Hand(l.answer, l.to, l.cycle)
	}
	c.leaving = c.leaving[:copy(c.leaving, c.leaving[n:])]
}
