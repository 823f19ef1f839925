// The ready window: for the host's speed alone. Waves that may issue within so many cycles are in a bit mask, and of all others only
// the earliest issue is kept, so that an issue cycle looks at few waves.
//
// Law: no wave outside of the mask may issue before the earliest issue that is kept; from that cycle on all waves are divided anew.
// The mask goes by age, as the list of waves does, so the same waves issue in the same order whatever the window's length. A wave
// that is alone needs neither.
//
// Test: TestSIMDMatchesReference, with the window (no tracer) and with all waves in the mask (tracer).

package simd

// defaultReadyWindow is how far ahead a wave issues soon: fewer cycles make for more looks at all waves, more for more looks at those that
// issue soon. Knob, for the host's time alone.
const defaultReadyWindow = 8

// waveOrder are the waves, oldest first.
type waveOrder struct {
	order [maxSlots]*Wave
	waves int
	// A bit for each that may issue soon. The others can't before later.due, and do what concerns them alone up to later.turn at least.
	readySoon  uint64
	readyLater issuePlan
	// Soon is within so many cycles. For a tracer all waves may issue soon: it samples in cycles in which there is a turn, be it one that comes too early.
	readyWindow uint64
}

// A issuePlan says when waves may issue.
type issuePlan struct {
	nextIssue   uint64 // the next cycle in which one may issue
	nextVisible uint64 // the next in which one may issue more than what concerns it alone, not before that
}

// noPlan is the plan without waves.
var noPlan = issuePlan{Never, Never}

// addReadyLater counts a wave among those that do not issue soon, but may from a cycle on.
func (s *SIMD) addReadyLater(w *Wave, from uint64) {
	s.readyLater.nextIssue, s.readyLater.nextVisible = min(s.readyLater.nextIssue, from), min(s.readyLater.nextVisible, from+w.privateCycles())
}

// splitByReadiness looks anew at all waves: those that may issue by a cycle may soon.
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

// candidates has a bit for each wave, the oldest first, that may issue in cycle now.
func candidates(s *SIMD, now uint64) uint64 {
	if now >= s.readyLater.nextIssue {
		s.splitByReadiness(now + s.readyWindow)
	}
	return s.readySoon
}

// issueSingle takes the turns of a wave that is the only one, as issueByAge does those of several.
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
