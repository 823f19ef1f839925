package graph

import (
	"slices"
	"spvsim/mem/hierarchy"

	"spvsim/cu"
	"spvsim/engine"
	"spvsim/scheduler"
)

// multipass runs the graph as compute passes: payloads are written to memory,
// and for each node of a level a compaction gathers them and an indirect
// dispatch starts them. Between levels all workgroups end. Passes of a level
// follow each other one by one, or overlap: all compactions, a barrier, all
// dispatches.
//
// A level that payload memory can't hold the output of is left early, for the
// deeper ones to free some; it is taken up again later.
type multipass struct {
	pushed
	inMemory
	engine     *engine.Engine
	dispatcher *scheduler.Dispatcher
	opener     *opener
	spec       *scheduler.SchedulerSpec
	units      int    // compute units
	launch     uint64 // cycles of a launch that waits for nothing

	level   int // that runs
	steps   []passStep
	at      uint64 // cycle of the next step; cu.Never while that is not known
	running bool
	blocked bool   // the last pass was left early
	before  uint64 // workgroups that had ended when the pass began
	waited  uint64 // payloads that waited then
	overlap bool   // of the passes of a level
	moving  int    // compactions that have not ended
	moved   uint64 // when the last one of the others did
}

// A passStep is a command of the pass: the compaction or the dispatch of a node.
type passStep struct {
	bin      *bin
	dispatch bool
}

func newMultipass(r *Run) (policy, error) {
	return &multipass{
		inMemory: r.inMemory(), engine: r.Engine, dispatcher: r.Dispatcher, opener: r.opener, spec: &r.spec.Scheduler,
		units: len(r.Array.Units), launch: r.OwnCycles, overlap: r.spec.Scheduler.Passes == "overlapped",
	}, nil
}

// Enqueue counts in memory and writes where the payloads are, which nothing waits
// for: the pass ends before they are read.
func (m *multipass) Enqueue(now uint64, b *batch) {
	w := gather(now, func(at uint64) {
		m.stats.stall(&m.stats.queue.StallMemory, at-now)
		m.queues.accept(b, at)
		m.queues.release(b, max(now, m.engine.Now()))
	})
	m.ring.atomic(now, w, b.unit, counterEntry)
	w.close()
	written := gather(now, nil)
	m.ring.write(now, written, b.unit, len(b.payloads))
	written.close()
}

// Start begins with the level of what the host dispatched, which needs no compaction.
func (m *multipass) Start(now uint64) {
	m.running, m.blocked, m.at, m.level, m.moving = false, false, now, 0, 0
}

// Tick goes on with the pass, or begins the next one.
func (m *multipass) Tick(now uint64, queue int) uint64 {
	if !m.running && !m.begin(now) {
		return m.at
	}
	for len(m.steps) > 0 && m.at <= now {
		m.step(now)
	}
	next := m.opener.openAll(now, queue, m.openQuota)
	m.dispatcher.Wake(now) // which ends the pass if it starts nothing
	if len(m.steps) > 0 {
		next = min(next, m.at)
	}
	return next
}

// Settled ends the pass when all of it has been placed and has ended.
func (m *multipass) Settled(now, next uint64) {
	if m.running && len(m.steps) == 0 && m.stats.resident == 0 && m.stats.flying == 0 && m.over(next) {
		m.end(now)
	}
}

// over: nothing of the pass is left, or what is left waits for payload memory.
func (m *multipass) over(next uint64) bool {
	if m.stats.open > 0 {
		return next == cu.Never && !m.opener.fits()
	}
	for _, b := range m.queues.bins.list {
		if b.quota > 0 {
			return false
		}
	}
	return true
}

// end closes the pass: the next begins after the barrier.
func (m *multipass) end(now uint64) {
	m.running, m.blocked = false, m.stats.open > 0
	for _, b := range m.queues.bins.list {
		m.blocked = m.blocked || b.quota > 0
		b.quota, b.held = 0, len(b.opens) > 0
	}
	m.at = cu.Never
	if m.stats.waiting == 0 && m.stats.open == 0 || m.blocked && m.stats.endedGroups == m.before && m.stats.waiting == m.waited {
		return // all is done, or nothing can be
	}
	m.at = max(now, m.stats.done) + uint64(m.spec.BarrierCycles)
	m.queues.list[0].alarm.Set(m.at)
}

// begin picks the level of the next pass and plans its commands.
func (m *multipass) begin(now uint64) bool {
	if m.at > now {
		return false
	}
	m.level = m.pick()
	m.ring.hierarchy.KernelBoundary()
	m.steps = m.steps[:0]
	for _, b := range m.queues.bins.list {
		if b.level != m.level || b.pending() == 0 && len(b.opens) == 0 {
			continue
		}
		b.held = false
		if b.head < len(b.fifo) {
			m.steps = append(m.steps, passStep{b, false})
		}
		m.steps = append(m.steps, passStep{b, true})
	}
	if m.overlap {
		slices.SortStableFunc(m.steps, func(a, b passStep) int { return a.order() - b.order() })
	}
	m.running, m.at = true, now+uint64(m.spec.PassLaunchCycles)
	m.stats.queue.Passes++
	m.before, m.waited = m.stats.endedGroups, m.stats.waiting
	return true
}

// pick is the shallowest level with payloads; after a pass that was left early, the deepest.
func (m *multipass) pick() int {
	level := 0
	for _, b := range m.queues.bins.list {
		if b.pending() == 0 && len(b.opens) == 0 {
			continue
		}
		if level == 0 || m.blocked == (b.level > level) {
			level = b.level
		}
	}
	return level
}

// order is 0 of compactions and 1 of dispatches.
func (s passStep) order() int {
	if s.dispatch {
		return 1
	}
	return 0
}

// step carries out a command and sets the time of the next.
func (m *multipass) step(now uint64) {
	s := m.steps[0]
	m.steps = m.steps[1:]
	if s.dispatch {
		s.bin.quota = s.bin.pending()
		m.at = now + m.between()
		return
	}
	m.at = cu.Never
	m.moving++
	w := gather(now, m.compacted)
	m.compact(now, w, s.bin)
	w.close()
	if !m.steps[0].dispatch {
		m.at = now + m.between()
	}
}

// between is from one command to the next that need not wait for it. Those that overlap have no barrier between them, and cost what the
// front end takes for a launch alone.
func (m *multipass) between() uint64 {
	launch := uint64(m.spec.PassLaunchCycles)
	if m.overlap {
		return min(launch, m.launch)
	}
	return launch
}

// compacted: a compaction ends in cycle at. The dispatches begin when all that were started have.
func (m *multipass) compacted(at uint64) {
	m.moving--
	m.moved = max(m.moved, at)
	if m.moving > 0 || !m.steps[0].dispatch {
		return
	}
	m.at = m.moved + uint64(m.spec.PassLaunchCycles)
	m.queues.list[0].alarm.Set(m.at)
}

// compact reads the entries of a node and writes them one after the other, all
// compute units taking part.
func (m *multipass) compact(now uint64, w *wait, b *bin) {
	bytes := uint64(len(b.fifo)-b.head) * entryBytes
	units := uint64(m.units)
	line, _ := m.ring.hierarchy.LineBytes()
	share := (bytes/units + uint64(line)) / uint64(line) * uint64(line)
	for u := uint64(0); u < units && bytes > 0; u++ {
		n := min(share, bytes)
		bytes -= n
		at := m.ring.addr + counterBytes + u*share%(ringBytes-counterBytes)
		m.ring.access(now, w, int(u), hierarchy.Read, at, n, n/uint64(line))
		m.ring.access(now, w, int(u), hierarchy.Write, at, n, n/uint64(line))
	}
}

// openQuota opens what the pass dispatches.
func (m *multipass) openQuota(now uint64, b *bin) (uint64, bool) {
	if b.quota == 0 {
		return cu.Never, false
	}
	b.quota -= min(b.quota, b.batchSize())
	l := m.opener.openLaunch(now, b)
	if l == nil {
		return cu.Never, false
	}
	m.opener.ready(l, now)
	return now, true
}
