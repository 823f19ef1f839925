package account

import "spvsim/isa"

// LevelCounts holds the counts of one level of the memory hierarchy.
type LevelCounts struct {
	Name       string `json:"-"`
	Accesses   uint64 `json:"accesses" unit:"accesses" doc:"lines requested at this level"`
	Hits       uint64 `json:"hits" unit:"accesses" doc:"requested lines that were present, or on their way"`
	InFlight   uint64 `json:"in_flight" unit:"accesses" doc:"hits on lines that were on their way"`
	Misses     uint64 `json:"misses" unit:"accesses" doc:"lines that this level requested from the next one"`
	Bytes      uint64 `json:"bytes" unit:"bytes" doc:"bytes moved between this level and the one before"`
	Written    uint64 `json:"written" unit:"bytes" doc:"part of the moved bytes: those of stores and evicted lines"`
	Writebacks uint64 `json:"writebacks" unit:"lines" doc:"dirty lines evicted"`
	FullCycles uint64 `json:"full_cycles" unit:"cycles" doc:"cycles for which requests waited for an entry of a queue of this level, added up over all requests"`
}

// LinkBytes are the bytes that the links of a level carried from the next level and to it.
type LinkBytes struct{ Read, Written uint64 }

// LDSCounts holds the counts of the local data shares.
type LDSCounts struct {
	Accesses       uint64 `json:"accesses" unit:"accesses" doc:"instructions that accessed the LDS"`
	Passes         uint64 `json:"passes" unit:"passes" doc:"passes over the banks that LDS accesses took"`
	ConflictPasses uint64 `json:"conflict_passes" unit:"passes" doc:"passes that bank conflicts added"`
}

// Add adds another count.
func (l *LDSCounts) Add(o *LDSCounts) {
	l.Accesses += o.Accesses
	l.Passes += o.Passes
	l.ConflictPasses += o.ConflictPasses
}

// Subtract subtracts the counts of an earlier time.
func (l *LDSCounts) Subtract(o *LDSCounts) {
	l.Accesses -= o.Accesses
	l.Passes -= o.Passes
	l.ConflictPasses -= o.ConflictPasses
}

// OnCycles are the cycles for which parts of the machine were not gated: while they had work, and for the time after it
// that the machine's table of energies gives. Those of several parts of a kind are added up.
type OnCycles struct{ Units, Engines, Chip, Memory uint64 }

func (c *OnCycles) Add(o *OnCycles) {
	c.Units += o.Units
	c.Engines += o.Engines
	c.Chip += o.Chip
	c.Memory += o.Memory
}

// Counts holds the machine's counts over one launch or several.
type Counts struct {
	Launches    uint64
	Cycles      uint64
	Workgroups  uint64
	Waves       uint64
	ByClass     [isa.NumClasses]uint64 // instructions issued
	Lanes       LaneCounts
	UnitCycles  uint64 // of compute units with a workgroup
	On          OnCycles
	WorkCycles  uint64 // of launches of workgroups, without transfers and copies
	Transferred uint64 // bytes of device memory that transfers read and wrote
	ToDevice    uint64 // bytes of copies from the host
	FromDevice  uint64 // bytes of copies to the host
	Slots       SlotCycles
	LDS         LDSCounts
	Memory      []LevelCounts   // nearest level first
	Links       []LinkBytes     // of each of them, to the next one
	OutOfBounds uint64          // accesses outside of their buffer
	Graph       *GraphCounts    // nil without an execution graph
	Fragments   *FragmentCounts // nil without a draw
	// Functional is the part of workgroups, waves and instructions that ran in functional mode, which all other counts
	// exclude; nil: none.
	Functional *FunctionalCounts
	// Estimate is the uncertainty of Cycles if a part of them is estimated; nil: none is.
	Estimate *Estimate
	// If Beside is set, other launches ran concurrently, and the machine's counts are only known for all of them
	// together.
	Concurrent bool
	// LaunchCycles are the part of Cycles in which the machine had no work because of launch costs.
	LaunchCycles uint64
}

// Instructions is the number of wave instructions issued.
func (c *Counts) Instructions() uint64 {
	var sum uint64
	for _, n := range c.ByClass {
		sum += n
	}
	return sum
}

// Occupancy returns the share of the slot-cycles in which the slot held a wave.
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
	c.LaunchCycles += o.LaunchCycles
	c.Workgroups += o.Workgroups
	c.Waves += o.Waves
	for i, n := range o.ByClass {
		c.ByClass[i] += n
	}
	c.Lanes.Add(&o.Lanes)
	c.UnitCycles += o.UnitCycles
	c.On.Add(&o.On)
	c.WorkCycles += o.WorkCycles
	c.Transferred += o.Transferred
	c.ToDevice += o.ToDevice
	c.FromDevice += o.FromDevice
	c.Slots.Add(&o.Slots)
	c.LDS.Add(&o.LDS)
	c.OutOfBounds += o.OutOfBounds
	c.addMemory(o.Memory)
	c.addLinks(o.Links)
	c.Concurrent = c.Concurrent || o.Concurrent
	c.AddParts(o)
	if o.Functional != nil {
		if c.Functional == nil {
			c.Functional = &FunctionalCounts{}
		}
		c.Functional.Add(o.Functional)
	}
	if o.Estimate != nil {
		if c.Estimate == nil {
			c.Estimate = &Estimate{}
		}
		c.Estimate.Add(o.Estimate)
	}
}

// SubtractIssued subtracts the counts of issued instructions of an earlier time: instructions, their lanes and their
// LDS accesses.
func (c *Counts) SubtractIssued(o *Counts) {
	for i, n := range o.ByClass {
		c.ByClass[i] -= n
	}
	c.Lanes.Subtract(&o.Lanes)
	c.LDS.Subtract(&o.LDS)
}

// AddParts adds the counts of draws and execution graphs.
func (c *Counts) AddParts(o *Counts) {
	if o.Fragments != nil {
		if c.Fragments == nil {
			c.Fragments = &FragmentCounts{}
		}
		addTagged(c.Fragments, o.Fragments)
	}
	if o.Graph != nil {
		if c.Graph == nil {
			c.Graph = &GraphCounts{}
		}
		c.Graph.Add(o.Graph)
	}
}

// Subtract subtracts the counts of an earlier time.
func (l *LevelCounts) Subtract(o *LevelCounts) {
	l.Accesses -= o.Accesses
	l.Hits -= o.Hits
	l.InFlight -= o.InFlight
	l.Misses -= o.Misses
	l.Bytes -= o.Bytes
	l.Written -= o.Written
	l.Writebacks -= o.Writebacks
	l.FullCycles -= o.FullCycles
}

func (c *Counts) addMemory(list []LevelCounts) {
	if c.Memory == nil {
		c.Memory = append(c.Memory, list...)
		return
	}
	for i := range list {
		l, o := &c.Memory[i], &list[i]
		l.Accesses += o.Accesses
		l.Hits += o.Hits
		l.InFlight += o.InFlight
		l.Misses += o.Misses
		l.Bytes += o.Bytes
		l.Written += o.Written
		l.Writebacks += o.Writebacks
		l.FullCycles += o.FullCycles
	}
}

func (c *Counts) addLinks(list []LinkBytes) {
	if c.Links == nil {
		c.Links = append(c.Links, list...)
		return
	}
	for i := range list {
		c.Links[i].Read += list[i].Read
		c.Links[i].Written += list[i].Written
	}
}

// A StepCounts is the counts of all launches of one step.
type StepCounts struct {
	Name string
	Counts
	Peak Peak // its launch with the highest power
}

// A Peak is the highest power of any window, on average over the window, and the length of that window.
type Peak struct {
	Watts  float64
	Cycles uint64
}

// Raise sets the peak to that of another window if it is higher.
func (p *Peak) Raise(o Peak) {
	if o.Watts > p.Watts {
		*p = o
	}
}

// PartCounts counts the lines asked of a part of a memory level: a slice of a cache, or a channel of memory.
type PartCounts struct {
	Accesses   uint64 `json:"accesses"`    // lines asked for
	Bytes      uint64 `json:"bytes"`       // moved between the part and the level before
	WaitCycles uint64 `json:"wait_cycles"` // sum over all lines of the cycles from their unhindered arrival until their turn
}
