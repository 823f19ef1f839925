package simd

import "math/bits"

// align returns the first issue cycle of this SIMD from a cycle on. At an interval of 4 and phase 1, cycle 6 becomes 9.
func (s *fixed) align(cycle uint64) uint64 {
	if s.aligned {
		return cycle + (s.phase-cycle)&(s.issueInterval-1)
	}
	late := (cycle - s.phase) % s.issueInterval
	if late == 0 {
		return cycle
	}
	return cycle + s.issueInterval - late
}

// Issue issues what can issue up to cycle now. Issue cycles in which no instruction is visible outside the SIMD are postponed and run as a
// batch, at the latest when a visible one may follow. A tracer that needs the order of time sees each at its own cycle.
func (s *SIMD) Issue(now uint64) {
	s.CatchUp(now)
	if s.nextIssue <= now {
		s.issueCycle(now, now)
	}
}

// issueCycle issues what can issue in cycle now, and perhaps in those after it up to another, and plans the next issue cycle.
func (s *SIMD) issueCycle(now, until uint64) {
	*s.nextVisible, s.nextIssue = Never, Never // what is woken in the turn is the earliest so far
	switch {
	case s.policy != nil:
		issueByPolicy(s, now)
	case s.waves == 1:
		issueSingle(s, now, until)
	default:
		issueByAge(s, now, until)
	}
	if s.trace.ordered || s.shared.sharingWaves > 0 {
		*s.nextVisible = s.nextIssue
	}
}

// issueByAge runs issue cycle now, and those after it that come before another cycle. The oldest waves go first: one pass over the
// candidates both issues and plans. An issue may delay the wave's own next one, so the planned cycle may come too early; then nothing
// issues in it.
func issueByAge(s *SIMD, now, until uint64) {
	for {
		left := s.width
		if s.portFree > now {
			left = 0
		}
		due, turn := Never, Never
		for m := candidates(s, now); m != 0; m &= m - 1 {
			w := s.order[bits.TrailingZeros64(m)%maxSlots]
			key := s.unitFreeAt.issueAt(w)
			if key <= now && left > 0 {
				s.issue(w, now)
				left--
				key = s.unitFreeAt.issueAt(w)
			}
			if key > now+s.readyWindow {
				s.readySoon &^= m & -m
				s.addReadyLater(w, key)
				continue
			}
			due, turn = min(due, key), min(turn, key+w.privateCycles())
		}
		due, turn = min(due, s.readyLater.nextIssue), min(turn, s.readyLater.nextVisible)
		if s.endedInTurn {
			s.dropEnded(now)
		}
		if due = s.nextIssueFrom(due, now); due >= until {
			s.setPlan(due, s.nextIssueFrom(turn, now))
			return
		}
		now = due
	}
}

// nextIssueFrom returns the first issue cycle from a cycle on, after cycle now, in which the port is free.
func (s *SIMD) nextIssueFrom(cycle, now uint64) uint64 {
	return min(s.align(max(cycle, now+1, s.portFree)), Never)
}

// issueByPolicy runs issue cycle now with waves in the order of the policy.
func issueByPolicy(s *SIMD, now uint64) {
	ready := collect(s, now)
	for n := 0; n < s.width && len(ready) > 0; n++ {
		k := s.policy(ready, s.last)
		pick := ready[k]
		u := pick.wave.unit()
		s.last = pick.Slot
		s.issue(pick.wave, now)
		ready = remaining(s, ready, k, u, now)
	}
	if s.endedInTurn {
		s.dropEnded(now)
	}
	planNextIssue(s, now)
}

// planNextIssue finds the next issue cycle after cycle now.
func planNextIssue(s *SIMD, now uint64) {
	s.splitByReadiness(now + s.readyWindow)
	due, turn := s.readyLater.nextIssue, s.readyLater.nextVisible
	for m := s.readySoon; m != 0; m &= m - 1 {
		w := s.order[bits.TrailingZeros64(m)%maxSlots]
		key := s.unitFreeAt.issueAt(w)
		due, turn = min(due, key), min(turn, key+w.privateCycles())
	}
	s.setPlan(s.nextIssueFrom(due, now), s.nextIssueFrom(turn, now))
}

// collect lists the waves that can issue now, oldest first.
func collect(s *SIMD, now uint64) []Candidate {
	list := s.list[:0]
	if s.portFree > now {
		return list
	}
	for _, w := range s.Waves() {
		if s.unitFreeAt.issueAt(w) <= now {
			list = append(list, Candidate{w.Slot, w})
		}
	}
	return list
}

// remaining removes the candidate that issued and those that it keeps from issuing in the same turn.
func remaining(s *SIMD, ready []Candidate, issued int, u unit, now uint64) []Candidate {
	kept := ready[:0]
	for i, c := range ready {
		cu := c.wave.unit()
		if i == issued || s.category != 0 && cu == u || s.unitFreeAt.freeAt(cu) > now {
			continue
		}
		kept = append(kept, c)
	}
	return kept
}
