package graph

import (
	"slices"

	"spvsim/engine"
	"spvsim/scheduler"
)

// A entryLocation says where the entry of a payload is that waits.
type entryLocation uint8

const (
	onChip    entryLocation = iota // in an entry of its queue
	spilled                        // written to memory
	beingRead                      // being read back
	readBack                       // in a line buffer of its queue
)

// An spillBuffer is what of a hardware queue is in memory: entries for which there is none on chip. They are written and read back in
// whole lines, several of which may be under way, as by a DMA engine, through as many line buffers each way. Nothing waits for a line
// that is written unless all buffers are in use. Launches open before their entries have come, and the queue reads ahead into the buffers, out of
// which payloads are launched. So overflow costs bandwidth, and latency only where all open launches and all buffers together do not cover it.
type spillBuffer struct {
	*queue
	spec     *scheduler.QueueSpec
	pool     *pool
	stats    *graphStats
	ring     *ring
	launcher *launcher
	latency  uint64 // from when its entries have come until a launch starts

	depth       int // entries on chip
	threshold   int // payloads of a node at hand up to which the queue reads ahead
	lineBuffers int // line buffers each way
	lineEntries int // entries of a line

	entriesUsed     int // entries in use, by payloads that are there or on their way
	spilled         int // payloads in memory that are not being read back yet
	partialLine     int // of them, those that do not fill a line yet
	linesWriting    int // lines under way
	buffered        int // payloads in line buffers, those that are coming included
	transfers       engine.Stock[spillTransfer]
	waitingLaunches []*nodeLaunch // whose entries are coming
	blocked         blockedBatches
}

// A spillTransfer is the message that lines have been moved: written, or read back with these payloads.
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

// shareAmong gives the queue its part of the entries and of the line buffers, of which so many graphs have one each.
func (o *spillBuffer) shareAmong(among int) {
	o.depth, o.lineBuffers = max(o.spec.Depth/among, 1), max(o.spec.SpillLines/among, 1)
}

// takeEntries gives the payloads of a batch an entry each. Those that find none go to memory: the wave waits for lines that leave only when
// more are under way than may be.
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

// writeLines writes lines; held, if there is one, waits for them.
func (o *spillBuffer) writeLines(now uint64, unit, lines int, held *wait) {
	if held != nil {
		held.outstanding++
	}
	m := o.transfers.Take()
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
	o.port.Post(m, o.port, max(at, o.Engine.Soonest()))
}

// transferDone: lines have been moved.
func (o *spillBuffer) transferDone(now uint64, m *spillTransfer) {
	o.linesWriting -= m.written
	for _, i := range m.payloads {
		o.pool.payloads[i].location = readBack
	}
	o.transfers.Give(m)
	for _, q := range o.set.list { // another queue may have taken some
		q.spill.waitingLaunches = slices.DeleteFunc(q.spill.waitingLaunches, func(l *nodeLaunch) bool { return q.spill.launchIfRead(now, l) })
	}
}

// readEntries reads back the entries of the bin's next launch that are in memory, also where all line buffers are taken: the launch has space for them.
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

// launchWhenRead starts a launch, or keeps it until its entries have come.
func (o *spillBuffer) launchWhenRead(now uint64, l *nodeLaunch) {
	if !o.launchIfRead(now, l) {
		o.waitingLaunches = append(o.waitingLaunches, l)
	}
}

// launchIfRead starts a launch, unless entries of it are coming.
func (o *spillBuffer) launchIfRead(now uint64, l *nodeLaunch) bool {
	for _, i := range o.pool.arrays[l.input].elems {
		if o.pool.payloads[i].location == beingRead {
			return false
		}
	}
	o.launcher.readyFrom(l, now+o.latency)
	return true
}

// freeEntry: a payload has been taken for a launch.
func (o *spillBuffer) freeEntry(x *payload) {
	if x.location == onChip {
		o.entriesUsed--
	} else {
		o.buffered--
	}
}

// entryOwner is the bin whose entries a bin's payloads have: its own, or that of the node whose input it shares.
func (o *spillBuffer) entryOwner(b *nodeQueue) *nodeQueue {
	if b.base == nil {
		return b
	}
	return o.set.nodeQueues.of(b.base.stages[b.remaining], b.queue)
}

// refill reads ahead: where nodes have few payloads at hand, the queue reads lines for these nodes in turn, in the order of arbitration, until all
// line buffers are taken. So the threshold decides when reads begin, and the buffers how many are under way.
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

// worthReading says whether a line of the bin's payloads is to be read ahead: it is full, or will not become so, or few payloads are at hand.
// Lines that are read for a payload or two take the way to memory from those that are needed.
func (o *spillBuffer) worthReading(b *nodeQueue) bool {
	return b.spilled > 0 && (b.spilled >= o.lineEntries || o.numOnChip(b) < o.lineEntries || !o.stats.mayReceive(b.stage))
}

// numOnChip is how many payloads of the bin wait before the first that is in memory.
func (o *spillBuffer) numOnChip(b *nodeQueue) int {
	payloads := o.pool.payloads
	for b.scanned = max(b.scanned, b.head); b.scanned < len(b.fifo) && payloads[b.fifo[b.scanned].payload].location != spilled; {
		b.scanned++
	}
	return b.scanned - b.head
}

// readLine reads the bin's first payloads in memory back, a line of them at most, and says whether there were any.
func (o *spillBuffer) readLine(now uint64, b *nodeQueue) bool {
	m := o.transfers.Take()
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
		o.transfers.Give(m)
		return false
	}
	o.spilled, o.buffered = o.spilled-n, o.buffered+n
	b.spilled -= n
	o.partialLine = min(o.partialLine, o.spilled) // the rest never leaves
	o.stats.queue.Refills += uint64(n)
	o.stats.queue.RefillBytes += uint64(o.lineEntries) * entryBytes
	w := gather(now, func(at uint64) { o.post(m, at) })
	o.ring.readLine(now, w, o.set.firstUnit(b.queue), uint64(o.lineEntries)*entryBytes)
	w.close()
	return true
}

// removeStolen: another queue has taken payloads. Those that are being read back come all the same, and are its own then.
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

// addStolen: payloads of another queue have come, with what it had read back of them.
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
