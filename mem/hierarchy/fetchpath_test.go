package hierarchy

import "testing"

// A read takes the path, and what the L2 and memory take; past the L2, it finds nothing there. With one line in flight, lines come one
// after the other.
func TestFetchPath(t *testing.T) {
	for _, c := range []struct {
		name     string
		bytes    int // in flight
		read     uint64
		uncached bool
		want     [2]uint64 // cycles when cold, and again
	}{
		{"a line", 0, 12, false, [2]uint64{7 + 100 + 1000, 7 + 100}},
		{"a line past the L2", 0, 12, true, [2]uint64{7 + 100 + 1000, 7 + 100 + 1000}},
		{"two lines", 0, 128, false, [2]uint64{7 + 100 + 1000 + 4, 7 + 100 + 1}}, // memory moves 16 bytes a cycle, and the L2 64
		{"two lines, one in flight", 64, 128, false, [2]uint64{2 * (7 + 100 + 1000), 2 * (7 + 100)}},
		{"two lines, less than one in flight", 1, 128, false, [2]uint64{2 * (7 + 100 + 1000), 2 * (7 + 100)}},
		{"two lines, both in flight", 128, 128, false, [2]uint64{7 + 100 + 1000 + 4, 7 + 100 + 1}},
	} {
		f := newTiny(t, nil)
		p := NewFetchPath(&FetchSpec{FetchCycles: 7, FetchBytes: c.bytes}, f)
		for i, want := range c.want {
			now := 10000 * uint64(i)
			if got := p.Read(now, 4096, c.read, c.uncached) - now; got != want {
				t.Errorf("%s: read %d takes %d cycles, want %d", c.name, i, got, want)
			}
		}
		if n := f.count("vector_l1").Accesses; n != 0 {
			t.Errorf("%s: %d accesses of the first unit's L1", c.name, n)
		}
	}
	if p := NewFetchPath(&FetchSpec{FetchBytes: 64}, newTiny(t, nil)); p != nil {
		t.Errorf("%+v: want no path without fetch_cycles", p)
	}
}

// What is not cached goes past the L2 in both directions, and is found in the cache of memory behind it.
func TestUncachedRequests(t *testing.T) {
	f := newTiny(t, nil)
	for i, kind := range []Kind{Write, Read, Read} {
		r := request(0, kind, 4096)
		r.Coherent, r.Uncached = true, true
		now := 10000 * uint64(i)
		if got, want := f.Access(now, r).ReadyAt-now, uint64(10+100+1000); got != want {
			t.Errorf("request %d takes %d cycles, want %d", i, got, want)
		}
	}
	if l2, m := f.count("l2"), f.count("memory"); l2.Accesses != 0 || m.Accesses != 3 || m.Written != 64 {
		t.Errorf("l2 %+v, memory %+v", l2, m)
	}
}
