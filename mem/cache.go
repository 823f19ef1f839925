package mem

// fixedShift places the binary point of booked time: 1/65536 cycle.
const fixedShift = 16

// A divider splits by a constant, by shift and mask where it is a power of two.
type divider struct {
	n     uint64
	shift uint
	pow2  bool
}

func newDivider(n int) divider {
	return divider{n: uint64(n), shift: log2(n), pow2: powerOfTwo(n)}
}

func (d divider) split(v uint64) (quotient, rest uint64) {
	if d.pow2 {
		return v >> d.shift, v & (d.n - 1)
	}
	return v / d.n, v % d.n
}

// interleave spreads units of consecutive addresses over slices or channels.
// With a power of two, higher address bits are folded in, so that strides of a
// power of two do not camp on one slice.
type interleave struct {
	unitShift uint
	div       divider
}

func (i interleave) split(addr uint64) (quotient, slice uint64) {
	q, r := i.div.split(addr >> i.unitShift)
	if i.div.pow2 {
		r = (r ^ q ^ q>>i.div.shift) & (i.div.n - 1)
	}
	return q, r
}

// join is the inverse of split, giving the address of the unit.
func (i interleave) join(quotient, slice uint64) uint64 {
	if i.div.pow2 {
		slice = (slice ^ quotient ^ quotient>>i.div.shift) & (i.div.n - 1)
	}
	return (quotient*i.div.n + slice) << i.unitShift
}

// A server is a port with a bandwidth: requests queue for it.
type server struct{ free uint64 } // fixed-point cycle from which it is idle

// book takes the server for cost (fixed point) from cycle at on, and returns
// the cycles that the request waits for its turn.
func (s *server) book(at, cost uint64) (waitCycles uint64) {
	start := at << fixedShift
	if s.free <= start {
		s.free = start + cost
		return 0
	}
	waitCycles = (s.free - start) >> fixedShift
	s.free += cost
	return waitCycles
}

// costPerByte is the fixed-point time of one byte.
func costPerByte(bytesPerCycle float64) uint64 {
	return uint64((1<<fixedShift)/bytesPerCycle + 0.5)
}

// blockSets is how many sets are allocated together when one is first used:
// most runs touch little of a large cache.
const blockSets = 16

// A block holds tags and lines of blockSets sets. Tag 0 is an invalid line.
type block struct {
	tags  []uint32
	lines []line
}

type line struct {
	ready   uint64 // cycle in which the line is there
	used    uint64 // the slice's count of uses when last used; 0: never
	written uint32 // bytes stored since it was allocated without a fetch; a line's size when all are there
	dirty   bool
}

// A slice serves its own requests.
type slice struct {
	server
	uses   uint64
	ring   []uint64 // when the outstanding misses end, oldest at head
	head   int
	blocks []*block
}

// A level is what the instances of a cache have in common.
type level struct {
	CacheSpec
	counter   Counter
	shared    bool // keeps stores, and one instance serves the whole machine
	latency   uint64
	cost      uint64
	lineShift uint
	perUnit   uint // log2 of the lines of an interleave unit
	spread    interleave
	sets      divider
	atomic    uint64 // fixed-point cost of a further update of one element
	caches    []*cache
	perEngine int
	next      *level
}

// A cache is one instance. next is nil when memory is behind it.
type cache struct {
	*level
	slices []slice
	next   *cache
	mem    *channels
	stall  uint64 // cycle until which the request at hand waits for a free miss entry
}

func newLevel(c CacheSpec, s Spec, next *level) *level {
	unit := max(c.InterleaveBytes, c.LineBytes)
	l := &level{CacheSpec: c, next: next, latency: uint64(c.LatencyCycles), cost: costPerByte(c.BytesPerCycle), perEngine: 1,
		lineShift: log2(c.LineBytes), perUnit: log2(unit / c.LineBytes), spread: interleave{log2(unit), newDivider(c.Slices)},
		sets: newDivider(c.Bytes / (c.LineBytes * c.Ways * c.Slices)), atomic: uint64(s.AtomicCycles) << fixedShift}
	l.counter.Level = c.Name
	instances := 1
	if c.SharedBy > 0 {
		l.perEngine = (s.ComputeUnits + c.SharedBy - 1) / c.SharedBy
		instances = s.Engines * l.perEngine
	}
	l.shared = c.Write == WriteBack && (c.SharedBy == 0 || instances == 1 && c.SharedBy > 1)
	l.caches = make([]*cache, instances)
	return l
}

// instance is the index of the cache that serves a compute unit.
func (l *level) instance(engine, cu int) int {
	if l.SharedBy == 0 {
		return 0
	}
	return engine*l.perEngine + cu/l.SharedBy
}

func newCache(l *level, next *cache, mem *channels) *cache {
	c := &cache{level: l, slices: make([]slice, l.Slices), next: next, mem: mem}
	blocks := (int(l.sets.n) + blockSets - 1) / blockSets
	for i := range c.slices {
		c.slices[i] = slice{ring: make([]uint64, l.Misses), blocks: make([]*block, blocks)}
	}
	return c
}

// A place is where a line of memory can be in a cache.
type place struct {
	slice uint64
	set   uint64
	tag   uint32
	tags  []uint32
	lines []line
}

func (c *cache) locate(addr uint64) (p place) {
	quotient, index := c.spread.split(addr)
	key := quotient<<c.perUnit | (addr >> c.lineShift & (1<<c.perUnit - 1))
	tag, set := c.sets.split(key)
	s := &c.slices[index]
	b := s.blocks[set/blockSets]
	if b == nil {
		n := blockSets * c.Ways
		b = &block{tags: make([]uint32, n), lines: make([]line, n)}
		s.blocks[set/blockSets] = b
	}
	first := int(set%blockSets) * c.Ways
	return place{index, set, uint32(tag) + 1, b.tags[first : first+c.Ways], b.lines[first : first+c.Ways]}
}

// address is the inverse of locate for the line with the given tag.
func (c *cache) address(p *place, tag uint32) uint64 {
	key := uint64(tag-1)*c.sets.n + p.set
	unit := c.spread.join(key>>c.perUnit, p.slice)
	return unit | key&(1<<c.perUnit-1)<<c.lineShift
}

// find is the way that holds the line, or -1.
func (p *place) find() int {
	for i, t := range p.tags {
		if t == p.tag {
			return i
		}
	}
	return -1
}

// oldest is the way to replace: the least recently used, invalid ones first.
func (p *place) oldest() int {
	best, used := 0, p.lines[0].used
	for i := 1; i < len(p.lines) && used != 0; i++ {
		if u := p.lines[i].used; u < used {
			best, used = i, u
		}
	}
	return best
}

// enter books the slice and counts the request.
func (c *cache) enter(s *slice, at, delay uint64, bytes uint32) uint64 {
	c.counter.Accesses++
	c.counter.Bytes += uint64(bytes)
	s.uses++
	return max(delay, s.book(at, uint64(bytes)*c.cost))
}

// read returns the cycle in which bytes of one line leave this level. at is the
// cycle in which the request would arrive if nothing waited, and delay what it
// has waited for so far: queues in a row overlap, so the longest one counts.
// Booking at unhindered times keeps each level's bookings in the order of issue
// and a level from idling for requests that are not there yet.
func (c *cache) read(at, delay, addr uint64, bytes uint32) uint64 {
	p := c.locate(addr)
	s := &c.slices[p.slice]
	delay = c.enter(s, at, delay, bytes)
	at += c.latency
	way := p.find()
	if way >= 0 {
		l := &p.lines[way]
		l.used = s.uses
		if l.written >= uint32(c.LineBytes) {
			return c.hit(l, at+delay)
		}
	} else {
		way = c.replace(&p, at)
		p.lines[way].used = s.uses
	}
	return c.miss(s, &p.lines[way], at, delay, addr)
}

func (c *cache) hit(l *line, ready uint64) uint64 {
	c.counter.Hits++
	if l.ready > ready {
		c.counter.InFlight++
		return l.ready
	}
	return ready
}

// miss fills a line from below.
func (c *cache) miss(s *slice, l *line, at, delay, addr uint64) uint64 {
	c.counter.Misses++
	delay = c.waitEntry(s, at, delay)
	ready := c.fetch(at, delay, addr&^uint64(c.LineBytes-1), uint32(c.LineBytes))
	l.ready, l.written = ready, uint32(c.LineBytes)
	s.leaveEntry(ready)
	return ready
}

// waitEntry waits for the oldest outstanding miss when all entries are taken.
func (c *cache) waitEntry(s *slice, at, delay uint64) uint64 {
	if len(s.ring) == 0 || s.ring[s.head] <= at {
		return delay
	}
	c.stall = max(c.stall, s.ring[s.head])
	return max(delay, s.ring[s.head]-at)
}

func (s *slice) leaveEntry(ready uint64) {
	if len(s.ring) == 0 {
		return
	}
	s.ring[s.head] = ready
	if s.head++; s.head == len(s.ring) {
		s.head = 0
	}
}

// fetch reads a line of this level from the next, whose lines may be smaller.
func (c *cache) fetch(at, delay, addr uint64, bytes uint32) (ready uint64) {
	if c.next == nil {
		return c.mem.transfer(at, delay, addr, bytes)
	}
	step := min(bytes, uint32(c.next.LineBytes))
	for done := uint32(0); done < bytes; done += step {
		ready = max(ready, c.next.read(at, delay, addr+uint64(done), step))
	}
	return ready
}

// replace makes room for p's line: a dirty victim goes to the next level.
func (c *cache) replace(p *place, at uint64) int {
	way := p.oldest()
	l := &p.lines[way]
	if l.dirty {
		c.counter.Writebacks++
		c.forward(at, 0, c.address(p, p.tags[way]), uint32(c.LineBytes))
	}
	*l = line{}
	p.tags[way] = p.tag
	return way
}

// forward writes to the next level and returns the cycle of the acknowledgement.
func (c *cache) forward(at, delay, addr uint64, bytes uint32) (ready uint64) {
	if c.next == nil {
		return c.mem.transfer(at, delay, addr, bytes)
	}
	step := min(bytes, uint32(c.next.LineBytes))
	for done := uint32(0); done < bytes; done += step {
		ready = max(ready, c.next.write(at, delay, addr+uint64(done), step))
	}
	return ready
}

// write stores bytes of one line. Lines have byte masks: one that is allocated
// by a store is not fetched until something reads it before it was all written.
func (c *cache) write(at, delay, addr uint64, bytes uint32) uint64 {
	p := c.locate(addr)
	s := &c.slices[p.slice]
	delay = c.enter(s, at, delay, bytes)
	at += c.latency
	way := p.find()
	if way < 0 {
		c.counter.Misses++
		if !c.WriteAllocate {
			return c.through(s, at, delay, addr, bytes)
		}
		way = c.replace(&p, at)
		p.lines[way].ready = at + delay
	} else {
		c.counter.Hits++
	}
	l := &p.lines[way]
	l.used = s.uses
	l.written = min(l.written+bytes, uint32(c.LineBytes))
	if c.Write != WriteBack {
		return c.through(s, at, delay, addr, bytes)
	}
	l.dirty = true
	return at + delay
}

// through passes a store on; it holds a miss entry until it is acknowledged.
func (c *cache) through(s *slice, at, delay, addr uint64, bytes uint32) uint64 {
	delay = c.waitEntry(s, at, delay)
	ready := c.forward(at, delay, addr, bytes)
	s.leaveEntry(ready)
	return ready
}

// coherent carries out reads, writes and atomics at the first level that the
// whole machine shares: levels before it only pass the bytes on.
func (c *cache) coherent(at, delay uint64, kind Kind, l *Line, bytes uint32) uint64 {
	p, shared := c, c.shared
	for !shared {
		_, index := p.spread.split(l.Addr)
		s := &p.slices[index]
		delay = max(delay, s.book(at, uint64(bytes)*p.cost))
		at += p.latency
		if p.next == nil {
			return p.mem.transfer(at, delay, l.Addr, bytes)
		}
		p = p.next
		shared = p.shared
	}
	switch kind {
	case Read:
		return p.read(at, delay, l.Addr, bytes)
	case Write:
		return p.write(at, delay, l.Addr, bytes)
	}
	return p.update(at, delay, l, bytes)
}

// update carries out the atomics of one line; updates of one element follow
// each other.
func (c *cache) update(at, delay uint64, l *Line, bytes uint32) uint64 {
	ready := c.read(at, delay, l.Addr, bytes)
	p := c.locate(l.Addr)
	if way := p.find(); c.Write == WriteBack && way >= 0 {
		p.lines[way].dirty = true
	} else {
		ready = max(ready, c.forward(at+c.latency, delay, l.Addr, bytes))
	}
	serial := uint64(l.Serial) * c.atomic
	c.slices[p.slice].free += serial
	return ready + serial>>fixedShift
}

// invalidate drops all lines; dirty ones count as written back.
func (c *cache) invalidate() {
	for i := range c.slices {
		for _, b := range c.slices[i].blocks {
			if b != nil {
				c.clearBlock(b)
			}
		}
	}
}

func (c *cache) clearBlock(b *block) {
	for i := range b.lines {
		if b.lines[i].dirty {
			c.counter.Writebacks++
		}
	}
	clear(b.tags)
	clear(b.lines)
}

// channels is the device memory's interface.
type channels struct {
	servers []server
	spread  interleave
	cost    uint64
	latency uint64
	counter Counter
}

func newChannels(s ChannelSpec) *channels {
	return &channels{servers: make([]server, s.Channels), spread: interleave{log2(s.InterleaveBytes), newDivider(s.Channels)},
		cost: costPerByte(s.BytesPerCycle), latency: uint64(s.LatencyCycles), counter: Counter{Level: "memory"}}
}

// transfer moves bytes in either direction.
func (m *channels) transfer(at, delay, addr uint64, bytes uint32) uint64 {
	_, channel := m.spread.split(addr)
	m.counter.Accesses++
	m.counter.Hits++
	m.counter.Bytes += uint64(bytes)
	delay = max(delay, m.servers[channel].book(at, uint64(bytes)*m.cost))
	return at + delay + m.latency
}
