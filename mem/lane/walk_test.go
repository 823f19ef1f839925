package lane

import (
	"math/rand/v2"
	"testing"
)

// walks are steps and rows that meet every way through a walk.
func walks(visit func(index []uint32, s Step)) {
	r := rand.New(rand.NewPCG(3, 5))
	for n := range 4000 {
		index := make([]uint32, []int{32, 64}[n%2])
		s := Step{Base: r.Uint32() >> (n % 32), Phase: uint32(r.IntN(256)), Stride: 4 << (n / 2 % 3), Shift: uint(4 + n%5), Exec: r.Uint64()}
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
	walks(func(index []uint32, s Step) {
		var fast, slow Walk
		fast.Go(index, &s)
		slow.slow(index, &s)
		if fast != slow {
			t.Fatalf("%+v over %x:\n%+v\nwant\n%+v", s, index, fast, slow)
		}
	})
}

// The walk says of the lanes together what each of them says alone.
func TestWalkSums(t *testing.T) {
	walks(func(index []uint32, s Step) {
		var w Walk
		w.slow(index, &s)
		last, packed := uint32(0), true
		for l := range index {
			off := index[l] + s.Base
			if s.Exec>>l&1 != 0 {
				last = max(last, off)
			}
			packed = packed && off == index[0]+s.Base+uint32(l)*s.Stride
			starts := l == 0 || (off+s.Phase)>>s.Shift != (index[l-1]+s.Base+s.Phase)>>s.Shift
			if w.Offsets[l] != off || w.Starts>>l&1 != 0 != starts {
				t.Fatalf("lane %d of %+v over %x: offset %x, starts %x", l, s, index, w.Offsets[l], w.Starts)
			}
		}
		if w.Last != last || w.Packed != packed {
			t.Fatalf("%+v over %x: last %x, packed %v, want %x, %v", s, index, w.Last, w.Packed, last, packed)
		}
	})
}

func TestGatherIsTheSlowOne(t *testing.T) {
	b := make([]byte, 4096)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	for n := range 500 {
		lanes, exec := []int{32, 64}[n%2], r.Uint64()
		if n%5 == 0 {
			exec = ^uint64(0)
		}
		var w Walk
		for l := range w.Offsets {
			w.Offsets[l] = r.Uint32() // of an idle lane: anywhere
			if exec>>l&1 != 0 {
				w.Offsets[l] = uint32(r.IntN(len(b) - 3))
				w.Last = max(w.Last, w.Offsets[l])
			}
		}
		exec &= ^uint64(0) >> (64 - lanes)
		fast, slow := make([]uint32, lanes), make([]uint32, lanes)
		w.Gather(fast, b, exec)
		w.gatherSlow(slow, b, exec)
		for l := range fast {
			if fast[l] != slow[l] {
				t.Fatalf("lane %d of %x: %x, want %x", l, exec, fast[l], slow[l])
			}
		}
		out, want := make([]byte, len(b)), make([]byte, len(b))
		rows := [][]uint32{slow, fast}[:1+n%4/3]
		out, want = append(out, 0, 0, 0, 0), append(want, 0, 0, 0, 0)
		w.Scatter(out, rows, exec, ^uint64(0)>>(64-lanes))
		for l := range lanes {
			for k := range rows {
				if exec>>l&1 != 0 {
					Put(want[int(w.Offsets[l])+4*k:][:4], uint64(rows[k][l]))
				}
			}
		}
		if string(out) != string(want) {
			t.Fatalf("scatter under %x differs", exec)
		}
	}
}
