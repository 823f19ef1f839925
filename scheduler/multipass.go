package scheduler

import (
	"spvsim/cu"
	"spvsim/mem"
)

// multipass runs the graph as compute passes: payloads are written to memory,
// and for each node of a level a compaction gathers them and an indirect
// dispatch starts them. Between levels all workgroups end.
//
// A level that payload memory can't hold the output of is left early, for the
// deeper ones to free some; it is taken up again later.
type multipass struct {
	*Run
	level   int // that runs
	steps   []passStep
	at      uint64 // cycle of the next step
	running bool
	blocked bool   // the last pass was left early
	before  uint64 // workgroups that had ended when the pass began
	waited  uint64 // payloads that waited then
}

// A passStep is a command of the pass: the compaction or the dispatch of a node.
type passStep struct {
	bin      *bin
	dispatch bool
}

func newMultipass(r *Run) (Scheduler, error) {
	r.spec.Queue.PerEngine, r.spec.Queue.Window = false, 0
	return &multipass{Run: r}, nil
}

// Allocate counts in memory.
func (m *multipass) Allocate(now uint64, unit, payloads int) uint64 {
	if payloads == 0 {
		return now
	}
	return m.atomic(now, unit, 0)
}

// Enqueue counts in memory and writes where the payloads are.
func (m *multipass) Enqueue(now uint64, unit, payloads int) (accepted, visible uint64) {
	accepted = m.atomic(now, unit, 1)
	m.queue.StallCycles += accepted - now
	m.write(now, unit, payloads)
	return accepted, now
}

// Start begins with the level of what the host dispatched, which needs no compaction.
func (m *multipass) Start(now uint64) {
	m.running, m.blocked, m.at, m.level = false, false, now, 0
}

// Ended has nothing to do: Tick looks at what is resident.
func (m *multipass) Ended(_, _ uint64, _ int) {}

// Tick goes on with the pass, or begins the next one.
func (m *multipass) Tick(now uint64) uint64 {
	if !m.running && !m.begin(now) {
		return max(m.at, now+1)
	}
	for len(m.steps) > 0 && m.at <= now {
		m.step(now)
	}
	next := m.serve(now, 0, m.openNext)
	if len(m.steps) > 0 {
		return min(next, m.at)
	}
	if m.resident == 0 && m.over(next) {
		return m.end(now)
	}
	return next
}

// over: nothing of the pass is left, or what is left waits for payload memory.
func (m *multipass) over(next uint64) bool { return next == cu.Never || m.open == 0 }

// end closes the pass: the next begins after the barrier.
func (m *multipass) end(now uint64) uint64 {
	m.running, m.blocked = false, m.open > 0
	for _, b := range m.bins {
		m.blocked = m.blocked || b.quota > 0
		b.quota, b.held = 0, len(b.opens) > 0
	}
	if m.waiting == 0 && m.open == 0 || m.blocked && m.ended == m.before && m.waiting == m.waited {
		return cu.Never // all is done, or nothing can be
	}
	m.at = max(now, m.done) + uint64(m.spec.PassBarrier)
	return m.at
}

// begin picks the level of the next pass and plans its commands.
func (m *multipass) begin(now uint64) bool {
	if m.at > now {
		return false
	}
	m.level = m.pick()
	m.Hierarchy.KernelBoundary()
	m.steps = m.steps[:0]
	for _, b := range m.bins {
		if b.level != m.level || b.pending() == 0 && len(b.opens) == 0 {
			continue
		}
		b.held = false
		if b.head < len(b.fifo) {
			m.steps = append(m.steps, passStep{b, false})
		}
		m.steps = append(m.steps, passStep{b, true})
	}
	m.running, m.at = true, now+uint64(m.spec.PassLaunch)
	m.queue.Passes++
	m.before, m.waited = m.ended, m.waiting
	return true
}

// pick is the shallowest level with payloads; after a pass that was left early, the deepest.
func (m *multipass) pick() int {
	level := 0
	for _, b := range m.bins {
		if b.pending() == 0 && len(b.opens) == 0 {
			continue
		}
		if level == 0 || m.blocked == (b.level > level) {
			level = b.level
		}
	}
	return level
}

// step carries out a command and sets the time of the next.
func (m *multipass) step(now uint64) {
	s := m.steps[0]
	m.steps = m.steps[1:]
	if s.dispatch {
		s.bin.quota = s.bin.pending()
		m.at = now + uint64(m.spec.PassLaunch)
		return
	}
	m.at = m.compact(now, s.bin) + uint64(m.spec.PassLaunch)
}

// compact reads the entries of a node and writes them one after the other, all
// compute units taking part.
func (m *multipass) compact(now uint64, b *bin) (done uint64) {
	bytes := uint64(len(b.fifo)-b.head) * entryBytes
	units := uint64(len(m.Cluster.Units))
	line, _ := m.Hierarchy.LineBytes()
	share := (bytes/units + uint64(line)) / uint64(line) * uint64(line)
	done = now
	for u := uint64(0); u < units && bytes > 0; u++ {
		n := min(share, bytes)
		bytes -= n
		at := m.ring + counterBytes + u*share%(ringBytes-counterBytes)
		done = max(done, m.access(now, int(u), mem.Read, at, n, n/uint64(line)))
		done = max(done, m.access(now, int(u), mem.Write, at, n, n/uint64(line)))
	}
	return done
}

// openNext opens what the pass dispatches.
func (m *multipass) openNext(now uint64, b *bin) (uint64, bool) {
	if b.quota == 0 {
		return cu.Never, false
	}
	b.quota -= min(b.quota, b.batchSize())
	m.openLaunch(now, b, now)
	return now, true
}
