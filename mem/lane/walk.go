package lane

import (
	"encoding/binary"
	"math/bits"
)

// Addresses are the offsets of the lanes of one access, with properties that they have together.
type Addresses struct {
	Offsets [64]uint32
	Last    uint32 // the greatest offset of an active lane
	Bits    uint32 // all bits that are set in the place of some active lane
	Packed  bool   // each lane's offset is that of the lane before plus the stride, active or not
	// LineStarts has a bit for each lane, active or not, whose line is not that of the lane before.
	LineStarts uint64
}

// AddressParams are the inputs of Addresses. A lane's offset is its index plus Base, and its line (offset + Phase) >>
// Shift.
type AddressParams struct {
	Base, Phase, Stride uint32
	Shift               uint
	Exec                uint64 // the active lanes
	Bytes               bool   // lines are not needed: Bits and Starts may be anything
}

// Compute computes the offsets of a row of at most 64 lanes.
func (w *Addresses) Compute(index []uint32, s *AddressParams) {
	if wide && len(index)%8 == 0 && len(index) <= len(w.Offsets) {
		if s.Bytes {
			last, differ := walkBytesAVX(&w.Offsets[0], &index[0], len(index), s)
			w.Last, w.Packed = last, differ == 0
			return
		}
		last, bits, differ, starts := walkAVX(&w.Offsets[0], &index[0], len(index), s)
		w.Last, w.Bits, w.Packed, w.LineStarts = last, bits, differ == 0, starts
		return
	}
	w.computeSlow(index, s)
}

// computeSlow is Go without wide instructions.
func (w *Addresses) computeSlow(index []uint32, s *AddressParams) {
	off := w.Offsets[:len(index)]
	var last, all, differ, line uint32
	var starts uint64
	want, exec := index[0]+s.Base, s.Exec
	for l, x := range index {
		o := x + s.Base
		off[l] = o
		differ |= o ^ want
		want += s.Stride
		place := o + s.Phase
		if exec&1 != 0 {
			last, all = max(last, o), all|place
		}
		exec >>= 1
		if n := place >> s.Shift; n != line || l == 0 {
			starts |= 1 << l
			line = n
		}
	}
	w.Last, w.Bits, w.Packed, w.LineStarts = last, all, differ == 0, starts
}

// FirstInBlocks returns the active lanes that are in another block of 2^shift bytes than the active lane before, and perhaps some that are
// not. A lane's block is (offset + phase) >> shift.
func (w *Addresses) FirstInBlocks(phase uint32, shift uint, exec uint64) uint64 {
	var of Addresses
	of.Compute(w.Offsets[:(bits.Len64(exec|1)+7)&^7], &AddressParams{Phase: phase, Shift: shift})
	// A block that begins at an inactive lane counts at the next active lane, to which the sum carries.
	return exec & (of.LineStarts | (of.LineStarts&^exec + ^exec))
}

// Gather loads a word for each row and active lane, the first from the lane's
// offset on and the others after it; all must be in b.
func (w *Addresses) Gather(rows [][]uint32, b []byte, exec uint64) {
	if exec != 0 && !w.gatherWide(rows, b, exec) {
		w.gatherSlow(rows, b, exec)
	}
}

func (w *Addresses) gatherSlow(rows [][]uint32, b []byte, exec uint64) {
	for ; exec != 0; exec &= exec - 1 {
		l := bits.TrailingZeros64(exec) & 63
		e := b[w.Offsets[l]:]
		for k, row := range rows {
			row[l] = binary.LittleEndian.Uint32(e[4*k:])
		}
	}
}

// Scatter stores a word of each row for each active lane, the first at its offset
// and the others after it; where lanes meet, the highest wins.
func (w *Addresses) Scatter(b []byte, rows [][]uint32, exec uint64) {
	if exec != 0 && !w.scatterWide(b, rows, exec) {
		w.scatterSlow(b, rows, exec)
	}
}

func (w *Addresses) scatterSlow(b []byte, rows [][]uint32, exec uint64) {
	for ; exec != 0; exec &= exec - 1 {
		l := bits.TrailingZeros64(exec) & 63
		e := b[w.Offsets[l]:]
		for k, row := range rows {
			binary.LittleEndian.PutUint32(e[4*k:], row[l])
		}
	}
}
