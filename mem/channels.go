package mem

// A memory stands behind the last cache: it takes a request when it has a free entry for it, and moves its bytes in either
// direction.
type memory interface {
	// transfer returns when the bytes are back at the last cache, or acknowledged, and when the request was taken. at is the
	// cycle in which it would come if nothing held it up, delay for how long something has.
	transfer(at, delay, addr uint64, bytes uint32, kind Kind) (ready, taken uint64)
	// settle sends what waits to be written, at the end of a launch, and returns when all of it is there: cycle now at the earliest.
	settle(now uint64) uint64
	count() *Counter
	show(part *Level)
}

// channels is device memory in which every channel moves its bytes at one rate.
type channels struct {
	list    []channel
	spread  interleave
	cost    uint64
	finite  bool // channels hold so many requests and no more
	latency uint64
	counter Counter
	part    *Level // nil: not among the parts of a machine
}

type channel struct {
	timetable
	requests queue // that wait for their turn
}

func newChannels(s *MemorySpec) *channels {
	m := &channels{list: make([]channel, s.Channels), spread: interleave{log2(s.InterleaveBytes), newDivider(s.Channels)},
		cost: costPerByte(s.sustained()), finite: s.Requests > 0, latency: uint64(s.LatencyCycles), counter: Counter{Level: "memory"}}
	for i := range m.list {
		m.list[i].requests = newQueue(s.Requests)
	}
	return m
}

func (m *channels) settle(now uint64) uint64 { return now }

func (m *channels) count() *Counter  { return &m.counter }
func (m *channels) show(part *Level) { m.part = part }

func (m *channels) transfer(at, delay, addr uint64, bytes uint32, _ Kind) (ready, taken uint64) {
	_, index := m.spread.split(addr)
	c := &m.list[index]
	m.counter.Accesses++
	m.counter.Hits++
	m.counter.Bytes += uint64(bytes)
	if free := c.requests.free(); free > at+delay {
		m.counter.Full += free - at - delay
		delay = free - at
	}
	taken = at + delay
	delay = c.turn(at, delay, uint64(bytes)*m.cost, m.finite)
	c.requests.enter(at + delay)
	m.part.tell(at, delay, addr, bytes)
	return at + delay + m.latency, taken
}
