package dram

import (
	"cmp"
	"math/bits"
)

// A Config describes a channel.
type Config struct {
	Standard *Standard
	// UnitsPerNs are the units of time of a nanosecond, and UnitsPerByte those in which the data bus moves a byte.
	UnitsPerNs, UnitsPerByte float64
	Queue                    int    // requests among which the controller looks for one to an open row
	Writes                   int    // entries of the write queue; it is drained when it is full
	Drained                  int    // entries that a drain leaves
	AddressMap               string // which bits of an address are what; empty: those of the standard
	HashBanks                bool
}

// Counts are the commands and row hits of a channel.
type Counts struct {
	Hits           uint64 // bursts to an open row
	Misses         uint64 // bursts to a bank without an open row
	Conflicts      uint64 // bursts to a bank with another row open
	Refreshes      uint64
	BusTurnarounds uint64 // of the data bus, from reads to writes
	Bytes          uint64
}

// A rule is a constraint in units of time.
type rule struct {
	to   Command
	time uint64
}

// A bankTiming is a bank: the earliest time of each command.
type bankTiming [numCommands]uint64

// A row that was open in a bank until a precharge.
type pastRow struct {
	row         uint64
	activatedAt uint64 // time of the activation
	closed      uint64 // time of the precharge
	seen        uint64 // requests that the channel had seen by then
}

// pastRows is how many rows of a bank the controller may still have requests of.
const pastRows = 4

type bank struct {
	bankTiming
	row         uint64
	refresh     uint64 // time of the next refresh
	activatedAt uint64 // time of the activation; all up to here is a line of the host's cache
	open        bool
	oldest      uint8
	pastRows    [pastRows]pastRow
	_           [56]byte
}

// A channel is a pseudo-channel: what has a data bus and banks of its own.
type channel struct {
	c *Config
	*addressMap
	rules           *[numCommands][]rule
	bus             calendar // of bursts, and of the turns of the data bus
	groups          []group
	activates       calendar // of activations, in all banks
	activated       []group  // of activations in the banks of each bank group
	banks           []bank
	onTransfer      func(start, end uint64) // tests look at the data bus; nil: none
	seen            uint64                  // requests
	busy            uint64                  // time at which the data bus is done with what is booked
	head, tail      uint64                  // slots of the first burst, and after the last one, of the last writes sent together
	closed          uint64                  // slot from which on the last of them that reads may not take are reserved
	reserved        uint64                  // those that were: free ones between writes, and the turn before reads
	writes          queue
	refresh         uint64 // interval of a bank
	activateSpacing uint64 // between activations
	burst           uint64
	ready           uint64              // from when writes are to be sent to their first data: their rows are opened
	gap             [numCommands]uint64 // slots in which the data bus turns, before data of reads and of writes
	latency         [numCommands]uint64 // from a column command to its data
	counts          Counts
}

// anyShift is the mask of a shift of 64 bits, which spares the test for longer ones.
const anyShift = 63

// A Memory is a channel of the machine: one or more pseudo-channels.
type Memory struct {
	channels []channel
	*addressMap
}

// New makes a channel whose configuration has been checked.
func New(c *Config) *Memory {
	text := c.AddressMap
	text = cmp.Or(text, c.Standard.AddressMap)
	addresses, err := newAddressMap(c.Standard, text, c.HashBanks)
	if err != nil {
		panic(err)
	}
	m := &Memory{make([]channel, c.Standard.PseudoChannels), addresses}
	rules := c.rules()
	for i := range m.channels {
		m.channels[i].init(c, rules, addresses)
	}
	return m
}

// clock is the data bus's, in nanoseconds: a pseudo-channel moves a burst in BL of them.
func (c *Config) clock() float64 {
	burst := c.UnitsPerByte * float64(c.Standard.PseudoChannels*c.Standard.BurstBytes)
	return burst / c.UnitsPerNs / float64(c.Standard.Timings.BL)
}

func (c *Config) rules() *[numCommands][]rule {
	t, clock := &c.Standard.Timings, c.clock()
	var list [numCommands][]rule
	for _, k := range Constraints {
		if k.At == Channel {
			continue // those of the data bus: see turnOf
		}
		list[k.From] = append(list[k.From], rule{k.To, units(k.Time(t, clock), c.UnitsPerNs)})
	}
	return &list
}

func (ch *channel) init(c *Config, rules *[numCommands][]rule, addresses *addressMap) {
	s, t, clock := c.Standard, &c.Standard.Timings, c.clock()
	*ch = channel{c: c, rules: rules, addressMap: addresses, groups: make([]group, s.Groups), activated: make([]group, s.Groups), banks: make([]bank, s.Groups*s.Banks),
		writes: newQueue(c.Writes), refresh: units(t.REFI, c.UnitsPerNs), activateSpacing: units(t.activations(), c.UnitsPerNs),
		burst: units(t.burst(clock), c.UnitsPerNs)}
	ch.latency[Read], ch.latency[Write] = units(t.CL, c.UnitsPerNs), units(t.CWL, c.UnitsPerNs)
	ch.ready = units(t.RP+t.RCDWR+t.CWL, c.UnitsPerNs)
	ch.gap[Read], ch.gap[Write] = ch.turnOf(Write, Read), ch.turnOf(Read, Write)
	for i := range ch.groups {
		ch.groups[i].minDistance, ch.groups[i].pairDistance = uint64(t.CCDL/t.BL), uint64((2*t.CCDL+t.BL-1)/t.BL)
		ch.activated[i].minDistance = slotOf(units(t.RRDL, c.UnitsPerNs), ch.activateSpacing)
	}
	for i := range ch.banks {
		ch.banks[i].refresh = ch.refresh * uint64(i+1) / uint64(len(ch.banks))
	}
}

// turnOf is how many slots of the data bus stay free between the data of two kinds of column command.
func (ch *channel) turnOf(from, to Command) uint64 {
	for _, k := range Constraints {
		if k.At == Channel && k.From == from && k.To == to {
			apart := units(k.Time(&ch.c.Standard.Timings, ch.c.clock()), ch.c.UnitsPerNs) + ch.latency[to]
			return slotOf(apart-min(apart, ch.latency[from]+ch.burst), ch.burst)
		}
	}
	return 0
}

func log2(n int) uint { return uint(bits.Len(uint(n)) - 1) }

// Access books a request that comes at a time: from when on it is in the controller's hands, when a read's data
// are there, and whether a row was opened meanwhile. A write waits in the write queue, and is done for whoever sent it when it has an entry.
func (m *Memory) Access(at, addr uint64, bytes uint32, isWrite bool) (accepted, done uint64, opened bool) {
	p := m.locate(addr)
	ch := &m.channels[p.pseudoChannel]
	ch.seen++
	ch.counts.Bytes += uint64(bytes)
	before := ch.counts.activations()
	if isWrite {
		accepted = ch.post(at, addr, bytes, &p)
		done = accepted
	} else {
		ch.idle(at)
		accepted, done = at, ch.bursts(at, 0, addr, bytes, &p, Read)
	}
	return accepted, done, ch.counts.activations() != before
}

// post puts a write into the queue: where that is full, when an entry is free.
func (ch *channel) post(at, addr uint64, bytes uint32, p *place) uint64 {
	if ch.c.Writes == 0 {
		at, first := ch.block(at, at, bytes)
		return ch.sent(ch.bursts(at, first, addr, bytes, p, Write))
	}
	at = ch.writes.admit(write{at, addr, bytes})
	if full := ch.writes.full(at); full > 0 {
		ch.drain(full, ch.c.Writes-ch.c.Drained)
	}
	return at
}

// drain sends the oldest n writes together, and returns when the last is done.
func (ch *channel) drain(at uint64, n int) (done uint64) {
	if n == 0 {
		return 0
	}
	bytes, came := uint32(0), uint64(0)
	for _, w := range ch.writes.list[:n] {
		bytes, came = bytes+w.bytes, max(came, w.arrival)
	}
	at = max(at, came)
	at, first := ch.block(at, came, bytes)
	for i := range n {
		w := &ch.writes.list[i]
		p := ch.locate(w.addr)
		end := ch.bursts(at, first, w.addr, w.bytes, &p, Write)
		ch.writes.releaseEntry(w, end-ch.burst)
		done = max(done, end)
	}
	ch.writes.drop(n)
	return ch.sent(done)
}

// block finds a stretch of the data bus for writes that are sent together, and books the turn before it. Those that
// came while others were sent go on with them, if nothing else is booked there, and fill the slots that bank groups of those left
// free; others go from time at on. Reads take slots before and after. It returns from when on rows are opened for them, and the first slot.
func (ch *channel) block(at, came uint64, bytes uint32) (from, first uint64) {
	size := uint64(ch.c.Standard.BurstBytes)
	n, before, after := (uint64(bytes)+size-1)/size, ch.gap[Write], ch.gap[Read]
	ready, last := slotOf(came+ch.ready, ch.burst), ch.tail+after
	if next := max(ch.tail, ready); next <= last && ch.bus.nextBooked(last) >= next+n+after {
		ch.bus.release(ch.closed, ch.reserved)
		return came, max(ch.head, ready)
	}
	ch.counts.BusTurnarounds++
	start := slotOf(at+ch.ready, ch.burst)
	first = ch.bus.freeRun(start-min(start, before), before+n+after) + before
	ch.bus.reserve(first-before, before)
	ch.head = first
	return at, first
}

// sent books the turn after writes of which the last is done, and the slots between the last of them that bank groups left free:
// no read comes between writes.
func (ch *channel) sent(done uint64) uint64 {
	ch.tail = done / ch.burst
	turn := ch.gap[Read]
	ch.closed = max(ch.head, ch.tail-min(ch.tail, 64-min(64, turn)))
	ch.reserved = ch.bus.reserve(ch.closed, ch.tail-ch.closed+turn)
	return done
}

// idle sends writes while the data bus has nothing else to do before a read comes.
func (ch *channel) idle(at uint64) {
	n, until := 0, ch.busy+ch.turnaroundCycles()
	for n < len(ch.writes.list) {
		w := &ch.writes.list[n]
		if until = max(until, w.arrival+ch.turnaroundCycles()) + uint64(w.bytes)/uint64(ch.c.Standard.BurstBytes)*ch.burst; until >= at {
			break
		}
		n++
	}
	ch.drain(ch.busy, n)
}

// turnaroundCycles returns the cycles that collected writes and a read after them take beyond their bursts. A shorter idle time is
// not used to send them.
func (ch *channel) turnaroundCycles() uint64 { return ch.ready + (ch.gap[Read]+ch.gap[Write])*ch.burst }

// Flush sends all writes, and returns when the last is done: not before a time.
func (m *Memory) Flush(at uint64) uint64 {
	done := at
	for i := range m.channels {
		ch := &m.channels[i]
		done = max(done, ch.drain(min(at, max(ch.busy, 1)), len(ch.writes.list)), ch.busy)
	}
	return done
}

// activations is how many rows were.
func (c *Counts) activations() uint64 { return c.Misses + c.Conflicts }

// Counts are of all pseudo-channels.
func (m *Memory) Counts() (sum Counts) {
	for i := range m.channels {
		c := &m.channels[i].counts
		sum.Hits += c.Hits
		sum.Misses += c.Misses
		sum.Conflicts += c.Conflicts
		sum.Refreshes += c.Refreshes
		sum.BusTurnarounds += c.BusTurnarounds
		sum.Bytes += c.Bytes
	}
	return sum
}

// bursts moves the bytes of a request, the first of them at a place, in slots of the data bus from one on, and returns
// when the last are there.
func (ch *channel) bursts(at, first, addr uint64, bytes uint32, p *place, column Command) (done uint64) {
	size := uint64(ch.c.Standard.BurstBytes)
	end := addr + uint64(bytes)
	for a := addr &^ (size - 1); a < end; {
		for next := min(end, (a|ch.inRow)+1); a < next; a += size {
			done = max(done, ch.access(at, first, p, column))
		}
		if a < end {
			*p = ch.locate(a)
		}
	}
	ch.busy = max(ch.busy, done)
	return done
}

// access books a burst: a row that is open, or that a controller with the request in its queue would not have closed yet,
// needs a column command only; others are opened first.
func (ch *channel) access(at, first uint64, p *place, column Command) uint64 {
	g, b := &ch.groups[p.group], &ch.banks[p.bank]
	ch.refreshed(at, b)
	if b.row == p.row && b.open {
		ch.counts.Hits++
	} else if past := ch.findPastRow(at, b, p.row); past != nil {
		ch.counts.Hits++
		return ch.column(max(at, past.activatedAt), first, g, nil, column)
	} else {
		ch.change(at, b, &ch.activated[p.group], p.row)
	}
	return ch.column(at, first, g, b, column)
}

// column sends a read or a write to an open row in the first free slot of the data bus from one on, and returns when its data are
// there.
func (ch *channel) column(at, first uint64, g *group, b *bank, column Command) uint64 {
	if b != nil {
		at = max(at, b.bankTiming[column])
	}
	slot := g.firstFit(&ch.bus, max(first, slotOf(at+ch.latency[column], ch.burst)))
	ch.bus.book(slot)
	g.book(slot)
	start := slot * ch.burst
	if b != nil {
		ch.apply(column, start-ch.latency[column], b)
	}
	if ch.onTransfer != nil {
		ch.onTransfer(start, start+ch.burst)
	}
	return start + ch.burst
}

// change opens another row of a bank.
func (ch *channel) change(at uint64, b *bank, g *group, row uint64) {
	if !b.open {
		ch.counts.Misses++
	} else {
		ch.counts.Conflicts++
		closed := max(at, b.bankTiming[Precharge])
		ch.apply(Precharge, closed, b)
		b.pastRows[b.oldest] = pastRow{b.row, b.activatedAt, closed, ch.seen}
		b.oldest = (b.oldest + 1) % pastRows
	}
	slot := g.firstFit(&ch.activates, slotOf(max(at, b.bankTiming[Activate]), ch.activateSpacing))
	ch.activates.book(slot)
	g.book(slot)
	ch.apply(Activate, slot*ch.activateSpacing, b)
	b.row, b.open, b.activatedAt = row, true, b.bankTiming[Read]
}

// findPastRow finds the row among those that were open, where the request comes before its row was closed for another one, and
// while that one was still in the controller's queue with it: first ready, first served, this one goes first.
func (ch *channel) findPastRow(at uint64, b *bank, row uint64) *pastRow {
	for i := range b.pastRows {
		p := &b.pastRows[i]
		if p.row == row && at < p.closed && ch.seen-p.seen < uint64(ch.c.Queue) {
			return p
		}
	}
	return nil
}

// refreshed refreshes a bank as often as is due.
func (ch *channel) refreshed(at uint64, b *bank) {
	if at < b.refresh {
		return
	}
	n := (at - b.refresh) / ch.refresh
	due := b.refresh + n*ch.refresh
	ch.counts.Refreshes += n + 1
	b.refresh = due + ch.refresh
	if b.open {
		due = max(due, b.bankTiming[Precharge])
		b.open = false
	}
	ch.apply(Refresh, due, b)
}

// apply keeps what a command sent to a bank at a time holds up.
func (ch *channel) apply(c Command, at uint64, b *bank) {
	for _, r := range ch.rules[c] {
		b.bankTiming[r.to] = max(b.bankTiming[r.to], at+r.time)
	}
}
