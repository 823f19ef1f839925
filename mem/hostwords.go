package mem

import (
	"encoding/binary"
	"math/bits"

	"spvsim/internal/timing"
	"spvsim/isa"
	"spvsim/mem/hierarchy"
	"spvsim/mem/lane"
)

// What is here is for the host's speed: loads, stores and atomics of 32-bit words whose buffer is known when the program is lowered, or
// the same for all lanes, by rows of words instead of lane by lane.
//
// Law: such an access leaves the same registers, bytes and faults, and asks for the same lines in the same time, as by
// loadGeneral and storeGeneral. Test: TestAccessesTakeTheSameByEveryLoop.

// maxWords is the most words of a lane that have rows.
const maxWords = 4

// words returns the number of words that each lane accesses, of 32-bit and 64-bit elements; 0 for others, and for more
// than have rows.
func words(m *isa.Mem, t isa.Type) int {
	if n := int(m.Count) * t.Rows(); t.Bits() >= 32 && n <= maxWords {
		return n
	}
	return 0
}

// staticBuffer reports whether lanes access words of one buffer that is known when the program is lowered.
func staticBuffer(m *isa.Mem, t isa.Type) bool {
	return m.Space == isa.SpaceBuffer && !m.Dynamic && m.BindingIndex.Kind == isa.None && !m.Scalar &&
		words(m, t) > 0 && m.Index.Kind == isa.Vector
}

// perLaneBuffer reports whether lanes access words of buffers that each lane chooses.
func perLaneBuffer(m *isa.Mem, t isa.Type) bool {
	return m.Space == isa.SpaceBuffer && m.BindingIndex.Kind == isa.Vector && !m.Scalar && words(m, t) > 0 && m.Index.Kind == isa.Vector
}

// uniformLoad says that one access for the whole wave loads from a buffer that is known when the program is lowered, from the push constants
// or from an address.
func uniformLoad(m *isa.Mem) bool {
	known := m.Space == isa.SpacePush || m.Space == isa.SpaceTable || m.Space == isa.SpaceFlat || m.Space == isa.SpaceBuffer && !m.Dynamic && m.BindingIndex.Kind == isa.None
	return m.Scalar && known && m.Index.Kind != isa.Vector && m.Base.Kind != isa.Vector
}

// flatWords reports whether lanes access words at addresses of their own.
func flatWords(m *isa.Mem, t isa.Type) bool {
	return m.Space == isa.SpaceFlat && !m.Scalar && words(m, t) > 0 && m.Index.Kind == isa.Vector
}

// wordRows are register rows, one for each word of a lane.
type wordRows [maxWords][]uint32

// results returns the rows of the results of a load, of elements of each words.
func (w *workspace) results(st *isa.State, in *isa.Inst, each int) (r wordRows) {
	for k := range int(in.Mem.Count) {
		d := lane.Result(in, k)
		for j := range each {
			r[k*each+j] = w.result(st, d, j)
		}
	}
	return r
}

// result returns the row of the j-th word of a result. An unused result has a row that nothing reads.
func (w *workspace) result(st *isa.State, d isa.Reg, j int) []uint32 {
	if d.Kind != isa.Vector {
		return w.trash[:st.Lanes]
	}
	at := (int(d.Index) + j) * st.Lanes
	return st.V[at : at+st.Lanes]
}

// loadWords loads words of one buffer. If lanes choose several buffers, it leaves the load to loadGeneral.
func (p *Port) loadWords(now uint64, st *isa.State, env *WaveBindings, in *isa.Inst) *timing.Response {
	d, binding, one := env.oneBuffer(st, in.Mem)
	if !one {
		return p.loadGeneral(now, st, env, in)
	}
	m := in.Mem
	w := p.beginAccess(m, hierarchy.Read)
	each := lane.Element(in).Rows()
	size := 4 * uint32(int(m.Count)*each)
	index, how := w.computeAddresses(st, m, d, baseOffset(st, m), size)
	if how == mayFault {
		p.lanes.bindings = env.Bindings
		dst := w.results(st, in, each)
		p.lanes.gather(st, in, d, binding, index, &dst, size)
	} else {
		w.loadWords(st, in, d, how, each)
	}
	w.collect(d, how, st, size)
	return p.sendRequest(now, m, hierarchy.Read, bits.OnesCount64(st.Exec), size)
}

// loadFlat loads words at the addresses of lanes. Unless they are all within one buffer, it leaves the load to loadGeneral.
func loadFlat(p *Port, now uint64, st *isa.State, env *WaveBindings, in *isa.Inst) *timing.Response {
	m := in.Mem
	w := p.beginAccess(m, hierarchy.Read)
	each := lane.Element(in).Rows()
	size := 4 * uint32(int(m.Count)*each)
	d, how := p.lanes.flatAddresses(st, m, size)
	if how == mayFault {
		return p.loadGeneral(now, st, env, in)
	}
	w.loadWords(st, in, d, how, each)
	w.collect(d, how, st, size)
	return p.sendRequest(now, m, hierarchy.Read, bits.OnesCount64(st.Exec), size)
}

// loadUniform loads for the whole wave. What is out of bounds, it leaves to loadGeneral.
func loadUniform(p *Port, now uint64, st *isa.State, env *WaveBindings, in *isa.Inst) *timing.Response {
	m := in.Mem
	p.beginAccess(m, hierarchy.Read)
	bytes, ok := p.lanes.loadUniform(st, env, in)
	if !ok {
		return p.loadGeneral(now, st, env, in)
	}
	return p.sendRequest(now, m, hierarchy.Read, 1, bytes)
}

// loadUniform is a load for the whole wave, of so many bytes; ok is false out of bounds.
func (x *lanes) loadUniform(st *isa.State, env *WaveBindings, in *isa.Inst) (bytes uint32, ok bool) {
	addr, b, ok := x.uniformAt(st, env, in.Mem)
	size := elemBytes(lane.Element(in))
	bytes = uint32(size) * uint32(in.Mem.Count)
	if !ok || uint64(bytes) > uint64(len(b)) {
		return 0, false
	}
	for k := range int(in.Mem.Count) {
		lane.Set(st, lane.Result(in, k), 0, size == 8, lane.ReadElement(b[uint64(k)*size:][:size]))
	}
	x.w.add(0, addr, bytes)
	return bytes, true
}

// uniformAt returns the address of an access for the whole wave, and the bytes from it on; ok is false out of bounds.
func (x *lanes) uniformAt(st *isa.State, env *WaveBindings, m *isa.Mem) (addr uint64, bytes []byte, ok bool) {
	switch m.Space {
	case isa.SpaceFlat:
		addr = lane.Uniform(st, m.Base) + uint64(m.Offset) + lane.Uniform(st, m.Index)
		b := x.w.buffer(x.store, addr)
		if b == nil {
			return 0, nil, false
		}
		return addr, b.Bytes[addr-b.Addr:], true
	case isa.SpaceBuffer:
		d, _ := env.descriptor(m, 0)
		addr, bytes = d.Addr, d.Bytes
	case isa.SpaceTable:
		d := env.table()
		addr, bytes = d.Addr, d.Bytes
	default:
		addr, bytes = env.PushAddr, env.Push
	}
	off := uint64(uint32(lane.Uniform(st, m.Base)) + m.Offset + uint32(lane.Uniform(st, m.Index)))
	if off > uint64(len(bytes)) {
		return 0, nil, false
	}
	return addr + off, bytes[off:], true
}

// loadWords loads from computed addresses within bounds, elements of each words.
func (w *workspace) loadWords(st *isa.State, in *isa.Inst, d *Descriptor, how addressPattern, each int) {
	dst := w.results(st, in, each)
	n := int(in.Mem.Count) * each
	if how == contiguous && n == 1 {
		lane.LoadWords(dst[0], d.Bytes[w.Offsets[0]:])
		return
	}
	w.Gather(dst[:n], d.Bytes, st.Exec)
}

// An addressPattern classifies the addresses of an access.
type addressPattern uint8

const (
	contiguous addressPattern = iota // all lanes are active, contiguous and within the buffer
	inBounds                         // all lanes are within the buffer
	mayFault                         // some lane may be outside: each is checked
)

// maxOffset bounds offsets, so that sums of them do not wrap in 32 bits.
const maxOffset = 1 << 30

// computeAddresses computes the offsets of all lanes from a base, and classifies them. Of wide indices it adds the lower words.
func (w *workspace) computeAddresses(st *isa.State, m *isa.Mem, d *Descriptor, base, size uint32) (index []uint32, _ addressPattern) {
	index = st.V[int(m.Index.Index)*st.Lanes:][:st.Lanes]
	s := &w.addressParams // field by field: a host stalls where a wide load follows narrow stores
	s.Base, s.Phase = base, uint32(d.Addr)&(1<<w.shift-1)
	s.Stride, s.Shift, s.Exec, s.Bytes = size, w.shift, st.Exec, w.noCoalescing
	w.Addresses.Compute(index, s)
	switch {
	case w.Last >= maxOffset || uint64(w.Last)+uint64(size) > uint64(len(d.Bytes)):
		return index, mayFault
	case w.Packed && st.Exec == st.Full:
		return index, contiguous
	}
	return index, inBounds
}

// baseOffset returns what all lanes add to their index, of an access to a bound buffer.
func baseOffset(st *isa.State, m *isa.Mem) uint32 { return uint32(lane.Uniform(st, m.Base)) + m.Offset }

// wordAddresses computes the offsets of lanes that access words of one buffer, which is known when the program is lowered or that of
// flat addresses; mayFault where they do not, too.
func (x *lanes) wordAddresses(st *isa.State, env *WaveBindings, in *isa.Inst, size uint32) (d *Descriptor, how addressPattern) {
	switch m, t := in.Mem, lane.Element(in); {
	case staticBuffer(m, t):
		d, _ = env.descriptor(m, 0)
		_, how = x.w.computeAddresses(st, m, d, baseOffset(st, m), size)
		return d, how
	case flatWords(m, t):
		return x.flatAddresses(st, m, size)
	}
	return nil, mayFault
}

// flatAddresses finds the buffer of flat addresses, and computes the offsets of all lanes in it. mayFault: some lane may be
// outside it, or the upper words of the addresses differ; offsets then say nothing.
func (x *lanes) flatAddresses(st *isa.State, m *isa.Mem, size uint32) (*Descriptor, addressPattern) {
	if m.Base.Kind == isa.Vector || st.Exec == 0 {
		return nil, mayFault
	}
	w, low := x.w, st.V[int(m.Index.Index)*st.Lanes:][:st.Lanes]
	high, same := sameUpper(st, m)
	if !same {
		return nil, mayFault
	}
	origin := lane.Uniform(st, m.Base) + uint64(m.Offset) + uint64(high)<<32 // the address of a lane whose lower word is 0
	b := w.buffer(x.store, origin+uint64(low[bits.TrailingZeros64(st.Exec)&63]))
	if b == nil {
		return nil, mayFault
	}
	d, base, addr, bytes := &w.flat, uint32(0), b.Addr, b.Bytes
	if inside := origin - b.Addr; inside < b.Size {
		addr, bytes = origin, b.Bytes[inside:]
	} else if base = uint32(inside); b.Addr-origin > 1<<32-maxOffset {
		return nil, mayFault // a lane far before the buffer has a small offset in 32 bits
	}
	d.Addr, d.Bytes = addr, bytes
	_, how := w.computeAddresses(st, m, d, base, size)
	return d, how
}

// sameUpper returns the upper word of the index if all active lanes, of which there are some, have the same.
func sameUpper(st *isa.State, m *isa.Mem) (uint32, bool) {
	row := st.V[(int(m.Index.Index)+1)*st.Lanes:][:st.Lanes]
	if lane.AllSame(row) {
		return row[0], true
	}
	return lane.SameValue(row, st.Exec)
}

// collect coalesces the computed addresses. With mayFault, gather and scatter have done it lane by lane.
func (w *workspace) collect(d *Descriptor, how addressPattern, st *isa.State, size uint32) {
	if w.banks != nil && !w.noCoalescing {
		w.timeBanks(d, how, st, size)
	}
	switch {
	case w.noCoalescing && how != mayFault:
		w.movedBytes += uint64(size) * uint64(bits.OnesCount64(st.Exec))
	case how == contiguous:
		w.addSpan(d.Addr+uint64(w.Offsets[0]), uint64(size)*uint64(st.Lanes), uint64(size))
	case how == mayFault:
	case size&(size-1) == 0 && w.Bits&(size-1) == 0:
		if w.words&touchedSectors != 0 {
			w.firstLanes = w.FirstInBlocks(uint32(d.Addr)&(1<<sectorShift-1), sectorShift, st.Exec)
		}
		w.addLanes(d.Addr, &w.Addresses, st.Exec, size)
	default:
		for mask := st.Exec; mask != 0; mask &= mask - 1 {
			l := bits.TrailingZeros64(mask) & 63
			w.add(l, d.Addr+uint64(w.Offsets[l]), size)
		}
	}
}

// gather loads lane by lane under the execution mask.
func (x *lanes) gather(st *isa.State, in *isa.Inst, d *Descriptor, binding int32, index []uint32, dst *wordRows, size uint32) {
	w, b, limit, base := x.w, d.Bytes, uint64(len(d.Bytes)), x.w.addressParams.Base
	for mask := st.Exec; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		off := uint64(base + index[l])
		if off+uint64(size) > limit {
			x.gatherEdge(st, in, d, binding, l, off)
			continue
		}
		e := b[off : off+uint64(size)]
		dst[0][l] = binary.LittleEndian.Uint32(e)
		for k := 1; 4*k+4 <= len(e); k++ {
			dst[k][l] = binary.LittleEndian.Uint32(e[4*k:])
		}
		w.add(l, d.Addr+off, size)
	}
}

// gatherEdge loads the elements of a lane that is partly or wholly out of bounds.
func (x *lanes) gatherEdge(st *isa.State, in *isa.Inst, d *Descriptor, binding int32, l int, off uint64) {
	x.w.setLane(l, d, binding, uint32(off))
	x.loadLane(st, in, l, elemBytes(lane.Element(in)))
}

// sources returns the rows of a store's data, of elements of each words. A uniform operand is spread over a row.
func (w *workspace) sources(st *isa.State, m *isa.Mem, each int) (r wordRows) {
	for k := range int(m.Count) {
		for j := range each {
			r[k*each+j] = w.row(st, m.Data[k], j, k*each+j)
		}
	}
	return r
}

// row returns the row of the j-th word of an operand, or the i-th spare row with a uniform operand in it.
func (w *workspace) row(st *isa.State, s isa.Reg, j, i int) []uint32 {
	if s.Kind == isa.Vector {
		return st.V[(int(s.Index)+j)*st.Lanes:][:st.Lanes]
	}
	row, v := w.uniformRows[i][:st.Lanes], uint32(lane.Uniform(st, s)>>(32*j))
	for l := range row {
		row[l] = v
	}
	return row
}

// storeWords stores words to a static buffer.
func (p *Port) storeWords(now uint64, st *isa.State, env *WaveBindings, in *isa.Inst) *timing.Response {
	m := in.Mem
	w := p.beginAccess(m, hierarchy.Write)
	d, _ := env.descriptor(m, 0)
	each := lane.Element(in).Rows()
	n := int(m.Count) * each
	size := 4 * uint32(n)
	index, how := w.computeAddresses(st, m, d, baseOffset(st, m), size)
	src := w.sources(st, m, each)
	switch {
	case how == mayFault:
		p.lanes.bindings = env.Bindings
		p.lanes.scatter(st, in, d, w.addressParams.Base, index, &src, size)
	case how == contiguous && n == 1:
		lane.StoreWords(d.Bytes[w.Offsets[0]:], src[0])
	default:
		w.Scatter(d.Bytes, src[:n], st.Exec)
	}
	w.collect(d, how, st, size)
	return p.sendRequest(now, m, hierarchy.Write, bits.OnesCount64(st.Exec), size)
}

// storeFlat stores words to the addresses of lanes. Unless they are all within one buffer, it leaves the store to storeGeneral.
func storeFlat(p *Port, now uint64, st *isa.State, env *WaveBindings, in *isa.Inst) *timing.Response {
	m := in.Mem
	w := p.beginAccess(m, hierarchy.Write)
	each := lane.Element(in).Rows()
	n := int(m.Count) * each
	size := 4 * uint32(n)
	d, how := p.lanes.flatAddresses(st, m, size)
	if how == mayFault {
		return p.storeGeneral(now, st, env, in)
	}
	src := w.sources(st, m, each)
	if how == contiguous && n == 1 {
		lane.StoreWords(d.Bytes[w.Offsets[0]:], src[0])
	} else {
		w.Scatter(d.Bytes, src[:n], st.Exec)
	}
	w.collect(d, how, st, size)
	return p.sendRequest(now, m, hierarchy.Write, bits.OnesCount64(st.Exec), size)
}

// scatter stores lane by lane under the execution mask. Of lanes that store to one word, the highest wins.
func (x *lanes) scatter(st *isa.State, in *isa.Inst, d *Descriptor, base uint32, index []uint32, src *wordRows, size uint32) {
	w, b, limit := x.w, d.Bytes, uint64(len(d.Bytes))
	for mask := st.Exec; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		off := uint64(base + index[l])
		if off+uint64(size) > limit {
			w.setLane(l, d, int32(in.Mem.Binding), uint32(off))
			x.storeLane(st, in, l, elemBytes(lane.Element(in)))
			continue
		}
		e := b[off : off+uint64(size)]
		binary.LittleEndian.PutUint32(e, src[0][l])
		for k := 1; 4*k+4 <= len(e); k++ {
			binary.LittleEndian.PutUint32(e[4*k:], src[k][l])
		}
		w.add(l, d.Addr+off, size)
	}
}
