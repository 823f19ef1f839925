package engine

import (
	"strconv"

	"github.com/sarchlab/akita/v3/sim"
)

// A Port is where messages leave and enter a component. It fulfils sim.Port, so
// that Akita's tracers can hook it; it has no connection and is never full: a
// message takes the cycles that its sender says, and arrives as an event.
type Port struct {
	sim.HookableBase
	name  string
	base  *Base
	owner sim.Component
	left  uint64 // messages that left here
	calls uint64 // messages that were handed over here, maybe ahead of the engine
}

// NewPort makes a port of a component.
func NewPort(b *Base, owner sim.Component, name string) *Port {
	p := &Port{name: b.Name() + "." + name, base: b, owner: owner}
	b.AddPort(name, p)
	b.ports = append(b.ports, p)
	return p
}

// A Message is sent from one port to another. It embeds Header, is its own event,
// and may be sent again when it has been handled.
type Message interface {
	sim.Msg
	sim.Event
	header() *Header
}

// Header is what a message embeds.
type Header struct {
	sim.MsgMeta
	src, dst *Port
	cycle    uint64
}

func (m *Header) header() *Header { return m }

// Meta fulfils sim.Msg.
func (m *Header) Meta() *sim.MsgMeta { return &m.MsgMeta }

// Time fulfils sim.Event.
func (m *Header) Time() sim.VTimeInSec { return m.dst.base.Engine.Seconds(m.cycle) }

// Handler fulfils sim.Event: the port that the message goes to.
func (m *Header) Handler() sim.Handler { return m.dst }

// IsSecondary fulfils sim.Event: messages arrive in the primary phase.
func (m *Header) IsSecondary() bool { return false }

// Post sends a message that arrives at dst in the given cycle.
func (p *Port) Post(m Message, dst *Port, arrives uint64) {
	p.base.work.Sent++
	p.leaves(m.header(), dst, arrives, m)
	p.base.Engine.At(arrives, m)
}

// Hand gives a message over within a cycle, which its sender may have come to
// ahead of the engine: it is handled before Hand returns.
func (p *Port) Hand(m Message, dst *Port, cycle uint64) {
	p.leaves(m.header(), dst, cycle, m)
	dst.calls++
	if err := dst.arrives(m); err != nil {
		p.base.Engine.Fail(err)
	}
}

// leaves addresses a message and tells the hooks.
func (p *Port) leaves(h *Header, dst *Port, arrives uint64, m Message) {
	h.src, h.dst, h.cycle = p, dst, arrives
	p.left++
	if p.NumHooks() > 0 || dst.NumHooks() > 0 {
		h.describe()
		p.InvokeHook(sim.HookCtx{Domain: p, Pos: sim.HookPosPortMsgSend, Item: m})
	}
}

// describe fills in what Akita's tracers ask of a message. Its name is the
// sender's and the number of the message there.
func (m *Header) describe() {
	e := m.src.base.Engine
	m.ID = m.src.name + "#" + strconv.FormatUint(m.src.left, 10)
	m.Src, m.Dst = m.src, m.dst
	m.SendTime, m.RecvTime = e.CurrentTime(), e.Seconds(m.cycle)
}

// Handle fulfils sim.Handler: a message has arrived as an event.
func (p *Port) Handle(event sim.Event) error {
	p.base.work.Events++
	p.base.work.Received++
	return p.arrives(event)
}

// arrives tells the hooks of a message and gives it to the component.
func (p *Port) arrives(event sim.Event) error {
	if p.NumHooks() > 0 {
		p.InvokeHook(sim.HookCtx{Domain: p, Pos: sim.HookPosPortMsgRecvd, Item: event})
	}
	return p.owner.Handle(event)
}

// Arrives is the cycle in which the message arrives.
func (m *Header) Arrives() uint64 { return m.cycle }

// Name fulfils sim.Named.
func (p *Port) Name() string { return p.name }

// Component fulfils sim.Port.
func (p *Port) Component() sim.Component { return p.owner }

// SetConnection fulfils sim.Port: the ports of this engine need none.
func (p *Port) SetConnection(sim.Connection) {}

// NotifyAvailable fulfils sim.Port: there is no connection to wait for.
func (p *Port) NotifyAvailable(sim.VTimeInSec) {}

// CanSend fulfils sim.Port: messages leave through Post, not through a connection.
func (p *Port) CanSend() bool { return false }

// Send fulfils sim.Port by refusing.
func (p *Port) Send(sim.Msg) *sim.SendError { return sim.NewSendError() }

// Recv fulfils sim.Port by refusing: what Akita's components send needs a port of Akita's.
func (p *Port) Recv(sim.Msg) *sim.SendError { return sim.NewSendError() }

// Retrieve fulfils sim.Port: messages are handled when they arrive and never wait.
func (p *Port) Retrieve(sim.VTimeInSec) sim.Msg { return nil }

// Peek fulfils sim.Port.
func (p *Port) Peek() sim.Msg { return nil }
