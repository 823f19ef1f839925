package graph

import (
	"spvsim/internal/timing"
	"spvsim/mem"
	"spvsim/mem/hierarchy"
)

// Queues in memory.
const (
	ringBytes    = 1 << 20  // size of the ring
	entryBytes   = 16       // a payload's address, node, index and levels
	counterBytes = 64 << 10 // counters at the start of the ring, each in its own 256 bytes
)

// A ring is the part of a graph's queues that is in memory: entries and counters.
type ring struct {
	hierarchy hierarchy.Model // nil in functional runs
	addr      uint64
	next      uint64
	readNext  uint64 // where a hardware queue continues to read
	lines     []hierarchy.Line
}

func newRing(store *mem.Store, h hierarchy.Model) (*ring, error) {
	b, err := store.Reserve(ringBytes, "enqueue queue")
	if err != nil {
		return nil, err
	}
	return &ring{hierarchy: h, addr: b.Addr, next: counterBytes, readNext: counterBytes}, nil
}

// access requests bytes of the ring from memory, coherently, through the path of a compute unit. The wait gets the
// reply.
func (m *ring) access(now uint64, w *wait, unit int, kind hierarchy.Kind, addr, bytes, busy uint64) {
	m.request(now, w, hierarchy.Request{CU: unit, Kind: kind, Busy: busy}, addr, bytes)
}

// request is access for a request without its lines.
func (m *ring) request(now uint64, w *wait, r hierarchy.Request, addr, bytes uint64) {
	if m.hierarchy == nil {
		return // a functional run
	}
	vector, _ := m.hierarchy.LineBytes()
	size := uint64(vector)
	m.lines = m.lines[:0]
	for end := addr + max(bytes, 1); addr < end; {
		next := min(end, (addr+size)&^(size-1))
		l := hierarchy.Line{Addr: addr &^ (size - 1), Bytes: uint32(next - addr)}
		if r.Kind == hierarchy.Write { // whole words need no fetch
			l.Words = hierarchy.WholeWords(addr-l.Addr, next-addr, m.hierarchy.WordBytes())
		}
		m.lines = append(m.lines, l)
		addr = next
	}
	w.outstanding++
	r.Coherent, r.Busy, r.Lines, r.To = true, max(r.Busy, 1), m.lines, w
	reply := m.hierarchy.Access(now, &r)
	if reply.Completion == timing.KnownAtIssue {
		w.reply(reply.ReadyAt)
	}
}

// write appends n entries, and wraps around at the end.
func (m *ring) write(now uint64, w *wait, unit, n int) {
	bytes := min(uint64(n)*entryBytes, ringBytes/2)
	if m.next+bytes > ringBytes {
		m.next = counterBytes
	}
	at := m.addr + m.next
	m.next += bytes
	m.access(now, w, unit, hierarchy.Write, at, bytes, 1)
}

// read reads one entry back.
func (m *ring) read(now uint64, w *wait, unit int) {
	m.access(now, w, unit, hierarchy.Read, m.addr+m.next&^(entryBytes-1), entryBytes, 1)
}

// readLine reads the next line of entries back, in the order in which they were written.
func (m *ring) readLine(now uint64, w *wait, unit int, bytes uint64) {
	if m.readNext+bytes > ringBytes {
		m.readNext = counterBytes
	}
	at := m.addr + m.readNext
	m.readNext += bytes
	m.access(now, w, unit, hierarchy.Read, at, bytes, 1)
}

// Counters of queues in memory.
const (
	counterAlloc = 0 // payloads allocated
	counterEntry = 1 // entries of queue 0; those of other queues follow
	counterPop   = 2 // pops of persistent workers
)

// atomic updates a counter.
func (m *ring) atomic(now uint64, w *wait, unit, counter int) {
	m.access(now, w, unit, hierarchy.Atomic, m.counter(counter), 4, 1)
}

// counter returns the address of a counter.
func (m *ring) counter(i int) uint64 { return m.addr + uint64(i)%(counterBytes/256)*256 }
