// Postponed issue cycles: for the host's speed alone. A tracer that needs the order of time, or a wave whose accesses take units of the other SIMDs, switches it off.
//
// Law: an issue cycle before every resident wave's first visible instruction (host_private.go) reads and changes this SIMD's state
// only. It may be carried out later, in order, if that is before the first visible one, and before anything outside reads or changes
// the state: who starts, wakes or releases a wave, or adds back-pressure, calls CatchUp first. So the compute unit calls a SIMD once
// for many issue cycles instead of once for each.
//
// Tests: TestSIMDMatchesReference without a tracer; TestFullQueueStallsInTime in package scheduler (several SIMDs, back-pressure).

package simd

// addSharingWave counts a wave that starts and uses units of all SIMDs. They have caught up, and none may postpone its issue cycles from now on.
func (s *Shared) addSharingWave() {
	s.sharingWaves++
	for _, simd := range s.simds {
		*simd.nextVisible = simd.nextIssue
	}
}

// wake plans an issue cycle no later than the first one in which the wave may issue.
func (s *SIMD) wake(w *Wave) {
	s.addReadyLater(w, s.unitFreeAt.issueAt(w))
	s.nextIssue = min(s.nextIssue, s.align(w.ready))
	*s.nextVisible = min(*s.nextVisible, s.align(w.ready+w.privateCycles()))
	if s.trace.ordered || s.shared.sharingWaves > 0 {
		*s.nextVisible = s.nextIssue
	}
}

// CatchUp runs the postponed issue cycles before cycle now.
func (s *SIMD) CatchUp(now uint64) {
	for now = min(now, *s.nextVisible); s.nextIssue < now; {
		s.issueCycle(s.nextIssue, now)
	}
}

// setPlan ends an issue cycle: the next one is in a cycle, and the next one that may be visible in another. Waves that were woken
// meanwhile have set earlier ones.
func (s *SIMD) setPlan(due, turn uint64) {
	s.nextIssue, *s.nextVisible = min(s.nextIssue, due), min(*s.nextVisible, turn)
}

// NextVisible returns for each SIMD the next cycle in which a wave may issue something visible, if no workgroup comes, no pending access
// completes and no barrier is released before; Never if there is none.
func (s *Shared) NextVisible() []uint64 { return s.nextVisible }
