package lds

import (
	"github.com/sarchlab/akita/v3/sim"

	"spvsim/isa"
)

// A Component is an LDS with a name and hooks. Its compute unit calls it within
// its own event, so that it has neither events nor ports.
type Component struct {
	*sim.ComponentBase
	*LDS
}

// HookPosAccess marks an access; the item is an Access.
var HookPosAccess = &sim.HookPos{Name: "LDS Access"}

// An Access is what a hook sees of an issue.
type Access struct {
	Cycle  uint64
	Inst   *isa.Inst
	Timing Timing
}

// NewComponent makes an LDS under a name.
func NewComponent(name string, s Spec) (*Component, error) {
	d, err := New(s)
	if err != nil {
		return nil, err
	}
	return &Component{sim.NewComponentBase(name), d}, nil
}

// Issue is LDS.Issue, and tells the hooks if there are any.
func (c *Component) Issue(now uint64, st *isa.State, base, size uint32, in *isa.Inst) Timing {
	t := c.LDS.Issue(now, st, base, size, in)
	if c.NumHooks() > 0 {
		c.InvokeHook(sim.HookCtx{Domain: c, Pos: HookPosAccess, Item: Access{now, in, t}})
	}
	return t
}

// Handle fulfils sim.Handler: an LDS schedules no events.
func (c *Component) Handle(sim.Event) error { return nil }

// NotifyRecv fulfils sim.Component: an LDS has no ports.
func (c *Component) NotifyRecv(sim.VTimeInSec, sim.Port) {}

// NotifyPortFree fulfils sim.Component: an LDS has no ports.
func (c *Component) NotifyPortFree(sim.VTimeInSec, sim.Port) {}
