package simd

import (
	"spvsim/spec"
)

// IssueSpec says how a SIMD issues. On GCN and CDNA one SIMD of the four is served each cycle (cadence 4) and may send at
// most one instruction of each unit category, each from a different wave; on RDNA each SIMD issues every cycle.
type IssueSpec struct {
	Cadence     int    `yaml:"cadence" range:"1..64" unit:"cycles" doc:"cycles between two issue turns of the same SIMD; SIMD i has its turns at cycles = i mod cadence"`
	Policy      string `yaml:"policy" enum:"oldest|greedy|round-robin" required:"true" doc:"which ready wave issues: the oldest; the one that issued last, else the oldest; or each in turn"`
	PerCategory bool   `yaml:"per_category" doc:"at most one instruction of each unit in one turn, each from a different wave"`
	Width       int    `yaml:"width" range:"1..16" unit:"instructions" doc:"most instructions a SIMD issues in one turn, each from a different wave"`
}

// FetchSpec is the instruction cache. With Enabled false, instructions are always there and no slot waits for fetch.
type FetchSpec struct {
	Enabled          bool `yaml:"enabled" doc:"whether instruction fetch is modelled"`
	Bytes            int  `yaml:"bytes" range:"64..16777216" unit:"bytes" doc:"size of one instruction cache"`
	LineBytes        int  `yaml:"line_bytes" range:"16..4096" pow2:"true" unit:"bytes" doc:"line size"`
	Ways             int  `yaml:"ways" range:"1..1024" doc:"associativity"`
	SharedBy         int  `yaml:"shared_by" range:"0..1024" unit:"compute units" doc:"compute units of one engine that share an instruction cache; 0: the whole machine"`
	InstructionBytes int  `yaml:"instruction_bytes" range:"1..64" unit:"bytes" doc:"mean encoded size of an instruction"`
	HitCycles        int  `yaml:"hit_latency" range:"0..100000" unit:"cycles" doc:"cycles a wave waits when it enters a line that is present; 0 when prefetch hides it"`
	MissCycles       int  `yaml:"miss_latency" range:"0..100000" unit:"cycles" doc:"cycles a wave waits when it enters a line that is absent"`
}

// Check asks for whole sets.
func (f FetchSpec) Check() []spec.Problem {
	if set := f.LineBytes * f.Ways; set > 0 && f.Bytes%set != 0 {
		return []spec.Problem{spec.Bad("bytes", "found %d: want a multiple of line_bytes x ways, %d", f.Bytes, set)}
	}
	return nil
}
