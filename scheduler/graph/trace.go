package graph

import (
	"spvsim/tracing/probe"
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

// deepen counts payloads that begin or end to wait for stage s, and reports their numbers.
func (r *Run) deepen(now uint64, s *stage, change int) {
	n := &r.ledger.nodes[s.Node.id]
	n.depth += change
	if t, ok := r.tracer().(probe.DepthTracer); ok {
		t.Depth(&probe.PayloadDepth{At: now, Graph: r.graph.Nodes[0].String(), All: r.ledger.depth, Node: s.Node.String(), Waiting: n.depth})
	}
}

func (r *Run) tracer() probe.Tracer {
	if r.Array == nil {
		return nil
	}
	return r.Array.Tracer()
}

// Sampled adds what a sample says of the graph: the payloads that shaders enqueued and that wait, those on their way included, the
// bytes that payloads have, and how many wait for each node.
func (r *Run) Sampled(s *probe.Sample) {
	for _, q := range r.queues {
		s.Queue += q.entries
	}
	s.Payloads += r.memory.pool.used
	first := len(s.Nodes)
	for _, n := range r.graph.Nodes {
		s.Nodes = append(s.Nodes, probe.NodeQueue{Name: n.String()})
	}
	for _, b := range r.opener.bins {
		s.Nodes[first+b.id()].Waiting += len(b.fifo) - b.head
	}
}
