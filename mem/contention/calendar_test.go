package contention

import (
	"math/rand/v2"
	"slices"
	"testing"

	"spvsim/mem/fixed"
)

// A timetable serves what comes in order one after the other, to the cycle; what comes earlier than others that are booked takes
// the time that these have left.
func TestTimetable(t *testing.T) {
	var table Calendar
	for i, c := range []struct{ at, cost, want uint64 }{
		{100, 4, 100}, {100, 4, 104}, {101, 1, 108}, {200, 4, 200}, {2000, 4, 2000}, {2001, 4, 2004}, {208, 4, 208}, {300, 2, 300}, {2001, 4, 2008},
	} {
		if got := c.at + table.Book(c.at, c.cost<<fixed.Shift); got != c.want {
			t.Errorf("request %d, of cycle %d for %d cycles, has its turn in cycle %d, want %d", i, c.at, c.cost, got, c.want)
		}
	}
}

// What comes at once is served without a pause, over however many intervals; and so is what comes in turns from late and early,
// which leave idle time in all intervals at first.
func TestTimetablesLeaveNoTimeIdle(t *testing.T) {
	const n, cost = 5 * intervals, 10
	var once, turns Calendar
	for i := range uint64(n) {
		if wait := once.Book(0, cost<<fixed.Shift); wait != i*cost {
			t.Fatalf("request %d of those that come at once waits for %d cycles, want %d", i, wait, i*cost)
		}
		from := i / 8 * 8 * cost
		if i%2 == 0 {
			from += 8 * cost // the later half of what an interval of 64 cycles and a little more can do
		}
		if wait := turns.Book(from, cost<<fixed.Shift); wait > 16*cost {
			t.Fatalf("request %d of those in turns waits for %d cycles, want at most %d", i, wait, 16*cost)
		}
	}
}

// A booking takes the same time whether it is seen at once where it goes, or looked for.
func TestBookingsAreThoseLookedFor(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 7))
		var quick, slow Calendar
		now, most := uint64(0), uint64(1)<<(17+seed%4)
		for n := range 3000 {
			at, cost := now+r.Uint64N(120), 1+r.Uint64N(most)
			want := (slow.reserveFrom(at<<fixed.Shift, cost) - cost - at<<fixed.Shift) >> fixed.Shift
			if got := quick.Book(at, cost); got != want {
				t.Fatalf("seed %d: booking %d waits %d cycles, want %d", seed, n, got, want)
			}
			now += r.Uint64N(most>>fixed.Shift + 1)
		}
	}
}

// Requests in any order: none has its turn before it comes, no more is done by any cycle than there is time for, and what all
// take together is done when it could be, but for idle time in intervals that is not the longest there.
func TestTimetableKeepsItsRate(t *testing.T) {
	for _, cost := range []uint64{1 << fixed.Shift / 3, 1 << fixed.Shift, 5 << fixed.Shift, 64 << fixed.Shift} {
		r := rand.New(rand.NewPCG(1, 2))
		var table Calendar
		const n = 3000
		ends := make([]uint64, 0, n)
		for i := range uint64(n) {
			at := (i*cost)>>fixed.Shift + r.Uint64N(8*minSlotCycles+4*cost>>fixed.Shift)
			ends = append(ends, (at+table.Book(at, cost))<<fixed.Shift+cost)
		}
		slices.Sort(ends)
		for i, end := range ends {
			if done := uint64(i+1) * cost; done > end+2*cost+1<<fixed.Shift {
				t.Fatalf("cost %d: %d of them done by %d", cost, i+1, end)
			}
		}
		if last := ends[n-1]; last > n*cost*103/100+(8*minSlotCycles<<fixed.Shift)+8*cost {
			t.Errorf("cost %d: all are done by %d, want %d and little more", cost, last, n*cost)
		}
	}
}
