package hierarchy

import (
	"spvsim/internal/spec"
	"spvsim/mem/contention"
	"spvsim/mem/fixed"
)

// A memory is behind the last cache: it takes a request when it has a free entry for it, and moves its bytes in either
// direction.
type memory interface {
	// transfer returns when the bytes are back at the last cache, or acknowledged, and when the request was taken. at is the
	// cycle in which it would come if nothing held it up, delay for how long something has.
	transfer(at, delay, addr uint64, bytes uint32, kind Kind) (ready, taken uint64)
	// drain sends what waits to be written, at the end of a launch, and returns when all of it is there: cycle now at the earliest.
	drain(now uint64) uint64
	busyUntil() uint64 // the cycle by which all is moved that has come so far
	levelCounter() *Counter
	attachHooks(part *Component)
}

// A device is what memories have in common.
type device struct {
	spread  fixed.Interleave // over channels
	latency uint64
	counter Counter
	until   uint64     // cycle by which all is moved that has come so far
	part    *Component // nil: not among the parts of a machine
}

func newDevice(s *MemorySpec) device {
	return device{spread: fixed.NewInterleave(s.InterleaveBytes, s.Channels), latency: uint64(s.LatencyCycles), counter: Counter{Level: "memory"}}
}

func (d *device) levelCounter() *Counter      { return &d.counter }
func (d *device) busyUntil() uint64           { return d.until }
func (d *device) attachHooks(part *Component) { d.part = part }

// enqueue counts a request that comes to a channel, and waits for an entry of its queue.
func (d *device) enqueue(q *contention.Queue, at, delay uint64, bytes uint32, kind Kind) uint64 {
	d.counter.Accesses++
	d.counter.Bytes += uint64(bytes)
	if kind == Write {
		d.counter.Written += uint64(bytes)
	}
	return q.Acquire(at, delay, &d.counter.QueueFullCycles)
}

// newMemory makes the device memory of a machine.
func newMemory(s *Spec, shape *spec.Shape, now *uint64) memory {
	if s.DRAM.present() {
		return newDRAMChannels(&s.Memory, &s.DRAM, shape.ClockMHz, now)
	}
	return newUniformChannels(&s.Memory, now)
}

// uniformChannels is device memory in which every channel moves its bytes at one rate.
type uniformChannels struct {
	device
	list   []channel
	cost   uint64
	finite bool // channels hold so many requests and no more
}

type channel struct {
	contention.Calendar
	requests contention.Queue // that wait for their turn
}

func newUniformChannels(s *MemorySpec, now *uint64) *uniformChannels {
	m := &uniformChannels{device: newDevice(s), list: make([]channel, s.Channels), cost: fixed.PerByte(s.SustainedBandwidth()), finite: s.Requests > 0}
	for i := range m.list {
		m.list[i].requests = contention.NewQueue(s.Requests, now)
	}
	return m
}

func (m *uniformChannels) drain(now uint64) uint64 { return now }

func (m *uniformChannels) transfer(at, delay, addr uint64, bytes uint32, kind Kind) (ready, taken uint64) {
	_, index := m.spread.Split(addr)
	c := &m.list[index]
	delay = m.enqueue(&c.requests, at, delay, bytes, kind)
	m.counter.Hits++
	taken = at + delay
	delay = c.Reserve(at, delay, uint64(bytes)*m.cost, m.finite)
	c.requests.HoldUntil(at + delay)
	m.until = max(m.until, at+delay)
	m.part.notifyAccess(at, delay, addr, bytes)
	return at + delay + m.latency, taken
}
