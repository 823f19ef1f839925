package graph

import (
	"slices"

	"spvsim/mem/hierarchy"

	"spvsim/cu"
	"spvsim/engine"
	"spvsim/scheduler"
)

// multipass runs the graph as compute passes. Payloads are written to memory; for each node of a level a compaction
// gathers them, and an indirect dispatch starts them. Between levels all workgroups end. The passes of a level run one
// by one, or overlap: all compactions, a barrier, all dispatches.
//
// A level whose output does not fit into payload memory is interrupted so that deeper levels can free some, and
// resumed later.
type multipass struct {
	pushPolicy
	inMemory
	engine     *engine.Engine
	dispatcher *scheduler.Dispatcher
	launcher   *launcher
	spec       *scheduler.SchedulerSpec
	fetch      *hierarchy.FetchPath // of arguments of dispatches; nil: they take no time
	units      int                  // compute units
	launch     uint64               // front-end cycles of a launch without dependencies

	level         int // level of the pass
	steps         []passStep
	nextStepAt    uint64 // cycle of the next step; cu.Never: not known yet
	running       bool
	blocked       bool   // the last pass was interrupted
	endedBefore   uint64 // workgroups that had ended at the start of the pass
	waitingBefore uint64 // payloads that waited at the start of the pass
	overlap       bool   // passes of a level overlap
	compactions   int    // compactions under way
	compactedAt   uint64 // end of the last compaction that has ended
}

// dispatchBytes is the size of the arguments of an indirect dispatch.
const dispatchBytes = 12

// A passStep is a command of a pass: the compaction or the dispatch of a node.
type passStep struct {
	nodeQueue *nodeQueue
	dispatch  bool
	indirect  bool // its arguments, which a compaction has written, have not been read
}

func newMultipass(r *Run) (policy, error) {
	return &multipass{
		inMemory: r.inMemory(), engine: r.Engine, dispatcher: r.Dispatcher, launcher: r.launcher, spec: &r.spec.Scheduler,
		fetch: r.FetchPath, units: len(r.Array.Units), launch: r.Commands.Packet, overlap: r.spec.Scheduler.Passes == "overlapped",
	}, nil
}

// Enqueue counts the batch with an atomic, for which the wave waits, and writes its entries, for which nothing waits:
// the pass ends before they are read.
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

// Start begins with the level that the host dispatched, which needs no compaction.
func (m *multipass) Start(now uint64) {
	m.running, m.blocked, m.nextStepAt, m.level, m.compactions = false, false, now, 0, 0
}

// Tick continues the pass, or begins the next one.
func (m *multipass) Tick(now uint64, queue int) uint64 {
	if !m.running && !m.beginPass(now) {
		return m.nextStepAt
	}
	for len(m.steps) > 0 && m.nextStepAt <= now {
		m.runStep(now)
	}
	next := m.launcher.launchReady(now, queue, m.launchQuota)
	m.dispatcher.Wake(now) // a pass that starts nothing ends
	if len(m.steps) > 0 {
		next = min(next, m.nextStepAt)
	}
	return next
}

// OnIdle ends the pass when all its workgroups have been placed and have ended.
func (m *multipass) OnIdle(now, next uint64) {
	if m.running && len(m.steps) == 0 && m.stats.resident == 0 && m.stats.inFlight == 0 && m.passDone(next) {
		m.endPass(now)
	}
}

// passDone reports whether nothing of the pass is left, or only what waits for payload memory.
func (m *multipass) passDone(next uint64) bool {
	if m.stats.openLaunches > 0 {
		return next == cu.Never && !m.launcher.anyHasMemory()
	}
	return !slices.ContainsFunc(m.queues.nodeQueues.list, func(b *nodeQueue) bool { return b.passQuota > 0 })
}

// endPass ends the pass. The next one begins after the barrier.
func (m *multipass) endPass(now uint64) {
	m.running, m.blocked = false, m.stats.openLaunches > 0
	for _, b := range m.queues.nodeQueues.list {
		m.blocked = m.blocked || b.passQuota > 0
		b.passQuota, b.deferred = 0, len(b.launches) > 0
	}
	m.nextStepAt = cu.Never
	if m.stats.waiting == 0 && m.stats.openLaunches == 0 || m.blocked && m.stats.endedGroups == m.endedBefore && m.stats.waiting == m.waitingBefore {
		return // all is done, or nothing can make progress
	}
	m.nextStepAt = max(now, m.stats.endCycle) + uint64(m.spec.BarrierCycles)
	m.queues.list[0].alarm.Set(m.nextStepAt)
}

// beginPass picks the level of the next pass and plans its commands. It returns false before the pass may begin.
func (m *multipass) beginPass(now uint64) bool {
	if m.nextStepAt > now {
		return false
	}
	m.level = m.pickLevel()
	m.ring.hierarchy.KernelBoundary()
	m.steps = m.steps[:0]
	for _, b := range m.queues.nodeQueues.list {
		if b.level != m.level || b.pending() == 0 && len(b.launches) == 0 {
			continue
		}
		b.deferred = false
		compact := b.head < len(b.fifo)
		if compact {
			m.steps = append(m.steps, passStep{nodeQueue: b})
		}
		m.steps = append(m.steps, passStep{b, true, compact && m.fetch != nil})
	}
	if m.overlap {
		slices.SortStableFunc(m.steps, func(a, b passStep) int { return a.order() - b.order() })
	}
	m.running, m.nextStepAt = true, now+uint64(m.spec.PassLaunchCycles)
	m.stats.queue.Passes++
	m.endedBefore, m.waitingBefore = m.stats.endedGroups, m.stats.waiting
	return true
}

// pickLevel returns the shallowest level with payloads; after an interrupted pass, the deepest.
func (m *multipass) pickLevel() int {
	level := 0
	for _, b := range m.queues.nodeQueues.list {
		if b.pending() == 0 && len(b.launches) == 0 {
			continue
		}
		if level == 0 || m.blocked == (b.level > level) {
			level = b.level
		}
	}
	return level
}

// order sorts compactions before dispatches.
func (s passStep) order() int {
	if s.dispatch {
		return 1
	}
	return 0
}

// runStep executes a command and sets the time of the next.
func (m *multipass) runStep(now uint64) {
	s := m.steps[0]
	if s.indirect {
		m.steps[0].indirect = false
		m.nextStepAt = m.fetch.Read(now, m.ring.counter(counterEntry+s.nodeQueue.id()), dispatchBytes, false)
		return
	}
	m.steps = m.steps[1:]
	if s.dispatch {
		s.nodeQueue.passQuota = s.nodeQueue.pending()
		m.nextStepAt = now + m.stepInterval()
		return
	}
	m.nextStepAt = cu.Never
	m.compactions++
	w := gather(now, m.compacted)
	m.compact(now, w, s.nodeQueue)
	w.close()
	if !m.steps[0].dispatch {
		m.nextStepAt = now + m.stepInterval()
	}
}

// stepInterval returns the time to the next command that depends on nothing: pass_launch_cycles, or, of overlapped
// passes, what the front end takes for a launch alone.
func (m *multipass) stepInterval() uint64 {
	launch := uint64(m.spec.PassLaunchCycles)
	if m.overlap {
		return min(launch, m.launch)
	}
	return launch
}

// compacted is called with the end of a compaction. Dispatches begin after all compactions that were started.
func (m *multipass) compacted(at uint64) {
	m.compactions--
	m.compactedAt = max(m.compactedAt, at)
	if m.compactions > 0 || !m.steps[0].dispatch {
		return
	}
	m.nextStepAt = m.compactedAt + uint64(m.spec.PassLaunchCycles)
	m.queues.list[0].alarm.Set(m.nextStepAt)
}

// compact reads the entries of a node and writes them densely, divided among all compute units.
func (m *multipass) compact(now uint64, w *wait, b *nodeQueue) {
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

// launchQuota opens the launches that the pass dispatches.
func (m *multipass) launchQuota(now uint64, b *nodeQueue) (uint64, bool) {
	if b.passQuota == 0 {
		return cu.Never, false
	}
	b.passQuota -= min(b.passQuota, b.batchSize())
	l := m.launcher.launch(now, b)
	if l == nil {
		return cu.Never, false
	}
	m.launcher.readyFrom(l, now)
	return now, true
}
