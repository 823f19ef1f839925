package mem

import (
	"spvsim/mem/contention"
	"spvsim/mem/fixed"
	"spvsim/mem/hierarchy"
)

// OnChip is the payload memory of a machine, which all compute units reach: either a memory without tags, with payloads
// that do not fit in device memory, or a cache of payloads that are all in device memory.
type OnChip struct {
	contention.Server
	tags    *payloadTags // nil: it is no cache
	latency uint64
	cost    uint64 // fixed-point time of a byte
	serial  uint64 // fixed-point time of a further update of one element
	Counter hierarchy.Counter
}

// NewOnChip makes a payload memory of the given latency and bandwidth.
func NewOnChip(latencyCycles int, bytesPerCycle float64, atomicCycles int) *OnChip {
	return &OnChip{latency: uint64(latencyCycles), cost: fixed.PerByte(bytesPerCycle), serial: uint64(atomicCycles) << fixed.Shift,
		Counter: hierarchy.Counter{Level: "payloads"}}
}

// UseOnChip gives the ports of a machine its payload memory.
func UseOnChip(ports []*Port, c *OnChip) {
	for _, p := range ports {
		p.onChipMemory = c
	}
}

// onChip carries out the part of a request that is in payload memory, and takes it out of the request. It reports
// whether that was all; then it has responded. The time of lines that are left is that of the hierarchy, which is
// slower.
func (p *Port) onChip(now uint64, r *hierarchy.Request) (all bool) {
	c, cost, kept := p.onChipMemory, uint64(0), 0
	n, missed := len(r.Lines), r.Missed
	r.Missed = missed[:0]
	for i, l := range r.Lines {
		asks := len(missed) > 0 && int(missed[0]) == i
		if asks {
			missed = missed[1:]
		}
		if !c.serves(p, r.Kind, &l) {
			r.Lines[kept] = l
			if asks {
				r.Missed = append(r.Missed, int32(kept))
			}
			kept++
			continue
		}
		c.Counter.Hits++
		c.Counter.Bytes += uint64(l.Bytes)
		cost += uint64(l.Bytes)*c.cost + uint64(l.Serial)*c.serial
	}
	r.Lines = r.Lines[:kept]
	if kept == n {
		return false
	}
	wait := c.Book(now, cost)
	p.respond(now, now+wait+c.latency+cost>>fixed.Shift, r.Busy)
	return kept == 0
}

// serves reports whether payload memory completes an access to a line.
func (c *OnChip) serves(p *Port, kind hierarchy.Kind, l *hierarchy.Line) bool {
	if c.tags == nil {
		b := p.lanes.w.buffer(p.lanes.store, l.Addr)
		if b == nil || !b.OnChip {
			return false
		}
		c.Counter.Accesses++
		return true
	}
	c.Counter.Accesses++
	if kind == hierarchy.Atomic {
		return false
	}
	hit := c.tags.access(l.Addr)
	if !hit {
		c.Counter.Misses++
	}
	return hit && kind == hierarchy.Read
}

// NewPayloadCache makes a payload memory that is a write-through cache in front of the caches that payloads go to.
// Misses take the time of those.
func NewPayloadCache(bytes, lineBytes, latencyCycles int, bytesPerCycle float64, atomicCycles int) *OnChip {
	c := NewOnChip(latencyCycles, bytesPerCycle, atomicCycles)
	sets := max(bytes/lineBytes/payloadWays, 1)
	c.tags = &payloadTags{line: uint64(lineBytes), sets: uint64(sets), ways: make([]uint64, sets*payloadWays)}
	return c
}

// payloadWays is the associativity of a payload cache: that of most caches of the presets.
const payloadWays = 16

// payloadTags are the tags of a payload cache.
type payloadTags struct {
	line, sets uint64
	ways       []uint64 // number of the line, from 1, by set; the one used last first
}

// access looks a line up, and fills it after a miss.
func (t *payloadTags) access(addr uint64) bool {
	line := addr/t.line + 1
	first := line % t.sets * payloadWays
	set, at := t.ways[first:first+payloadWays], payloadWays-1
	hit := false
	for i, have := range set {
		if have == line {
			at, hit = i, true
			break
		}
	}
	copy(set[1:at+1], set[:at])
	set[0] = line
	return hit
}
