package cu

import (
	"spvsim/internal/spec"
	"spvsim/lds"
	"spvsim/simd"
)

// UnitSpec is a compute unit.
type UnitSpec struct {
	Issue     simd.IssueSpec  `yaml:"issue" doc:"how a SIMD picks and issues instructions"`
	Registers RegistersSpec   `yaml:"registers" doc:"register files and how they limit the resident waves"`
	Matrix    simd.MatrixSpec `yaml:"matrix" doc:"matrix unit of each SIMD"`
	LDS       lds.Spec        `yaml:"lds" doc:"local data share of each compute unit"`

	Workgroups    int `yaml:"workgroups" range:"0..1024" doc:"most workgroups resident on a compute unit, however few waves they have; 0: as many as waves, registers, LDS and barriers allow"`
	Barriers      int `yaml:"barriers" range:"1..1024" doc:"hardware barriers of each compute unit; a workgroup of more than one wave holds one while it is resident"`
	BarrierCycles int `yaml:"barrier_latency" range:"0..100000" unit:"cycles" doc:"cycles from the last arrival at a barrier until its waves may issue again"`

	Fetch simd.FetchSpec `yaml:"fetch" doc:"instruction fetch"`
}

// RegistersSpec holds the register file sizes. Vector counts rows of 32 bits for each lane of the smallest wave that the machine runs (see
// Shape.Rows): on RDNA, which runs waves of 32 lanes, a wave64 takes two rows a register, so it sees half of Vector. Scalar registers are 32
// bits wide.
type RegistersSpec struct {
	Vector        int `yaml:"vector" range:"1..65536" unit:"registers" doc:"rows of a SIMD's vector register file, shared by its waves; a row has 32 bits for each lane of the smallest of wave_sizes, so a register of a wave twice as large takes two rows, whatever wave_size is"`
	VectorGranule int `yaml:"vector_granule" range:"1..256" unit:"registers" doc:"a wave's vector registers are allocated in multiples of this many rows"`
	VectorMax     int `yaml:"vector_max" range:"1..65536" unit:"registers" doc:"most vector registers of one wave"`
	Scalar        int `yaml:"scalar" range:"1..65536" unit:"registers" doc:"scalar registers of a SIMD, shared by its waves"`
	ScalarGranule int `yaml:"scalar_granule" range:"1..1024" unit:"registers" doc:"a wave's scalar registers are allocated in multiples of this"`
	ScalarMax     int `yaml:"scalar_max" range:"1..65536" unit:"registers" doc:"most scalar registers of one wave"`
}

// Check tests what one wave may have against the whole.
func (r RegistersSpec) Check() (ps []spec.Problem) {
	for _, t := range []struct {
		name              string
		all, granule, max int
	}{{"vector", r.Vector, r.VectorGranule, r.VectorMax}, {"scalar", r.Scalar, r.ScalarGranule, r.ScalarMax}} {
		if t.max > t.all {
			ps = append(ps, spec.RangeProblem(t.name+"_max", "found %d: want at most registers.%s, %d", t.max, t.name, t.all))
		}
		if t.granule > t.all {
			ps = append(ps, spec.RangeProblem(t.name+"_granule", "found %d: want at most registers.%s, %d", t.granule, t.name, t.all))
		}
	}
	return ps
}

// Limits are what a workgroup finds on a compute unit of a machine.
type Limits struct {
	*spec.Shape
	*UnitSpec
	Machine string // its name, for errors
}

// mostGroups is how many workgroups a compute unit may hold, whatever they need.
func (m *Limits) mostGroups() int {
	if m.Workgroups == 0 {
		return m.WaveSlots * m.SIMDs
	}
	return m.Workgroups
}
