package hierarchy

import (
	"math/bits"

	"spvsim/internal/spec"
	"spvsim/mem/fixed"
)

// BankSpec is how the data of the vector cache lie in banks. A wave's load goes in groups of lanes, as many as have group_bytes of
// elements, and elements of less than four bytes as if they had four. A group takes a cycle where its lanes lie in one aligned block of as
// many bytes; otherwise, and where its elements have 8 bytes, the larger of two: bank_cycles for each word of the bank that has to
// give the most, and the time of the tags. Two groups of smaller elements that together reach no further than the banks without a conflict
// take no longer than the bytes: 32 words in a row an RX 6900 XT's cache gives at full rate wherever they begin (te42kyfo/gpu-benches).
type BankSpec struct {
	Banks        int     `yaml:"banks" default:"0" range:"0..64" pow2:"true" doc:"banks of the data of vector_l1, by consecutive bank_bytes, in which loads of buffers conflict; 0: no banks, and lines_per_cycle limits loads"`
	BankBytes    int     `yaml:"bank_bytes" default:"4" range:"4..64" pow2:"true" unit:"bytes" doc:"size of a word of a bank"`
	BankCycles   float64 `yaml:"bank_cycles" default:"2" range:"0.125..64" unit:"cycles" doc:"cycles of a group of lanes for each word of the bank that must deliver the most words; a group within one aligned block of group_bytes takes one cycle, except with elements of 8 bytes; two groups of smaller elements whose bytes all banks give in one turn take no longer than their bytes at group_bytes a cycle"`
	GroupBytes   int     `yaml:"group_bytes" default:"64" range:"16..256" pow2:"true" unit:"bytes" doc:"bytes of the elements of the lanes that are served together (a group)"`
	TagsPerCycle float64 `yaml:"tags_per_cycle" default:"2" range:"0.125..64" unit:"lines" doc:"distinct lines of a group of lanes, or of a load that wide_lanes_per_cycle bounds, that are looked up each cycle"`
	TagParity    int     `yaml:"tag_parity" default:"0" range:"0..65535" doc:"mask of the bits of a line's number whose parity selects one of two banks of tags, each with half of tags_per_cycle; 0: either bank looks the line up"`
}

// Check asks for banks that can give a group in which no two lanes conflict in one turn.
func (b BankSpec) Check() []spec.Problem {
	if b.Banks > 0 && b.Banks*b.BankBytes < b.GroupBytes {
		return []spec.Problem{spec.RangeProblem("banks", "found %d of %d bytes: want as many as have group_bytes, %d, or 0", b.Banks, b.BankBytes, b.GroupBytes)}
	}
	return nil
}

// DataBanks are the banks of the vector cache; times are fixed-point cycles.
type DataBanks struct {
	word       uint   // log2 of the bytes of a word
	mask       uint64 // of the bank in a word's number
	row        uint64 // bytes in which no two words are in one bank
	group      uint64 // bytes of a group, and of a block
	turn       uint64 // time of a word of a bank
	tag        uint64 // time of a line in a bank of tags
	parityMask uint64 // bits of a line's number whose parity is its bank of tags
}

// linesByBank count lines by bank of tags.
type linesByBank [2]uint64

// time is when all banks of tags have looked their lines up.
func (b *DataBanks) time(words uint64, n *linesByBank) uint64 {
	return max(words*b.turn, max(n[0], n[1])*b.tag)
}

// add counts a line.
func (b *DataBanks) add(n *linesByBank, line uint64) { n[bits.OnesCount64(line&b.parityMask)&1]++ }

// BankCounts are those of one group of lanes.
type BankCounts struct {
	age  uint32 // entries of another age are empty
	seen [countedWords]struct {
		key uint64
		age uint32
	}
	words [64]uint8 // by bank
}

// countedWords holds the words of a group and their lines: 256 bytes in words of 4, with one more for each lane, is 128.
const countedWords = 256

// pairBytes are those of elements that two banks each give, so that a block takes them no less than two turns of one cycle.
const pairBytes = 8

// NewDataBanks is nil where the machine has none.
func NewDataBanks(s *BankSpec) *DataBanks {
	if s.Banks == 0 {
		return nil
	}
	tag := fixed.PerByte(s.TagsPerCycle)
	if s.TagParity != 0 {
		tag *= uint64(len(linesByBank{}))
	}
	return &DataBanks{word: fixed.Log2(s.BankBytes), mask: uint64(s.Banks - 1), row: uint64(s.Banks * s.BankBytes), group: uint64(s.GroupBytes),
		turn: uint64(s.BankCycles * (1 << fixed.Shift)), tag: tag, parityMask: uint64(s.TagParity)}
}

// lanes is how many of them a group has: a power of two.
func (b *DataBanks) lanes(size uint64) uint64 {
	return max(1, b.group>>uint(bits.Len64(max(size, 4)-1)))
}

// SpanTime is the time of lanes that follow each other, of size bytes each; lines have 1<<shift bytes.
func (b *DataBanks) SpanTime(addr, bytes, size uint64, shift uint) (time uint64) {
	step := b.lanes(size) * size
	if size < pairBytes && 2*step <= b.row {
		return (bytes + step - 1) / step << fixed.Shift
	}
	for end := addr + bytes; addr < end; addr += step {
		last := min(addr+step, end) - 1
		if addr^last < b.group && size != pairBytes {
			time += 1 << fixed.Shift
			continue
		}
		var n linesByBank
		for l := addr >> shift; l <= last>>shift; l++ {
			b.add(&n, l)
		}
		time += b.time(1+(last>>b.word-addr>>b.word)/(b.mask+1), &n)
	}
	return time
}

// GatherTime is the time of the lanes of a mask, each with size bytes from its address on.
func (b *DataBanks) GatherTime(c *BankCounts, addr *[64]uint64, mask, size uint64, shift uint) (time uint64) {
	n := b.lanes(size)
	group := uint64(1)<<n - 1
	for ; group != 0; group <<= 2 * n {
		var two uint64
		for _, lanes := range [2]uint64{mask & group, mask & (group << n)} {
			if lanes != 0 {
				two += b.serve(c, addr, lanes, size, shift)
			}
		}
		if least := b.row / b.group << fixed.Shift; two > least && size < pairBytes && b.near(addr, mask&(group|group<<n), size) {
			two = least
		}
		time += two
	}
	return time
}

// near reports whether the lanes of a mask reach no further than the banks without a conflict.
func (b *DataBanks) near(addr *[64]uint64, mask, size uint64) bool {
	first, last := addr[bits.TrailingZeros64(mask)&63], uint64(0)
	for ; mask != 0; mask &= mask - 1 {
		a := addr[bits.TrailingZeros64(mask)&63]
		first, last = min(first, a), max(last, a+size)
	}
	return last-first <= b.row
}

// serve is the time of one group.
func (b *DataBanks) serve(c *BankCounts, addr *[64]uint64, group, size uint64, shift uint) uint64 {
	first, differ := addr[bits.TrailingZeros64(group)&63], uint64(0)
	for g := group; g != 0; g &= g - 1 {
		a := addr[bits.TrailingZeros64(g)&63]
		differ |= (a ^ first) | ((a + size - 1) ^ first)
	}
	switch {
	case differ < b.group && size != pairBytes:
		return 1 << fixed.Shift
	case differ < b.row && differ < 1<<shift:
		return b.time(1, &linesByBank{1})
	}
	return b.count(c, addr, group, size, shift)
}

// count is the time of a group whose words and lines are counted: the different words of the bank that gives the most.
func (b *DataBanks) count(c *BankCounts, addr *[64]uint64, group, size uint64, shift uint) uint64 {
	var most uint64
	var lines linesByBank
	c.begin()
	for ; group != 0; group &= group - 1 {
		a := addr[bits.TrailingZeros64(group)&63]
		for w, last := a>>b.word, (a+size-1)>>b.word; w <= last; w++ {
			if c.fresh(w << 1) {
				c.words[w&b.mask]++
				most = max(most, uint64(c.words[w&b.mask]))
			}
		}
		for l, last := a>>shift, (a+size-1)>>shift; l <= last; l++ {
			if c.fresh(l<<1 | 1) {
				b.add(&lines, l)
			}
		}
	}
	return b.time(most, &lines)
}

func (c *BankCounts) begin() {
	c.words = [len(c.words)]uint8{}
	if c.age++; c.age == 0 {
		clear(c.seen[:])
		c.age = 1
	}
}

// fresh notes a word or a line; it is false when the group has it already.
func (c *BankCounts) fresh(key uint64) bool {
	for h := key * 0x9E3779B97F4A7C15 >> 40; ; h++ {
		e := &c.seen[h%countedWords]
		if e.age != c.age {
			e.age, e.key = c.age, key
			return true
		}
		if e.key == key {
			return false
		}
	}
}
