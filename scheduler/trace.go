package scheduler

import (
	"spvsim/probe"
)

// traceEnqueued reports that payload i waits for stage s from cycle at on.
func (r *Run) traceEnqueued(at uint64, unit int, s *stage, i int32) {
	if t := r.tracer(); t != nil {
		t.Enqueued(&probe.PayloadWait{At: at, Unit: unit, Payload: int(i), Node: s.Node.String()})
	}
}

// tracePicked reports that payload i of bin b is part of a launch's input.
func (r *Run) tracePicked(now uint64, b *bin, i, input int32) {
	if t := r.tracer(); t != nil {
		t.Picked(&probe.PayloadWait{At: now, Unit: -1, Payload: int(i), Node: b.Node.String(), Input: r.memory.pool.handle(input)})
	}
}

func (r *Run) tracer() probe.Tracer {
	if r.Array == nil {
		return nil
	}
	return r.Array.Tracer()
}

// Queued is how many payloads that shaders enqueued wait.
func (r *Run) Queued() int {
	sum := 0
	for _, q := range r.queues {
		sum += q.entries
	}
	return sum
}

// PayloadBytes are those that payloads of workgroups have.
func (r *Run) PayloadBytes() uint64 { return r.memory.pool.used }

// Waits is how many payloads that shaders enqueued wait for each node, those on their way left out. The list is made anew each time.
func (r *Run) Waits() []probe.NodeQueue {
	list := make([]probe.NodeQueue, len(r.graph.Nodes))
	for i, n := range r.graph.Nodes {
		list[i].Name = n.String()
	}
	for _, b := range r.opener.bins {
		list[b.id()].Waiting += len(b.fifo) - b.head
	}
	return list
}
