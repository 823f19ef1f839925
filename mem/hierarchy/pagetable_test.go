package hierarchy

import "testing"

// No two pages share a frame, and none leaves memory, whatever its size.
func TestEachPageHasAFrame(t *testing.T) {
	for _, pages := range []int{1, 2, 5, 64, 100, 1 << 13} {
		f := newPageTable(&MemorySpec{Bytes: pages << 12, PageBytes: 1 << 12})
		seen := make(map[uint64]uint64)
		for page := range uint64(f.mask + 1) {
			at := f.physical(page<<12 | page&0xfff)
			if at&0xfff != page&0xfff || at>>12 > f.mask {
				t.Fatalf("%d pages: page %d lies at %#x", pages, page, at)
			}
			if other, ok := seen[at>>12]; ok {
				t.Fatalf("%d pages: pages %d and %d lie at %#x", pages, page, other, at)
			}
			seen[at>>12] = page
		}
	}
}

// Addresses beyond memory's size keep the bits beyond it, so that they stay apart from those within.
func TestFramesBeyondMemory(t *testing.T) {
	f := newPageTable(&MemorySpec{Bytes: 1 << 20, PageBytes: 1 << 12})
	for _, addr := range []uint64{0, 0x12345, 0xfffff} {
		if got, want := f.physical(addr+5<<20), f.physical(addr)+5<<20; got != want {
			t.Errorf("%#x lies at %#x, want %#x", addr+5<<20, got, want)
		}
	}
	if newPageTable(&MemorySpec{Bytes: 1 << 20}).physical(0x12345) != 0x12345 {
		t.Error("without pages an address is not where it was")
	}
}

// As many pages as a cache of one way has: laid out in a row they have a set each; at random, those that share
// sets drive each other out, and the others stay. What lies where is counted here by the pages' frames alone.
func TestPagesShareSets(t *testing.T) {
	const pages, lines = 16, 4096 / 64
	f := newTiny(t, func(s *Spec) {
		s.MemorySide = CacheSpec{Bytes: pages << 12, LineBytes: 64, Ways: 1, Slices: 1, LatencyCycles: 10, BytesPerCycle: 64, Write: WriteBack, WriteAllocate: true}
		s.Memory.PageBytes = 4096
	})
	alone := make(map[uint64]int)
	frames := newPageTable(&f.spec.Memory)
	for page := range uint64(pages) {
		alone[frames.physical(page<<12)>>12%pages]++
	}
	var stay uint64
	for _, n := range alone {
		if n == 1 {
			stay += lines
		}
	}
	if stay == 0 || stay == pages*lines {
		t.Fatalf("%d of %d lines stay: the pages' frames show nothing", stay, pages*lines)
	}
	var now, before uint64
	for range 2 {
		before = f.count("memory_side").Hits
		for addr := uint64(0); addr < pages<<12; addr += 64 {
			now = f.Access(now+1000, request(0, Read, addr)).ReadyAt
		}
	}
	if got := f.count("memory_side").Hits - before; got != stay {
		t.Errorf("%d hits, want %d", got, stay)
	}
}

// Whichever way a line comes to the cache in front of memory, with time or without, past the L2 or out of it, others find it there.
func TestEveryWayToAFrame(t *testing.T) {
	past := func(cu int, kind Kind, addr uint64) *Request {
		r := request(cu, kind, addr)
		r.Coherent = true
		return r
	}
	const addr = 5 * 4096
	ways := map[string]func(f *Analytic){
		"read":                  func(f *Analytic) { f.Access(0, request(0, Read, addr)) },
		"written and released":  func(f *Analytic) { f.Access(0, request(0, Write, addr)); f.Release(5000) },
		"written past the L2":   func(f *Analytic) { f.Access(0, past(0, Write, addr)) },
		"read past the L2":      func(f *Analytic) { f.Access(0, past(0, Read, addr)) },
		"updated":               func(f *Analytic) { f.Access(0, request(0, Atomic, addr)) },
		"read, no time":         func(f *Analytic) { f.Warm(request(0, Read, addr)) },
		"past the L2, no time":  func(f *Analytic) { f.Warm(past(0, Read, addr)) },
		"acquired, no time":     func(f *Analytic) { f.Warm(request(0, Write, addr)); f.KernelBoundary() },
		"read by a scalar unit": func(f *Analytic) { r := request(0, Read, addr); r.Scalar = true; f.Access(0, r) },
	}
	for name, bring := range ways {
		f := newTiny(t, func(s *Spec) {
			s.L2.SharedBy, s.L2.ReleaseAtEnd, s.L2.AcquireAtStart = 2, true, true
			s.MemorySide = CacheSpec{Bytes: 16 << 12, LineBytes: 64, Ways: 1, Slices: 1, LatencyCycles: 10, BytesPerCycle: 64, Write: WriteBack, WriteAllocate: true}
			s.Memory.PageBytes = 4096
		})
		bring(f)
		for kind, r := range map[string]*Request{"plain": request(2, Read, addr), "coherent": past(3, Read, addr)} {
			before := f.count("memory_side").Misses
			f.Access(20000, r)
			if got := f.count("memory_side").Misses - before; got != 0 {
				t.Errorf("%s: a %s read misses", name, kind)
			}
		}
	}
}
