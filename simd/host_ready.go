// The ready window: for the host's speed alone. Waves that may issue within so many cycles are in a bit mask, and of all others only
// the earliest issue is kept, so that an issue cycle looks at few waves.
//
// Law: no wave outside of the mask may issue before the earliest issue that is kept; from that cycle on all waves are divided anew.
// The mask goes by age, as the list of waves does, so the same waves issue in the same order whatever the window's length. A wave
// that is alone needs neither.
//
// Test: TestSIMDMatchesReference, with the window (no tracer) and with all waves in the mask (tracer).

package simd

// defaultReadyWindow is the length of the window, cycles. A shorter one means more passes over all waves, a longer one more waves in each issue
// cycle. Knob, for the host's time alone.
const defaultReadyWindow = 8

// waveOrder holds the waves, oldest first.
type waveOrder struct {
	order [maxSlots]*Wave
	waves int
	// Bit i: wave i may issue within readyWindow cycles. No other wave issues before readyLater.nextIssue, or does anything visible outside
	// the SIMD before readyLater.nextVisible.
	readySoon  uint64
	readyLater issuePlan
	// For a tracer the window holds all waves: it samples in each cycle in which the SIMD is called, even too early.
	readyWindow uint64
}

// An issuePlan is when waves may issue.
type issuePlan struct {
	nextIssue   uint64 // the next cycle in which one may issue
	nextVisible uint64 // the next one in which it may be visible outside the SIMD; not before nextIssue
}

// noPlan is the plan without waves.
var noPlan = issuePlan{Never, Never}

// addReadyLater adds a wave that may issue from a cycle on, and not within the window.
func (s *SIMD) addReadyLater(w *Wave, from uint64) {
	s.readyLater.nextIssue, s.readyLater.nextVisible = min(s.readyLater.nextIssue, from), min(s.readyLater.nextVisible, from+w.privateCycles())
}

// splitByReadiness divides all waves anew: those that may issue by a cycle are ready soon.
func (s *SIMD) splitByReadiness(by uint64) {
	s.readySoon, s.readyLater = 0, noPlan
	for i, w := range s.Waves() {
		if key := s.unitFreeAt.issueAt(w); key > by {
			s.addReadyLater(w, key)
		} else {
			s.readySoon |= 1 << (i % maxSlots)
		}
	}
}

// candidates returns a bit for each wave that may issue in cycle now, the oldest first.
func candidates(s *SIMD, now uint64) uint64 {
	if now >= s.readyLater.nextIssue {
		s.splitByReadiness(now + s.readyWindow)
	}
	return s.readySoon
}

// issueSingle runs issue cycles of the only wave, as issueByAge does for several.
func issueSingle(s *SIMD, now, until uint64) {
	w := s.order[0]
	for due := max(s.unitFreeAt.issueAt(w), s.portFree); due <= now; now = due {
		s.issue(w, now)
		if s.endedInTurn {
			s.dropEnded(now)
			return
		}
		if due = s.nextIssueFrom(s.unitFreeAt.issueAt(w), now); due >= until {
			break
		}
	}
	s.readySoon, s.readyLater = 1, noPlan
	key := s.unitFreeAt.issueAt(w)
	s.setPlan(s.nextIssueFrom(key, now), s.nextIssueFrom(key+w.privateCycles(), now))
}
