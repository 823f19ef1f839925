package simd

import (
	"spvsim/tracing/probe"
)

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
	t.issue = probe.Issue{WaveSlotID: w.SlotID(), Program: w.code.Program, PC: int(w.op.pc), Exec: w.State.Exec, Reason: w.stallReason,
		From: w.freeAt, Ready: w.ready, At: now, End: end}
	t.issue.StallCycles = t.issue.Ready
	if ready := t.issue.Ready; now > ready {
		s := w.SIMD
		t.issue.StallCycles, t.issue.StallReason = ready+s.shared.backpressureWait(w, w.op, now-ready), s.shared.backpressure.reason
	}
	t.to.Issue(&t.issue)
}
