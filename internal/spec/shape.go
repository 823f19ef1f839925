package spec

import "slices"

// Shape has the dimensions of a machine that all of its components share.
type Shape struct {
	ClockMHz  int   `yaml:"clock_mhz" range:"1..100000" unit:"MHz" doc:"core clock; all cycle counts of the machine are in cycles of it"`
	WaveSize  int   `yaml:"wave_size" enum:"16|32|64" unit:"lanes" doc:"lanes of a wave, unless the shader asks for another of wave_sizes; larger waves do not enlarge the register file (registers.vector)"`
	WaveSizes []int `yaml:"wave_sizes" enum:"16|32|64" unit:"lanes" doc:"wave sizes that the machine can run; a row of the vector register file is as wide as the smallest"`

	SubgroupHelpers string `yaml:"subgroup_helpers" enum:"active|inactive" default:"active" doc:"whether helper lanes of fragment shaders take part in subgroup operations; Vulkan allows both; in quad operations they always do, as these need them"`

	ClockBits int `yaml:"clock_bits" range:"1..64" unit:"bits" doc:"width of the cycle counter that shaders read; it wraps"`

	ShaderEngines int `yaml:"shader_engines" range:"1..256" doc:"shader engines (on CDNA3: XCDs)"`
	ComputeUnits  int `yaml:"compute_units" range:"1..1024" doc:"compute units of each shader engine"`
	SIMDs         int `yaml:"simds" range:"1..16" doc:"SIMDs of each compute unit"`
	SIMDWidth     int `yaml:"simd_width" enum:"8|16|32|64" unit:"lanes" doc:"lanes that a SIMD executes in one cycle; a vector instruction of a wave takes (lanes of the wave) / simd_width passes, at least 1; see timing.passes"`
	WaveSlots     int `yaml:"wave_slots" range:"1..64" unit:"waves" doc:"resident waves of each SIMD"`
}

// Units returns the number of compute units of the machine.
func (s *Shape) Units() int { return s.ShaderEngines * s.ComputeUnits }

// UnitSlots returns the number of wave slots of a compute unit.
func (s *Shape) UnitSlots() int { return s.SIMDs * s.WaveSlots }

// Instances returns the number of instances, in all and per shader engine, of a
// component that sharedBy compute units of an engine share: 10 units, 4 to an
// instance, are 3 instances per engine. sharedBy 0: one for the whole machine.
func (s *Shape) Instances(sharedBy int) (all, perEngine int) {
	if sharedBy == 0 {
		return 1, 1
	}
	perEngine = (s.ComputeUnits + sharedBy - 1) / sharedBy
	return s.ShaderEngines * perEngine, perEngine
}

// Instance returns the index of the instance that serves a compute unit of an engine.
func (s *Shape) Instance(sharedBy, engine, unit int) int {
	if sharedBy == 0 {
		return 0
	}
	_, perEngine := s.Instances(sharedBy)
	return engine*perEngine + unit/sharedBy
}

// Rows returns the rows of the vector register file that a register of a wave with that many lanes occupies.
func (s *Shape) Rows(lanes int) int {
	smallest := s.WaveSize
	for _, size := range s.WaveSizes {
		smallest = min(smallest, size)
	}
	return max(lanes/max(smallest, 1), 1)
}

// Passes returns the passes of a vector instruction of a wave with that many lanes through a SIMD: lanes / SIMDWidth, rounded up.
func (s *Shape) Passes(lanes int) int { return max((lanes+s.SIMDWidth-1)/s.SIMDWidth, 1) }

// Check requires that WaveSize is one of WaveSizes.
func (s Shape) Check() []Problem {
	if slices.Contains(s.WaveSizes, s.WaveSize) {
		return nil
	}
	return []Problem{RangeProblem("wave_size", "found %d: want one of wave_sizes %v", s.WaveSize, s.WaveSizes)}
}
