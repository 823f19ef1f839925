package energy

import (
	"slices"

	"spvsim/internal/spec"
)

// Table is the table of energies of a machine, in picojoules per event and watts per part. The energies of logic and of
// on-chip memories refer to a reference process and voltage, from which Scale converts to the product's.
type Table struct {
	LimitWatts float64          `yaml:"limit_watts" default:"0" range:"0..10000" unit:"W" doc:"power limit of the board or package; 0: not known"`
	Cap        string           `yaml:"cap" default:"off" enum:"off|on" doc:"on: the whole run has the highest clock of the core at which no launch takes more than limit_watts on average: voltage.step_mhz apart, from the machine's clock_mhz down to the first of voltage.mhz. The job is simulated again for each clock that is tried. off: the clock is clock_mhz, and the summary says where the limit is exceeded"`
	Governor   float64          `yaml:"governor_us" default:"0" range:"0..1000000" unit:"us" doc:"time over which limit_watts holds on average under cap: on, from the beginning of a launch to the end of the first launch that ends later; 0: over each launch"`
	Voltage    VoltageCurve     `yaml:"voltage" default:"" doc:"voltage of the core by its clock"`
	Scale      float64          `yaml:"scale" default:"1" range:"0.01..100" doc:"factor for the process and voltage of the product: it multiplies the energies of logic and memories on chip, which are all in this table but those of memory and power"`
	Supply     float64          `yaml:"supply" default:"1" range:"0.1..1" doc:"share of the board's power that reaches the parts; the rest is lost in voltage regulators"`
	Issue      IssueEnergy      `yaml:"issue" default:"" doc:"issue of each wave instruction"`
	Registers  RegistersEnergy  `yaml:"registers" default:"" doc:"vector registers"`
	Operations OperationsEnergy `yaml:"operations" default:"" doc:"operations of an instruction, by its class in the timing table"`
	LDS        LDSEnergy        `yaml:"lds" default:"" doc:"local data share"`
	VectorL1   CacheEnergy      `yaml:"vector_l1" default:"" doc:"vector data cache"`
	ScalarL1   CacheEnergy      `yaml:"scalar_l1" default:"" doc:"scalar data cache"`
	Array      CacheEnergy      `yaml:"shader_array" default:"" doc:"cache between vector_l1 and l2"`
	L2         CacheEnergy      `yaml:"l2" default:"" doc:"second-level cache"`
	MemorySide CacheEnergy      `yaml:"memory_side" default:"" doc:"cache in front of the memory channels"`
	Links      LinksEnergy      `yaml:"links" default:"" doc:"wires between parts, by their distance"`
	Memory     MemoryEnergy     `yaml:"memory" default:"" doc:"device memory"`
	Queue      QueueEnergy      `yaml:"queue" default:"" doc:"on-chip payloads of execution graphs, and their queue"`
	Dispatch   DispatchEnergy   `yaml:"dispatch" default:"" doc:"start of workgroups"`
	Power      PowerTable       `yaml:"power" default:"" doc:"power of parts while they are on, whatever they do"`
}

// Clocks lists the clocks that cap: on chooses from, ascending: the machine's, and all below it.
func (t *Table) Clocks(clockMHz int) []int {
	list := []int{clockMHz}
	for mhz := float64(clockMHz) - t.Voltage.Step; mhz >= t.Voltage.MHz[0]; mhz -= t.Voltage.Step {
		list = append(list, int(mhz))
	}
	slices.Reverse(list)
	return list
}

// VoltageCurve is the core's voltage by its clock. Points are joined by straight lines; below the first the voltage is
// the first's, above the last it goes on as between the last two.
type VoltageCurve struct {
	Table float64   `yaml:"table_mhz" default:"0" range:"0..100000" unit:"MHz" doc:"clock of the core that the energies and watts of this table are for. At another clock_mhz, dynamic energies of the core grow with the square of the voltage, clock_watts of compute units and shader engines with its square and the clock, their leakage_watts with the voltage; memory_side, memory, chip and board have clocks and voltages of their own. 0: they are for any clock"`
	MHz   []float64 `yaml:"mhz" default:"" items:"0..16" range:"1..100000" unit:"MHz" doc:"clocks of the core, ascending; none: the voltage is the same at each clock"`
	Volts []float64 `yaml:"volts" default:"" items:"0..16" range:"0.2..2" unit:"V" doc:"voltage at each of mhz, not falling"`
	Step  float64   `yaml:"step_mhz" default:"25" range:"1..1000" unit:"MHz" doc:"distance of the clocks that cap: on chooses from"`
}

// Check tests that the points make a curve.
func (c VoltageCurve) Check() (ps []spec.Problem) {
	if len(c.MHz) != len(c.Volts) {
		return []spec.Problem{spec.RangeProblem("volts", "found %d voltages: want one for each of the %d clocks of mhz", len(c.Volts), len(c.MHz))}
	}
	if len(c.MHz) == 1 {
		return []spec.Problem{spec.RangeProblem("mhz", "found one clock: want none, or at least two")}
	}
	for i := 1; i < len(c.MHz); i++ {
		if c.MHz[i] <= c.MHz[i-1] {
			ps = append(ps, spec.RangeProblem(spec.Item("mhz", i), "found %g: want more than the one before, %g", c.MHz[i], c.MHz[i-1]))
		}
		if c.Volts[i] < c.Volts[i-1] {
			ps = append(ps, spec.RangeProblem(spec.Item("volts", i), "found %g: want at least the one before, %g", c.Volts[i], c.Volts[i-1]))
		}
	}
	return ps
}

// Check tests that a limit that lowers the clock has what it needs.
func (t Table) Check() []spec.Problem {
	switch {
	case t.Cap != "on":
		return nil
	case t.LimitWatts == 0:
		return []spec.Problem{spec.RangeProblem("cap", "found on with limit_watts 0: want a limit")}
	case len(t.Voltage.MHz) == 0 || t.Voltage.Table == 0:
		return []spec.Problem{spec.RangeProblem("cap", "found on without voltage.mhz, voltage.volts or voltage.table_mhz: want a curve, by which power falls with the clock")}
	}
	return nil
}

// At returns the voltage at a clock, and 1 without a curve.
func (c *VoltageCurve) At(mhz float64) float64 {
	if len(c.MHz) == 0 {
		return 1
	}
	i := 1
	for i < len(c.MHz)-1 && mhz > c.MHz[i] {
		i++
	}
	slope := (c.Volts[i] - c.Volts[i-1]) / (c.MHz[i] - c.MHz[i-1])
	return max(c.Volts[0], c.Volts[i-1]+slope*(mhz-c.MHz[i-1]))
}

// IssueEnergy is the energy of an instruction before it computes.
type IssueEnergy struct {
	Fetch float64 `yaml:"fetch_pj" default:"0" range:"0..100000" unit:"pJ" doc:"instruction cache and buffer"`
	Issue float64 `yaml:"issue_pj" default:"0" range:"0..100000" unit:"pJ" doc:"decoding, scoreboard, selection of a wave"`
}

// RegistersEnergy is an access of one lane to one word of the vector registers.
type RegistersEnergy struct {
	Read  float64 `yaml:"read_pj" default:"0" range:"0..10000" unit:"pJ" doc:"a word of one lane, with the operand network"`
	Write float64 `yaml:"write_pj" default:"0" range:"0..10000" unit:"pJ" doc:"a word of one lane"`
}

// OperationsEnergy is the energy of operations by class, without registers and issue: of vector classes per active
// lane, of matrix products per multiply-add, of all others per instruction.
type OperationsEnergy struct {
	VALU32     float64 `yaml:"valu32" default:"0" range:"0..100000" unit:"pJ" doc:"32-bit vector operation, for each lane"`
	Packed16   float64 `yaml:"packed16" default:"0" range:"0..100000" unit:"pJ" doc:"two 16-bit operations, for each lane"`
	Packed32   float64 `yaml:"packed32" default:"0" range:"0..100000" unit:"pJ" doc:"two 32-bit operations, for each lane"`
	Dot        float64 `yaml:"dot" default:"0" range:"0..100000" unit:"pJ" doc:"dot product of packed integers, for each lane"`
	Dual       float64 `yaml:"dual" default:"0" range:"0..100000" unit:"pJ" doc:"two operations issued together, for each lane"`
	FMA32      float64 `yaml:"fma32" default:"0" range:"0..100000" unit:"pJ" doc:"32-bit multiply-add, for each lane"`
	Cvt        float64 `yaml:"cvt" default:"0" range:"0..100000" unit:"pJ" doc:"conversion, for each lane"`
	Trans      float64 `yaml:"trans" default:"0" range:"0..100000" unit:"pJ" doc:"transcendental function, for each lane"`
	IMul32     float64 `yaml:"imul32" default:"0" range:"0..100000" unit:"pJ" doc:"32-bit integer product, for each lane"`
	Shift64    float64 `yaml:"shift64" default:"0" range:"0..100000" unit:"pJ" doc:"64-bit shift, for each lane"`
	Int64      float64 `yaml:"int64" default:"0" range:"0..100000" unit:"pJ" doc:"64-bit integer operation, for each lane"`
	F64Add     float64 `yaml:"f64add" default:"0" range:"0..100000" unit:"pJ" doc:"64-bit addition, for each lane"`
	F64Mul     float64 `yaml:"f64mul" default:"0" range:"0..100000" unit:"pJ" doc:"64-bit product or multiply-add, for each lane"`
	F64Trans   float64 `yaml:"f64trans" default:"0" range:"0..100000" unit:"pJ" doc:"64-bit reciprocal or root, for each lane"`
	DPP        float64 `yaml:"dpp" default:"0" range:"0..100000" unit:"pJ" doc:"operation on a neighbouring lane's operand, for each lane"`
	Permlane   float64 `yaml:"permlane" default:"0" range:"0..100000" unit:"pJ" doc:"permutation of lanes, for each lane"`
	ReadLane   float64 `yaml:"readlane" default:"0" range:"0..100000" unit:"pJ" doc:"move from a lane to a scalar register, for each instruction"`
	WriteLane  float64 `yaml:"writelane" default:"0" range:"0..100000" unit:"pJ" doc:"move from a scalar register to a lane, for each instruction"`
	SALU       float64 `yaml:"salu" default:"0" range:"0..100000" unit:"pJ" doc:"scalar operation, with the scalar registers, for each instruction"`
	SMEM       float64 `yaml:"smem" default:"0" range:"0..100000" unit:"pJ" doc:"address of a scalar load, for each instruction"`
	Branch     float64 `yaml:"branch" default:"0" range:"0..100000" unit:"pJ" doc:"branch, for each instruction"`
	LDS        float64 `yaml:"lds" default:"0" range:"0..100000" unit:"pJ" doc:"address of an access to the LDS, for each lane"`
	LDSSwizzle float64 `yaml:"lds_swizzle" default:"0" range:"0..100000" unit:"pJ" doc:"exchange of lanes through the LDS's crossbar, for each lane"`
	VMEM       float64 `yaml:"vmem" default:"0" range:"0..100000" unit:"pJ" doc:"address and coalescing of a load, for each lane"`
	VMEMStore  float64 `yaml:"vmem_store" default:"0" range:"0..100000" unit:"pJ" doc:"address and coalescing of a store, for each lane"`
	VMEMAtomic float64 `yaml:"vmem_atomic" default:"0" range:"0..100000" unit:"pJ" doc:"address and coalescing of an atomic, for each lane"`
	Image      float64 `yaml:"image" default:"0" range:"0..100000" unit:"pJ" doc:"address and filter of a texel, for each lane"`
	Scratch    float64 `yaml:"scratch" default:"0" range:"0..100000" unit:"pJ" doc:"address of an access to private memory, for each lane"`
	Barrier    float64 `yaml:"barrier" default:"0" range:"0..100000" unit:"pJ" doc:"barrier, for each instruction"`
	Waitcnt    float64 `yaml:"waitcnt" default:"0" range:"0..100000" unit:"pJ" doc:"wait, for each instruction"`
	Clock      float64 `yaml:"clock" default:"0" range:"0..100000" unit:"pJ" doc:"read of the clock, for each instruction"`
	Message    float64 `yaml:"message" default:"0" range:"0..100000" unit:"pJ" doc:"message to another part, for each instruction"`
	End        float64 `yaml:"end" default:"0" range:"0..100000" unit:"pJ" doc:"end of a wave, for each instruction"`
	MatrixF16  float64 `yaml:"matrix_f16" default:"0" range:"0..100000" unit:"pJ" doc:"multiply-add of 16-bit floats in the matrix unit"`
	MatrixBF16 float64 `yaml:"matrix_bf16" default:"0" range:"0..100000" unit:"pJ" doc:"multiply-add of bfloats in the matrix unit"`
	MatrixF8   float64 `yaml:"matrix_f8" default:"0" range:"0..100000" unit:"pJ" doc:"multiply-add of 8-bit floats in the matrix unit"`
	MatrixI8   float64 `yaml:"matrix_i8" default:"0" range:"0..100000" unit:"pJ" doc:"multiply-add of 8-bit integers in the matrix unit"`
	MatrixF32  float64 `yaml:"matrix_f32" default:"0" range:"0..100000" unit:"pJ" doc:"multiply-add of 32-bit floats in the matrix unit"`
	MatrixF64  float64 `yaml:"matrix_f64" default:"0" range:"0..100000" unit:"pJ" doc:"multiply-add of 64-bit floats in the matrix unit"`
	Atomic     float64 `yaml:"atomic" default:"0" range:"0..100000" unit:"pJ" doc:"update of an atomic operation where it is carried out, for each lane"`
}

// LDSEnergy is an access to the LDS.
type LDSEnergy struct {
	Pass float64 `yaml:"pass_pj" default:"0" range:"0..100000" unit:"pJ" doc:"a pass over the banks: address crossbar and control"`
	Word float64 `yaml:"word_pj" default:"0" range:"0..10000" unit:"pJ" doc:"a word of a bank, with the data crossbar"`
}

// CacheEnergy is the energy of an access to a memory level, and the distance of the level in front of it.
type CacheEnergy struct {
	Access float64 `yaml:"access_pj" default:"0" range:"0..100000" unit:"pJ" doc:"a request: tags and control"`
	Byte   float64 `yaml:"byte_pj" default:"0" range:"0..1000" unit:"pJ/byte" doc:"data read or written"`
	Link   string  `yaml:"link" default:"chip" enum:"unit|engine|chip|package" doc:"distance of its data to the level in front. unit: within a compute unit; engine: within a shader engine; chip: across the chip; package: to another chip of the package"`
}

// LinksEnergy is a byte's way.
type LinksEnergy struct {
	Unit    float64 `yaml:"unit_pj" default:"0" range:"0..1000" unit:"pJ/byte" doc:"within a compute unit"`
	Engine  float64 `yaml:"engine_pj" default:"0" range:"0..1000" unit:"pJ/byte" doc:"within a shader engine"`
	Chip    float64 `yaml:"chip_pj" default:"0" range:"0..1000" unit:"pJ/byte" doc:"across the chip"`
	Package float64 `yaml:"package_pj" default:"0" range:"0..1000" unit:"pJ/byte" doc:"from chip to chip in a package"`
	Host    float64 `yaml:"host_pj" default:"0" range:"0..10000" unit:"pJ/byte" doc:"a byte copied between host and device: both ends of the link, and the host's memory; energy.scale does not apply"`
}

// MemoryEnergy is device memory of a standard, its interface and controller with it.
type MemoryEnergy struct {
	Activate      float64 `yaml:"activate_pj" default:"0" range:"0..1000000" unit:"pJ" doc:"activation and precharge of a row"`
	ActivateBytes float64 `yaml:"activate_bytes" default:"1024" range:"1..65536" unit:"bytes" doc:"bytes moved for each activation where channels have no banks (dram.standard: none)"`
	Read          float64 `yaml:"read_pj" default:"0" range:"0..10000" unit:"pJ/byte" doc:"a byte read: columns, interface and controller"`
	Write         float64 `yaml:"write_pj" default:"0" range:"0..10000" unit:"pJ/byte" doc:"a byte written"`
	Refresh       float64 `yaml:"refresh_watts" default:"0" range:"0..1000" unit:"W" doc:"refresh of all of memory"`
	Link          string  `yaml:"link" default:"chip" enum:"unit|engine|chip|package" doc:"distance of its data to the last cache, on the chip or package"`
}

// QueueEnergy is the memory on chip of payloads and of the enqueue queue.
type QueueEnergy struct {
	Access     float64 `yaml:"access_pj" default:"0" range:"0..100000" unit:"pJ" doc:"a request to the payload memory on chip"`
	Byte       float64 `yaml:"byte_pj" default:"0" range:"0..1000" unit:"pJ/byte" doc:"payload data read or written on chip"`
	Link       string  `yaml:"link" default:"chip" enum:"unit|engine|chip|package" doc:"distance of payloads and enqueues to the queue"`
	Entry      float64 `yaml:"entry_pj" default:"0" range:"0..100000" unit:"pJ" doc:"an entry of a queue of 1024 entries and one port, written or read"`
	DepthPower float64 `yaml:"depth_power" default:"0" range:"0..2" doc:"exponent: the energy of an entry grows with this power of the depth of the queue, as bit lines and word lines are as long as the root of a memory's size; the leakage of all entries grows with the depth itself"`
	Port       float64 `yaml:"port_share" default:"0" range:"0..4" doc:"share that each port after the first adds, as cells grow with their ports"`
	Leakage    float64 `yaml:"entry_leakage_watts" default:"0" range:"0..1" unit:"W" doc:"leakage of an entry of a queue with one port"`
	Core       float64 `yaml:"core_launch_pj" default:"0" range:"0..10000000" unit:"pJ" doc:"a launch started by a core that runs firmware"`
	Launch     float64 `yaml:"launch_pj" default:"0" range:"0..1000000" unit:"pJ" doc:"a launch started by a hardware queue"`
}

// DispatchEnergy is the start of work.
type DispatchEnergy struct {
	Workgroup float64 `yaml:"workgroup_pj" default:"0" range:"0..1000000" unit:"pJ" doc:"placing a workgroup"`
	Wave      float64 `yaml:"wave_pj" default:"0" range:"0..1000000" unit:"pJ" doc:"starting a wave, with its first registers"`
}

// PowerTable is the energy that does not depend on events.
type PowerTable struct {
	Unit   PartPower `yaml:"compute_unit" default:"" doc:"each compute unit; it is idle while it has no workgroup"`
	Engine PartPower `yaml:"shader_engine" default:"" doc:"each shader engine without its compute units: dispatch, and caches that they share; it is idle while none of its compute units has a workgroup"`
	Chip   PartPower `yaml:"chip" default:"" doc:"everything else on the chips: fabric, memory-side cache, command processor, media and display; it is idle while no launch runs"`
	Memory PartPower `yaml:"memory" default:"" doc:"device memory with its interfaces, without traffic and refresh; it is idle while no launch runs"`
	Board  float64   `yaml:"board_watts" default:"0" range:"0..1000" unit:"W" doc:"fan and everything else on the board except voltage regulators"`
}

// PartPower is the power of a part while it is on.
type PartPower struct {
	Leakage float64 `yaml:"leakage_watts" default:"0" range:"0..1000" unit:"W" doc:"power that the part leaks while it is on; gated says how much of it is left while the part is idle"`
	Clock   float64 `yaml:"clock_watts" default:"0" range:"0..1000" unit:"W" doc:"clock tree, and all that switches with it"`
	Gated   float64 `yaml:"gated" default:"0" range:"0..1" doc:"share of leakage_watts and clock_watts that is left while the part is idle; 1: it is not gated"`
	Delay   float64 `yaml:"gate_us" default:"0" range:"0..1000000" unit:"us" doc:"time from the end of the part's work until it is idle"`
}
