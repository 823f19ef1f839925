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
	alarm *engine.Alarm
	port  *engine.Port
	all   *Processor

	queues  []*Queue
	current *Queue // served last
	slice   uint64 // cycle in which its time slice is over
	free    uint64 // cycle from which the pipe can serve the next packet
	open    int    // launches that it ordered and that have workgroups to place
	limited bool   // a packet waits until there are fewer launches
}

// A signal is sent to a pipe when a launch has ended for which the next packet of a queue waits.
type signal struct {
	engine.Header
	queue *Queue
}

func newPipe(e *engine.Engine, p *Processor, name string) *Pipe {
	pipe := &Pipe{Base: engine.NewBase(e, name), all: p}
	pipe.alarm, pipe.port = engine.NewAlarm(&pipe.Base, pipe, false), engine.NewPort(&pipe.Base, pipe, "Reports")
	return pipe
}

// Handle fulfils sim.Handler: time for a packet or a barrier, a report on a launch, a signal of another queue.
func (p *Pipe) Handle(e sim.Event) error {
	now := p.Engine.Now()
	switch m := e.(type) {
	case *scheduler.Report:
		p.report(now, m)
	case *signal:
		p.await(now, m.queue)
	default:
		p.turn(now)
	}
	return nil
}

// report takes note of what has become of a launch.
func (p *Pipe) report(now uint64, m *scheduler.Report) {
	if m.Placed {
		p.open--
		p.all.Records[m.Launch].Placed = now
	} else {
		p.all.outstanding--
		p.all.ended(now, m.Launch, m.Done, p)
	}
	for _, other := range p.all.pipes {
		if other.limited {
			other.limited = false
			other.alarm.Set(now)
		}
	}
}

// advance goes on to a queue's next packet in cycle now.
func (p *Pipe) advance(now uint64, q *Queue) {
	q.ready, q.settle = engine.Never, engine.Never
	k := q.head()
	for ; k != nil && k.Mark != nil; k = q.head() {
		p.all.pass(now, k)
		q.next++
	}
	if k == nil {
		return
	}
	p.all.Records[k.Launch].Head = now
	for _, l := range k.After {
		if !p.all.Records[l].Ended {
			p.all.waiters[l] = append(p.all.waiters[l], q)
		}
	}
	p.await(now, q)
}

// await plans the barrier of a queue's next packet for when all that it waits for has been seen to end.
func (p *Pipe) await(now uint64, q *Queue) {
	k := q.head()
	if k == nil || q.ready < engine.Never || q.settle < engine.Never || p.all.unended(k) > 0 {
		return // planned already, or to come
	}
	if len(k.After) == 0 {
		p.isReady(now, q)
		return
	}
	r := &p.all.Records[k.Launch]
	q.since = 0
	for _, l := range k.After {
		if at := p.all.seen(l, q); r.KeptBy < 0 || at > q.since {
			q.since, r.KeptBy = at, l
		}
	}
	q.settle = max(now, q.since)
	p.alarm.Set(q.settle)
}

// isReady: a queue's next packet waits for nothing but the pipe from cycle at on.
func (p *Pipe) isReady(at uint64, q *Queue) {
	if w := q.head().Work; q.first && !w.Host() && !w.Untimed() {
		at = max(at, q.begin)
	}
	q.ready = at
	r := &p.all.Records[q.head().Launch]
	r.Ready = at
	if p.free > at && p.current != q {
		r.Pipe[p.current.index] += p.free - at
	} else if p.free > at {
		r.Ready = p.free
	}
	p.alarm.Set(max(at, p.Engine.Now()))
}

// turn carries out barriers whose time has come, and serves packets while it can.
func (p *Pipe) turn(now uint64) {
	for _, q := range p.queues {
		if q.settle <= now {
			p.settle(now, q)
		}
	}
	for p.Engine.Err() == nil {
		if p.free > now {
			p.alarm.Set(p.free)
			break
		}
		q := p.pick(now)
		if q == nil || !p.serve(now, q) {
			break
		}
	}
	p.plan(now)
}

// settle carries out the barrier before a queue's next packet.
func (p *Pipe) settle(now uint64, q *Queue) {
	q.settle = engine.Never
	at := now
	if q.first && p.ownHost(q) {
		q.begin = max(q.begin, now+less(p.all.costs.First, p.all.own()))
	}
	if sync := q.head().Sync; sync != nil {
		at = max(now, sync(q.since))
	}
	p.isReady(at, q)
}

// ownHost says that a queue of which nothing has been launched waits for the host's work in it.
func (p *Pipe) ownHost(q *Queue) bool {
	return slices.ContainsFunc(q.head().After, func(l int) bool { return p.all.Records[l].Queue == q.index })
}

// plan sets the alarm for the next packet or barrier whose time is known.
func (p *Pipe) plan(now uint64) {
	for _, q := range p.queues {
		for _, at := range []uint64{q.ready, q.settle} {
			if at > now && at < engine.Never {
				p.alarm.Set(at)
			}
		}
	}
}

// pick is the queue whose packet is served next; nil: none can be now.
func (p *Pipe) pick(now uint64) *Queue {
	least := 0
	if p.all.spec.Turns == "priority" {
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

// serve reads the next packet of a queue and orders its launch; false: a limit of launches keeps it.
func (p *Pipe) serve(now uint64, q *Queue) bool {
	k := q.head()
	if k.Work.Host() || k.Work.Untimed() {
		return p.without(now, q, k)
	}
	if p.open >= p.all.spec.OpenPerPipe || p.all.outstanding >= p.all.spec.MostOutstanding {
		p.limited = true
		return false
	}
	some, err := k.Work.Prepare()
	if err != nil {
		p.all.err(err)
		return false
	}
	cost := p.cost(q, k)
	p.take(now, q, cost)
	r, first := &p.all.Records[k.Launch], q.first
	r.Read, r.Opened = now, now+cost
	p.open++
	p.all.outstanding++
	q.first = false
	caller := &scheduler.Caller{Port: p.port, Launch: k.Launch}
	if some {
		p.order(k, first, scheduler.Share{Priority: q.Priority, Units: q.Units, Usage: &q.Usage}, caller, now+cost)
	} else {
		scheduler.Passed(p.port, caller, now+cost, now+cost)
	}
	q.next++
	p.advance(now+cost, q)
	return true
}

// cost is what the packet takes of the pipe's time.
func (p *Pipe) cost(q *Queue, k *Packet) uint64 {
	for _, l := range k.After {
		if !q.first || p.all.Records[l].Queue != q.index {
			return p.all.own() + p.all.barrier()
		}
	}
	return p.all.own()
}

// take gives a queue the pipe for some cycles; others that are ready wait for it.
func (p *Pipe) take(now uint64, q *Queue, cycles uint64) {
	if q != p.current || now >= p.slice {
		p.current, p.slice = q, now+p.all.spec.slice(q.Priority)
	}
	p.free = now + cycles
	for _, other := range p.queues {
		if other != q && other.ready < p.free {
			p.all.Records[other.head().Launch].Pipe[q.index] += p.free - max(now, other.ready)
		}
	}
}

// order has the dispatcher open a launch in a cycle.
func (p *Pipe) order(k *Packet, first bool, s scheduler.Share, c *scheduler.Caller, at uint64) {
	floor := uint64(0)
	if first {
		floor = p.all.floor
	}
	p.port.Post(&scheduler.Order{Begin: func(now uint64) error { return k.Work.Open(now, floor, first, s, c) }}, p.all.to, at)
}

// without has work carried out that takes none of the pipe's time.
func (p *Pipe) without(now uint64, q *Queue, k *Packet) bool {
	r := &p.all.Records[k.Launch]
	r.Read, r.Opened = now, now
	p.open++
	p.all.outstanding++
	if err := k.Work.Open(now, 0, false, scheduler.Share{}, &scheduler.Caller{Port: p.port, Launch: k.Launch}); err != nil {
		p.all.err(err)
		return false
	}
	q.first = q.first && k.Work.Host()
	q.next++
	p.advance(now, q)
	return true
}
