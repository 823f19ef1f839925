package graph

import (
	"fmt"
	"slices"

	"spvsim/cu"
	"spvsim/engine"
	"spvsim/scheduler"
)

// maxOpenLaunches is the number of open launches of one node and level, over all queues: enough to hide the latency of
// launching. Each queue of an engine or compute unit has an equal part, as no other queue takes what it has opened.
const maxOpenLaunches = 64

// A nodeLaunch is a launch of a node, with its input payloads.
type nodeLaunch struct {
	scheduler.GridLaunch
	*stage
	nodeQueue *nodeQueue
	input     int32
	lanes     int    // workgroups of one invocation that share its wave; 0: none do
	first     uint32 // number of its first workgroup, over all launches of the node
	hop       *hop   // nil in functional runs
}

// A launcher makes launches of waiting payloads, and workgroups of the launches. It is the graph's LaunchSource.
type launcher struct {
	engine     *engine.Engine
	dispatcher *scheduler.Dispatcher // nil in functional runs
	queues     *queues
	nodeQueues *nodeQueues
	pool       *pool
	stats      *graphStats
	trace      *payloadTrace
	nodes      []*Node
	workgroups *workgroups
	policy     policy
	// Cycles for which payloads wait for more: of a coalescing node, and of a node whose workgroups share waves.
	coalescing, packing uint64
	adaptive            bool // queue.window adaptive
	pullsWork           bool // workers take the workgroups; nothing is left to place
	maxLaunches         int  // open launches of a node queue
	maxOpen             int  // open launches in all; 0: no limit
	launchPool          engine.Pool[nodeLaunch]
}

func newLauncher(g *Graph, s *scheduler.QueueSpec, k kind, parts *Parts, q *queues, groups *workgroups) *launcher {
	o := &launcher{
		engine: parts.Engine, dispatcher: parts.Dispatcher, queues: q, nodeQueues: q.nodeQueues, pool: q.pool, stats: q.stats,
		trace: q.trace, nodes: g.Nodes, workgroups: groups,
		adaptive: s.Window == "adaptive", pullsWork: k.pullsWork, maxLaunches: max(maxOpenLaunches/len(q.list), 1),
	}
	if k.window {
		o.coalescing, o.packing = uint64(s.CoalescingWindow), uint64(s.PackingWindow)
	}
	return o
}

// loadHostPayloads queues the payloads that the host dispatches.
func (o *launcher) loadHostPayloads(entries []Entry) {
	clear(o.stats.opened)
	for i := range entries {
		e := &entries[i]
		top := e.Node.stages[len(e.Node.stages)-1]
		o.stats.waiting += e.Count * uint64(1+len(e.Node.sharers))
		o.spreadHostPayloads(top, e)
		for _, s := range e.Node.sharers {
			o.spreadHostPayloads(s.stages[top.remaining], e)
		}
	}
}

// spreadHostPayloads deals the payloads of an entry out to the queues, one by one.
func (o *launcher) spreadHostPayloads(s *stage, e *Entry) {
	n := uint64(len(o.queues.list))
	for q := range n {
		if q >= e.Count {
			break
		}
		b := o.nodeQueues.of(s, int(q))
		b.hostPayloads = append(b.hostPayloads, hostPayloads{data: e.Data, stride: e.Stride, next: q, count: e.Count, step: n, since: o.stats.startCycle})
		b.numHostPayloads += (e.Count - q + n - 1) / n
		o.stats.live[s.id] += int((e.Count - q + n - 1) / n)
	}
}

// pop removes the next payload from a node queue.
func (o *launcher) pop(now uint64, b *nodeQueue) (int32, error) {
	o.stats.waiting--
	if b.head < len(b.fifo) && (!b.hostFirst || b.numHostPayloads == 0) {
		i := b.fifo[b.head].payload
		if b.head++; b.head == len(b.fifo) {
			b.fifo, b.head, b.scanned = b.fifo[:0], 0, 0
		}
		if b.base == nil {
			o.queues.list[b.queue].payloadLeft(&o.pool.payloads[i])
			o.stats.depth--
		}
		o.trace.countDepth(now, b.stage, -1)
		return i, nil
	}
	return o.popHost(b)
}

// popHost makes the next payload that the host dispatched. Nodes that share an input get a copy each, which none of
// them may write.
func (o *launcher) popHost(b *nodeQueue) (int32, error) {
	h := &b.hostPayloads[0]
	i, err := o.pool.allocate(b.size, true)
	if err != nil {
		return 0, err
	}
	x := &o.pool.payloads[i]
	from := h.next * uint64(h.stride)
	if from < uint64(len(h.data)) {
		copy(x.data[:b.size], h.data[from:])
	}
	x.state, x.node, x.remaining, x.enqueued = payloadQueued, b.Node, b.remaining, h.since
	x.groups = b.grid(x)
	if err := b.checkPayload(x.groups); err != nil {
		return 0, fmt.Errorf("%w: %s, node %v: the host's dispatch, payload %d: %w", ErrFault, b.Shader, b.Node, h.next, err)
	}
	x.launches = 1
	if c := b.Launch.Check; c != nil {
		c.NewPayload(x.addr, uint64(x.size), true)
	}
	b.numHostPayloads--
	if h.next += h.step; h.next >= h.count {
		b.hostPayloads = b.hostPayloads[1:]
	}
	return i, nil
}

// launch opens a launch of the waiting payloads that start together.
func (o *launcher) launch(now uint64, b *nodeQueue) *nodeLaunch {
	n := min(b.pending(), b.batchSize())
	o.adaptWindow(b, n)
	return o.launchTogether(now, b, n)
}

// launchTogether opens a launch of the next n payloads. Its workgroups may be placed once readyFrom says from when. It
// returns nil if the run has failed.
func (o *launcher) launchTogether(now uint64, b *nodeQueue, n uint64) *nodeLaunch {
	input := o.pool.newArray(b.stage)
	for range n {
		i, err := o.pop(now, b)
		if err != nil {
			o.engine.Fail(err)
			return nil
		}
		o.pool.payloads[i].input = input
		o.trace.traceLaunch(now, b, i, input)
		o.pool.arrays[input].elems = append(o.pool.arrays[input].elems, i)
	}
	o.stats.nodes[b.id()].payloads += n
	l := o.newLaunch(b, input)
	if o.dispatcher != nil {
		l.hop = o.pool.newHop(b, o.pool.arrays[input].elems)
	}
	if x := &o.pool.payloads[o.pool.arrays[input].elems[0]]; b.base == nil || x.host {
		l.Grid = x.groups
	} else {
		l.Grid = x.shared[b.sharer]
	}
	l.Total = uint64(l.Grid[0]) * uint64(l.Grid[1]) * uint64(l.Grid[2])
	if b.Program.Packed {
		l.lanes = int(n)
	}
	o.stats.total += l.Total * uint64(max(l.lanes, 1))
	l.first = o.stats.opened[b.id()]
	o.stats.opened[b.id()] += uint32(l.Total)
	o.stats.openLaunches++
	if l.Total > 0 {
		b.launches = append(b.launches, l)
	}
	return l
}

// readyFrom sets the cycle from which workgroups of an open launch may be placed.
func (o *launcher) readyFrom(l *nodeLaunch, at uint64) {
	now := o.engine.Now()
	l.ReadyAt = max(at, now)
	l.hop.ready = l.ReadyAt
	s := &o.stats.nodes[l.nodeQueue.id()]
	for _, i := range o.pool.arrays[l.input].elems {
		wait := l.ReadyAt - min(o.pool.payloads[i].enqueued, l.ReadyAt)
		s.waits = append(s.waits, uint32(min(wait, 1<<32-1)))
	}
	if l.Total == 0 {
		o.stats.openLaunches--
		if now >= o.stats.endCycle {
			o.stats.endCycle, o.stats.lastDone = now, l.hop
		}
		o.endLaunch(l)
		o.queues.wake(now + 1)
		o.dispatcher.Wake(now + 1) // another launch may wait for its memory
		return
	}
	o.dispatcher.Wake(l.ReadyAt)
}

func (o *launcher) newLaunch(b *nodeQueue, input int32) *nodeLaunch {
	l := o.launchPool.Acquire()
	placed := scheduler.GridLaunch{Code: b.Launch, Class: b.id(), Engine: -1, Unit: -1, ReadyAt: cu.Never}
	*l = nodeLaunch{GridLaunch: placed, stage: b.stage, nodeQueue: b, input: input}
	o.stats.unended++
	switch o.queues.spread {
	case byEngine:
		l.Engine = b.queue
	case byUnit:
		l.Engine, l.Unit = o.queues.engineOf(b.queue), b.queue
	}
	return l
}

// need returns the bytes that the launch's next workgroup, or all workgroups that share its wave, may allocate.
func (l *nodeLaunch) need() uint64 { return l.worst * uint64(max(l.lanes, 1)) }

// Reserve implements scheduler.LaunchSource.
func (o *launcher) Reserve(list int) bool {
	return o.reserveMemory(o.nodeQueues.inOrder(o.nodeQueues.ofList(list)).launches[0])
}

// reserveMemory reports whether payload memory for the launch's next workgroup is free. A wave that workgroups share
// is cut to those for which it is.
func (o *launcher) reserveMemory(l *nodeLaunch) bool {
	free := o.pool.freeBytes(l.level)
	switch {
	case l.worst == 0 || free >= l.need():
		return true
	case l.lanes < 2 || free < l.worst:
		return false
	}
	o.split(l, int(free/l.worst))
	return true
}

// anyHasMemory reports whether any launch has the payload memory for its next workgroup: such a launch waits for a
// compute unit.
func (o *launcher) anyHasMemory() bool {
	for _, b := range o.nodeQueues.list {
		if !b.deferred && len(b.launches) > 0 && o.pool.freeBytes(b.launches[0].level) >= b.launches[0].worst {
			return true
		}
	}
	return false
}

// split leaves a launch its first payloads, one for each lane, and opens a launch of the others after it.
func (o *launcher) split(l *nodeLaunch, lanes int) {
	input := o.pool.newArray(l.stage)
	rest := o.newLaunch(l.nodeQueue, input)
	a, from := &o.pool.arrays[input], &o.pool.arrays[l.input]
	a.elems = append(a.elems, from.elems[lanes:]...)
	from.elems = from.elems[:lanes]
	for _, i := range a.elems {
		o.pool.payloads[i].input = input
	}
	rest.Grid, rest.Total, rest.ReadyAt, rest.lanes = l.Grid, l.Total, l.ReadyAt, l.lanes-lanes
	l.lanes = lanes
	if l.hop != nil {
		own := *l.hop
		rest.hop = &own
	}
	l.nodeQueue.launches = slices.Insert(l.nodeQueue.launches, 1, rest)
	o.stats.openLaunches++
}

// beginWorkgroup makes the next workgroup of a node queue's first launch. With its last workgroup, the launch leaves
// the node queue.
func (o *launcher) beginWorkgroup(b *nodeQueue, unit int, wg *cu.Workgroup) {
	l := b.launches[0]
	g := o.workgroups.newWorkgroup(l, unit)
	*wg = cu.Workgroup{Index: uint64(g.id), ID: l.NextID, Count: l.Grid}
	wg.Node.Input, wg.Node.Shader = o.pool.handle(l.input), l.Index
	if b.base == nil { // a node that shares an input is not recursive, even if the input's owner is
		wg.Node.Remaining = l.remaining
	}
	wg.Node.MeshGroup, wg.Node.Payloads = l.first+uint32(l.PlacedWorkgroups), g
	g.workgroupID = l.NextID
	o.stats.nodes[b.id()].workgroups += uint64(max(l.lanes, 1))
	wg.Node.Lanes = l.lanes
	o.stats.resident++
	o.stats.waves += uint64(l.Code.Resources.Waves)
	if l.Advance(); l.PlacedWorkgroups == l.Total {
		copy(b.launches, b.launches[1:])
		b.launches = b.launches[:len(b.launches)-1]
		o.stats.openLaunches--
	}
}

// endLaunch ends a launch, and frees input payloads that no other launch uses.
func (o *launcher) endLaunch(l *nodeLaunch) {
	o.stats.unended--
	a := &o.pool.arrays[l.input]
	o.countStarts(l, a.elems)
	o.stats.live[l.id] -= len(a.elems)
	for _, i := range a.elems {
		o.dropReference(i)
	}
	o.pool.dropArray(l.input)
	o.launchPool.Release(l)
}

// endWorkgroup removes a workgroup that has ended; with the last one, its launch ends.
func (o *launcher) endWorkgroup(g *workgroup) {
	o.stats.resident--
	g.close()
	l := g.launch
	o.stats.endedGroups += uint64(max(l.lanes, 1))
	if l.EndedWorkgroups++; l.EndedWorkgroups == l.Total {
		o.endLaunch(l)
	}
	o.workgroups.recycle(g)
}

// countStarts counts the cycles from the enqueue of a launch's payloads to its first instruction.
func (o *launcher) countStarts(l *nodeLaunch, list []int32) {
	if l.hop == nil || l.hop.first == 0 {
		return // a functional run, or a launch without workgroups
	}
	s := &o.stats.nodes[l.nodeQueue.id()]
	for _, i := range list {
		took := l.hop.first - min(o.pool.payloads[i].enqueued, l.hop.first)
		s.starts = append(s.starts, uint32(min(took, 1<<32-1)))
	}
}

func (o *launcher) dropReference(i int32) {
	x := &o.pool.payloads[i]
	if x.launches--; x.launches == 0 {
		o.pool.release(i)
	}
}

// launchableAt returns the cycle from which a launch can be opened: at once if the batch is whole or nothing more can
// arrive, otherwise after the window of the node.
func (o *launcher) launchableAt(b *nodeQueue) uint64 {
	n := b.pending()
	switch {
	case n == 0:
		return cu.Never
	case n >= b.batchSize(), b.head == len(b.fifo): // host payloads are complete
		return 0
	}
	window := o.coalescing
	if b.Program.Packed {
		window = o.packing
	}
	window >>= b.halvings
	if window == 0 || !o.stats.mayReceive(b.stage) {
		return b.fifo[b.head].visibleAt
	}
	return b.fifo[b.head].visibleAt + window
}

// adaptWindow halves a node queue's window after a launch that did not fill a batch, and doubles it again after one
// that did.
func (o *launcher) adaptWindow(b *nodeQueue, payloads uint64) {
	switch {
	case !o.adaptive || b.batchSize() == 1:
	case payloads < b.batchSize():
		b.halvings = min(b.halvings+1, mostHalvings)
	case b.halvings > 0:
		b.halvings--
	}
}

// mostHalvings leaves a few cycles of the longest window.
const mostHalvings = 20

// A launchStep opens a launch in cycle now, or returns false and the cycle of the next try.
type launchStep func(now uint64, b *nodeQueue) (at uint64, ok bool)

// launchReady opens launches of one queue, in the order of arbitration, until none can be opened in cycle now. It
// returns the cycle of the next try, if nothing happens before.
func (o *launcher) launchReady(now uint64, q int, open launchStep) uint64 {
	next := cu.Never
	for k := range o.nodeQueues.order {
		if b := o.nodeQueues.inOrder(q, k); b.pending() > 0 && o.engine.Err() == nil {
			next = min(next, o.launchFrom(now, b, open))
		}
	}
	return next
}

// launchFrom opens launches of a node queue while it can.
func (o *launcher) launchFrom(now uint64, b *nodeQueue, open launchStep) uint64 {
	for len(b.launches) < o.maxLaunches && o.engine.Err() == nil {
		at := o.launchableAt(b)
		if at > now {
			return at
		}
		at, ok := open(now, b)
		if !ok {
			return at
		}
	}
	return cu.Never
}

// Lists implements scheduler.LaunchSource: a list for each node queue.
func (o *launcher) Lists() int {
	if o.pullsWork {
		return 0
	}
	return len(o.nodeQueues.list)
}

func (o *launcher) Head(list int) *scheduler.GridLaunch {
	b := o.nodeQueues.inOrder(o.nodeQueues.ofList(list))
	if b.deferred || len(b.launches) == 0 {
		return nil
	}
	return &b.launches[0].GridLaunch
}

func (o *launcher) NextWorkgroup(list, unit int, wg *cu.Workgroup) {
	q, k := o.nodeQueues.ofList(list)
	b := o.nodeQueues.inOrder(q, k)
	if len(b.launches) >= o.maxLaunches || o.maxOpen > 0 {
		o.queues.list[q].alarm.Set(o.engine.Now()) // another launch may open
	}
	o.beginWorkgroup(b, unit, wg)
	o.nodeQueues.rotate(k)
}

// WorkgroupEnded implements scheduler.LaunchSource.
func (o *launcher) WorkgroupEnded(now uint64, m *cu.WaveEnd) {
	g, l := o.workgroups.list[m.Index], o.stats
	if g.launch.hop.issued(m.First); m.Done >= l.endCycle || l.lastDone == nil {
		l.endCycle, l.lastDone = m.Done, g.launch.hop
	}
	o.endWorkgroup(g)
	o.policy.WorkgroupEnded(now, m.Done, m.Unit)
	o.queues.wake(now)
}

func (o *launcher) OnIdle(now, next uint64) { o.policy.OnIdle(now, next) }

func (o *launcher) SetTag(tag int) {
	for _, n := range o.nodes {
		n.Launch.Tag = tag
	}
}

func (o *launcher) Classes() int                             { return len(o.nodes) }
func (o *launcher) PullsWork() bool                          { return o.pullsWork }
func (o *launcher) AllPlaced() bool                          { return o.stats.allDone() }
func (o *launcher) Finished() (bool, uint64)                 { return o.stats.allDone(), o.stats.endCycle }
func (o *launcher) Progress() (ended, running, total uint64) { return o.stats.progress() }
