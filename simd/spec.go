package simd

import (
	"math"

	"spvsim/internal/spec"
)

// IssueSpec describes the issue of a SIMD. On GCN and CDNA one of the four SIMDs issues each cycle (cadence 4): at most one
// instruction of each unit category, each from a different wave. On RDNA each SIMD issues every cycle.
type IssueSpec struct {
	Cadence     int    `yaml:"cadence" range:"1..64" unit:"cycles" doc:"cycles between two issue turns of the same SIMD; SIMD i has its turns in cycles that are equal to i modulo cadence"`
	Policy      string `yaml:"policy" enum:"oldest|greedy|round-robin" required:"true" doc:"which ready wave issues. oldest: the oldest; greedy: the wave that issued last, else the oldest; round-robin: each in turn"`
	PerCategory bool   `yaml:"per_category" doc:"whether a turn issues at most one instruction for each unit, each from a different wave"`
	Width       int    `yaml:"width" range:"1..16" unit:"instructions" doc:"most instructions that a SIMD issues in one turn, each from a different wave"`
	Compaction  bool   `yaml:"compaction" default:"false" doc:"a machine without the cost of divergence, which no device is: of the computations and branches of a wave with k active lanes, of n at its start, k of n issue; the others take no time, are not counted, and their results are ready when their sources are. Accesses to memory, to the LDS and to payloads issue always"`
}

// MatrixSpec describes the matrix unit of a SIMD. The costs of its instructions are in the timing table, in the classes
// matrix_*. A unit without one of these classes does not have its products.
type MatrixSpec struct {
	Unit       string  `yaml:"unit" enum:"none|cdna2|cdna3|cdna4|rdna3|rdna4" required:"true" doc:"generation of the matrix unit: its products, and the layout of their elements in registers"`
	Without    string  `yaml:"without" enum:"refuse|lanes" default:"refuse" doc:"cooperative matrices where unit is none. refuse: refused; lanes: multiplied by the lanes, which exchange rows and compute dot products"`
	Width      float64 `yaml:"width" range:"0.0625..16" default:"1" doc:"width of the unit, relative to the timing classes: a product keeps it busy for the busy cycles of its class divided by this, and is ready earlier or later by the difference"`
	Accumulate int     `yaml:"accumulate" range:"0..1000" default:"0" unit:"cycles" doc:"cycles after a product's busy cycles until a product that adds to the same registers may issue; at most the latency of its class"`
}

// scale converts the cost of a product to that of a unit of the spec's width.
func (m *MatrixSpec) scale(c Class) Class {
	if m == nil {
		return c
	}
	busy := max(1, int(math.Ceil(float64(c.Busy)/m.Width)))
	shift := busy - c.Busy
	c.Issue, c.Busy = min(c.Issue, busy), busy
	c.Latency = max(c.Issue, c.Latency+shift)
	return c
}

// earlyIssue returns how many cycles before the result of a product is ready a
// product that accumulates to it may issue.
func (m *MatrixSpec) earlyIssue(c *cost) uint64 {
	sum := c.busy
	if m != nil {
		sum += uint32(m.Accumulate)
	}
	if sum < c.latency {
		return uint64(c.latency - sum)
	}
	return 0
}

// FetchSpec describes the instruction cache. If Enabled is false, instructions are always available and no slot waits for fetch.
type FetchSpec struct {
	Enabled          bool `yaml:"enabled" doc:"whether instruction fetch is modelled"`
	Bytes            int  `yaml:"bytes" range:"64..16777216" unit:"bytes" doc:"size of one instruction cache"`
	LineBytes        int  `yaml:"line_bytes" range:"16..4096" pow2:"true" unit:"bytes" doc:"size of a line of the instruction cache, the unit of a fetch that misses"`
	Ways             int  `yaml:"ways" range:"1..1024" doc:"ways of each set of the instruction cache (associativity)"`
	SharedBy         int  `yaml:"shared_by" range:"0..1024" unit:"compute units" doc:"compute units of one shader engine that share an instruction cache; 0: the whole machine"`
	InstructionBytes int  `yaml:"instruction_bytes" range:"1..64" unit:"bytes" doc:"mean encoded size of an instruction"`
	HitCycles        int  `yaml:"hit_latency" range:"0..100000" unit:"cycles" doc:"cycles for which a wave waits when it enters a line that is present; 0 if prefetch hides them"`
	MissCycles       int  `yaml:"miss_latency" range:"0..100000" unit:"cycles" doc:"cycles for which a wave waits when it enters a line that is absent; a line that another wave waits for counts as present, so that waves in step share their misses"`
}

// Check requires a whole number of sets.
func (f FetchSpec) Check() []spec.Problem {
	if set := f.LineBytes * f.Ways; set > 0 && f.Bytes%set != 0 {
		return []spec.Problem{spec.RangeProblem("bytes", "found %d: want a multiple of line_bytes x ways, %d", f.Bytes, set)}
	}
	return nil
}
