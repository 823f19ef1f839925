package scheduler

import "spvsim/mem"

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

// access asks the machine's memory for bytes of a queue, past the caches that are
// not shared, through the path of a compute unit.
func (r *Run) access(now uint64, w *wait, unit int, kind mem.Kind, addr, bytes, busy uint64) {
	if r.Hierarchy == nil {
		return // no time passes
	}
	vector, _ := r.Hierarchy.LineBytes()
	size := uint64(vector)
	r.lines = r.lines[:0]
	for end := addr + max(bytes, 1); addr < end; {
		next := min(end, (addr+size)&^(size-1))
		r.lines = append(r.lines, mem.Line{Addr: addr &^ (size - 1), Bytes: uint32(next - addr)})
		addr = next
	}
	w.legs++
	reply := r.Hierarchy.Access(now, &mem.Request{CU: unit, Kind: kind, Coherent: true, Busy: max(busy, 1), Lines: r.lines, To: w})
	if !reply.Pending {
		w.leg(reply.Ready)
	}
}

// write appends n entries to a queue in memory.
func (r *Run) write(now uint64, w *wait, unit, n int) {
	bytes := min(uint64(n)*entryBytes, ringBytes/2)
	if r.ringNext+bytes > ringBytes {
		r.ringNext = counterBytes
	}
	at := r.ring + r.ringNext
	r.ringNext += bytes
	r.access(now, w, unit, mem.Write, at, bytes, 1)
}

// read reads an entry of a queue in memory back.
func (r *Run) read(now uint64, w *wait, unit int) {
	r.access(now, w, unit, mem.Read, r.ring+r.ringNext&^(entryBytes-1), entryBytes, 1)
}

// Counters of queues in memory.
const (
	counterAlloc = 0 // payloads allocated
	counterEntry = 1 // entries of queue 0; those of other queues follow
	counterPop   = 2 // of the queue that persistent workers pop
)

// atomic updates one of the counters that queues in memory have.
func (r *Run) atomic(now uint64, w *wait, unit, counter int) {
	r.access(now, w, unit, mem.Atomic, r.ring+uint64(counter)%(counterBytes/256)*256, 4, 1)
}

// firstUnit is the compute unit through whose path a queue's own accesses go.
func (r *Run) firstUnit(q int) int {
	if r.perEngine {
		return q * r.Dispatcher.limits.ComputeUnits
	}
	return 0
}
