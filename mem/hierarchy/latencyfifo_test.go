package hierarchy

import (
	"math/rand"
	"slices"
	"testing"

	"spvsim/mem/fixed"
)

// newInOrder is a machine whose loads have so many entries.
func newInOrder(t *testing.T, entries int) *Analytic {
	t.Helper()
	return newTiny(t, func(s *Spec) { s.VectorMemory.LatencyFIFO = entries })
}

// A hit behind a miss returns with it, not before; stores, scalar loads and what another unit loads do not wait for it.
func TestHitsReturnAfterTheMissesBeforeThem(t *testing.T) {
	f, plain := newInOrder(t, 8), newTiny(t, nil)
	last := uint64(0)
	for i, step := range []struct {
		now  uint64
		r    *Request
		with bool // the load before
	}{
		{0, request(0, Read, 0), false},
		{0, request(1, Read, 0), false},
		{5000, request(0, Read, 4096), false}, // a miss
		{5001, request(0, Read, 0), true},     // a hit
		{5002, request(0, Write, 64), false},
		{5003, scalar(request(0, Read, 0)), false},
		{5004, request(1, Read, 0), false},
		{5005, &Request{CU: 0, Busy: 1}, false}, // no line
		{9000, request(0, Read, 0), false},
	} {
		got, want := *f.Access(step.now, step.r), *plain.Access(step.now, step.r)
		if step.with {
			want.ReadyAt = last
		}
		if got != want {
			t.Errorf("access %d: %+v, want %+v", i, got, want)
		}
		last = got.ReadyAt
	}
}

// Two loads of two lines hold all four entries. Of the third one's three lines two come when the first load has returned, the last when the
// second one has, and the address path is held so long.
func TestALoadWaitsForEntries(t *testing.T) {
	f := newInOrder(t, 4)
	first := f.Access(0, request(0, Read, 0, 4096)).ReadyAt
	second := f.Access(2, request(0, Read, 8192, 12288)).ReadyAt
	before := f.count("vector_l1").QueueFullCycles
	reply := f.Access(4, request(0, Read, 16384, 20480, 24576))
	want := []uint64{first - 4, first - 5, second - 6}
	if !slices.Equal(f.fifos.delays, want) {
		t.Errorf("lines wait %v cycles, want %v", f.fifos.delays, want)
	}
	if busy := second - 4; reply.UnitFreeAt != second || reply.StallCycles != busy-3 {
		t.Errorf("the address path is taken for %d cycles, %d of them held: want %d and %d", reply.UnitFreeAt-4, reply.StallCycles, busy, busy-3)
	}
	if got, want := f.count("vector_l1").QueueFullCycles-before, first-4+first-5+second-6; got != want {
		t.Errorf("lines wait %d cycles, want %d", got, want)
	}
}

// A load that needs more entries than there are comes when all others have returned.
func TestALoadLargerThanTheFIFO(t *testing.T) {
	f := newInOrder(t, 2)
	before := f.Access(0, request(0, Read, 0)).ReadyAt
	f.Access(1, request(0, Read, 4096, 8192, 12288, 16384))
	if got, want := f.fifos.delays[3], before-4; got != want {
		t.Errorf("the last line waits %d cycles, want %d", got, want)
	}
}

// A line waits for its translation and for its entry at the same time.
func TestTranslationsAndEntriesOverlap(t *testing.T) {
	f := newWalking(t, 0, 100, func(s *Spec) { s.VectorMemory.LatencyFIFO = 1 })
	first := f.Access(0, asking(0, 0)).ReadyAt
	f.Access(first-200, asking(0, 8192))
	if got := f.fifos.delays[0]; got != 200 {
		t.Errorf("a line waits %d cycles, want 200", got)
	}
	second := f.fifos.units[0].last
	f.Access(second-50, asking(0, 16384))
	if got := f.fifos.delays[0]; got != 107 {
		t.Errorf("a line waits %d cycles, want 107", got)
	}
}

// A span in which a load holds an entry.
type heldEntry struct{ from, until uint64 }

// Loads at random are booked as one counts entry by entry: a line comes in the first cycle in which those before it have left it enough
// of them, returns are in order, and at no time are more entries held than there are.
func TestEntriesOfRandomLoads(t *testing.T) {
	for seed := range int64(20) {
		rnd := rand.New(rand.NewSource(seed))
		n := 1 + rnd.Intn(24)
		f, now, last := newInOrder(t, n), uint64(0), uint64(0)
		var all []heldEntry
		for range 200 {
			r := request(0, Read)
			for range 1 + rnd.Intn(6) {
				r.Lines = append(r.Lines, Line{Addr: uint64(rnd.Intn(32)) * 64, Bytes: 64})
			}
			r.Busy = uint64(len(r.Lines) + rnd.Intn(8))
			reply := f.Access(now, r)
			until := max(reply.ReadyAt, last)
			if reply.ReadyAt < last {
				t.Fatalf("seed %d: a load returns in cycle %d, the one before it in %d", seed, reply.ReadyAt, last)
			}
			all, last = append(all, entriesOf(t, f, r, now, uint64(n), all, until)...), until
			now = reply.UnitFreeAt
		}
		for _, e := range all {
			if held := countHeld(all, e.from); held > n {
				t.Fatalf("seed %d: %d of %d entries are held in cycle %d", seed, held, n, e.from)
			}
		}
	}
}

// entriesOf are those of a load, which come as each of its lines does.
func entriesOf(t *testing.T, f *Analytic, r *Request, now, n uint64, before []heldEntry, until uint64) (list []heldEntry) {
	t.Helper()
	need, lines := min(r.Busy, n), uint64(len(r.Lines))
	step := r.Busy << fixed.Shift / lines
	at := now<<fixed.Shift + max(step, 1<<fixed.Shift) - 1<<fixed.Shift
	for i, delay := range f.fifos.delays {
		cycle := (at + uint64(i)*step) >> fixed.Shift
		share := (need*uint64(i+1) + lines - 1) / lines
		want := cycle
		for countHeld(before, want)+int(share) > int(n) {
			want++
		}
		if cycle+delay != want {
			t.Fatalf("a line of cycle %d comes in cycle %d, want %d", cycle, cycle+delay, want)
		}
		for uint64(len(list)) < share {
			list = append(list, heldEntry{want, until})
		}
	}
	return list
}

func countHeld(list []heldEntry, cycle uint64) (n int) {
	for _, e := range list {
		if e.from <= cycle && cycle < e.until {
			n++
		}
	}
	return n
}
