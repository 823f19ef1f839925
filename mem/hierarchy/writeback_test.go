package hierarchy

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// released makes a cache that holds sixteen lines until a launch's end, and then writes pieces of them.
func released(t *testing.T, writeBytes int) *Analytic {
	return newTiny(t, func(s *Spec) { s.L2.WriteBytes, s.L2.ReleaseAtEnd = writeBytes, true })
}

// storeWords is a store to words of a line.
func storeWords(line, words uint64) *Request {
	r := request(0, Write, 64*line)
	r.Lines[0].Words, r.Lines[0].Bytes = words, uint32(4*bits.OnesCount64(words))
	return r
}

// What stores have touched of lines, in pieces of a size, is what goes on, with time and without, and takes memory as long as its bytes do.
func TestPiecesOfLines(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		size := 16 << r.IntN(3)
		f, warmed := released(t, size), released(t, size)
		touched := map[uint64]bool{}
		for range 1 + r.IntN(60) {
			line, words := uint64(r.IntN(16)), uint64(1)<<r.IntN(16)|r.Uint64()&r.Uint64()&r.Uint64()&0xffff
			f.Access(0, storeWords(line, words))
			warmed.Warm(storeWords(line, words))
			for word := range uint64(16) {
				if words>>word&1 != 0 {
					touched[(64*line+4*word)/uint64(size)] = true
				}
			}
		}
		want := uint64(len(touched) * size)
		end := f.Release(1e6)
		if c := f.count("memory"); c.Written != want || c.Bytes != want {
			t.Errorf("seed %d: pieces of %d bytes: %d bytes are written, want %d", seed, size, c.Written, want)
		}
		if took := float64(end-1e6) - 1000; took < float64(want)/16-128/16 || took > float64(want)/16+100 {
			t.Errorf("seed %d: %d bytes take memory %g cycles, want %d", seed, want, took, want/16)
		}
		if w := warmed.warmRelease(); w != want {
			t.Errorf("seed %d: without time %d bytes are written, want %d", seed, w, want)
		}
	}
}

// warmRelease is what the second cache passes on when it is acquired.
func (f *Analytic) warmRelease() uint64 {
	f.ResetWarming()
	f.instance(f.levels[2], 0).dropAtAcquire()
	return f.WarmingStats().NextLevelBytes[2]
}

// Stores to parts of words, and atomics, make all of a line dirty.
func TestPiecesOfStoresBelowWords(t *testing.T) {
	for _, c := range []struct {
		what  string
		kind  Kind
		bytes uint32
		words uint64
		want  uint64
	}{
		{"a word", Write, 4, 1 << 3, 16},
		{"two words of one piece", Write, 8, 3 << 4, 16},
		{"a half word", Write, 2, 0, 64},
		{"a word and a half", Write, 6, 1 << 3, 64},
		{"an atomic", Atomic, 4, 0, 64},
	} {
		f := released(t, 16)
		r := request(0, c.kind, 128)
		r.Lines[0].Bytes, r.Lines[0].Words = c.bytes, c.words
		f.Access(0, r)
		f.Release(1e6)
		if got := f.count("memory").Written; got != c.want {
			t.Errorf("%s: %d bytes are written, want %d", c.what, got, c.want)
		}
	}
}

// An eager cache sends pieces of lines that were fetched too, and each once.
func TestPiecesOfFetchedLines(t *testing.T) {
	f := newTiny(t, func(s *Spec) { s.L2.WriteBytes, s.L2.Write, s.L2.ReleaseAtEnd = 16, WriteEager, true })
	f.Access(0, request(0, Read, 0))
	f.Access(5000, storeWords(0, 0xf))
	f.Release(20000)
	f.Release(30000)
	if c := f.count("memory"); c.Written != 16 || c.Bytes != 64+16 {
		t.Errorf("%d bytes are written of %d moved: want 16 of 80", c.Written, c.Bytes)
	}
}

// A link that both directions share moves what is read and what is written one after the other.
func TestSharedLink(t *testing.T) {
	for _, c := range []struct {
		kinds []Kind
		want  uint64
	}{{[]Kind{Read, Read}, 128 / 2}, {[]Kind{Read, Write}, 128 / 2}} {
		last := func(shared float64) (ready uint64) {
			f := newTiny(t, func(s *Spec) { s.VectorL1.LinkShared, s.VectorL1.LinkCredits = shared, 64 })
			for i, kind := range c.kinds {
				ready = f.Access(0, request(0, kind, uint64(256*i))).ReadyAt
			}
			return ready
		}
		if free, shared := last(0), last(2); shared < free+c.want/2-8 || shared > free+c.want/2+8 {
			t.Errorf("%v: done in cycle %d, in %d with a shared link of 2 bytes a cycle: want %d more", c.kinds, free, shared, c.want/2)
		}
	}
}

// Words of a line that a range of bytes has whole: those that begin in it and end in it.
func TestWholeWords(t *testing.T) {
	for _, c := range []struct {
		from, bytes uint64
		each        int
		want        uint64
	}{{0, 128, 4, 1<<32 - 1}, {0, 256, 4, ^uint64(0)}, {16, 16, 4, 0xF0}, {2, 6, 4, 0b10}, {1, 2, 4, 0}, {0, 3, 4, 0}, {8, 16, 8, 0b110}} {
		if got := WholeWords(c.from, c.bytes, c.each); got != c.want {
			t.Errorf("%+v: %#x", c, got)
		}
	}
}

// Lines go on early only where the write buffer has a place: stores to lines that stay take no longer than in a cache that writes back, whatever
// memory takes of them.
func TestEarlyWriteBackMakesNoStoreWait(t *testing.T) {
	var ends [2]uint64
	for i, write := range []string{WriteBack, WriteEager} {
		f := newTiny(t, paced(func(s *Spec) {
			s.L2.Write, s.L2.WriteBuffer, s.L2.Requests, s.Memory.Requests, s.VectorL1.Requests, s.VectorL1.WriteBuffer = write, 2, 1, 1, 1, 1
		}))
		for range 20 {
			for line := range uint64(8) { // of 16 that the L2 keeps
				ends[i] = f.Access(ends[i], request(0, Write, line*64)).UnitFreeAt
			}
		}
	}
	if sent := ends[0]/64 + 5; ends[1] > ends[0]+sent { // each line that memory takes is read out in a cycle
		t.Errorf("stores are taken by cycle %d with write-back and by %d with early write-back: want %d more at most", ends[0], ends[1], sent)
	}
}
