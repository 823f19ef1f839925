package hierarchy

import (
	"spvsim/internal/spec"
	"spvsim/mem/contention"
	"spvsim/mem/dram"
	"spvsim/mem/fixed"
)

// DRAMSpec describes the channels of device memory as DRAM of a standard.
type DRAMSpec struct {
	Standard   string `yaml:"standard" enum:"none|HBM|HBM2e|HBM3|GDDR6|LPDDR5X" doc:"kind of DRAM: banks, rows, activations, refresh and turns of the data bus; none, and any under memory.model: akita: a channel moves bytes_per_cycle times efficiency, whatever the addresses"`
	Queue      int    `yaml:"queue" default:"64" range:"0..65536" unit:"requests" doc:"requests of a channel among which the controller prefers those to an open row"`
	Writes     int    `yaml:"writes" default:"32" range:"0..65536" unit:"requests" doc:"entries of a channel's write queue; when it is full, writes are sent; 0: each write is sent at once"`
	Drained    int    `yaml:"drained" default:"8" range:"0..65536" unit:"requests" doc:"writes that stay in the write queue after it was full and writes were sent"`
	AddressMap string `yaml:"address_map" default:"" doc:"which bits of an address within a channel choose what, from the lowest one above a burst of 32 bytes on: col, pc (pseudo-channel), bg (bank group), ba (bank), sid (stack ID) and row, each with a number of bits, as in col2-pc1-bg2-ba2-col3-row15-sid1; empty: that of the standard"`
	HashBanks  bool   `yaml:"hash_banks" default:"true" doc:"whether bits of the row are added to those of the bank and the bank group, and the parity of these to the pseudo-channel, so that strides of a power of two do not return to the same bank"`
}

// present reports whether channels have banks.
func (d *DRAMSpec) present() bool { return d.Standard != "" && d.Standard != "none" }

// Check asks for a write queue that can be drained, and for an address map that fits the standard.
func (d DRAMSpec) Check() []spec.Problem {
	if standard, err := dram.Find(d.Standard); err == nil && d.AddressMap != "" {
		if err := dram.CheckMap(standard, d.AddressMap); err != nil {
			return []spec.Problem{spec.RangeProblem("address_map", "%v", err)}
		}
	}
	if d.present() && d.Writes > 0 && d.Drained >= d.Writes {
		return []spec.Problem{spec.RangeProblem("drained", "found %d: want less than writes, %d", d.Drained, d.Writes)}
	}
	return nil
}

// dramChannels is device memory whose channels are DRAM of a standard.
type dramChannels struct {
	device
	list []dramChannel
}

type dramChannel struct {
	*dram.Memory
	requests contention.Queue // not yet served
}

func newDRAMChannels(s *MemorySpec, d *DRAMSpec, clockMHz int, now *uint64) *dramChannels {
	standard, err := dram.Find(d.Standard)
	if err != nil {
		panic(err) // specs have been checked
	}
	c := &dram.Config{Standard: standard, UnitsPerNs: float64(clockMHz) / 1000 * (1 << fixed.Shift), UnitsPerByte: (1 << fixed.Shift) / s.SustainedBandwidth(),
		Queue: d.Queue, Writes: d.Writes, Drained: d.Drained, AddressMap: d.AddressMap, HashBanks: d.HashBanks}
	m := &dramChannels{device: newDevice(s), list: make([]dramChannel, s.Channels)}
	for i := range m.list {
		m.list[i] = dramChannel{dram.New(c), contention.NewQueue(s.Requests, now)}
	}
	return m
}

// withinChannel returns the channel of an address, and the address within it.
func (m *dramChannels) withinChannel(addr uint64) (channel, local uint64) {
	quotient, channel := m.interleave.Split(addr)
	return channel, quotient<<m.interleave.UnitShift | addr&(1<<m.interleave.UnitShift-1)
}

// transfer gives the request to the controller of its channel. A request whose rows are all open counts as a hit.
func (m *dramChannels) transfer(at, delay, addr uint64, bytes uint32, kind Kind) (ready, taken uint64) {
	index, local := m.withinChannel(addr)
	c := &m.list[index]
	delay = m.enqueue(&c.requests, at, delay, bytes, kind)
	accepted, done, opened := c.Access((at+delay)<<fixed.Shift, local, bytes, kind == Write)
	if opened {
		m.counter.Misses++
	} else {
		m.counter.Hits++
	}
	taken, ready = fixed.Ceil(accepted), fixed.Ceil(done)+m.latency
	c.requests.HoldUntil(max(taken, ready-m.latency))
	m.until = max(m.until, ready-m.latency)
	if m.part.isObserved() {
		m.part.recordAccess(int(index), at, delay, addr, bytes)
	}
	return ready, taken
}

// drain sends the writes that wait, and returns the cycle in which the last is done.
func (m *dramChannels) drain(now uint64) uint64 {
	done := now
	for i := range m.list {
		done = max(done, fixed.Ceil(m.list[i].Flush(now<<fixed.Shift)))
	}
	return done
}
