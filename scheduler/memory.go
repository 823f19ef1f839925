package scheduler

import (
	"spvsim/internal/timing"
	"spvsim/mem/hierarchy"
)

// A wait gathers the replies of accesses to memory, and goes on when the last one
// is known, with the cycle in which it is there. Some memories tell that cycle at
// once, others when it has come.
type wait struct {
	legs int
	at   uint64
	then func(at uint64)
}

// gather makes a wait that ends no earlier than cycle from. It is open for
// accesses until its own leg ends.
func gather(from uint64, then func(at uint64)) *wait { return &wait{1, from, then} }

// leg ends one of the legs, in cycle at.
func (w *wait) leg(at uint64) {
	w.at = max(w.at, at)
	if w.legs--; w.legs == 0 && w.then != nil {
		w.then(w.at)
	}
}

// close ends the wait's own leg.
func (w *wait) close() { w.leg(w.at) }

// Completed fulfils mem.Receiver.
func (w *wait) Completed(_, now uint64) { w.leg(now) }

// Queues in memory.
const (
	ringBytes    = 1 << 20  // that they go round in
	entryBytes   = 16       // of a payload: address, node, index, levels
	counterBytes = 64 << 10 // kept for counters at the start of the ring, one a line of at most 256 bytes
)

// A queueMemory is what of a graph's queues is in memory: payloads, on chip or not, and the rings and counters that accesses go to.
type queueMemory struct {
	run      *Run
	pool     *pool
	ring     uint64 // address of the queue in memory
	ringNext uint64
	ringRead uint64 // where a hardware queue reads on
	lines    []hierarchy.Line
	copies   uint64 // times that a workgroup of each level fits into the payload memory
}

func (m *queueMemory) init(r *Run, onChip, scratch uint64) error {
	m.run, m.pool = r, newPool(r, onChip, scratch)
	m.ringNext, m.ringRead = counterBytes, counterBytes
	m.copies = m.pool.capacity / max(r.graph.MinimumBytes(), 1)
	b, err := r.Store.Reserve(ringBytes, "enqueue queue")
	if err == nil {
		m.ring = b.Addr
	}
	return err
}

// reserved are the bytes that workgroups of a level leave to the deeper ones: what one workgroup of each may allocate at most, as
// many times as all levels fit into the memory together. With one time only, deep levels would run a workgroup at a time once
// shallow ones have filled the memory.
func (m *queueMemory) reserved(level int) uint64 {
	return m.copies * m.run.graph.deeper[level]
}

// access asks the machine's memory for bytes of a queue, past the caches that are
// not shared, through the path of a compute unit.
func (m *queueMemory) access(now uint64, w *wait, unit int, kind hierarchy.Kind, addr, bytes, busy uint64) {
	if m.run.Hierarchy == nil {
		return // no time passes
	}
	vector, _ := m.run.Hierarchy.LineBytes()
	size := uint64(vector)
	m.lines = m.lines[:0]
	for end := addr + max(bytes, 1); addr < end; {
		next := min(end, (addr+size)&^(size-1))
		l := hierarchy.Line{Addr: addr &^ (size - 1), Bytes: uint32(next - addr)}
		if kind == hierarchy.Write { // what is read back then is not fetched
			l.Words = hierarchy.WholeWords(addr-l.Addr, next-addr, m.run.Hierarchy.WordBytes())
		}
		m.lines = append(m.lines, l)
		addr = next
	}
	w.legs++
	reply := m.run.Hierarchy.Access(now, &hierarchy.Request{CU: unit, Kind: kind, Coherent: true, Busy: max(busy, 1), Lines: m.lines, To: w})
	if reply.Completion == timing.Known {
		w.leg(reply.ReadyAt)
	}
}

// write appends n entries to a queue in memory.
func (m *queueMemory) write(now uint64, w *wait, unit, n int) {
	bytes := min(uint64(n)*entryBytes, ringBytes/2)
	if m.ringNext+bytes > ringBytes {
		m.ringNext = counterBytes
	}
	at := m.ring + m.ringNext
	m.ringNext += bytes
	m.access(now, w, unit, hierarchy.Write, at, bytes, 1)
}

// read reads an entry of a queue in memory back.
func (m *queueMemory) read(now uint64, w *wait, unit int) {
	m.access(now, w, unit, hierarchy.Read, m.ring+m.ringNext&^(entryBytes-1), entryBytes, 1)
}

// Counters of queues in memory.
const (
	counterAlloc = 0 // payloads allocated
	counterEntry = 1 // entries of queue 0; those of other queues follow
	counterPop   = 2 // of the queue that persistent workers pop
)

// atomic updates one of the counters that queues in memory have.
func (m *queueMemory) atomic(now uint64, w *wait, unit, counter int) {
	m.access(now, w, unit, hierarchy.Atomic, m.ring+uint64(counter)%(counterBytes/256)*256, 4, 1)
}

// count is what allocating payloads in memory costs: an atomic.
func (m *queueMemory) count(now uint64, unit, payloads int, done *wait) {
	if payloads > 0 {
		m.atomic(now, done, unit, counterAlloc)
	}
	done.close()
}

// append takes entries of a queue in memory with an atomic and writes them. The
// wave waits for the atomic; both done, the payloads can be picked after latency.
func (m *queueMemory) append(now uint64, b *batch, counter int, latency uint64) {
	all := gather(now, func(at uint64) { m.run.release(b, at+latency) })
	all.legs++
	taken := gather(now, func(at uint64) {
		m.run.ledger.stall(&m.run.ledger.queue.StallMemory, at-now)
		m.run.accept(b, at)
		all.leg(at)
	})
	m.atomic(now, taken, b.unit, counter)
	taken.close()
	m.write(now, all, b.unit, len(b.payloads))
	all.close()
}
