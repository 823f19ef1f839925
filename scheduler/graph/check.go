package graph

import (
	"fmt"
	"math/bits"

	"spvsim/isa"
	"spvsim/mem/lane"
	"spvsim/simd"
)

// CheckAccess looks at an access to payloads: each active lane must stay within a
// payload that its workgroup has as input or has allocated and not enqueued.
func (Payloads) CheckAccess(w *simd.Wave, in *isa.Inst) bool {
	pc, _ := w.CurrentInst()
	return workgroupOf(w).check(&waveOp{0, &w.State, pc, in, w})
}

// check is Check for a wave of the workgroup.
func (g *workgroup) check(v *waveOp) bool {
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
		if l := bits.TrailingZeros64(mask); !g.checkLane(v, l, base+index.Lane(l), size, writes) {
			return false
		}
	}
	return true
}

// checkLane checks the access of one lane.
func (g *workgroup) checkLane(v *waveOp, l int, addr, size uint64, writes bool) bool {
	bad := g.accessFault(addr, size, writes)
	if bad != "" {
		g.fault(v, l, "%s", bad)
	}
	return bad == ""
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

// isInput reports whether a payload is an input of the workgroup.
func (g *workgroup) isInput(x *payload, i int32) bool {
	if x.input == g.launch.input {
		return true
	}
	for _, e := range g.pool.arrays[g.launch.input].elems {
		if e == i {
			return true
		}
	}
	return false
}
