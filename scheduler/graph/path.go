package graph

import "spvsim/account"

// A hop is a launch on the way of payloads through a graph. It is kept while something is that came from it.
type hop struct {
	from *hop // launch that enqueued its payload, the last one of several; nil: the host
	node int
	// Cycles: its payload was enqueued, it could start, its first instruction issued.
	enqueued, ready, first uint64
}

// newHop makes the hop of a launch of payloads.
func (p *pool) newHop(b *nodeQueue, list []int32) *hop {
	h := &hop{node: b.id()}
	for k, i := range list {
		if x := &p.payloads[i]; k == 0 || x.enqueued > h.enqueued {
			h.from, h.enqueued = x.from, x.enqueued
		}
	}
	return h
}

// issued: a workgroup of the launch issued its first instruction.
func (h *hop) issued(cycle uint64) {
	if h.first == 0 || cycle < h.first {
		h.first = cycle
	}
}

// countPath follows the path to the launch that was done last back to the dispatch, and gives each node its part. The parts add up to the
// time from the dispatch to the end: what memory answers out of order, as the end of an enqueue after the launch of its payload, takes none.
func (l *graphStats) countPath() {
	to := max(l.endCycle, l.startCycle)
	for h := l.lastDone; h != nil; h = h.from {
		p := &l.nodes[h.node].path
		first := min(max(h.first, h.ready, l.startCycle), to)
		ready := min(max(h.ready, l.startCycle), first)
		from := min(max(h.enqueued, l.startCycle), ready)
		p.Add(&account.PathCounts{Launches: 1, Wait: ready - from, Start: first - ready, Run: to - first})
		to = from
	}
	l.lastDone = nil
}
