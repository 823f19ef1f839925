package simd

import (
	"math/bits"

	"spvsim/account"
	"spvsim/isa"
)

// issue carries out the instruction that w is at, in cycle now.
func (s *SIMD) issue(w *Wave, now uint64) {
	o := w.op
	s.chargeWait(w, o, now)
	if o.path == kindCompute { // most are
		s.compute(w, o, now)
		return
	}
	s.carryOut(w, o, o.path, now)
}

// carryOut takes the path of the instruction that w is at.
func (s *SIMD) carryOut(w *Wave, o *op, path kind, now uint64) {
	switch path {
	case kindCompute:
		s.compute(w, o, now)
	case kindClock:
		w.State.Now = now
		w.State.Nanoseconds = now * 1000 / s.clockMHz
		s.compute(w, o, now)
	case kindMemory:
		s.access(w, o, now, s.env.Memory(now, w, o.in), account.Memory)
	case kindLDS:
		s.access(w, o, now, s.env.LDS(now, w, o.in), account.LDS)
	case kindBranch:
		s.branch(w, o, now)
	case kindBarrier:
		s.barrier(w, o, now)
	case kindEnd:
		s.end(w, o, now)
	case kindPrint:
		s.env.Print(now, w, o.in)
		s.take(w, o, &o.cost, now)
		s.next(w, o, now)
	case kindPayload, kindRelease:
		s.payload(w, o, now)
	case kindMemoryBarrier:
		s.take(w, o, &o.cost, now)
		s.next(w, o, now)
	case kindFirst:
		w.Group.Begin(now)
		s.carryOut(w, o, o.kind, now)
	}
}

func (s *SIMD) compute(w *Wave, o *op, now uint64) {
	o.compute(&w.State)
	w.setReady(o, now+uint64(o.latency), o.result)
	s.take(w, o, &o.cost, now)
	s.next(w, o, now)
}

// compute computes the instruction, and those of its run after it.
func (o *op) compute(st *isa.State) {
	for i := range o.run {
		o.run[i].exec(st, o.run[i].in)
	}
}

func (s *SIMD) access(w *Wave, o *op, now uint64, b Booking, why account.Reason) {
	ready := b.Ready + uint64(o.latency)
	switch {
	case b.Outstanding:
		ready = Never
	case b.Pending:
		ready = Never
		if why != account.LDS { // of which the unit's next knows
			s.shared.pending++
		}
	}
	ready = w.inOrder(o, ready)
	w.setReady(o, ready, why)
	w.accessDone(o, ready)
	if why == account.LDS {
		w.count.LDSPasses += uint64(b.Passes)
		w.count.ConflictPasses += uint64(b.ConflictPasses)
	}
	s.take(w, o, &o.cost, now)
	s.unitFree[o.unit%unitTable] = max(s.unitFree[o.unit%unitTable], b.Own)
	s.shared.free[o.unit%unitTable] = max(s.shared.free[o.unit%unitTable], b.Free)
	if o.unit == unitVMEM {
		s.shared.full.add(b.Full, b.Free, b.FullOf)
	}
	s.next(w, o, now)
}

// payload carries out an operation of an execution graph. The wave goes on when
// the queue has taken what it hands over; a result may come later.
func (s *SIMD) payload(w *Wave, o *op, now uint64) {
	b := s.env.Payload(now, w, o.in)
	ready := b.Ready + uint64(o.latency)
	if b.Pending {
		ready = Never
		w.pending++
		s.shared.pending++
	}
	w.setReady(o, ready, account.Payload)
	s.take(w, o, &o.cost, now)
	w.pc++
	if b.Held {
		w.held, w.why, w.least.from, w.least.why = true, account.Payload, w.freeAt, account.Payload
		s.ready[w.pos] = Never
		return
	}
	s.advance(w, w.here(), now, max(w.freeAt, b.Free), account.Payload)
}

func (s *SIMD) branch(w *Wave, o *op, now uint64) {
	c, to := &o.cost, w.pc+1
	if isa.TakesBranch(&w.State, o.in) {
		c, to = &w.code.taken, o.in.Target
	}
	s.take(w, o, c, now)
	w.pc = to
	s.advance(w, w.here(), now, now+uint64(c.latency), account.Fetch)
}

func (s *SIMD) barrier(w *Wave, o *op, now uint64) {
	s.take(w, o, &o.cost, now)
	w.why = account.Barrier
	s.ready[w.pos] = Never
	s.env.Arrive(now, w)
}

func (s *SIMD) end(w *Wave, o *op, now uint64) {
	s.take(w, o, &o.cost, now)
	s.endedInTurn = true
	s.resident--
	if w.code.crosses {
		s.shared.crossed--
	}
	s.pool.give(w.code, w.files)
	if s.trace.to != nil {
		s.trace.to.WaveEnd(w.freeAt, w.Place())
	}
	s.env.Ended(now, w)
	w.code, w.op, w.count, w.files, w.board, w.emptyAt = nil, nil, nil, nil, nil, w.freeAt
	w.State.V, w.State.S = nil, nil
}

// dropEnded takes the waves that ended out of the order of age.
func (s *SIMD) dropEnded() {
	n := 0
	for i, w := range s.order {
		if w.code == nil {
			continue
		}
		s.order[n], s.ready[n], s.at[n], s.slot[n] = w, s.ready[i], s.at[i], s.slot[i]
		w.pos = n
		n++
	}
	s.order, s.ready, s.at, s.slot = s.order[:n], s.ready[:n], s.at[:n], s.slot[:n]
	s.endedInTurn = false
}

// count is where what the wave's instruction does is counted.
func (s *SIMD) count(w *Wave, o *op) *account.InstCount {
	if k := s.shared.Copy; k > 0 {
		return &w.code.copies[k-1][w.pc]
	}
	return o.count
}

// chargeWait charges the cycles since the wave's last instruction to what it
// waited for, and those since it was ready to its unit.
func (s *SIMD) chargeWait(w *Wave, o *op, now uint64) {
	count := s.count(w, o)
	w.count = count
	count.Issues++
	if s.shared.Recent != nil {
		s.shared.Recent.add(now, w.code.Program.Insts[w.pc].Class)
	}
	if st := &w.State; st.Exec != st.Full {
		count.Idle += uint64(bits.OnesCount64(st.Full &^ st.Exec))
	}
	ready := s.ready[w.pos]
	if waited := ready - w.freeAt; waited > 0 {
		s.Cycles[w.why] += waited
		count.Cycles[w.why] += waited
	}
	if waited := now - ready; waited > 0 {
		full := s.waitedFull(w, o, waited)
		s.Cycles[s.shared.full.why] += full
		count.Cycles[s.shared.full.why] += full
		s.Cycles[account.Unit] += waited - full
		count.Cycles[account.Unit] += waited - full
	}
}

// waitedFull are the cycles, of those that a ready wave has waited, in which the path to memory waited for a full queue.
func (s *SIMD) waitedFull(w *Wave, o *op, waited uint64) uint64 {
	if o.kind != kindMemory || o.unit != unitVMEM {
		return 0
	}
	return s.shared.full.since(w.full, waited)
}

// take charges the issue cycles and takes port and unit.
func (s *SIMD) take(w *Wave, o *op, c *cost, now uint64) {
	issued := uint64(c.issue)
	if s.trace.to != nil {
		s.trace.issued(w, now, now+issued)
	}
	s.Cycles[account.Issued] += issued
	w.count.Cycles[account.Issued] += issued
	w.freeAt = now + issued
	if !s.perCategory {
		s.portFree = max(s.portFree, w.freeAt)
	}
	free := &s.unitFree[c.unit%unitTable]
	*free = max(*free, now+uint64(c.busy))
	beside := &s.unitFree[c.beside%unitTable]
	*beside = max(*beside, w.freeAt)
}

// next moves to the following instruction.
func (s *SIMD) next(w *Wave, o *op, now uint64) {
	w.pc++
	s.advance(w, o.next, now, w.freeAt, account.Unit)
}

// advance does the free instructions from o on, which w is at, as far as the ends of their sources are known, then finds from when it may
// issue the next one, not before earliest, and what it waits for until then.
func (s *SIMD) advance(w *Wave, o *op, now, earliest uint64, why account.Reason) {
	w.least.from, w.least.why = earliest, why
	for n := 0; o.free && n < maxFree && s.free(w, o); n++ {
		o = &w.code.ops[w.pc]
	}
	if latest := w.depsReady(o); latest>>reasonBits > earliest {
		earliest, why = latest>>reasonBits, reasons[latest&(1<<reasonBits-1)]
	}
	if o.limited {
		if done := w.inFlight[w.nFlight]; done > earliest {
			earliest, why = done, account.Memory
		}
	}
	if o.kind >= kindMemoryBarrier {
		earliest, why = w.outstanding(o, earliest, why)
	}
	if o.line != w.fetched.line {
		w.fetched.line = o.line
		w.fetched.at = w.freeAt + s.env.Fetch(now, o.line)
	}
	if w.fetched.at > earliest {
		earliest, why = w.fetched.at, account.Fetch
	}
	w.op, w.why = o, why
	ready := max(earliest, w.freeAt)
	s.ready[w.pos] = ready
	s.at[w.pos] = o.at
	if o.kind == kindMemory {
		w.full = s.shared.full.before(ready)
	}
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
func (s *SIMD) Complete(now, done uint64, t Ticket) {
	if t.w.code.ops[t.pc].kind != kindLDS {
		s.shared.pending--
	}
	s.complete(now, done, t)
}

// Known brings the end of an outstanding load, as if it had been known when it issued: no cycle that depends on it has come yet.
func (t Ticket) Known(done uint64) {
	t.w.SIMD.complete(0, done, t)
}

func (s *SIMD) complete(now, done uint64, t Ticket) {
	s.CatchUp(now)
	w := t.w
	o := &w.code.ops[t.pc]
	why := o.kind.waitsFor()
	ready := done + uint64(o.latency)
	if o.ordered {
		w.returned(t.flight, ready, why)
	} else {
		w.completed(o, t.flight, ready, why)
	}
	if t.held {
		w.held, w.least.from = false, max(w.least.from, done)
	}
	if s.ready[w.pos] >= Never && w.why != account.Barrier && !w.held {
		if now > w.least.from {
			w.least.from, w.least.why = now, why
		}
		s.advance(w, w.here(), now, w.least.from, w.least.why)
		s.wake(w, s.ready[w.pos])
	}
}

// free does an instruction that takes no time: its results are ready when its
// sources are. It is false, and nothing done, while that is not known.
func (s *SIMD) free(w *Wave, o *op) bool {
	if o.kind == kindBranch {
		if w.pc++; isa.TakesBranch(&w.State, o.in) {
			w.pc = o.in.Target
		}
		return true
	}
	latest := w.depsReady(o)
	if latest>>reasonBits >= Never {
		return false
	}
	o.compute(&w.State)
	if latest > 0 {
		w.setReady(o, latest>>reasonBits, reasons[latest&(1<<reasonBits-1)])
	}
	w.pc++
	return true
}
