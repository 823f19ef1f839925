//go:build akita

package akita

import (
	akita "github.com/sarchlab/akita/v3/mem/mem"
	"github.com/sarchlab/akita/v3/sim"

	"spvsim/mem/hierarchy"
)

// A unitRequest is a request on its way.
type unitRequest struct {
	token  uint64
	to     hierarchy.Receiver // nil: the compute unit
	left   int                // lines that have not come
	kind   hierarchy.Kind
	serial uint64 // cycles of updates of one element
}

// An entry is one line that waits to be sent.
type entry struct {
	group  *unitRequest // nil for the store that ends an atomic
	from   sim.Port
	to     sim.Port
	write  bool
	addr   uint64
	bytes  uint32
	demand requestedBytes
}

// An requestedBytes describes a request to the first gate, beyond address and size.
type requestedBytes struct {
	bytes  uint64 // that lanes move: those of one address count for each lane
	serial uint64 // updates of one element after another
}

// A way is a front's port to a stage.
type way struct {
	*stage
	port sim.Port
}

// A front sends a compute unit's lines and gathers the responses.
type front struct {
	*sim.TickingComponent
	a         *Memory
	cu        int
	vector    way
	scalar    way
	deviceWay way // to where all compute units meet
	queue     []entry
	flight    map[string]entry
}

func (f *front) entry(g *unitRequest, r *hierarchy.Request, l hierarchy.Line) entry {
	vector, scalar := f.a.LineBytes()
	to, line := f.vector, vector
	if r.Scalar {
		to, line = f.scalar, scalar
	}
	bytes := min(l.Bytes, uint32(line))
	moved := bytes
	switch {
	case r.Coherent || r.Kind == hierarchy.Atomic:
		to = f.deviceWay
	case r.Kind == hierarchy.Read:
		moved = l.Bytes
	}
	return entry{g, to.port, to.finder.Find(l.Addr), r.Kind == hierarchy.Write, l.Addr, bytes, requestedBytes{uint64(moved), uint64(l.Serial)}}
}

// Tick sends what a cycle can, and takes the responses that have come.
func (f *front) Tick(now sim.VTimeInSec) (progress bool) {
	for _, w := range []way{f.vector, f.scalar, f.deviceWay} {
		progress = f.receive(now, w.port) || progress
	}
	for n := 0; n < f.a.spec.VectorMemory.LinesPerCycle && len(f.queue) > 0 && f.send(now, &f.queue[0]); n++ {
		f.queue = f.queue[1:]
		progress = true
	}
	return progress
}

func (f *front) send(now sim.VTimeInSec, e *entry) bool {
	var m sim.Msg
	if e.write {
		m = akita.WriteReqBuilder{}.WithSendTime(now).WithSrc(e.from).WithDst(e.to).WithAddress(e.addr).
			WithData(make([]byte, e.bytes)).WithInfo(e.demand).Build()
	} else {
		m = akita.ReadReqBuilder{}.WithSendTime(now).WithSrc(e.from).WithDst(e.to).WithAddress(e.addr).
			WithByteSize(uint64(e.bytes)).WithInfo(e.demand).Build()
	}
	if e.from.Send(m) != nil {
		return false
	}
	f.flight[m.Meta().ID] = *e
	return true
}

// receive takes all responses at a port. The last one of a request completes it.
func (f *front) receive(now sim.VTimeInSec, port sim.Port) (progress bool) {
	for m := port.Retrieve(now); m != nil; m = port.Retrieve(now) {
		progress = true
		id := m.(sim.Rsp).GetRspTo()
		e := f.flight[id]
		delete(f.flight, id)
		if e.group != nil {
			f.arrived(now, &e)
		}
	}
	return progress
}

func (f *front) arrived(now sim.VTimeInSec, e *entry) {
	g := e.group
	if g.kind == hierarchy.Atomic {
		f.queue = append(f.queue, entry{nil, e.from, e.to, true, e.addr, e.bytes, requestedBytes{}})
	}
	if g.left--; g.left > 0 {
		return
	}
	cycle := f.a.freq.Cycle(now)
	f.a.pending--
	f.a.last = cycle
	if g.to != nil {
		g.to.Completed(g.token, cycle+g.serial)
	} else if done := f.a.done[f.cu]; done != nil {
		done(g.token, cycle+g.serial)
	}
}

// front makes the front of a compute unit, with the caches that it needs.
func (a *Memory) front(cu int) *front {
	if a.fronts[cu] != nil {
		return a.fronts[cu]
	}
	f := &front{a: a, cu: cu, flight: map[string]entry{}}
	f.TickingComponent = sim.NewTickingComponent(a.name("Front", cu), a.engine, a.freq, f)
	chain := a.chain(false)
	f.vector = f.way("Vector", a.level(chain[0], chain[1:], cu))
	f.scalar = f.way("Scalar", a.level(a.spec.Levels()[1], chain[1:], cu))
	f.deviceWay = f.way("Past", a.bypassStage(chain, cu))
	a.fronts[cu] = f
	return f
}

func (f *front) way(name string, s *stage) way {
	port := sim.NewLimitNumMsgPort(f, unlimited, f.Name()+"."+name)
	s.net.PlugIn(port, sendBuffer)
	return way{s, port}
}
