package mem

import (
	"math/bits"

	"spvsim/isa"
	"spvsim/mem/lane"
	"spvsim/mem/rmw"
)

// atomic updates lane by lane, from the lowest on. The value is Src[0], the
// comparator Src[1].
func (p *Port) atomic(now uint64, st *isa.State, env *Env, in *isa.Inst) Timing {
	m, t := in.Mem, lane.Element(in)
	update := rmw.Lookup(in.Op, t)
	if update == nil {
		panic("mem: atomic operation on a type that it has no meaning for")
	}
	p.begin(m)
	if m.Space == isa.SpaceImage {
		p.resolveTexels(st, env, in)
	} else {
		p.resolve(st, env, m, st.Exec)
	}
	size := elemBytes(t)
	for mask := st.Exec; mask != 0; mask &= mask - 1 {
		p.atomicLane(st, in, bits.TrailingZeros64(mask), update, size)
	}
	p.serial(st.Exec, size)
	return p.finish(now, m, atomicKind(in.Op), bits.OnesCount64(st.Exec), uint32(size))
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

func (p *Port) atomicLane(st *isa.State, in *isa.Inst, l int, update rmw.Func, size uint64) {
	w, wide := p.w, size == 8
	b, ok := w.element(l, 0, size)
	old := uint64(0)
	if ok {
		mask := ^uint64(0) >> (64 - 8*size)
		old = lane.Get(b)
		lane.Put(b, update(old, lane.Value(st, in.Src[0], l, wide)&mask, lane.Value(st, in.Src[1], l, wide)&mask))
		w.add(w.addr[l], uint32(size))
	} else {
		p.fault(st, in, "atomic", l)
	}
	if in.Op != isa.AtomicStore {
		lane.Set(st, lane.Result(in, 0), l, wide, old)
	}
}

// serial counts, for each line, the updates that meet an element which an
// earlier lane updates: the place that carries them out does one after the
// other.
func (p *Port) serial(mask, size uint64) {
	w := p.w
	if len(w.lines) == 0 {
		return
	}
	var seen [64]uint64
	n := 0
	for ; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		if w.off[l]+size > uint64(len(w.mem[l])) {
			continue
		}
		if !insert(&seen, n, w.addr[l]) {
			w.lines[w.find(w.addr[l]>>w.shift)].Serial++
			continue
		}
		n++
	}
}

// insert adds an address to the n seen so far, newest looked at first: lanes
// that meet are mostly neighbours.
func insert(seen *[64]uint64, n int, addr uint64) bool {
	for i := n - 1; i >= 0; i-- {
		if seen[i] == addr {
			return false
		}
	}
	seen[n] = addr
	return true
}
