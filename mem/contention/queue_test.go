package contention

import (
	"math/rand/v2"
	"testing"

	"spvsim/mem/dram"
)

// visit is a request that arrives at a queue in a cycle and holds its entry for so long; it returns when that begins.
func visit(q *Queue, at, hold uint64) uint64 {
	var full uint64
	from := at + q.Acquire(at, 0, &full)
	if full != from-at {
		panic("what a request waits is not what it counts")
	}
	q.HoldUntil(from + hold)
	return from
}

// A queue of n entries takes n requests at once, and the next one when the first has left.
func TestQueue(t *testing.T) {
	q := NewQueue(2, new(uint64))
	for i, want := range []uint64{0, 0, 10, 10, 20} {
		if got := visit(&q, 0, 10); got != want {
			t.Errorf("request %d enters in cycle %d, want %d", i, got, want)
		}
	}
	if none := NewQueue(0, nil); visit(&none, 5, 10) != 5 || none.FreeEntries(0, 7) != 7 {
		t.Errorf("a queue without a limit is full")
	}
	for now, want := range map[uint64]int{9: 0, 19: 0, 20: 1, 29: 1, 30: 2, 100: 2} {
		if got := q.FreeEntries(now, 9); got != want {
			t.Errorf("in cycle %d there is space for %d, want %d", now, got, want)
		}
	}
}

// What is booked for a later cycle holds nothing before: those that arrive earlier take entries as if it were not there, and those
// that arrive with it or after it wait for it.
func TestQueueGoesByArrival(t *testing.T) {
	q := NewQueue(2, new(uint64))
	for i, c := range []struct{ at, hold, want uint64 }{
		{1000, 100, 1000}, {1000, 100, 1000}, {1000, 100, 1100}, // they have waited elsewhere
		{10, 50, 10}, {20, 50, 20}, {30, 20, 60}, {40, 20, 70}, // they have not
		{90, 10, 90}, {1050, 10, 1100}, {1050, 10, 1110}, {500, 10, 500}, {1150, 10, 1150},
	} {
		if got := visit(&q, c.at, c.hold); got != c.want {
			t.Errorf("request %d, of cycle %d, has an entry in cycle %d, want %d", i, c.at, got, c.want)
		}
	}
}

// reference is when a request that arrives in a cycle has an entry by the rule alone: when fewer than all are held.
func reference(all []dram.Span, entries int, at uint64) uint64 {
	for {
		held, next := 0, uint64(1<<62)
		for _, s := range all {
			if s.Has(at) {
				held++
				next = min(next, s.Until)
			}
		}
		if held < entries {
			return at
		}
		at = next
	}
}

// Requests of any order of arrival have their entries when the rule says, whatever has been forgotten, in queues of few entries and of many,
// also where nothing comes for as long as times can tell apart; and all together hold them for no longer than so many entries can be held, but for a
// tenth: those that come before others that are booked take no time from these.
func TestQueueAgainstItsRule(t *testing.T) {
	for seed := range uint64(90) {
		r := rand.New(rand.NewPCG(seed, 11))
		entries, spread, hold := 1+r.IntN(20), 1+r.Uint64N(3000), 1+r.Uint64N(200)
		if seed%3 == 2 {
			entries, hold = 20+r.IntN(300), 50+r.Uint64N(3000)
		}
		now, all, held, end, idle := uint64(0), []dram.Span(nil), uint64(0), uint64(0), uint64(0)
		q := NewQueue(entries, &now)
		for n := range 2000 {
			if now += r.Uint64N(1 + 4*hold/uint64(entries)); n%700 == 699 {
				now, all = end+1<<(10*(seed%5)), all[:0]
				idle += now - end
			}
			at := now + r.Uint64N(spread)
			want, last := reference(all, entries, at), 1+r.Uint64N(2*hold)
			if q.IsFull(at) != (want > at) {
				t.Fatalf("seed %d: in cycle %d of request %d the queue is full: %t, want an entry in cycle %d", seed, at, n, q.IsFull(at), want)
			}
			if got := visit(&q, at, last); got != want {
				t.Fatalf("seed %d: request %d, of cycle %d, has an entry in cycle %d, want %d", seed, n, at, got, want)
			}
			all, held, end = append(all, dram.Span{From: want, Until: want + last}), held+last, max(end, want+last)
		}
		if most := float64(entries) * float64(end-idle); float64(held) > 1.1*most {
			t.Errorf("seed %d: entries were held for %d cycles, of %g", seed, held, most)
		}
	}
}

// Requests that hold their entries for as long as times can tell apart, and longer, keep those out that come before, and not those that come after.
func TestQueueOfLongWaits(t *testing.T) {
	now := uint64(1 << 40)
	q := NewQueue(2, &now)
	for i, c := range []struct{ at, hold, want uint64 }{
		{now, 1 << 31, now}, {now, maxTime, now}, {now + 5, 1 << 31, now + 1<<31}, {now + maxTime + 9, 1, now + maxTime + 9},
		{now + 1<<34, 1 << 34, now + 1<<34}, {now + 6, 5, now + 1<<32 - 1},
	} {
		if got := visit(&q, c.at, c.hold); got != c.want {
			t.Errorf("request %d, of cycle %d, has an entry in cycle %d, want %d", i, c.at, got, c.want)
		}
	}
}
