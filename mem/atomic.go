package mem

import (
	"encoding/binary"
	"math/bits"

	"spvsim/internal/timing"
	"spvsim/isa"
	"spvsim/mem/fixed"
	"spvsim/mem/hierarchy"
	"spvsim/mem/lane"
	"spvsim/mem/rmw"
)

// atomic updates elements lane by lane, from the lowest lane on. Src[0] has the value, Src[1] the comparator.
func (p *Port) atomic(now uint64, st *isa.State, env *WaveBindings, in *isa.Inst) *timing.Response {
	m, t := in.Mem, lane.Element(in)
	update := rmw.Lookup(in.Op, t)
	if update == nil {
		panic("mem: atomic operation on a type that it has no meaning for")
	}
	kind, size := atomicKind(in.Op), elemBytes(t)
	p.beginAccess(m, kind)
	done := st.Exec
	if kind != hierarchy.Atomic || size != 4 || !p.lanes.atomicWords(st, env, in, update) {
		done = p.lanes.atomicGeneral(st, env, in, update, size)
	}
	p.lanes.functional.unlock()
	if !p.lanes.w.noCoalescing {
		p.lanes.serial(done, size)
	}
	return p.sendRequest(now, m, kind, bits.OnesCount64(st.Exec), uint32(size))
}

// atomicKind returns Read and Write for atomic loads and stores, which update nothing where the line lives.
func atomicKind(op isa.Op) hierarchy.Kind {
	switch op {
	case isa.AtomicLoad:
		return hierarchy.Read
	case isa.AtomicStore:
		return hierarchy.Write
	}
	return hierarchy.Atomic
}

// atomicWords updates words of a static buffer, or at flat addresses. It returns false, with nothing done, if a lane may be outside.
func (x *lanes) atomicWords(st *isa.State, env *WaveBindings, in *isa.Inst, update rmw.Func) bool {
	w, dst := x.w, lane.Result(in, 0)
	d, how := x.wordAddresses(st, env, in, 4)
	if how == mayFault || dst.Kind == isa.Scalar {
		return false
	}
	old, value := w.result(st, dst, 0), w.row(st, in.Src[0], 0, 0)
	if in.Op == isa.AtomicIAdd && !x.functional.shared() {
		x.functional.change(w.addWords(st, d, old, value))
		w.collect(d, how, st, 4)
		return true
	}
	comparator := value
	if in.Op == isa.AtomicCompareExchange {
		comparator = w.row(st, in.Src[1], 0, 1)
	}
	for mask := st.Exec; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask) & 63
		off := w.Offsets[l]
		w.addr[l] = d.Addr + uint64(off)
		x.functional.lock(w.addr[l])
		b := d.Bytes[off : off+4]
		was := binary.LittleEndian.Uint32(b)
		next := uint32(update(uint64(was), uint64(value[l]), uint64(comparator[l])))
		binary.LittleEndian.PutUint32(b, next)
		x.functional.changed(uint64(was), uint64(next))
		old[l] = was
	}
	w.collect(d, how, st, 4)
	return true
}

// addWords adds values to the words at the computed addresses, and returns how many words changed: the most frequent
// atomic.
func (w *workspace) addWords(st *isa.State, d *Descriptor, old, value []uint32) (changed uint64) {
	bytes, addr := d.Bytes, d.Addr
	for mask := st.Exec; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask) & 63
		off, v := w.Offsets[l], value[l]
		w.addr[l] = addr + uint64(off)
		b := bytes[off : off+4]
		was := binary.LittleEndian.Uint32(b)
		binary.LittleEndian.PutUint32(b, was+v)
		if old[l] = was; v != 0 {
			changed++
		}
	}
	return changed
}

// atomicGeneral updates elements of any size and space, and returns the mask of the lanes that were within bounds.
func (x *lanes) atomicGeneral(st *isa.State, env *WaveBindings, in *isa.Inst, update rmw.Func, size uint64) (done uint64) {
	if in.Mem.Space == isa.SpaceImage {
		x.resolveTexels(st, env, in)
	} else {
		x.resolve(st, env, in.Mem, st.Exec)
	}
	for mask := st.Exec; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		x.functional.lock(x.w.addr[l])
		if x.atomicLane(st, in, l, update, size) {
			done |= 1 << l
		}
	}
	return done
}

func (x *lanes) atomicLane(st *isa.State, in *isa.Inst, l int, update rmw.Func, size uint64) (ok bool) {
	w, wide := x.w, size == 8
	b, ok := w.element(l, 0, size)
	old := uint64(0)
	if ok {
		mask := ^uint64(0) >> (64 - 8*size)
		old = lane.ReadElement(b)
		next := update(old, lane.Value(st, in.Src[0], l, wide)&mask, lane.Value(st, in.Src[1], l, wide)&mask) & mask
		lane.WriteElement(b, next)
		x.functional.changed(old, next)
		w.add(l, w.addr[l], uint32(size))
	} else {
		x.fault(st, in, "atomic", l)
	}
	if in.Op != isa.AtomicStore {
		lane.Set(st, lane.Result(in, 0), l, wide, old)
	}
	return ok
}

// serial counts for each line the updates of elements that an earlier lane of the instruction updates too, which are
// carried out one after another. With 64 lanes on one element it is 63, with each lane on its own 0.
func (x *lanes) serial(mask, size uint64) {
	w := x.w
	w.elements.reset(fixed.Log2(int(size)))
	for ; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		n := len(w.elements.lines)
		if w.elements.find(w.addr[l]>>w.elements.shift) < n {
			w.lines[w.find(w.addr[l]>>w.shift)].Serial++
		}
	}
}
