package lds

import (
	"spvsim/isa"
	"spvsim/mem/lane"
)

// A FastAccess is a load or a store of 32-bit words from or to vector registers, decoded from the instruction once. For functional runs.
type FastAccess struct {
	store       bool
	broadcast   bool // a load: all lanes get the same words, in rows that lie one after the other
	inOrder     bool // a load of words that follow each other to rows that do: all lanes may get the same
	base, index isa.Reg
	offset      uint32
	rows        [4]int
	count       int
	*isa.Access
}

// FastAccessOf decodes an instruction; it returns nil for any other access.
func FastAccessOf(in *isa.Inst) *FastAccess {
	m := in.Mem
	if in.Op != isa.Load && in.Op != isa.Store || m.Space != isa.SpaceLDS || m.Scalar || m.Coherent || m.Base.Kind == isa.Vector ||
		lane.Element(in).Bits() != 32 || m.Count == 0 || m.PairStride > 0 && m.Index.Kind != isa.Vector {
		return nil
	}
	p := &FastAccess{store: in.Op == isa.Store, broadcast: m.Index.Kind != isa.Vector, base: m.Base, index: m.Index, offset: m.Offset, count: int(m.Count), Access: &m.Access}
	for k := range p.count {
		r := lane.Result(in, k)
		if p.store {
			r = m.Data[k]
		}
		if p.rows[k] = int(r.Index); r.Kind != isa.Vector {
			return nil
		}
	}
	p.inOrder = !p.store && m.PairStride == 0 && inOrder(in, p.count)
	if p.broadcast && !p.inOrder {
		return nil
	}
	return p
}

// BroadcastLoad returns the load with one index for all lanes, if its words go to consecutive rows.
func (p *FastAccess) BroadcastLoad(in *isa.Inst, index isa.Reg) (isa.Fill, bool) {
	return isa.Fill{In: in, Index: index}, p != nil && p.inOrder
}

// AccessFast executes an access on the bytes of a workgroup. It returns false, and executes nothing, where a word is out of bounds, or
// where lanes are idle in a broadcast.
func (d *Values) AccessFast(st *isa.State, p *FastAccess, region []byte) bool {
	bytes := 4 * uint32(p.count)
	base := uint32(lane.Uniform(st, p.base)) + p.offset
	if p.broadcast {
		base += uint32(lane.Uniform(st, p.index))
		return st.Exec == st.Full && p.fill(st, base, region)
	}
	index := st.V[int(p.index.Index)*st.Lanes:][:st.Lanes]
	if p.inOrder && st.Exec == st.Full && index[0] == index[len(index)-1] && lane.AllSame(index) {
		return p.fill(st, base+index[0], region)
	}
	d.step = lane.AddressParams{Base: base, Stride: bytes, Exec: st.Exec, Bytes: true}
	d.Compute(index, &d.step)
	if uint64(d.Last)+uint64(p.ElementOffset(p.count-1, 4))+4 > uint64(len(region)) {
		return false
	}
	var rows [4][]uint32
	for k := range p.count {
		rows[k] = st.V[p.rows[k]*st.Lanes:][:st.Lanes]
	}
	if p.store {
		d.ChangeCount++
		d.scatter(region, rows[:p.count], st.Exec, p.Access)
	} else {
		d.gather(rows[:p.count], region, st.Exec, p.Access)
	}
	return true
}

// fill writes the words at one place to all lanes, if they are in bounds.
func (p *FastAccess) fill(st *isa.State, at uint32, region []byte) bool {
	if uint64(at)+4*uint64(p.count) > uint64(len(region)) {
		return false
	}
	lane.FillRows(st.V[p.rows[0]*st.Lanes:][:p.count*st.Lanes], region[at:], st.Lanes)
	return true
}
