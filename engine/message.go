package engine

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/sarchlab/akita/v3/sim"
)

// A Port is where messages leave and enter a component. It fulfils sim.Port, so
// that Akita's tracers can hook it. Without a connection it is never full: a
// message takes the cycles that its sender says, and arrives as an event. Two
// ports that are plugged into one of Akita's connections send through that: it
// gets a message in the cycle in which the message would have arrived.
type Port struct {
	sim.HookableBase
	connection sim.Connection // nil: none
	waiting    []Message      // that the connection did not take yet
	name       string
	base       *Base
	owner      sim.Component
	left       uint64 // messages that left here
	calls      uint64 // messages that were handed over here, maybe ahead of the engine
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
	number   uint64 // among those that left src
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
	if p.connection != nil && p.connection == dst.connection && p != dst {
		p.base.Engine.At(arrives, &departure{p, m})
		return
	}
	p.base.Engine.At(arrives, m)
}

// A departure is the event in which a message goes into a connection.
type departure struct {
	port *Port
	m    Message
}

// Time fulfils sim.Event.
func (d *departure) Time() sim.VTimeInSec { return d.m.Time() }

// Handler fulfils sim.Event.
func (d *departure) Handler() sim.Handler { return d.port }

// IsSecondary fulfils sim.Event.
func (d *departure) IsSecondary() bool { return false }

// offer gives the connection the messages that wait, as far as it takes them.
func (p *Port) offer(now sim.VTimeInSec) {
	for len(p.waiting) > 0 {
		m := p.waiting[0]
		h := m.header()
		h.describe()
		h.SendTime = now
		if p.connection.Send(m) != nil {
			return
		}
		p.waiting = p.waiting[1:]
	}
}

// Connected says that the port is plugged into a connection.
func (p *Port) Connected() bool { return p.connection != nil }

// Hand gives a message over within a cycle, which its sender may have come to
// ahead of the engine: it is handled before Hand returns.
func (p *Port) Hand(m Message, dst *Port, cycle uint64) {
	p.leaves(m.header(), dst, cycle, m)
	dst.calls++
	if err := dst.arrives(m); err != nil {
		p.base.Engine.Fail(err)
	}
}

// leaves addresses a message and notifies the hooks.
func (p *Port) leaves(h *Header, dst *Port, arrives uint64, m Message) {
	h.src, h.dst, h.cycle = p, dst, arrives
	p.left++
	h.number = p.left
	if p.NumHooks() > 0 || dst.NumHooks() > 0 {
		h.describe()
		p.InvokeHook(sim.HookCtx{Domain: p, Pos: sim.HookPosPortMsgSend, Item: m})
	}
}

// describe fills in what Akita's tracers ask of a message. Its name is the
// sender's and the number of the message there.
func (m *Header) describe() {
	e := m.src.base.Engine
	m.ID = m.src.name + "#" + strconv.FormatUint(m.number, 10)
	m.Src, m.Dst = m.src, m.dst
	m.SendTime, m.RecvTime = e.CurrentTime(), e.Seconds(m.cycle)
}

// Handle fulfils sim.Handler: a message has arrived as an event, or leaves through a connection.
func (p *Port) Handle(event sim.Event) error {
	p.base.work.Events++
	if d, ok := event.(*departure); ok {
		p.waiting = append(p.waiting, d.m)
		p.offer(d.Time())
		return nil
	}
	p.base.work.Received++
	return p.arrives(event)
}

// arrives notifies the hooks of a message and gives it to the component.
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

// SetConnection fulfils sim.Port. A port has one connection at most.
func (p *Port) SetConnection(c sim.Connection) {
	if p.connection != nil && c != nil && p.connection != c {
		p.base.Engine.Fail(fmt.Errorf("%w: %s", ErrConnected, p.name))
		return
	}
	p.connection = c
}

// ErrConnected says that a port was plugged into a second connection.
var ErrConnected = errors.New("engine: the port has a connection")

// ErrForeign says that a connection brought what no port of this engine sent.
var ErrForeign = errors.New("engine: want a message of this engine's ports")

// NotifyAvailable fulfils sim.Port: the connection takes messages again.
func (p *Port) NotifyAvailable(now sim.VTimeInSec) { p.offer(now) }

// CanSend fulfils sim.Port: the owner's messages leave through Post, which never refuses.
func (p *Port) CanSend() bool { return false }

// Send fulfils sim.Port by refusing: the owner's messages leave through Post.
func (p *Port) Send(sim.Msg) *sim.SendError { return sim.NewSendError() }

// Recv fulfils sim.Port: a connection brings a message, which arrives as an event
// of this cycle or, if alarms have rung in it, of the next. The components know their
// own messages only.
func (p *Port) Recv(msg sim.Msg) *sim.SendError {
	m, ok := msg.(Message)
	if !ok {
		p.base.Engine.Fail(fmt.Errorf("%w: %s got a %T", ErrForeign, p.name, msg))
		return nil
	}
	h, e := m.header(), p.base.Engine
	h.dst, h.cycle = p, e.Soonest()
	e.At(h.cycle, m)
	return nil
}

// Retrieve fulfils sim.Port: messages are handled when they arrive and never wait.
func (p *Port) Retrieve(sim.VTimeInSec) sim.Msg { return nil }

// Peek fulfils sim.Port.
func (p *Port) Peek() sim.Msg { return nil }
