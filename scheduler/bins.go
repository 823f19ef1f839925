package scheduler

import (
	"fmt"
	"slices"

	"spvsim/cu"
	"spvsim/program"
)

// pending is how many payloads wait in the bin.
func (b *bin) pending() uint64 { return uint64(len(b.fifo)-b.head) + b.nHosts }

// batchSize is how many payloads start together.
func (b *bin) batchSize() uint64 {
	if b.Program.Packed {
		return uint64(b.Program.WaveSize)
	}
	if b.meta.Launch != program.Coalescing || b.meta.Input == nil {
		return 1
	}
	return uint64(max(b.meta.Input.MaxPayloads, 1))
}

// readyAt is the cycle from which a launch can be opened from the bin.
func (b *bin) readyAt(window uint64) uint64 {
	n := b.pending()
	switch {
	case n == 0:
		return cu.Never
	case n >= b.batchSize():
		return 0
	case b.head < len(b.fifo):
		return b.fifo[b.head].since + window
	}
	return 0 // what the host dispatches is complete
}

// pop takes the next payload of the bin.
func (r *Run) pop(b *bin) (int32, error) {
	r.waiting--
	if b.head < len(b.fifo) {
		i := b.fifo[b.head].payload
		if b.head++; b.head == len(b.fifo) {
			b.fifo, b.head = b.fifo[:0], 0
		}
		if b.base == nil {
			r.queues[b.queue].entries--
		}
		return i, nil
	}
	return r.popHost(b)
}

// popHost makes the next payload that the host dispatched. Nodes that share an
// input each get a copy: none of them may write it.
func (r *Run) popHost(b *bin) (int32, error) {
	h := &b.hosts[0]
	i, err := r.pool.take(b.size, true)
	if err != nil {
		return 0, err
	}
	x := &r.pool.payloads[i]
	from := h.next * uint64(h.stride)
	if from < uint64(len(h.data)) {
		copy(x.data[:b.size], h.data[from:])
	}
	x.state, x.node, x.remaining, x.enqueued = payloadQueued, b.Node, b.remaining, h.since
	x.groups = b.grid(x)
	if b.indirect != nil {
		if err := b.checkCount(x.groups); err != nil {
			return 0, fmt.Errorf("%w: %s, node %v: the host's dispatch, payload %d: %w", ErrFault, b.Shader, b.Node, h.next, err)
		}
	}
	x.launches = 1
	b.nHosts--
	if h.next += h.step; h.next >= h.count {
		b.hosts = b.hosts[1:]
	}
	return i, nil
}

// openLaunch takes the payloads that start together from the bin. From ready on,
// which says from when, its workgroups may be placed. It returns nil when the run
// has failed.
func (r *Run) openLaunch(now uint64, b *bin) *launch {
	n := min(b.pending(), b.batchSize())
	input := r.pool.newArray(b.stage)
	for range n {
		i, err := r.pop(b)
		if err != nil {
			r.fail(err)
			return nil
		}
		r.pool.payloads[i].input = input
		r.tracePicked(now, b, i, input)
		r.pool.arrays[input].elems = append(r.pool.arrays[input].elems, i)
	}
	r.stats[b.id()].payloads += n
	l := r.newLaunch(b, input)
	if x := &r.pool.payloads[r.pool.arrays[input].elems[0]]; b.base == nil {
		l.grid = x.groups
	} else {
		l.grid = b.grid(x)
	}
	l.total = uint64(l.grid[0]) * uint64(l.grid[1]) * uint64(l.grid[2])
	if b.Program.Packed {
		l.lanes = int(n)
	}
	r.total += l.total * uint64(max(l.lanes, 1))
	l.first = r.opened[b.id()]
	r.opened[b.id()] += uint32(l.total)
	r.open++
	if l.total > 0 {
		b.opens = append(b.opens, l)
	}
	return l
}

// ready says from which cycle on workgroups of an open launch may be placed.
func (r *Run) ready(l *launch, at uint64) {
	now := r.Engine.Now()
	l.readyAt = max(at, now)
	s := &r.stats[l.bin.id()]
	for _, i := range r.pool.arrays[l.input].elems {
		wait := l.readyAt - min(r.pool.payloads[i].enqueued, l.readyAt)
		s.waits = append(s.waits, uint32(min(wait, 1<<32-1)))
	}
	if l.total == 0 {
		r.open--
		r.done = max(r.done, now)
		r.closeLaunch(l)
		r.wake(now + 1)
		r.Dispatcher.alarm.Set(now + 1) // its memory may be what another launch waits for
		return
	}
	r.Dispatcher.alarm.Set(l.readyAt)
}

func (b *bin) id() int { return b.Node.id }

func (r *Run) newLaunch(b *bin, input int32) *launch {
	l := r.spareL.Take()
	*l = launch{code: b.Launch, class: b.id(), engine: -1, readyAt: cu.Never, stage: b.stage, bin: b, input: input}
	if r.perEngine {
		l.engine = b.queue
	}
	return l
}

// need is what the launch's next workgroup, or the workgroups that share its wave, may allocate.
func (l *launch) need() uint64 { return l.worst * uint64(max(l.lanes, 1)) }

// reserve says whether the payload memory allows the launch's next workgroup.
// One of workgroups that share a wave is cut to what the memory allows.
func (r *Run) reserve(l *launch) bool {
	free := r.pool.left() - min(r.graph.deeper[l.level], r.pool.left())
	switch {
	case l.worst == 0 || free >= l.need():
		return true
	case l.lanes < 2 || free < l.worst:
		return false
	}
	r.split(l, int(free/l.worst))
	return true
}

// split leaves a launch its first payloads, a lane each; the others get a launch
// of their own behind it.
func (r *Run) split(l *launch, lanes int) {
	input := r.pool.newArray(l.stage)
	rest := r.newLaunch(l.bin, input)
	a, from := &r.pool.arrays[input], &r.pool.arrays[l.input]
	a.elems = append(a.elems, from.elems[lanes:]...)
	from.elems = from.elems[:lanes]
	for _, i := range a.elems {
		r.pool.payloads[i].input = input
	}
	rest.grid, rest.total, rest.readyAt, rest.lanes = l.grid, l.total, l.readyAt, l.lanes-lanes
	l.lanes = lanes
	l.bin.opens = slices.Insert(l.bin.opens, 1, rest)
	r.open++
}

// nextGroup makes the next workgroup of the bin's first open launch, and closes
// the launch for placing after its last.
func (r *Run) nextGroup(b *bin, unit int, wg *cu.Workgroup) {
	l := b.opens[0]
	g := r.newGroup(l, unit)
	*wg = cu.Workgroup{Index: uint64(g.id), ID: l.next, Count: l.grid}
	wg.Node.Input, wg.Node.Remaining, wg.Node.Shader = r.pool.handle(l.input), l.remaining, l.Index
	wg.Node.MeshGroup, wg.Node.Payloads = l.first+uint32(l.placed), g
	g.at = l.next
	r.stats[b.id()].workgroups += uint64(max(l.lanes, 1))
	wg.Node.Lanes = l.lanes
	r.resident++
	r.waves += uint64(l.code.Need.Waves)
	if l.advance(); l.placed == l.total {
		copy(b.opens, b.opens[1:])
		b.opens = b.opens[:len(b.opens)-1]
		r.open--
	}
}

func (r *Run) newGroup(l *launch, unit int) *group {
	var g *group
	if n := len(r.spareG); n > 0 {
		g, r.spareG = r.groups[r.spareG[n-1]], r.spareG[:n-1]
	} else {
		g = &group{run: r, id: int32(len(r.groups))}
		r.groups = append(r.groups, g)
	}
	g.launch, g.stage, g.unit, g.reserve = l, l.stage, unit, l.need()
	r.pool.taken += g.reserve
	g.arrays, g.calls, g.finish = g.arrays[:0], g.calls[:0], call{}
	g.waves = ^uint64(0) >> (64 - uint(l.code.Need.Waves))
	g.counts = g.counts[:0]
	for range len(l.outputs) * max(l.lanes, 1) {
		g.counts = append(g.counts, 0)
	}
	return g
}

func (g *group) workgroup() [3]uint32 { return g.at }
