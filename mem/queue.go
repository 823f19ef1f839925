package mem

// A queue has so many entries, each held by one request at a time. Requests enter in the order of issue: the one that comes next
// takes the entry of the one so many before it. The zero queue has no limit.
type queue struct {
	left []uint64 // cycles in which the last requests left, as many as there are entries
	next int      // the entry that the next request takes
}

func newQueue(entries int) queue {
	if entries == 0 {
		return queue{}
	}
	return queue{left: make([]uint64, entries)}
}

// free is the cycle from which the next request has an entry.
func (q *queue) free() uint64 {
	if len(q.left) == 0 {
		return 0
	}
	return q.left[q.next]
}

// wait is how long a request, which would come in cycle at and has waited for delay, has waited when it has an entry. What that
// adds goes to full.
func (q *queue) wait(at, delay uint64, full *uint64) uint64 {
	free := q.free()
	if free <= at+delay {
		return delay
	}
	*full += free - at - delay
	return free - at
}

// enter gives the next entry to a request that leaves in the given cycle.
func (q *queue) enter(leaves uint64) {
	if len(q.left) == 0 {
		return
	}
	q.left[q.next] = leaves
	if q.next++; q.next == len(q.left) {
		q.next = 0
	}
}

// space is how many requests, up to most, find an entry that is free from a cycle on.
func (q *queue) space(now uint64, most int) int {
	for n := range min(len(q.left), most) {
		if q.left[(q.next+n)%len(q.left)] > now {
			return n
		}
	}
	if len(q.left) > 0 {
		return min(len(q.left), most)
	}
	return most
}
