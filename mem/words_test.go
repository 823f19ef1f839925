package mem

import (
	"testing"

	"spvsim/isa"
	"spvsim/mem/hierarchy"
)

// What lanes store to one word again and again is that word; a load of another needs the line from memory. Words that are
// all stored, byte by byte too, make a line that needs nothing.
func TestStoredWords(t *testing.T) {
	for _, c := range []struct {
		name   string
		op     isa.Op
		elem   isa.Type
		count  int
		stride uint32
		exec   uint64
		full   bool
	}{
		{"one word by 64 lanes", isa.Store, isa.I32, 1, 0, ^uint64(0), false},
		{"one word by 16 lanes", isa.Store, isa.I32, 1, 0, 1<<16 - 1, false},
		{"an atomic store of one word", isa.AtomicStore, isa.I32, 1, 0, ^uint64(0), false},
		{"a line by 16 lanes", isa.Store, isa.I32, 1, 4, 1<<16 - 1, true},
		{"15 words of it", isa.Store, isa.I32, 1, 4, 1<<15 - 1, false},
		{"each word twice", isa.Store, isa.I32, 2, 4, 1<<16 - 1, true},
		{"every second word", isa.Store, isa.I32, 1, 8, 1<<16 - 1, false},
		{"four words by each lane", isa.Store, isa.I32, 4, 16, 15, true},
		{"two words of every four", isa.Store, isa.I32, 2, 16, 255, false},
		{"a line by halves", isa.Store, isa.F16, 1, 2, 1<<32 - 1, true},
		{"every second half", isa.Store, isa.F16, 1, 4, 1<<16 - 1, false},
		{"a line of 64-bit words", isa.Store, isa.F64, 1, 8, 255, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, 1<<16)
			b.index(0, c.stride)
			b.st.Exec = c.exec
			in := access(c.op, c.elem, c.count)
			in.Src[0] = isa.V(8)
			b.port.Issue(0, b.st, &b.env, in)
			b.index(0, 0)
			b.st.V[0] = 60
			b.st.Exec = 1
			b.port.Issue(5000, b.st, &b.env, access(isa.Load, isa.I32, 1))
			if full := countOf(b.h, "memory").Accesses == 0; full != c.full {
				t.Errorf("all of the line is in the L2: %v, want %v", full, c.full)
			}
		})
	}
}

// Stores that fill a line together, those of several instructions too; the same one twice does not.
func TestWordsOfSeveralStores(t *testing.T) {
	for second, want := range map[uint32]uint64{4: 0, 0: 1} {
		b := newBench(t, 1<<16)
		b.st.Exec = 255
		for _, first := range []uint32{0, second} {
			b.index(0, 8)
			for l := range b.st.Lanes {
				b.st.V[l] += first
			}
			b.port.Issue(0, b.st, &b.env, access(isa.Store, isa.I32, 1))
		}
		b.index(0, 4)
		b.port.Issue(5000, b.st, &b.env, access(isa.Load, isa.I32, 1))
		if got := countOf(b.h, "memory").Accesses; got != want {
			t.Errorf("even words, then from byte %d on: memory has %d accesses, want %d", second, got, want)
		}
	}
}

// countOf returns what a hierarchy counted at a level.
func countOf(h hierarchy.Model, level string) hierarchy.Counter {
	for _, c := range h.Counters() {
		if c.Level == level {
			return c
		}
	}
	return hierarchy.Counter{}
}
