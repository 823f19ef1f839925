package hierarchy

import (
	"math/rand"
	"testing"
)

// Two lines that a cache asks for, or sends, at once: the second waits for the link in its direction, or, without one, for the channel.
func TestLinkBetweenLevels(t *testing.T) {
	const other = 0.5 // bytes a cycle of the other direction, which delays nothing
	for _, c := range []struct {
		kind        Kind
		read, write float64
		want        uint64
	}{
		{Read, 0, 0, 1 + 1110 + 3}, {Read, 8, other, 1 + 1110 + 7}, {Read, 2, other, 1 + 1110 + 31},
		{Write, 0, 0, 1 + 110}, {Write, other, 8, 1 + 110 + 7}, {Write, other, 2, 1 + 110 + 31},
		{Atomic, other, 8, 1 + 1110 + 7},
	} {
		f := newTiny(t, func(s *Spec) { s.VectorL1.LinkRead, s.VectorL1.LinkWrite = c.read, c.write })
		if got := f.Access(0, request(0, c.kind, 4096, 8192)).ReadyAt; got != c.want {
			t.Errorf("kind %d, links of %v and %v bytes a cycle: ready %d, want %d", c.kind, c.read, c.write, got, c.want)
		}
	}
}

// Four lines a stride of all sets apart share a set of two ways, unless its index is hashed.
func TestHashedSets(t *testing.T) {
	addrs := []uint64{4096, 4608, 5120, 5632}
	for hashed, want := range map[bool]uint64{false: 0, true: 4} {
		f := newTiny(t, func(s *Spec) { s.L2.HashSets = hashed })
		f.Access(0, request(0, Read, addrs...))
		before := f.count("l2").Hits
		f.Access(9000, request(3, Read, addrs...))
		if got := f.count("l2").Hits - before; got != want {
			t.Errorf("hashed %v: %d hits, want %d", hashed, got, want)
		}
	}
}

func TestHashedAddressesComeBack(t *testing.T) {
	f := newTiny(t, func(s *Spec) {
		s.L2.HashSets, s.L2.Slices, s.L2.Bytes, s.L2.InterleaveBytes = true, 4, 1<<16, 256
	})
	f.Access(0, request(0, Read, 4096))
	l2 := f.vector[0].next
	random := rand.New(rand.NewSource(1))
	for range 1000 {
		addr := uint64(random.Int63n(1<<36)) &^ 63
		p := l2.locate(addr)
		if got := l2.address(p, p.tag); got != addr {
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
		f := newTiny(t, func(s *Spec) { s.L2.SharedBy, s.L2.ReleaseAtEnd = 2, released })
		f.Access(0, request(2, Read, 4096))
		f.Access(2000, request(0, Write, 4096))
		if got := f.Release(5000); got != want.done {
			t.Errorf("released %v: done in cycle %d, want %d", released, got, want.done)
		}
		f.KernelBoundary()
		if got := f.Access(9000, request(2, Read, 4096)).ReadyAt; got != want.other {
			t.Errorf("released %v: the other engine reads at %d, want %d", released, got, want.other)
		}
		if got := f.Access(12000, request(0, Read, 4096)).ReadyAt; got != 12110 {
			t.Errorf("released %v: the writer reads at %d, want its L2 hit at 12110", released, got)
		}
		if got := f.Release(20000); got != 20000 {
			t.Errorf("a second release is done in cycle %d: want nothing left to write", got)
		}
	}
}

// A line that stores write whole goes to memory at once, with time or without, and stays: a release finds nothing, and a load hits.
// What is stored of a part of it afterwards is left to the release. Another engine's copy is dropped where no launch begins with that.
func TestEagerStores(t *testing.T) {
	part := &Request{Kind: Write, Busy: 1, Lines: []Line{{Addr: 4096, Bytes: 4, Words: 1}}}
	for name, store := range map[string]func(f *Analytic){
		"with time":    func(f *Analytic) { f.Access(1000, request(0, Write, 4096)) },
		"without time": func(f *Analytic) { f.Warm(request(0, Write, 4096)) },
	} {
		f := newTiny(t, func(s *Spec) { s.L2.SharedBy, s.L2.ReleaseAtEnd, s.L2.Write = 2, true, WriteEager })
		f.Access(0, request(2, Read, 4096))
		store(f)
		if got := f.Release(5000); got != 5000 {
			t.Errorf("%s: a release ends in cycle %d: want nothing left to write", name, got)
		}
		hits := f.count("l2").Hits
		f.Access(6000, request(0, Read, 4096))
		if got := f.count("l2").Hits - hits; got != 1 {
			t.Errorf("%s: %d hits of what was stored, want 1", name, got)
		}
		f.KernelBoundary()
		if got := f.Access(9000, request(2, Read, 4096)).ReadyAt; name == "with time" && got != 9000+1110 {
			t.Errorf("%s: the other engine reads at %d, want its copy dropped", name, got)
		}
		f.Access(12000, part)
		if got := f.Release(15000); got == 15000 {
			t.Errorf("%s: a store of a part of a line is nowhere", name)
		}
	}
}

// Of lines that stores have written whole so many of a set wait, and with one more the least recently used of them goes on, with time or
// without: a release writes those that wait. A line of which a part was stored is none of them.
func TestEagerStoresThatWait(t *testing.T) {
	const stores, setBytes = 7, 512 // lines of one set are so far apart
	for waiting := range 5 {
		for name, store := range map[string]func(f *Analytic, at uint64, r *Request){
			"with time":    func(f *Analytic, at uint64, r *Request) { f.Access(at, r) },
			"without time": func(f *Analytic, _ uint64, r *Request) { f.Warm(r) },
		} {
			f := newTiny(t, func(s *Spec) {
				s.L2.Bytes, s.L2.Ways, s.L2.SharedBy, s.L2.ReleaseAtEnd, s.L2.Write, s.L2.DirtyWays = 4096, 8, 2, true, WriteEager, waiting
			})
			store(f, 0, &Request{Kind: Write, Busy: 1, Lines: []Line{{Addr: 0, Bytes: 4, Words: 1}}})
			for i := range uint64(stores) {
				store(f, 2000*(i+1), request(0, Write, setBytes*(i+1)))
			}
			store(f, 32000, request(0, Write, setBytes*stores)) // which is there already
			before := f.count("memory").Written
			f.Release(40000)
			left := (f.count("memory").Written - before) / 64
			if want := uint64(min(waiting, stores)) + 1; left != want {
				t.Errorf("%s, %d lines may wait: a release writes %d lines, want %d", name, waiting, left, want)
			}
			if before += f.warmedBytes("l2"); waiting > 0 && before != (stores-uint64(waiting))*64 {
				t.Errorf("%s, %d lines may wait: %d bytes have gone on, want %d lines", name, waiting, before, stores-waiting)
			}
		}
	}
}

// warmedBytes is what a level has sent on and fetched without time.
func (f *Analytic) warmedBytes(name string) uint64 {
	for _, l := range f.levels {
		if l.Name == name {
			return l.nextLevelBytes
		}
	}
	return 0
}

// A miss of a sector fetches that alone, with time or without; once both are there the line is as any other.
func TestSectors(t *testing.T) {
	for name, read := range map[string]func(f *Analytic, at, addr uint64){
		"with time":    func(f *Analytic, at, addr uint64) { f.Access(at, request(0, Read, addr)) },
		"without time": func(f *Analytic, _, addr uint64) { f.Warm(request(0, Read, addr)) },
	} {
		f := newTiny(t, func(s *Spec) { s.L2.LineBytes, s.L2.SectorBytes = 128, 64 })
		read(f, 0, 4096)
		for i, step := range []struct {
			addr, misses, bytes uint64 // of the L2, and of memory
		}{{4096, 0, 0}, {4160, 1, 64}, {4096, 0, 0}, {4160, 0, 0}} {
			f.KernelBoundary()
			l2, memory := f.count("l2").Misses, f.count("memory").Bytes
			f.Access(uint64(i+1)*5000, request(0, Read, step.addr))
			if m, b := f.count("l2").Misses-l2, f.count("memory").Bytes-memory; m != step.misses || b != step.bytes {
				t.Errorf("%s, step %d: %d misses and %d bytes of memory, want %d and %d", name, i, m, b, step.misses, step.bytes)
			}
		}
		f.KernelBoundary()
		f.Access(40000, &Request{Kind: Write, Busy: 1, Lines: []Line{{Addr: 8192, Bytes: 4, Words: 1}}})
		misses := f.count("l2").Misses
		f.Access(45000, request(0, Read, 8192))
		if got := f.count("l2").Misses - misses; got != 1 {
			t.Errorf("%s: %d misses of a sector that a store wrote in part, want 1", name, got)
		}
	}
}

// With one outstanding miss, the second sector of a line comes with the first one, and that of another line after it.
func TestSectorsShareAMiss(t *testing.T) {
	last := func(second uint64) uint64 {
		f := newTiny(t, func(s *Spec) { s.L2.LineBytes, s.L2.SectorBytes, s.L2.Misses = 128, 64, 1 })
		return f.Access(0, request(0, Read, 4096, second)).ReadyAt
	}
	if same, other := last(4096+64), last(4096+128); same > 1200 || other < same+900 {
		t.Errorf("the second sector is there in cycle %d, one of another line in %d: want both misses of the line at a time", same, other)
	}
}
