package graph

import "spvsim/account"

// A ledger counts what became of the payloads and workgroups of a graph, by node.
type ledger struct {
	waiting  uint64 // payloads that wait, those on their way included
	depth    int    // payloads that shaders enqueued and that have not been launched, over all queues
	flying   int    // payloads enqueued that have not arrived
	resident int    // workgroups
	open     int    // launches that have workgroups to place

	begun uint64 // cycle from which payloads may be picked
	done  uint64 // cycle by which all that ended workgroups did is done

	endedGroups uint64 // workgroups
	total       uint64 // workgroups of launches opened so far
	waves       uint64

	live  []int // by stage: payloads enqueued, or the host's, whose workgroups have not all ended
	bound []int // by stage: payloads on their way to it

	last *hop // the launch that was done last

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

func newLedger(g *Graph) *ledger {
	return &ledger{live: make([]int, len(g.stages)), bound: make([]int, len(g.stages)), nodes: make([]nodeStats, len(g.Nodes)), opened: make([]uint32, len(g.Nodes))}
}

// stall counts cycles that a wave waited at the queue, for a cause.
func (l *ledger) stall(cause *uint64, cycles uint64) {
	*cause += cycles
	l.queue.StallCycles += cycles
}

// stallAtPort counts what a wave waits at a port, of which a queue has so many, for payloads of others.
func (l *ledger) stallAtPort(now, at uint64, payloads, ports int) {
	alone := now + uint64(max(payloads-1, 0)/ports)
	l.stall(&l.queue.StallPort, max(at, alone)-alone)
}

// feeds says whether more payloads can come to a stage: some are on their way, or something lives from which they can come.
func (l *ledger) feeds(s *stage) bool {
	if l.bound[s.id] > 0 {
		return true
	}
	for _, f := range s.feeders {
		if l.live[f] > 0 {
			return true
		}
	}
	return false
}

// enqueued and arrived: a payload is on its way to a stage, and is there.
func (l *ledger) enqueued(s *stage) { l.live[s.id]++; l.bound[s.id]++ }
func (l *ledger) arrived(s *stage)  { l.bound[s.id]-- }

// progress is the number of workgroups that ended, of those in the compute units, and of all known.
func (l *ledger) progress() (ended, running, total uint64) {
	return l.endedGroups, uint64(l.resident), l.total
}

// idle says that nothing of the dispatch is left.
func (l *ledger) idle() bool { return l.waiting == 0 && l.open == 0 && l.resident == 0 }
