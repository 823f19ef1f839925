package check

import (
	"math/bits"

	"spvsim/isa"
)

// Atomics order accesses: an access before a memory barrier before an atomic write comes before an access behind a memory barrier behind
// an atomic read of that place. What is kept of them errs on the side of an order: lanes of a wave count as one, as do waves of a
// workgroup where it meets another workgroup, and a place keeps all that was ever released there.

// Scopes of a memory barrier, as bits of isa.LaneOrder's Imm. Without any, it is a barrier of the subgroup.
const (
	orderWorkgroup = 1 << iota
	orderDevice
)

// A waveSet is a set of the waves of a workgroup.
type waveSet [maxWaves / 64]uint64

func (s *waveSet) add(wave int)      { s[wave/64] |= 1 << (wave % 64) }
func (s *waveSet) has(wave int) bool { return s[wave/64]>>(wave%64)&1 != 0 }
func (s *waveSet) union(o *waveSet) {
	for i := range s {
		s[i] |= o[i]
	}
}

// A waveSync is what a wave did by atomics since the last barrier of its workgroup.
type waveSync struct {
	fenced            bool    // it had a memory barrier
	pending, acquired waveSet // waves whose accesses come before its own: behind its next memory barrier, and now
}

// A released place has the waves whose accesses come before a read of it, in one epoch.
type released struct {
	epoch uint32
	waves waveSet
}

// maySynchronize reports that an atomic access of a wave may give an order, which accesses to the LDS ask for.
func (g *GroupCheck) maySynchronize(w *waveOrder) bool {
	return g.lds.bytes > 0 && (w.sync.fenced || len(g.released) > 0)
}

// synchronizeWaves follows an atomic access of a wave to a place, which no other memory has.
func (g *GroupCheck) synchronizeWaves(w *waveOrder, in *isa.Inst, place uint64) {
	p, ok := g.released[place]
	if !ok && len(g.released) >= maxReleased {
		place = otherPlaces
		p, ok = g.released[place]
	}
	ok = ok && p.epoch == w.epoch
	if in.Op.Has(isa.FlagWrites) && w.sync.fenced {
		if !ok {
			p, ok = released{epoch: w.epoch}, true
		}
		p.waves.union(&w.sync.acquired)
		p.waves.add(w.number)
		g.released[place] = p
	}
	if ok && in.Op.Has(isa.FlagReads) { // of other lanes of the instruction, too
		w.sync.pending.union(&p.waves)
	}
}

// maxReleased bounds the places that a workgroup releases accesses at. All places beyond the bound are one: what was released at
// one of them comes before a read of any.
const maxReleased = 1 << 16

// otherPlaces are those beyond the bound: no memory has this address.
const otherPlaces = ^uint64(0)

// OrderLanes implements isa.Checks.
func (g *GroupCheck) OrderLanes(st *isa.State, scopes uint64) {
	w := &g.waves[st.WaveInGroup]
	if scopes == 0 {
		if len(g.waves) == 1 && st.Exec == allLanes(st) {
			g.Barrier(st.WaveInGroup)
		} else {
			w.orderLanes(st.Exec)
		}
		return
	}
	w.sync.fenced = true
	w.sync.acquired.union(&w.sync.pending)
	if l := g.launch; scopes&orderDevice != 0 && l.syncs {
		l.mutex.Lock()
		defer l.mutex.Unlock()
		l.clock++
		g.fenced, g.acquired = l.clock, max(g.acquired, g.pending)
	}
}

// allLanes returns the lanes of the first wave of a workgroup.
func allLanes(st *isa.State) uint64 {
	n := uint64(st.LocalSize[0]) * uint64(st.LocalSize[1]) * uint64(st.LocalSize[2])
	return st.Full & (1<<n - 1)
}

// A launchOrder is the order that atomics give to the workgroups of a launch. Its clock counts memory barriers, and payloads that are
// handed over.
type launchOrder struct {
	syncs bool // workgroups may have one
	clock uint32
	// publications is the number of atomic writes behind memory barriers. Pages know when the last one to each word was.
	publications uint64
}

// A groupOrder is the place of a workgroup in that order.
type groupOrder struct {
	fenced   uint32 // its last memory barrier
	pending  uint32 // accesses that were released before come before its own: behind its next memory barrier, and now
	acquired uint32
	atomics  struct {
		mask         uint64
		addr         [64]uint64
		publications uint64 // of the launch before it
	} // of the last instruction
}

// AfterAtomics is called after the access of AccessBuffer where other goroutines run workgroups: what they released meanwhile may have been
// read. It does nothing for other instructions.
func (g *GroupCheck) AfterAtomics(in *isa.Inst) {
	l := g.launch
	if !l.syncs || !in.Op.Has(isa.FlagAtomic) || !in.Op.Has(isa.FlagReads) {
		return
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.full || g.atomics.publications == l.publications {
		return
	}
	for rest := g.atomics.mask; rest != 0; rest &= rest - 1 {
		at := g.atomics.addr[bits.TrailingZeros64(rest)]
		if p := l.pageOf(at >> (wordShift + pageShift)); p != nil {
			g.acquireAt(p, at)
		}
	}
}

// acquireAt follows an atomic read of a word.
func (g *GroupCheck) acquireAt(p *page, addr uint64) {
	if p.published != nil {
		g.pending = max(g.pending, p.published[addr>>wordShift%pageGranules])
	}
}

// synchronizeGroups follows the atomic accesses of a wave's lanes; false: the table is full.
func (l *LaunchCheck) synchronizeGroups(g *GroupCheck, in *isa.Inst, mask uint64, addr *[64]uint64) bool {
	reads, releases := in.Op.Has(isa.FlagReads), in.Op.Has(isa.FlagWrites) && g.fenced > 0
	if !reads && !releases {
		return true
	}
	g.atomics.mask, g.atomics.addr, g.atomics.publications = mask, *addr, l.publications
	for ; mask != 0; mask &= mask - 1 {
		at := addr[bits.TrailingZeros64(mask)]
		p := l.pageOf(at >> (wordShift + pageShift))
		if p == nil {
			return false
		}
		if reads {
			g.acquireAt(p, at)
		}
		if !releases {
			continue
		}
		if p.published == nil {
			if !l.takeTable(publishedBytes) {
				l.stop(tableIsFull)
				return false
			}
			p.published = &[pageGranules]uint32{}
		}
		p.published[at>>wordShift%pageGranules] = l.clock
		l.publications++
		l.groups[g.serial-1].released = g.fenced
	}
	return true
}

// ordered reports that an access of another workgroup comes before those of g now.
func (l *LaunchCheck) ordered(g *GroupCheck, before *bufferRow) bool {
	return before.time < g.acquired && before.time < l.groups[before.group-1].released
}
