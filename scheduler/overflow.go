package scheduler

import (
	"slices"

	"spvsim/engine"
	"spvsim/mem/hierarchy"
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
// that is written unless all buffers are in use. Launches open before their entries have come, and the queue reads ahead into the buffers, out of
// which payloads are launched. So overflow costs bandwidth, and latency only where all open launches and all buffers together do not cover it.
type overflow struct {
	queue     *queue
	depth     int // entries on chip
	threshold int // payloads of a node at hand up to which the queue reads ahead
	most      int // line buffers each way
	line      int // entries of a line

	chip     int // entries in use, by payloads that are there or on their way
	away     int // payloads in memory that are not being read back yet
	packed   int // of them, those that do not fill a line yet
	writing  int // lines under way
	buffered int // payloads in line buffers, those that are coming included
	moves    engine.Stock[move]
	opening  []*launch // whose entries are coming
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
func (o *overflow) moved(now uint64, m *move) {
	o.writing -= m.written
	for _, i := range m.payloads {
		o.queue.run.memory.pool.payloads[i].place = readBack
	}
	o.moves.Give(m)
	for _, q := range o.queue.run.queues { // another queue may have taken some
		q.over.opening = slices.DeleteFunc(q.over.opening, func(l *launch) bool { return q.over.start(now, l) })
	}
}

// ask reads back the entries of the bin's next launch that are in memory, also where all line buffers are taken: the launch has space for them.
func (o *overflow) ask(now uint64, b *bin) {
	if o.away == 0 {
		return
	}
	from := o.owner(b)
	for _, e := range b.next() {
		x := &o.queue.run.memory.pool.payloads[e.payload]
		for x.place == inMemory && o.fetch(now, from) {
		}
	}
}

// open starts a launch, or keeps it until its entries have come.
func (o *overflow) open(now uint64, l *launch) {
	if !o.start(now, l) {
		o.opening = append(o.opening, l)
	}
}

// start starts a launch, unless entries of it are coming.
func (o *overflow) start(now uint64, l *launch) bool {
	r := o.queue.run
	for _, i := range r.memory.pool.arrays[l.input].elems {
		if r.memory.pool.payloads[i].place == coming {
			return false
		}
	}
	r.opener.ready(l, now+uint64(r.spec.Scheduler.LaunchCycles))
	return true
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

// refill reads ahead: where nodes have few payloads at hand, the queue reads lines for these nodes in turn, in the order of arbitration, until all
// line buffers are taken. So the threshold decides when reads begin, and the buffers how many are under way.
func (o *overflow) refill(now uint64) {
	opener := &o.queue.run.opener
	for first, more := true, o.away > 0; more; first = false {
		more = false
		for k := range opener.order {
			b := opener.at(o.queue.index, k)
			if o.away == 0 || o.buffered+o.line > o.most*o.line {
				return
			}
			if first {
				b.low = b.base == nil && b.away > 0 && o.atHand(b) <= o.threshold
			}
			if b.low && o.worth(b) && o.fetch(now, b) {
				more = true
			}
		}
	}
}

// worth says whether a line of the bin's payloads is to be read ahead: it is full, or will not become so, or few payloads are at hand.
// Lines that are read for a payload or two take the way to memory from those that are needed.
func (o *overflow) worth(b *bin) bool {
	return b.away > 0 && (b.away >= o.line || o.atHand(b) < o.line || !o.queue.run.ledger.feeds(b.stage))
}

// atHand is how many payloads of the bin wait before the first that is in memory.
func (o *overflow) atHand(b *bin) int {
	payloads := o.queue.run.memory.pool.payloads
	for b.scan = max(b.scan, b.head); b.scan < len(b.fifo) && payloads[b.fifo[b.scan].payload].place != inMemory; {
		b.scan++
	}
	return b.scan - b.head
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

// readLine reads a line of entries back, each time the next one after those that were read: the one that was written first.
func (m *queueMemory) readLine(now uint64, w *wait, unit int, bytes uint64) {
	if m.ringRead+bytes > ringBytes {
		m.ringRead = counterBytes
	}
	at := m.ring + m.ringRead
	m.ringRead += bytes
	m.access(now, w, unit, hierarchy.Read, at, bytes, 1)
}
