package graph

import (
	"spvsim/account"
	"spvsim/simd"
)

// Counts returns what happened since the last call. MeshGroup numbers start anew.
func (r *Run) Counts() *account.GraphCounts {
	r.stats.countPath()
	c := &account.GraphCounts{Queue: r.stats.queue}
	c.Queue.ScratchUsed = r.pool.spilled
	for i, n := range r.graph.Nodes {
		s := &r.stats.nodes[i]
		c.Nodes = append(c.Nodes, account.NodeCounts{Name: n.String(), Payloads: s.payloads, Workgroups: s.workgroups, Waits: s.waits, Starts: s.starts, Path: s.path, Unused: s.unused})
		c.Unused += s.unused
		*s = nodeStats{}
	}
	r.stats.queue, r.pool.spilled = account.QueueCounts{}, 0
	return c
}

// Totals returns the workgroups and waves that ended since the last call.
func (r *Run) Totals() (workgroups, waves uint64) {
	workgroups, waves = r.stats.endedGroups, r.stats.waves
	r.stats.endedGroups, r.stats.total, r.stats.waves = 0, 0, 0
	return workgroups, waves
}

// A slotReservation is a policy whose workers hold wave slots without a workgroup of the graph.
type slotReservation interface {
	reservedSlots() (slots, from uint64)
}

// Charge moves slot-cycles that idle workers held from account.Empty to account.Payload.
func (r *Run) Charge(c *account.SlotCycles, end uint64) {
	h, ok := r.policy.(slotReservation)
	if !ok {
		return
	}
	slots, from := h.reservedSlots()
	if end <= from {
		return
	}
	held, used := slots*(end-from), c.Total()-c[account.Empty]
	if held > used {
		idle := min(held-used, c[account.Empty])
		c[account.Empty] -= idle
		c[account.Payload] += idle
	}
}

// NodeOf returns the name of the node that a wave runs, or "".
func NodeOf(w *simd.Wave) string {
	if w.State.Payloads == nil {
		return ""
	}
	return workgroupOf(w).Node.String()
}
