package hierarchy

import (
	"math/rand"
	"slices"
	"testing"

	"spvsim/mem/fixed"
)

// newWalking is a machine whose second level keeps four translations of 8 KB and answers after 7 cycles.
func newWalking(t *testing.T, walkers, walk int, edit func(*Spec)) *Analytic {
	t.Helper()
	return newTiny(t, func(s *Spec) {
		s.Translation = TranslationSpec{Entries: 4, Ways: 4, PageBytes: 8192, LatencyCycles: 7, Walkers: walkers, WalkCycles: walk}
		if edit != nil {
			edit(s)
		}
	})
}

// asking is a read of lines whose translations the compute unit does not keep.
func asking(cu int, addrs ...uint64) *Request {
	r := request(cu, Read, addrs...)
	for i := range addrs {
		r.Missed = append(r.Missed, int32(i))
	}
	return r
}

// A line waits for the second level's answer, for a walk where that does not keep the translation, and for the rest of a walk that is
// under way, whoever asked for it; then it takes what it takes without translation.
func TestALineWaitsForItsTranslation(t *testing.T) {
	f := newWalking(t, 0, 100, nil)
	plain := newTiny(t, nil)
	for i, step := range []struct {
		now  uint64
		r    *Request
		wait uint64
	}{
		{0, asking(0, 0), 7 + 100},                // a walk
		{40, request(0, Read, 64), 67},            // the unit has asked for this range, and waits for the rest
		{50, asking(1, 4096), 57},                 // another unit asks for its page: the same walk
		{2000, request(0, Read, 128), 0},          // the unit keeps it
		{4000, asking(1, 192), 7},                 // the second level does
		{6000, asking(1, 8192), 7 + 100},          // another page
		{8000, &Request{CU: 0, Busy: 1}, 0},       // nothing
		{8100, scalar(request(0, Read, 8192)), 0}, // scalar loads ask for none
	} {
		if got, want := f.Access(step.now, step.r).ReadyAt, plain.Access(step.now, step.r).ReadyAt+step.wait; got != want {
			t.Errorf("access %d is ready in cycle %d, want %d", i, got, want)
		}
	}
	if got, want := f.count("translation"), (Counter{Level: "translation", Accesses: 4, Hits: 2, InFlight: 1, Misses: 2}); got != want {
		t.Errorf("counted %+v, want %+v", got, want)
	}
}

func scalar(r *Request) *Request {
	r.Scalar = true
	return r
}

// Four lines, one a cycle, miss in the second level, which has two walkers: the third line waits for the first one's walk to end, the
// fourth for the second one's, and the address path is held for as long as the last of them.
func TestTwoWalkersAndFourMisses(t *testing.T) {
	f := newWalking(t, 2, 100, nil)
	r := asking(0, 0, 8192, 16384, 24576)
	reply := f.Access(0, r)
	want := []uint64{7 + 100, 7 + 100, 7 + 200 - 2, 7 + 200 - 2}
	if !slices.Equal(f.l2TLB.delays, want) {
		t.Errorf("lines wait %v cycles, want %v", f.l2TLB.delays, want)
	}
	if busy := uint64(3 + 98); reply.UnitFreeAt != busy || reply.StallCycles != busy-4 {
		t.Errorf("the address path is taken for %d cycles, %d of them held: want %d and %d", reply.UnitFreeAt, reply.StallCycles, busy, busy-4)
	}
	if got, want := f.count("translation"), (Counter{Level: "translation", Accesses: 4, Misses: 4, QueueFullCycles: 98 + 98}); got != want {
		t.Errorf("counted %+v, want %+v", got, want)
	}
}

// The least recently used translation of a set goes.
func TestTheSecondLevelKeepsWhatWasUsedLast(t *testing.T) {
	f := newWalking(t, 0, 100, nil)
	for i, step := range []struct {
		page uint64
		wait uint64
	}{{0, 107}, {1, 107}, {2, 107}, {3, 107}, {0, 7}, {4, 107}, {1, 107}, {0, 7}, {2, 107}} {
		f.Access(uint64(i)*1000, asking(0, step.page*8192))
		if got := f.l2TLB.delays[0]; got != step.wait {
			t.Errorf("access %d waits %d cycles, want %d", i, got, step.wait)
		}
	}
	f.Reset()
	f.Access(1e6, asking(0, 0))
	if got := f.l2TLB.delays[0]; got != 107 {
		t.Errorf("after a reset a translation takes %d cycles, want 107", got)
	}
}

// Compute units share caches of the second level as the machine says: two of an engine, or all.
func TestWhoSharesTheSecondLevel(t *testing.T) {
	for _, c := range []struct {
		by   int
		hits []bool // of units 1, 2 and 3 after unit 0
	}{{0, []bool{true, true, true}}, {1, []bool{false, false, false}}, {2, []bool{true, false, true}}} {
		f := newWalking(t, 0, 100, func(s *Spec) { s.Translation.SharedBy = c.by })
		f.Access(0, asking(0, 0))
		for i, want := range c.hits {
			before := f.count("translation").Hits
			f.Access(uint64(1000*(i+1)), asking(i+1, 0))
			if got := f.count("translation").Hits > before; got != want {
				t.Errorf("shared by %d, unit %d: hit %v", c.by, i+1, got)
			}
		}
	}
}

// What runs without time leaves its translations in the second level, and takes no walker.
func TestWarmTranslations(t *testing.T) {
	f := newWalking(t, 1, 100, nil)
	f.Warm(request(0, Read, 0, 64, 8192))
	f.Warm(scalar(request(0, Read, 16384)))
	f.Access(0, asking(1, 0, 8192, 16384))
	if want := []uint64{7, 7, 107}; !slices.Equal(f.l2TLB.delays, want) {
		t.Errorf("lines wait %v cycles, want %v", f.l2TLB.delays, want)
	}
}

// Random lines of several units: each is asked of the second level as often as its unit does not keep it, what is asked is a hit or a
// walk, walks are as a list of walkers has them, no line waits longer with one more of them, and with all the walkers that can be
// wanted none waits for one.
func TestRandomWalks(t *testing.T) {
	for seed := range int64(20) {
		var before []uint64
		for _, walkers := range []int{1, 2, 3, 0} {
			got, waited := randomWalks(t, seed, walkers)
			for i := range before {
				if got[i] > before[i] {
					t.Fatalf("seed %d: line %d waits %d cycles with %d walkers, %d with one less", seed, i, got[i], walkers, before[i])
				}
			}
			if walkers == 0 && waited != 0 {
				t.Errorf("seed %d: lines waited %d cycles for walkers without a limit", seed, waited)
			}
			before = got
		}
	}
}

func randomWalks(t *testing.T, seed int64, walkers int) (waits []uint64, waited uint64) {
	r := rand.New(rand.NewSource(seed))
	s := tiny()
	s.VectorMemory.TranslationEntries = 4
	s.Translation = TranslationSpec{Entries: 8, Ways: 4, PageBytes: 8192, LatencyCycles: 3, Walkers: walkers, WalkCycles: 50}
	f := NewAnalytic(&s, tinyShape())
	firsts := make([]*L1TLB, 4)
	for i := range firsts {
		firsts[i] = NewL1TLB(&s)
	}
	free, now, asked := make([]uint64, walkers), uint64(0), uint64(0)
	for range 300 {
		q := request(r.Intn(4), Read, uint64(r.Intn(20))*4096+uint64(r.Intn(64))*64)
		firsts[q.CU].Lookup(q.Lines)
		q.Missed = firsts[q.CU].missed
		asked += uint64(len(q.Missed))
		misses := f.count("translation").Misses
		f.Access(now, q)
		if f.count("translation").Misses > misses && walkers > 0 {
			first := slices.Index(free, slices.Min(free))
			free[first] = max(free[first], now+3) + 50
			if got := now + f.l2TLB.delays[0]; got != free[first] {
				t.Fatalf("seed %d, %d walkers: a walk of cycle %d is done in cycle %d, want %d", seed, walkers, now, got, free[first])
			}
		}
		waits = append(waits, append(f.l2TLB.translate(request(q.CU, Read, q.Lines[0].Addr), now<<fixed.Shift, 0), 0)[0])
		now += uint64(r.Intn(40))
	}
	c := f.count("translation")
	if c.Accesses != asked || c.Hits+c.Misses != asked {
		t.Errorf("seed %d: %d translations asked, %d counted, %d hits and %d walks", seed, asked, c.Accesses, c.Hits, c.Misses)
	}
	return waits, c.QueueFullCycles
}

// A page of the second level holds whole ranges of the first, and its sets are of one size.
func TestTranslationSpec(t *testing.T) {
	s := tiny()
	s.Translation = TranslationSpec{Entries: 12, Ways: 8, PageBytes: 4096}
	if ps := s.Translation.Check(); len(ps) != 1 || ps[0].Path != "entries" {
		t.Errorf("12 entries in sets of 8: %v", ps)
	}
	s.Translation.Entries, s.VectorMemory.TranslationBytes = 16, 8192
	if ps := s.Check(); len(ps) != 1 || ps[0].Path != "translation.page_bytes" {
		t.Errorf("pages of 4 KB for ranges of 8 KB: %v", ps)
	}
}
