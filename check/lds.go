package check

import (
	"math/bits"

	"spvsim/isa"
	"spvsim/mem/lane"
)

// A kind of access.
type kind uint8

const (
	read kind = iota
	write
	atomicRead
	atomicWrite
)

func kindOf(op isa.Op) kind {
	switch {
	case op == isa.Load:
		return read
	case op == isa.Store:
		return write
	case op == isa.AtomicLoad:
		return atomicRead
	}
	return atomicWrite
}

func elementBytes(in *isa.Inst) uint32 { return uint32(lane.Element(in).Bits() / 8) }

// An access is one instruction of a wave while it is checked.
type access struct {
	st      *isa.State
	in      *isa.Inst
	order   *waveOrder
	kind    kind
	offsets [64]uint32
}

// AccessLDS is called before a wave's access to the LDS, the instruction with index pc of the program.
func (g *GroupCheck) AccessLDS(st *isa.State, pc int, in *isa.Inst) {
	mask := lane.Active(st, in.Mem)
	if mask == 0 || in.Mem.Speculative {
		return
	}
	a := &g.access
	a.st, a.in, a.order, a.kind = st, in, &g.waves[st.WaveInGroup], kindOf(in.Op)
	same := a.locate()
	if in.Op.Has(isa.FlagAtomic) {
		for rest := mask; rest != 0; rest &= rest - 1 {
			g.synchronizeWaves(a.order, in, ldsPlace|uint64(a.offsets[bits.TrailingZeros64(rest)]))
		}
	}
	if same && a.kind == read {
		mask = mask&-mask | 1<<(bits.Len64(mask)-1) // of lanes that read one place, a shadow keeps two
	}
	base := a.order.current | record(pc)
	if a.kind == atomicRead {
		base |= 1 << atomicShift
	}
	g.lds.issue++
	size := elementBytes(in)
	parts, n := in.Mem.Runs()
	for ; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		for p := range parts {
			g.touch(base|record(l)<<laneShift, a.offsets[l]+uint32(p)*in.Mem.PairStride, size*uint32(n))
		}
	}
}

// ldsPlace keeps the places of atomics on the LDS apart from those on buffers.
const ldsPlace = 1 << 63

// locate computes the byte offset of each lane, and reports whether it is the same for all.
func (a *access) locate() (same bool) {
	m := a.in.Mem
	base := uint32(lane.Uniform(a.st, m.Base)) + m.Offset
	if m.Index.Kind != isa.Vector {
		base += uint32(lane.Uniform(a.st, m.Index))
		for l := range a.offsets[:a.st.Lanes] {
			a.offsets[l] = base
		}
		return true
	}
	for l, x := range a.st.V[int(m.Index.Index)*a.st.Lanes:][:a.st.Lanes] {
		a.offsets[l] = base + x
	}
	return false
}

// touch checks and records the access of one lane to consecutive bytes. Those out of bounds are none of the memory's.
func (g *GroupCheck) touch(now record, offset, bytes uint32) {
	s := &g.lds
	end := min(uint64(offset)+uint64(bytes), uint64(s.bytes))
	for at := uint64(offset) >> s.shift; at<<s.shift < end; at++ {
		c := &s.cells[at]
		switch g.kind {
		case read:
			g.reportPair(c.write, now, uint32(at))
			g.againstAll(&c.atomics, now, uint32(at))
			c.reads.add(now)
		case atomicRead:
			g.reportPair(c.write, now, uint32(at))
			c.reads.add(now)
		case write:
			if s.stored[at] == s.issue {
				g.overlap(c.write, now, uint32(at))
			} else {
				g.reportPair(c.write, now, uint32(at))
			}
			g.againstAll(&c.reads, now, uint32(at))
			g.againstAll(&c.atomics, now, uint32(at))
			c.write, s.stored[at] = now, s.issue
		case atomicWrite:
			g.reportPair(c.write, now, uint32(at))
			g.againstAll(&c.reads, now, uint32(at))
			c.atomics.add(now)
		}
		if s.written[at/64]>>(at%64)&1 == 0 {
			g.firstWrite(now, uint32(at))
		}
	}
}

// firstWrite looks at an access to a granule that nothing has written. A read is reported once it is known that no write of the same
// epoch could have come first: else the two are a race, and reported as that.
func (g *GroupCheck) firstWrite(now record, at uint32) {
	s := &g.lds
	before, found := s.firstReads[at]
	if !found && (!g.replaces() || lane.Result(g.in, 0).Kind != isa.None) {
		s.firstReads[at] = now
	}
	if !g.replaces() {
		return
	}
	s.written[at/64] |= 1 << (at % 64)
	if found {
		delete(s.firstReads, at)
		if !before.sameEpoch(now) || !g.order.unordered(before, now) {
			g.report(unwritten, 0, before, at)
		}
	}
}

// replaces reports that what the current instruction stores does not depend on what was there.
func (g *GroupCheck) replaces() bool {
	return g.kind == write || g.in.Op == isa.AtomicStore || g.in.Op == isa.AtomicExchange
}

// againstAll checks an access against those that stand beside each other.
func (g *GroupCheck) againstAll(r *recent, now record, at uint32) {
	if !r.last.sameEpoch(now) { // nor is any other
		return
	}
	for _, before := range [...]record{r.last, r.otherWave, r.otherLane} {
		if g.kind != atomicWrite || !before.atomic() {
			g.reportPair(before, now, at)
		}
	}
}

// reportPair reports an access that has no order with an earlier one.
func (g *GroupCheck) reportPair(before, now record, at uint32) {
	if before.sameEpoch(now) && g.order.unordered(before, now) {
		k := betweenWaves
		if before.sameWave(now) {
			k = withinWave
		}
		g.report(k, before, now, at)
	}
}

// overlap reports two lanes of one instruction that store different values to a granule.
func (g *GroupCheck) overlap(before, now record, at uint32) {
	from := at << g.lds.shift
	for b := from; b < from+1<<g.lds.shift; b++ {
		x, okX := g.storedByte(before.lane(), b)
		y, okY := g.storedByte(now.lane(), b)
		if okX && okY && x != y {
			g.report(sameInstruction, before, now, at)
			return
		}
	}
}

// storedByte returns the byte that a lane stores at an offset; false if it stores none there.
func (a *access) storedByte(l int, at uint32) (value byte, ok bool) {
	size := elementBytes(a.in)
	for k := range int(a.in.Mem.Count) {
		from := a.offsets[l] + a.in.Mem.ElementOffset(k, size)
		if at-from < size {
			value, ok = byte(lane.Value(a.st, a.in.Mem.Data[k], l, size == 8)>>(8*(at-from))), true
		}
	}
	return value, ok
}
