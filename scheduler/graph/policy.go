package graph

import "spvsim/scheduler"

// A policy decides when enqueued payloads start workgroups, and what that costs.
type policy interface {
	// Allocate books the allocation of payloads for a wave on a compute unit. done ends when the wave has them, maybe
	// before Allocate returns.
	Allocate(now uint64, unit, payloads int, done *wait)
	// Enqueue books a batch of a wave. It calls queues.accept with the cycle in which the wave may continue, and
	// queues.release with the cycle in which the payloads arrive, each once that is known.
	Enqueue(now uint64, b *batch)
	// Start begins a dispatch. The host's payloads are queued.
	Start(now uint64)
	// Tick opens the launches of a queue that are due in cycle now. It returns the cycle of the next tick, if no
	// arrival or end of a workgroup comes before.
	Tick(now uint64, queue int) (next uint64)
	// OnIdle is called when the dispatcher has placed all that it can in cycle now. Without an event before, it places
	// nothing until cycle next.
	OnIdle(now, next uint64)
	// WorkgroupEnded is called with the end of a workgroup on a unit; its memory accesses are done by cycle done.
	WorkgroupEnded(now, done uint64, unit int)
}

// pushPolicy has the empty methods of policies that leave placement to the dispatcher.
type pushPolicy struct{}

func (pushPolicy) Start(uint64)                      {}
func (pushPolicy) OnIdle(_, _ uint64)                {}
func (pushPolicy) WorkgroupEnded(_, _ uint64, _ int) {}

// A kind is a row of the table of schedulers.
type kind struct {
	make  func(*Run) (policy, error)
	queue string // name of the queue components
	// engines: queue.placement may give each shader engine or compute unit a queue; otherwise the machine has one.
	engines bool
	// window: coalescing and packed nodes wait for more payloads.
	window bool
	// arbitrates: queue.arbitration orders the nodes; otherwise they go in the order of the graph.
	arbitrates bool
	// onChip: payloads live in on-chip memory while it has space.
	onChip bool
	// pullsWork: workers take their workgroups; the dispatcher places none.
	pullsWork bool
}

// kinds of scheduler by the words of scheduler.kind.
var kinds = map[string]kind{
	"hardware":   {make: newHardware, queue: "EnqueueQueue", engines: true, window: true, arbitrates: true, onChip: true},
	"firmware":   {make: newFirmware, queue: "SchedulerCore", engines: true, window: true, arbitrates: true},
	"multipass":  {make: newMultipass, queue: "PassQueue"},
	"lists":      {make: newLists, queue: "ListReader", arbitrates: true},
	"generated":  {make: newGenerated, queue: "SequenceReader"},
	"persistent": {make: newPersistent, queue: "WorkQueue", window: true, arbitrates: true, pullsWork: true},
}

// NodePriorities reports whether priorities of nodes have an effect.
func NodePriorities(s *scheduler.WorkSpec) bool {
	return kinds[s.Scheduler.Kind].arbitrates && s.Queue.Arbitration == "priority"
}

// PayloadCache reports whether the machine has a cache for payloads instead of on-chip memory.
func PayloadCache(s *scheduler.WorkSpec) bool {
	return kinds[s.Scheduler.Kind].onChip && s.Queue.PayloadMemory == "cache" && s.Queue.PayloadBytes > 0
}

// OnChip returns the machine's on-chip payload memory in bytes.
func OnChip(s *scheduler.WorkSpec) uint64 {
	if kinds[s.Scheduler.Kind].onChip && s.Queue.PayloadMemory != "cache" {
		return uint64(s.Queue.PayloadBytes)
	}
	return 0
}
