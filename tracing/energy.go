package tracing

import (
	"fmt"
	"io"
	"math"
	"strings"

	"spvsim/account"
	"spvsim/energy"
	"spvsim/internal/lists"
)

// energyOf is the energy of all steps: the sum of theirs, or, where they overlap, that of all at once. Nil: the machine has no table.
func (s *Stats) energyOf() *energy.Energy {
	if !s.Energies.HasTable() {
		return nil
	}
	if s.Queues != nil {
		return s.Energies.Compute(&s.Counts)
	}
	all := &energy.Energy{}
	for i := range s.Steps {
		all.Add(s.Energies.Compute(&s.Steps[i].Counts))
	}
	return all
}

// Energy returns the energy of the run; zero if the machine has no table of energies.
func (s *Stats) Energy() *energy.Energy {
	if e := s.energyOf(); e != nil {
		return e
	}
	return &energy.Energy{}
}

// Joules returns the energy of each instruction of the listed programs, including its share of the traffic that they
// caused; nil if the machine has no table of energies.
func Joules(s *Stats, listings []Listing) [][]float64 {
	e := s.energyOf()
	if e == nil {
		return nil
	}
	list := make([]energy.Program, len(listings))
	for i := range listings {
		list[i] = energy.Program{Insts: listings[i].Program.Insts, Counts: listings[i].Counts, Wave: listings[i].Program.WaveSize}
	}
	return s.Energies.Programs(list, e)
}

// ShareEnergy sets the energy of the listings' instructions, and of the statistics' programs.
func (s *Stats) ShareEnergy(listings []Listing) {
	for i, list := range Joules(s, listings) {
		listings[i].Joules = list
		s.Programs = append(s.Programs, ProgramEnergy{listings[i].Program.Name, energy.Sum(list)})
	}
}

// A ProgramEnergy is the energy of a program's instructions, with their share of the traffic, in joules.
type ProgramEnergy struct {
	Name   string
	Joules float64
}

// programMembers returns the energies of programs as members of a JSON object; programs of one name are added up.
func (s *Stats) programMembers() (o object) {
	at := map[string]int{}
	for _, p := range s.Programs {
		i, known := at[p.Name]
		if !known {
			i = len(o)
			at[p.Name], o = i, append(o, named{p.Name, 0.0})
		}
		o[i].value = o[i].value.(float64) + p.Joules
	}
	return o
}

// peak is the launch with the highest power; where launches overlap, all of them are one window.
func (s *Stats) peak() (p account.Peak) {
	if s.Queues != nil {
		return account.Peak{Watts: s.Energies.Watts(s.Energy().Total(), s.Cycles), Cycles: s.Cycles}
	}
	for i := range s.Steps {
		p.Raise(s.Steps[i].Peak)
	}
	return p
}

// energyMembers are an energy as members of a JSON object.
func energyMembers(m *energy.Model, e *energy.Energy, c *account.Counts, peak account.Peak) object {
	var list object
	for p, j := range e.Joules {
		list = append(list, named{energy.Part(p).String(), j})
	}
	total := e.Total()
	o := object{{"joules", total}, {"dynamic", e.Dynamic()}}
	if c.Estimate != nil {
		o = append(o, named{"low", total - e.Half}, named{"high", total + e.Half})
	}
	if !c.Untimed() {
		o = append(o, named{"constant", e.Constant()}, named{"watts", m.Watts(total, c.Cycles)})
		if peak.Cycles > 0 {
			o = append(o, named{"peak_watts", peak.Watts}, named{"peak_seconds", m.Seconds(peak.Cycles)})
		}
		o = append(o, named{"limit_watts", m.Table.LimitWatts}, named{"delay", total * m.Seconds(c.Cycles)})
	}
	return append(o, named{"parts", list})
}

// limitMembers say what the power limit does to the clock.
func (s *Stats) limitMembers() object {
	full, limited := max(s.FullClockMHz, s.ClockMHz), 0
	if s.ClockMHz < full {
		limited = 1
	}
	return object{{"full_clock_mhz", full}, {"limited_by_power", limited}}
}

// LimitText says that the power limit lowered the clock; empty: it did not.
func (s *Stats) LimitText() string {
	if s.ClockMHz >= s.FullClockMHz || s.Energies == nil {
		return ""
	}
	return fmt.Sprintf("limited by power: %d MHz instead of %d, to stay within %g W", s.ClockMHz, s.FullClockMHz, s.Energies.Table.LimitWatts)
}

// shownShare is the least share of a part in the summary.
const shownShare = 0.01

// writeEnergy writes a line for people.
func (s *Stats) writeEnergy(w io.Writer) {
	e := s.energyOf()
	if e == nil {
		return
	}
	var names []string
	var most []uint64
	for p, j := range e.Joules {
		if j >= shownShare*e.Total() {
			names, most = append(names, energy.Part(p).String()), append(most, uint64(j*1e15))
		}
	}
	text := JoulesText(e.Total())
	switch {
	case s.Untimed():
		text += " of events"
	case s.Cycles > 0:
		watts := s.Energies.Watts(e.Total(), s.Cycles)
		text += ", " + wattsText(watts)
		switch limit := s.Energies.Table.LimitWatts; {
		case limit > 0 && max(watts, s.peak().Watts) > limit:
			text += fmt.Sprintf(" (limit %g W, exceeded: the product would lower its clock, as energy.cap=on does)", limit)
		case limit > 0:
			text += fmt.Sprintf(" (limit %g W)", limit)
		}
	}
	fmt.Fprintf(w, "energy\t%s: %s\n", text, strings.Join(shareTexts(names, most, uint64(e.Total()*1e15)), ", "))
	s.writePrograms(w)
}

// writePrograms writes the energy of each of several programs.
func (s *Stats) writePrograms(w io.Writer) {
	list := s.programMembers()
	if len(list) < 2 {
		return
	}
	text := lists.Map(list, func(p named) string { return p.name + " " + JoulesText(p.value.(float64)) })
	fmt.Fprintf(w, "instructions of\t%s\n", strings.Join(text, ", "))
}

func wattsText(w float64) string { return Digits(w, 3) + " W" }

// Digits writes a number with some digits, or with all of its integer part where that has more: %g would write an exponent then.
func Digits(x float64, n int) string {
	if math.Abs(x) >= math.Pow10(n)-0.5 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.*g", n, x)
}

// JoulesText words an energy.
func JoulesText(j float64) string {
	for _, u := range []struct {
		name string
		of   float64
	}{{"J", 1}, {"mJ", 1e-3}, {"uJ", 1e-6}, {"nJ", 1e-9}} {
		if j >= u.of {
			return Digits(j/u.of, 3) + " " + u.name
		}
	}
	return Digits(j*1e12, 3) + " pJ"
}
