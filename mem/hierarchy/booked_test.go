package hierarchy

import "testing"

// Memory is booked as long as evicted lines take, also where the stores that evicted them were acknowledged long before.
func TestBookedHoldsEvictedLines(t *testing.T) {
	for _, standard := range []string{"none", "GDDR6"} {
		s, shape := tiny(), tinyShape()
		s.DRAM, shape.ClockMHz = DefaultSpec().DRAM, 1000
		s.DRAM.Standard, s.DRAM.Writes, s.DRAM.Drained = standard, 0, 0
		f := NewAnalytic(&s, shape)
		last := uint64(0)
		for i := range uint64(80) {
			if i == 16 && f.Booked() != 0 { // all are in the L2, which has space for so many
				t.Errorf("%s: memory is booked up to %d for stores that no line was evicted for", standard, f.Booked())
			}
			last = max(last, f.Access(0, request(0, Write, 64*i)).ReadyAt)
		}
		if least := uint64(100 + 64*64/16); f.Booked() < least || f.Booked() <= last {
			t.Errorf("%s: 64 evicted lines are booked up to %d, the last store is acknowledged in %d: want %d at least", standard, f.Booked(), last, least)
		}
	}
}
