// Package tracing shows the results of a run: its statistics as JSON and as a summary, and the annotated listing. Its
// subpackages observe a run through the probe.
//
// The package does not know how a machine works: it shows the machine's counts.
package tracing

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"slices"

	"spvsim/account"
	"spvsim/energy"
	"spvsim/isa"
)

// Host is the cost of the simulation. It is the only part of the statistics that differs between two runs of the same
// job.
type Host struct {
	Seconds               float64 `json:"seconds"`
	InstructionsPerSecond float64 `json:"instructions_per_second"`
	PeakBytes             uint64  `json:"peak_bytes"` // of memory obtained from the system
}

// Stats are the statistics of a run.
type Stats struct {
	Machine  string
	ClockMHz int
	// FullClockMHz is the clock before the power limit lowered it, or left it; 0: the limit does not act.
	FullClockMHz int
	Mode         string // how the job ran; empty: timed as a whole
	account.Counts
	Steps []account.StepCounts
	// Energies turns counts into joules.
	Energies *energy.Model
	// Programs are the energies of the programs; nil: not known.
	Programs []ProgramEnergy
	// Queues are the job's queues, whose launches overlap; nil: it has none.
	Queues []account.HardwareQueue
	Host   Host // left out of the JSON if zero
	// Stopped is the reason why the run was stopped before its end, and the rest covers the time until then; empty: it
	// was not stopped.
	Stopped string
	// Utilization are the shares of their peaks that the machine's parts reached; nil: not known.
	Utilization []Utilization
	// AtInstructions are the cycles that waves spent at the programs' instructions, by reason: the slot cycles of waves without
	// those of a launch's begin and end.
	AtInstructions account.SlotCycles
	// WhatIf are the results on counterfactual machines; nil: none ran.
	WhatIf []Counterfactual
}

// Launching are the cycles of launch costs, where they are more than a tenth of a run that is timed as a whole; else 0.
func (s *Stats) Launching() uint64 {
	if s.Estimate != nil || s.Functional != nil || 10*s.LaunchCycles <= s.Cycles {
		return 0
	}
	return s.LaunchCycles
}

// A named is one member of a JSON object whose order matters.
type named struct {
	name  string
	value any
}

// object is a JSON object with its members in the given order.
type object []named

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// members are the counts as members of a JSON object.
func members(c *account.Counts, clockMHz int) object {
	var classes, reasons, levels object
	for class, n := range c.ByClass {
		if n > 0 {
			classes = append(classes, named{isa.Class(class).String(), n})
		}
	}
	for r, n := range c.Slots {
		reasons = append(reasons, named{account.Reason(r).String(), n})
	}
	for _, l := range c.Memory {
		levels = append(levels, named{l.Name, l})
	}
	work := object{
		{"workgroups", c.Workgroups},
		{"waves", c.Waves},
		{"instructions", object{{"total", c.Instructions()}, {"by_class", classes}}},
		{"lanes", laneMembers(&c.Lanes)},
	}
	time := object{{"cycles", c.Cycles}, {"seconds", seconds(c, clockMHz)}}
	machine := object{
		{"slot_cycles", object{{"total", c.Slots.Total()}, {"by_reason", reasons}}},
		{"occupancy", c.Occupancy()},
		{"unit_cycles", c.UnitCycles},
		{"lds", c.LDS},
		{"memory", levels},
	}
	faults := object{{"out_of_bounds", c.OutOfBounds}}
	if c.Untimed() {
		time, machine = nil, nil // not known
	}
	if c.Estimate != nil {
		machine = slices.DeleteFunc(machine, func(m named) bool { return slices.Contains(slotMembers, m.name) })
	}
	if c.Concurrent {
		machine, faults = object{{"lds", c.LDS}}, nil // all other counts belong to the concurrent launches together
	}
	o := slices.Concat(object{{"launches", c.Launches}}, time, work, machine, faults)
	if c.Estimate != nil {
		o = append(o, named{"estimate", estimateMembers(c)})
	}
	if c.Functional != nil {
		o = append(o, named{"timed_share", c.TimedShare()}, named{"functional", functionalMembers(c.Functional)})
	}
	if c.Fragments != nil {
		o = append(o, named{"fragments", fragmentMembers(c.Fragments)})
	}
	if c.Graph != nil {
		o = append(o, named{"graph", graphMembers(c.Graph)})
	}
	return o
}

// slotMembers are known of the timed parts alone, so that statistics with an estimate have none.
var slotMembers = []string{"slot_cycles", "occupancy"}

// estimateMembers describes the confidence intervals, the units that were timed, and the members that have no interval.
func estimateMembers(c *account.Counts) object {
	low, high := c.Interval()
	var halves object
	for _, h := range c.Estimate.Halves {
		halves = append(halves, named{h.Name, math.Round(h.Half)})
	}
	e := object{{"cycles", c.Estimate.Cycles}, {"low", math.Round(low)}, {"high", math.Round(high)}, {"confidence", account.Confidence}, {"common_half", math.Round(c.Estimate.Common)}, {"degrees", c.Estimate.Degrees}, {"half_widths", halves},
		{"without_interval", slotMembers}}
	if len(c.Estimate.Units) > 0 {
		e = append(e, named{"units", c.Estimate.Units})
	}
	if len(c.Estimate.NotSampled) > 0 {
		e = append(e, named{"not_sampled", c.Estimate.NotSampled})
	}
	return e
}

// laneMembers returns the counts of lanes.
func laneMembers(l *account.LaneCounts) object {
	var classes object
	for class, n := range l.ByClass {
		if n > 0 {
			classes = append(classes, named{isa.Class(class).String(), n})
		}
	}
	return object{{"by_class", classes}, {"register_reads", l.Reads}, {"register_writes", l.Writes}, {"lds_words", l.Local}, {"updates", l.Updates}}
}

// functionalMembers returns the counts of the functional parts.
func functionalMembers(f *account.FunctionalCounts) object {
	var classes object
	for class, n := range f.ByClass {
		if n > 0 {
			classes = append(classes, named{isa.Class(class).String(), n})
		}
	}
	return object{
		{"launches", f.Launches},
		{"workgroups", f.Workgroups},
		{"waves", f.Waves},
		{"instructions", object{{"total", f.Instructions()}, {"by_class", classes}}},
		{"bytes", f.Traffic},
	}
}

func seconds(c *account.Counts, clockMHz int) float64 {
	return float64(c.Cycles) / (float64(clockMHz) * 1e6)
}

// MarshalJSON writes the statistics; all but host is the same for every run of a job.
func (s *Stats) MarshalJSON() ([]byte, error) {
	var o object
	if s.Stopped != "" { // the first member: a part of a run must not be taken for the whole
		o = append(o, named{"stopped", s.Stopped})
	}
	o = append(o, named{"format", StatisticsFormat}, named{"machine", s.Machine}, named{"clock_mhz", s.ClockMHz})
	if s.Mode != "" {
		o = append(o, named{"mode", s.Mode})
	}
	o = append(o, members(&s.Counts, s.ClockMHz)...)
	if e := s.energyOf(); e != nil {
		o = append(o, named{"energy", slices.Concat(energyMembers(s.Energies, e, &s.Counts, s.peak()), s.limitMembers(), object{{"programs", s.programMembers()}})})
	}
	steps := []object{}
	for i := range s.Steps {
		step := &s.Steps[i]
		member := append(object{{"name", step.Name}}, members(&step.Counts, s.ClockMHz)...)
		if s.Energies.HasTable() && !step.Concurrent { // of launches that overlap, the energy is known of all together
			member = append(member, named{"energy", energyMembers(s.Energies, s.Energies.Compute(&step.Counts), &step.Counts, step.Peak)})
		}
		steps = append(steps, member)
	}
	o = append(o, named{"steps", steps})
	if s.Queues != nil {
		o = append(o, named{"queues", s.Queues})
	}
	if s.Utilization != nil {
		o = append(o, named{"utilization", utilizationMembers(s.Utilization)}, named{"bound", s.Bound()})
	}
	if s.WhatIf != nil {
		o = append(o, named{"what_if", counterfactualMembers(s.WhatIf)})
	}
	if s.Host != (Host{}) {
		o = append(o, named{"host", s.Host})
	}
	return json.Marshal(o)
}

// WriteJSON writes the statistics as indented JSON.
func WriteJSON(w io.Writer, s *Stats) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
