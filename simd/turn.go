package simd

import "math/bits"

// cross says that a wave comes whose accesses take units of all SIMDs, which have caught up: none may put off its turns.
func (s *Shared) cross() {
	s.crossed++
	for _, simd := range s.simds {
		*simd.next = simd.due
	}
}

// wake plans a turn not later than the first one in which the wave may issue.
func (s *SIMD) wake(w *Wave) {
	s.putLater(w, s.free.key(w))
	s.due = min(s.due, s.align(w.ready))
	*s.next = min(*s.next, s.align(w.ready+w.alone()))
	if s.trace.to != nil || s.shared.crossed > 0 {
		*s.next = s.due
	}
}

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

// align is the first turn of this SIMD from cycle on.
func (s *fixed) align(cycle uint64) uint64 {
	if s.aligned {
		return cycle + (s.phase-cycle)&(s.cadence-1)
	}
	late := (cycle - s.phase) % s.cadence
	if late == 0 {
		return cycle
	}
	return cycle + s.cadence - late
}

// Turn takes the turns up to cycle now in which a wave may issue. Turns in which waves do what concerns them alone wait up to the
// first one in which one may be out of such instructions, and are then taken together; who watches is told of each in its cycle.
func (s *SIMD) Turn(now uint64) {
	s.CatchUp(now)
	if s.due <= now {
		s.turn(now, now)
	}
}

// CatchUp takes the turns before cycle now, which were put off.
func (s *SIMD) CatchUp(now uint64) {
	for now = min(now, *s.next); s.due < now; {
		s.turn(s.due, now)
	}
}

// turn issues what can issue in cycle now, perhaps what can up to another cycle, and plans the next turn.
func (s *SIMD) turn(now, until uint64) {
	*s.next, s.due = Never, Never // what is woken in the turn is the earliest so far
	switch {
	case s.policy != nil:
		byPolicy(s, now)
	case s.waves == 1:
		single(s, now, until)
	default:
		byAge(s, now, until)
	}
	if s.trace.to != nil || s.shared.crossed > 0 {
		*s.next = s.due
	}
}

// byAge takes the turn of cycle now, and those after it that come before another cycle. The oldest waves go first: one look at each wave
// that may issue soon both issues and plans. What issues after a wave may move that wave's own turn, so the next one may come too
// early; then nothing issues in it.
func byAge(s *SIMD, now, until uint64) {
	for {
		left := s.width
		if s.portFree > now {
			left = 0
		}
		due, turn := Never, Never
		for m := candidates(s, now); m != 0; m &= m - 1 {
			w := s.order[bits.TrailingZeros64(m)%maxSlots]
			key := s.free.key(w)
			if key <= now && left > 0 {
				s.issue(w, now)
				left--
				key = s.free.key(w)
			}
			if key > now+s.horizon {
				s.soon &^= m & -m
				s.putLater(w, key)
				continue
			}
			due, turn = min(due, key), min(turn, key+w.alone())
		}
		due, turn = min(due, s.later.due), min(turn, s.later.turn)
		if s.endedInTurn {
			s.dropEnded(now)
		}
		if due = s.from(due, now); due >= until {
			s.planned(due, s.from(turn, now))
			return
		}
		now = due
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

// planned ends a turn: the next one is due in a cycle, and one that may do what does not concern waves alone in another.
// Those that were woken in the turn have been looked at.
func (s *SIMD) planned(due, turn uint64) {
	s.due, *s.next = min(s.due, due), min(*s.next, turn)
}

// from is the first turn from a cycle on, after that of cycle now, with a port that is free.
func (s *SIMD) from(cycle, now uint64) uint64 {
	return min(s.align(max(cycle, now+1, s.portFree)), Never)
}

// byPolicy is a turn in which waves go as the policy says.
func byPolicy(s *SIMD, now uint64) {
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
	replan(s, now)
}

// replan finds the next turn, after one of cycle now.
func replan(s *SIMD, now uint64) {
	s.divide(now + s.horizon)
	due, turn := s.later.due, s.later.turn
	for m := s.soon; m != 0; m &= m - 1 {
		w := s.order[bits.TrailingZeros64(m)%maxSlots]
		key := s.free.key(w)
		due, turn = min(due, key), min(turn, key+w.alone())
	}
	s.planned(s.from(due, now), s.from(turn, now))
}

// collect lists the waves that can issue now, oldest first.
func collect(s *SIMD, now uint64) []Candidate {
	list := s.list[:0]
	if s.portFree > now {
		return list
	}
	for _, w := range s.Waves() {
		if s.free.key(w) <= now {
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
		if i == issued || s.category != 0 && cu == u || s.free.of(cu) > now {
			continue
		}
		kept = append(kept, c)
	}
	return kept
}
