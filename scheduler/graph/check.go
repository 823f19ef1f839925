package graph

import (
	"fmt"
	"math/bits"
	"slices"

	"spvsim/isa"
	"spvsim/mem/lane"
	"spvsim/simd"
)

// CheckAccess looks at an access to payloads: each active lane must stay within a
// payload that its workgroup has as input or has allocated and not enqueued. In a run that is checked, lanes that use another payload of
// theirs are reported and denied the access. ok is false where the run fails, or no lane is left.
func (Payloads) CheckAccess(w *simd.Wave, in *isa.Inst) (denied uint64, ok bool) {
	pc, _ := w.CurrentInst()
	return workgroupOf(w).check(&waveOp{0, &w.State, pc, in, w})
}

// check is Check for a wave of the workgroup.
func (g *workgroup) check(v *waveOp) (denied uint64, ok bool) {
	st, in, m := v.st, v.in, v.in.Mem
	if m.Speculative {
		return 0, true
	}
	base := lane.Uniform(st, m.Base) + uint64(m.Offset)
	bytes := uint64(max(lane.Element(in).Bits()/8, 1))
	size := bytes * uint64(max(m.Count, 1))
	mask := lane.Active(st, m)
	if mask == 0 {
		return 0, true
	}
	writes := in.Op.Has(isa.FlagWrites)
	if m.Index.Kind != isa.Vector {
		may, ok := g.checkLane(v, bits.TrailingZeros64(mask), base+lane.Uniform(st, m.Index), size, writes)
		if !may && ok {
			zeroResults(st, in, mask, bytes == 8)
		}
		return 0, may
	}
	all := mask
	for index := lane.Wide(st, m.Index); mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		may, ok := g.checkLane(v, l, base+index.Lane(l), size, writes)
		if !ok {
			return 0, false
		}
		if !may {
			denied |= 1 << l
		}
	}
	zeroResults(st, in, denied, bytes == 8)
	return denied, denied != all
}

// zeroResults has lanes load zeros, as from out of bounds.
func zeroResults(st *isa.State, in *isa.Inst, lanes uint64, wide bool) {
	if !in.Op.Has(isa.FlagReads) {
		return
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		for k := range max(int(in.Mem.Count), 1) {
			lane.Set(st, lane.Result(in, k), bits.TrailingZeros64(lanes), wide, 0)
		}
	}
}

// checkLane checks the access of one lane, and reports whether it may be carried out; ok: the run goes on.
func (g *workgroup) checkLane(v *waveOp, l int, addr, size uint64, writes bool) (may, ok bool) {
	bad := g.accessFault(addr, size, writes)
	if bad == "" {
		return true, true
	}
	if c := v.st.Checks; c != nil {
		if m := misuseOf(g, addr, size); m != nil {
			c.MisusePayload(v.st, v.pc, l, m)
			return false, true
		}
	}
	g.fault(v, l, "%s", bad)
	return false, false
}

// accessFault returns what is wrong with an access to payload memory, or "".
func (g *workgroup) accessFault(addr, size uint64, write bool) string {
	p := g.pool
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
	case x.state == payloadQueued && g.isInput(x, i):
		if write && g.base != nil {
			return "a node writes the input that it shares, which it may only read"
		}
		return ""
	case x.state == payloadQueued:
		return "a payload is used after it was enqueued"
	}
	return "a payload is used that is not this workgroup's"
}

// misuseOf returns what rule an access breaks to a payload that the workgroup has enqueued or shares; nil: it is to none of these, or beyond
// its end.
func misuseOf(g *workgroup, addr, size uint64) *isa.PayloadMisuse {
	p := g.pool
	i := p.find(addr)
	if i == 0 {
		return nil
	}
	x := &p.payloads[i]
	if addr+size > x.addr+uint64(x.size) {
		return nil
	}
	if x.state == payloadQueued && g.isInput(x, i) {
		return &isa.PayloadMisuse{Kind: isa.SharedInput, Node: g.Node.String(), Addr: addr, Offset: addr - x.addr}
	}
	for _, n := range g.arrays {
		a := &p.arrays[n]
		if !a.enqueued || !slices.Contains(a.elems, i) {
			continue
		}
		m := &isa.PayloadMisuse{Kind: isa.AfterRelease, Node: a.target.String(), Addr: addr, Offset: addr - x.addr, Enqueue: a.enqueue}
		if x.state == payloadQueued && x.array == n {
			m.Kind = isa.AfterEnqueue
		}
		return m
	}
	return nil
}

func (g *workgroup) isInput(x *payload, i int32) bool {
	if x.input == g.launch.input {
		return true
	}
	return slices.ContainsFunc(g.pool.arrays[g.launch.input].elems, func(e int32) bool { return e == i })
}
