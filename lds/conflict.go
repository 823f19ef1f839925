package lds

import (
	"math/bits"

	"spvsim/internal/timing"
	"spvsim/isa"
)

// chunkBytes is the widest access of a lane; wider ones are several.
const chunkBytes = 16

// respond counts phases and passes of an access of bytes a lane. Two pieces that are apart are two accesses of one instruction: the
// fixed cost of an access is paid once for both (CLRX GcnTimings.md: ds_write2_b32 12 where ds_write_b32 has 8, ds_read2_b32 twice
// ds_read_b32). The response has how long the SIMD's own waves and, where two waves' accesses fit beside each other for less, all
// waves of the compute unit wait for the pipe; when it is done comes as a message.
func (d *LDS) respond(now uint64, st *isa.State, base uint32, in *isa.Inst, mask uint64, bytes uint32) *timing.Response {
	r := &d.response
	r.Completion, r.Passes, r.ConflictPasses = timing.ByCallback, 0, 0
	unhindered := d.subAccess(r, st, base, in, mask, d.stride)
	if d.stride < bytes {
		unhindered += d.subAccess(r, st, base+in.Mem.PairStride, in, mask, d.stride) - d.rows[kindOf(in.Op, d.stride)].FixedCycles
	}
	conflicts := r.ConflictPasses * d.spec.ConflictCycles
	access := unhindered + conflicts
	pipe := ceilDiv(unhindered*min(d.spec.WaveBytesPerCycle, d.spec.BytesPerCycle), d.spec.BytesPerCycle) + conflicts
	r.ReadyAt = now + uint64(max(0, access-d.rows[ReadB32].busy(st.Lanes)))
	r.OwnUnitFreeAt, r.UnitFreeAt, r.Busy = now+uint64(access), now+uint64(pipe), uint64(pipe)
	return r
}

// subAccess counts the passes of consecutive bytes, and returns the cycles that they take without conflicts.
func (d *LDS) subAccess(r *timing.Response, st *isa.State, base uint32, in *isa.Inst, mask uint64, bytes uint32) (unhindered int) {
	for at := uint32(0); at < bytes; at += chunkBytes {
		chunk := min(chunkBytes, bytes-at)
		k := kindOf(in.Op, chunk)
		passes, phases := d.passes(k, st, mask, base+at, chunk)
		r.Passes += passes
		r.ConflictPasses += passes - phases
		unhindered += d.rows[k].busy(st.Lanes)
	}
	return unhindered
}

// passes counts the passes and phases of one access. Lanes that are packed
// one after the other use each bank once a phase when the phase's lanes follow
// each other, the mapping is the plain one and the words are aligned. Lanes that
// read or write the same words share a pass, if those are in different banks.
func (d *LDS) passes(k Kind, st *isa.State, mask uint64, base, bytes uint32) (passes, phases int) {
	c := d.count
	d.spreadBroadcast(st)
	if k < AtomicB32 && d.sameOffset(st.Lanes) && c.banksDistinct(base+d.Offsets[0], bytes) {
		n := activePhases(d.phases[k], mask)
		return n, n
	}
	if d.contiguous && bytes == d.stride && bytes&3 == 0 && c.modulo && d.spans[k] && (base+d.Offsets[0])&(1<<c.word-1) == 0 {
		n := ceilDiv(bits.OnesCount64(mask), d.rows[k].PhaseLanes)
		return n, n
	}
	if d.inBounds {
		return d.counted(k, mask, base, bytes)
	}
	return c.passes(d.phases[k], mask, &d.Offsets, base, bytes, k >= AtomicB32)
}

// spans reports whether the bytes of a phase of consecutive lanes of one kind of
// access fit in all banks side by side, so that contiguous ones can't conflict.
func (s *Spec) spans(k Kind) bool {
	bytes := [NumKinds]int{4, 8, 12, 16, 4, 8, 12, 16, 4, 8, 4, 8}[k]
	a := s.Accesses.rows()[k]
	return len(a.Lanes) == 0 && a.PhaseLanes*bytes <= s.Banks*s.BankBytes && bytes%s.BankBytes == 0
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// kindOf returns the row of the table for an access of bytes a lane.
func kindOf(op isa.Op, bytes uint32) Kind {
	words := Kind(max(1, bytes+3) / 4)
	switch op {
	case isa.Load, isa.AtomicLoad:
		return ReadB32 + words - 1
	case isa.Store, isa.AtomicStore:
		return WriteB32 + words - 1
	case isa.AtomicCompareExchange:
		return CmpSwapB32 + words - 1
	}
	return AtomicB32 + words - 1
}

// A counter counts the passes of a phase: those of the bank with the most
// different words.
type counter struct {
	bank   Mapping
	modulo bool
	shift  uint // log2 of the banks
	word   uint // log2 of the bytes of a word
	size   int  // words of the LDS

	*tables // made by the first conflict
}

// tables are what a phase has seen; entries of another age are empty.
type tables struct {
	age   uint32
	banks [maxBanks]struct{ age, passes uint32 }
	words [wordTable]struct{ age, word uint32 } // those beyond seen
	seen  []uint32                              // by word of the LDS: the age in which it was seen
}

// wordTable holds the words of one phase: 64 lanes of at most 16 bytes, in
// words of at least one byte, and one more where they are not aligned.
const wordTable = 2048

func newCounter(s *Spec) *counter {
	return &counter{bank: Mappings[s.Mapping], modulo: s.Mapping == "modulo",
		shift: uint(bits.TrailingZeros(uint(s.Banks))), size: s.Bytes / s.BankBytes, word: uint(bits.TrailingZeros(uint(s.BankBytes)))}
}

// passes adds up the passes of the phases that have an active lane. Lanes that
// only read or write the same word share a pass; atomics do not.
func (c *counter) passes(phases []uint64, mask uint64, off *[64]uint32, base, bytes uint32, atomic bool) (passes, active int) {
	for _, phase := range phases {
		phase &= mask
		if phase == 0 {
			continue
		}
		active++
		if c.conflictFree(phase, off, base, bytes, atomic) {
			passes++
			continue
		}
		passes += c.busiest(phase, off, base, bytes, atomic)
	}
	return passes, active
}

// sameOffset reports whether all lanes have one offset.
func (d *LDS) sameOffset(lanes int) bool {
	first := d.Offsets[0]
	for _, at := range d.Offsets[:lanes] {
		if at != first {
			return false
		}
	}
	return true
}

// banksDistinct reports whether the words of an access to bytes from at on are in different banks: the mapping is modulo, so that
// neighbours are, and there are as many banks.
func (c *counter) banksDistinct(at, bytes uint32) bool {
	return c.modulo && (at&(1<<c.word-1)+bytes+1<<c.word-1)>>c.word <= 1<<c.shift
}

// activePhases counts the phases that have an active lane.
func activePhases(phases []uint64, mask uint64) (n int) {
	for _, phase := range phases {
		if phase&mask != 0 {
			n++
		}
	}
	return n
}

// conflictFree reports cheaply whether a phase needs one pass: all its words are in
// different banks, or all lanes access the same ones. It may return false although
// nothing conflicts.
func (c *counter) conflictFree(phase uint64, off *[64]uint32, base, bytes uint32, atomic bool) bool {
	if c.shift > 6 || !c.modulo {
		return false
	}
	words := (bytes + 1<<c.word - 1) >> c.word
	bank, within := uint32(1)<<c.shift-1, uint32(1)<<c.word-1
	first := base + off[bits.TrailingZeros64(phase)&63]
	pattern := uint64(1)<<(words&63) - 1
	n := uint32(bits.OnesCount64(phase)) * words
	var seen uint64
	var differ, over uint32
	for ; phase != 0; phase &= phase - 1 {
		at := base + off[bits.TrailingZeros64(phase)&63]
		b := at >> c.word & bank
		seen |= pattern<<(b&63) | pattern>>((bank+1-b)&127)
		differ |= at ^ first
		over |= (words<<c.word - bytes) - at&within
	}
	if over>>31 != 0 || words > bank+1 {
		return false
	}
	return differ == 0 && !atomic || bits.OnesCount64(seen&(1<<(bank+1)-1)) == int(n)
}

// busiest returns the number of passes of a phase.
func (c *counter) busiest(phase uint64, off *[64]uint32, base, bytes uint32, atomic bool) int {
	if c.tables == nil {
		c.tables = &tables{seen: make([]uint32, c.size)}
	}
	if c.age++; c.age == 0 {
		clear(c.banks[:])
		clear(c.words[:])
		clear(c.seen)
		c.age = 1
	}
	most, plain := uint32(0), uint32(1)<<c.shift-1
	for ; phase != 0; phase &= phase - 1 {
		at := base + off[bits.TrailingZeros64(phase)]
		for w, last := at>>c.word, (at+bytes-1)>>c.word; w <= last; w++ {
			if !atomic && !c.firstUse(w) {
				continue
			}
			bank := w & plain
			if !c.modulo {
				bank = c.bank(w, c.shift)
			}
			most = max(most, c.hit(bank))
		}
	}
	return int(most)
}

// firstUse reports whether the phase accesses a word for the first time, and records it.
func (c *counter) firstUse(word uint32) bool {
	if int(word) < len(c.seen) {
		age := &c.seen[word]
		if *age == c.age {
			return false
		}
		*age = c.age
		return true
	}
	h := word * 0x9E3779B1 >> 16 % wordTable
	for ; c.words[h].age == c.age; h = (h + 1) % wordTable {
		if c.words[h].word == word {
			return false
		}
	}
	c.words[h].age, c.words[h].word = c.age, word
	return true
}

// hit counts a pass of a bank.
func (c *counter) hit(bank uint32) uint32 {
	b := &c.banks[bank]
	if b.age != c.age {
		b.age, b.passes = c.age, 0
	}
	b.passes++
	return b.passes
}
