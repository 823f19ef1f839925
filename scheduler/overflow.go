package scheduler

import (
	"spvsim/engine"
	"spvsim/mem"
)

// A place says where the entry of a payload is that waits.
type place uint8

const (
	onChip   place = iota // in an entry of its queue
	inMemory              // written to memory
	coming                // being read back
	readBack              // in a line buffer of its queue
)

// An overflow is what of a hardware queue is in memory: entries for which there is none on chip. They are written and read back in
// whole lines, several of which may be under way, as by a DMA engine, through as many line buffers each way. Nothing waits for a line
// that is written unless all buffers are in use; and before a node has none at hand the queue reads ahead into the buffers, out of which payloads
// are launched. So what waits in memory costs bandwidth, and latency only where the queue comes to it sooner.
type overflow struct {
	queue     *queue
	depth     int // entries on chip
	threshold int // payloads of a node at hand up to which the queue reads the next line of them
	most      int // line buffers each way
	line      int // entries of a line

	chip     int // entries in use, by payloads that are there or on their way
	away     int // payloads in memory that are not being read back yet
	packed   int // of them, those that do not fill a line yet
	writing  int // lines under way
	buffered int // payloads in line buffers, those that are coming included
	moves    engine.Stock[move]
	held     held
}

// A move is the message that lines have been moved: written, or read back with these payloads.
type move struct {
	engine.Header
	written  int
	payloads []int32
}

func newOverflow(q *queue, lineBytes uint64) *overflow {
	o := &overflow{queue: q, threshold: q.run.spec.Queue.RefillThreshold, line: max(int(lineBytes/entryBytes), 1)}
	o.divide(1)
	return o
}

// divide gives the queue its part of the entries and of the line buffers, of which so many graphs have one each.
func (o *overflow) divide(among int) {
	s := &o.queue.run.spec.Queue
	o.depth, o.most = max(s.Depth/among, 1), max(s.SpillLines/among, 1)
}

// enter gives the payloads of a batch an entry each. Those that find none go to memory: the wave waits for lines that leave only when
// more are under way than may be.
func (o *overflow) enter(now uint64, b *batch, w *wait) {
	r, n := o.queue.run, len(b.payloads)
	over := min(max(o.chip+n-o.depth, 0), n)
	o.chip += n - over
	for _, i := range b.payloads[n-over:] {
		r.memory.pool.payloads[i].place = inMemory
	}
	o.away += over
	r.ledger.queue.Spills += uint64(over)
	o.packed += over
	lines := o.packed / o.line
	if o.packed %= o.line; lines == 0 {
		return
	}
	if o.writing += lines; o.writing <= o.most {
		w = nil
	}
	o.write(now, b.unit, lines, w)
}

// write writes lines; held, if there is one, waits for them.
func (o *overflow) write(now uint64, unit, lines int, held *wait) {
	if held != nil {
		held.legs++
	}
	m := o.moves.Take()
	m.written, m.payloads = lines, m.payloads[:0]
	w := gather(now, func(at uint64) {
		o.post(m, at)
		if held != nil {
			held.leg(at)
		}
	})
	o.queue.run.ledger.queue.SpillBytes += uint64(lines*o.line) * entryBytes
	o.queue.run.memory.write(now, w, unit, lines*o.line)
	w.close()
}

func (o *overflow) post(m *move, at uint64) {
	o.queue.port.Post(m, o.queue.port, max(at, o.queue.Engine.Soonest()))
}

// moved: lines have been moved.
func (o *overflow) moved(m *move) {
	o.writing -= m.written
	for _, i := range m.payloads {
		o.queue.run.memory.pool.payloads[i].place = readBack
	}
	o.moves.Give(m)
}

// present says whether the payloads of the bin's next launch are there. Those that are in memory are read back at once, whether
// there are buffers for them or not: the launch itself has space for them.
func (o *overflow) present(now uint64, b *bin) bool {
	if o.away == 0 && o.buffered == 0 {
		return true
	}
	all, from := true, o.owner(b)
	for _, e := range b.next() {
		x := &o.queue.run.memory.pool.payloads[e.payload]
		for x.place == inMemory && o.fetch(now, from) {
		}
		all = all && (x.place == onChip || x.place == readBack)
	}
	return all
}

// left: a payload has been taken for a launch.
func (o *overflow) left(x *payload) {
	if x.place == onChip {
		o.chip--
	} else {
		o.buffered--
	}
}

// owner is the bin whose entries a bin's payloads have: its own, or that of the node whose input it shares.
func (o *overflow) owner(b *bin) *bin {
	if b.base == nil {
		return b
	}
	return o.queue.run.opener.bin(b.base.stages[b.remaining], b.queue)
}

// refill reads ahead into free line buffers, a line for each node in turn of which few payloads are at hand, those first that are
// served first.
func (o *overflow) refill(now uint64) {
	opener := &o.queue.run.opener
	for more := o.away > 0; more; {
		more = false
		for k := range opener.order {
			b := opener.at(o.queue.index, k)
			if o.away == 0 || o.buffered+o.line > o.most*o.line {
				return
			}
			if b.base == nil && o.worth(b) && o.fetch(now, b) {
				more = true
			}
		}
	}
}

// worth says whether a line of the bin's payloads is to be read ahead: few are at hand, and the line is full or will not become so.
// Lines that are read for a payload or two take the way to memory from those that are needed.
func (o *overflow) worth(b *bin) bool {
	hand := b.atHand()
	return b.away > 0 && hand <= o.threshold && (b.away >= o.line || hand < o.line || !o.queue.run.ledger.feeds(b.stage))
}

// fetch reads the bin's first payloads in memory back, a line of them at most, and says whether there were any.
func (o *overflow) fetch(now uint64, b *bin) bool {
	r := o.queue.run
	m := o.moves.Take()
	m.written, m.payloads = 0, m.payloads[:0]
	for b.scan = max(b.scan, b.head); b.scan < len(b.fifo) && len(m.payloads) < o.line; b.scan++ {
		i := b.fifo[b.scan].payload
		if x := &r.memory.pool.payloads[i]; x.place == inMemory {
			x.place = coming
			m.payloads = append(m.payloads, i)
		}
	}
	n := len(m.payloads)
	if n == 0 {
		o.moves.Give(m)
		return false
	}
	o.away, o.buffered = o.away-n, o.buffered+n
	b.away -= n
	o.packed = min(o.packed, o.away) // the rest never leaves
	r.ledger.queue.Refills += uint64(n)
	r.ledger.queue.RefillBytes += uint64(o.line) * entryBytes
	w := gather(now, func(at uint64) { o.post(m, at) })
	r.memory.readLine(now, w, r.firstUnit(b.queue), uint64(o.line)*entryBytes)
	w.close()
	return true
}

// taken: another queue has taken payloads. Those that are being read back come all the same, and are its own then.
func (o *overflow) taken(b *bin, list []entry) {
	for _, e := range list {
		switch o.queue.run.memory.pool.payloads[e.payload].place {
		case onChip:
			o.chip--
		case inMemory:
			b.away--
			o.away--
			o.packed = min(o.packed, o.away)
		default:
			o.buffered--
		}
	}
}

// given: payloads of another queue have come, with what it had read back of them.
func (o *overflow) given(b *bin, list []entry) {
	for _, e := range list {
		switch o.queue.run.memory.pool.payloads[e.payload].place {
		case onChip:
			o.chip++
		case inMemory:
			b.away++
			o.away++
		default:
			o.buffered++
		}
	}
}

// readLine reads a line of entries back, each time the next one.
func (m *queueMemory) readLine(now uint64, w *wait, unit int, bytes uint64) {
	if m.ringRead+bytes > ringBytes || m.ringRead < counterBytes {
		m.ringRead = counterBytes
	}
	at := m.ring + m.ringRead
	m.ringRead += bytes
	m.access(now, w, unit, mem.Read, at, bytes, 1)
}
