package profile

import "spvsim/energy"

// power distributes an energy over the bins of a series, in joules: that of instructions and the LDS in proportion to
// the issued instructions, that of traffic in proportion to the bytes of its level, and the rest evenly over time. The
// series begins with the first launch, before which copies may have run: it gets its share of all cycles.
func (s *Series) power(e *energy.Energy, levels []LevelProfile, cycles, all uint64) []float64 {
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
