package scheduler

import "spvsim/tracing"

// traceEnqueued tells that payload i waits in bin b from cycle at on.
func (r *Run) traceEnqueued(at uint64, unit int, b *bin, i int32) {
	if t := r.Cluster.Tracer(); t != nil {
		t.Enqueued(&tracing.PayloadWait{At: at, Unit: unit, Payload: int(i), Node: b.Node.String()})
	}
}

// tracePicked tells that payload i of bin b is part of a launch's input.
func (r *Run) tracePicked(now uint64, b *bin, i, input int32) {
	if t := r.Cluster.Tracer(); t != nil {
		t.Picked(&tracing.PayloadWait{At: now, Unit: -1, Payload: int(i), Node: b.Node.String(), Input: r.pool.handle(input)})
	}
}

// Queued is how many payloads that shaders enqueued wait.
func (r *Run) Queued() int {
	sum := 0
	for _, n := range r.entries {
		sum += n
	}
	return sum
}
