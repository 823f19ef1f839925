package mem

import (
	"math"
	"math/bits"

	"spvsim/isa"
	"spvsim/mem/fixed"
	"spvsim/mem/hierarchy"
)

// An addressPath computes for how many cycles the lines of an instruction occupy the vector memory unit: max(lanes /
// lanes per cycle, lines or blocks / lines per cycle, bytes / bandwidth of the vector cache), with bank times instead
// of lines where the cache has banks, a rate of their own for atomics and wide accesses, and the L1 TLB misses on top.
type addressPath struct {
	vector  uint // log2 of the line size of the vector cache
	scalar  uint
	word    uint          // log2 of the bytes of a word in the masks of lines
	sectors bool          // the vector cache fetches parts of lines
	lanes   fixed.Divider // per cycle
	lines   fixed.Divider
	scatter scatterRule          // of loads
	wide    fixed.Divider        // lanes of atomics and wide accesses per cycle; 0: as others
	tag     uint64               // fixed-point cycles of a line of a wide load
	block   uint                 // log2 of the size of blocks that the address path sends; 0: lines
	cost    uint64               // fixed-point cycles of a byte returned by all slices of the vector cache
	tlb     *hierarchy.L1TLB     // nil: translations cost nothing
	banks   *hierarchy.DataBanks // of the vector cache; nil: none
}

func newAddressPath(s *hierarchy.Spec) addressPath {
	v := &s.VectorMemory
	return addressPath{word: s.WordShift(), sectors: s.VectorL1.SectorBytes > 0, lanes: fixed.NewDivider(v.LanesPerCycle), lines: fixed.NewDivider(v.LinesPerCycle),
		scatter: scatterRule{v.ScatteredLanes, uint64(v.WordBanks)}, wide: fixed.NewDivider(v.WideLanesPerCycle), tag: fixed.PerByte(v.TagsPerCycle),
		block: blockShift(v), banks: hierarchy.NewDataBanks(&v.BankSpec), cost: fixed.PerByte(s.VectorL1.BytesPerCycle * float64(s.VectorL1.Slices))}
}

// wideBytes are those of a lane of an access of several channels, for which the address path takes quads of lanes.
const wideBytes = 8

func lineShifts(h interface{ LineBytes() (vector, scalar int) }) (vector, scalar uint) {
	v, s := h.LineBytes()
	return fixed.Log2(v), fixed.Log2(s)
}

func blockShift(s *hierarchy.VectorMemorySpec) uint {
	if s.BlockBytes < 2 {
		return 0
	}
	return fixed.Log2(s.BlockBytes)
}

// resetWorkspace resets the workspace for the lines of an instruction.
func (a *addressPath) resetWorkspace(w *workspace, m *isa.Mem, kind hierarchy.Kind) {
	shift := a.vector
	if m.Scalar {
		shift = a.scalar
	}
	w.reset(shift)
	w.banks, w.bankTime, w.missed = nil, 0, nil
	w.scatter, w.kind = scatterRule{}, kind
	if kind == hierarchy.Read {
		w.scatter = a.scatter
	}
	if kind == hierarchy.Read && !m.Scalar && !m.Coherent {
		w.banks = a.banks
	}
	if w.blockShift, w.wideFrom = a.block, math.MaxUint64; m.Scalar || a.wide.N > 0 && kind == hierarchy.Atomic {
		w.blockShift = 0 // sendCycles does not ask for blocks
	} else if a.wide.N > 0 {
		w.wideFrom = wideBytes
	}
	w.lanesPerCycle, w.words, w.word = a.lanes, a.markedWords(m, kind), a.word
	if w.sectors != nil {
		w.words |= touchedSectors
	}
}

// markedWords returns which words of lines an instruction marks for the hierarchy.
func (a *addressPath) markedWords(m *isa.Mem, kind hierarchy.Kind) wordMarking {
	switch {
	case kind == hierarchy.Write:
		return storedWords
	case kind == hierarchy.Read && a.sectors && !m.Scalar:
		return readWords
	}
	return noWords
}

// occupiedCycles returns the cycles that the collected lines occupy the address path.
func (a *addressPath) occupiedCycles(w *workspace, scalar bool, lanes int, bytes uint32) uint64 {
	translating, missed := a.translationCycles(w.lines, scalar)
	w.missed = missed
	return a.sendCycles(w, scalar, lanes, bytes) + translating
}

// translationCycles returns the cycles of L1 TLB misses, which fill in the order of issue. missed are the lines that go
// to the second level, valid until the unit's next instruction.
func (a *addressPath) translationCycles(lines []hierarchy.Line, scalar bool) (cycles uint64, missed []int32) {
	if a.tlb == nil || scalar {
		return 0, nil
	}
	return a.tlb.Lookup(lines)
}

// sendCycles returns the cycles of occupiedCycles without translations.
func (a *addressPath) sendCycles(w *workspace, scalar bool, lanes int, bytes uint32) uint64 {
	sent := a.lines.Ceil(len(w.lines))
	switch {
	case w.bankTime > 0:
		sent = fixed.Ceil(w.bankTime)
	case a.wide.N > 0 && !scalar && (w.kind == hierarchy.Atomic || bytes >= wideBytes):
		if w.kind == hierarchy.Read { // others send their lines one by one
			sent = fixed.Ceil(uint64(len(w.lines)) * a.tag)
		}
		sent = max(sent, a.wide.Ceil(lanes))
	case a.block > 0 && !scalar:
		sent = a.lines.Ceil(w.blocks)
	}
	return a.occupancy(sent, lanes, bytes)
}

// occupancy returns the cycles of lanes with some bytes each, whose lines, blocks or banks take sent cycles.
func (a *addressPath) occupancy(sent uint64, lanes int, bytes uint32) uint64 {
	cycles := max(1, a.lanes.Ceil(lanes), sent)
	return max(cycles, fixed.Ceil(uint64(lanes)*uint64(bytes)*a.cost))
}

// timeBanks adds up the bank time of the lanes of computed addresses that are within the buffer.
func (w *workspace) timeBanks(d *Descriptor, how addressPattern, st *isa.State, size uint32) {
	if how == contiguous {
		w.bankTime = w.banks.SpanTime(d.Addr+uint64(w.Offsets[0]), uint64(size)*uint64(st.Lanes), uint64(size), w.shift)
		return
	}
	inside := uint64(0)
	for mask := st.Exec; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask) & 63
		w.addr[l] = d.Addr + uint64(w.Offsets[l])
		if uint64(w.Offsets[l])+uint64(size) <= uint64(len(d.Bytes)) {
			inside |= 1 << l
		}
	}
	w.bankTime = w.banks.GatherTime(&w.counts, &w.addr, inside, uint64(size), w.shift)
}

// timeBanksOfLanes adds up the bank time of resolved lanes that are within their memory.
func (w *workspace) timeBanksOfLanes(mask, size uint64) {
	if w.banks == nil || w.noCoalescing {
		return
	}
	inside := mask
	for ; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask) & 63
		if w.offset[l]+size > uint64(len(w.mem[l])) {
			inside &^= 1 << l
		}
	}
	w.bankTime = w.banks.GatherTime(&w.counts, &w.addr, inside, size, w.shift)
}
