package graph

import (
	"fmt"
	"math/bits"
	"spvsim/internal/timing"
	"spvsim/mem/hierarchy"

	"spvsim/isa"
	"spvsim/mem/lane"
	"spvsim/program"
)

// enqueue hands arrays to the queue: those of invocations at once, that of the workgroup with its last wave.
func (g *workgroup) enqueue(v *waveOp) timing.Response {
	c, _ := g.joinCall(v)
	c.array = 0
	exec := v.st.Exec
	if v.in.Src[0].Kind != isa.Vector {
		exec = 1 << v.first()
	}
	q := g.queues.of(g.unit)
	b := q.batches.Acquire()
	b.unit, b.payloads = g.unit, b.payloads[:0]
	var last uint64
	for rest := exec; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		handle := v.source(0, l)
		if handle == last && rest != exec {
			continue // the workgroup's array: each lane's register holds the same handle
		}
		last = handle
		if !g.enqueueArray(v, l, handle, b) {
			break
		}
	}
	g.dropCompleteCalls()
	if len(b.payloads) == 0 {
		q.batches.Release(b)
		return timing.Response{ReadyAt: v.now, UnitFreeAt: v.now}
	}
	if accepted, known := g.queues.enqueue(v.now, b); known {
		return timing.Response{ReadyAt: accepted, UnitFreeAt: accepted}
	}
	t, unit, alloc := v.wave.Ticket().BlocksWave(), g.unit, g.allocator
	b.waiter = func(at uint64) { alloc.answer(unit, t, at) }
	return timing.Response{Completion: timing.ByCallback, BlocksWave: true}
}

// enqueueArray adds an array to a batch, or faults and returns false.
func (g *workgroup) enqueueArray(v *waveOp, lane int, handle uint64, b *batch) bool {
	p := g.pool
	i := p.lookup(handle)
	if i == 0 || p.arrays[i].owner != g {
		g.fault(v, lane, "what is enqueued is not a payload array that this workgroup allocated")
		return false
	}
	a := &p.arrays[i]
	if a.enqueued || a.waves&v.bit() != 0 {
		g.fault(v, lane, "a payload array is enqueued a second time")
		return false
	}
	if a.group {
		if a.waves |= v.bit(); a.waves != g.waves {
			return true
		}
	}
	a.enqueued = true
	if c := v.st.Checks; c != nil {
		c.Enqueued(false)
	}
	g.stats.queue.Enqueued += uint64(len(a.elems))
	for _, e := range a.elems {
		if !g.completePayload(v, lane, a.target, e) {
			return false
		}
		b.payloads = append(b.payloads, e)
	}
	return true
}

// completePayload closes a payload for writing and works out its grids.
func (g *workgroup) completePayload(v *waveOp, lane int, to *stage, e int32) bool {
	x := &g.pool.payloads[e]
	x.state, x.from = payloadQueued, g.launch.hop
	if err := size(x, to); err != nil {
		g.fault(v, lane, "%v", err)
		return false
	}
	return true
}

// size works out the grids that a payload starts, at its node and at the nodes that share the input. Later writes
// don't change them.
func size(x *payload, to *stage) error {
	x.groups = to.grid(x)
	x.launches = uint32(1 + len(to.sharers))
	x.unfinished = x.groups[0] * x.groups[1] * x.groups[2]
	x.shared = x.shared[:0]
	errs := to.checkPayload(x.groups)
	for _, s := range to.sharers {
		grid := s.grid(x)
		x.shared = append(x.shared, grid)
		x.unfinished += grid[0] * grid[1] * grid[2]
		if errs == nil {
			errs = s.checkPayload(grid)
		}
	}
	return errs
}

// checkPayload is checkCount for nodes whose payloads give the number of workgroups.
func (n *Node) checkPayload(grid [3]uint32) error {
	if n.indirect == nil {
		return nil
	}
	return n.checkCount(grid)
}

// grid returns the number of workgroups that a payload starts at a node.
func (n *Node) grid(x *payload) [3]uint32 {
	switch {
	case n.meta.Launch == program.Coalescing:
		return [3]uint32{1, 1, 1}
	case n.meta.Launch == program.Static:
		return n.meta.Workgroups
	}
	grid := [3]uint32{1, 1, 1}
	for i := range int(n.indirect.Components) {
		first, end := n.indirect.ComponentBytes(i)
		grid[i] = uint32(lane.ReadElement(x.data[first:end]))
	}
	return grid
}

func (n *Node) checkCount(grid [3]uint32) error {
	most := n.meta.Workgroups
	for i, size := range grid {
		if most != [3]uint32{} && size > most[i] {
			return fmt.Errorf("a payload asks for %v workgroups of %v, MaxNumWorkgroupsAMDX is %v", grid, n, most)
		}
	}
	return checkGrid(n, grid)
}

// finishWriting returns true to the last workgroup of a payload that calls it, of its node and of those that share the
// input.
func (g *workgroup) finishWriting(v *waveOp) timing.Response {
	handle, same := v.uniform(0)
	p := g.pool
	i := p.lookup(handle)
	bad := ""
	switch {
	case !same || i == 0 || i != g.launch.input:
		bad = "is given something else than the node's input payload"
	case g.meta.Launch == program.Coalescing:
		bad = "is called by a coalescing node"
	case p.payloads[p.arrays[i].elems[0]].host:
		bad = "is called for a payload that the host dispatched"
	case g.meta.Input == nil || !g.meta.Input.TrackFinish:
		bad = "is called for a payload without TrackFinishWritingAMDX"
	}
	if bad != "" {
		g.fault(v, -1, "it %s", bad)
		return timing.Response{ReadyAt: v.now, UnitFreeAt: v.now}
	}
	c, isNew := g.joinCall(v)
	if isNew {
		x := &p.payloads[p.arrays[i].elems[0]]
		if !g.finished {
			g.finished = true
			x.unfinished--
		}
		if x.unfinished == 0 {
			c.result = 1
		}
		if k := v.st.Checks; k != nil {
			k.Enqueued(c.result == 1)
		}
		c.callWaiters = g.newCallWaiters()
		w := c.wait(v.now)
		g.ring.access(v.now, w, g.unit, hierarchy.Atomic, x.addr, 4, 1) // counts the callers
		w.close()
	}
	v.st.SetResult(v.in, c.result)
	answers := c.callWaiters
	g.dropCompleteCalls()
	return answers.response(v)
}
