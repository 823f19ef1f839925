package tracing

import (
	"bytes"
	"encoding/json"
	"io"

	"spvsim/isa"
)

// Level is what happened at one level of the memory hierarchy.
type Level struct {
	Name       string `json:"-"`
	Accesses   uint64 `json:"accesses"`   // lines asked for
	Hits       uint64 `json:"hits"`       // lines present, or on their way
	InFlight   uint64 `json:"in_flight"`  // of the hits, lines on their way
	Misses     uint64 `json:"misses"`     // lines asked of the next level
	Bytes      uint64 `json:"bytes"`      // moved between this level and the one before
	Writebacks uint64 `json:"writebacks"` // dirty lines evicted
}

// LDSCounts is what happened in the local data shares.
type LDSCounts struct {
	Accesses       uint64 `json:"accesses"`
	Passes         uint64 `json:"passes"`
	ConflictPasses uint64 `json:"conflict_passes"`
}

// Counts is what the machine counted over one launch or several.
type Counts struct {
	Launches    uint64
	Cycles      uint64
	Workgroups  uint64
	Waves       uint64
	ByClass     [isa.NumClasses]uint64 // instructions issued
	Slots       SlotCycles
	LDS         LDSCounts
	Memory      []Level         // nearest level first
	OutOfBounds uint64          // accesses outside of their buffer
	Graph       *GraphCounts    // nil without an execution graph
	Fragments   *FragmentCounts // nil without a draw
}

// Instructions is the number of wave instructions issued.
func (c *Counts) Instructions() uint64 {
	var sum uint64
	for _, n := range c.ByClass {
		sum += n
	}
	return sum
}

// Occupancy is the share of the slot-cycles in which the slot held a wave.
func (c *Counts) Occupancy() float64 {
	total := c.Slots.Total()
	if total == 0 {
		return 0
	}
	return 1 - float64(c.Slots[Empty])/float64(total)
}

// Add adds the counts of a later launch.
func (c *Counts) Add(o *Counts) {
	c.Launches += o.Launches
	c.Cycles += o.Cycles
	c.Workgroups += o.Workgroups
	c.Waves += o.Waves
	for i, n := range o.ByClass {
		c.ByClass[i] += n
	}
	c.Slots.Add(&o.Slots)
	c.LDS.Accesses += o.LDS.Accesses
	c.LDS.Passes += o.LDS.Passes
	c.LDS.ConflictPasses += o.LDS.ConflictPasses
	c.OutOfBounds += o.OutOfBounds
	c.addMemory(o.Memory)
	if o.Fragments != nil {
		if c.Fragments == nil {
			c.Fragments = &FragmentCounts{}
		}
		c.Fragments.Add(o.Fragments)
	}
	if o.Graph != nil {
		if c.Graph == nil {
			c.Graph = &GraphCounts{}
		}
		c.Graph.Add(o.Graph)
	}
}

// Subtract takes the counts of an earlier time off.
func (l *Level) Subtract(o *Level) {
	l.Accesses -= o.Accesses
	l.Hits -= o.Hits
	l.InFlight -= o.InFlight
	l.Misses -= o.Misses
	l.Bytes -= o.Bytes
	l.Writebacks -= o.Writebacks
}

func (c *Counts) addMemory(list []Level) {
	if c.Memory == nil {
		c.Memory = append(c.Memory, list...)
		return
	}
	for i := range c.Memory {
		l, o := &c.Memory[i], &list[i]
		l.Accesses += o.Accesses
		l.Hits += o.Hits
		l.InFlight += o.InFlight
		l.Misses += o.Misses
		l.Bytes += o.Bytes
		l.Writebacks += o.Writebacks
	}
}

// A StepCounts is the counts of all launches of one step.
type StepCounts struct {
	Name string
	Counts
}

// Host says what the simulation cost. It is the only part of the statistics
// that differs between two runs of the same job.
type Host struct {
	Seconds               float64 `json:"seconds"`
	InstructionsPerSecond float64 `json:"instructions_per_second"`
	PeakBytes             uint64  `json:"peak_bytes"` // of memory obtained from the system
}

// Stats are the statistics of a run.
type Stats struct {
	Machine  string
	ClockMHz int
	Counts
	Steps []StepCounts
	Host  Host
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
func (c *Counts) members(clockMHz int) object {
	var classes, reasons, levels object
	for class, n := range c.ByClass {
		if n > 0 {
			classes = append(classes, named{isa.Class(class).String(), n})
		}
	}
	for r, n := range c.Slots {
		reasons = append(reasons, named{Reason(r).String(), n})
	}
	for _, l := range c.Memory {
		levels = append(levels, named{l.Name, l})
	}
	o := object{
		{"launches", c.Launches},
		{"cycles", c.Cycles},
		{"seconds", c.seconds(clockMHz)},
		{"workgroups", c.Workgroups},
		{"waves", c.Waves},
		{"instructions", object{{"total", c.Instructions()}, {"by_class", classes}}},
		{"slot_cycles", object{{"total", c.Slots.Total()}, {"by_reason", reasons}}},
		{"occupancy", c.Occupancy()},
		{"lds", c.LDS},
		{"memory", levels},
		{"out_of_bounds", c.OutOfBounds},
	}
	if c.Fragments != nil {
		o = append(o, named{"fragments", c.Fragments.members()})
	}
	if c.Graph != nil {
		o = append(o, named{"graph", c.Graph.members()})
	}
	return o
}

func (c *Counts) seconds(clockMHz int) float64 { return float64(c.Cycles) / (float64(clockMHz) * 1e6) }

// MarshalJSON writes the statistics; all but host is the same for every run of a job.
func (s *Stats) MarshalJSON() ([]byte, error) {
	o := object{{"machine", s.Machine}, {"clock_mhz", s.ClockMHz}}
	o = append(o, s.Counts.members(s.ClockMHz)...)
	steps := []object{}
	for i := range s.Steps {
		step := &s.Steps[i]
		steps = append(steps, append(object{{"name", step.Name}}, step.Counts.members(s.ClockMHz)...))
	}
	return json.Marshal(append(o, named{"steps", steps}, named{"host", s.Host}))
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
