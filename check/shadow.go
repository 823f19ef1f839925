package check

import (
	"math/bits"
	"slices"

	"spvsim/isa"
	"spvsim/program"
)

// A record is an access of one lane: from the highest bit on, its epoch, wave, section, lane, whether other lanes made such an access
// in the epoch too, whether it is an atomic load, and its instruction. Epochs count the barriers of the workgroup, from 1; sections count
// the barriers of the subgroup within an epoch. 0 is no access.
type record uint64

const (
	pcBits      = 20
	atomicBits  = 1
	sharedBits  = 1
	laneBits    = 6
	sectionBits = 12
	waveBits    = 8
	epochBits   = 64 - waveBits - sectionBits - laneBits - sharedBits - atomicBits - pcBits

	atomicShift  = pcBits
	sharedShift  = atomicShift + atomicBits
	laneShift    = sharedShift + sharedBits
	sectionShift = laneShift + laneBits
	waveShift    = sectionShift + sectionBits
	epochShift   = waveShift + waveBits

	maxEpoch   = 1<<epochBits - 1
	maxSection = 1<<sectionBits - 1

	shared = record(1) << sharedShift
	// anyLane has the bits in which records of an instruction of a wave differ.
	anyLane = (1<<laneBits-1)<<laneShift | shared
	// otherLanes has the bits in which a record differs from one of another lane.
	otherLanes = (1<<waveBits-1)<<waveShift | (1<<laneBits-1)<<laneShift | shared
)

func (r record) pc() int                 { return int(r & (1<<pcBits - 1)) }
func (r record) atomic() bool            { return r>>atomicShift&1 != 0 }
func (r record) lane() int               { return int(r >> laneShift & (1<<laneBits - 1)) }
func (r record) section() int            { return int(r >> sectionShift & (1<<sectionBits - 1)) }
func (r record) wave() int               { return int(r >> waveShift & (1<<waveBits - 1)) }
func (r record) sameEpoch(o record) bool { return (r^o)>>epochShift == 0 }
func (r record) sameWave(o record) bool  { return (r^o)>>waveShift == 0 }
func (r record) sameLane(o record) bool  { return (r^o)>>laneShift&(1<<laneBits-1) == 0 }

// meets reports that an access, or one that it shares the epoch with, is of the same epoch as a later one and of another lane.
func (r record) meets(o record) bool { return (r^o)>>epochShift == 0 && (r^o)&otherLanes != 0 }

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

// A shadow has the last accesses to each granule of a memory. Of those that may stand beside each other, reads and atomics, it has
// three: the last one, the last one of another wave, and the last one of another lane of the same wave. So an access of any lane that has
// no order with one of them all has none with one of these, as long as all lanes of a wave take part in its barriers. Reads of an epoch in
// which nothing was written yet are in a log, by instructions: most epochs end without a write, and then their lanes need not be told apart.
//
// Where granules are smaller than words, the first one of a word has the records of all as long as each access was of whole words. The
// others have records in the bytes that an access of less was in.
type shadow struct {
	shift      uint   // log2 of the bytes of a granule
	word       uint32 // bytes of a word
	wide       uint   // its granules
	split      extent // whose granules have records of their own
	bytes      uint32
	writes     []record
	reads      []record // the last ones; shared: see others
	atomics    []record // likewise
	others     []others
	numbers    []uint32          // of the last instruction that stored there, lane after lane
	written    []uint64          // a bit for each granule
	unwritten  int               // granules that nothing wrote
	number     uint32            // of the current instruction
	firstReads map[uint32]record // by granule: the first read of what nothing had written
	epoch      uint32            // of the last access, to which what follows applies
	wrote      bool              // a write or an atomic was
	// recordedReads: of the epoch, some reads have records.
	recordedReads bool
	madeAtomics   bool // an atomic was
	log           readLog
	hasAtomics    bool     // the program has some, which may order waves within an epoch
	readByTwo     []uint64 // a bit for each granule: reads of two waves are recorded, one of which has no order with any write
	anyByTwo      bool     // there is such a granule
}

// An extent has bytes in a row, of whole words.
type extent struct{ from, end uint32 }

// minWordBytes are those of the largest granule.
const (
	minWordBytes = 4
	maxWordBytes = 16
)

// others has the accesses of one epoch beside the last one, valid where that is of the epoch and shared.
type others struct{ reads, atomics recent }

type recent struct{ wave, lane record }

// add makes an access the last one.
func (r *recent) add(last *record, n record) {
	switch before := *last; {
	case !before.sameEpoch(n):
		*last = n
	case !before.sameWave(n):
		r.wave, *last = before, n|shared
	case !before.sameLane(n):
		r.lane, *last = before, n|shared
	default:
		*last = n | before&shared
	}
}

// A readLog has the reads of an epoch that no shadow has yet: for each instruction of a wave its record, the mask of the lanes, and their
// places.
type readLog struct {
	words []uint32
	limit int        // of words
	row   [64]uint32 // of one instruction
}

// logHeader is the number of words of an instruction in a log, in front of the offsets: record, mask, and 8 times the number of offsets,
// plus 1 if they are aligned, 2 if the accesses are of whole words, and 4 if each is behind that of the lane before: then there is only the first one.
const logHeader = 5

// maxLogWords bounds a log, for programs with much LDS.
const maxLogWords = 1 << 18

// shadowBytes bounds the memory for each byte of the LDS.
const shadowBytes = 64

// newShadow makes the shadow of a program's LDS. Its granules are the smallest elements that the program accesses.
func newShadow(p *program.Program, word uint32) shadow {
	s := shadow{shift: granuleShift(p.Insts), word: word, bytes: p.LDSBytes, firstReads: map[uint32]record{}}
	s.wide = uint(word) >> s.shift
	n := int(p.LDSBytes+1<<s.shift-1) >> s.shift
	records := make([]record, 3*n)
	s.writes, s.reads, s.atomics = records[:n:n], records[n:2*n:2*n], records[2*n:]
	s.others, s.numbers, s.written = make([]others, n), make([]uint32, n), make([]uint64, (n+63)/64)
	s.readByTwo = make([]uint64, len(s.written))
	s.hasAtomics = slices.ContainsFunc(p.Insts, func(in isa.Inst) bool { return in.Op.Has(isa.FlagAtomic) })
	const perGranule = 3*8 + 4*8 + 4 + 1
	for _, v := range p.LDSVariables {
		if v.Zero && (v.Offset|v.Bytes)%word != 0 {
			s.splitWords(v.Offset, v.Offset+v.Bytes)
		}
	}
	s.log.limit = min((shadowBytes*int(p.LDSBytes)-perGranule*n)*7/8/4, maxLogWords)
	return s
}

// granuleShift returns the log2 of the smallest element in the LDS, four bytes at most.
func granuleShift(insts []isa.Inst) uint {
	shift := uint(bits.TrailingZeros(minWordBytes))
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
func (s *shadow) clearRecords() {
	clear(s.writes)
	clear(s.reads)
	clear(s.atomics)
	clear(s.others)
	s.enter(0)
}

// enter begins an epoch: no access of an earlier one is of interest.
func (s *shadow) enter(epoch uint32) {
	s.epoch, s.wrote, s.madeAtomics, s.recordedReads, s.log.words = epoch, false, false, false, s.log.words[:0]
	if s.anyByTwo {
		clear(s.readByTwo)
		s.anyByTwo = false
	}
}

// begin prepares the shadow for a workgroup that finds its memory undefined, but for variables with an initializer.
func (s *shadow) begin(p *program.Program) {
	s.enter(0)
	clear(s.written)
	clear(s.firstReads)
	s.unwritten = len(s.writes)
	for _, v := range p.LDSVariables {
		if !v.Zero {
			continue
		}
		for at := uint(v.Offset) >> s.shift; at<<s.shift < uint(v.Offset+v.Bytes); at++ {
			s.setWritten(at, 1)
		}
	}
	if s.number > 1<<31 {
		clear(s.numbers)
		s.number = 0
	}
}

// isWritten reports that something wrote a granule.
func (s *shadow) isWritten(at uint) bool { return s.written[at/64]>>(at%64)&1 != 0 }

// setWritten says so of some granules of a word.
func (s *shadow) setWritten(at, granules uint) {
	if !s.isWritten(at) {
		s.written[at/64] |= (1<<granules - 1) << (at % 64)
		s.unwritten -= int(granules)
	}
}

// step returns the number of granules that a granule has the records of.
func (s *shadow) step(at uint) uint {
	if offset := uint32(at << s.shift); offset >= s.split.from && offset < s.split.end {
		return 1
	}
	return s.wide
}

// splitWords gives the granules of the words from an offset on records of their own, and of those between them and what is split. No
// read of them may be logged.
func (s *shadow) splitWords(from, end uint32) {
	split := extent{from &^ (s.word - 1), (min(end, s.bytes) + s.word - 1) &^ (s.word - 1)}
	if s.split.end > 0 {
		split = extent{min(split.from, s.split.from), max(split.end, s.split.end)}
	}
	for at := uint(split.from) >> s.shift; at < min(uint(split.end)>>s.shift, uint(len(s.writes))); at++ {
		word := at &^ (s.wide - 1)
		if word == at || s.step(at) == 1 {
			continue
		}
		s.writes[at], s.reads[at], s.atomics[at], s.others[at], s.numbers[at] = s.writes[word], s.reads[word], s.atomics[word], s.others[word], s.numbers[word]
		if r, ok := s.firstReads[uint32(word)]; ok {
			s.firstReads[uint32(at)] = r
		}
	}
	s.split = split
}

// places are where the lanes of an instruction access the LDS.
type places struct {
	offsets    []uint32 // of the lanes, or the one of all
	aligned    bool     // those of active lanes are within the LDS, and granules begin there
	wholeWords bool     // the accesses are of whole words that are not split
	packed     bool     // each one is behind that of the lane before, and all lanes are active
}

// offset returns a lane's offset. There are as many as lanes, a power of two, or one.
func (p *places) offset(l int) uint32 { return p.offsets[l&(len(p.offsets)-1)] }

// unpack computes the offsets of lanes that access so many bytes each, one behind the other.
func (p *places) unpack(mask uint64, bytes uint32, row *[64]uint32) {
	from := p.offsets[0]
	p.offsets = row[:bits.Len64(mask)]
	for l := range p.offsets {
		p.offsets[l] = from + uint32(l)*bytes
	}
}

// add logs the reads of an instruction; false: the log is full.
func (l *readLog) add(base record, mask uint64, p *places) bool {
	offsets := p.offsets
	if p.packed {
		offsets = offsets[:1]
	}
	n, end := len(l.words), len(l.words)+logHeader+len(offsets)
	if end > l.limit {
		return false
	}
	if cap(l.words) < l.limit {
		l.words = append(make([]uint32, 0, l.limit), l.words...)
	}
	l.words = l.words[:end]
	w := l.words[n:]
	w[0], w[1], w[2], w[3], w[4] = uint32(base), uint32(base>>32), uint32(mask), uint32(mask>>32), uint32(8*len(offsets))
	if p.aligned {
		w[4]++
	}
	if p.wholeWords {
		w[4] += 2
	}
	if p.packed {
		w[4] += 4
	}
	copy(w[logHeader:], offsets)
	return true
}

// next takes the first instruction off what is left of a log.
func (l *readLog) next(words []uint32) (base record, mask uint64, p places, rest []uint32) {
	base, mask = record(words[0])|record(words[1])<<32, uint64(words[2])|uint64(words[3])<<32
	end := logHeader + words[4]/8
	return base, mask, places{words[logHeader:end], words[4]&1 != 0, words[4]&2 != 0, words[4]&4 != 0}, words[end:]
}
