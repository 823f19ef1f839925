package command

import (
	"spvsim/engine"
	"spvsim/scheduler"
)

// A Task is what a packet launches.
type Task interface {
	// Prepare reads what is known only when the packet is read. It returns false if there is nothing to do.
	Prepare() (some bool, err error)
	// FetchArguments reads the arguments of an indirect dispatch in cycle now, and returns when they have come; now: none.
	FetchArguments(now uint64) (ready uint64)
	// Open starts the work in cycle now; reports go to the caller. The work ends in cycle floor or later.
	Open(now, floor uint64, first bool, s scheduler.MachineShare, c *scheduler.Caller) error
	// Host reports whether the host does the work: it takes no time of the pipe.
	Host() bool
	// Untimed reports whether the work runs functionally, when its packet is ready. What comes after it follows a
	// launch.
	Untimed() bool
}

// A Packet is a launch of a queue with its dependencies, or a timestamp.
type Packet struct {
	Launch   int // number of the launch, over all queues
	Task     Task
	WaitsFor []int // launches that it depends on, in any queue
	// Timestamp is called instead of a launch, with the cycle in which the queue has reached it and its dependencies
	// have ended. The queue goes on meanwhile, and no pipe spends time on it.
	Timestamp func(at uint64)
	// Sync is the effect of its barrier on caches. It is called when all dependencies have ended, with the cycle by
	// which their accesses were done, and returns the cycle in which the barrier is over. nil: none.
	Sync func(done uint64) uint64
}

// A Record has the cycles of a launch.
type Record struct {
	Queue          int
	HeadAt         uint64 // its packet became the head of its queue
	ReadyAt        uint64 // its dependences had completed
	ReadAt         uint64 // a pipe began to read it
	DispatchedAt   uint64 // the dispatcher got it
	AllPlacedAt    uint64 // its last workgroup was placed
	DoneAt         uint64 // its memory accesses were done
	Completed      bool
	LastDependency int      // dependency that ended last; -1: none
	PipeWaits      []uint64 // cycles between ReadyAt and ReadAt in which the pipe served another queue, by queue
}

// LimitWait returns the cycles for which a limit of launches blocked the packet.
func (r *Record) LimitWait() uint64 {
	n := r.ReadAt - r.ReadyAt
	for _, cycles := range r.PipeWaits {
		n -= cycles
	}
	return n
}

// A Queue is packets in order.
type Queue struct {
	Name     string
	Pipe     int // pipe that serves it
	Priority int
	Units    []bool // compute units that its launches may use; nil: all
	Packets  []Packet
	Usage    scheduler.Usage

	index        int
	next         int    // packet
	hostReadyAt  uint64 // first cycle in which the host allows its first launch
	ready        uint64 // first cycle in which the next packet may be served; engine.Never: not known yet
	barrierAt    uint64 // cycle of its barrier; engine.Never: it has none, or waits
	waitDone     uint64 // cycle in which the barrier's dependencies were done
	noneLaunched bool   // nothing of it has been launched
}

// head returns the next packet, or nil.
func (q *Queue) head() *Packet {
	if q.next == len(q.Packets) {
		return nil
	}
	return &q.Packets[q.next]
}

// launches counts the packets that are not timestamps.
func (q *Queue) launches() (n int) {
	for i := range q.Packets {
		if q.Packets[i].Timestamp == nil {
			n++
		}
	}
	return n
}

// reset begins a run whose first launch may be ready in cycle begin.
func (q *Queue) reset(begin uint64) {
	q.next, q.hostReadyAt, q.noneLaunched = 0, begin, true
	q.ready, q.barrierAt = engine.Never, engine.Never
}

// A timestamp waits for launches.
type timestamp struct {
	outstanding int    // launches that have not ended
	doneAt      uint64 // cycle by which the others, and packets before it, were done
	call        func(at uint64)
}

// launchEnded counts the end of a launch. The last one calls the timestamp.
func (m *timestamp) launchEnded(done uint64) {
	m.doneAt = max(m.doneAt, done)
	if m.outstanding--; m.outstanding == 0 {
		m.call(m.doneAt)
	}
}
