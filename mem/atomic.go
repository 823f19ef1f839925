package mem

import (
	"math/bits"

	"spvsim/isa"
	"spvsim/mem/lane"
	"spvsim/mem/rmw"
)

// atomic updates lane by lane, from the lowest on. The value is Src[0], the
// comparator Src[1].
func (p *Port) atomic(now uint64, st *isa.State, env *Env, in *isa.Inst) (timing Timing) {
	m, t := in.Mem, lane.Element(in)
	update := rmw.Lookup(in.Op, t)
	if update == nil {
		panic("mem: atomic operation on a type that it has no meaning for")
	}
	p.begin(m, atomicKind(in.Op))
	if m.Space == isa.SpaceImage {
		p.lanes.resolveTexels(st, env, in)
	} else {
		p.lanes.resolve(st, env, m, st.Exec)
	}
	size := elemBytes(t)
	for mask := st.Exec; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		p.lanes.values.lock(p.lanes.w.addr[l])
		p.lanes.atomicLane(st, in, l, update, size)
	}
	p.lanes.values.unlock()
	if !p.lanes.w.deaf {
		p.lanes.serial(st.Exec, size)
	}
	p.finish(&timing, now, m, atomicKind(in.Op), bits.OnesCount64(st.Exec), uint32(size))
	return timing
}

// atomicKind: atomic loads and stores need no update where the line lives.
func atomicKind(op isa.Op) Kind {
	switch op {
	case isa.AtomicLoad:
		return Read
	case isa.AtomicStore:
		return Write
	}
	return Atomic
}

func (x *lanes) atomicLane(st *isa.State, in *isa.Inst, l int, update rmw.Func, size uint64) {
	w, wide := x.w, size == 8
	b, ok := w.element(l, 0, size)
	old := uint64(0)
	if ok {
		mask := ^uint64(0) >> (64 - 8*size)
		old = lane.Get(b)
		next := update(old, lane.Value(st, in.Src[0], l, wide)&mask, lane.Value(st, in.Src[1], l, wide)&mask)
		lane.Put(b, next)
		x.values.changed(old, next)
		w.add(l, w.addr[l], uint32(size))
	} else {
		x.fault(st, in, "atomic", l)
	}
	if in.Op != isa.AtomicStore {
		lane.Set(st, lane.Result(in, 0), l, wide, old)
	}
}

// serial counts, for each line, the updates that meet an element which an
// earlier lane updates: the place that carries them out does one after the
// other.
func (x *lanes) serial(mask, size uint64) {
	w := x.w
	w.elements.reset(log2(int(size)))
	for ; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		if w.off[l]+size > uint64(len(w.mem[l])) {
			continue
		}
		n := len(w.elements.lines)
		if w.elements.find(w.addr[l]>>w.elements.shift) < n {
			w.lines[w.find(w.addr[l]>>w.shift)].Serial++
		}
	}
}
