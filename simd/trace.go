package simd

import (
	"spvsim/tracing/probe"
)

// A trace is what reports what a SIMD's waves do, and the events reported,
// kept here so that nothing is allocated for them.
type trace struct {
	to    probe.Tracer // nil: no display
	unit  int          // the compute unit's number in the machine
	issue probe.Issue
	wave  probe.Wave
}

// Trace reports to t from now on what the waves do; nil: none. Unit is the number
// of the SIMD's compute unit in the machine.
func (s *SIMD) Trace(t probe.Tracer, unit int) {
	s.trace.to, s.trace.unit = t, unit
	s.special = t != nil || s.category == 0
	if s.horizon = soonCycles; t != nil {
		s.horizon = Never
	}
	s.later = plan{} // the next turn divides the waves anew
}

// Place is where the wave is.
func (w *Wave) Place() probe.Place {
	return probe.Place{Unit: w.SIMD.trace.unit, SIMD: w.SIMD.Index, Slot: w.Slot}
}

// started reports a wave that takes its slot.
func (t *trace) started(w *Wave, from uint64) {
	t.wave = probe.Wave{Place: w.Place(), At: from, Program: w.code.Program,
		Group: w.Group.Index, Workgroup: w.Group.ID, Wave: w.State.WaveInGroup, Launch: w.code.Launch}
	t.to.WaveBegin(&t.wave)
}

// issued reports the instruction that w is at; the wave is as advance left it.
func (t *trace) issued(w *Wave, now, end uint64) {
	t.issue = probe.Issue{Place: w.Place(), Program: w.code.Program, PC: int(w.op.pc), Exec: w.State.Exec, Why: w.why,
		From: w.freeAt, Ready: w.ready, At: now, End: end}
	t.issue.Full = t.issue.Ready
	if ready := t.issue.Ready; now > ready {
		s := w.SIMD
		t.issue.Full, t.issue.FullOf = ready+s.shared.waitedFull(w, w.op, now-ready), s.shared.full.why
	}
	t.to.Issue(&t.issue)
}
