package graph

import "spvsim/scheduler"

// A policy decides when payloads that were enqueued start workgroups, and what
// that costs. It uses the methods of its Run to look at the payloads that wait,
// to open launches, and to access queues in memory.
type policy interface {
	// Allocate books the allocation of payloads for a wave on a compute unit;
	// done is called when the wave has them, maybe before Allocate returns.
	Allocate(now uint64, unit, payloads int, done *wait)
	// Enqueue books a batch that a wave hands over: it calls accept when it is
	// known from when the wave may go on, and release when it is from when the
	// payloads may be picked.
	Enqueue(now uint64, b *batch)
	// Start begins a dispatch: the host's payloads wait.
	Start(now uint64)
	// Tick does what can be done for a queue in cycle now and says when to be
	// called next, if nothing happens before: an arrival, the end of a workgroup.
	Tick(now uint64, queue int) (next uint64)
	// OnIdle: the dispatcher can place nothing more in cycle now, and if nothing
	// happens before, not until cycle next.
	OnIdle(now, next uint64)
	// WorkgroupEnded: a workgroup on the unit ended, and all it did is done by cycle done.
	WorkgroupEnded(now, done uint64, unit int)
}

// pushPolicy are the parts of a policy that opens launches and leaves the rest to the dispatcher.
type pushPolicy struct{}

func (pushPolicy) Start(uint64)                      {}
func (pushPolicy) OnIdle(_, _ uint64)                {}
func (pushPolicy) WorkgroupEnded(_, _ uint64, _ int) {}

// A kind is a row of the table of schedulers.
type kind struct {
	make  func(*Run) (policy, error)
	queue string // name of the components in which payloads wait
	// engines: there may be one for each shader engine or compute unit; without, the machine has one.
	engines bool
	// window: coalescing nodes wait for more payloads.
	window bool
	// arbitrates: queue.arbitration says which node goes first; without, nodes go in the order of the graph.
	arbitrates bool
	// onChip: payloads live on chip while there is space.
	onChip bool
	// pullsWork: workers take their workgroups; the dispatcher places none.
	pullsWork bool
}

// kinds of scheduler by the name that machine descriptions use.
var kinds = map[string]kind{
	"hardware":   {make: newHardware, queue: "EnqueueQueue", engines: true, window: true, arbitrates: true, onChip: true},
	"firmware":   {make: newFirmware, queue: "SchedulerCore", engines: true, window: true, arbitrates: true},
	"multipass":  {make: newMultipass, queue: "PassQueue"},
	"persistent": {make: newPersistent, queue: "WorkQueue", window: true, arbitrates: true, pullsWork: true},
}

// NodePriorities says whether the priorities of nodes decide which goes first.
func NodePriorities(s *scheduler.WorkSpec) bool {
	return kinds[s.Scheduler.Kind].arbitrates && s.Queue.Arbitration == "priority"
}

// PayloadCache says whether what the machine has for payloads on chip is a cache.
func PayloadCache(s *scheduler.WorkSpec) bool {
	return kinds[s.Scheduler.Kind].onChip && s.Queue.PayloadMemory == "cache" && s.Queue.PayloadBytes > 0
}

// OnChip is the payload memory that the machine has on chip, in bytes.
func OnChip(s *scheduler.WorkSpec) uint64 {
	if kinds[s.Scheduler.Kind].onChip && s.Queue.PayloadMemory != "cache" {
		return uint64(s.Queue.PayloadBytes)
	}
	return 0
}
