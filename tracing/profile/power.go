package profile

import (
	"fmt"
	"slices"

	"spvsim/account"
	"spvsim/energy"
	"spvsim/tracing"
)

// A PartRow is the energy of one part of the machine, by bin.
type PartRow struct {
	Part   string    `json:"part"`
	Joules []float64 `json:"joules"`
}

// distribute spreads the energy of a run over the bins, part by part: that of instructions and the LDS in proportion to their counts, that of
// traffic to the bytes of its level, that of units to the units with a workgroup, what else is on while a launch runs to its cycles, copies and
// transfers over the time between launches, and what idle parts consume over all time. The series begins with the first launch: what
// comes before has its share of all cycles.
func (s *Series) distribute(st *tracing.Stats, levels []LevelProfile, cycles uint64) {
	m, e := st.Energies, st.Energy()
	d := &distribution{even: make([]float64, s.Len()), all: float64(max(cycles, st.Cycles, 1))}
	gaps, work := make([]float64, s.Len()), floats(s.Work)
	for i := range gaps {
		d.even[i] = float64(s.Length(i, cycles))
		gaps[i] = max(d.even[i]-work[i], 0)
	}
	idle := &energy.Energy{}
	if !st.Untimed() {
		idle = m.Compute(&account.Counts{Cycles: st.Cycles})
	}
	copies := m.Compute(&account.Counts{ToDevice: st.ToDevice, FromDevice: st.FromDevice, Transferred: st.Transferred})
	busy := s.weights(m, levels)
	for p := range energy.Supply {
		between := copies.Joules[p]
		d.spread(p, idle.Joules[p], d.even, d.all)
		d.spread(p, between, gaps, d.all-energy.Sum(work))
		d.spread(p, e.Joules[p]-idle.Joules[p]-between, busy[p], energy.Sum(busy[p]))
	}
	s.Joules = make([]float64, s.Len())
	lost := 0.0 // for each joule of the others
	if used := e.Total() - e.Joules[energy.Supply]; used > 0 {
		lost = e.Joules[energy.Supply] / used
	}
	for p := range energy.Supply {
		for i, j := range d.rows[p] {
			s.Joules[i] += j
		}
	}
	if lost > 0 {
		d.rows[energy.Supply] = make([]float64, s.Len())
	}
	for i := range d.rows[energy.Supply] {
		d.rows[energy.Supply][i] = s.Joules[i] * lost
		s.Joules[i] *= 1 + lost
	}
	for p, row := range d.rows {
		if row != nil {
			s.Parts = append(s.Parts, PartRow{energy.Part(p).String(), row})
		}
	}
}

// A distribution is the energy of each part over time.
type distribution struct {
	rows [energy.NumParts][]float64 // by part, then by bin; nil: none
	even []float64                  // cycles of the bins
	all  float64                    // cycles of the run, before the series too
}

// spread adds energy to a part's bins by their weights, whose total may be larger than their sum. Without weights it is even in time.
func (d *distribution) spread(p energy.Part, joules float64, weights []float64, total float64) {
	if !(joules > 0) {
		return
	}
	if !(total > 0) {
		weights, total = d.even, d.all
	}
	if d.rows[p] == nil {
		d.rows[p] = make([]float64, len(d.even))
	}
	for i, w := range weights {
		d.rows[p][i] += joules * w / total
	}
}

// weights are those of each part's bins while the part has work.
func (s *Series) weights(m *energy.Model, levels []LevelProfile) (list [energy.NumParts][]float64) {
	for _, p := range []energy.Part{energy.Fetch, energy.Vector, energy.Matrix, energy.Scalar, energy.Registers} {
		list[p] = floats(s.Issued)
	}
	list[energy.LDS] = floats(s.LDS)
	list[energy.Links] = make([]float64, s.Len())
	for l := range levels {
		name := levels[l].Name
		row := floats(s.Levels[l])
		for p := range energy.Units {
			if p.String() == name {
				list[p] = row
			}
		}
		link := m.Compute(&account.Counts{Memory: []account.LevelCounts{{Name: name, Bytes: 1 << 30}}}).Joules[energy.Links]
		for i := range row {
			list[energy.Links][i] += link * row[i]
		}
	}
	for _, p := range []energy.Part{energy.Units, energy.Dispatch, energy.Queue} {
		list[p] = floats(s.Busy)
	}
	for _, p := range []energy.Part{energy.Engines, energy.Chip, energy.Idle} {
		list[p] = floats(s.Work)
	}
	return list
}

func floats(row []uint64) []float64 {
	list := make([]float64, len(row))
	for i, n := range row {
		list[i] = float64(n)
	}
	return list
}

// A Curve is a power over time, in watts, by bin.
type Curve struct {
	Name  string
	Watts []float64
}

// watts is the power of energies by bin.
func (p *Profile) watts(joules []float64) []float64 {
	out := make([]float64, len(joules))
	for i, j := range joules {
		out[i] = j / float64(max(p.Series.Length(i, p.Cycles), 1)) * float64(p.ClockMHz) * 1e6
	}
	return out
}

// Watts is the power of each bin; nil: not known.
func (p *Profile) Watts() []float64 {
	if p.Series.Joules == nil {
		return nil
	}
	return p.watts(p.Series.Joules)
}

// PartWatts is the power of each part that takes some; nil in older files.
func (p *Profile) PartWatts() (list []Curve) {
	for _, r := range p.Series.Parts {
		list = append(list, Curve{r.Part, p.watts(r.Joules)})
	}
	return list
}

// GroupWatts is the power of each group of parts, also of groups without power; nil in older files.
func (p *Profile) GroupWatts() []Curve {
	if p.Series.Parts == nil {
		return nil
	}
	list := make([]Curve, energy.NumGroups)
	for g := range list {
		list[g] = Curve{energy.PartGroup(g).String(), make([]float64, p.Series.Len())}
	}
	for _, r := range p.Series.Parts {
		of, _ := energy.PartOf(r.Part) // checked where the file is read
		for i, w := range p.watts(r.Joules) {
			list[of.Group()].Watts[i] += w
		}
	}
	return list
}

// checkPower refuses energies that do not fit the series.
func (s *Series) checkPower() error {
	impossible := func(j float64) bool { return !(j >= 0 && j < 1e18) }
	if s.Joules != nil && (len(s.Joules) != s.Len() || slices.ContainsFunc(s.Joules, impossible)) {
		return fmt.Errorf("%w: %d bins of joules, want %d, of numbers from 0 up", ErrFormat, len(s.Joules), s.Len())
	}
	for _, r := range s.Parts {
		if _, known := energy.PartOf(r.Part); !known || len(r.Joules) != s.Len() || slices.ContainsFunc(r.Joules, impossible) {
			return fmt.Errorf("%w: part %q has %d bins of joules, want %d of a part of the statistics, of numbers from 0 up", ErrFormat, r.Part, len(r.Joules), s.Len())
		}
	}
	return nil
}
