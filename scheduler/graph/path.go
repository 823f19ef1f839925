package graph

import "spvsim/account"

// A hop is a launch on the path of payloads through the graph. Hops of later launches keep it alive.
type hop struct {
	from *hop // launch that enqueued its last payload; nil: the host
	node int
	// Cycles: enqueue of its last payload, first cycle of placement, first instruction.
	enqueued, ready, first uint64
}

// newHop returns the hop of a launch of payloads.
func (p *pool) newHop(b *nodeQueue, list []int32) *hop {
	h := &hop{node: b.id()}
	for k, i := range list {
		if x := &p.payloads[i]; k == 0 || x.enqueued > h.enqueued {
			h.from, h.enqueued = x.from, x.enqueued
		}
	}
	return h
}

// issued notes the first instruction of a workgroup of the launch.
func (h *hop) issued(cycle uint64) {
	if h.first == 0 || cycle < h.first {
		h.first = cycle
	}
}

// countPath walks from the launch that ended last back to the dispatch, and gives each node its wait, start and run
// time. The parts add up to the time of the dispatch. If memory answers out of order (an enqueue ends after the launch
// of its payload), a part is 0.
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
