package graph

import "spvsim/account"

// A graphStats counts what became of the payloads and workgroups of a graph, by node.
type graphStats struct {
	waiting      uint64 // payloads that wait, those on their way included
	depth        int    // payloads that shaders enqueued and that have not been launched, over all queues
	inFlight     int    // payloads enqueued that have not arrived
	resident     int    // workgroups
	openLaunches int    // launches that have workgroups to place

	startCycle uint64 // cycle from which payloads may be picked
	endCycle   uint64 // cycle by which all that ended workgroups did is done

	endedGroups uint64 // workgroups
	total       uint64 // workgroups of launches opened so far
	waves       uint64

	live       []int // by stage: payloads enqueued, or the host's, whose workgroups have not all ended
	inFlightTo []int // by stage: payloads on their way to it

	lastDone *hop // the launch that was done last

	nodes  []nodeStats
	opened []uint32 // workgroups of each node in the dispatch, so far
	queue  account.QueueCounts
}

// nodeStats is what happened at a node.
type nodeStats struct {
	payloads, workgroups uint64
	depth                int      // payloads that shaders enqueued to it and that have not been launched
	unused               uint64   // payloads that it allocated and did not enqueue
	waits                []uint32 // cycles of each payload from its enqueue to its launch
	starts               []uint32 // to the first instruction of its launch
	path                 account.PathCounts
}

func newGraphStats(g *Graph) *graphStats {
	return &graphStats{live: make([]int, len(g.stages)), inFlightTo: make([]int, len(g.stages)), nodes: make([]nodeStats, len(g.Nodes)), opened: make([]uint32, len(g.Nodes))}
}

// stall counts cycles that a wave waited at the queue, for a cause.
func (l *graphStats) stall(cause *uint64, cycles uint64) {
	*cause += cycles
	l.queue.StallCycles += cycles
}

// stallAtPort counts what a wave waits at a port, of which a queue has so many, for payloads of others.
func (l *graphStats) stallAtPort(now, at uint64, payloads, ports int) {
	alone := now + uint64(max(payloads-1, 0)/ports)
	l.stall(&l.queue.StallPort, max(at, alone)-alone)
}

// mayReceive says whether more payloads can come to a stage: some are on their way, or something lives from which they can come.
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

// countEnqueue and arrived: a payload is on its way to a stage, and is there.
func (l *graphStats) countEnqueue(s *stage) { l.live[s.id]++; l.inFlightTo[s.id]++ }
func (l *graphStats) countArrival(s *stage) { l.inFlightTo[s.id]-- }

// progress is the number of workgroups that ended, of those in the compute units, and of all known.
func (l *graphStats) progress() (ended, running, total uint64) {
	return l.endedGroups, uint64(l.resident), l.total
}

// allDone says that nothing of the dispatch is left.
func (l *graphStats) allDone() bool { return l.waiting == 0 && l.openLaunches == 0 && l.resident == 0 }
