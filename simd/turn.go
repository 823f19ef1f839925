package simd

// cross says that a wave comes whose accesses take units of all SIMDs, which have caught up: none may put off its turns.
func (s *Shared) cross() {
	s.crossed++
	for i := range s.ahead {
		s.ahead[i].Turn = s.ahead[i].due
	}
}

// wake plans a turn not later than the first one from cycle on, in which the wave may issue.
func (s *SIMD) wake(w *Wave, cycle uint64) {
	s.ahead.due = min(s.ahead.due, s.align(cycle))
	s.ahead.Turn = min(s.ahead.Turn, s.align(cycle+uint64(s.at[w.pos].alone)))
	if s.trace.to != nil || s.shared.crossed > 0 {
		s.ahead.Turn = s.ahead.due
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
	if s.ahead.due <= now {
		s.turn(now, now)
	}
}

// CatchUp takes the turns before cycle now, which were put off.
func (s *SIMD) CatchUp(now uint64) {
	for now = min(now, s.ahead.Turn); s.ahead.due < now; {
		s.turn(s.ahead.due, now)
	}
}

// turn issues what can issue in cycle now, perhaps what can up to another cycle, and plans the next turn.
func (s *SIMD) turn(now, until uint64) {
	if s.policy == nil {
		if len(s.ready) == 1 {
			single(s, now, until)
		} else {
			byAge(s, now)
		}
		return
	}
	ready := collect(s, now)
	for n := 0; n < s.width && len(ready) > 0; n++ {
		k := s.policy(ready, s.last)
		pick := ready[k]
		u := s.at[pick.pos].unit
		s.last = pick.Slot
		s.issue(s.order[pick.pos], now)
		ready = remaining(s, ready, k, u, now)
	}
	if s.endedInTurn {
		s.dropEnded()
	}
	plan(s, now)
}

// byAge is a turn in which the oldest waves go first: one look at each wave both
// issues and plans. What issues after a wave may move that wave's own turn, so
// the next one may come too early; then nothing issues in it.
func byAge(s *SIMD, now uint64) {
	left, used := s.width, uint(0)
	if s.portFree > now {
		left = 0
	}
	*s.ahead = none // what is woken in the turn is the earliest so far
	due, turn := Never, Never
	ready, own, shared := s.ready, &s.unitFree, &s.shared.free
	at := s.at[:len(ready)]
	for i, key := range ready {
		if key > now && key >= turn {
			continue // another wave may issue before
		}
		u := at[i].unit % unitTable
		key = max(key, own[u], shared[u])
		if key <= now && left > 0 && used>>u&1 == 0 {
			s.issue(s.order[i], now)
			left--
			if s.perCategory {
				used |= 1 << u
			}
			key = s.key(i)
		}
		due, turn = min(due, key), min(turn, key+uint64(at[i].alone))
	}
	if s.endedInTurn {
		s.dropEnded()
	}
	planned(s, now, due, turn)
}

// single takes the turns from cycle now on of a wave that is the only one: that of cycle now, and those before another cycle
// in which it does what concerns it alone.
func single(s *SIMD, now, until uint64) {
	*s.ahead = none
	w := s.order[0]
	for due := max(s.key(0), s.portFree); due <= now; {
		s.issue(w, now)
		if s.endedInTurn {
			s.dropEnded()
			planned(s, now, Never, Never)
			return
		}
		if due = s.from(s.key(0), now, s.portFree); due >= until || s.at[0].alone == 0 {
			break
		}
		now = due
	}
	key := s.key(0)
	planned(s, now, key, key+uint64(s.at[0].alone))
}

// key is the cycle from which the wave at a place in the order of age may issue.
func (s *SIMD) key(i int) uint64 {
	return max(s.ready[i], s.openAt(s.at[i].unit))
}

// planned ends the turn of cycle now, when waves may issue from cycle due on, and what does not concern them alone from cycle turn on; those
// that were woken in the turn have been looked at.
func planned(s *SIMD, now, due, turn uint64) {
	if due < Never {
		s.ahead.due = min(s.ahead.due, s.from(due, now, s.portFree))
		s.ahead.Turn = min(s.ahead.Turn, s.from(turn, now, s.portFree))
	}
	if s.trace.to != nil || s.shared.crossed > 0 {
		s.ahead.Turn = s.ahead.due
	}
}

// from is the first turn from a cycle on, after that of cycle now, with a port that is free from a cycle on.
func (s *fixed) from(cycle, now, free uint64) uint64 {
	return min(s.align(max(cycle, now+1, free)), Never)
}

// collect lists the waves that can issue now, oldest first.
func collect(s *SIMD, now uint64) []Candidate {
	ready := s.candidates[:0]
	if s.portFree > now {
		return ready
	}
	at, slot := s.at[:len(s.ready)], s.slot[:len(s.ready)]
	for i, from := range s.ready {
		if from <= now && s.openAt(at[i].unit) <= now {
			ready = append(ready, Candidate{Slot: int(slot[i]), pos: i})
		}
	}
	return ready
}

// openAt is the cycle from which unit u can take an instruction.
func (s *SIMD) openAt(u unit) uint64 {
	return max(s.unitFree[u%unitTable], s.shared.free[u%unitTable])
}

// remaining removes the candidate that issued and those that it keeps from issuing in the same turn.
func remaining(s *SIMD, ready []Candidate, issued int, u unit, now uint64) []Candidate {
	kept := ready[:0]
	for i, c := range ready {
		cu := s.at[c.pos].unit
		if i == issued || s.perCategory && (cu^u)%unitTable == 0 || s.openAt(cu) > now {
			continue
		}
		kept = append(kept, c)
	}
	return kept
}

// plan finds the next turn in which a wave may issue.
func plan(s *SIMD, now uint64) {
	*s.ahead = none
	due, turn := Never, Never
	for i, from := range s.ready {
		if from >= turn {
			continue // another wave may issue before
		}
		key := s.key(i)
		due, turn = min(due, key), min(turn, key+uint64(s.at[i].alone))
	}
	planned(s, now, due, turn)
}
