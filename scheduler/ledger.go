package scheduler

import "spvsim/account"

// A ledger counts what became of the payloads and workgroups of a graph, by node.
type ledger struct {
	waiting  uint64 // payloads that wait, those on their way included
	flying   int    // payloads enqueued that have not arrived
	resident int    // workgroups
	open     int    // launches that have workgroups to place

	begun uint64 // cycle from which payloads may be picked
	done  uint64 // cycle by which all that ended workgroups did is done

	endedGroups uint64 // workgroups
	total       uint64 // workgroups of launches opened so far
	waves       uint64

	nodes  []nodeStats
	opened []uint32 // workgroups of each node in the dispatch, so far
	queue  account.QueueCounts
}

// nodeStats is what happened at a node.
type nodeStats struct {
	payloads, workgroups uint64
	unused               uint64   // payloads that it allocated and did not enqueue
	waits                []uint32 // cycles of each payload from its enqueue to its launch
}

func newLedger(g *Graph) ledger {
	return ledger{nodes: make([]nodeStats, len(g.Nodes)), opened: make([]uint32, len(g.Nodes))}
}

// idle says that nothing of the dispatch is left.
func (l *ledger) idle() bool { return l.waiting == 0 && l.open == 0 && l.resident == 0 }
