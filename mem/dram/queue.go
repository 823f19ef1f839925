package dram

// A write waits in the write queue.
type write struct {
	at    uint64
	addr  uint64
	bytes uint32
}

// A queue holds writes: so many at a time.
type queue struct {
	list []write
	left []uint64 // of each entry: when the write before left it
	in   int      // entry of the next write to come
	out  int      // entry of the next write to leave
}

func newQueue(entries int) queue {
	return queue{list: make([]write, 0, entries), left: make([]uint64, entries)}
}

// put takes a write in, and returns when it has an entry.
func (q *queue) put(w write) uint64 {
	w.at = max(w.at, q.left[q.in])
	q.in = (q.in + 1) % len(q.left)
	q.list = append(q.list, w)
	return w.at
}

// leave frees the entry of the oldest write that has one.
func (q *queue) leave(at uint64) {
	q.left[q.out] = at
	q.out = (q.out + 1) % len(q.left)
}

// drop removes the first writes, which have left.
func (q *queue) drop(n int) {
	if n > 0 {
		q.list = q.list[:copy(q.list, q.list[n:])]
	}
}
