package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/engine"
	"spvsim/scheduler"
)

// Costs are the costs of launches that run alone, in cycles.
type Costs struct {
	FirstLaunch, FollowingLaunch uint64 // of a queue's first launch, and of one after a barrier
	Floor                        uint64 // least time of a first launch
}

// A Processor is the command processor: its pipes with their queues, and a record of each launch.
type Processor struct {
	Records []Record // by launch
	// OnLaunchEnd is called when a launch has ended, as its pipe sees it; nil: not called.
	OnLaunchEnd func(launch int)

	spec        *FrontEndSpec
	costs       Costs
	floor       uint64 // earliest end of a first launch
	dispatcher  *engine.Port
	queues      []*Queue
	pipes       []*Pipe
	waiters     [][]*Queue     // by launch: queues whose next packet waits for it
	timestamps  [][]*timestamp // by launch: timestamps that wait for it
	outstanding int
	unfinished  int // launches that have not ended
	done        uint64
	err         func(error)
}

// ErrQueues reports queues of a job that the machine does not have.
var ErrQueues = errors.New("queues")

// New puts queues on the pipes of a machine; to is the dispatcher's port.
func New(e *engine.Engine, spec *FrontEndSpec, costs Costs, to *engine.Port, queues []*Queue) (*Processor, error) {
	p := &Processor{spec: spec, costs: costs, dispatcher: to, queues: queues, err: e.Fail}
	for i := range spec.Pipes {
		p.pipes = append(p.pipes, newPipe(e, p, fmt.Sprintf("Pipe[%d]", i)))
	}
	launches := 0
	for i, q := range queues {
		if q.Pipe >= spec.Pipes {
			return nil, fmt.Errorf("%w: %s: pipe %d: the machine has %d, counted from 0", ErrQueues, q.Name, q.Pipe, spec.Pipes)
		}
		pipe := p.pipes[q.Pipe]
		if len(pipe.queues) == spec.QueuesPerPipe {
			return nil, fmt.Errorf("%w: %s: pipe %d has %d queues already, which is all that it serves (front_end.queues_per_pipe)", ErrQueues, q.Name, q.Pipe, spec.QueuesPerPipe)
		}
		q.index = i
		pipe.queues = append(pipe.queues, q)
		launches += q.launches()
	}
	p.Records, p.waiters, p.timestamps = make([]Record, launches), make([][]*Queue, launches), make([][]*timestamp, launches)
	return p, nil
}

// Components returns the pipes that have queues.
func (p *Processor) Components() (list []sim.Component) {
	for _, pipe := range p.pipes {
		if len(pipe.queues) > 0 {
			list = append(list, pipe)
		}
	}
	return list
}

// Start starts all queues in cycle now; follows: after other work, for which the host need not wait.
func (p *Processor) Start(now uint64, follows bool) {
	cost, floor := p.costs.FirstLaunch, p.costs.Floor
	if follows {
		cost, floor = p.costs.FollowingLaunch, 0
	}
	p.floor, p.unfinished, p.outstanding, p.done = now+floor, len(p.Records), 0, now
	for _, q := range p.queues {
		for i := range q.Packets {
			if k := &q.Packets[i]; k.Timestamp == nil {
				p.Records[k.Launch] = Record{Queue: q.index, LastDependency: -1, PipeWaits: make([]uint64, len(p.queues))}
			}
		}
		q.reset(now + subClamp(cost, p.packetCost()))
		q.Usage = scheduler.Usage{}
		q.Usage.Change(now, 0)
	}
	for _, pipe := range p.pipes {
		pipe.freeAt, pipe.open, pipe.current = now, 0, nil
		for _, q := range pipe.queues {
			pipe.advance(now, q)
		}
	}
}

// packetCost returns a pipe's cycles for a launch.
func (p *Processor) packetCost() uint64 { return uint64(p.spec.PacketCycles + p.spec.LaunchCycles) }

// barrierCost returns a pipe's cycles for a barrier: a launch after it costs following_launch_cycles in all.
func (p *Processor) barrierCost() uint64 { return subClamp(p.costs.FollowingLaunch, p.packetCost()) }

// subClamp returns a-b, at least 0.
func subClamp(a, b uint64) uint64 { return a - min(a, b) }

// Finished reports whether all launches have ended, and the cycle by which their accesses are done.
func (p *Processor) Finished() (bool, uint64) { return p.unfinished == 0, p.done }

func (p *Processor) Queues() []*Queue { return p.queues }

// Waiting describes what each queue waits for, for deadlock reports.
func (p *Processor) Waiting() string {
	var parts []string
	for _, q := range p.queues {
		k := q.head()
		if k == nil {
			continue
		}
		text := fmt.Sprintf("%s: packet %d of %d waits for its pipe or for fewer launches", q.Name, q.next+1, len(q.Packets))
		if n := p.unended(k); n > 0 {
			text = fmt.Sprintf("%s: packet %d of %d waits for %d launches", q.Name, q.next+1, len(q.Packets), n)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// unended counts the dependencies of a packet that have not ended.
func (p *Processor) unended(k *Packet) (n int) {
	for _, l := range k.WaitsFor {
		if !p.Records[l].Completed {
			n++
		}
	}
	return n
}

// endSeenAt returns the cycle in which a queue sees the end of a launch: signal_cycles later if it is another queue's.
func (p *Processor) endSeenAt(l int, q *Queue) uint64 {
	r := &p.Records[l]
	if r.Queue == q.index {
		return r.DoneAt
	}
	return r.DoneAt + uint64(p.spec.SignalCycles)
}

// launchEnded records the end of a launch, and signals the queues and timestamps that wait for it.
func (p *Processor) launchEnded(now uint64, l int, done uint64, from *Pipe) {
	r := &p.Records[l]
	r.Completed, r.DoneAt = true, done
	p.unfinished--
	p.done = max(p.done, done)
	for _, q := range p.waiters[l] {
		at := now
		if q.index != r.Queue {
			at += uint64(p.spec.SignalCycles)
		}
		to := p.pipes[q.Pipe]
		from.port.Post(&signal{queue: q}, to.port, at)
	}
	p.waiters[l] = p.waiters[l][:0]
	for _, m := range p.timestamps[l] {
		m.launchEnded(done)
	}
	p.timestamps[l] = p.timestamps[l][:0]
	if p.OnLaunchEnd != nil {
		p.OnLaunchEnd(l)
	}
}

// recordTimestamp calls a timestamp now, or when the launches that it waits for have ended.
func (p *Processor) recordTimestamp(now uint64, k *Packet) {
	m := &timestamp{outstanding: 1, doneAt: now, call: k.Timestamp}
	for _, l := range k.WaitsFor {
		if r := &p.Records[l]; r.Completed {
			m.doneAt = max(m.doneAt, r.DoneAt)
		} else {
			m.outstanding++
			p.timestamps[l] = append(p.timestamps[l], m)
		}
	}
	m.launchEnded(now)
}
