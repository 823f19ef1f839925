package profile

import "spvsim/energy"

// power spreads an energy over the bins of a series, in joules: that of instructions and the LDS by the instructions that issued, that of
// traffic by the bytes of its level, and all else evenly over time. Before the first launch, with which the series begins, copies may have
// passed: of all cycles, those of the series have their part.
func (s *Series) power(e *energy.Energy, levels []Level, cycles, all uint64) []float64 {
	out := make([]float64, s.Len())
	left := *e
	take := func(row []uint64, parts ...energy.Part) {
		total := uint64(0)
		for _, n := range row {
			total += n
		}
		if total == 0 {
			return
		}
		for _, p := range parts {
			for i, n := range row {
				out[i] += left.Joules[p] * float64(n) / float64(total)
			}
			left.Joules[p] = 0
		}
	}
	take(s.Issued, energy.Fetch, energy.Vector, energy.Matrix, energy.Scalar, energy.Registers)
	take(s.LDS, energy.LDS)
	for i, l := range levels {
		for p := energy.VectorL1; p <= energy.Memory; p++ {
			if p.String() == l.Name {
				take(s.Levels[i], p)
			}
		}
	}
	for i := range out {
		out[i] += left.Total() * float64(s.Length(i, cycles)) / float64(max(all, 1))
	}
	return out
}

// Watts is the power of each bin; nil: not known.
func (p *Profile) Watts() []float64 {
	if p.Series.Joules == nil {
		return nil
	}
	out := make([]float64, len(p.Series.Joules))
	for i, j := range p.Series.Joules {
		out[i] = j / float64(max(p.Series.Length(i, p.Cycles), 1)) * float64(p.ClockMHz) * 1e6
	}
	return out
}
