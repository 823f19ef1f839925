package simd

import "spvsim/tracing/probe"

// A trace reports the waves of a SIMD to a tracer. It keeps the events reported, so that nothing is allocated for them.
type trace struct {
	to        probe.Tracer // nil: no display
	ordered   bool         // it needs issues in the order of their cycles
	unit      int          // the compute unit's number in the machine
	firstSlot int          // number of the SIMD's first slot in the machine
	issue     probe.Issue
	wave      probe.Wave
}

// Trace reports to t from now on what the waves do; nil: none. Unit is the number
// of the SIMD's compute unit in the machine.
func (s *SIMD) Trace(t probe.Tracer, unit int) {
	s.trace.to, s.trace.unit = t, unit
	s.trace.firstSlot = (unit*len(s.shared.simds) + s.Index) * s.Slots()
	s.trace.issue.Unit, s.trace.issue.SIMD = unit, s.Index
	s.slowIssue, s.trace.ordered = t != nil || s.category == 0, probe.Ordered(t)
	if s.readyWindow = defaultReadyWindow; s.trace.ordered {
		s.readyWindow = Never
	}
	s.readyLater = issuePlan{} // the next turn divides the waves anew
}

// SlotID is where the wave is.
func (w *Wave) SlotID() probe.WaveSlotID {
	return probe.WaveSlotID{Unit: w.SIMD.trace.unit, SIMD: w.SIMD.Index, Slot: w.Slot}
}

// started reports a wave that takes its slot.
func (t *trace) started(w *Wave, from uint64) {
	t.wave = probe.Wave{WaveSlotID: w.SlotID(), At: from, Program: w.code.Program,
		Group: w.Workgroup.Index, Workgroup: w.Workgroup.ID, Wave: w.State.WaveInGroup, Launch: w.code.Launch}
	t.to.WaveBegin(&t.wave)
}

// issued reports the instruction that w is at; the wave is as advance left it, but for the cycle in which the issue ends, and was free from
// a cycle on.
func (t *trace) issued(w *Wave, from, now uint64) {
	i, o := &t.issue, w.op // field by field: the whole would be built elsewhere and copied
	i.Slot, i.Index, i.PC, i.Exec = w.Slot, t.firstSlot+w.Slot, int(o.pc), w.State.Exec
	i.Reason, i.From, i.Ready, i.At, i.End = w.stallReason, from, w.ready, now, w.freeAt
	i.StallCycles = i.Ready
	if o.countsOutstanding && now > i.Ready {
		s := w.SIMD.shared
		i.StallCycles, i.StallReason = i.Ready+s.backpressureWait(w, o, now-i.Ready), s.backpressure.reason
	}
	t.to.Issue(i)
}
