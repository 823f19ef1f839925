// The ready window: for the host's speed alone. Waves that may issue within so many cycles are in a bit mask, and of all others only
// the earliest issue is kept, so that an issue cycle looks at few waves.
//
// Law: no wave outside of the mask may issue before the earliest issue that is kept; from that cycle on all waves are divided anew.
// The mask goes by age, as the list of waves does, so the same waves issue in the same order whatever the window's length. A wave
// that is alone needs neither.
//
// Test: TestSIMDMatchesReference, with the window (no tracer) and with all waves in the mask (tracer).

package simd

// soonCycles is how far ahead a wave issues soon: fewer cycles make for more looks at all waves, more for more looks at those that
// issue soon. Knob, for the host's time alone.
const soonCycles = 8

// ages are the waves, oldest first.
type ages struct {
	order [maxSlots]*Wave
	waves int
	// A bit for each that may issue soon. The others can't before later.due, and do what concerns them alone up to later.turn at least.
	soon  uint64
	later plan
	// Soon is within so many cycles. For a tracer all waves may issue soon: it samples in cycles in which there is a turn, be it one that comes too early.
	horizon uint64
}

// A plan says when waves may issue.
type plan struct {
	due  uint64 // the next cycle in which one may issue
	turn uint64 // the next in which one may issue more than what concerns it alone, not before that
}

// none is the plan without waves.
var none = plan{Never, Never}

// putLater counts a wave among those that do not issue soon, but may from a cycle on.
func (s *SIMD) putLater(w *Wave, from uint64) {
	s.later.due, s.later.turn = min(s.later.due, from), min(s.later.turn, from+w.alone())
}

// divide looks anew at all waves: those that may issue by a cycle may soon.
func (s *SIMD) divide(by uint64) {
	s.soon, s.later = 0, none
	for i, w := range s.Waves() {
		if key := s.free.key(w); key > by {
			s.putLater(w, key)
		} else {
			s.soon |= 1 << (i % maxSlots)
		}
	}
}

// candidates has a bit for each wave, the oldest first, that may issue in cycle now.
func candidates(s *SIMD, now uint64) uint64 {
	if now >= s.later.due {
		s.divide(now + s.horizon)
	}
	return s.soon
}

// single takes the turns of a wave that is the only one, as byAge does those of several.
func single(s *SIMD, now, until uint64) {
	w := s.order[0]
	for due := max(s.free.key(w), s.portFree); due <= now; now = due {
		s.issue(w, now)
		if s.endedInTurn {
			s.dropEnded(now)
			return
		}
		if due = s.from(s.free.key(w), now); due >= until {
			break
		}
	}
	s.soon, s.later = 1, none
	key := s.free.key(w)
	s.planned(s.from(key, now), s.from(key+w.alone(), now))
}
