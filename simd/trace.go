package simd

import "spvsim/tracing/probe"

// A trace reports the waves of a SIMD to a tracer. It keeps the events reported, so that nothing is allocated for them.
type trace struct {
	to      probe.Tracer // nil: no display
	ordered bool         // it needs issues in the order of their cycles
	unit    int          // the compute unit's number in the machine
	issue   probe.Issue
	wave    probe.Wave
}

// Trace reports to t from now on what the waves do; nil: none. Unit is the number
// of the SIMD's compute unit in the machine.
func (s *SIMD) Trace(t probe.Tracer, unit int) {
	s.trace.to, s.trace.unit = t, unit
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

// issued reports the instruction that w is at; the wave is as advance left it.
func (t *trace) issued(w *Wave, now, end uint64) {
	i := &t.issue // field by field: the whole would be built elsewhere and copied
	i.Unit, i.SIMD, i.Slot = t.unit, w.SIMD.Index, w.Slot
	i.Program, i.PC, i.Exec = w.code.Program, int(w.op.pc), w.State.Exec
	i.Reason, i.From, i.Ready, i.At, i.End = w.stallReason, w.freeAt, w.ready, now, end
	i.StallCycles, i.StallReason = i.Ready, 0
	if now > i.Ready {
		s := w.SIMD
		i.StallCycles, i.StallReason = i.Ready+s.shared.backpressureWait(w, w.op, now-i.Ready), s.shared.backpressure.reason
	}
	t.to.Issue(i)
}
