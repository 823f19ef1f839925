package hierarchy

import "testing"

// Misses find free entries up to the first entry that is taken: in the slice that has least, and none where other units share the cache.
func TestFreeMSHRs(t *testing.T) {
	f := newTiny(t, func(s *Spec) { s.VectorL1.Misses = 3 })
	c := f.front(request(0, Read))
	if got := c.freeMSHRs(0); got != 3 {
		t.Errorf("empty: %d misses find entries, want 3", got)
	}
	f.Access(0, request(0, Read, 0, 64))
	if got := c.freeMSHRs(0); got != 1 {
		t.Errorf("two misses under way: %d, want 1", got)
	}
	if got := c.freeMSHRs(10000); got != 3 {
		t.Errorf("when they are done: %d, want 3", got)
	}
	for name, edit := range map[string]func(*Spec){
		"no limit": func(*Spec) {}, "shared": func(s *Spec) { s.VectorL1.Misses, s.VectorL1.SharedBy = 3, 2 },
	} {
		want := map[string]int{"no limit": anyNumber}[name]
		if got := newTiny(t, edit).front(request(0, Read)).freeMSHRs(0); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}
