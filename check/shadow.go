package check

import (
	"spvsim/isa"
	"spvsim/program"
)

// A record is an access of one lane: from the highest bit on, its epoch, wave, section, lane, whether it is an atomic
// load, and its instruction. Epochs count the barriers of the workgroup, from 1; sections count the barriers of the
// subgroup within an epoch. 0 is no access.
type record uint64

const (
	pcBits      = 20
	atomicBits  = 1
	laneBits    = 6
	sectionBits = 13
	waveBits    = 8
	epochBits   = 64 - waveBits - sectionBits - laneBits - atomicBits - pcBits

	atomicShift  = pcBits
	laneShift    = atomicShift + atomicBits
	sectionShift = laneShift + laneBits
	waveShift    = sectionShift + sectionBits
	epochShift   = waveShift + waveBits

	maxEpoch   = 1<<epochBits - 1
	maxSection = 1<<sectionBits - 1
)

func (r record) pc() int                 { return int(r & (1<<pcBits - 1)) }
func (r record) atomic() bool            { return r>>atomicShift&1 != 0 }
func (r record) lane() int               { return int(r >> laneShift & (1<<laneBits - 1)) }
func (r record) section() int            { return int(r >> sectionShift & (1<<sectionBits - 1)) }
func (r record) wave() int               { return int(r >> waveShift & (1<<waveBits - 1)) }
func (r record) sameEpoch(o record) bool { return (r^o)>>epochShift == 0 }
func (r record) sameWave(o record) bool  { return (r^o)>>waveShift == 0 }
func (r record) sameLane(o record) bool  { return (r^o)>>laneShift&(1<<laneBits-1) == 0 }

// A waveOrder is the place of a wave in the order of its workgroup.
type waveOrder struct {
	number  int
	epoch   uint32
	wraps   int      // of the epoch
	current record   // epoch, wave and section of its accesses now
	masks   []uint64 // the lanes of each barrier of the subgroup in this epoch
	sync    waveSync
}

func (w *waveOrder) begin(number int, epoch uint32) {
	w.number, w.wraps = number, 0
	w.enter(epoch)
}

func (w *waveOrder) enter(epoch uint32) {
	w.epoch, w.masks, w.sync = epoch, w.masks[:0], waveSync{}
	w.current = record(epoch)<<epochShift | record(w.number)<<waveShift
}

// orderLanes orders what the lanes did before with what they do from now on. Behind the last section that a record has
// bits for, the lanes are taken as ordered.
func (w *waveOrder) orderLanes(lanes uint64) {
	if len(w.masks) == maxSection {
		w.masks[maxSection-1] = ^uint64(0)
		return
	}
	w.masks = append(w.masks, lanes)
	w.current += 1 << sectionShift
}

// unordered reports that nothing orders an access with one of wave w now, of another lane.
func (w *waveOrder) unordered(before, now record) bool {
	switch {
	case !before.sameEpoch(now), w.sync.acquired.has(before.wave()):
		return false
	case !before.sameWave(now):
		return true
	case before.sameLane(now):
		return false
	}
	both := uint64(1)<<before.lane() | 1<<now.lane()
	for _, m := range w.masks[before.section():] {
		if m&both == both {
			return false
		}
	}
	return true
}

// A cell has the last accesses to a piece of memory. Of those that may stand beside each other, it has three: the
// last one, the last one of another wave, and the last one of another lane of the same wave. So an access of any lane
// that has no order with one of them all has none with one of these, as long as all lanes of a wave take part in its barriers.
type cell struct {
	write   record
	reads   recent
	atomics recent
}

type recent struct{ last, otherWave, otherLane record }

func (r *recent) add(n record) {
	switch {
	case !r.last.sameWave(n):
		r.otherWave = r.last
	case !r.last.sameLane(n):
		r.otherLane = r.last
	}
	r.last = n
}

// A shadow has a cell for each granule of a memory.
type shadow struct {
	shift      uint // log2 of the bytes of a granule
	bytes      uint32
	cells      []cell
	stored     []uint32          // by granule: the number of the last instruction that stored there
	written    []uint64          // a bit for each granule
	issue      uint32            // number of the current instruction
	firstReads map[uint32]record // by granule: the first read of what nothing had written
}

// newShadow makes the shadow of a program's LDS. Its granules are the smallest elements that the program accesses.
func newShadow(p *program.Program) shadow {
	s := shadow{shift: granuleShift(p.Insts), bytes: p.LDSBytes, firstReads: map[uint32]record{}}
	n := int(p.LDSBytes+1<<s.shift-1) >> s.shift
	s.cells, s.stored, s.written = make([]cell, n), make([]uint32, n), make([]uint64, (n+63)/64)
	return s
}

// granuleShift returns the log2 of the smallest element in the LDS, 4 bytes at most.
func granuleShift(insts []isa.Inst) uint {
	shift := uint(2)
	for i := range insts {
		m := insts[i].Mem
		if m == nil || m.Space != isa.SpaceLDS {
			continue
		}
		for size := elementBytes(&insts[i]) | m.Offset | m.PairStride; shift > 0 && size&(1<<shift-1) != 0; {
			shift--
		}
	}
	return shift
}

// clearRecords drops all accesses.
func (s *shadow) clearRecords() { clear(s.cells) }

// begin prepares the shadow for a workgroup that finds its memory undefined, but for variables with an initializer.
func (s *shadow) begin(p *program.Program) {
	clear(s.written)
	clear(s.firstReads)
	for _, v := range p.LDSVariables {
		if !v.Zero {
			continue
		}
		for at := v.Offset >> s.shift; at<<s.shift < v.Offset+v.Bytes; at++ {
			s.written[at/64] |= 1 << (at % 64)
		}
	}
	if s.issue > 1<<31 {
		clear(s.stored)
		s.issue = 0
	}
}
