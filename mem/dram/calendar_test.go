package dram

import (
	"math/rand/v2"
	"testing"
)

// A bookedSlots is a calendar as a set: which slots are taken, up to the last one that was ever taken.
type bookedSlots struct {
	taken map[uint64]bool
	base  uint64
}

func (b *bookedSlots) is(slot uint64) bool { return slot < b.base || b.taken[slot] }

// next is the first slot from one on that is taken, or is not.
func (b *bookedSlots) next(slot uint64, taken bool) uint64 {
	for ; slot < b.base+calendarSlots; slot++ {
		if b.is(slot) == taken {
			return slot
		}
	}
	return slot
}

func (b *bookedSlots) take(slot uint64) {
	if slot/64 >= b.base/64+calendarWords {
		b.base = (slot/64 - calendarWords + 1) * 64
	}
	b.taken[slot] = true
}

// run is the first slot from one on with n free ones.
func (b *bookedSlots) run(slot, n uint64) uint64 {
	for start := slot; ; start++ {
		k := uint64(0)
		for k < n && !b.is(start+k) {
			k++
		}
		if k == n {
			return start
		}
	}
}

// A calendar says of each slot what a set of those that were taken says, whatever is taken and given back in whatever order.
func TestCalendarIsASetOfSlots(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 3))
		c, want := &calendar{}, &bookedSlots{taken: map[uint64]bool{}}
		for step := range 300 {
			// Around the beginning, the end and in between, and sometimes far beyond.
			slot := want.base + [...]uint64{r.Uint64N(130), calendarSlots - 70 + r.Uint64N(140), r.Uint64N(calendarSlots), r.Uint64N(3 * calendarSlots)}[r.IntN(4)]
			if got, want := c.isBooked(slot), want.is(slot); got != want {
				t.Fatalf("seed %d, step %d: slot %d is taken: %t, want %t", seed, step, slot, got, want)
			}
			if got, want := c.free(slot), want.next(slot, false); got != want {
				t.Fatalf("seed %d, step %d: the first free one from %d on is %d, want %d", seed, step, slot, got, want)
			}
			booked := want.next(slot, true)
			if got := c.nextBooked(slot); slot >= c.base && got != booked && (got < 1<<60 || booked < c.base+calendarSlots) {
				t.Fatalf("seed %d, step %d: the first taken one from %d on is %d, want %d", seed, step, slot, got, booked)
			}
			n := 1 + r.Uint64N(100)
			if got, want := c.freeRun(slot, n), want.run(slot, n); got != want {
				t.Fatalf("seed %d, step %d: %d free ones from %d on begin at %d, want %d", seed, step, n, slot, got, want)
			}
			change(r, c, want, slot)
		}
	}
}

// change takes slots of both, or takes some and gives a part of them back.
func change(r *rand.Rand, c *calendar, want *bookedSlots, slot uint64) {
	if slot < c.base+calendarSlots || r.IntN(8) == 0 {
		if slot = c.free(slot); r.IntN(3) > 0 {
			for range 1 + r.Uint64N(80) {
				c.book(slot)
				want.take(slot)
				slot++
			}
			return
		}
	}
	if slot >= c.base+calendarSlots-64 {
		return
	}
	mask := c.reserve(slot, 40)
	kept := mask & r.Uint64()
	c.release(slot, mask&^kept)
	for i := range uint64(64) {
		if kept>>i&1 != 0 {
			want.take(slot + i)
		}
	}
}

// A burst of a group fits where no slot of it is taken at less than the distance: looked at all at once as one by one, at any place.
func TestGroupsFitAsOneByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 8))
	for apart := range uint64(40) {
		g := group{minDistance: apart}
		for slot := uint64(0); slot < 3*calendarSlots; slot += r.Uint64N(4 * (1 + apart)) {
			for at := slot - min(slot, 100); at < slot+100; at++ {
				want := at
				for !g.fitsSlow(want) {
					want++
				}
				if got := g.next(at); got > want || got < at || (got == at) != (want == at) {
					t.Fatalf("%d apart: from slot %d on a burst fits %d, want %d", apart, at, got, want)
				}
			}
			g.book(slot)
		}
	}
}

// A request joins one of the last rows of its bank that were closed for another, while it came before that and both were in the queue.
func TestRequestsJoinRowsThatWereOpen(t *testing.T) {
	forAll(t, func(t *testing.T, c *Config) {
		ch := &New(c).channels[0]
		b := &ch.banks[0]
		const rows = 7
		for row := range uint64(rows + 1) {
			ch.change(row*1_000_000, b, &ch.activated[0], row)
			ch.seen += 3
		}
		for row := range uint64(rows + 1) {
			p := ch.findPastRow(0, b, row)
			if want := row < rows && row+pastRows >= rows; (p != nil) != want || p != nil && p.row != row {
				t.Errorf("row %d: %+v, want one: %t", row, p, want)
			}
			if p != nil && (ch.findPastRow(p.closed, b, row) != nil || ch.findPastRow(p.closed-1, b, row) != p || p.activatedAt >= p.closed) {
				t.Errorf("row %d was open from %d to %d: what comes then joins it, or what comes before does not", row, p.activatedAt, p.closed)
			}
		}
		p := ch.findPastRow(0, b, rows-1)
		for ch.seen = p.seen + uint64(c.Queue) - 1; ch.seen < p.seen+uint64(c.Queue)+1; ch.seen++ {
			if got, want := ch.findPastRow(0, b, rows-1) != nil, ch.seen-p.seen < uint64(c.Queue); got != want {
				t.Errorf("%d requests later: %t, want %t", ch.seen-p.seen, got, want)
			}
		}
	})
}

// The first slot that fits a burst of a group and is free is the one that a search slot by slot finds.
func TestFirstFitIsThatOfSingleSlots(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 3))
	for apart := range uint64(20) {
		g, c := group{minDistance: apart}, calendar{}
		for slot := uint64(0); slot < 3*calendarSlots; slot += r.Uint64N(4 + 2*apart) {
			at := slot - min(slot, r.Uint64N(200))
			want := at
			for c.isBooked(want) || !g.fitsSlow(want) {
				want++
			}
			if got := g.firstFit(&c, at); got != want {
				t.Fatalf("%d apart: the first slot from %d on is %d, want %d", apart, at, got, want)
			}
			g.book(want)
			c.book(want)
			c.book(slot)
		}
	}
}

// Where three bursts of a group are further apart than twice two are, the first slot is the one that a search slot by slot finds.
func TestFirstFitOfPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(46, 1))
	for d := uint64(1); d < 9; d++ {
		g, c, bursts := group{minDistance: d, pairDistance: 2*d + 1}, calendar{}, map[uint64]bool{}
		fits := func(slot uint64) bool {
			n := uint64(0) // bursts that are less than two of them apart, this one too
			for from := slot - min(slot, 2*d); from <= slot; from++ {
				n = 0
				for at := from; at <= from+2*d; at++ {
					if at >= g.base && bursts[at] {
						n++
					}
				}
				if n > 1 {
					return false
				}
			}
			for at := slot - min(slot, d-1); at < slot+d; at++ {
				if at >= g.base && bursts[at] {
					return false
				}
			}
			return true
		}
		for slot := uint64(0); slot < 3*calendarSlots; slot += r.Uint64N(4 + 2*d) {
			at := slot - min(slot, r.Uint64N(200))
			want := max(at, g.base)
			for c.isBooked(want) || !fits(want) {
				want++
			}
			if got := g.firstFit(&c, at); got != want {
				t.Fatalf("%d apart: the first slot from %d on is %d, want %d", d, at, got, want)
			}
			bursts[want] = true
			g.book(want)
			c.book(want)
			c.book(slot)
		}
	}
}
