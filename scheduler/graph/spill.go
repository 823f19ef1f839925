package graph

import (
	"slices"

	"spvsim/engine"
	"spvsim/scheduler"
)

// An entryLocation is where a waiting payload's entry is.
type entryLocation uint8

const (
	onChip    entryLocation = iota // in an entry of its queue
	spilled                        // written to memory
	beingRead                      // being read back
	readBack                       // in a line buffer of its queue
)

// A spillBuffer holds the entries of a hardware queue that are in memory, as the chip has none free. They are written
// and read back in whole lines, several at a time, as by a DMA engine, through line buffers in each direction. A write
// stalls a wave only if all buffers are in use. Launches open before their entries have come, and the queue reads
// ahead into the buffers, from which payloads are launched. So spilling costs bandwidth; it costs latency only where
// open launches and buffers together do not cover it.
type spillBuffer struct {
	*queue
	spec     *scheduler.QueueSpec
	pool     *pool
	stats    *graphStats
	ring     *ring
	launcher *launcher
	latency  uint64 // cycles from the arrival of a launch's entries to its start

	depth       int // entries on chip
	threshold   int // the queue reads ahead for nodes with at most so many entries on chip
	lineBuffers int // line buffers in each direction
	lineEntries int // entries in a line

	entriesUsed     int // on-chip entries in use, including those of payloads in flight
	spilled         int // entries in memory that are not being read back yet
	partialLine     int // spilled entries that do not fill a line yet
	linesWriting    int // lines being written
	buffered        int // entries in line buffers, including those being read back
	transfers       engine.Pool[spillTransfer]
	waitingLaunches []*nodeLaunch // launches whose entries are being read back
	blocked         blockedBatches
}

// A spillTransfer is the message that lines have been written, or read back with these payloads.
type spillTransfer struct {
	engine.Header
	written  int
	payloads []int32
}

func newSpillBuffer(q *queue, ring *ring, opener *launcher, launchCycles int) *spillBuffer {
	line, _ := ring.hierarchy.LineBytes()
	o := &spillBuffer{
		queue: q, spec: q.set.spec, pool: q.set.pool, stats: q.set.stats, ring: ring, launcher: opener, latency: uint64(launchCycles),
	}
	o.threshold, o.lineEntries, o.blocked.enter = o.spec.RefillThreshold, max(line/entryBytes, 1), &q.shared.enter
	o.shareAmong(1)
	return o
}

// shareAmong gives the queue its part of entries and line buffers, divided among so many graphs.
func (o *spillBuffer) shareAmong(among int) {
	o.depth, o.lineBuffers = max(o.spec.Depth/among, 1), max(o.spec.SpillLines/among, 1)
}

// takeEntries gives each payload of a batch an on-chip entry, or spills it. The wave waits for full lines only if more
// are being written than there are buffers.
func (o *spillBuffer) takeEntries(now uint64, b *batch, w *wait) {
	n := len(b.payloads)
	over := min(max(o.entriesUsed+n-o.depth, 0), n)
	o.entriesUsed += n - over
	for _, i := range b.payloads[n-over:] {
		o.pool.payloads[i].location = spilled
	}
	o.spilled += over
	o.stats.queue.Spills += uint64(over)
	o.partialLine += over
	lines := o.partialLine / o.lineEntries
	if o.partialLine %= o.lineEntries; lines == 0 {
		return
	}
	if o.linesWriting += lines; o.linesWriting <= o.lineBuffers {
		w = nil
	}
	o.writeLines(now, b.unit, lines, w)
}

// writeLines writes lines. held, unless nil, waits for them.
func (o *spillBuffer) writeLines(now uint64, unit, lines int, held *wait) {
	if held != nil {
		held.outstanding++
	}
	m := o.transfers.Acquire()
	m.written, m.payloads = lines, m.payloads[:0]
	w := gather(now, func(at uint64) {
		o.post(m, at)
		if held != nil {
			held.reply(at)
		}
	})
	o.stats.queue.SpillBytes += uint64(lines*o.lineEntries) * entryBytes
	o.ring.write(now, w, unit, lines*o.lineEntries)
	w.close()
}

func (o *spillBuffer) post(m *spillTransfer, at uint64) {
	o.port.Post(m, o.port, max(at, o.Engine.NextSecondary()))
}

// transferDone ends a transfer, and starts launches whose entries have all come.
func (o *spillBuffer) transferDone(now uint64, m *spillTransfer) {
	o.linesWriting -= m.written
	for _, i := range m.payloads {
		o.pool.payloads[i].location = readBack
	}
	o.transfers.Release(m)
	for _, q := range o.set.list { // another queue may have stolen some
		q.spill.waitingLaunches = slices.DeleteFunc(q.spill.waitingLaunches, func(l *nodeLaunch) bool { return q.spill.launchIfRead(now, l) })
	}
}

// readEntries reads back the spilled entries of the next launch, even if all line buffers are in use: the launch has
// space for them.
func (o *spillBuffer) readEntries(now uint64, b *nodeQueue) {
	if o.spilled == 0 {
		return
	}
	from := o.entryOwner(b)
	for _, e := range b.nextEntries() {
		x := &o.pool.payloads[e.payload]
		for x.location == spilled && o.readLine(now, from) {
		}
	}
}

// launchWhenRead starts a launch as soon as its entries have come.
func (o *spillBuffer) launchWhenRead(now uint64, l *nodeLaunch) {
	if !o.launchIfRead(now, l) {
		o.waitingLaunches = append(o.waitingLaunches, l)
	}
}

// launchIfRead starts a launch, unless entries of it are being read back.
func (o *spillBuffer) launchIfRead(now uint64, l *nodeLaunch) bool {
	for _, i := range o.pool.arrays[l.input].elems {
		if o.pool.payloads[i].location == beingRead {
			return false
		}
	}
	o.launcher.readyFrom(l, now+o.latency)
	return true
}

// freeEntry frees the entry of a launched payload.
func (o *spillBuffer) freeEntry(x *payload) {
	if x.location == onChip {
		o.entriesUsed--
	} else {
		o.buffered--
	}
}

// entryOwner returns the node queue that owns the entries of a node queue: itself, or that of the node whose input it
// shares.
func (o *spillBuffer) entryOwner(b *nodeQueue) *nodeQueue {
	if b.base == nil {
		return b
	}
	return o.set.nodeQueues.of(b.base.stages[b.remaining], b.queue)
}

// refill reads ahead: for nodes with few entries on chip, it reads a line each in the order of arbitration, until all
// line buffers are in use. The threshold decides when reads begin, the buffers how many are under way.
func (o *spillBuffer) refill(now uint64) {
	bins := o.set.nodeQueues
	for first, more := true, o.spilled > 0; more; first = false {
		more = false
		for k := range bins.order {
			b := bins.inOrder(o.index, k)
			if o.spilled == 0 || o.buffered+o.lineEntries > o.lineBuffers*o.lineEntries {
				return
			}
			if first {
				b.readsAhead = b.base == nil && b.spilled > 0 && o.numOnChip(b) <= o.threshold
			}
			if b.readsAhead && o.worthReading(b) && o.readLine(now, b) {
				more = true
			}
		}
	}
}

// worthReading reports whether to read a line ahead: it is full, or can't become full, or few entries are on chip.
// Lines of one or two entries would take bandwidth from those that are needed.
func (o *spillBuffer) worthReading(b *nodeQueue) bool {
	return b.spilled > 0 && (b.spilled >= o.lineEntries || o.numOnChip(b) < o.lineEntries || !o.stats.mayReceive(b.stage))
}

// numOnChip returns the number of payloads before the node queue's first spilled one.
func (o *spillBuffer) numOnChip(b *nodeQueue) int {
	payloads := o.pool.payloads
	for b.scanned = max(b.scanned, b.head); b.scanned < len(b.fifo) && payloads[b.fifo[b.scanned].payload].location != spilled; {
		b.scanned++
	}
	return b.scanned - b.head
}

// readLine reads back the node queue's first spilled entries, at most a line of them. It returns false if there are
// none.
func (o *spillBuffer) readLine(now uint64, b *nodeQueue) bool {
	m := o.transfers.Acquire()
	m.written, m.payloads = 0, m.payloads[:0]
	for b.scanned = max(b.scanned, b.head); b.scanned < len(b.fifo) && len(m.payloads) < o.lineEntries; b.scanned++ {
		i := b.fifo[b.scanned].payload
		if x := &o.pool.payloads[i]; x.location == spilled {
			x.location = beingRead
			m.payloads = append(m.payloads, i)
		}
	}
	n := len(m.payloads)
	if n == 0 {
		o.transfers.Release(m)
		return false
	}
	o.spilled, o.buffered = o.spilled-n, o.buffered+n
	b.spilled -= n
	o.partialLine = min(o.partialLine, o.spilled) // a partial line is not written any more
	o.stats.queue.Refills += uint64(n)
	o.stats.queue.RefillBytes += uint64(o.lineEntries) * entryBytes
	w := gather(now, func(at uint64) { o.post(m, at) })
	o.ring.readLine(now, w, o.set.firstUnit(b.queue), uint64(o.lineEntries)*entryBytes)
	w.close()
	return true
}

// removeStolen removes the entries of stolen payloads. Entries being read back still come, for the thief.
func (o *spillBuffer) removeStolen(b *nodeQueue, list []queuedPayload) {
	for _, e := range list {
		switch o.pool.payloads[e.payload].location {
		case onChip:
			o.entriesUsed--
		case spilled:
			b.spilled--
			o.spilled--
			o.partialLine = min(o.partialLine, o.spilled)
		default:
			o.buffered--
		}
	}
}

// addStolen adds the entries of payloads stolen from another queue, with those that it had read back.
func (o *spillBuffer) addStolen(b *nodeQueue, list []queuedPayload) {
	for _, e := range list {
		switch o.pool.payloads[e.payload].location {
		case onChip:
			o.entriesUsed++
		case spilled:
			b.spilled++
			o.spilled++
		default:
			o.buffered++
		}
	}
}
