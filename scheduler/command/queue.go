package command

import (
	"spvsim/engine"
	"spvsim/scheduler"
)

// A Work is what a packet launches.
type Work interface {
	// Prepare reads what is known only when the packet is read. It says no where there is nothing to do.
	Prepare() (some bool, err error)
	// Open hands the work in cycle now to who carries it out and reports to the caller. It is done in cycle floor at the earliest.
	Open(now, floor uint64, first bool, s scheduler.Share, c *scheduler.Caller) error
	// Host says that the host carries the work out: no pipe spends time on it.
	Host() bool
	// Untimed says that it runs without time: it is carried out when its packet is ready, and what comes after it follows a launch.
	Untimed() bool
}

// A Packet is a launch of a queue, with what it waits for; or a mark.
type Packet struct {
	Launch int // its number, over all queues
	Work   Work
	After  []int // launches that it waits for, in any queue
	// Timestamp is called instead of a launch, with the cycle in which the queue has come to it and all that it waits for is done. The queue
	// goes on meanwhile, and no pipe spends time on it.
	Timestamp func(at uint64)
	// Sync is what its barrier does to caches: it is called in the cycle in which all have ended, with when all that they did was
	// done, and says when it has. nil: nothing.
	Sync func(done uint64) uint64
}

// A Record is what became of a launch, in cycles.
type Record struct {
	Queue          int
	Head           uint64 // its packet became the first of its queue
	Ready          uint64 // its dependences had completed
	Read           uint64 // a pipe began with it
	Opened         uint64 // the dispatcher had it
	Placed         uint64 // its last workgroup was placed
	Done           uint64 // all that it did was done
	Ended          bool
	LastDependency int      // the launch that ended last of those that it waited for; -1: it waited for none
	Pipe           []uint64 // cycles between Ready and Read in which the pipe served another queue, by queue
}

// Limit is for how long a limit of launches kept the packet.
func (r *Record) Limit() uint64 {
	n := r.Read - r.Ready
	for _, cycles := range r.Pipe {
		n -= cycles
	}
	return n
}

// A Queue is packets in order.
type Queue struct {
	Name     string
	Pipe     int // that serves it
	Priority int
	Units    []bool // compute units that its launches may use; nil: all
	Packets  []Packet
	Usage    scheduler.Usage

	index        int
	next         int    // packet
	begin        uint64 // from when its first launch may be ready, as far as the host goes
	ready        uint64 // from when the next packet may be served; engine.Never while that is not known
	barrierAt    uint64 // when its barrier is to be carried out; engine.Never: it has none, or waits
	waitDone     uint64 // when all that the barrier waits for was done
	noneLaunched bool   // nothing of it has been launched
}

// head is the next packet; nil: none is left.
func (q *Queue) head() *Packet {
	if q.next == len(q.Packets) {
		return nil
	}
	return &q.Packets[q.next]
}

// launches counts the packets that are no marks.
func (q *Queue) launches() (n int) {
	for i := range q.Packets {
		if q.Packets[i].Timestamp == nil {
			n++
		}
	}
	return n
}

// reset begins a run, in which the first launch may be ready in cycle begin.
func (q *Queue) reset(begin uint64) {
	q.next, q.begin, q.noneLaunched = 0, begin, true
	q.ready, q.barrierAt = engine.Never, engine.Never
}

// A timestamp waits for launches.
type timestamp struct {
	outstanding int    // launches that have not ended
	at          uint64 // by when the others, and what was before it, were done
	call        func(at uint64)
}

// ended takes note of one of the launches; the last one has the mark passed.
func (m *timestamp) ended(done uint64) {
	m.at = max(m.at, done)
	if m.outstanding--; m.outstanding == 0 {
		m.call(m.at)
	}
}
