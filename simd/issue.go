package simd

import (
	"math/bits"

	"spvsim/account"
	"spvsim/internal/timing"
	"spvsim/isa"
)

// issue issues the next instruction of a wave in cycle now. The cycles since its last instruction are charged to the reason that it
// waited for, and those since it was ready to its unit.
func (s *SIMD) issue(w *Wave, now uint64) {
	o, shared := w.op, s.shared
	if shared.Recent != nil {
		shared.Recent.add(now, o.in.Class)
	}
	count := shared.count(w, o)
	count.Issues++
	if st := &w.State; st.Exec != st.Full {
		count.Idle += uint64(bits.OnesCount64(st.Full &^ st.Exec))
	}
	if waited := w.ready - w.freeAt; waited > 0 {
		s.Cycles[w.stallReason] += waited
		count.Cycles[w.stallReason] += waited
	}
	if waited := now - w.ready; waited > 0 {
		s.chargeUnit(w, o, count, waited)
	}
	switch o.issuePath {
	case PathCompute:
	case PathMemory:
		s.applyResponse(w, o, count, now, s.cu.AccessMemory(now, w, o.in))
		return
	default:
		s.carryOut(w, o, o.issuePath, count, now)
		return
	}
	o.compute(&w.State) // most come here: what the method compute does, in place
	if o.writesScoreboard {
		w.setReady(o, now+uint64(o.latency), o.result)
	}
	if o.portPartner < numUnits || s.slowIssue {
		s.chargeSlowly(w, o, count, now)
	} else {
		s.charge(w, o, count, now)
	}
	if next := o.next; next.unitOnly {
		w.op, w.issueState, w.stallReason, w.ready = next, next.issueState, account.Unit, w.freeAt
		return
	}
	s.advance(w, o.next, now, w.freeAt, account.Unit)
}

// carryOut carries an instruction out by its path.
func (s *SIMD) carryOut(w *Wave, o *op, path Path, count *account.InstCount, now uint64) {
	switch path {
	case PathCompute:
		s.compute(w, o, count, now)
	case PathClock:
		w.State.Now = now
		w.State.Nanoseconds = now * 1000 / s.clockMHz
		s.compute(w, o, count, now)
	case PathMemory:
		s.applyResponse(w, o, count, now, s.cu.AccessMemory(now, w, o.in))
	case PathLDS:
		s.accessLDS(w, o, count, now)
	case PathBranch:
		s.branch(w, o, count, now)
	case PathBarrier:
		s.barrier(w, o, count, now)
	case PathEnd:
		s.end(w, o, count, now)
	case PathPrint:
		s.cu.Print(now, w, o.in)
		s.chargeAndOccupy(w, &o.cost, count, now)
		s.advance(w, o.next, now, w.freeAt, account.Unit)
	case PathPayload, PathRelease:
		s.accessPayloads(w, o, count, now)
	case PathFence:
		s.chargeAndOccupy(w, &o.cost, count, now)
		s.advance(w, o.next, now, w.freeAt, account.Unit)
	case pathFirst:
		w.Workgroup.NoteFirstIssue(now)
		s.carryOut(w, o, o.path, count, now)
	}
}

func (s *SIMD) compute(w *Wave, o *op, count *account.InstCount, now uint64) {
	o.compute(&w.State)
	w.setReady(o, now+uint64(o.latency), o.result)
	s.chargeAndOccupy(w, &o.cost, count, now)
	s.advance(w, o.next, now, w.freeAt, account.Unit)
}

// compute computes the instruction, and those of its run after it.
func (o *op) compute(st *isa.State) {
	for i := range o.run {
		o.run[i].exec(st, o.run[i].in)
	}
}

// applyResponse records the response to an access to memory or to the LDS: when its registers are ready, and from when its unit is free.
func (s *SIMD) applyResponse(w *Wave, o *op, count *account.InstCount, now uint64, r *timing.Response) {
	ready := r.ReadyAt + uint64(o.latency)
	if r.Completion != timing.KnownAtIssue {
		ready = Never
		if r.Completion == timing.ByCallback && o.path != PathLDS { // the unit's next cycle covers those of the LDS
			s.shared.pending++
		}
	}
	ready = w.inOrder(o, ready)
	if o.writesScoreboard {
		w.setReady(o, ready, o.result)
	}
	w.accessDone(o, ready)
	if o.portPartner < numUnits || s.slowIssue {
		s.chargeSlowly(w, o, count, now)
	} else {
		s.charge(w, o, count, now)
	}
	count.UnitCycles += r.Busy
	if r.OwnUnitFreeAt > 0 {
		s.unitFreeAt.occupy(o.unit, r.OwnUnitFreeAt)
	}
	s.shared.occupy(o.unit, r.UnitFreeAt)
	if r.StallCycles > 0 && o.unit == unitVMEM {
		s.shared.addStall(s, now, r)
	}
	s.advance(w, o.next, now, w.freeAt, account.Unit)
}

// addStall adds the cycles that an access of a SIMD in cycle now waits for a full queue. Postponed issue cycles run first, because waves
// record the blocked cycles so far when they reach a memory instruction.
func (s *Shared) addStall(by *SIMD, now uint64, r *timing.Response) {
	for _, other := range s.simds {
		switch {
		case other.Index < by.Index: // whose turn of this cycle comes before this one's
			other.CatchUp(now + 1)
		case other.Index > by.Index:
			other.CatchUp(now)
		}
	}
	s.backpressure.add(r.StallCycles, r.UnitFreeAt, r.StallReason)
}

// accessLDS carries out an access to the LDS.
func (s *SIMD) accessLDS(w *Wave, o *op, count *account.InstCount, now uint64) {
	r := s.cu.AccessLDS(now, w, o.in)
	count.LDSPasses += uint64(r.Passes)
	count.ConflictPasses += uint64(r.ConflictPasses)
	s.applyResponse(w, o, count, now, r)
}

// accessPayloads carries out an operation of an execution graph. The wave continues when
// the queue has taken its payloads; a result may come later.
func (s *SIMD) accessPayloads(w *Wave, o *op, count *account.InstCount, now uint64) {
	r := s.cu.AccessPayloads(now, w, o.in)
	ready := r.ReadyAt + uint64(o.latency)
	if r.Completion == timing.ByCallback {
		ready = Never
		w.pendingAccesses++
		s.shared.pending++
	}
	w.setReady(o, ready, account.Payload)
	s.chargeAndOccupy(w, &o.cost, count, now)
	if r.BlocksWave {
		w.op = o.next
		w.blocked, w.stallReason, w.earliestIssue = true, account.Payload, issueBound{w.freeAt, account.Payload}
		w.ready = Never
		return
	}
	s.advance(w, o.next, now, max(w.freeAt, r.UnitFreeAt), account.Payload)
}

func (s *SIMD) branch(w *Wave, o *op, count *account.InstCount, now uint64) {
	c, to := &o.cost, o.next
	if isa.TakesBranch(&w.State, o.in) {
		c, to = &w.code.taken, o.target
		s.unitFreeAt.occupy(o.unit, now+s.category) // no other branch issues in the turn, whatever unit one that is taken takes
	}
	s.chargeAndOccupy(w, c, count, now)
	s.advance(w, to, now, now+uint64(c.latency), account.Fetch)
}

func (s *SIMD) barrier(w *Wave, o *op, count *account.InstCount, now uint64) {
	s.chargeAndOccupy(w, &o.cost, count, now)
	w.stallReason = account.Barrier
	w.ready = Never
	s.cu.ArriveAtBarrier(now, w)
}

func (s *SIMD) end(w *Wave, o *op, count *account.InstCount, now uint64) {
	s.chargeAndOccupy(w, &o.cost, count, now)
	s.endedInTurn = true
	s.resident--
	if w.code.sharesPrivateUnits {
		s.shared.sharingWaves--
	}
	s.pool.release(w.code, w.registers)
	if s.trace.to != nil {
		s.trace.to.WaveEnd(w.freeAt, w.SlotID())
	}
	s.cu.WaveEnded(now, w)
	w.code, w.op, w.registers, w.scoreboard = nil, nil, nil, nil
	s.emptySince[w.Slot] = w.freeAt
	w.State.V, w.State.S = nil, nil
}

// dropEnded removes waves that ended from the order of age.
func (s *SIMD) dropEnded(now uint64) {
	n := 0
	for _, w := range s.Waves() {
		if w.code != nil {
			s.order[n] = w
			n++
		}
	}
	clear(s.order[n:s.waves])
	s.waves, s.endedInTurn = n, false
	s.splitByReadiness(now + s.readyWindow)
}

// count returns the counts of the wave's instruction.
func (s *Shared) count(w *Wave, o *op) *account.InstCount {
	if k := s.Copy; k > 0 {
		return &w.code.copies[k-1][o.pc]
	}
	return o.count
}

// chargeUnit charges the cycles for which a ready wave waited to its unit, or to the queue that blocked the unit.
func (s *SIMD) chargeUnit(w *Wave, o *op, count *account.InstCount, waited uint64) {
	if full := s.shared.backpressureWait(w, o, waited); full > 0 {
		s.Cycles[s.shared.backpressure.reason] += full
		count.Cycles[s.shared.backpressure.reason] += full
		waited -= full
	}
	s.Cycles[account.Unit] += waited
	count.Cycles[account.Unit] += waited
}

// backpressureWait returns in how many of the cycles for which a ready wave waited a full queue blocked the path to memory.
func (s *Shared) backpressureWait(w *Wave, o *op, waited uint64) uint64 {
	if !o.countsOutstanding {
		return 0
	}
	return s.backpressure.cyclesSince(w.backpressureBefore, waited)
}

// charge is chargeAndOccupy where nothing but the unit is occupied, which was free, and no tracer listens.
func (s *SIMD) charge(w *Wave, o *op, count *account.InstCount, now uint64) {
	issued := uint64(o.issue)
	w.freeAt = now + issued
	s.Cycles[account.Issued] += issued
	count.Cycles[account.Issued] += issued
	s.unitFreeAt[o.unit%unitTable] = now + uint64(o.busy)
}

// chargeSlowly is charge where more than the unit is occupied, or a tracer listens.
func (s *SIMD) chargeSlowly(w *Wave, o *op, count *account.InstCount, now uint64) {
	if o.portPartner < numUnits || s.category == 0 {
		s.chargeAndOccupy(w, &o.cost, count, now)
		return
	}
	from := w.freeAt
	s.charge(w, o, count, now)
	s.trace.issued(w, from, now)
}

// chargeAndOccupy charges the issue cycles of a cost, and occupies port and unit.
func (s *SIMD) chargeAndOccupy(w *Wave, c *cost, count *account.InstCount, now uint64) {
	from, issued := w.freeAt, uint64(c.issue)
	w.freeAt = now + issued
	if s.trace.to != nil {
		s.trace.issued(w, from, now)
	}
	s.Cycles[account.Issued] += issued
	count.Cycles[account.Issued] += issued
	s.unitFreeAt.occupy(c.unit, now+uint64(c.busy))
	s.unitFreeAt.occupy(c.portPartner, w.freeAt)
	if s.category == 0 {
		s.portFree = max(s.portFree, w.freeAt)
	}
}

// advance executes zero-cost instructions from o on while their sources have known ready cycles. Then it sets the wave's next
// instruction, its earliest issue cycle (>= from) and the stall reason.
func (s *SIMD) advance(w *Wave, o *op, now, from uint64, why account.Reason) {
	least := issueBound{from, why}
	if o.zeroCost {
		o = w.executeZeroCost(o)
	}
	switch {
	case o.unitOnly:
	case o.unitAndScoreboard:
		latest := uint64(0)
		for _, d := range o.deps {
			latest = max(latest, w.scoreboard[d])
		}
		if latest>>reasonBits > from {
			from, why = latest>>reasonBits, reasons[latest%(1<<reasonBits)]
		}
	default:
		from, why = s.waits(w, o, now, from, why)
	}
	w.op, w.stallReason = o, why
	w.ready, w.issueState = max(from, w.freeAt), o.issueState
	if w.ready >= Never {
		w.earliestIssue = least
	}
	if o.countsOutstanding {
		w.backpressureBefore = s.shared.backpressure.cyclesBefore(w.ready)
	}
}

// waits returns the cycle from which a wave may issue an instruction, from at the earliest, and the stall reason until then.
func (s *SIMD) waits(w *Wave, o *op, now, from uint64, why account.Reason) (uint64, account.Reason) {
	if latest := w.depsReady(o); latest>>reasonBits > from {
		from, why = latest>>reasonBits, reasons[latest&(1<<reasonBits-1)]
	}
	if o.countsOutstanding {
		if done := w.returnCycles[w.nextReturn]; done > from {
			from, why = done, account.Memory
		}
	}
	if o.path >= PathFence {
		from, why = w.allAccessesDone(o, from, why)
	}
	if o.line != w.fetched.line {
		w.fetched.line = o.line
		w.fetched.availableAt = w.freeAt + s.cu.Fetch(now, o.line)
	}
	if w.fetched.availableAt > from {
		from, why = w.fetched.availableAt, account.Fetch
	}
	return from, why
}

// allAccessesDone returns the cycle in which all accesses of the wave are done: a memory barrier, a release and the end wait for it.
func (w *Wave) allAccessesDone(o *op, earliest uint64, why account.Reason) (uint64, account.Reason) {
	switch {
	case w.pendingAccesses > 0:
		return Never, account.Memory
	case w.lastMem > earliest:
		return w.lastMem, w.lastReason
	}
	return earliest, why
}

// Complete completes an access with Completion ByCallback: it is done in cycle done, the latency of its class not included. Cycle now
// must not have been issued yet.
func (t Ticket) Complete(now, done uint64) {
	s := t.w.SIMD
	if t.o.path != PathLDS {
		s.shared.pending--
	}
	s.complete(now, done, t)
}

// CompleteByEngine completes a load with Completion ByEngine, as if its cycle had been known when it issued. No cycle that depends on it
// has been issued yet.
func (t Ticket) CompleteByEngine(done uint64) { t.w.SIMD.complete(0, done, t) }

func (s *SIMD) complete(now, done uint64, t Ticket) {
	s.CatchUp(now)
	w, o := t.w, t.o
	why := o.path.waitsFor()
	ready := done + uint64(o.latency)
	if o.returnsInOrder {
		w.returned(t.returnSlot, ready, why)
	} else {
		w.completed(o, t.returnSlot, ready, why)
	}
	if t.blocksWave {
		w.blocked, w.earliestIssue.from = false, max(w.earliestIssue.from, done)
	}
	if w.ready >= Never && w.stallReason != account.Barrier && !w.blocked {
		if now > w.earliestIssue.from {
			w.earliestIssue.from, w.earliestIssue.reason = now, why
		}
		s.advance(w, w.op, now, w.earliestIssue.from, w.earliestIssue.reason)
		s.wake(w)
	}
}

// executeZeroCost executes zero-cost instructions, and returns the first instruction that has a cost or whose sources have no known ready cycle.
func (w *Wave) executeZeroCost(o *op) *op {
	for n := 0; o.zeroCost && n < maxZeroCost; n++ {
		next := w.executeOne(o)
		if next == nil {
			break
		}
		o = next
	}
	return o
}

// leavesOut reports whether a wave executes an instruction without issuing it, as its active lanes fill only a part of a wave. The wave's
// sources have known ready cycles then.
func (w *Wave) leavesOut(o *op) bool {
	active := bits.OnesCount64(w.State.Exec)
	if active >= w.lanesAtStart || w.depsReady(o)>>reasonBits >= Never {
		return false
	}
	if w.filledLanes += active; w.filledLanes >= w.lanesAtStart {
		w.filledLanes -= w.lanesAtStart
		return false
	}
	return true
}

// executeOne executes one zero-cost instruction, whose results are ready when its sources are, and returns the next instruction. It
// returns nil, and executes nothing, while the sources have no known ready cycle.
func (w *Wave) executeOne(o *op) (next *op) {
	if o.compacted && !w.leavesOut(o) {
		return nil
	}
	if o.path == PathBranch {
		if isa.TakesBranch(&w.State, o.in) {
			return o.target
		}
		return o.next
	}
	latest := w.depsReady(o)
	if latest>>reasonBits >= Never {
		return nil
	}
	o.compute(&w.State)
	if latest > 0 {
		w.setReady(o, latest>>reasonBits, reasons[latest&(1<<reasonBits-1)])
	}
	return o.next
}
