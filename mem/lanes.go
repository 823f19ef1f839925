package mem

import (
	"math/bits"

	"spvsim/internal/timing"
	"spvsim/isa"
	"spvsim/mem/hierarchy"
	"spvsim/mem/lane"
	"spvsim/mem/texture"
)

// resolve finds the memory, offset and address of each lane of a mask.
func (x *lanes) resolve(st *isa.State, env *WaveBindings, m *isa.Mem, mask uint64) {
	x.bindings = env.Bindings
	switch m.Space {
	case isa.SpaceFlat:
		x.resolveFlat(st, m, mask)
	case isa.SpacePush:
		x.resolveOne(st, m, mask, &Descriptor{Addr: env.PushAddr, Bytes: env.Push}, -2)
	case isa.SpaceTable:
		x.resolveOne(st, m, mask, env.table(), -2)
	case isa.SpaceBuffer:
		if m.BindingIndex.Kind == isa.Vector {
			x.resolveMany(st, env, m, mask)
			return
		}
		d, binding := env.descriptor(m, uint32(lane.Uniform(st, m.BindingIndex)))
		x.resolveOne(st, m, mask, d, binding)
	default:
		panic("mem: an access to the LDS came to device memory")
	}
}

var unbound Descriptor

// descriptor picks an element of the binding, or of the flattened list. An
// index outside of it gives the unbound descriptor.
func (e *WaveBindings) descriptor(m *isa.Mem, index uint32) (*Descriptor, int32) {
	if m.Dynamic {
		if uint64(index) >= uint64(len(e.Descriptors)) {
			return &unbound, int32(m.Binding)
		}
		return &e.Descriptors[index], e.bindingOf(index)
	}
	if index >= e.Count[m.Binding] {
		return &unbound, int32(m.Binding)
	}
	return &e.Descriptors[e.First[m.Binding]+index], int32(m.Binding)
}

// oneBuffer returns the buffer that all active lanes access, if it is one: most often it is, even where each lane
// chooses.
func (e *WaveBindings) oneBuffer(st *isa.State, m *isa.Mem) (d *Descriptor, binding int32, one bool) {
	index := uint32(0)
	if m.BindingIndex.Kind == isa.Vector {
		if index, one = lane.SameValue(st.V[int(m.BindingIndex.Index)*st.Lanes:][:st.Lanes], st.Exec); !one {
			return nil, 0, false
		}
	}
	d, binding = e.descriptor(m, index)
	return d, binding, true
}

// sampler returns the sampler of an instruction; nil if none is bound.
func (e *WaveBindings) sampler(m *isa.Mem, index uint32) *texture.Sampler {
	if index >= e.Count[m.Sampler] {
		return nil
	}
	return e.Descriptors[e.First[m.Sampler]+index].Sampler
}

func (e *WaveBindings) bindingOf(index uint32) int32 {
	b := len(e.First) - 1
	for b > 0 && e.First[b] > index {
		b--
	}
	return int32(b)
}

func (x *lanes) resolveOne(st *isa.State, m *isa.Mem, mask uint64, d *Descriptor, binding int32) {
	w, base := x.w, uint32(lane.Uniform(st, m.Base))+m.Offset
	var index []uint32
	if m.Index.Kind == isa.Vector {
		index = st.V[int(m.Index.Index)*st.Lanes:][:st.Lanes]
	} else {
		base += uint32(lane.Uniform(st, m.Index))
	}
	for ; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask) & 63
		off := base
		if l < len(index) {
			off += index[l]
		}
		w.setLane(l, d, binding, off)
	}
}

func (x *lanes) resolveMany(st *isa.State, env *WaveBindings, m *isa.Mem, mask uint64) {
	w, base := x.w, uint32(lane.Uniform(st, m.Base))+m.Offset
	for ; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		d, binding := env.descriptor(m, uint32(lane.Value(st, m.BindingIndex, l, false)))
		w.setLane(l, d, binding, base+uint32(lane.Value(st, m.Index, l, false)))
	}
}

func (w *workspace) setLane(l int, d *Descriptor, binding int32, off uint32) {
	w.mem[l], w.offset[l], w.addr[l], w.binding[l] = d.Bytes, uint64(off), d.Addr+uint64(off), binding
}

func (x *lanes) resolveFlat(st *isa.State, m *isa.Mem, mask uint64) {
	w, base := x.w, lane.Uniform(st, m.Base)+uint64(m.Offset)
	if m.Base.Kind == isa.Vector {
		panic("mem: a base address differs by lane")
	}
	var index lane.Pair
	vector := m.Index.Kind == isa.Vector
	if vector {
		index = lane.Wide(st, m.Index)
	} else {
		base += lane.Uniform(st, m.Index)
	}
	for ; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		addr := base
		if vector {
			addr += index.Lane(l)
		}
		w.mem[l], w.offset[l], w.addr[l], w.binding[l] = nil, 0, addr, -1
		if b := w.buffer(x.store, addr); b != nil {
			w.mem[l], w.offset[l] = b.Bytes, addr-b.Addr
		}
	}
}

// element returns the bytes of the k-th element of a lane; ok is false out of bounds.
func (w *workspace) element(l, k int, size uint64) (b []byte, ok bool) {
	from := w.offset[l] + uint64(k)*size
	if from+size > uint64(len(w.mem[l])) {
		return nil, false
	}
	return w.mem[l][from : from+size], true
}

// rest returns what is within bounds of the k-th element of a lane that is not wholly.
func (w *workspace) rest(l, k int, size uint64) []byte {
	return w.mem[l][min(w.offset[l]+uint64(k)*size, uint64(len(w.mem[l]))):]
}

func elemBytes(t isa.Type) uint64 { return uint64(t.Bits()) / 8 }

// loadGeneral loads any element from any space but scratch.
func (p *Port) loadGeneral(now uint64, st *isa.State, env *WaveBindings, in *isa.Inst) *timing.Response {
	m := in.Mem
	mask, size := lane.Active(st, m), elemBytes(lane.Element(in))
	p.beginAccess(m, hierarchy.Read)
	p.lanes.resolve(st, env, m, mask)
	lanes, bytes := bits.OnesCount64(mask), uint32(size)*uint32(m.Count)
	p.lanes.w.timeBanksOfLanes(mask, uint64(bytes))
	for ; mask != 0; mask &= mask - 1 {
		p.lanes.loadLane(st, in, bits.TrailingZeros64(mask), size)
	}
	return p.sendRequest(now, m, hierarchy.Read, lanes, bytes)
}

func (x *lanes) loadLane(st *isa.State, in *isa.Inst, l int, size uint64) {
	w, bytes := x.w, uint32(0)
	for k := range int(in.Mem.Count) {
		v := uint64(0)
		if b, ok := w.element(l, k, size); ok {
			v = lane.ReadElement(b)
			bytes += uint32(size)
		} else if b := w.rest(l, k, size); in.Mem.Part && len(b) > 0 {
			var word [4]byte
			copy(word[:], b)
			v = lane.ReadElement(word[:])
			bytes += uint32(len(b))
		} else {
			x.fault(st, in, "load", l)
		}
		lane.Set(st, lane.Result(in, k), l, size == 8, v)
	}
	if bytes != 0 {
		w.add(l, w.addr[l], bytes)
	}
}

// storeGeneral stores any element to any space but scratch.
func (p *Port) storeGeneral(now uint64, st *isa.State, env *WaveBindings, in *isa.Inst) *timing.Response {
	m, t := in.Mem, lane.Element(in)
	mask, size := lane.Active(st, m), elemBytes(t)
	p.beginAccess(m, hierarchy.Write)
	lanes, bytes := bits.OnesCount64(mask), uint32(size)*uint32(m.Count)
	if p.lanes.w.noCoalescing && p.lanes.storeOne(st, env, in, mask, size) {
		return p.sendRequest(now, m, hierarchy.Write, lanes, bytes)
	}
	p.lanes.resolve(st, env, m, mask)
	for ; mask != 0; mask &= mask - 1 {
		p.lanes.storeLane(st, in, bits.TrailingZeros64(mask), size)
	}
	return p.sendRequest(now, m, hierarchy.Write, lanes, bytes)
}

// storeOne stores for the highest lane alone, which wins, if all lanes store to one place within bounds. It reports
// whether it did. Lines must not be collected.
func (x *lanes) storeOne(st *isa.State, env *WaveBindings, in *isa.Inst, mask uint64, size uint64) bool {
	m := in.Mem
	if mask == 0 || m.Index.Kind == isa.Vector || m.BindingIndex.Kind == isa.Vector {
		return false
	}
	l := bits.Len64(mask) - 1
	x.resolve(st, env, m, 1<<l)
	if _, ok := x.w.element(l, int(m.Count)-1, size); !ok {
		return false
	}
	x.storeLane(st, in, l, size)
	x.w.movedBytes *= uint64(bits.OnesCount64(mask))
	return true
}

func (x *lanes) storeLane(st *isa.State, in *isa.Inst, l int, size uint64) {
	w, bytes := x.w, uint32(0)
	for k := range int(in.Mem.Count) {
		b, ok := w.element(l, k, size)
		if !ok {
			x.fault(st, in, "store", l)
			continue
		}
		lane.WriteElement(b, lane.Value(st, in.Mem.Data[k], l, size == 8))
		bytes += uint32(size)
	}
	if bytes != 0 {
		w.add(l, w.addr[l], bytes)
	}
}
