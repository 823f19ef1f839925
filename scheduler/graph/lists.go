package graph

import (
	"fmt"
	"slices"

	"spvsim/cu"
	"spvsim/engine"
	"spvsim/mem/hierarchy"
	"spvsim/scheduler"
)

// lists is a front end that walks lists of records in memory, as in Direct3D's Work Lists (DirectX-Specs,
// d3d/WorkLists.md, v0.84). A record names a program of a table, the payloads and the workgroups. Shaders append
// records to the list that comes next; the front end reads records ahead, looks their programs up and launches them.
//
// With a barrier, a list is read when the list before has ended and its writes have been flushed
// (END_WITH_WAIT_FOR_COMPLETION and END_WITH_MEMORY_FLUSH), so the device decides how long the chain is. Where payload
// memory is too short for the workgroups of a list, the next list starts before it has ended.
type lists struct {
	pushPolicy
	inMemory
	engine     *engine.Engine
	dispatcher *scheduler.Dispatcher
	launcher   *launcher
	fetch      *hierarchy.FetchPath // nil: reads go through the path of the first compute unit
	spec       *scheduler.SchedulerSpec
	costs      recordCosts
	commands   *CommandProcessor // records are commands that it reads; nil: a front end of its own walks them
	barrier    bool              // a list is read when the list before has ended
	uncached   bool              // records are past the L2
	all        []*workList
	order      []*workList // in which the front end takes them up
	chunk      uint64      // records that are read together
	fetches    engine.Pool[recordFetch]
	underWay   []*recordFetch
	targets    []int  // records of a batch, by list
	appends    uint64 // batches appended

	// With a barrier: the lists that have been begun have not ended; cycle in which the next begin, cu.Never: not known.
	running bool
	beginAt uint64
}

// A workList is a list of records.
type workList struct {
	index         int
	base, size    uint64 // bytes of the ring that hold its records
	written, read uint64 // offsets of the next record
	records       []recordRun
	head          int
	waiting, open uint64 // records that have been appended and not launched; those of them that may be read
	buffered      uint64 // records in the front end's buffers
	inFlight      uint64 // records that are being read
	walked        bool   // the front end has taken it up
	header        bool   // its header has been read
}

// A recordRun is equal records that follow each other.
type recordRun struct {
	nodeQueue *nodeQueue
	payloads  uint64 // of each record
	repeat    uint64
}

// A recordFetch is a read of records of a list, of its header (no records), or of a slot of the program table (no
// list).
type recordFetch struct {
	wait
	list    *workList
	records uint64
	launch  *nodeLaunch // of the record whose program it reads
	from    uint64
	known   bool // at is the cycle of the reply
}

// recordCosts are the times of the front end for a record, in cycles.
type recordCosts struct {
	gap          uint64 // from record to record, in 1/2^RateBits cycles
	launch       uint64 // until its first workgroup may be placed
	change, miss uint64 // for another program than before, and for one that is not cached
	programs     int    // slots of the program table that are cached; 0: records have their programs
}

// A listReader is the front end's state, which all graphs share. Times are in 1/2^RateBits cycles.
type listReader struct {
	freeAt   uint64  // time from which it can take the next record
	waits    bool    // it waits for a slot of the program table
	programs []*Node // cached, the last used first
}

const (
	listHeaderBytes  = 48 // the count, flags, and addresses of the records and of the next list, in a multiple of 16
	programSlotBytes = 32 // the program's identifier (D3D12_PROGRAM_IDENTIFIER)
	tableBytes       = 8 << 10
)

// newLists makes the lists of a graph, and the front end that walks them.
func newLists(r *Run) (policy, error) {
	s := &r.spec.Scheduler
	n := 1
	if s.ListSplit == "node" {
		n = len(r.graph.Nodes)
	}
	o := makeLists(r, n)
	o.barrier = s.ListBarrier
	o.costs = recordCosts{scheduler.RateGap(s.ListRate), uint64(s.LaunchCycles), uint64(s.ListChangeCycles), uint64(s.ListMissCycles), s.ListPrograms}
	return o, nil
}

// makeLists makes n lists of a graph.
func makeLists(r *Run, n int) *lists {
	s := &r.spec.Scheduler
	o := &lists{inMemory: r.inMemory(), engine: r.Engine, dispatcher: r.Dispatcher, launcher: r.launcher, fetch: r.FetchPath, spec: s, uncached: s.ListMemory == "memory", beginAt: cu.Never}
	line, _ := r.Hierarchy.LineBytes()
	const bytes = ringBytes - counterBytes - tableBytes
	size := max(bytes/uint64(n)&^255, 4<<10)
	for i := range n {
		o.all = append(o.all, &workList{index: i, base: uint64(i) * size % (bytes - size + 1) &^ 255, size: size})
	}
	for _, stage := range r.queues.nodeQueues.order {
		if l := o.listOf(r.graph.stages[stage].Node); !slices.Contains(o.order, l) {
			o.order = append(o.order, l)
		}
	}
	o.chunk = uint64(min(max(line/s.ListRecordBytes, 1), s.ListReadAhead))
	o.targets = make([]int, n)
	for _, b := range r.queues.nodeQueues.list {
		b.hostFirst = true
	}
	r.queues.arrived = o.appendBatch
	return o
}

func (o *lists) listOf(n *Node) *workList {
	return o.all[n.id%len(o.all)]
}

// Enqueue has a wave append records: it takes places in each list with an atomic for each record or one in all, for
// which it waits, and writes the records.
func (o *lists) Enqueue(now uint64, b *batch) {
	clear(o.targets)
	for _, i := range b.payloads {
		to := o.launcher.pool.stageOf(i)
		o.targets[o.listOf(to.Node).index]++
		for _, s := range to.sharers {
			o.targets[o.listOf(s).index]++
		}
	}
	written := gather(now, func(at uint64) { o.queues.release(b, at) })
	written.outstanding++
	taken := gather(now, func(at uint64) {
		o.stats.stall(&o.stats.queue.StallMemory, at-now)
		o.queues.accept(b, at)
		written.reply(at)
	})
	for _, l := range o.all {
		n := o.targets[l.index]
		if n == 0 {
			continue
		}
		atomics := 1
		if o.spec.ListAppend == "record" {
			atomics = n
		}
		for range atomics {
			o.ring.atomic(now, taken, b.unit, counterEntry+l.index)
		}
		o.ring.request(now, written, hierarchy.Request{CU: b.unit, Kind: hierarchy.Write, Uncached: o.uncached}, o.place(l, &l.written, n), uint64(n*o.spec.ListRecordBytes))
	}
	taken.close()
	written.close()
}

// place returns the address of the next n records of a list, and moves the offset on. A list that has filled its part
// of the ring begins again.
func (o *lists) place(l *workList, offset *uint64, n int) uint64 {
	bytes := min(uint64(n*o.spec.ListRecordBytes), l.size)
	if *offset+bytes > l.size {
		*offset = 0
	}
	at := o.ring.addr + counterBytes + l.base + *offset
	*offset += bytes
	return at
}

// appendBatch appends the records of a batch that has arrived.
func (o *lists) appendBatch(b *batch) {
	o.appends++
	for _, i := range b.payloads {
		to := o.launcher.pool.stageOf(i)
		o.appendPayload(o.queues.nodeQueues.of(to, 0))
		for _, s := range to.sharers {
			o.appendPayload(o.queues.nodeQueues.of(s.stages[to.remaining], 0))
		}
	}
}

// appendPayload appends a record. Records of coalescing and packed nodes have the payloads of one batch, up to as many
// as start together.
func (o *lists) appendPayload(b *nodeQueue) {
	l := o.listOf(b.Node)
	if b.appendedBy == o.appends {
		if r := &l.records[b.appendedAt]; r.payloads < b.batchSize() {
			r.payloads++
			return
		}
	}
	o.appendRun(l, recordRun{b, 1, 1})
	b.appendedBy, b.appendedAt = o.appends, len(l.records)-1
}

// appendRun appends records. Single payloads of one node queue make one run.
func (o *lists) appendRun(l *workList, r recordRun) {
	l.waiting += r.repeat
	if !o.barrier {
		l.open = l.waiting
	}
	if n := len(l.records); n > l.head && r.nodeQueue.batchSize() == 1 && l.records[n-1].nodeQueue == r.nodeQueue {
		l.records[n-1].repeat += r.repeat
		return
	}
	l.records = append(l.records, r)
}

// Start begins with the list of the host's payloads.
func (o *lists) Start(now uint64) {
	o.running, o.beginAt = false, now
	for _, id := range o.queues.nodeQueues.order {
		b := o.queues.nodeQueues.list[id]
		if b.numHostPayloads == 0 {
			continue
		}
		l, each := o.listOf(b.Node), b.batchSize()
		if n := b.numHostPayloads / each; n > 0 {
			o.appendRun(l, recordRun{b, each, n})
		}
		if rest := b.numHostPayloads % each; rest > 0 {
			o.appendRun(l, recordRun{b, rest, 1})
		}
	}
}

// Tick takes in what has been read, reads on, and launches records.
func (o *lists) Tick(now uint64, queue int) uint64 {
	if o.barrier && !o.running && !o.begin(now) {
		return o.beginAt
	}
	q := o.queues.list[queue]
	q.shared.roundRobin.beginTick()
	o.takeReplies(now, q)
	o.readLists(now)
	next := o.launchRecords(now, q)
	o.readLists(now)
	for _, f := range o.underWay {
		if f.known {
			next = min(next, f.at)
		}
	}
	q.shared.roundRobin.endTick(q)
	if o.running && o.walkedAll() {
		o.dispatcher.Wake(now) // a list that starts nothing ends
	}
	return next
}

// begin opens the lists that have been written. It returns false before the barrier is over.
func (o *lists) begin(now uint64) bool {
	if o.beginAt > now {
		return false
	}
	o.ring.hierarchy.KernelBoundary()
	o.running = true
	for _, l := range o.all {
		l.open = l.waiting
	}
	return true
}

// walkedAll reports whether all records that may be read have been launched.
func (o *lists) walkedAll() bool {
	return !slices.ContainsFunc(o.all, func(l *workList) bool { return l.open > 0 })
}

// OnIdle ends the lists when all their workgroups have ended, or when those left wait for payload memory.
func (o *lists) OnIdle(now, next uint64) {
	if !o.running || o.stats.resident > 0 || o.stats.inFlight > 0 || !o.walkedAll() {
		return
	}
	if o.stats.openLaunches > 0 && (next < cu.Never || o.launcher.anyHasMemory()) {
		return
	}
	more := slices.ContainsFunc(o.all, func(l *workList) bool { return l.waiting > 0 })
	if !more && o.stats.openLaunches > 0 {
		return // nothing can make progress
	}
	o.running, o.beginAt = false, cu.Never
	if more {
		o.beginAt = max(now, o.stats.endCycle) + uint64(o.spec.BarrierCycles)
		if o.commands != nil {
			o.beginAt = o.preprocess(o.beginAt)
		}
		o.queues.list[0].alarm.Set(o.beginAt)
	}
}

// readLists takes up lists, as many as may be in flight, and reads their records ahead.
func (o *lists) readLists(now uint64) {
	walked := 0
	for _, l := range o.all {
		if l.walked {
			walked++
		}
	}
	for _, l := range o.order {
		if !l.walked && l.open > 0 && walked < o.spec.ListsInFlight {
			walked++
			l.walked, l.header = true, false
			o.stats.queue.Lists++
			if o.commands != nil {
				l.buffered = l.open // packets include their reads
				continue
			}
			o.read(now, l, 0, nil, o.ring.counter(counterEntry+l.index), listHeaderBytes)
		}
		for l.header && o.readAhead(now, l) {
		}
	}
}

// readAhead reads the next records of a list, if there is space for them.
func (o *lists) readAhead(now uint64, l *workList) bool {
	n := min(l.open-l.buffered-l.inFlight, o.chunk)
	if n == 0 || l.buffered+l.inFlight+n > uint64(o.spec.ListReadAhead) {
		return false
	}
	l.inFlight += n
	o.read(now, l, n, nil, o.place(l, &l.read, int(n)), n*uint64(o.spec.ListRecordBytes))
	return true
}

// read reads from memory, by the front end's own path if it has one. Counts and programs are in the L2.
func (o *lists) read(now uint64, l *workList, records uint64, x *nodeLaunch, addr, bytes uint64) {
	f := o.fetches.Acquire()
	if f.then == nil {
		f.then = func(at uint64) {
			f.known = true
			o.queues.list[0].alarm.Set(max(at, o.engine.Now()))
		}
	}
	f.outstanding, f.at, f.from, f.list, f.records, f.launch, f.known = 1, now, now, l, records, x, false
	o.underWay = append(o.underWay, f)
	uncached := o.uncached && records > 0
	if o.fetch != nil {
		f.at = o.fetch.Read(now, addr, bytes, uncached)
	} else {
		o.ring.request(now, &f.wait, hierarchy.Request{Kind: hierarchy.Read, Uncached: uncached}, addr, bytes)
	}
	f.close()
}

// takeReplies takes in the reads that have ended.
func (o *lists) takeReplies(now uint64, q *queue) {
	kept := o.underWay[:0]
	for _, f := range o.underWay {
		if !f.known || f.at > now {
			kept = append(kept, f)
			continue
		}
		o.queues.trace.traceFrontEnd("reads", f.String, f.from, f.at)
		switch l := f.list; {
		case l == nil:
			o.programRead(f, q.shared)
		case f.records == 0:
			l.header = true
		default:
			l.inFlight, l.buffered = l.inFlight-f.records, l.buffered+f.records
		}
		o.fetches.Release(f)
	}
	o.underWay = kept
}

// String says what is read.
func (f *recordFetch) String() string {
	switch {
	case f.list == nil:
		return "program of " + f.launch.Node.String()
	case f.records == 0:
		return "header"
	}
	return fmt.Sprintf("%d records", f.records)
}

// programRead launches the record whose program has been read from the table.
func (o *lists) programRead(f *recordFetch, s *sharedQueue) {
	at := f.at + o.costs.miss + o.costs.change
	s.reader.waits = false
	s.reader.freeAt = max(s.reader.freeAt, at<<scheduler.RateBits)
	o.queues.trace.traceFrontEnd("launches", f.launch.Node.String, f.from, s.reader.freeAt>>scheduler.RateBits)
	o.queues.trace.traceFrontEnd("program changes", f.launch.Node.String, f.from, at)
	o.launcher.readyFrom(f.launch, at+o.costs.launch)
	s.roundRobin.wake(max(at, o.engine.Now()+1))
}

// launchRecords launches records that have been read, at the front end's rate. It returns the cycle of the next try.
func (o *lists) launchRecords(now uint64, q *queue) uint64 {
	r, t := &q.shared.reader, &q.shared.roundRobin
	for o.engine.Err() == nil {
		i := slices.IndexFunc(o.order, o.hasRecord)
		if i < 0 {
			break
		}
		if at := r.freeAt >> scheduler.RateBits; r.waits || at > now || !t.isTurn(q) {
			if t.skip(q); r.waits {
				break // programRead wakes it
			}
			return max(at, now+1)
		}
		t.done(q)
		o.launchRecord(now, o.order[i], r)
	}
	return cu.Never
}

// hasRecord reports whether the next record of a list can be launched: it has been read, and its node has launches to
// spare. Launches that wait for payload memory do not count, as deeper nodes, whose records come later, free it.
func (o *lists) hasRecord(l *workList) bool {
	if l.buffered == 0 {
		return false
	}
	b := l.records[l.head].nodeQueue
	if len(b.launches) > 0 && o.launcher.pool.freeBytes(b.launches[0].level) < b.launches[0].worst {
		return true
	}
	return len(b.launches) < o.launcher.maxLaunches && (o.commands == nil || o.withinLimits())
}

// launchRecord launches the next record of a list, once its program is known.
func (o *lists) launchRecord(now uint64, l *workList, r *listReader) {
	run := &l.records[l.head]
	b, payloads := run.nodeQueue, run.payloads
	if run.repeat--; run.repeat == 0 {
		l.head++
	}
	if l.head == len(l.records) {
		l.records, l.head = l.records[:0], 0
	}
	l.waiting, l.open, l.buffered = l.waiting-1, l.open-1, l.buffered-1
	l.walked = l.open > 0
	l.header = l.header && l.walked
	o.stats.queue.Records++
	x := o.launcher.launchTogether(now, b, payloads)
	if x == nil {
		return
	}
	r.freeAt = max(r.freeAt, now<<scheduler.RateBits) + o.costs.gap
	same, cached := r.use(b.Node, max(o.costs.programs, 1))
	if !same {
		o.stats.queue.ProgramChanges++
	}
	if !cached && o.costs.programs > 0 {
		o.stats.queue.ProgramMisses++
		r.waits = true
		slot := uint64(b.id()) * programSlotBytes % tableBytes
		o.read(now, nil, 0, x, o.ring.addr+ringBytes-tableBytes+slot, programSlotBytes)
		return
	}
	at := now
	if !same {
		at += o.costs.change
		r.freeAt += o.costs.change << scheduler.RateBits
		o.queues.trace.traceFrontEnd("program changes", b.Node.String, now, at)
	}
	o.queues.trace.traceFrontEnd("launches", b.Node.String, now, r.freeAt>>scheduler.RateBits)
	o.launcher.readyFrom(x, at+o.costs.launch)
}

// use makes a program the last used one, and reports whether it was, and whether it was cached.
func (r *listReader) use(n *Node, entries int) (same, cached bool) {
	i := slices.Index(r.programs, n)
	switch {
	case i == 0:
		return true, true
	case i < 0 && len(r.programs) < entries:
		r.programs = append(r.programs, n)
		i = len(r.programs) - 1
	case i < 0:
		i = len(r.programs) - 1
	default:
		cached = true
	}
	copy(r.programs[1:i+1], r.programs[:i])
	r.programs[0] = n
	return false, cached
}
