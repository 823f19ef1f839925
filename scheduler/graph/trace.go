package graph

import (
	"spvsim/cu"
	"spvsim/tracing/probe"
)

// A payloadTrace reports waiting payloads to the machine's tracer, if there is one.
type payloadTrace struct {
	array *cu.ComputeUnits // nil in functional runs
	graph *Graph
	pool  *pool
	stats *graphStats
}

// traceEnqueue reports that payload i waits for stage s from cycle at on.
func (p *payloadTrace) traceEnqueue(at uint64, unit int, s *stage, i int32) {
	if t := p.tracer(); t != nil {
		t.Enqueued(&probe.PayloadWait{At: at, Unit: unit, Payload: int(i), Node: s.Node.String()})
	}
}

// traceLaunch reports that payload i is part of a launch's input.
func (p *payloadTrace) traceLaunch(now uint64, b *nodeQueue, i, input int32) {
	if t := p.tracer(); t != nil {
		t.Picked(&probe.PayloadWait{At: now, Unit: -1, Payload: int(i), Node: b.Node.String(), Input: p.pool.handle(input)})
	}
}

// countDepth counts payloads that start or stop waiting for stage s, and reports the depth.
func (p *payloadTrace) countDepth(now uint64, s *stage, change int) {
	n := &p.stats.nodes[s.Node.id]
	n.depth += change
	if t, ok := p.tracer().(probe.DepthTracer); ok {
		t.Depth(&probe.PayloadDepth{At: now, Graph: p.graph.Nodes[0].String(), All: p.stats.depth, Node: s.Node.String(), Waiting: n.depth})
	}
}

// traceFrontEnd reports what the front end does from one cycle to another, named only for a tracer that listens.
func (p *payloadTrace) traceFrontEnd(kind string, name func() string, from, to uint64) {
	if t, ok := p.tracer().(probe.FrontEndTracer); ok {
		t.FrontEnd(&probe.FrontEndSpan{Kind: kind, Name: name(), From: from, To: to})
	}
}

func (p *payloadTrace) tracer() probe.Tracer {
	if p.array == nil {
		return nil
	}
	return p.array.Tracer()
}

// AddToSample adds the graph to a sample: waiting payloads, including those in flight, the bytes of payloads, and the
// waiting payloads of each node.
func (r *Run) AddToSample(s *probe.Sample) {
	for _, q := range r.queues.list {
		s.Queue += q.entries
	}
	s.Payloads += r.pool.used
	first := len(s.Nodes)
	for _, n := range r.graph.Nodes {
		s.Nodes = append(s.Nodes, probe.NodeQueue{Name: n.String()})
	}
	for _, b := range r.queues.nodeQueues.list {
		s.Nodes[first+b.id()].Waiting += len(b.fifo) - b.head
	}
}
