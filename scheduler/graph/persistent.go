package graph

import (
	"container/heap"
	"errors"

	"spvsim/cu"
	"spvsim/engine"
	"spvsim/scheduler"
)

// persistent is one kernel of all nodes. Its workgroups stay resident and pop from a queue in memory with atomics, a
// workgroup of a payload at a time. Each worker has the registers and LDS of the largest node.
type persistent struct {
	pushPolicy
	inMemory
	engine     *engine.Engine
	dispatcher *scheduler.Dispatcher
	launcher   *launcher
	spec       *scheduler.WorkSpec

	workers    []int // workers of each compute unit
	polls      polls
	waves      int    // waves of a worker
	startCycle uint64 // cycle in which workers start
	order      uint64
}

// A poll is a worker's next look at the queue.
type poll struct {
	at    uint64
	order uint64
	unit  int
}

type polls []poll

func (p polls) Len() int { return len(p) }
func (p polls) Less(i, j int) bool {
	return p[i].at < p[j].at || p[i].at == p[j].at && p[i].order < p[j].order
}
func (p polls) Swap(i, j int) { p[i], p[j] = p[j], p[i] }
func (p *polls) Push(x any)   { *p = append(*p, x.(poll)) }
func (p *polls) Pop() any {
	x := (*p)[len(*p)-1]
	*p = (*p)[:len(*p)-1]
	return x
}

// errWorkers reports a kernel of all nodes that fits no compute unit.
var errWorkers = errors.New("scheduler: the persistent kernel, with the registers and LDS of its largest nodes, does not fit on a compute unit")

func newPersistent(r *Run) (policy, error) {
	p := &persistent{inMemory: r.inMemory(), engine: r.Engine, dispatcher: r.Dispatcher, launcher: r.launcher, spec: r.spec}
	need := cu.Resources{}
	for _, n := range r.graph.Nodes {
		m := &n.Launch.Resources
		need.Waves, need.Barriers = max(need.Waves, m.Waves), max(need.Barriers, m.Barriers)
		need.VectorRegs, need.ScalarRegs = max(need.VectorRegs, m.VectorRegs), max(need.ScalarRegs, m.ScalarRegs)
		need.LDSBytes = max(need.LDSBytes, m.LDSBytes)
	}
	each := need.Occupancy(r.Limits)
	if r.spec.Scheduler.PersistentGroups > 0 {
		each = min(each, r.spec.Scheduler.PersistentGroups)
	}
	if each == 0 {
		return nil, errWorkers
	}
	for _, n := range r.graph.Nodes {
		own := n.Launch.Resources.Waves
		n.Launch.Resources = need
		n.Launch.Resources.Waves = own
	}
	p.waves = need.Waves
	for range r.Array.Units {
		p.workers = append(p.workers, each)
	}
	return p, nil
}

// reservedSlots returns the wave slots that workers hold, and from which cycle on.
func (p *persistent) reservedSlots() (slots, from uint64) {
	for _, n := range p.workers {
		slots += uint64(n * p.waves)
	}
	return slots, p.startCycle
}

// Enqueue reserves entries with an atomic and writes them.
func (p *persistent) Enqueue(now uint64, b *batch) { p.append(now, b, counterEntry, 0) }

// Start launches the kernel: workers begin to poll at the dispatcher's rate.
func (p *persistent) Start(now uint64) {
	d, units := &p.spec.Dispatcher, p.queues.units
	p.polls = p.polls[:0]
	p.startCycle = now + uint64(d.LaunchLatency)
	for k := range p.workers[0] {
		for u := range p.workers {
			n := uint64(k*units + u%units)
			p.schedulePoll(p.startCycle+n*scheduler.RateGap(d.WorkgroupsPerCycle)>>scheduler.RateBits, u)
		}
	}
}

// schedulePoll schedules a worker's poll.
func (p *persistent) schedulePoll(at uint64, unit int) {
	p.order++
	heap.Push(&p.polls, poll{at, p.order, unit})
	p.queues.list[0].alarm.Set(at)
}

// WorkgroupEnded frees a worker, which polls again when its stores are done.
func (p *persistent) WorkgroupEnded(now, done uint64, unit int) {
	p.schedulePoll(max(done, now), unit)
}

// Tick runs the polls that are due.
func (p *persistent) Tick(now uint64, _ int) uint64 {
	for len(p.polls) > 0 && p.polls[0].at <= now && p.engine.Err() == nil {
		w := heap.Pop(&p.polls).(poll)
		p.stats.queue.Polls++
		p.poll(now, w.unit)
	}
	if len(p.polls) == 0 {
		return cu.Never
	}
	return p.polls[0].at
}

// poll pops from the queue with an atomic. A workgroup found starts when the pop has returned and its entry has been
// read; a worker that finds none polls again poll_interval after the answer.
func (p *persistent) poll(now uint64, unit int) {
	var found *nodeQueue
	w := gather(now, nil)
	p.ring.atomic(now, w, unit, counterPop)
	if found = p.nextReady(now); found == nil {
		w.then = func(at uint64) {
			if !p.nothingLeft() {
				p.schedulePoll(max(at, now+1)+uint64(p.spec.Scheduler.PollInterval), unit)
			}
		}
		w.close()
		return
	}
	p.ring.read(now, w, unit)
	m := p.dispatcher.Occupy(now, unit, found.launches[0].Code)
	p.launcher.beginWorkgroup(found, unit, &m.Workgroup)
	w.then = func(at uint64) {
		for i := range m.Waves {
			m.Waves[i].FirstIssueAt = at
		}
		p.dispatcher.Send(unit, m)
	}
	w.close()
}

// nextReady returns the node queue of the next workgroup, or nil.
func (p *persistent) nextReady(now uint64) *nodeQueue {
	for k := range p.queues.nodeQueues.order {
		b := p.queues.nodeQueues.inOrder(0, k)
		for len(b.launches) == 0 && p.launcher.launchableAt(b) <= now && p.engine.Err() == nil {
			if l := p.launcher.launch(now, b); l != nil {
				p.launcher.readyFrom(l, now)
			}
		}
		if len(b.launches) > 0 && p.launcher.reserveMemory(b.launches[0]) {
			return b
		}
	}
	return nil
}

// nothingLeft reports whether polling is of no use any more: no workgroup runs, no payload is in flight, none that
// waits can start, and no window is open. Without it a deadlock would never end.
func (p *persistent) nothingLeft() bool {
	if p.stats.resident > 0 || p.stats.inFlight > 0 {
		return false
	}
	for _, b := range p.queues.nodeQueues.list {
		if len(b.launches) == 0 && b.pending() > 0 || len(b.launches) > 0 && p.launcher.reserveMemory(b.launches[0]) {
			return false
		}
	}
	return true
}
