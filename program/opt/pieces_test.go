package opt

import (
	"slices"
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// TestPiecesOfLDS: one access moves two pieces of 4 or 8 bytes whose offsets fit into 8 bits each, in units of the piece or of 64 of them.
func TestPiecesOfLDS(t *testing.T) {
	type access struct {
		offset, apart uint32
		words         uint8
	}
	for _, c := range []struct {
		name    string
		scale   uint64
		offsets []uint32
		want    []access
	}{
		{"neighbours, aligned to a word", 4, []uint32{0, 4}, []access{{0, 4, 2}}},
		{"two words of a pair", 8, []uint32{0, 4}, []access{{0, 0, 2}}},
		{"words apart", 4, []uint32{8, 20}, []access{{8, 12, 2}}},
		{"the farthest word", 4, []uint32{0, 4 * 255}, []access{{0, 4 * 255, 2}}},
		{"64 words apart", 4, []uint32{256, 768}, []access{{256, 512, 2}}},
		{"64 words apart, from another place", 4, []uint32{4, 260}, []access{{4, 0, 1}, {260, 0, 1}}},
		{"too far, not 64 words apart", 4, []uint32{0, 4 * 257}, []access{{0, 0, 1}, {4 * 257, 0, 1}}},
		{"a large offset", 4, []uint32{4 * 250, 4 * 256}, []access{{4 * 250, 0, 1}, {4 * 256, 0, 1}}},
		{"the farthest of 64", 4, []uint32{0, 256 * 255}, []access{{0, 256 * 255, 2}}},
		{"farther than that", 4, []uint32{0, 256 * 256}, []access{{0, 0, 1}, {256 * 256, 0, 1}}},
		{"pairs of words", 8, []uint32{0, 4, 16, 20}, []access{{0, 16, 4}}},
		{"neighbouring pairs, aligned to 8", 8, []uint32{0, 4, 8, 12}, []access{{0, 8, 4}}},
		{"a pair and a word", 8, []uint32{0, 4, 16}, []access{{0, 0, 2}, {16, 0, 1}}},
		{"three words", 4, []uint32{0, 12, 40}, []access{{0, 12, 2}, {40, 0, 1}}},
	} {
		for _, op := range []isa.Op{isa.Load, isa.Store} {
			b := newBuilder(t)
			at := b.op(isa.IMul, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(c.scale))
			of := func(space isa.Space, offset uint32) ir.Mem {
				return ir.Mem{Access: isa.Access{Space: space, Elem: isa.I32, Offset: offset}}
			}
			for i, offset := range c.offsets {
				from, to := of(isa.SpaceLDS, offset), of(isa.SpaceBuffer, uint32(100*i))
				if op == isa.Store {
					from, to = of(isa.SpaceBuffer, uint32(100*i)), of(isa.SpaceLDS, offset)
				}
				b.store(to, at, b.load(from, at))
			}
			b.readLDS(0, at)
			b.ret()
			Run(b.f, Options{})
			var got []access
			eachValue(b.f, func(v *ir.Value) {
				if v.Op == op && v.Mem.Space == isa.SpaceLDS {
					got = append(got, access{v.Mem.Offset, v.Mem.PairStride, v.Mem.Count})
				}
			})
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: %v gives %v, want %v", c.name, op, got, c.want)
			}
		}
	}
}

// TestPiecesMeet: the gap between two pieces belongs to neither.
func TestPiecesMeet(t *testing.T) {
	two := &ir.Mem{Access: isa.Access{Space: isa.SpaceLDS, Elem: isa.I32, Offset: 8, Count: 2, PairStride: 16}}
	for offset, want := range map[uint32]bool{4: false, 8: true, 12: false, 20: false, 24: true, 28: false} {
		word := &ir.Mem{Access: isa.Access{Space: isa.SpaceLDS, Elem: isa.I32, Offset: offset, Count: 1}}
		if offsetsMeet(two, word) != want || offsetsMeet(word, two) != want {
			t.Errorf("a word at %d, and two at 8 and 24: they meet %v", offset, !want)
		}
	}
}
