package scheduler

import (
	"spvsim/cu"
	"spvsim/mem"
)

// maxOpen is how many launches of one bin are open at once: enough to hide the
// latency of opening them.
const maxOpen = 64

// An opener opens a launch from a bin in cycle now, or says from when it can.
type opener func(now uint64, b *bin) (at uint64, ok bool)

// serve opens launches of one queue and places their workgroups, in the order
// of arbitration, until nothing more can be done in cycle now. It says when
// more can, if nothing happens before.
func (r *Run) serve(now uint64, q int, open opener) uint64 {
	for {
		placed, next := r.serveOne(now, q, open)
		if !placed || r.err != nil {
			return next
		}
	}
}

// serveOne places at most one workgroup.
func (r *Run) serveOne(now uint64, q int, open opener) (placed bool, next uint64) {
	next = cu.Never
	first := 0
	if r.spec.Queue.Arbitration == "round-robin" {
		first = r.turns
	}
	for k := range r.order {
		b := r.bins[q*len(r.order)+r.order[(first+k)%len(r.order)]]
		if b.pending() > 0 {
			next = min(next, r.fill(now, b, open))
		}
		if len(b.opens) == 0 || b.held {
			continue
		}
		ok, at := r.placeFrom(now, b)
		if ok {
			r.turns = (first + k + 1) % len(r.order)
			return true, next
		}
		next = min(next, at)
	}
	return false, next
}

// fill opens launches of a bin while it can.
func (r *Run) fill(now uint64, b *bin, open opener) uint64 {
	for len(b.opens) < maxOpen && r.err == nil {
		at := b.readyAt(uint64(r.spec.Queue.Window))
		if at > now {
			return at
		}
		at, ok := open(now, b)
		if !ok {
			return at
		}
	}
	return cu.Never
}

// placeFrom places the next workgroup of a bin's first launch, if it is ready,
// payload memory can be reserved for it and a compute unit has room.
func (r *Run) placeFrom(now uint64, b *bin) (placed bool, at uint64) {
	l := b.opens[0]
	switch {
	case l.readyAt > now:
		return false, l.readyAt
	case !r.reservable(l):
		return false, cu.Never // until a payload is freed, with the end of a workgroup
	}
	first, engines := 0, len(r.place.engines)
	if r.spec.Queue.PerEngine {
		first, engines = b.queue, 1
	}
	u, at := r.place.find(now, l.Node, first, engines)
	if u == nil {
		return false, at
	}
	r.nextGroup(b, u.Index(), &r.wg)
	r.place.put(now, u, l.Node, &r.wg)
	return true, now
}

// ringBytes is the memory that queues in memory go round in.
const (
	ringBytes  = 1 << 20
	entryBytes = 16 // of a payload in a queue in memory: address, node, index, levels
)

// access books an access of the scheduler to the machine's memory, past the
// caches that are not shared, through the path of a compute unit.
func (r *Run) access(now uint64, unit int, kind mem.Kind, addr, bytes uint64, busy uint64) (ready uint64) {
	vector, _ := r.Hierarchy.LineBytes()
	size := uint64(vector)
	r.lines = r.lines[:0]
	for end := addr + max(bytes, 1); addr < end; {
		next := min(end, (addr+size)&^(size-1))
		r.lines = append(r.lines, mem.Line{Addr: addr &^ (size - 1), Bytes: uint32(next - addr)})
		addr = next
	}
	r.token++
	// Tokens of compute units count from 1: the high bit keeps these apart, so
	// that nobody waits for them.
	reply := r.Hierarchy.Access(now, &mem.Request{CU: unit, Kind: kind, Coherent: true, Busy: max(busy, 1), Lines: r.lines, Token: 1<<63 | r.token})
	if reply.Pending {
		return now + uint64(r.spec.MemoryEstimate)
	}
	return reply.Ready
}

// write appends n entries to a queue in memory.
func (r *Run) write(now uint64, unit, n int) uint64 {
	bytes := min(uint64(n)*entryBytes, ringBytes/2)
	if r.ringNext+bytes > ringBytes {
		r.ringNext = counterBytes
	}
	at := r.ring + r.ringNext
	r.ringNext += bytes
	return r.access(now, unit, mem.Write, at, bytes, 1)
}

// read reads an entry of a queue in memory back.
func (r *Run) read(now uint64, unit int) uint64 {
	return r.access(now, unit, mem.Read, r.ring+r.ringNext&^(entryBytes-1), entryBytes, 1)
}

// counterBytes are kept for counters at the start of the ring, one a line of at most 256 bytes.
const counterBytes = 64 << 10

// atomic updates one of the counters that queues in memory have.
func (r *Run) atomic(now uint64, unit, counter int) uint64 {
	return r.access(now, unit, mem.Atomic, r.ring+uint64(counter)%(counterBytes/256)*256, 4, 1)
}

// finishCost books the count that tells the last workgroup of a payload: an atomic beside the payload.
func (r *Run) finishCost(now uint64, unit int, addr uint64) uint64 {
	return r.access(now, unit, mem.Atomic, addr, 4, 1)
}

// firstUnit is the compute unit through whose path a queue's own accesses go.
func (r *Run) firstUnit(q int) int {
	if r.spec.Queue.PerEngine {
		return q * r.spec.Dispatch.Units
	}
	return 0
}
