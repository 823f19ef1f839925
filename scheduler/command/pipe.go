package command

import (
	"slices"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/engine"
	"spvsim/scheduler"
)

// A Pipe serves the packets of its queues, one at a time.
type Pipe struct {
	engine.Base
	alarm     *engine.Alarm
	port      *engine.Port
	processor *Processor

	queues  []*Queue
	current *Queue // queue served last
	slice   uint64 // end of its time slice
	freeAt  uint64 // cycle from which the pipe can serve the next packet
	open    int    // launches that it ordered and that still have workgroups to place
	atLimit bool   // a packet waits for fewer launches
}

// A signal notifies a pipe that a launch has ended for which the next packet of a queue waits.
type signal struct {
	engine.Header
	queue *Queue
}

func newPipe(e *engine.Engine, p *Processor, name string) *Pipe {
	pipe := &Pipe{Base: engine.NewBase(e, name), processor: p}
	pipe.alarm, pipe.port = engine.NewAlarm(&pipe.Base, pipe, false), engine.NewPort(&pipe.Base, pipe, "Reports")
	return pipe
}

// Handle implements sim.Handler: a report on a launch, a signal, or time for a packet or a barrier.
func (p *Pipe) Handle(e sim.Event) error {
	now := p.Engine.Now()
	switch m := e.(type) {
	case *scheduler.Report:
		p.report(now, m)
	case *signal:
		p.planBarrier(now, m.queue)
	default:
		p.servePackets(now)
	}
	return nil
}

// report records what happened to a launch, and has pipes at a limit try again.
func (p *Pipe) report(now uint64, m *scheduler.Report) {
	if m.AllPlaced {
		p.open--
		p.processor.Records[m.Launch].AllPlacedAt = now
	} else {
		p.processor.outstanding--
		p.processor.launchEnded(now, m.Launch, m.Done, p)
	}
	for _, other := range p.processor.pipes {
		if other.atLimit {
			other.atLimit = false
			other.alarm.Set(now)
		}
	}
}

// advance goes on to the next packet of a queue, past timestamps.
func (p *Pipe) advance(now uint64, q *Queue) {
	q.ready, q.barrierAt = engine.Never, engine.Never
	k := q.head()
	for ; k != nil && k.Timestamp != nil; k = q.head() {
		p.processor.recordTimestamp(now, k)
		q.next++
	}
	if k == nil {
		return
	}
	p.processor.Records[k.Launch].HeadAt = now
	for _, l := range k.WaitsFor {
		if !p.processor.Records[l].Completed {
			p.processor.waiters[l] = append(p.processor.waiters[l], q)
		}
	}
	p.planBarrier(now, q)
}

// planBarrier schedules the barrier of a queue's next packet for the cycle in which all its dependencies are seen to
// have ended.
func (p *Pipe) planBarrier(now uint64, q *Queue) {
	k := q.head()
	if k == nil || q.ready < engine.Never || q.barrierAt < engine.Never || p.processor.unended(k) > 0 {
		return // scheduled already, or later
	}
	if len(k.WaitsFor) == 0 {
		p.setReady(now, q)
		return
	}
	r := &p.processor.Records[k.Launch]
	q.waitDone = 0
	for _, l := range k.WaitsFor {
		if at := p.processor.endSeenAt(l, q); r.LastDependency < 0 || at > q.waitDone {
			q.waitDone, r.LastDependency = at, l
		}
	}
	q.barrierAt = max(now, q.waitDone)
	p.alarm.Set(q.barrierAt)
}

// setReady marks a queue's next packet as ready from cycle at on: it waits only for the pipe.
func (p *Pipe) setReady(at uint64, q *Queue) {
	if w := q.head().Task; q.noneLaunched && !w.Host() && !w.Untimed() {
		at = max(at, q.hostReadyAt)
	}
	q.ready = at
	r := &p.processor.Records[q.head().Launch]
	r.ReadyAt = at
	if p.freeAt > at && p.current != q {
		r.PipeWaits[p.current.index] += p.freeAt - at
	} else if p.freeAt > at {
		r.ReadyAt = p.freeAt
	}
	p.alarm.Set(max(at, p.Engine.Now()))
}

// servePackets runs barriers that are due, then serves packets while the pipe is free.
func (p *Pipe) servePackets(now uint64) {
	for _, q := range p.queues {
		if q.barrierAt <= now {
			p.runBarrier(now, q)
		}
	}
	for p.Engine.Err() == nil {
		if p.freeAt > now {
			p.alarm.Set(p.freeAt)
			break
		}
		q := p.pick(now)
		if q == nil || !p.serve(now, q) {
			break
		}
	}
	p.plan(now)
}

// runBarrier runs the barrier before a queue's next packet.
func (p *Pipe) runBarrier(now uint64, q *Queue) {
	q.barrierAt = engine.Never
	at := now
	if q.noneLaunched && p.waitsForOwnHost(q) {
		q.hostReadyAt = max(q.hostReadyAt, now+subClamp(p.processor.costs.FirstLaunch, p.processor.packetCost()))
	}
	if sync := q.head().Sync; sync != nil {
		at = max(now, sync(q.waitDone))
	}
	p.setReady(at, q)
}

// waitsForOwnHost reports whether the next packet waits for the host's work in its own queue.
func (p *Pipe) waitsForOwnHost(q *Queue) bool {
	return slices.ContainsFunc(q.head().WaitsFor, func(l int) bool { return p.processor.Records[l].Queue == q.index })
}

// plan sets the alarm for the packets and barriers whose cycle is known.
func (p *Pipe) plan(now uint64) {
	for _, q := range p.queues {
		for _, at := range []uint64{q.ready, q.barrierAt} {
			if at > now && at < engine.Never {
				p.alarm.Set(at)
			}
		}
	}
}

// pick returns the queue to serve next, or nil.
func (p *Pipe) pick(now uint64) *Queue {
	least := 0
	if p.processor.spec.Arbitration == "priority" {
		for _, q := range p.queues {
			if q.ready <= now {
				least = max(least, q.Priority)
			}
		}
	}
	if q := p.current; q != nil && q.ready <= now && now < p.slice && q.Priority >= least {
		return q
	}
	begin := slices.Index(p.queues, p.current) + 1
	for i := range p.queues {
		if q := p.queues[(begin+i)%len(p.queues)]; q.ready <= now && q.Priority >= least {
			return q
		}
	}
	return nil
}

// serve reads the next packet of a queue and orders its launch. It returns false if a limit of launches blocks it.
func (p *Pipe) serve(now uint64, q *Queue) bool {
	k := q.head()
	if k.Task.Host() || k.Task.Untimed() {
		return p.runOnHost(now, q, k)
	}
	if p.open >= p.processor.spec.OpenPerPipe || p.processor.outstanding >= p.processor.spec.MostOutstanding {
		p.atLimit = true
		return false
	}
	some, err := k.Task.Prepare()
	if err != nil {
		p.processor.err(err)
		return false
	}
	cost := p.cost(q, k) + k.Task.FetchArguments(now) - now
	p.occupy(now, q, cost)
	r, first := &p.processor.Records[k.Launch], q.noneLaunched
	r.ReadAt, r.DispatchedAt = now, now+cost
	p.open++
	p.processor.outstanding++
	q.noneLaunched = false
	caller := &scheduler.Caller{Port: p.port, Launch: k.Launch}
	if some {
		p.orderLaunch(k, first, scheduler.MachineShare{Priority: q.Priority, Units: q.Units, Usage: &q.Usage}, caller, now+cost)
	} else {
		scheduler.ReportPassed(p.port, caller, now+cost, now+cost)
	}
	q.next++
	p.advance(now+cost, q)
	return true
}

// cost returns the pipe's cycles for a packet, with its barrier.
func (p *Pipe) cost(q *Queue, k *Packet) uint64 {
	for _, l := range k.WaitsFor {
		if !q.noneLaunched || p.processor.Records[l].Queue != q.index {
			return p.processor.packetCost() + p.processor.barrierCost()
		}
	}
	return p.processor.packetCost()
}

// occupy gives a queue the pipe for some cycles, and counts the waits of other queues.
func (p *Pipe) occupy(now uint64, q *Queue, cycles uint64) {
	if q != p.current || now >= p.slice {
		p.current, p.slice = q, now+p.processor.spec.slice(q.Priority)
	}
	p.freeAt = now + cycles
	for _, other := range p.queues {
		if other != q && other.ready < p.freeAt {
			p.processor.Records[other.head().Launch].PipeWaits[q.index] += p.freeAt - max(now, other.ready)
		}
	}
}

// orderLaunch sends the dispatcher the order for a launch.
func (p *Pipe) orderLaunch(k *Packet, first bool, s scheduler.MachineShare, c *scheduler.Caller, at uint64) {
	floor := uint64(0)
	if first {
		floor = p.processor.floor
	}
	p.port.Post(&scheduler.Order{Open: func(now uint64) error { return k.Task.Open(now, floor, first, s, c) }}, p.processor.dispatcher, at)
}

// runOnHost starts work that takes no time of the pipe.
func (p *Pipe) runOnHost(now uint64, q *Queue, k *Packet) bool {
	r := &p.processor.Records[k.Launch]
	r.ReadAt, r.DispatchedAt = now, now
	p.open++
	p.processor.outstanding++
	if err := k.Task.Open(now, 0, false, scheduler.MachineShare{}, &scheduler.Caller{Port: p.port, Launch: k.Launch}); err != nil {
		p.processor.err(err)
		return false
	}
	q.noneLaunched = q.noneLaunched && k.Task.Host()
	q.next++
	p.advance(now, q)
	return true
}
