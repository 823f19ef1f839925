package dram

import (
	"math/rand/v2"
	"testing"
)

// TestFreeEntriesOneByOne compares the time of a free entry with a search through all times: the first one in which
// fewer are held than there are, or none by writes that were sent.
func TestFreeEntriesOneByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 2))
	for i := range 5000 {
		q := newQueue(1 + r.IntN(12))
		for range r.IntN(20) {
			from := r.Uint64N(60)
			q.releaseEntry(&write{arrival: from}, from+r.Uint64N(30))
		}
		for arrival := r.Uint64N(60); len(q.list) < r.IntN(q.entries+1); arrival += r.Uint64N(8) {
			q.list = append(q.list, write{arrival: arrival})
		}
		at := r.Uint64N(80)
		want := at
		for ; ; want++ {
			sent, waiting := 0, 0
			for _, s := range q.sentEntries {
				if s.Has(want) {
					sent++
				}
			}
			for _, w := range q.list {
				if w.arrival <= want {
					waiting++
				}
			}
			if sent == 0 || sent+waiting < q.entries {
				break
			}
		}
		if got := q.findFree(at); got != want {
			t.Fatalf("case %d: an entry of %d is free at %d from %d on, want %d (sent %v, waiting %v)", i, q.entries, got, at, want, q.sentEntries, q.list)
		}
	}
}
