package graph

// inMemory has what policies with queues in memory share: atomics that count allocations and reserve entries.
type inMemory struct {
	ring   *ring
	queues *queues
	stats  *graphStats
}

func (r *Run) inMemory() inMemory { return inMemory{r.ring, r.queues, r.stats} }

// Allocate costs an atomic on the counter of allocated payloads.
func (m *inMemory) Allocate(now uint64, unit, payloads int, done *wait) {
	if payloads > 0 {
		m.ring.atomic(now, done, unit, counterAlloc)
	}
	done.close()
}

// append reserves entries of a queue with an atomic and writes them. The wave waits for the atomic; once both are
// done, the payloads may be launched after latency.
func (m *inMemory) append(now uint64, b *batch, counter int, latency uint64) {
	all := gather(now, func(at uint64) { m.queues.release(b, at+latency) })
	all.outstanding++
	taken := gather(now, func(at uint64) {
		m.stats.stall(&m.stats.queue.StallMemory, at-now)
		m.queues.accept(b, at)
		all.reply(at)
	})
	m.ring.atomic(now, taken, b.unit, counter)
	taken.close()
	m.ring.write(now, all, b.unit, len(b.payloads))
	all.close()
}
