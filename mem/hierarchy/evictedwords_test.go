package hierarchy

import "testing"

// A line that is partly stored goes to the next cache as it is: what is missing is missing there too.
func TestEvictedWords(t *testing.T) {
	for _, words := range []uint64{1, 1<<16 - 1} {
		f := newTiny(t, func(s *Spec) {
			s.MemorySide = s.L2
			s.MemorySide.Bytes = 1 << 16
		})
		r := request(0, Write, 4096)
		r.Lines[0].Words = words
		f.Access(0, r)
		for i := range uint64(2) {
			f.Access(2000, request(0, Read, 4096+(i+1)*512))
		}
		before := f.count("memory").Accesses
		f.Access(9000, request(0, Read, 4096))
		if got, want := f.count("memory").Accesses-before, uint64(1); (got == want) != (words == 1) {
			t.Errorf("words %#x: %d accesses of memory", words, got)
		}
	}
}
