package scheduler

import (
	"fmt"
	"math/bits"
	"slices"

	"spvsim/isa"
	"spvsim/mem/hierarchy"
	"spvsim/mem/lane"
	"spvsim/program"
	"spvsim/simd"
)

// A group is a workgroup of a node while it is resident.
type group struct {
	run    *Run
	id     int32
	launch *launch
	*stage
	at      [3]uint32 // its WorkgroupId
	unit    int
	reserve uint64   // bytes that it may still allocate
	counts  []uint64 // payloads allocated, by owner and output whose limit counts (see counted)
	used    []usage  // what is allocated, by workgroup: several where they share a wave
	arrays  []int32  // allocated
	calls   []call   // that not all waves have made
	waves   uint64   // all of its waves
	// finished: it has called OpFinishWritingNodePayloadAMDX.
	finished bool
}

// usage is what a workgroup has allocated.
type usage struct{ payloads, bytes uint64 }

// residents are the workgroups of a run, by their index.
type residents struct {
	list  []*group
	spare []int32
}

// take is a workgroup to fill in.
func (s *residents) take(r *Run) *group {
	if n := len(s.spare); n > 0 {
		i := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return s.list[i]
	}
	g := &group{run: r, id: int32(len(s.list))}
	s.list = append(s.list, g)
	return g
}

// give takes a workgroup back that has ended.
func (s *residents) give(g *group) { s.spare = append(s.spare, g.id) }

func (r *Run) newGroup(l *launch, unit int) *group {
	g := r.groups.take(r)
	g.launch, g.stage, g.unit, g.reserve = l, l.stage, unit, l.need()
	r.memory.pool.taken += g.reserve
	g.arrays, g.calls, g.finished = g.arrays[:0], g.calls[:0], false
	g.waves = ^uint64(0) >> (64 - uint(l.code.Need.Waves))
	g.used = cleared(g.used, max(l.lanes, 1))
	g.counts = cleared(g.counts, len(l.outputs)*l.owners())
	return g
}

// owners is the number of owners of arrays of payloads in a wave of the launch, or in a workgroup of it (see counted).
func (l *launch) owners() int {
	local := l.Program.LocalSize
	switch {
	case l.lanes > 0:
		return l.lanes
	case slices.ContainsFunc(l.outputs, func(o output) bool { return o.Invocation }):
		return 1 + int(local[0]*local[1]*local[2])
	}
	return 1
}

// cleared is a list of n zeros, in the memory of another where that is enough.
func cleared[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	list = list[:n]
	clear(list)
	return list
}

// endGroup takes a workgroup out, and its launch with the last one.
func (r *Run) endGroup(now uint64, g *group) {
	r.ledger.resident--
	g.close(now)
	l := g.launch
	r.ledger.endedGroups += uint64(max(l.lanes, 1))
	if l.ended++; l.ended == l.total {
		r.opener.closeLaunch(l)
	}
	r.groups.give(g)
}

// close gives back what a workgroup has allocated and not enqueued, and looks
// for what not all of its waves did.
func (g *group) close(now uint64) {
	p := g.run.memory.pool
	for _, i := range g.arrays {
		a := &p.arrays[i]
		if !a.enqueued {
			g.run.ledger.nodes[g.Node.id].unused += uint64(len(a.elems))
			for _, e := range a.elems {
				p.release(e)
			}
		}
		p.dropArray(i)
	}
	p.taken -= g.reserve
	if g.run.Engine.Err() != nil {
		return
	}
	for i := range g.calls {
		g.incomplete(&g.calls[i])
	}
}

// incomplete stops the run for a call that not all waves of the workgroup made.
func (g *group) incomplete(c *call) {
	g.run.fail(fmt.Errorf("%w: %s, node %v: %v: %s: workgroup %v: not in uniform control flow: wave %d did not take part", ErrFault,
		g.Shader, g.Node, c.id, operation(c.op), g.workgroup(), firstMissing(c.waves)))
}

func firstMissing(mask uint64) int {
	i := 0
	for mask>>i&1 != 0 {
		i++
	}
	return i
}

func (g *group) workgroup() [3]uint32 { return g.at }

// A call is one execution of an instruction by the waves of a workgroup together.
type call struct {
	pc           int
	waves        uint64 // that have made it
	count, index uint64
	array        int32
	result       uint64
	id           isa.Origin
	op           isa.Op
	*answers
}

// answers are the waves that wait for a call to be done, and the cycle in which
// it is, once that is known.
type answers struct {
	pool    *pool
	unit    int
	at      uint64
	known   bool
	tickets []simd.Ticket
}

func (g *group) newAnswers() *answers { return &answers{pool: g.run.memory.pool, unit: g.unit} }

// wait makes the wait that knows when the call is done.
func (a *answers) wait(from uint64) *wait {
	return gather(from, func(at uint64) {
		a.at, a.known = at, true
		for _, t := range a.tickets {
			a.pool.answer(a.unit, t, at)
		}
		a.tickets = nil
	})
}

// booking is what the call costs a wave that makes it now: it may go on, and has
// the result when the call is done.
func (a *answers) booking(v *visit) simd.Booking {
	switch {
	case a.known && a.at <= v.now:
		return simd.Booking{Ready: v.now, Free: v.now}
	case a.known:
		a.pool.answer(a.unit, v.wave.Ticket(), a.at)
	default:
		a.tickets = append(a.tickets, v.wave.Ticket())
	}
	return simd.Booking{Pending: true, Free: v.now}
}

// nowhere is an address outside of all memory, for elements that do not exist.
const nowhere = ^uint64(0) - 1<<20

// Elem is the address of an element of an array.
func (g *group) Elem(handle uint64, i uint32) uint64 {
	p := g.run.memory.pool
	a := p.lookup(handle)
	if a == 0 || int(i) >= len(p.arrays[a].elems) {
		return nowhere
	}
	return p.payloads[p.arrays[a].elems[i]].addr
}

// Length is the number of payloads of an array.
func (g *group) Length(handle uint64) uint32 {
	p := g.run.memory.pool
	if a := p.lookup(handle); a != 0 {
		return uint32(len(p.arrays[a].elems))
	}
	return 0
}

// Valid reports whether payloads of an output may be allocated for an index.
func (g *group) Valid(k int, index uint32) bool {
	if k >= len(g.outputs) {
		return false
	}
	_, ok := g.target(&g.outputs[k], uint64(index))
	return ok
}

// target is the stage that payloads of an output for an index go to.
func (g *group) target(o *output, index uint64) (*stage, bool) {
	index += uint64(o.BaseIndex)
	t := o.targets[uint32(index)]
	switch {
	case t == nil || index > 1<<32-1:
		return nil, false
	case t != g.Node:
		return t.stages[len(t.stages)-1], true
	case g.remaining == 0:
		return nil, false
	}
	return t.stages[g.remaining-1], true
}

// firstMask has a bit for each lane of the wave that holds an invocation.
func firstMask(st *isa.State) uint64 {
	total := int(st.LocalSize[0]) * int(st.LocalSize[1]) * int(st.LocalSize[2])
	left := max(min(total-int(st.WaveInGroup)*st.Lanes, st.Lanes), 1)
	return ^uint64(0) >> (64 - uint(left))
}

// handlers carry out the operations of the machine.
var handlers = map[isa.Op]func(*group, *visit) simd.Booking{
	isa.PayloadAlloc:     (*group).allocate,
	isa.PayloadAllocLane: (*group).allocateLanes,
	isa.PayloadEnqueue:   (*group).enqueue,
	isa.PayloadFinish:    (*group).finishWriting,
}

// A visit is the execution of one operation by a wave.
type visit struct {
	now  uint64
	st   *isa.State
	pc   int
	in   *isa.Inst
	wave *simd.Wave // nil where no time passes
}

func (v *visit) bit() uint64 { return 1 << (v.st.WaveInGroup & 63) }

// first is the lowest active lane.
func (v *visit) first() int {
	return bits.TrailingZeros64(v.st.Exec|1<<63) & (v.st.Lanes - 1)
}

func (v *visit) source(i, lane int) uint64 { return v.st.Source(v.in, i, lane) }

// uniform is the value of a source that all active lanes must agree in.
func (v *visit) uniform(i int) (uint64, bool) {
	first := v.source(i, v.first())
	if v.in.Src[i].Kind != isa.Vector {
		return first, true
	}
	for exec := v.st.Exec; exec != 0; exec &= exec - 1 {
		if v.source(i, bits.TrailingZeros64(exec)) != first {
			return first, false
		}
	}
	return first, true
}

// Payloads carries out what waves of any graph do with payloads, for compute units.
type Payloads struct{}

// Do carries out an operation on payloads.
func (Payloads) Do(now uint64, unit int, w *simd.Wave, in *isa.Inst) simd.Booking {
	pc, _ := w.Where()
	return groupOf(w).do(&visit{now, &w.State, pc, in, w})
}

// groupOf is the workgroup of a wave, in whatever graph that is open.
func groupOf(w *simd.Wave) *group { return w.State.Payloads.(*group) }

// do carries out an operation of a wave.
func (g *group) do(v *visit) simd.Booking {
	idle := simd.Booking{Ready: v.now, Free: v.now}
	if v.st.Exec == 0 {
		return idle // no lane came here
	}
	if g.launch.lanes == 0 && v.st.Exec != firstMask(v.st) {
		g.fault(v, -1, "in divergent control flow: lanes %#x of %#x take part", v.st.Exec, firstMask(v.st))
		return idle
	}
	return handlers[v.in.Op](g, v)
}

// join finds the call that the wave makes now together with the other waves of
// its workgroup: the first one at this instruction that it has not made.
func (g *group) join(v *visit) (c *call, isNew bool) {
	for i := range g.calls {
		if c := &g.calls[i]; c.pc == v.pc && c.waves&v.bit() == 0 {
			c.waves |= v.bit()
			return c, false
		}
	}
	g.calls = append(g.calls, call{pc: v.pc, waves: v.bit(), id: v.in.Origin, op: v.in.Op})
	return &g.calls[len(g.calls)-1], true
}

// made drops the calls that all waves have made.
func (g *group) made() {
	kept := g.calls[:0]
	for _, c := range g.calls {
		if c.waves != g.waves {
			kept = append(kept, c)
		}
	}
	g.calls = kept
}

// allocate makes one array for the workgroup.
func (g *group) allocate(v *visit) simd.Booking {
	count, same := v.uniform(0)
	index, sameIndex := v.uniform(1)
	if !same || !sameIndex {
		g.fault(v, -1, "payload count or node index differs within the workgroup")
		return simd.Booking{Ready: v.now, Free: v.now}
	}
	c, isNew := g.join(v)
	if isNew {
		c.count, c.index = count, index
		c.array = g.newArray(v, v.first(), count, index)
		if c.array != 0 {
			g.run.memory.pool.arrays[c.array].group = true
		}
		c.answers = g.newAnswers()
		g.run.policy.Allocate(v.now, g.unit, int(count), c.wait(v.now))
	} else if c.count != count || c.index != index {
		g.fault(v, -1, "payload count or node index differs within the workgroup: %d payloads for index %d here, %d for %d in another wave", count, index, c.count, c.index)
	}
	handle := uint64(0)
	if c.array != 0 {
		handle = g.run.memory.pool.handle(c.array)
	}
	v.st.SetResult(v.in, handle)
	answers := c.answers
	g.made()
	return answers.booking(v)
}

// allocateLanes makes an array for each active lane.
func (g *group) allocateLanes(v *visit) simd.Booking {
	g.join(v)
	st, total := v.st, 0
	for exec := st.Exec; exec != 0; exec &= exec - 1 {
		l := bits.TrailingZeros64(exec)
		count := v.source(0, l)
		a := g.newArray(v, l, count, v.source(1, l))
		if a == 0 {
			break
		}
		st.SetLane(v.in, l, g.run.memory.pool.handle(a))
		total += int(count)
	}
	g.made()
	a := g.newAnswers()
	g.run.policy.Allocate(v.now, g.unit, total, a.wait(v.now))
	return a.booking(v)
}

// newArray allocates payloads of the output that the instruction names, or faults. An array of no payloads needs no node:
// shaders ask for none where the recursion is spent or the node missing.
func (g *group) newArray(v *visit, lane int, count, index uint64) int32 {
	o := &g.outputs[v.in.Imm]
	count, index = count&(1<<32-1), index&(1<<32-1)
	most := uint64(g.outputs[o.root].MaxPayloads)
	counted, owned, whose := g.counted(v, o, lane)
	used, bytes := &g.used[lane%len(g.used)], count*uint64(o.Bytes)
	limits := &g.run.graph.most
	to, ok := g.target(o, index)
	switch {
	case count > most:
		g.fault(v, lane, "%d payloads are allocated, NodeMaxPayloadsAMDX is %d", count, most)
	case *counted+count > owned:
		g.fault(v, lane, "%d payloads after %d are more than the %d that NodeMaxPayloadsAMDX allows the %s", count, *counted, owned, whose)
	case used.payloads+count > uint64(limits.MaxPayloads):
		g.fault(v, lane, "%d payloads after %d are more than the %d of a workgroup (queue.max_payloads)", count, used.payloads, limits.MaxPayloads)
	case used.bytes+bytes > uint64(limits.MaxPayloadBytes):
		g.fault(v, lane, "payloads of %d bytes after %d are more than the %d bytes of a workgroup (queue.max_payload_bytes)", bytes, used.bytes, limits.MaxPayloadBytes)
	case !ok && count > 0 && o.targets[uint32(index)+o.BaseIndex] == g.Node:
		g.fault(v, lane, "payloads are allocated for the node itself, but its recursion is spent")
	case !ok && count > 0 && o.Sized && index+uint64(o.BaseIndex) >= uint64(o.ArraySize):
		g.fault(v, lane, "payloads are allocated for node %s[%d], whose index is not below PayloadNodeArraySizeAMDX %d", o.Node, index+uint64(o.BaseIndex), o.ArraySize)
	case !ok && count > 0:
		g.fault(v, lane, "payloads are allocated for node %s[%d], which is not in the graph", o.Node, index+uint64(o.BaseIndex))
	default:
		*counted += count
		used.payloads, used.bytes = used.payloads+count, used.bytes+bytes
		return g.fill(v, o, to, count)
	}
	return 0
}

// counted returns the payloads that an array's owner has allocated of an output and of those that share its limit, and the most that
// it may. The owner is the workgroup or an invocation of it. Where workgroups of one invocation share a wave, it is a lane.
func (g *group) counted(v *visit, o *output, lane int) (counted *uint64, most uint64, whose string) {
	owner, root := 0, &g.outputs[o.root]
	most, whose = uint64(root.MaxPayloads), "workgroup"
	switch {
	case g.launch.lanes > 0:
		owner, most = lane, root.limit
	case v.in.Op == isa.PayloadAllocLane:
		owner, whose = 1+int(v.st.WaveInGroup)*v.st.Lanes+lane, "invocation"
	}
	return &g.counts[owner*len(g.outputs)+o.root], most, whose
}

func (g *group) fill(v *visit, o *output, to *stage, count uint64) int32 {
	p := g.run.memory.pool
	i := p.newArray(to)
	p.arrays[i].owner, p.arrays[i].id = g, v.in.Origin
	g.arrays = append(g.arrays, i)
	g.run.ledger.queue.Allocated += count
	for range count {
		e, err := p.take(o.Bytes, false)
		if err != nil {
			g.fault(v, -1, "%v", err)
			return i
		}
		x := &p.payloads[e]
		x.node, x.array, x.remaining = to.Node, i, to.remaining
		g.reserve -= min(x.charged, g.reserve)
		p.arrays[i].elems = append(p.arrays[i].elems, e)
	}
	return i
}

// enqueue hands arrays over to the queue: one that belongs to the workgroup when
// its last wave has come here, those of invocations at once.
func (g *group) enqueue(v *visit) simd.Booking {
	c, _ := g.join(v)
	c.array = 0
	exec := v.st.Exec
	if v.in.Src[0].Kind != isa.Vector {
		exec = 1 << v.first()
	}
	q := g.run.queues[g.run.queueOf(g.unit)]
	b := q.batches.Take()
	b.unit, b.payloads = g.unit, b.payloads[:0]
	var last uint64
	for rest := exec; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		handle := v.source(0, l)
		if handle == last && rest != exec {
			continue // an array of the workgroup, in the vector registers of all lanes
		}
		last = handle
		if !g.give(v, l, handle, b) {
			break
		}
	}
	g.made()
	if len(b.payloads) == 0 {
		q.batches.Give(b)
		return simd.Booking{Ready: v.now, Free: v.now}
	}
	if accepted, known := g.run.enqueue(v.now, b); known {
		return simd.Booking{Ready: accepted, Free: accepted}
	}
	t, unit, p := v.wave.Ticket().Holds(), g.unit, g.run.memory.pool
	b.waiter = func(at uint64) { p.answer(unit, t, at) }
	return simd.Booking{Pending: true, Held: true}
}

// give adds an array to what is enqueued.
func (g *group) give(v *visit, lane int, handle uint64, b *batch) bool {
	p := g.run.memory.pool
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
	g.run.ledger.queue.Enqueued += uint64(len(a.elems))
	for _, e := range a.elems {
		if !g.complete(v, lane, a.target, e) {
			return false
		}
		b.payloads = append(b.payloads, e)
	}
	return true
}

// complete closes a payload: what it starts is known now.
func (g *group) complete(v *visit, lane int, to *stage, e int32) bool {
	x := &g.run.memory.pool.payloads[e]
	x.state, x.from = payloadQueued, g.launch.hop
	if err := g.run.size(x, to); err != nil {
		g.fault(v, lane, "%v", err)
		return false
	}
	return true
}

// size works out how many workgroups a payload starts, of its node and of those that share it: what they write does not change that.
func (r *Run) size(x *payload, to *stage) error {
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

// checkPayload is checkCount where payloads say how many workgroups they start.
func (n *Node) checkPayload(grid [3]uint32) error {
	if n.indirect == nil {
		return nil
	}
	return n.checkCount(grid)
}

// grid is the number of workgroups that a payload starts at a node.
func (n *Node) grid(x *payload) [3]uint32 {
	switch {
	case n.meta.Launch == program.Coalescing:
		return [3]uint32{1, 1, 1}
	case n.meta.Launch == program.Static:
		return n.meta.Workgroups
	}
	grid := [3]uint32{1, 1, 1}
	for i := range int(n.indirect.Components) {
		first, end := n.indirect.At(i)
		grid[i] = uint32(lane.Get(x.data[first:end]))
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

// finishWriting is true when all workgroups of a payload, of its node and of those that share it, have called it.
func (g *group) finishWriting(v *visit) simd.Booking {
	handle, same := v.uniform(0)
	p := g.run.memory.pool
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
		return simd.Booking{Ready: v.now, Free: v.now}
	}
	c, isNew := g.join(v)
	if isNew {
		x := &p.payloads[p.arrays[i].elems[0]]
		if !g.finished {
			g.finished = true
			x.unfinished--
		}
		if x.unfinished == 0 {
			c.result = 1
		}
		c.answers = g.newAnswers()
		w := c.wait(v.now)
		g.run.memory.access(v.now, w, g.unit, hierarchy.Atomic, x.addr, 4, 1) // the count that identifies the last one
		w.close()
	}
	v.st.SetResult(v.in, c.result)
	answers := c.answers
	g.made()
	return answers.booking(v)
}

// Check looks at an access to payloads: each active lane must stay within a
// payload that its workgroup has as input or has allocated and not enqueued.
func (Payloads) Check(w *simd.Wave, in *isa.Inst) bool {
	pc, _ := w.Where()
	return groupOf(w).check(&visit{0, &w.State, pc, in, w})
}

// check is Check for the group's wave.
func (g *group) check(v *visit) bool {
	st, in, m := v.st, v.in, v.in.Mem
	if m.Speculative {
		return true
	}
	base := lane.Uniform(st, m.Base) + uint64(m.Offset)
	size := uint64(max(lane.Element(in).Bits()/8, 1)) * uint64(max(m.Count, 1))
	mask := lane.Active(st, m)
	if mask == 0 {
		return true
	}
	writes := in.Op.Has(isa.FlagWrites)
	if m.Index.Kind != isa.Vector {
		return g.checkLane(v, bits.TrailingZeros64(mask), base+lane.Uniform(st, m.Index), size, writes)
	}
	for index := lane.Wide(st, m.Index); mask != 0; mask &= mask - 1 {
		if l := bits.TrailingZeros64(mask); !g.checkLane(v, l, base+index.At(l), size, writes) {
			return false
		}
	}
	return true
}

// checkLane looks at what a lane accesses.
func (g *group) checkLane(v *visit, l int, addr, size uint64, writes bool) bool {
	bad := g.allowed(addr, size, writes)
	if bad != "" {
		g.fault(v, l, "%s", bad)
	}
	return bad == ""
}

// allowed says what is wrong with an access to payload memory; nothing when it is empty.
func (g *group) allowed(addr, size uint64, write bool) string {
	p := g.run.memory.pool
	i := p.find(addr)
	if i == 0 {
		return "an access to a payload that does not exist: its index is beyond the array, or the array is none"
	}
	x := &p.payloads[i]
	switch {
	case addr+size > x.addr+uint64(x.size):
		return fmt.Sprintf("an access beyond the end of a payload: bytes %d to %d of %d", addr-x.addr, addr-x.addr+size, x.size)
	case x.state == payloadAllocated && p.arrays[x.array].owner == g:
		return ""
	case x.state == payloadQueued && g.reads(x, i):
		if write && g.base != nil {
			return "a node writes the input that it shares, which it may only read"
		}
		return ""
	case x.state == payloadQueued:
		return "a payload is used after it was enqueued"
	}
	return "a payload is used that is not this workgroup's"
}

// reads says whether a payload is among the workgroup's inputs.
func (g *group) reads(x *payload, i int32) bool {
	if x.input == g.launch.input {
		return true
	}
	for _, e := range g.run.memory.pool.arrays[g.launch.input].elems {
		if e == i {
			return true
		}
	}
	return false
}

// fault stops the run with what a shader did that it must not.
func (g *group) fault(v *visit, lane int, format string, args ...any) {
	st := v.st
	where := operation(v.in.Op)
	if from := v.in.Origin.String(); from != "" {
		where = from + ": " + where
	}
	who := fmt.Sprintf("workgroup %v, wave %d", st.Workgroup, st.WaveInGroup)
	if lane >= 0 {
		who += fmt.Sprintf(", lane %d", lane)
	}
	g.run.fail(fmt.Errorf("%w: %s, node %v: %s: %s: %s", ErrFault, g.Shader, g.Node, where, who, fmt.Sprintf(format, args...)))
}

// payloadOps are what the operations of the machine on payloads represent.
var payloadOps = map[isa.Op]string{
	isa.PayloadAlloc: "OpAllocateNodePayloadsAMDX", isa.PayloadAllocLane: "OpAllocateNodePayloadsAMDX",
	isa.PayloadEnqueue: "OpEnqueueNodePayloadsAMDX", isa.PayloadFinish: "OpFinishWritingNodePayloadAMDX",
}

// operation names an operation as its reader knows it.
func operation(op isa.Op) string {
	if o, ok := payloadOps[op]; ok {
		return o
	}
	return isa.Table[op].Name
}
