// Postponed issue cycles: for the host's speed alone. A tracer, or a wave whose accesses take units of the other SIMDs, switches it off.
//
// Law: an issue cycle before every resident wave's first visible instruction (host_private.go) reads and changes this SIMD's state
// only. It may be carried out later, in order, if that is before the first visible one, and before anything outside reads or changes
// the state: who starts, wakes or releases a wave, or adds back-pressure, calls CatchUp first. So the compute unit calls a SIMD once
// for many issue cycles instead of once for each.
//
// Tests: TestSIMDMatchesReference without a tracer; TestFullQueuesAreSeenInTime in package scheduler (several SIMDs, back-pressure).

package simd

// addSharingWave says that a wave comes whose accesses take units of all SIMDs, which have caught up: none may put off its turns.
func (s *Shared) addSharingWave() {
	s.sharingWaves++
	for _, simd := range s.simds {
		*simd.nextVisible = simd.nextIssue
	}
}

// wake plans a turn not later than the first one in which the wave may issue.
func (s *SIMD) wake(w *Wave) {
	s.addReadyLater(w, s.unitFreeAt.issueAt(w))
	s.nextIssue = min(s.nextIssue, s.align(w.ready))
	*s.nextVisible = min(*s.nextVisible, s.align(w.ready+w.privateCycles()))
	if s.trace.to != nil || s.shared.sharingWaves > 0 {
		*s.nextVisible = s.nextIssue
	}
}

// CatchUp takes the turns before cycle now, which were put off.
func (s *SIMD) CatchUp(now uint64) {
	for now = min(now, *s.nextVisible); s.nextIssue < now; {
		s.issueCycle(s.nextIssue, now)
	}
}

// setPlan ends a turn: the next one is due in a cycle, and one that may do what does not concern waves alone in another.
// Those that were woken in the turn have been looked at.
func (s *SIMD) setPlan(due, turn uint64) {
	s.nextIssue, *s.nextVisible = min(s.nextIssue, due), min(*s.nextVisible, turn)
}

// NextVisible are what each SIMD promises of the turns to come, as long as no workgroup comes, no operation that is pending ends and no barrier
// is released: the next cycle in which a wave may issue more than what concerns it alone; Never if there is none.
func (s *Shared) NextVisible() []uint64 { return s.nextVisible }
