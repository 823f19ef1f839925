package lane

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// walks are steps and rows that meet every way through a walk.
func walks(visit func(index []uint32, s AddressParams)) {
	r := rand.New(rand.NewPCG(3, 5))
	for n := range 4000 {
		index := make([]uint32, []int{32, 64}[n%2])
		s := AddressParams{Base: r.Uint32() >> (n % 32), Phase: uint32(r.IntN(256)), Stride: 4 << (n / 2 % 3), Shift: uint(4 + n%5), Exec: r.Uint64()}
		if n%3 == 0 {
			s.Exec = ^uint64(0)
		}
		s.Exec &= ^uint64(0) >> (64 - len(index))
		at := r.Uint32() >> (n % 20)
		for l := range index {
			switch n / 8 % 4 {
			case 0:
				index[l] = at + uint32(l)*s.Stride
			case 1:
				index[l] = at + uint32(l/8)*256 + uint32(l%8)*4
			case 2:
				index[l] = uint32(r.IntN(512)) * 4
			default:
				index[l] = r.Uint32()
			}
		}
		visit(index, s)
	}
}

func TestWalkIsTheSlowOne(t *testing.T) {
	walks(func(index []uint32, s AddressParams) {
		var fast, slow Addresses
		fast.Compute(index, &s)
		slow.computeSlow(index, &s)
		if fast != slow {
			t.Fatalf("%+v over %x:\n%+v\nwant\n%+v", s, index, fast, slow)
		}
	})
}

// A walk for bytes alone is the same but for the lines.
func TestWalkForBytes(t *testing.T) {
	walks(func(index []uint32, s AddressParams) {
		var got, want Addresses
		want.computeSlow(index, &s)
		s.Bytes = true
		got.Compute(index, &s)
		got.Bits, got.LineStarts = want.Bits, want.LineStarts
		if got != want {
			t.Fatalf("%+v over %x:\n%+v\nwant\n%+v", s, index, got, want)
		}
	})
}

// The walk says of the lanes together what each of them says alone.
func TestWalkSums(t *testing.T) {
	walks(func(index []uint32, s AddressParams) {
		var w Addresses
		w.computeSlow(index, &s)
		last, packed := uint32(0), true
		for l := range index {
			off := index[l] + s.Base
			if s.Exec>>l&1 != 0 {
				last = max(last, off)
			}
			packed = packed && off == index[0]+s.Base+uint32(l)*s.Stride
			starts := l == 0 || (off+s.Phase)>>s.Shift != (index[l-1]+s.Base+s.Phase)>>s.Shift
			if w.Offsets[l] != off || w.LineStarts>>l&1 != 0 != starts {
				t.Fatalf("lane %d of %+v over %x: offset %x, starts %x", l, s, index, w.Offsets[l], w.LineStarts)
			}
		}
		if w.Last != last || w.Packed != packed {
			t.Fatalf("%+v over %x: last %x, packed %v, want %x, %v", s, index, w.Last, w.Packed, last, packed)
		}
	})
}

// In each run of active lanes in one block the first is among those found, and where all lanes are active no other lane.
func TestFirstInBlocks(t *testing.T) {
	walks(func(index []uint32, s AddressParams) {
		var w Addresses
		w.Compute(index, &s)
		got, before := w.FirstInBlocks(s.Phase, s.Shift, s.Exec), -1
		full := s.Exec == ^uint64(0)>>(64-len(index))
		for l := range index {
			if s.Exec>>l&1 == 0 {
				if got>>l&1 != 0 {
					t.Fatalf("%+v over %x: lane %d is not active", s, index, l)
				}
				continue
			}
			first := before < 0 || (w.Offsets[l]+s.Phase)>>s.Shift != (w.Offsets[before]+s.Phase)>>s.Shift
			if found := got>>l&1 != 0; first && !found || full && found != first {
				t.Fatalf("%+v over %x: lane %d is first: %v, want %v", s, index, l, found, first)
			}
			before = l
		}
	})
}

// places gives the active lanes of a walk offsets of words within bytes: anywhere,
// or those of eight lanes one after the other. Idle lanes have any.
func (w *Addresses) places(r *rand.Rand, exec uint64, last int, follow bool) {
	w.Last = 0
	for l := range w.Offsets {
		w.Offsets[l] = r.Uint32()
		if exec>>l&1 == 0 {
			continue
		}
		w.Offsets[l] = uint32(r.IntN(last - 28))
		if follow && l%8 != 0 && exec>>(l-1)&1 != 0 {
			w.Offsets[l] = min(w.Offsets[l-1]+4, uint32(last))
		}
		w.Last = max(w.Last, w.Offsets[l])
	}
}

func TestGatherAndScatterAreTheSlowOnes(t *testing.T) {
	b := make([]byte, 600) // so few that lanes meet
	r := rand.New(rand.NewPCG(1, 2))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	for n := range 4000 {
		lanes, count := []int{32, 64}[n%2], 1+n/2%4
		exec := r.Uint64() | []uint64{0, 0, ^uint64(0), r.Uint64(), 0xff00ff}[n%5]
		exec &= ^uint64(0) >> (64 - lanes)
		var w Addresses
		w.places(r, exec, len(b)-4*count, n%3 == 0)
		fast, slow := make([][]uint32, count), make([][]uint32, count)
		for k := range count {
			fast[k], slow[k] = make([]uint32, lanes), make([]uint32, lanes)
		}
		w.Gather(fast, b, exec)
		w.gatherSlow(slow, b, exec)
		for k := range fast {
			if !slices.Equal(fast[k], slow[k]) {
				t.Fatalf("%d words of each lane in %x at %v: word %d: %x, want %x", count, exec, w.Offsets, k, fast[k], slow[k])
			}
			for l := range lanes {
				want := uint64(0)
				if exec>>l&1 != 0 {
					want = ReadElement(b[int(w.Offsets[l])+4*k:][:4])
				}
				if uint64(fast[k][l]) != want {
					t.Fatalf("lane %d of %x: word %d is %x, want %x", l, exec, k, fast[k][l], want)
				}
			}
		}
		w.places(r, exec, len(b)-4*count, n%3 == 0)
		out, want := bytes.Clone(b), bytes.Clone(b)
		w.Scatter(out, fast, exec)
		w.scatterSlow(want, fast, exec)
		if !bytes.Equal(out, want) {
			t.Fatalf("%d words of each lane in %x to %v: %x, want %x", count, exec, w.Offsets, out, want)
		}
	}
}

// Rows are filled with the words that follow each other.
func TestFillRows(t *testing.T) {
	b := []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0}
	for _, lanes := range []int{4, 8, 32, 64} {
		for n := 1; n <= 4; n++ {
			rows := make([]uint32, n*lanes+1)
			FillRows(rows[:n*lanes], b, lanes)
			for i, got := range rows {
				want := uint32(i/lanes + 1)
				if i == n*lanes {
					want = 0
				}
				if got != want {
					t.Fatalf("%d rows of %d lanes: word %d is %d, want %d", n, lanes, i, got, want)
				}
			}
		}
	}
}

// A word is found where it is first, wherever that is in lists of any length.
func TestFind(t *testing.T) {
	for n := 1; n < 70; n++ {
		list := make([]uint32, n)
		for i := range list {
			list[i] = uint32(i%40 + 1) // those of the longest lists twice
		}
		for word := range uint32(45) {
			want := int(word) - 1
			if want >= min(n, 40) {
				want = -1
			}
			if got := Find(list, 0, n, word); got != want {
				t.Fatalf("%d of %d words: found at %d, want %d", word, n, got, want)
			}
		}
	}
}

// Any part of lists may be fetched ahead, which changes nothing.
func TestPrefetch(t *testing.T) {
	x, y := []uint32{40: 1}, []uint64{40: 1}
	for first := range x {
		for n := 1; first+n <= len(x); n++ {
			Prefetch(x, y, first, n)
		}
	}
	if x[40] != 1 || y[40] != 1 {
		t.Fatal("a prefetch has changed a word")
	}
}

// What is above a word in a list in order, and the lists with one word more each, are as the slow ones have it: for words anywhere in them, equal ones too.
func TestListsInOrderAreTheSlowOnes(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	for range 200 {
		lists, most, spans := [3][2][]uint32{}, r.Uint32()>>r.IntN(32)|1, []Span{}
		for i := range lists {
			for j := range lists[i] {
				lists[i][j] = slices.Repeat([]uint32{1<<32 - 1}, Lead+64)
				clear(lists[i][j][:Lead])
			}
		}
		for end := Lead; end < Lead+64; end++ {
			x, y := r.Uint32N(most), ^uint32(0)>>r.IntN(2)-r.Uint32N(most)
			fast, slow, all := lists[0], lists[1], lists[2]
			if got, want := CountAbove(fast[0], end, x), aboveSlow(slow[0], end, x); got != want {
				t.Fatalf("%d of %d words are above %d, want %d", got, end-Lead, x, want)
			}
			Insert(fast[0], fast[1], end, x, y)
			spans = append(spans, Span{x, y})
			if r.IntN(8) == 0 || end == Lead+63 {
				InsertAll(all[0], all[1], end+1-len(spans), spans)
				spans = spans[:0]
			}
			insertSlow(slow[0], end, x)
			insertSlow(slow[1], end, y)
			if !slices.Equal(fast[0], slow[0]) || !slices.Equal(fast[1], slow[1]) || !slices.IsSorted(fast[0]) ||
				len(spans) == 0 && (!slices.Equal(all[0], slow[0]) || !slices.Equal(all[1], slow[1])) {
				t.Fatalf("with %d and %d: %d, want %d", x, y, fast, slow)
			}
		}
	}
}

// A row is the same in all lanes if no word differs from the others, whichever it is and in whichever bit.
func TestAllSame(t *testing.T) {
	for _, lanes := range []int{4, 8, 32, 64} {
		row := slices.Repeat([]uint32{0x80000001}, lanes)
		if !AllSame(row) {
			t.Errorf("%d equal words differ", lanes)
		}
		for l := range row {
			row[l] ^= 1 << (l % 32)
			if AllSame(row) {
				t.Errorf("lane %d of %d differs, and is taken for the same", l, lanes)
			}
			row[l] ^= 1 << (l % 32)
		}
	}
}
