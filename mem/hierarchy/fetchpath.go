package hierarchy

import "spvsim/mem/contention"

// FetchSpec describes the path by which the command processor reads what it works on.
type FetchSpec struct {
	FetchCycles int `yaml:"fetch_cycles" default:"0" range:"0..1000000" unit:"cycles" doc:"time of the command processor's own path to memory, beyond that of the level at which accesses of different compute units meet (the L2, where the machine has one): records, headers and programs of lists, and the arguments of indirect dispatches, come by it, and a dispatch waits for its arguments. Under memory.model: akita, a read takes only this time. 0: no such path; lists are read through the path of the first compute unit, and arguments take no time"`
	FetchBytes  int `yaml:"fetch_bytes" default:"0" range:"0..1073741824" unit:"bytes" doc:"most bytes that the command processor's own path has in flight, in lines of vector_l1, at least one; 0: no limit. Without fetch_cycles, it does nothing"`
}

// A FetchPath is the command processor's own path to memory.
type FetchPath struct {
	cycles   uint64
	line     uint64
	memory   *Analytic // nil: Akita's caches
	inFlight contention.Queue
	now      uint64
	full     uint64 // cycles that reads waited for others
}

// NewFetchPath returns nil if the command processor has no path of its own.
func NewFetchPath(s *FetchSpec, m Model) *FetchPath {
	if s.FetchCycles == 0 {
		return nil
	}
	line, _ := m.LineBytes()
	p := &FetchPath{cycles: uint64(s.FetchCycles), line: uint64(line)}
	p.memory, _ = m.(*Analytic)
	if s.FetchBytes > 0 {
		p.inFlight = contention.NewQueue(max(1, s.FetchBytes/line), &p.now)
	}
	return p
}

// Read returns the cycle in which bytes have come; uncached: past the L2. Reads are issued in the order of time.
func (p *FetchPath) Read(now, addr, bytes uint64, uncached bool) (ready uint64) {
	p.now = now
	for end := addr + max(bytes, 1); addr < end; {
		next := min(end, (addr+p.line)&^(p.line-1))
		delay := p.inFlight.Acquire(now, 0, &p.full)
		came := now + p.cycles + delay
		if p.memory != nil {
			came = p.memory.fetchLine(now, p.cycles, delay, &Line{Addr: addr, Bytes: uint32(next - addr)}, uncached)
		}
		p.inFlight.HoldUntil(came)
		ready, addr = max(ready, came), next
	}
	return ready
}

// fetchLine reads bytes of a line from the level at which coherent accesses are carried out, or from memory.
func (f *Analytic) fetchLine(now, way, delay uint64, l *Line, uncached bool) (ready uint64) {
	f.now = now
	r := Request{Kind: Read, Coherent: true, Uncached: uncached}
	c, at, addr := f.front(&r), now+way, l.Addr
	for ; c != nil && !c.deviceCoherent; c = c.next {
		addr = c.pageTable.physical(addr)
	}
	if c == nil {
		ready, _ = f.mem.transfer(at, delay, addr, l.Bytes, Read)
		return ready
	}
	ready, _ = c.coherent(at, delay, addr, &r, l, l.Bytes)
	return ready
}
