package dram

import "slices"

// A write waits in the write queue.
type write struct {
	arrival uint64
	addr    uint64
	bytes   uint32
}

// A queue holds writes: so many at a time. They come in the order in which they are booked, which is not always that in which they
// arrive: one that comes later holds nothing before.
type queue struct {
	entries     int
	list        []write // that wait, in the order in which they arrive
	sentEntries []Span  // of the last ones that were sent, as many as there are entries
	oldest      int     // of those
	sorted      bool    // froms and untils are those of sentEntries
	froms       []uint64
	untils      []uint64
	last        uint64 // when the last of them left
	fullSpan    Span   // a time in which no entry was free
}

// A Span is a time in which an entry of a queue is held, or all are.
type Span struct{ From, Until uint64 }

// Has says that a moment is in it.
func (s Span) Has(at uint64) bool { return s.From <= at && at < s.Until }

func newQueue(entries int) queue { return queue{entries: entries, sentEntries: make([]Span, entries)} }

// admit takes a write in, and returns when it has an entry: when fewer are held than there are.
func (q *queue) admit(w write) uint64 {
	came := w.arrival
	if q.fullSpan.Has(w.arrival) {
		w.arrival, came = q.fullSpan.Until, q.fullSpan.From
	}
	if q.last > w.arrival {
		w.arrival = q.findFree(w.arrival)
	}
	if w.arrival > came {
		q.fullSpan = Span{came, w.arrival}
	}
	q.list = slices.Insert(q.list, q.arrivedBy(w.arrival), w)
	return w.arrival
}

// findFree returns when an entry is free, from a time on: then, or when a write that was sent leaves.
func (q *queue) findFree(at uint64) uint64 {
	if !q.sorted {
		q.sort()
	}
	left, _ := slices.BinarySearch(q.untils, at+1) // entries of writes that were sent and have left
	came, _ := slices.BinarySearch(q.froms, at+1)
	waiting := q.arrivedBy(at)
	for came > left && waiting+came-left >= q.entries {
		at = q.untils[left]
		for left < len(q.untils) && q.untils[left] <= at {
			left++
		}
		for came < len(q.froms) && q.froms[came] <= at {
			came++
		}
		for waiting < len(q.list) && q.list[waiting].arrival <= at {
			waiting++
		}
	}
	return at
}

// sort sorts the times of the entries of writes that were sent.
func (q *queue) sort() {
	q.froms, q.untils = q.froms[:0], q.untils[:0]
	for _, s := range q.sentEntries {
		if s.From < s.Until { // others are never held
			q.froms, q.untils = append(q.froms, s.From), append(q.untils, s.Until)
		}
	}
	slices.Sort(q.froms)
	slices.Sort(q.untils)
	q.sorted = true
}

// arrivedBy is how many writes have arrived by a time.
func (q *queue) arrivedBy(at uint64) int {
	n := len(q.list)
	for n > 0 && q.list[n-1].arrival > at {
		n--
	}
	return n
}

// full is from when on as many writes wait as there are entries; 0: by no time up to the given one.
func (q *queue) full(at uint64) uint64 {
	if len(q.list) < q.entries || q.list[q.entries-1].arrival > at {
		return 0
	}
	return q.list[q.entries-1].arrival
}

// releaseEntry frees the entry of a write.
func (q *queue) releaseEntry(w *write, at uint64) {
	q.sentEntries[q.oldest] = Span{w.arrival, at}
	if q.oldest++; q.oldest == len(q.sentEntries) {
		q.oldest = 0
	}
	q.sorted = false
	q.last = max(q.last, at)
}

// drop removes the first writes, which have left.
func (q *queue) drop(n int) {
	if n > 0 {
		q.list = q.list[:copy(q.list, q.list[n:])]
	}
}
