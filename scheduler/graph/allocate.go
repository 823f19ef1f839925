package graph

import (
	"fmt"
	"math/bits"
	"slices"
	"spvsim/internal/timing"

	"spvsim/isa"
)

// allocate makes one array for the workgroup: its first wave allocates, the others get the same handle.
func (g *workgroup) allocate(v *waveOp) timing.Response {
	count, same := v.uniform(0)
	index, sameIndex := v.uniform(1)
	if !same || !sameIndex {
		g.fault(v, -1, "payload count or node index differs within the workgroup")
		return timing.Response{ReadyAt: v.now, UnitFreeAt: v.now}
	}
	c, isNew := g.joinCall(v)
	if isNew {
		c.count, c.index = count, index
		c.array = g.newArray(v, v.first(), count, index)
		if c.array != 0 {
			g.pool.arrays[c.array].group = true
		}
		c.callWaiters = g.newCallWaiters()
		g.policy.Allocate(v.now, g.unit, int(count), c.wait(v.now))
	} else if c.count != count || c.index != index {
		g.fault(v, -1, "payload count or node index differs within the workgroup: %d payloads for index %d here, %d for %d in another wave", count, index, c.count, c.index)
	}
	handle := uint64(0)
	if c.array != 0 {
		handle = g.pool.handle(c.array)
	}
	v.st.SetResult(v.in, handle)
	answers := c.callWaiters
	g.dropCompleteCalls()
	return answers.response(v)
}

// allocateLanes makes an array for each active lane.
func (g *workgroup) allocateLanes(v *waveOp) timing.Response {
	g.joinCall(v)
	st, total := v.st, 0
	for exec := st.Exec; exec != 0; exec &= exec - 1 {
		l := bits.TrailingZeros64(exec)
		count := v.source(0, l)
		a := g.newArray(v, l, count, v.source(1, l))
		if a == 0 {
			break
		}
		st.SetLane(v.in, l, g.pool.handle(a))
		total += int(count)
	}
	g.dropCompleteCalls()
	a := g.newCallWaiters()
	g.policy.Allocate(v.now, g.unit, total, a.wait(v.now))
	return a.response(v)
}

// usage counts what a workgroup has allocated.
type usage struct{ payloads, bytes uint64 }

// newArray allocates count payloads of the output that the instruction names, or faults and returns 0. An empty array
// needs no target: shaders allocate none where the recursion is spent or the node is missing.
func (g *workgroup) newArray(v *waveOp, lane int, count, index uint64) int32 {
	o := &g.outputs[v.in.Imm]
	count, index = count&(1<<32-1), index&(1<<32-1)
	own, used, bytes := g.owner(v, o, lane), &g.allocated[lane%len(g.allocated)], count*uint64(o.Bytes)
	to, ok := g.target(o, index)
	bad := g.beyondNode(o, own, count)
	if bad == "" {
		bad = g.beyondMachine(used, count, bytes)
	}
	if bad == "" && !ok && count > 0 {
		bad = g.noTarget(o, index)
	}
	if bad != "" {
		g.fault(v, lane, "%s", bad)
		return 0
	}
	*own.counted += count
	used.payloads, used.bytes = used.payloads+count, used.bytes+bytes
	return g.fillArray(v, o, to, count)
}

// An owner of arrays is a workgroup, one of its invocations, or, of workgroups of one invocation that share a wave, a
// lane. NodeMaxPayloadsAMDX limits each owner.
type owner struct {
	counted *uint64 // payloads allocated so far, of all outputs that share the limit
	most    uint64  // payloads that it may allocate
	whose   string
}

// owner returns the owner of an array that a lane allocates.
func (g *workgroup) owner(v *waveOp, o *output, lane int) owner {
	i, root := 0, &g.outputs[o.root]
	own := owner{most: uint64(root.MaxPayloads), whose: "workgroup"}
	switch {
	case g.launch.lanes > 0:
		i, own.most = lane, root.limit
	case v.in.Op == isa.PayloadAllocLane:
		i, own.whose = 1+int(v.st.WaveInGroup)*v.st.Lanes+lane, "invocation"
	}
	own.counted = &g.counts[i*len(g.outputs)+o.root]
	return own
}

// beyondNode returns how an allocation exceeds the node's limits, or "".
func (g *workgroup) beyondNode(o *output, own owner, count uint64) string {
	switch most := uint64(g.outputs[o.root].MaxPayloads); {
	case count > most:
		return fmt.Sprintf("%d payloads are allocated, NodeMaxPayloadsAMDX is %d", count, most)
	case *own.counted+count > own.most:
		return fmt.Sprintf("%d payloads after %d are more than the %d that NodeMaxPayloadsAMDX allows the %s", count, *own.counted, own.most, own.whose)
	}
	return ""
}

// beyondMachine returns how an allocation exceeds the machine's limits of a workgroup, or "".
func (g *workgroup) beyondMachine(used *usage, count, bytes uint64) string {
	switch most := g.limits; {
	case used.payloads+count > uint64(most.MaxPayloads):
		return fmt.Sprintf("%d payloads after %d are more than the %d of a workgroup (queue.max_payloads)", count, used.payloads, most.MaxPayloads)
	case used.bytes+bytes > uint64(most.MaxPayloadBytes):
		return fmt.Sprintf("payloads of %d bytes after %d are more than the %d bytes of a workgroup (queue.max_payload_bytes)", bytes, used.bytes, most.MaxPayloadBytes)
	}
	return ""
}

// noTarget returns why an output has no target stage for an index.
func (g *workgroup) noTarget(o *output, index uint64) string {
	switch at := index + uint64(o.BaseIndex); {
	case o.targets[uint32(index)+o.BaseIndex] == g.Node:
		return "payloads are allocated for the node itself, but its recursion is spent"
	case o.Sized && at >= uint64(o.ArraySize):
		return fmt.Sprintf("payloads are allocated for node %s[%d], whose index is not below PayloadNodeArraySizeAMDX %d", o.Node, at, o.ArraySize)
	default:
		return fmt.Sprintf("payloads are allocated for node %s[%d], which is not in the graph", o.Node, at)
	}
}

// owners returns the number of owners of a wave of the launch, or of a workgroup (see owner).
func (l *nodeLaunch) owners() int {
	local := l.Program.LocalSize
	switch {
	case l.lanes > 0:
		return l.lanes
	case slices.ContainsFunc(l.outputs, func(o output) bool { return o.Invocation }):
		return 1 + int(local[0]*local[1]*local[2])
	}
	return 1
}

func (g *workgroup) fillArray(v *waveOp, o *output, to *stage, count uint64) int32 {
	p := g.pool
	i := p.newArray(to)
	p.arrays[i].owner, p.arrays[i].id = g, v.in.Origin
	g.arrays = append(g.arrays, i)
	g.stats.queue.Allocated += count
	for range count {
		e, err := p.allocate(o.Bytes, false)
		if err != nil {
			g.fault(v, -1, "%v", err)
			return i
		}
		x := &p.payloads[e]
		x.node, x.array, x.remaining = to.Node, i, to.remaining
		if c := v.st.Checks; c != nil {
			c.NewPayload(x.addr, uint64(x.size))
		}
		g.reserved -= min(x.charged, g.reserved)
		p.arrays[i].elems = append(p.arrays[i].elems, e)
	}
	return i
}
