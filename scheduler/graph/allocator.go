package graph

import (
	"github.com/sarchlab/akita/v3/sim"

	"spvsim/cu"
	"spvsim/engine"
	"spvsim/scheduler"
	"spvsim/simd"
)

// An allocator answers waves that allocate payloads: through a port of their queue, after the queue's latency in each
// direction. It also sends the answers of other operations on payloads.
type allocator struct {
	engine.Base
	port     *engine.Port
	units    []*cu.ComputeUnit
	spec     *scheduler.QueueSpec
	stats    *graphStats
	requests engine.Pool[allocation]
}

func newAllocator(e *engine.Engine, units []*cu.ComputeUnit, spec *scheduler.QueueSpec, stats *graphStats) *allocator {
	a := &allocator{Base: engine.NewBase(e, "PayloadPool"), units: units, spec: spec, stats: stats}
	a.port = engine.NewPort(&a.Base, a, "Units")
	return a
}

// An allocation is the message of a wave that allocates payloads.
type allocation struct {
	engine.Header
	through  *port
	payloads int
	done     *wait
}

// ask sends an allocation, which arrives after the queue's latency.
func (a *allocator) ask(now uint64, unit, payloads int, through *port, done *wait) {
	m := a.requests.Acquire()
	m.through, m.payloads, m.done = through, payloads, done
	a.units[unit].Port().Post(m, a.port, now+uint64(a.spec.Latency))
}

// Handle implements sim.Handler: an allocation books the port of its queue, and its answer takes the latency again.
func (a *allocator) Handle(e sim.Event) error {
	m, now := e.(*allocation), a.Engine.Now()
	at := m.through.book(now, m.payloads)
	a.stats.stallAtPort(now, at, m.payloads, a.spec.Ports)
	m.done.reply(at + uint64(a.spec.Latency))
	a.requests.Release(m)
	return nil
}

// answer notifies a wave that its operation is done in cycle at.
func (a *allocator) answer(unit int, t simd.Ticket, at uint64) {
	u := a.units[unit]
	m := u.Answer(t)
	m.Done = at
	a.port.Post(m, u.Port(), max(at, a.Engine.NextSecondary()))
}
