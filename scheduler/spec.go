package scheduler

// WorkSpec describes how work gets onto the compute units.
type WorkSpec struct {
	Dispatcher DispatcherSpec `yaml:"dispatcher" doc:"kernel launch and workgroup dispatch"`
	Scheduler  SchedulerSpec  `yaml:"scheduler" doc:"scheduler that starts the workgroups of execution graphs"`
	Queue      QueueSpec      `yaml:"queue" doc:"payloads of execution graphs, and the queue in which they wait"`
	Host       HostSpec       `yaml:"host" doc:"copies between host and device memory, and waits of the host"`
}

// HostSpec is the cost of a copy step (a fixed time, plus bytes over a rate, plus the staging copy of those that are not
// pinned; one time for the smallest) and of the host's wait for the device.
type HostSpec struct {
	ToDeviceCycles   int     `yaml:"to_device_cycles" range:"0..1000000000" unit:"cycles" doc:"fixed cost of a copy from host to device memory"`
	ToDeviceBytes    float64 `yaml:"to_device_bytes_per_cycle" range:"0.001..65536" unit:"bytes/cycle" doc:"rate of a copy from host to device memory"`
	FromDeviceCycles int     `yaml:"from_device_cycles" range:"0..1000000000" unit:"cycles" doc:"fixed cost of a copy from device to host memory"`
	FromDeviceBytes  float64 `yaml:"from_device_bytes_per_cycle" range:"0.001..65536" unit:"bytes/cycle" doc:"rate of a copy from device to host memory"`
	StagedBelow      int     `yaml:"staged_below_bytes" default:"0" range:"0..1099511627776" unit:"bytes" doc:"copies of fewer bytes than this, in both directions, pass through a buffer of the host's runtime, so that the host copies them once more; larger copies do not"`
	StagedBytes      float64 `yaml:"staged_bytes_per_cycle" default:"1" range:"0.001..65536" unit:"bytes/cycle" doc:"rate of the additional copy on the host, for copies below staged_below_bytes"`
	SmallCopyBytes   int     `yaml:"small_copy_bytes" default:"0" range:"0..1099511627776" unit:"bytes" doc:"copies of at most so many bytes, in both directions, take small_copy_cycles in all; 0: none"`
	SmallCopyCycles  int     `yaml:"small_copy_cycles" default:"0" range:"0..1000000000" unit:"cycles" doc:"time of a copy of at most small_copy_bytes"`
	Synchronize      int     `yaml:"synchronize_cycles" default:"0" range:"0..1000000000" unit:"cycles" doc:"cost when the host waits for the device: from the end of the last launch until the host continues"`
}

// DispatcherSpec describes the dispatcher: its rates, launch costs and placement.
type DispatcherSpec struct {
	WorkgroupsPerCycle float64 `yaml:"workgroups_per_cycle" range:"0.000001..1024" unit:"workgroups/cycle" doc:"most workgroups that each shader engine places each cycle, each on a different compute unit"`
	RefilledPerCycle   float64 `yaml:"refilled_per_cycle" default:"0" range:"0..1024" unit:"workgroups/cycle" doc:"most workgroups that each shader engine places each cycle in the space of workgroups that have ended, as many as have ended since the engine was last empty; 0: workgroups_per_cycle"`
	WavesPerCycle      float64 `yaml:"waves_per_cycle" range:"0.000001..1024" unit:"waves/cycle" doc:"most waves that each shader engine starts each cycle"`
	LaunchLatency      int     `yaml:"launch_latency" range:"0..1000000" unit:"cycles" doc:"cycles from placing a wave until its first instruction may issue; placing takes one cycle, so 0 has the effect of 1"`
	KernelLaunchCycles int     `yaml:"kernel_launch_cycles" range:"0..1000000000" unit:"cycles" doc:"fixed cost of a job's first kernel launch, paid before its first workgroup is placed"`
	FollowingLaunch    int     `yaml:"following_launch_cycles" range:"0..1000000000" unit:"cycles" doc:"fixed cost of a launch that waits in the stream behind another launch, paid before its first workgroup is placed"`
	LaunchFloor        int     `yaml:"launch_floor_cycles" default:"0" range:"0..1000000000" unit:"cycles" doc:"least time of a job's first launch: what the command processor does beside the kernel takes as long"`
	FixedOrder         bool    `yaml:"fixed_order" default:"false" doc:"true: workgroup i of a launch goes to shader engine i modulo their number, and a full engine makes the next workgroups wait; false: a full engine is skipped, and a launch continues where the launch before ended"`
	ShaderArrays       int     `yaml:"shader_arrays" default:"1" range:"1..1024" doc:"shader arrays of each shader engine, with its compute units spread over them as evenly as possible; workgroups go to the arrays in turn, so that units of a smaller array have more work; 1: workgroups go to the units in turn"`
	SharePolicy        string  `yaml:"share" default:"oldest" enum:"oldest|round-robin|priority" doc:"whose workgroup is placed next if several launches are open. oldest: that of the oldest launch with a workgroup that fits; round-robin: each launch in turn; priority: that of the queue with the highest priority, and of its launches the oldest"`
}

// SchedulerSpec describes the scheduler that starts workgroups for payloads of an execution graph. Fields that do not
// act under its kind are ignored.
type SchedulerSpec struct {
	Kind             string `yaml:"kind" enum:"hardware|firmware|multipass|lists|generated|persistent" required:"true" doc:"hardware: a queue beside the dispatcher; firmware: a core that runs firmware; multipass: compute passes with a barrier between the levels; lists: a front end that walks lists of records in memory; generated: commands that the device generates, of which the command processor reads one for each record; persistent: resident waves that pop from a queue in memory"`
	LaunchCycles     int    `yaml:"launch_cycles" range:"0..1000000" unit:"cycles" acts:"hardware lists" doc:"time from picking payloads until their first workgroup may be placed"`
	FirmwareCycles   int    `yaml:"firmware_cycles" range:"1..1000000" unit:"cycles" acts:"firmware" doc:"time of the core for the launches that it starts together, without reading the ring"`
	FirmwareLaunches int    `yaml:"firmware_launches" range:"1..65536" unit:"launches" acts:"firmware" doc:"launches of one node (payloads, or coalesced or packed groups of them) that the core starts together, if so many wait"`
	FirmwareDispatch int    `yaml:"firmware_dispatch_cycles" range:"0..100000000" unit:"cycles" acts:"firmware" doc:"time of the core for the dispatch of a graph before the first launch, in addition to the cost of the host's launch"`
	PassLaunchCycles int    `yaml:"pass_launch_cycles" range:"0..10000000" unit:"cycles" acts:"multipass generated" doc:"cost of starting one compaction, one preprocessing of generated commands or one dispatch from the command stream"`
	BarrierCycles    int    `yaml:"barrier_cycles" range:"0..10000000" unit:"cycles" acts:"multipass lists generated" doc:"time from the end of the last workgroup of a level until the first compaction or the preprocessing of the next one starts, or of a list until the next one is read"`
	Passes           string `yaml:"passes" default:"serial" enum:"serial|overlapped" acts:"multipass" doc:"how the passes of a level follow each other. serial: compaction and dispatch of each node in turn, each at the cost of its launch; overlapped: all compactions, a barrier, then all dispatches; except for the first pass after each of the two barriers, a pass costs only the packet and launch cycles of front_end"`
	PollInterval     int    `yaml:"poll_interval" range:"1..10000000" unit:"cycles" acts:"persistent" doc:"time for which a worker sleeps when it has found the queue empty"`
	PersistentGroups int    `yaml:"persistent_groups" range:"0..1024" unit:"workgroups" acts:"persistent" doc:"most resident workers of each compute unit; 0: as many as fit"`

	ListSpec `yaml:",inline"`
}

// ListSpec describes lists of records in memory and the front end that walks them.
type ListSpec struct {
	ListSplit        string  `yaml:"list_split" default:"one" enum:"one|node" acts:"lists" doc:"one: all records are in one list, in the order in which they were appended; node: each node has a list, and lists are walked in the order of queue.arbitration"`
	ListBarrier      bool    `yaml:"list_barrier" default:"true" acts:"lists" doc:"true: the records that the shaders of a list append make the next list, which is read when the list has ended and its writes have been flushed, as Work Lists demands; false: the front end follows the end of each list while shaders append to it, which Work Lists does not offer"`
	ListAppend       string  `yaml:"list_append" default:"wave" enum:"wave|record" acts:"lists generated" doc:"atomic operations by which a wave takes places for its records. wave: one for each list that it appends to; record: one for each record"`
	ListMemory       string  `yaml:"list_memory" default:"l2" enum:"l2|memory" acts:"lists generated" doc:"where records are written to and read from. l2: the L2, as far as it holds them; memory: past the L2, to memory or its cache. Counts of records, and programs, are in the L2, where atomics are carried out. Always l2 under memory.model: akita, and where several L2s make stores go past them anyway"`
	ListRecordBytes  int     `yaml:"list_record_bytes" default:"32" range:"8..256" unit:"bytes" acts:"lists generated" doc:"size of a record, or of a sequence of generated commands: 4 bytes of program index, 8 of the address of payloads, 12 of workgroups, and inline arguments"`
	ListReadAhead    int     `yaml:"list_read_ahead" default:"64" range:"1..65536" unit:"records" acts:"lists" doc:"records of a list that the front end has read, or is reading, before they are launched"`
	ListsInFlight    int     `yaml:"lists_in_flight" default:"1" range:"1..1024" unit:"lists" acts:"lists" doc:"lists whose records the front end reads at the same time; it launches one record after the other"`
	ListRate         float64 `yaml:"list_rate" default:"0.2" range:"0.000001..1024" unit:"records/cycle" acts:"lists" doc:"most records that the front end launches each cycle"`
	ListPrograms     int     `yaml:"list_programs" default:"16" range:"1..65536" unit:"programs" acts:"lists" doc:"slots of the program table that the front end has cached, the last used ones"`
	ListMissCycles   int     `yaml:"list_miss_cycles" default:"0" range:"0..1000000" unit:"cycles" acts:"lists" doc:"time of the front end for a program that is not cached, in addition to reading its slot of the table and to list_change_cycles"`
	ListChangeCycles int     `yaml:"list_change_cycles" default:"20" range:"0..1000000" unit:"cycles" acts:"lists" doc:"time of the front end for a record whose program is another than that of the record before"`
}

// QueueSpec describes where payloads live and wait. Schedulers with queues in memory use only some of it (see the acts
// tags).
type QueueSpec struct {
	Placement        string  `yaml:"placement" enum:"central|engine|unit" required:"true" acts:"hardware firmware" doc:"place of the queues. central: one for the machine; engine: one for each shader engine; unit: one for each compute unit. Such a queue starts what its own workgroups enqueued, and what it takes from other queues (see steal)"`
	Steal            int     `yaml:"steal" default:"64" range:"0..16777216" unit:"payloads" acts:"hardware firmware" doc:"most payloads that the queue of a shader engine or compute unit takes at a time when it has nothing to launch; it takes them from the queue in which most wait; 0: it takes none"`
	Depth            int     `yaml:"depth" range:"1..16777216" unit:"payloads" acts:"hardware" doc:"entries of one queue; further entries are written to memory and read back"`
	RefillThreshold  int     `yaml:"refill_threshold" default:"256" range:"0..16777216" unit:"payloads" acts:"hardware" doc:"a queue reads entries of a node back from memory, until all line buffers are taken, once at most this many of its payloads wait before the first that is in memory"`
	SpillLines       int     `yaml:"spill_lines" default:"64" range:"1..65536" unit:"lines" acts:"hardware" doc:"line buffers of a queue for entries on the way to memory, and as many for entries that are read back"`
	Ports            int     `yaml:"ports" range:"1..1024" unit:"payloads/cycle" acts:"hardware" doc:"payloads that one queue allocates each cycle, and payloads that it enqueues each cycle"`
	Latency          int     `yaml:"latency" range:"0..1000000" unit:"cycles" acts:"hardware firmware" doc:"time from a compute unit to the queue; an allocation takes it in both directions, and an enqueue once, until the payload can be picked"`
	LaunchRate       float64 `yaml:"launch_rate" range:"0.000001..1024" unit:"launches/cycle" acts:"hardware" doc:"launches (payloads, or coalesced groups of them) that one queue starts each cycle"`
	Arbitration      string  `yaml:"arbitration" enum:"depth-first|breadth-first|round-robin|priority" required:"true" acts:"hardware firmware lists persistent" doc:"which node is served first. depth-first: the deepest of the graph; breadth-first: the shallowest; round-robin: each in turn; priority: the node with the highest priority in the job (nodes: priority), of several the deepest"`
	CoalescingWindow int     `yaml:"coalescing_window" range:"0..10000000" unit:"cycles" acts:"hardware firmware persistent" doc:"time for which a coalescing node waits for more payloads before it starts with those that it has; the wait ends early when no more can arrive"`
	Window           string  `yaml:"window" enum:"fixed|adaptive" default:"fixed" acts:"hardware firmware persistent" doc:"length of a node's window (coalescing_window or packing_window). fixed: as its key says; adaptive: half as long after each launch that the window did not fill, and twice as long, up to its key, after each launch that it filled"`
	PackingWindow    int     `yaml:"packing_window" default:"0" range:"0..10000000" unit:"cycles" acts:"hardware firmware persistent" doc:"time for which workgroups of one invocation wait for more, to fill a wave, before those that are there share one; see pack_threads"`
	ScratchBytes     int     `yaml:"scratch_bytes" range:"0..68719476736" unit:"bytes" doc:"scratch memory for payloads, unless the job has scratch_bytes"`
	PackThreads      bool    `yaml:"pack_threads" doc:"whether workgroups of one invocation share waves, up to as many as a wave has lanes"`

	PayloadSpec `yaml:",inline"`
	FullSpec    `yaml:",inline"`
	GraphLimits `yaml:",inline"`
}

// PayloadSpec is the on-chip memory of payloads.
type PayloadSpec struct {
	PayloadMemory    string  `yaml:"payload_memory" enum:"memory|cache" default:"memory" acts:"hardware" doc:"use of payload_bytes. memory: memory that holds payloads; cache: a cache in front of the L2, with all payloads in scratch memory; stores go through it to the L2 and leave their lines in it, and atomic operations bypass it"`
	PayloadBytes     int     `yaml:"payload_bytes" range:"0..1073741824" unit:"bytes" acts:"hardware" doc:"on-chip payload memory of the machine; payloads that do not fit are in scratch memory"`
	PayloadLatency   int     `yaml:"payload_latency" range:"0..100000" unit:"cycles" acts:"hardware" doc:"latency of the on-chip payload memory"`
	PayloadBandwidth float64 `yaml:"payload_bytes_per_cycle" range:"0.001..65536" unit:"bytes/cycle" acts:"hardware" doc:"bandwidth of the on-chip payload memory"`
}

// FullSpec describes how a queue handles payloads while it has no free entry.
type FullSpec struct {
	Full        string `yaml:"full" enum:"spill|stall|retry" default:"spill" acts:"hardware" doc:"what a queue without a free entry does. spill: writes entries to memory at once; stall: the wave that enqueues waits until entries are free; retry: refuses, and the wave asks again"`
	FullWait    int    `yaml:"full_wait" default:"20000" range:"1..1000000000" unit:"cycles" acts:"hardware" doc:"longest time for which a wave waits or is refused, before its entries go to memory after all; without this bound, waves that wait for each other's entries would wait forever"`
	RetryCycles int    `yaml:"retry_cycles" default:"200" range:"1..1000000" unit:"cycles" acts:"hardware" doc:"time from a refusal until the wave asks again; each time takes a port of the queue"`
}

// GraphLimits bound execution graphs. Their defaults are what Vulkan requires of every implementation.
type GraphLimits struct {
	MaxDepth        int `yaml:"max_depth" default:"32" range:"32..1024" doc:"longest chain of nodes of an execution graph, recursion included"`
	MaxPayloads     int `yaml:"max_payloads" default:"256" range:"256..65536" unit:"payloads" doc:"most payloads that one workgroup may allocate, over all of its outputs"`
	MaxPayloadBytes int `yaml:"max_payload_bytes" default:"32768" range:"32768..16777216" unit:"bytes" doc:"most bytes of payloads that one workgroup may allocate, over all of its outputs"`
}
