package scheduler

import (
	"container/heap"
	"errors"

	"spvsim/cu"
)

// persistent is one kernel that holds all nodes: its workgroups stay resident
// and take payloads from a queue in memory with atomics, each workgroup of a
// payload for itself. A worker takes the registers and LDS of the largest node.
type persistent struct {
	*Run
	workers []int // by compute unit
	polls   polls
	busy    int    // workers that run a workgroup
	waves   int    // of a worker
	begins  uint64 // cycle in which the workers start
	order   uint64
	since   uint64 // cycle in which something last ran or was on its way
}

// A poll is a worker that looks at the queue.
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

// errWorkers says that the kernel of all nodes fits no compute unit.
var errWorkers = errors.New("scheduler: the persistent kernel, with the registers and LDS of its largest nodes, does not fit on a compute unit")

func newPersistent(r *Run) (Scheduler, error) {
	r.spec.Queue.PerEngine = false
	p := &persistent{Run: r}
	need := cu.Need{}
	for _, n := range r.graph.Nodes {
		m := &n.Launch.Need
		need.Waves, need.Barriers = max(need.Waves, m.Waves), max(need.Barriers, m.Barriers)
		need.VectorRegs, need.ScalarRegs = max(need.VectorRegs, m.VectorRegs), max(need.ScalarRegs, m.ScalarRegs)
		need.LDSBytes = max(need.LDSBytes, m.LDSBytes)
	}
	each := need.Occupancy(r.spec.Limits)
	if r.spec.Workers > 0 {
		each = min(each, r.spec.Workers)
	}
	if each == 0 {
		return nil, errWorkers
	}
	for _, n := range r.graph.Nodes {
		own := n.Launch.Need.Waves
		n.Launch.Need = need
		n.Launch.Need.Waves = own
	}
	p.waves = need.Waves
	for range r.Cluster.Units {
		p.workers = append(p.workers, each)
	}
	return p, nil
}

// holds is how many wave slots the workers hold, and from when on.
func (p *persistent) holds() (slots, from uint64) {
	for _, n := range p.workers {
		slots += uint64(n * p.waves)
	}
	return slots, p.begins
}

// Allocate counts in memory.
func (p *persistent) Allocate(now uint64, unit, payloads int) uint64 {
	if payloads == 0 {
		return now
	}
	return p.atomic(now, unit, 0)
}

// Enqueue takes entries with an atomic and writes them.
func (p *persistent) Enqueue(now uint64, unit, payloads int) (accepted, visible uint64) {
	accepted = p.atomic(now, unit, 1)
	p.queue.StallCycles += accepted - now
	return accepted, max(accepted, p.write(now, unit, payloads))
}

// Start launches the kernel: workers begin to poll at the dispatcher's rate.
func (p *persistent) Start(now uint64) {
	d := &p.spec.Dispatch
	p.polls, p.busy = p.polls[:0], 0
	p.since = now + uint64(d.LaunchLatency) + uint64(d.Units)*gap(d.WorkgroupsPerCycle)>>fraction
	p.begins = now + uint64(d.LaunchLatency)
	for k := range p.workers[0] {
		for u := range p.workers {
			n := uint64(k*d.Units + u%d.Units)
			p.look(p.begins+n*gap(d.WorkgroupsPerCycle)>>fraction, u)
		}
	}
}

// look plans a poll.
func (p *persistent) look(at uint64, unit int) {
	p.order++
	heap.Push(&p.polls, poll{at, p.order, unit})
}

// Ended frees a worker, which polls when all its stores are done.
func (p *persistent) Ended(now, done uint64, unit int) {
	p.busy--
	p.look(max(done, now+1), unit)
}

// Tick lets the workers look whose time has come.
func (p *persistent) Tick(now uint64) uint64 {
	for len(p.polls) > 0 && p.polls[0].at <= now && p.err == nil {
		w := heap.Pop(&p.polls).(poll)
		p.queue.Polls++
		ready := p.atomic(now, w.unit, 2)
		if !p.run(now, w.unit, ready) {
			p.look(max(ready, now+1)+uint64(p.spec.Poll), w.unit)
		}
	}
	if finished, _ := p.Finished(); finished || len(p.polls) == 0 || p.stuck(now) {
		return cu.Never
	}
	return p.polls[0].at
}

// stuck reports that polling on is no use: nothing runs, nothing is on its way
// and no coalescing window is open. Without it a deadlock would not end.
func (p *persistent) stuck(now uint64) bool {
	if p.resident > 0 || len(p.arrivals.list) > 0 {
		p.since = now
	}
	return now > p.since+uint64(p.spec.Queue.Window+p.spec.Poll)*2+uint64(p.spec.MemoryEstimate)*100
}

// run starts a workgroup on the worker, if there is one to start. It begins when
// the pop has returned from memory and its entry was read.
func (p *persistent) run(now uint64, unit int, popped uint64) bool {
	for _, i := range p.Run.order {
		b := p.bins[i]
		for len(b.opens) == 0 && b.readyAt(uint64(p.spec.Queue.Window)) <= now && p.err == nil {
			p.openLaunch(now, b, now)
		}
		if len(b.opens) == 0 || !p.reservable(b.opens[0]) {
			continue
		}
		at := max(p.read(now, unit), popped)
		p.nextGroup(b, unit, &p.wg)
		p.busy++
		p.Cluster.Units[unit].Place(now, b.Launch, &p.wg, func(int) uint64 { return at })
		return true
	}
	return false
}
