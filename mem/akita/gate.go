//go:build akita

package akita

import (
	akita "github.com/sarchlab/akita/v3/mem/mem"
	"github.com/sarchlab/akita/v3/sim"

	"spvsim/mem/fixed"
	"spvsim/mem/hierarchy"
)

// A gateSpec is the behaviour that a gate adds to the part behind it.
type gateSpec struct {
	latency     uint64
	cost        uint64 // fixed-point cycles of one byte
	serial      uint64 // fixed-point cycles of a further update of one element
	line        uint64 // bytes of the largest message passed on: larger ones are split
	limit       int    // messages behind it
	invalidates bool   // the part, at a kernel boundary
}

// A gate passes requests on to one of Akita's parts, and responses back. It
// always takes responses, so no part ever waits to give one.
type gate struct {
	*sim.TickingComponent
	gateSpec
	a          *Memory
	top        sim.Port
	bottom     sim.Port
	nextFinder akita.LowModuleFinder
	counter    *hierarchy.Counter // nil: counts nothing
	queue      []linePiece
	flight     map[string]*passage // by the identifier of the message sent on
	free       uint64              // fixed-point cycle from which it is idle
	wake       uint64              // cycle of the latest tick scheduled ahead
	invalidate bool
	blank      []byte // for all messages: values are not looked at
}

// A passage is a request that has come to a gate.
type passage struct {
	req           akita.AccessReq
	pendingPieces int // parcels without a response
}

// A linePiece is the part of a request that is in one line.
type linePiece struct {
	*passage
	readyAt uint64 // cycle from which it can be passed on
	addr    uint64
	size    uint64
	write   bool
	mask    []bool // of the bytes of a store; nil: all
	cost    uint64 // fixed point
}

func (a *Memory) gate(name string, s gateSpec, behind akita.LowModuleFinder, c *hierarchy.Counter) *gate {
	g := &gate{gateSpec: s, a: a, nextFinder: behind, counter: c, flight: map[string]*passage{}, blank: make([]byte, a.spec.LargestLine())}
	g.TickingComponent = sim.NewTickingComponent(name, a.engine, a.freq, g)
	g.top = sim.NewLimitNumMsgPort(g, sendBuffer, name+".Top")
	g.bottom = sim.NewLimitNumMsgPort(g, unlimited, name+".Bottom")
	a.gates = append(a.gates, g)
	return g
}

// Tick does what a cycle can.
func (g *gate) Tick(now sim.VTimeInSec) (progress bool) {
	cycle := g.a.freq.Cycle(now)
	progress = g.respond(now)
	progress = g.accept(now, cycle) || progress
	if g.invalidate {
		return g.sendInvalidate(now) || progress
	}
	for len(g.queue) > 0 && g.open(cycle, &g.queue[0]) && g.forward(now, cycle, &g.queue[0]) {
		g.queue = g.queue[1:]
		progress = true
	}
	return progress
}

// respond hands on the responses that have come.
func (g *gate) respond(now sim.VTimeInSec) (progress bool) {
	for m := g.bottom.Peek(); m != nil; m = g.bottom.Peek() {
		id := m.(sim.Rsp).GetRspTo()
		if p := g.flight[id]; p != nil { // others are of an invalidation
			if p.pendingPieces == 1 && !g.reply(now, p.req) {
				return progress
			}
			p.pendingPieces--
			delete(g.flight, id)
		}
		g.bottom.Retrieve(now)
		progress = true
	}
	return progress
}

func (g *gate) reply(now sim.VTimeInSec, r akita.AccessReq) bool {
	var m sim.Msg
	if _, ok := r.(*akita.WriteReq); ok {
		m = akita.WriteDoneRspBuilder{}.WithSendTime(now).WithSrc(g.top).WithDst(r.Meta().Src).WithRspTo(r.Meta().ID).Build()
	} else {
		m = akita.DataReadyRspBuilder{}.WithSendTime(now).WithSrc(g.top).WithDst(r.Meta().Src).WithRspTo(r.Meta().ID).
			WithData(g.blank[:r.GetByteSize()]).Build()
	}
	return g.top.Send(m) == nil
}

// accept takes requests while there is space for those of the latency.
func (g *gate) accept(now sim.VTimeInSec, cycle uint64) (progress bool) {
	for uint64(len(g.queue)) < sendBuffer+2*g.latency {
		m := g.top.Retrieve(now)
		if m == nil {
			break
		}
		g.split(m.(akita.AccessReq), cycle+g.latency)
		progress = true
	}
	return progress
}

// split queues a request's parcels.
func (g *gate) split(r akita.AccessReq, at uint64) {
	p := &passage{req: r}
	first, size := r.GetAddress(), r.GetByteSize()
	for addr := first; addr < first+size; {
		end := min(addr&^(g.line-1)+g.line, first+size)
		q := linePiece{passage: p, readyAt: at, addr: addr, size: end - addr}
		moved := q.size
		if w, ok := r.(*akita.WriteReq); ok {
			q.write = true
			if w.DirtyMask != nil {
				q.mask = w.DirtyMask[addr-first : end-first]
				moved = count(q.mask)
			}
		}
		addr = end
		if moved > 0 {
			q.cost = g.price(r, moved)
			p.pendingPieces++
			g.queue = append(g.queue, q)
		}
	}
}

// price is the fixed-point time for which bytes of a request take the gate.
func (g *gate) price(r akita.AccessReq, bytes uint64) uint64 {
	var info any
	switch r := r.(type) {
	case *akita.ReadReq:
		info = r.Info
	case *akita.WriteReq:
		info = r.Info
	}
	if by, ok := info.(requestedBytes); ok && by.bytes > 0 {
		return by.bytes*bytes/r.GetByteSize()*g.cost + by.serial*g.serial
	}
	return bytes * g.cost
}

func count(mask []bool) (n uint64) {
	for _, set := range mask {
		if set {
			n++
		}
	}
	return n
}

// open reports whether the parcel can be passed on now, or sees to a tick when it
// can: a response ends the wait behind the limit.
func (g *gate) open(cycle uint64, p *linePiece) bool {
	if from := max(p.readyAt, g.free>>fixed.Shift); from > cycle {
		g.wakeAt(from)
		return false
	}
	return len(g.flight) < g.limit
}

func (g *gate) wakeAt(cycle uint64) {
	if g.wake == cycle {
		return
	}
	g.wake = cycle
	g.a.engine.Schedule(sim.MakeTickEvent(sim.VTimeInSec(float64(cycle)/float64(g.a.freq)), g.TickingComponent))
}

func (g *gate) forward(now sim.VTimeInSec, cycle uint64, p *linePiece) bool {
	var m sim.Msg
	to := g.nextFinder.Find(p.addr)
	if p.write {
		m = akita.WriteReqBuilder{}.WithSendTime(now).WithSrc(g.bottom).WithDst(to).WithAddress(p.addr).
			WithData(g.blank[:p.size]).WithDirtyMask(p.mask).Build()
	} else {
		m = akita.ReadReqBuilder{}.WithSendTime(now).WithSrc(g.bottom).WithDst(to).WithAddress(p.addr).WithByteSize(p.size).Build()
	}
	if g.bottom.Send(m) != nil {
		return false
	}
	g.flight[m.Meta().ID] = p.passage
	g.free = max(g.free, cycle<<fixed.Shift) + p.cost
	if g.counter != nil {
		g.counter.Accesses++
		g.counter.Bytes += p.movedBytes()
		if p.write {
			g.counter.Written += p.movedBytes()
		}
	}
	return true
}

func (p *linePiece) movedBytes() uint64 {
	if p.mask != nil {
		return count(p.mask)
	}
	return p.size
}

func (g *gate) sendInvalidate(now sim.VTimeInSec) bool {
	m := akita.GL0InvalidateReqBuilder{}.WithSendTime(now).WithSrc(g.bottom).WithDst(g.nextFinder.Find(0)).Build()
	g.invalidate = g.bottom.Send(m) != nil
	return !g.invalidate
}
