package hierarchy

import (
	"spvsim/internal/spec"
	"spvsim/mem/contention"
	"spvsim/mem/fixed"
)

// A memory is behind the last cache. It takes a request when it has a free entry, and moves its bytes in either
// direction.
type memory interface {
	// transfer returns the cycle in which the bytes are back at the last cache, or acknowledged, and the cycle in which the
	// request is taken. The request arrives in at+delay, of which it has waited for delay.
	transfer(at, delay, addr uint64, bytes uint32, kind Kind) (ready, taken uint64)
	// drain sends the writes that wait, at a launch's end, and returns the cycle in which the last is done: now at the earliest.
	drain(now uint64) uint64
	busyUntil() uint64 // cycle by which all is moved that was asked so far
	levelCounter() *Counter
	attachHooks(part *Component)
}

// A device has what all memories have in common.
type device struct {
	interleave fixed.Interleave // over channels
	latency    uint64
	counter    Counter
	until      uint64     // cycle by which all is moved that was asked so far
	part       *Component // nil: not a component of a machine
}

func newDevice(s *MemorySpec) device {
	return device{interleave: s.Interleave(), latency: uint64(s.LatencyCycles), counter: Counter{Level: "memory"}}
}

func (d *device) levelCounter() *Counter      { return &d.counter }
func (d *device) busyUntil() uint64           { return d.until }
func (d *device) attachHooks(part *Component) { d.part = part }

// enqueue counts a request of a channel, and waits for an entry of its queue.
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
	m := s.Memory.InCycles(shape.ClockMHz)
	if s.DRAM.present() {
		return newDRAMChannels(&m, &s.DRAM, shape.ClockMHz, now)
	}
	return newUniformChannels(&m, now)
}

// uniformChannels is device memory whose channels move bytes at one rate, whatever the addresses.
type uniformChannels struct {
	device
	list   []channel
	cost   uint64
	finite bool // the queues of channels have a limit
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
	_, index := m.interleave.Split(addr)
	c := &m.list[index]
	delay = m.enqueue(&c.requests, at, delay, bytes, kind)
	m.counter.Hits++
	taken = at + delay
	delay = c.Reserve(at, delay, uint64(bytes)*m.cost, m.finite)
	c.requests.HoldUntil(at + delay)
	m.until = max(m.until, at+delay)
	if m.part.isObserved() {
		m.part.recordAccess(int(index), at, delay, addr, bytes)
	}
	return at + delay + m.latency, taken
}
