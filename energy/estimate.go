package energy

import (
	"spvsim/account"
	"spvsim/isa"
)

// An extrapolation holds the factors from the timed part of a run to the whole. Functional parts count instructions and
// lanes; the traffic beyond the LDS and the caches is known for the timed part alone.
type extrapolation struct{ local, memory, time float64 }

func extrapolated(c *account.Counts) extrapolation {
	x := extrapolation{1, 1, 1}
	if c.Estimate == nil || c.Functional == nil {
		return x
	}
	x.local = ratio(c, isa.ClassLDS, isa.ClassLDSSwizzle)
	x.memory = ratio(c, isa.ClassVMEM, isa.ClassVMEMStore, isa.ClassVMEMAtomic, isa.ClassImage, isa.ClassScratch, isa.ClassSMEM)
	if timed := c.Cycles - min(c.Estimate.Cycles, c.Cycles); timed > 0 {
		x.time = float64(c.Cycles) / float64(timed)
	}
	return x
}

// ratio returns all instructions of some classes divided by the timed ones.
func ratio(c *account.Counts, classes ...isa.Class) float64 {
	var all, timed uint64
	for _, class := range classes {
		all += c.ByClass[class]
		timed += c.ByClass[class] - min(c.Functional.ByClass[class], c.ByClass[class])
	}
	if timed == 0 {
		return 1
	}
	return float64(all) / float64(timed)
}

// half returns half the width of an estimate's interval: constant power over the interval of the cycles, and the same
// share of the extrapolated traffic.
func (m *Model) half(e *Energy, c *account.Counts, x *extrapolation) float64 {
	if c.Cycles == 0 || c.Estimate.Cycles == 0 {
		return 0
	}
	traffic := e.Joules[LDS] * (1 - 1/x.local)
	for p := VectorL1; p <= Memory; p++ {
		traffic += e.Joules[p] * (1 - 1/x.memory)
	}
	rest := float64(c.Estimate.Cycles)
	return (e.Constant()*c.Estimate.Half/float64(c.Cycles) + traffic*c.Estimate.Half/rest) / m.Table.Supply
}
