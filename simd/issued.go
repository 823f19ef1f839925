package simd

import (
	"spvsim/account"
	"spvsim/isa"
)

// IssuedCounts counts what waves of programs issued so far: instructions by class, their lanes and their LDS accesses.
func IssuedCounts(codes []*Code) account.Counts {
	c := account.Counts{ByClass: IssuedByClass(codes)}
	for _, code := range codes { // whose counts IssuedByClass has gathered
		n := code.LDS()
		c.LDS.Add(&n)
		for i := range code.Counts {
			c.Lanes.Count(&code.Program.Insts[i], code.Counts[i].Issues, code.Counts[i].Lanes(code.Program.WaveSize))
		}
	}
	return c
}

// CyclesByReason adds up the slot cycles of the waves of programs so far, by reason.
func CyclesByReason(codes []*Code) (sum account.SlotCycles) {
	for _, c := range codes {
		c.GatherCounts()
		for i := range c.Counts {
			sum.Add(&c.Counts[i].Cycles)
		}
	}
	return sum
}

// IssuedByClass counts the instructions that programs issued so far, by class.
func IssuedByClass(codes []*Code) (by [isa.NumClasses]uint64) {
	for _, c := range codes {
		c.GatherCounts()
		for i := range c.Counts {
			by[c.Program.Insts[i].Class] += c.Counts[i].Issues
		}
	}
	return by
}
