package mem

// OnChip is the payload memory of a machine: one memory that all compute units
// reach, without tags. Payloads that it does not hold are in device memory.
type OnChip struct {
	server
	latency uint64
	cost    uint64 // fixed-point time of a byte
	serial  uint64 // fixed-point time of a further update of one element
	Counter Counter
}

// NewOnChip makes a payload memory of the given latency and bandwidth.
func NewOnChip(latencyCycles int, bytesPerCycle float64, atomicCycles int) *OnChip {
	return &OnChip{latency: uint64(latencyCycles), cost: costPerByte(bytesPerCycle), serial: uint64(atomicCycles) << fixedShift,
		Counter: Counter{Level: "payloads"}}
}

// UseOnChip gives the ports of a machine its payload memory.
func UseOnChip(ports []*Port, c *OnChip) {
	for _, p := range ports {
		p.chip = c
	}
}

// onChip carries out the part of a request that is in on-chip payload memory,
// and takes it out of the request. It reports whether that was all of it; lines
// that are left decide the time, as memory behind the caches is slower.
func (p *Port) onChip(now uint64, r *Request) (t Timing, all bool) {
	c, cost, kept := p.chip, uint64(0), 0
	n := len(r.Lines)
	for _, l := range r.Lines {
		if b := p.lanes.w.buffer(p.lanes.store, l.Addr); b == nil || !b.OnChip {
			r.Lines[kept] = l
			kept++
			continue
		}
		c.Counter.Accesses++
		c.Counter.Hits++
		c.Counter.Bytes += uint64(l.Bytes)
		cost += uint64(l.Bytes)*c.cost + uint64(l.Serial)*c.serial
	}
	r.Lines = r.Lines[:kept]
	if kept == n {
		return t, false
	}
	wait := c.book(now, cost)
	return Timing{Ready: now + wait + c.latency + cost>>fixedShift, Busy: r.Busy, Lines: n}, kept == 0
}
