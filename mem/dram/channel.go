package dram

import "math/bits"

// A Config describes a channel.
type Config struct {
	Standard *Standard
	// UnitsPerNs are the units of time of a nanosecond, and UnitsPerByte those in which the data bus moves a byte.
	UnitsPerNs, UnitsPerByte float64
	Queue                    int // requests among which the controller looks for one to an open row
	Writes                   int // entries of the write queue; it is drained when it is full
	Drained                  int // entries that a drain leaves
	GroupBytes               int // consecutive bytes in one bank group
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
	row    uint64
	opened uint64 // time of the activation
	closed uint64 // time of the precharge
	seen   uint64 // requests that the channel had seen by then
}

// pastRows is how many rows of a bank the controller may still have requests of.
const pastRows = 4

type bank struct {
	bankTiming
	row     uint64
	refresh uint64 // time of the next refresh
	opened  uint64 // time of the activation; all up to here is a line of the host's cache
	open    bool
	oldest  uint8
	past    [pastRows]pastRow
	_       [56]byte
}

// A channel is a pseudo-channel: what has a data bus and banks of its own.
type channel struct {
	c         *Config
	rules     *[numCommands][]rule
	bus       calendar // of bursts, and of the turns of the data bus
	groups    []group
	activates calendar // of activations
	banks     []bank
	moved     func(start, end uint64) // tests look at the data bus; nil: none
	seen      uint64                  // requests
	busy      uint64                  // time at which the data bus is done with what is booked
	tail      uint64                  // slot after the last burst of the last writes sent together
	turned    uint64                  // slots from there on that the turn before reads took
	writes    queue
	refresh   uint64 // interval of a bank
	apart     uint64 // between activations
	burst     uint64
	ready     uint64              // from when writes are to be sent to their first data: their rows are opened
	gap       [numCommands]uint64 // slots in which the data bus turns, before data of reads and of writes
	latency   [numCommands]uint64 // from a column command to its data
	counts    Counts
	address
}

// anyShift is the mask of a shift of 64 bits, which spares the test for longer ones.
const anyShift = 63

// An address is split into bank group, bank and row.
type address struct {
	groupShift, columnShift, bankShift uint
	groupMask, bankMask                uint64 // of their numbers
	inUnit                             uint64 // mask of consecutive bytes in one bank group
}

// A Memory is a channel of the machine: one or more pseudo-channels, which take turns by address.
type Memory struct {
	channels []channel
	shift    uint // log2 of consecutive bytes in one pseudo-channel
}

// interleaveBytes are consecutive bytes in one pseudo-channel: as many as the longest line.
const interleaveBytes = 128

// New makes a channel whose configuration has been checked.
func New(c *Config) *Memory {
	m := &Memory{channels: make([]channel, c.Standard.PseudoChannels), shift: log2(interleaveBytes)}
	rules := c.rules()
	for i := range m.channels {
		m.channels[i].init(c, rules)
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

func (ch *channel) init(c *Config, rules *[numCommands][]rule) {
	s, t, clock := c.Standard, &c.Standard.Timings, c.clock()
	*ch = channel{c: c, rules: rules, groups: make([]group, s.Groups), banks: make([]bank, s.Groups*s.Banks),
		writes: newQueue(c.Writes), refresh: units(t.REFI, c.UnitsPerNs), apart: units(t.activations(), c.UnitsPerNs),
		burst: units(t.burst(clock), c.UnitsPerNs), address: newAddress(c)}
	ch.latency[Read], ch.latency[Write] = units(t.CL, c.UnitsPerNs), units(t.CWL, c.UnitsPerNs)
	ch.ready = units(t.RP+t.RCDWR+t.CWL, c.UnitsPerNs)
	ch.gap[Read], ch.gap[Write] = ch.turnOf(Write, Read), ch.turnOf(Read, Write)
	for i := range ch.groups {
		ch.groups[i].apart = uint64((t.CCDL + t.BL - 1) / t.BL)
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

func newAddress(c *Config) address {
	s := c.Standard
	unit := log2(max(c.GroupBytes, s.BurstBytes))
	return address{groupShift: unit, columnShift: log2(s.Groups) + log2(s.RowBytes) - unit, bankShift: log2(s.Banks),
		inUnit: 1<<unit - 1, groupMask: uint64(s.Groups - 1), bankMask: uint64(s.Banks - 1)}
}

func log2(n int) uint { return uint(bits.Len(uint(n)) - 1) }

// Access books a request that comes at a time: from when on it is in the controller's hands, when a read's data
// are there, and whether a row was opened meanwhile. A write waits in the write queue, and is done for whoever sent it when it has an entry.
func (m *Memory) Access(at, addr uint64, bytes uint32, isWrite bool) (accepted, done uint64, opened bool) {
	ch, local := m.split(addr)
	ch.seen++
	ch.counts.Bytes += uint64(bytes)
	before := ch.counts.opened()
	if isWrite {
		accepted = ch.post(at, local, bytes)
		done = accepted
	} else {
		ch.idle(at)
		accepted, done = at, ch.bursts(at, 0, local, bytes, Read)
	}
	return accepted, done, ch.counts.opened() != before
}

// split picks the pseudo-channel, and the address in it.
func (m *Memory) split(addr uint64) (*channel, uint64) {
	n := uint64(len(m.channels))
	if n == 1 {
		return &m.channels[0], addr
	}
	unit, rest := addr>>m.shift, addr&(1<<m.shift-1)
	i := (unit ^ unit/n ^ unit/(n*n)) % n
	return &m.channels[i], unit/n<<m.shift | rest
}

// post puts a write into the queue: where that is full, when an entry is free.
func (ch *channel) post(at, addr uint64, bytes uint32) uint64 {
	if ch.c.Writes == 0 {
		at, first := ch.block(at, at, bytes)
		return ch.sent(ch.bursts(at, first, addr, bytes, Write))
	}
	at = ch.writes.put(write{at, addr, bytes})
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
		bytes, came = bytes+w.bytes, max(came, w.at)
	}
	at = max(at, came)
	at, first := ch.block(at, came, bytes)
	for i := range n {
		w := &ch.writes.list[i]
		end := ch.bursts(at, first, w.addr, w.bytes, Write)
		ch.writes.leave(w, end-ch.burst)
		done = max(done, end)
	}
	ch.writes.drop(n)
	return ch.sent(done)
}

// block finds a stretch of the data bus for writes that are sent together, and books the turn before it. Those that
// came while others were sent go on with them, if nothing else is booked there; others from time at on. Reads take slots
// before and after. It returns from when on rows are opened for them, and the first slot.
func (ch *channel) block(at, came uint64, bytes uint32) (from, first uint64) {
	size := uint64(ch.c.Standard.BurstBytes)
	n, before, after := (uint64(bytes)+size-1)/size, ch.gap[Write], ch.gap[Read]
	last := ch.tail + after
	first = max(ch.tail, slotOf(came+ch.ready, ch.burst))
	if first <= last && ch.bus.booked(last) >= first+n+after {
		ch.bus.give(ch.tail, ch.turned)
		return came, first
	}
	ch.counts.BusTurnarounds++
	start := slotOf(at+ch.ready, ch.burst)
	first = ch.bus.run(start-min(start, before), before+n+after) + before
	ch.bus.reserve(first-before, before)
	return at, first
}

// sent books the turn after writes of which the last is done.
func (ch *channel) sent(done uint64) uint64 {
	ch.tail = done / ch.burst
	ch.turned = ch.bus.reserve(ch.tail, ch.gap[Read])
	return done
}

// idle sends writes while the data bus has nothing else to do before a read comes.
func (ch *channel) idle(at uint64) {
	n, until := 0, ch.busy+ch.turn()
	for n < len(ch.writes.list) {
		w := &ch.writes.list[n]
		if until = max(until, w.at+ch.turn()) + uint64(w.bytes)/uint64(ch.c.Standard.BurstBytes)*ch.burst; until >= at {
			break
		}
		n++
	}
	ch.drain(ch.busy, n)
}

// turn returns the cycles that collected writes and a read after them take beyond their bursts. A shorter idle time is
// not used to send them.
func (ch *channel) turn() uint64 { return ch.ready + (ch.gap[Read]+ch.gap[Write])*ch.burst }

// Flush sends all writes, and returns when the last is done: not before a time.
func (m *Memory) Flush(at uint64) uint64 {
	done := at
	for i := range m.channels {
		ch := &m.channels[i]
		done = max(done, ch.drain(min(at, max(ch.busy, 1)), len(ch.writes.list)), ch.busy)
	}
	return done
}

// opened is how many rows were.
func (c *Counts) opened() uint64 { return c.Misses + c.Conflicts }

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

// bursts moves the bytes of a request, in slots of the data bus from one on, and returns when the last are there.
func (ch *channel) bursts(at, first, addr uint64, bytes uint32, column Command) (done uint64) {
	size := uint64(ch.c.Standard.BurstBytes)
	end := addr + uint64(bytes)
	for a := addr &^ (size - 1); a < end; {
		g, index, row := ch.locate(a)
		for next := min(end, (a|ch.inUnit)+1); a < next; a += size {
			done = max(done, ch.access(at, first, &ch.groups[g], &ch.banks[index], row, column))
		}
	}
	ch.busy = max(ch.busy, done)
	return done
}

// locate finds the bank group, the bank and the row of a burst: bank groups follow each other every few bytes, so that a
// stream is not held up by one of them; then the columns of a row; then the banks.
func (ch *channel) locate(addr uint64) (g, index int, row uint64) {
	u := addr >> (ch.groupShift & anyShift)
	group := u & ch.groupMask
	u >>= ch.columnShift & anyShift
	b := u & ch.bankMask
	row = u >> (ch.bankShift & anyShift)
	if ch.c.HashBanks {
		b = (b ^ row ^ row>>(ch.bankShift&anyShift)) & ch.bankMask
	}
	return int(group), int(group<<(ch.bankShift&anyShift) | b), row
}

// access books a burst: a row that is open, or that a controller with the request in its queue would not have closed yet,
// needs a column command only; others are opened first.
func (ch *channel) access(at, first uint64, g *group, b *bank, row uint64, column Command) uint64 {
	ch.refreshed(at, b)
	if b.row == row && b.open {
		ch.counts.Hits++
	} else if past := ch.joins(at, b, row); past != nil {
		ch.counts.Hits++
		return ch.column(max(at, past.opened), first, g, nil, column)
	} else {
		ch.change(at, b, row)
	}
	return ch.column(at, first, g, b, column)
}

// column sends a read or a write to an open row in the first free slot of the data bus from one on, and returns when its data are
// there.
func (ch *channel) column(at, first uint64, g *group, b *bank, column Command) uint64 {
	if b != nil {
		at = max(at, b.bankTiming[column])
	}
	slot := ch.bus.free(max(first, slotOf(at+ch.latency[column], ch.burst)))
	for !g.fits(slot) {
		slot = ch.bus.free(slot + 1)
	}
	ch.bus.take(slot)
	g.take(slot)
	start := slot * ch.burst
	if b != nil {
		ch.apply(column, start-ch.latency[column], b)
	}
	if ch.moved != nil {
		ch.moved(start, start+ch.burst)
	}
	return start + ch.burst
}

// change opens another row of a bank.
func (ch *channel) change(at uint64, b *bank, row uint64) {
	if !b.open {
		ch.counts.Misses++
	} else {
		ch.counts.Conflicts++
		closed := max(at, b.bankTiming[Precharge])
		ch.apply(Precharge, closed, b)
		b.past[b.oldest] = pastRow{b.row, b.opened, closed, ch.seen}
		b.oldest = (b.oldest + 1) % pastRows
	}
	slot := ch.activates.free(slotOf(max(at, b.bankTiming[Activate]), ch.apart))
	ch.activates.take(slot)
	ch.apply(Activate, slot*ch.apart, b)
	b.row, b.open, b.opened = row, true, b.bankTiming[Read]
}

// joins finds the row among those that were open, where the request comes before its row was closed for another one, and
// while that one was still in the controller's queue with it: first ready, first served, this one goes first.
func (ch *channel) joins(at uint64, b *bank, row uint64) *pastRow {
	for i := range b.past {
		p := &b.past[i]
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
