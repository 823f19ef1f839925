package config

// Machine describes one simulated GPU. The struct tags are the single source of names, ranges, units and descriptions:
// the reader, the validator and the JSON Schema are all driven by them.
//
//	yaml   name in the file
//	range  lowest..highest value (inclusive); for lists, of each item
//	pow2   "true" when the value must be a power of two (0 is allowed where the range allows it)
//	enum   allowed words, separated by |
//	unit   what the number counts
//	doc    one line for people
type Machine struct {
	Name        string `yaml:"name" doc:"short name of the machine, printed in statistics"`
	Description string `yaml:"description" doc:"what the machine is, for people"`

	ClockMHz  int   `yaml:"clock_mhz" range:"1..100000" unit:"MHz" doc:"core clock; every cycle count of the machine is in cycles of this clock"`
	WaveSize  int   `yaml:"wave_size" enum:"16|32|64" unit:"lanes" doc:"lanes of a wave unless the shader asks for another allowed size"`
	WaveSizes []int `yaml:"wave_sizes" enum:"16|32|64" unit:"lanes" doc:"wave sizes that the machine can run"`

	ClockBits int `yaml:"clock_bits" range:"1..64" unit:"bits" doc:"width of the cycle counter that shaders read; it wraps"`

	ShaderEngines int `yaml:"shader_engines" range:"1..256" doc:"shader engines (on CDNA3: XCDs)"`
	ComputeUnits  int `yaml:"compute_units" range:"1..1024" doc:"compute units of each shader engine"`
	SIMDs         int `yaml:"simds" range:"1..16" doc:"SIMDs of each compute unit"`
	SIMDWidth     int `yaml:"simd_width" enum:"8|16|32|64" unit:"lanes" doc:"lanes that a SIMD executes in one cycle; a wave takes wave_size/simd_width passes"`
	WaveSlots     int `yaml:"wave_slots" range:"1..64" unit:"waves" doc:"resident waves of each SIMD"`

	Issue     Issue     `yaml:"issue" doc:"how a SIMD picks and issues instructions"`
	Registers Registers `yaml:"registers" doc:"register files and how they limit the resident waves"`
	LDS       LDS       `yaml:"lds" doc:"local data share of each compute unit"`

	Barriers      int `yaml:"barriers" range:"1..1024" doc:"barriers of each compute unit; a workgroup of more than one wave holds one while it is resident"`
	BarrierCycles int `yaml:"barrier_latency" range:"0..100000" unit:"cycles" doc:"cycles from the last arrival at a barrier until its waves may issue again"`

	Fetch        Fetch        `yaml:"fetch" doc:"instruction fetch"`
	VectorMemory VectorMemory `yaml:"vector_memory" doc:"path from a compute unit's SIMDs to its vector cache"`

	Texture Texture `yaml:"texture" doc:"texture unit of each compute unit"`

	VectorL1    Cache `yaml:"vector_l1" doc:"vector data cache (TCP, GL0)"`
	ScalarL1    Cache `yaml:"scalar_l1" doc:"scalar data cache"`
	ShaderArray Cache `yaml:"shader_array" doc:"cache between vector_l1 and l2 (RDNA's GL1); bytes: 0 means the machine has none"`
	L2          Cache `yaml:"l2" doc:"sliced second-level cache"`
	MemorySide  Cache `yaml:"memory_side" doc:"cache in front of the memory channels (Infinity Cache); bytes: 0 means the machine has none"`

	Memory     Memory     `yaml:"memory" doc:"device memory"`
	Dispatcher Dispatcher `yaml:"dispatcher" doc:"kernel launch and workgroup dispatch"`
	Scheduler  Scheduler  `yaml:"scheduler" doc:"who starts the workgroups of execution graphs"`
	Queue      Queue      `yaml:"queue" doc:"payloads of execution graphs, and the queue that they wait in"`
	Timing     Timing     `yaml:"timing" doc:"instruction classes, and the micro-operations that each operation lowers to"`

	// Sources holds where each number comes from, by path ("lds.banks"): the source written beside it, the file that
	// overlaid it, or "set on the command line".
	Sources map[string]string `yaml:"-"`
}

// Issue says how a SIMD issues. On GCN and CDNA one SIMD of the four is served each cycle (cadence 4) and may send at most
// one instruction of each unit category, each from a different wave; on RDNA each SIMD issues every cycle.
type Issue struct {
	Cadence     int    `yaml:"cadence" range:"1..64" unit:"cycles" doc:"cycles between two issue turns of the same SIMD; SIMD i has its turns at cycles = i mod cadence"`
	Policy      string `yaml:"policy" enum:"oldest|greedy|round-robin" doc:"which ready wave issues: the oldest; the one that issued last, else the oldest; or each in turn"`
	PerCategory bool   `yaml:"per_category" doc:"at most one instruction of each unit in one turn, each from a different wave"`
	Width       int    `yaml:"width" range:"1..16" unit:"instructions" doc:"most instructions a SIMD issues in one turn, each from a different wave"`
}

// Registers holds the register file sizes. Vector registers count rows of 32 bits a lane at Machine.WaveSize lanes: on RDNA
// with wave_size 32, a wave64 takes two rows a register, so it sees half of Vector. Scalar registers are 32 bits wide.
type Registers struct {
	Vector        int `yaml:"vector" range:"1..65536" unit:"registers" doc:"vector registers of a SIMD lane at the machine's wave size, shared by the SIMD's waves"`
	VectorGranule int `yaml:"vector_granule" range:"1..256" unit:"registers" doc:"a wave's vector registers are allocated in multiples of this"`
	VectorMax     int `yaml:"vector_max" range:"1..65536" unit:"registers" doc:"most vector registers of one wave"`
	Scalar        int `yaml:"scalar" range:"1..65536" unit:"registers" doc:"scalar registers of a SIMD, shared by its waves"`
	ScalarGranule int `yaml:"scalar_granule" range:"1..1024" unit:"registers" doc:"a wave's scalar registers are allocated in multiples of this"`
	ScalarMax     int `yaml:"scalar_max" range:"1..65536" unit:"registers" doc:"most scalar registers of one wave"`
}

// Fetch is the instruction cache. With Enabled false, instructions are always there and no slot waits for fetch.
type Fetch struct {
	Enabled          bool `yaml:"enabled" doc:"whether instruction fetch is modelled"`
	Bytes            int  `yaml:"bytes" range:"64..16777216" unit:"bytes" doc:"size of one instruction cache"`
	LineBytes        int  `yaml:"line_bytes" range:"16..4096" pow2:"true" unit:"bytes" doc:"line size"`
	Ways             int  `yaml:"ways" range:"1..1024" doc:"associativity"`
	SharedBy         int  `yaml:"shared_by" range:"0..1024" unit:"compute units" doc:"compute units of one engine that share an instruction cache; 0: the whole machine"`
	InstructionBytes int  `yaml:"instruction_bytes" range:"1..64" unit:"bytes" doc:"mean encoded size of an instruction"`
	HitCycles        int  `yaml:"hit_latency" range:"0..100000" unit:"cycles" doc:"cycles a wave waits when it enters a line that is present; 0 when prefetch hides it"`
	MissCycles       int  `yaml:"miss_latency" range:"0..100000" unit:"cycles" doc:"cycles a wave waits when it enters a line that is absent"`
}

// VectorMemory is the address path of one compute unit. An instruction occupies it for
// max(ceil(active lanes / LanesPerCycle), lines / LinesPerCycle) cycles.
type VectorMemory struct {
	LanesPerCycle  int `yaml:"lanes_per_cycle" range:"1..1024" unit:"lanes" doc:"lane addresses coalesced each cycle"`
	LinesPerCycle  int `yaml:"lines_per_cycle" range:"1..64" unit:"lines" doc:"distinct cache lines sent to vector_l1 each cycle"`
	MaxOutstanding int `yaml:"max_outstanding" range:"1..65536" unit:"instructions" doc:"vector memory instructions of one wave in flight (the wait counter's range)"`
	AtomicCycles   int `yaml:"atomic_cycles" range:"0..1024" unit:"cycles" doc:"what each further update of one element costs where the atomics of a line are carried out"`
}

// Texture is the texture unit, which filters quads of 2x2 lanes.
type Texture struct {
	QuadsPerCycle   int `yaml:"quads_per_cycle" range:"1..64" unit:"quads/cycle" doc:"quads filtered each cycle, bilinear and of texels of up to texel_bytes"`
	TexelBytes      int `yaml:"texel_bytes" range:"1..16" unit:"bytes" doc:"texel size filtered at the full rate; larger texels take as many passes as they have times these bytes"`
	TrilinearPasses int `yaml:"trilinear_passes" range:"1..8" doc:"passes of a quad that two levels of detail are read for"`
	LatencyCycles   int `yaml:"latency_cycles" range:"0..10000" unit:"cycles" doc:"addressing and filtering, added to the time of the cache"`
}

// Cache is one level. Bytes 0 means the level is absent and its other fields are not looked at.
type Cache struct {
	Bytes           int     `yaml:"bytes" range:"0..1099511627776" unit:"bytes" doc:"size of one instance, over all its slices; 0: no such level"`
	LineBytes       int     `yaml:"line_bytes" range:"0..4096" pow2:"true" unit:"bytes" doc:"line size"`
	Ways            int     `yaml:"ways" range:"0..1024" doc:"associativity"`
	Slices          int     `yaml:"slices" range:"0..4096" doc:"slices of one instance, picked by address; each serves its own requests"`
	InterleaveBytes int     `yaml:"interleave_bytes" range:"0..1048576" pow2:"true" unit:"bytes" doc:"bytes of consecutive addresses in one slice; 0: one line"`
	SharedBy        int     `yaml:"shared_by" range:"0..1024" unit:"compute units" doc:"compute units of one shader engine that share an instance (at least compute_units: one an engine); 0: one for the whole machine"`
	LatencyCycles   int     `yaml:"latency_cycles" range:"0..100000" unit:"cycles" doc:"cycles that this level adds to a request: a hit in level n takes the sum over levels 1..n"`
	BytesPerCycle   float64 `yaml:"bytes_per_cycle" range:"0..65536" unit:"bytes/cycle" doc:"bandwidth of one slice"`
	Write           string  `yaml:"write" enum:"through|back|read-only" doc:"what a store does here: through to the next level, or kept until evicted"`
	Allocate        bool    `yaml:"write_allocate" doc:"whether a store that misses takes a line here"`
	Misses          int     `yaml:"misses" range:"0..1048576" unit:"lines" doc:"outstanding missing lines of one slice; 0: no limit"`
}

// Present says whether the machine has this level.
func (c Cache) Present() bool { return c.Bytes > 0 }

// Memory is the device memory behind the last cache.
type Memory struct {
	Model           string  `yaml:"model" enum:"fast|akita" doc:"fast: tags kept and bandwidth booked without an event a hop; akita: Akita's own caches and DRAM"`
	Bytes           int     `yaml:"bytes" range:"1048576..1099511627776" unit:"bytes" doc:"capacity of the device memory"`
	Channels        int     `yaml:"channels" range:"1..4096" doc:"memory channels"`
	InterleaveBytes int     `yaml:"interleave_bytes" range:"16..1048576" pow2:"true" unit:"bytes" doc:"bytes of consecutive addresses in one channel"`
	BytesPerCycle   float64 `yaml:"bytes_per_cycle" range:"0.001..65536" unit:"bytes/cycle" doc:"bandwidth of one channel"`
	LatencyCycles   int     `yaml:"latency_cycles" range:"0..100000" unit:"cycles" doc:"cycles from a request leaving the last cache until its line is back there"`
}

// Dispatcher turns launches into waves on compute units.
type Dispatcher struct {
	WorkgroupsPerCycle float64 `yaml:"workgroups_per_cycle" range:"0.000001..1024" unit:"workgroups/cycle" doc:"workgroups that each shader engine places each cycle at most, each on a different compute unit"`
	WavesPerCycle      float64 `yaml:"waves_per_cycle" range:"0.000001..1024" unit:"waves/cycle" doc:"waves that each shader engine starts each cycle at most"`
	LaunchLatency      int     `yaml:"launch_latency" range:"0..1000000" unit:"cycles" doc:"cycles from placing a wave until its first instruction may issue"`
	KernelLaunchCycles int     `yaml:"kernel_launch_cycles" range:"0..1000000000" unit:"cycles" doc:"fixed cost of one kernel launch, paid before its first workgroup is placed"`
}

// Scheduler says who starts the workgroups that payloads of an execution graph ask for. Fields that its kind does not use
// are not looked at.
type Scheduler struct {
	Kind             string `yaml:"kind" enum:"hardware|firmware|multipass|persistent" doc:"a queue beside the dispatcher; a core that runs firmware; compute passes with a barrier between the levels; resident waves that pop a queue in memory"`
	LaunchCycles     int    `yaml:"launch_cycles" range:"0..1000000" unit:"cycles" doc:"hardware: from picking payloads until their first workgroup may be placed"`
	FirmwareCycles   int    `yaml:"firmware_cycles" range:"1..1000000" unit:"cycles" doc:"firmware: what its core spends on each launch, one after the other"`
	PassLaunchCycles int    `yaml:"pass_launch_cycles" range:"0..10000000" unit:"cycles" doc:"multipass: cost of starting one compaction or one dispatch from the command stream"`
	BarrierCycles    int    `yaml:"barrier_cycles" range:"0..10000000" unit:"cycles" doc:"multipass: from the end of a level's last workgroup until the next level's first compaction starts"`
	PollInterval     int    `yaml:"poll_interval" range:"1..10000000" unit:"cycles" doc:"persistent: what a worker sleeps when it found the queue empty"`
	PersistentGroups int    `yaml:"persistent_groups" range:"0..1024" unit:"workgroups" doc:"persistent: resident workers of each compute unit at most; 0: as many as fit"`
}

// Queue is where payloads are and wait. Firmware, multipass and persistent scheduling keep their queues in memory: of this, they
// use arbitration, coalescing_window, scratch_bytes and pack_threads, and firmware also placement, ports and latency.
type Queue struct {
	Placement        string  `yaml:"placement" enum:"central|engine" doc:"one queue for the machine, or one for each shader engine, which starts what its own workgroups enqueued"`
	Depth            int     `yaml:"depth" range:"1..16777216" unit:"payloads" doc:"entries of one queue; further ones are written to memory and read back"`
	Ports            int     `yaml:"ports" range:"1..1024" unit:"payloads/cycle" doc:"payloads that one queue allocates, and enqueues, each cycle"`
	Latency          int     `yaml:"latency" range:"0..1000000" unit:"cycles" doc:"from a compute unit to the queue: paid by an allocation both ways and by an enqueue until the payload can be picked"`
	LaunchRate       float64 `yaml:"launch_rate" range:"0.000001..1024" unit:"launches/cycle" doc:"launches (payloads, or what is coalesced) that one queue starts each cycle"`
	Arbitration      string  `yaml:"arbitration" enum:"depth-first|breadth-first|round-robin" doc:"which node is served first: the deepest of the graph, the shallowest, or each in turn"`
	CoalescingWindow int     `yaml:"coalescing_window" range:"0..10000000" unit:"cycles" doc:"how long a coalescing node waits for more payloads before it starts with those that are there"`
	PayloadBytes     int     `yaml:"payload_bytes" range:"0..1073741824" unit:"bytes" doc:"on-chip payload memory of the machine; payloads beyond it live in scratch memory"`
	PayloadLatency   int     `yaml:"payload_latency" range:"0..100000" unit:"cycles" doc:"latency of the on-chip payload memory"`
	PayloadBandwidth float64 `yaml:"payload_bytes_per_cycle" range:"0.001..65536" unit:"bytes/cycle" doc:"bandwidth of the on-chip payload memory"`
	ScratchBytes     int     `yaml:"scratch_bytes" range:"0..68719476736" unit:"bytes" doc:"scratch memory for payloads, unless the job says"`
	PackThreads      bool    `yaml:"pack_threads" doc:"workgroups of one invocation share waves, as many as a wave has lanes"`
}
