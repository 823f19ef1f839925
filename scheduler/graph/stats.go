package graph

import "spvsim/account"

// graphStats counts the payloads and workgroups of a graph, by node.
type graphStats struct {
	waiting      uint64 // waiting payloads, including those in flight
	depth        int    // payloads enqueued by shaders and not launched yet, over all queues
	inFlight     int    // enqueued payloads that have not arrived
	resident     int    // resident workgroups
	openLaunches int    // launches that have workgroups to place
	unended      int    // launches that have not ended

	startCycle uint64 // cycle from which payloads may be launched
	endCycle   uint64 // end of the memory accesses of ended workgroups

	endedGroups uint64 // resident workgroups
	total       uint64 // workgroups of launches opened so far
	waves       uint64

	live       []int // by stage: payloads whose workgroups have not all ended
	inFlightTo []int // by stage: payloads in flight

	lastDone *hop // launch that ended last

	nodes  []nodeStats
	opened []uint32 // by node: workgroups of the dispatch so far
	queue  account.QueueCounts
}

// nodeStats counts what happened at a node.
type nodeStats struct {
	payloads, workgroups uint64
	depth                int      // payloads enqueued by shaders and not launched yet
	unused               uint64   // payloads that it allocated and never enqueued
	waits                []uint32 // cycles of each payload from its enqueue to its launch
	starts               []uint32 // cycles to the first instruction of the launch
	path                 account.PathCounts
}

func newGraphStats(g *Graph) *graphStats {
	return &graphStats{live: make([]int, len(g.stages)), inFlightTo: make([]int, len(g.stages)), nodes: make([]nodeStats, len(g.Nodes)), opened: make([]uint32, len(g.Nodes))}
}

// stall counts cycles that a wave waited at the queue, in total and by cause.
func (l *graphStats) stall(cause *uint64, cycles uint64) {
	*cause += cycles
	l.queue.StallCycles += cycles
}

// stallAtPort counts the cycles that a wave waited for payloads of others at a queue's ports: at less the
// (payloads-1)/ports cycles of its own.
func (l *graphStats) stallAtPort(now, at uint64, payloads, ports int) {
	alone := now + uint64(max(payloads-1, 0)/ports)
	l.stall(&l.queue.StallPort, max(at, alone)-alone)
}

// mayReceive reports whether more payloads may come to a stage: some are in flight, or a stage that leads to it has
// payloads.
func (l *graphStats) mayReceive(s *stage) bool {
	if l.inFlightTo[s.id] > 0 {
		return true
	}
	for _, f := range s.feeders {
		if l.live[f] > 0 {
			return true
		}
	}
	return false
}

// countEnqueue counts a payload sent to a stage; countArrival, its arrival.
func (l *graphStats) countEnqueue(s *stage) { l.live[s.id]++; l.inFlightTo[s.id]++ }
func (l *graphStats) countArrival(s *stage) { l.inFlightTo[s.id]-- }

// progress returns the workgroups that ended, those resident, and all known so far.
func (l *graphStats) progress() (ended, running, total uint64) {
	return l.endedGroups, uint64(l.resident), l.total
}

// allDone reports whether nothing of the dispatch is left.
func (l *graphStats) allDone() bool { return l.waiting == 0 && l.openLaunches == 0 && l.resident == 0 }
