package simd

import (
	"math/bits"

	"spvsim/account"
	"spvsim/internal/timing"
	"spvsim/isa"
)

// issue carries out the instruction that a wave is at, in cycle now. The cycles since its last
// instruction are charged to what it waited for, and those since it was ready to its unit.
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
		s.Cycles[w.why] += waited
		count.Cycles[w.why] += waited
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
	if o.enters {
		w.setReady(o, now+uint64(o.latency), o.result)
	}
	if o.beside < numUnits || s.special {
		s.take(w, &o.cost, count, now)
	} else {
		s.charge(w, o, count, now)
	}
	if next := o.next; next.simple {
		w.op, w.site, w.why, w.ready = next, next.at, account.Unit, w.freeAt
		return
	}
	s.advance(w, o.next, now, w.freeAt, account.Unit)
}

// carryOut takes the path of the instruction that w is at.
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
		s.take(w, &o.cost, count, now)
		s.advance(w, o.next, now, w.freeAt, account.Unit)
	case PathPayload, PathRelease:
		s.accessPayloads(w, o, count, now)
	case PathFence:
		s.take(w, &o.cost, count, now)
		s.advance(w, o.next, now, w.freeAt, account.Unit)
	case pathFirst:
		w.Group.Begin(now)
		s.carryOut(w, o, o.kind, count, now)
	}
}

func (s *SIMD) compute(w *Wave, o *op, count *account.InstCount, now uint64) {
	o.compute(&w.State)
	w.setReady(o, now+uint64(o.latency), o.result)
	s.take(w, &o.cost, count, now)
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
	if r.Completion != timing.Known {
		ready = Never
		if r.Completion == timing.ByCallback && o.kind != PathLDS { // the unit's next cycle covers those of the LDS
			s.shared.pending++
		}
	}
	ready = w.inOrder(o, ready)
	if o.enters {
		w.setReady(o, ready, o.result)
	}
	w.accessDone(o, ready)
	if o.beside < numUnits || s.special {
		s.take(w, &o.cost, count, now)
	} else {
		s.charge(w, o, count, now)
	}
	if r.OwnUnitFreeAt > 0 {
		s.free.take(o.unit, r.OwnUnitFreeAt)
	}
	s.shared.take(o.unit, r.UnitFreeAt)
	if r.StallCycles > 0 && o.unit == unitVMEM {
		s.shared.addStall(s, now, r)
	}
	s.advance(w, o.next, now, w.freeAt, account.Unit)
}

// addStall adds what an access to memory of a SIMD in cycle now waits for a full queue. Waves that came to such accesses before take down
// how things were then: turns that were put off come first.
func (s *Shared) addStall(by *SIMD, now uint64, r *timing.Response) {
	for _, other := range s.simds {
		switch {
		case other.Index < by.Index: // whose turn of this cycle comes before this one's
			other.CatchUp(now + 1)
		case other.Index > by.Index:
			other.CatchUp(now)
		}
	}
	s.full.add(r.StallCycles, r.UnitFreeAt, r.StallReason)
}

// accessLDS carries out an access to the LDS.
func (s *SIMD) accessLDS(w *Wave, o *op, count *account.InstCount, now uint64) {
	r := s.cu.AccessLDS(now, w, o.in)
	count.LDSPasses += uint64(r.Passes)
	count.ConflictPasses += uint64(r.ConflictPasses)
	s.applyResponse(w, o, count, now, r)
}

// accessPayloads carries out an operation of an execution graph. The wave goes on when
// the queue has taken what it hands over; a result may come later.
func (s *SIMD) accessPayloads(w *Wave, o *op, count *account.InstCount, now uint64) {
	r := s.cu.AccessPayloads(now, w, o.in)
	ready := r.ReadyAt + uint64(o.latency)
	if r.Completion == timing.ByCallback {
		ready = Never
		w.pending++
		s.shared.pending++
	}
	w.setReady(o, ready, account.Payload)
	s.take(w, &o.cost, count, now)
	if r.BlocksWave {
		w.op = o.next
		w.blocked, w.why, w.least = true, account.Payload, earliest{w.freeAt, account.Payload}
		w.ready = Never
		return
	}
	s.advance(w, o.next, now, max(w.freeAt, r.UnitFreeAt), account.Payload)
}

func (s *SIMD) branch(w *Wave, o *op, count *account.InstCount, now uint64) {
	c, to := &o.cost, o.next
	if isa.TakesBranch(&w.State, o.in) {
		c, to = &w.code.taken, o.target
		s.free.take(o.unit, now+s.category) // no other branch issues in the turn, whatever unit one that is taken takes
	}
	s.take(w, c, count, now)
	s.advance(w, to, now, now+uint64(c.latency), account.Fetch)
}

func (s *SIMD) barrier(w *Wave, o *op, count *account.InstCount, now uint64) {
	s.take(w, &o.cost, count, now)
	w.why = account.Barrier
	w.ready = Never
	s.cu.ArriveAtBarrier(now, w)
}

func (s *SIMD) end(w *Wave, o *op, count *account.InstCount, now uint64) {
	s.take(w, &o.cost, count, now)
	s.endedInTurn = true
	s.resident--
	if w.code.crosses {
		s.shared.crossed--
	}
	s.pool.give(w.code, w.files)
	if s.trace.to != nil {
		s.trace.to.WaveEnd(w.freeAt, w.Place())
	}
	s.cu.WaveEnded(now, w)
	w.code, w.op, w.files, w.board = nil, nil, nil, nil
	s.empty[w.Slot] = w.freeAt
	w.State.V, w.State.S = nil, nil
}

// dropEnded takes the waves that ended out of the order of age.
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
	s.divide(now + s.horizon)
}

// count is where what the wave's instruction does is counted.
func (s *Shared) count(w *Wave, o *op) *account.InstCount {
	if k := s.Copy; k > 0 {
		return &w.code.copies[k-1][o.pc]
	}
	return o.count
}

// chargeUnit charges the cycles in which a wave was ready to what its unit did meanwhile.
func (s *SIMD) chargeUnit(w *Wave, o *op, count *account.InstCount, waited uint64) {
	if full := s.shared.waitedFull(w, o, waited); full > 0 {
		s.Cycles[s.shared.full.why] += full
		count.Cycles[s.shared.full.why] += full
		waited -= full
	}
	s.Cycles[account.Unit] += waited
	count.Cycles[account.Unit] += waited
}

// waitedFull are the cycles, of those that a ready wave has waited, in which the path to memory waited for a full queue.
func (s *Shared) waitedFull(w *Wave, o *op, waited uint64) uint64 {
	if !o.limited {
		return 0
	}
	return s.full.since(w.full, waited)
}

// charge is what take does where the unit alone is taken, which was free, and no tracer listens.
func (s *SIMD) charge(w *Wave, o *op, count *account.InstCount, now uint64) {
	issued := uint64(o.issue)
	w.freeAt = now + issued
	s.Cycles[account.Issued] += issued
	count.Cycles[account.Issued] += issued
	s.free[o.unit%unitTable] = now + uint64(o.busy)
}

// take charges the issue cycles of a cost and takes port and unit.
func (s *SIMD) take(w *Wave, c *cost, count *account.InstCount, now uint64) {
	issued := uint64(c.issue)
	if s.trace.to != nil {
		s.trace.issued(w, now, now+issued)
	}
	s.Cycles[account.Issued] += issued
	count.Cycles[account.Issued] += issued
	w.freeAt = now + issued
	s.free.take(c.unit, now+uint64(c.busy))
	s.free.take(c.beside, w.freeAt)
	if s.category == 0 {
		s.portFree = max(s.portFree, w.freeAt)
	}
}

// advance does the free instructions from o on, as far as the ends of their sources are known, then finds from when the wave may
// issue the next one, not before from, and what it waits for until then.
func (s *SIMD) advance(w *Wave, o *op, now, from uint64, why account.Reason) {
	least := earliest{from, why}
	if o.free {
		o = w.doFree(o)
	}
	switch {
	case o.simple:
	case o.plain:
		latest := uint64(0)
		for _, d := range o.deps {
			latest = max(latest, w.board[d])
		}
		if latest>>reasonBits > from {
			from, why = latest>>reasonBits, reasons[latest%(1<<reasonBits)]
		}
	default:
		from, why = s.waits(w, o, now, from, why)
	}
	w.op, w.why = o, why
	w.ready, w.site = max(from, w.freeAt), o.at
	if w.ready >= Never {
		w.least = least
	}
	if o.limited {
		w.full = s.shared.full.before(w.ready)
	}
}

// waits is from when a wave may issue an instruction, not before from, and what it waits for until then.
func (s *SIMD) waits(w *Wave, o *op, now, from uint64, why account.Reason) (uint64, account.Reason) {
	if latest := w.depsReady(o); latest>>reasonBits > from {
		from, why = latest>>reasonBits, reasons[latest&(1<<reasonBits-1)]
	}
	if o.limited {
		if done := w.inFlight[w.nFlight]; done > from {
			from, why = done, account.Memory
		}
	}
	if o.kind >= PathFence {
		from, why = w.outstanding(o, from, why)
	}
	if o.line != w.fetched.line {
		w.fetched.line = o.line
		w.fetched.at = w.freeAt + s.cu.Fetch(now, o.line)
	}
	if w.fetched.at > from {
		from, why = w.fetched.at, account.Fetch
	}
	return from, why
}

// outstanding is when the accesses that o waits for are done: a memory barrier, a release and the end of a wave wait for all.
func (w *Wave) outstanding(o *op, earliest uint64, why account.Reason) (uint64, account.Reason) {
	switch {
	case w.pending > 0:
		return Never, account.Memory
	case w.lastMem > earliest:
		return w.lastMem, w.lastWhy
	}
	return earliest, why
}

// Complete brings the end of a pending operation: but for the latency of its
// class, it is done in cycle done. No turn of cycle now must have come yet.
func (t Ticket) Complete(now, done uint64) {
	s := t.w.SIMD
	if t.o.kind != PathLDS {
		s.shared.pending--
	}
	s.complete(now, done, t)
}

// Known brings the end of an outstanding load, as if it had been known when it issued: no cycle that depends on it has come yet.
func (t Ticket) Known(done uint64) { t.w.SIMD.complete(0, done, t) }

func (s *SIMD) complete(now, done uint64, t Ticket) {
	s.CatchUp(now)
	w, o := t.w, t.o
	why := o.kind.waitsFor()
	ready := done + uint64(o.latency)
	if o.ordered {
		w.returned(t.flight, ready, why)
	} else {
		w.completed(o, t.flight, ready, why)
	}
	if t.blocksWave {
		w.blocked, w.least.from = false, max(w.least.from, done)
	}
	if w.ready >= Never && w.why != account.Barrier && !w.blocked {
		if now > w.least.from {
			w.least.from, w.least.why = now, why
		}
		s.advance(w, w.op, now, w.least.from, w.least.why)
		s.wake(w)
	}
}

// doFree does free instructions, and returns the next one that is not free or of which the sources are not known.
func (w *Wave) doFree(o *op) *op {
	for n := 0; o.free && n < maxFree; n++ {
		next := w.doOne(o)
		if next == nil {
			break
		}
		o = next
	}
	return o
}

// doOne does an instruction that takes no time, and returns the next one: its results are ready when its sources are. It is nil, and nothing done,
// while that is not known.
func (w *Wave) doOne(o *op) (next *op) {
	if o.kind == PathBranch {
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
