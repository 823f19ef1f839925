package mem

import (
	"math/rand"
	"testing"
)

// Two lines that a cache asks for at once: the second waits for the link, or, without one, for the channel.
func TestLinkBetweenLevels(t *testing.T) {
	for _, c := range []struct {
		bytes float64
		want  uint64
	}{{0, 1 + 1110 + 3}, {8, 1 + 1110 + 7}, {2, 1 + 1110 + 31}} {
		f := newTiny(t, func(s *HierarchySpec) { s.VectorL1.LinkBytes = c.bytes })
		if got := f.Access(0, request(0, Read, 4096, 8192)).Ready; got != c.want {
			t.Errorf("link of %v bytes a cycle: ready %d, want %d", c.bytes, got, c.want)
		}
	}
}

// Four lines a stride of all sets apart share a set of two ways, unless its index is hashed.
func TestHashedSets(t *testing.T) {
	addrs := []uint64{4096, 4608, 5120, 5632}
	for hashed, want := range map[bool]uint64{false: 0, true: 4} {
		f := newTiny(t, func(s *HierarchySpec) { s.L2.HashSets = hashed })
		f.Access(0, request(0, Read, addrs...))
		before := f.count("l2").Hits
		f.Access(9000, request(3, Read, addrs...))
		if got := f.count("l2").Hits - before; got != want {
			t.Errorf("hashed %v: %d hits, want %d", hashed, got, want)
		}
	}
}

func TestHashedAddressesComeBack(t *testing.T) {
	f := newTiny(t, func(s *HierarchySpec) {
		s.L2.HashSets, s.L2.Slices, s.L2.Bytes, s.L2.InterleaveBytes = true, 4, 1<<16, 256
	})
	f.Access(0, request(0, Read, 4096))
	l2 := f.vector[0].next
	random := rand.New(rand.NewSource(1))
	for range 1000 {
		addr := uint64(random.Int63n(1<<36)) &^ 63
		p := l2.locate(addr)
		if got := l2.address(&p, p.tag); got != addr {
			t.Fatalf("%#x comes back as %#x", addr, got)
		}
	}
}

// A line that one engine has written and another has read: the release writes it to memory and drops the other's copy.
func TestRelease(t *testing.T) {
	for released, want := range map[bool]struct{ done, other uint64 }{
		false: {5000, 9110},
		true:  {5000 + 1000, 9000 + 1110},
	} {
		f := newTiny(t, func(s *HierarchySpec) { s.L2.SharedBy, s.L2.ReleaseAtEnd = 2, released })
		f.Access(0, request(2, Read, 4096))
		f.Access(2000, request(0, Write, 4096))
		if got := f.Release(5000); got != want.done {
			t.Errorf("released %v: done in cycle %d, want %d", released, got, want.done)
		}
		f.KernelBoundary()
		if got := f.Access(9000, request(2, Read, 4096)).Ready; got != want.other {
			t.Errorf("released %v: the other engine reads at %d, want %d", released, got, want.other)
		}
		if got := f.Access(12000, request(0, Read, 4096)).Ready; got != 12110 {
			t.Errorf("released %v: the writer reads at %d, want its L2 hit at 12110", released, got)
		}
		if got := f.Release(20000); got != 20000 {
			t.Errorf("a second release is done in cycle %d: want nothing left to write", got)
		}
	}
}
