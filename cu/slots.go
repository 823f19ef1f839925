package cu

import "spvsim/account"

// slots is where the cycles of all wave slots go in an accounting period. Units that have had no workgroup in it are alike, and are
// counted together: of a small launch on a large machine those are nearly all.
type slots struct {
	used    []*ComputeUnit
	known   []bool             // by unit: it is one of used
	settled uint64             // cycle up to which the slots of the others are charged
	idle    account.SlotCycles // of one of their slots
	unused  uint64             // their number
}

// begin starts a period at cycle now.
func (s *slots) begin(now uint64, units []*ComputeUnit) {
	before := s.used
	*s = slots{used: before[:0], known: s.known, settled: now}
	if s.known == nil {
		s.known = make([]bool, len(units))
	}
	for _, u := range units {
		s.unused += u.slots()
	}
	clear(s.known)
	for _, u := range before {
		if u.resident > 0 {
			s.use(u)
		}
	}
}

// use has a unit counted by itself from now on, as a workgroup comes.
func (s *slots) use(u *ComputeUnit) {
	if s.known[u.index] {
		return
	}
	s.known[u.index] = true
	s.used = append(s.used, u)
	s.unused -= u.slots()
	for _, lanes := range u.SIMDs {
		lanes.Reset(s.settled)
		for why, n := range s.idle {
			lanes.Cycles[why] = n * uint64(lanes.Slots())
		}
	}
}

// settle charges empty slots up to cycle end.
func (s *slots) settle(end uint64, why account.Reason) {
	for _, u := range s.used {
		for _, lanes := range u.SIMDs {
			lanes.Settle(end, why)
		}
	}
	if s.settled < end {
		s.idle[why] += end - s.settled
		s.settled = end
	}
}

// sum adds all slots up.
func (s *slots) sum() (sum account.SlotCycles) {
	for why, n := range s.idle {
		sum[why] = n * s.unused
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
