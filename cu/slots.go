package cu

import "spvsim/account"

// slots accounts the cycles of all wave slots in a period. Units without a workgroup in the period have equal slots, and are
// counted together: of a small launch on a large machine nearly all.
type slots struct {
	used         []*ComputeUnit
	tracked      []bool             // by unit: it is in used
	chargedUntil uint64             // cycle up to which the slots of untracked units are charged
	idle         account.SlotCycles // of one of their slots
	idleSlots    uint64             // of untracked units
}

// beginPeriod starts a period at cycle now.
func (s *slots) beginPeriod(now uint64, units []*ComputeUnit) {
	before := s.used
	*s = slots{used: before[:0], tracked: s.tracked, chargedUntil: now}
	if s.tracked == nil {
		s.tracked = make([]bool, len(units))
	}
	for _, u := range units {
		s.idleSlots += u.slots()
	}
	clear(s.tracked)
	for _, u := range before {
		if u.resident > 0 {
			s.track(u)
		}
	}
}

// track counts a unit by itself from now on, as a workgroup comes.
func (s *slots) track(u *ComputeUnit) {
	if s.tracked[u.index] {
		return
	}
	s.tracked[u.index] = true
	s.used = append(s.used, u)
	s.idleSlots -= u.slots()
	for _, lanes := range u.SIMDs {
		lanes.Reset(s.chargedUntil)
		for why, n := range s.idle {
			lanes.Cycles[why] = n * uint64(lanes.Slots())
		}
	}
}

// chargeEmpty charges empty slots up to cycle end.
func (s *slots) chargeEmpty(end uint64, why account.Reason) {
	for _, u := range s.used {
		for _, lanes := range u.SIMDs {
			lanes.ChargeEmpty(end, why)
		}
	}
	if s.chargedUntil < end {
		s.idle[why] += end - s.chargedUntil
		s.chargedUntil = end
	}
}

// sum adds up all slots.
func (s *slots) sum() (sum account.SlotCycles) {
	for why, n := range s.idle {
		sum[why] = n * s.idleSlots
	}
	for _, u := range s.used {
		for _, lanes := range u.SIMDs {
			sum.Add(&lanes.Cycles)
		}
	}
	return sum
}

// slots are the wave slots of a unit.
func (u *ComputeUnit) slots() uint64 { return uint64(len(u.launches)) }
