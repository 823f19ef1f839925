package hierarchy

import "testing"

// Barriers write back the levels that they name, and wait for what these have to write; dropped lines that were dirty count as written back.
func TestReleasesOfLevels(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  uint64
	}{{nil, 5000}, {[]string{}, 5000}, {[]string{"l2"}, 6000}, {[]string{"vector_l1"}, 5000}, {[]string{"vector_l1", "l2"}, 6000}, {[]string{"l2", "scalar_l1"}, 6000}} {
		f := newTiny(t, func(s *Spec) { s.L2.SharedBy, s.L2.ReleaseAtEnd = 2, true })
		f.Access(2000, request(0, Write, 4096))
		if got := f.ReleaseLevels(5000, c.names); got != c.want {
			t.Errorf("%q: done in cycle %d, want %d", c.names, got, c.want)
		}
	}
	f := newTiny(t, nil)
	f.Access(0, request(0, Write, 4096, 4096+64, 8192+128))
	f.Access(2000, request(0, Read, 4096+192))
	if err := f.Flush("l2"); err != nil || f.count("l2").Writebacks != 3 {
		t.Errorf("%d lines are written back, %v: want the 3 that are dirty", f.count("l2").Writebacks, err)
	}
	if f.Access(9000, request(0, Write, 4096)); f.Flush("l2") != nil || f.count("l2").Writebacks != 4 {
		t.Errorf("%d lines are written back, want one more", f.count("l2").Writebacks)
	}
}
