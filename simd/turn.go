package simd

import "math/bits"

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
