package engine

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/sarchlab/akita/v3/sim"
)

// A Port sends and receives the messages of a component. It implements sim.Port, so that Akita's tracers can hook it.
// Without a connection it is never full: a message takes the cycles that its sender sets, and arrives as an event. Two
// ports that are plugged into one of Akita's connections send through it: the connection gets a message in the cycle in
// which it would otherwise have arrived.
type Port struct {
	sim.HookableBase
	connection sim.Connection // nil: not connected
	waiting    []Message      // messages that the connection has not accepted yet
	name       string
	base       *Base
	owner      sim.Component
	sentCount  uint64 // messages that left here
	calls      uint64 // messages that were handed over here, maybe ahead of the engine
}

func NewPort(b *Base, owner sim.Component, name string) *Port {
	p := &Port{name: b.Name() + "." + name, base: b, owner: owner}
	b.AddPort(name, p)
	b.ports = append(b.ports, p)
	return p
}

// A Message is sent from one port to another. It embeds Header, is its own event, and may be sent again when it has
// been handled.
type Message interface {
	sim.Msg
	sim.Event
	header() *Header
}

// Header is embedded in messages.
type Header struct {
	sim.MsgMeta
	src, dst *Port
	cycle    uint64
	number   uint64 // among the messages that src sent
}

func (m *Header) header() *Header { return m }

func (m *Header) Meta() *sim.MsgMeta { return &m.MsgMeta }

// Time implements sim.Event.
func (m *Header) Time() sim.VTimeInSec { return m.dst.base.Engine.Seconds(m.cycle) }

// Handler implements sim.Event: it returns the receiving port.
func (m *Header) Handler() sim.Handler { return m.dst }

// IsSecondary implements sim.Event: messages arrive in the primary phase.
func (m *Header) IsSecondary() bool { return false }

// Post sends a message that arrives at dst in the given cycle.
func (p *Port) Post(m Message, dst *Port, arrives uint64) {
	p.base.activity.Sent++
	p.addressTo(m.header(), dst, arrives, m)
	if p.connection != nil && p.connection == dst.connection && p != dst {
		p.base.Engine.ScheduleAt(arrives, &departure{p, m})
		return
	}
	p.base.Engine.ScheduleAt(arrives, m)
}

// A departure is the event at which a message enters a connection.
type departure struct {
	port *Port
	m    Message
}

// Time implements sim.Event.
func (d *departure) Time() sim.VTimeInSec { return d.m.Time() }

// Handler implements sim.Event.
func (d *departure) Handler() sim.Handler { return d.port }

// IsSecondary implements sim.Event.
func (d *departure) IsSecondary() bool { return false }

// sendWaiting passes waiting messages to the connection until it refuses one.
func (p *Port) sendWaiting(now sim.VTimeInSec) {
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

// Connected reports whether the port is plugged into a connection.
func (p *Port) Connected() bool { return p.connection != nil }

// Deliver delivers a message within a cycle, which its sender may have reached ahead of the engine: it is handled before
// Hand returns.
func (p *Port) Deliver(m Message, dst *Port, cycle uint64) {
	p.addressTo(m.header(), dst, cycle, m)
	dst.calls++
	if err := dst.arrives(m); err != nil {
		p.base.Engine.Fail(err)
	}
}

// addressTo addresses a message and calls the hooks.
func (p *Port) addressTo(h *Header, dst *Port, arrives uint64, m Message) {
	h.src, h.dst, h.cycle = p, dst, arrives
	p.sentCount++
	h.number = p.sentCount
	if p.NumHooks() > 0 || dst.NumHooks() > 0 {
		h.describe()
		p.InvokeHook(sim.HookCtx{Domain: p, Pos: sim.HookPosPortMsgSend, Item: m})
	}
}

// describe sets the fields that Akita's tracers read. A message's name is that of its sender with the message's number
// there.
func (m *Header) describe() {
	e := m.src.base.Engine
	m.ID = m.src.name + "#" + strconv.FormatUint(m.number, 10)
	m.Src, m.Dst = m.src, m.dst
	m.SendTime, m.RecvTime = e.CurrentTime(), e.Seconds(m.cycle)
}

// Handle implements sim.Handler: a message has arrived as an event, or leaves through a connection.
func (p *Port) Handle(event sim.Event) error {
	p.base.activity.Events++
	if d, ok := event.(*departure); ok {
		p.waiting = append(p.waiting, d.m)
		p.sendWaiting(d.Time())
		return nil
	}
	p.base.activity.Received++
	return p.arrives(event)
}

// arrives calls the hooks of a message and passes it to the component.
func (p *Port) arrives(event sim.Event) error {
	if p.NumHooks() > 0 {
		p.InvokeHook(sim.HookCtx{Domain: p, Pos: sim.HookPosPortMsgRecvd, Item: event})
	}
	return p.owner.Handle(event)
}

// Arrives returns the cycle in which the message arrives.
func (m *Header) Arrives() uint64 { return m.cycle }

// Name implements sim.Named.
func (p *Port) Name() string { return p.name }

func (p *Port) Component() sim.Component { return p.owner }

// SetConnection implements sim.Port. A port has one connection at most.
func (p *Port) SetConnection(c sim.Connection) {
	if p.connection != nil && c != nil && p.connection != c {
		p.base.Engine.Fail(fmt.Errorf("%w: %s", ErrConnected, p.name))
		return
	}
	p.connection = c
}

// ErrConnected means that a port was plugged into a second connection.
var ErrConnected = errors.New("engine: the port has a connection")

// ErrForeign means that a connection delivered a message that no port of this engine sent.
var ErrForeign = errors.New("engine: want a message of this engine's ports")

// NotifyAvailable implements sim.Port: the connection accepts messages again.
func (p *Port) NotifyAvailable(now sim.VTimeInSec) { p.sendWaiting(now) }

// CanSend implements sim.Port: the owner's messages are sent by Post, which never refuses.
func (p *Port) CanSend() bool { return false }

// Send implements sim.Port by refusing: the owner's messages are sent by Post.
func (p *Port) Send(sim.Msg) *sim.SendError { return sim.NewSendError() }

// Recv implements sim.Port: a connection delivers a message, which arrives as an event of this cycle or, if alarms have
// rung in it, of the next. The components know their own messages only.
func (p *Port) Recv(msg sim.Msg) *sim.SendError {
	m, ok := msg.(Message)
	if !ok {
		p.base.Engine.Fail(fmt.Errorf("%w: %s got a %T", ErrForeign, p.name, msg))
		return nil
	}
	h, e := m.header(), p.base.Engine
	h.dst, h.cycle = p, e.NextSecondary()
	e.ScheduleAt(h.cycle, m)
	return nil
}

// Retrieve implements sim.Port: messages are handled when they arrive and never wait.
func (p *Port) Retrieve(sim.VTimeInSec) sim.Msg { return nil }

func (p *Port) Peek() sim.Msg { return nil }
