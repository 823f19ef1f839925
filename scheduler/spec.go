package scheduler

// WorkSpec says how work gets onto the compute units.
type WorkSpec struct {
	Dispatcher DispatcherSpec `yaml:"dispatcher" doc:"kernel launch and workgroup dispatch"`
	Scheduler  SchedulerSpec  `yaml:"scheduler" doc:"who starts the workgroups of execution graphs"`
	Queue      QueueSpec      `yaml:"queue" doc:"payloads of execution graphs, and the queue that they wait in"`
	Host       HostSpec       `yaml:"host" doc:"copies between host and device memory, and waits of the host"`
}

// HostSpec is what a copy step costs: a fixed time and one for its bytes, and where the host's runtime copies them to a buffer of its own first, another;
// and what the host's wait for the device does.
type HostSpec struct {
	ToDeviceCycles   int     `yaml:"to_device_cycles" range:"0..1000000000" unit:"cycles" doc:"fixed cost of a copy from host to device memory"`
	ToDeviceBytes    float64 `yaml:"to_device_bytes_per_cycle" range:"0.001..65536" unit:"bytes/cycle" doc:"rate of a copy from host to device memory"`
	FromDeviceCycles int     `yaml:"from_device_cycles" range:"0..1000000000" unit:"cycles" doc:"fixed cost of a copy from device to host memory"`
	FromDeviceBytes  float64 `yaml:"from_device_bytes_per_cycle" range:"0.001..65536" unit:"bytes/cycle" doc:"rate of a copy from device to host memory"`
	StagedBelow      int     `yaml:"staged_below_bytes" default:"0" range:"0..1099511627776" unit:"bytes" doc:"copies of fewer bytes than this, either way, pass through a buffer of the host's runtime, so that the host copies them once more; larger ones go straight"`
	StagedBytes      float64 `yaml:"staged_bytes_per_cycle" default:"1" range:"0.001..65536" unit:"bytes/cycle" doc:"rate of the host's own copy where copies are staged"`
	Synchronize      int     `yaml:"synchronize_cycles" default:"0" range:"0..1000000000" unit:"cycles" doc:"cost of a wait of the host for the device: from the end of the last launch until the host goes on"`
}

// PayloadCache says whether what the machine has for payloads on chip is a cache.
func (s *WorkSpec) PayloadCache() bool {
	return kinds[s.Scheduler.Kind].onChip && s.Queue.PayloadMemory == "cache" && s.Queue.PayloadBytes > 0
}

// OnChip is the payload memory that the machine has on chip, in bytes.
func (s *WorkSpec) OnChip() uint64 {
	if kinds[s.Scheduler.Kind].onChip && s.Queue.PayloadMemory != "cache" {
		return uint64(s.Queue.PayloadBytes)
	}
	return 0
}

// DispatcherSpec is what turns launches into waves on compute units.
type DispatcherSpec struct {
	WorkgroupsPerCycle float64 `yaml:"workgroups_per_cycle" range:"0.000001..1024" unit:"workgroups/cycle" doc:"workgroups that each shader engine places each cycle at most, each on a different compute unit"`
	RefilledPerCycle   float64 `yaml:"refilled_per_cycle" default:"0" range:"0..1024" unit:"workgroups/cycle" doc:"workgroups that each shader engine places each cycle at most where others have ended, as many as have since the engine was last empty; 0: workgroups_per_cycle"`
	WavesPerCycle      float64 `yaml:"waves_per_cycle" range:"0.000001..1024" unit:"waves/cycle" doc:"waves that each shader engine starts each cycle at most"`
	LaunchLatency      int     `yaml:"launch_latency" range:"0..1000000" unit:"cycles" doc:"cycles from placing a wave until its first instruction may issue; placing it takes one, so that 0 is as 1"`
	KernelLaunchCycles int     `yaml:"kernel_launch_cycles" range:"0..1000000000" unit:"cycles" doc:"fixed cost of a job's first kernel launch, paid before its first workgroup is placed"`
	FollowingLaunch    int     `yaml:"following_launch_cycles" range:"0..1000000000" unit:"cycles" doc:"the same for a launch that waits in the stream after another one"`
	LaunchFloor        int     `yaml:"launch_floor_cycles" default:"0" range:"0..1000000000" unit:"cycles" doc:"a job's first launch takes at least this: what the command processor does beside the kernel"`
	FixedOrder         bool    `yaml:"fixed_order" default:"false" doc:"whether workgroup i of a launch goes to shader engine i modulo their number, so that a full engine makes the next workgroups wait; otherwise a full engine is passed over, and launches go on where the one before ended"`
	ShaderArrays       int     `yaml:"shader_arrays" default:"1" range:"1..1024" doc:"arrays of each shader engine, to which its compute units belong as evenly as they can: workgroups go to an engine's arrays in turn, so that units of a smaller array have more to do; 1: to its units in turn"`
	Share              string  `yaml:"share" default:"oldest" enum:"oldest|round-robin|priority" doc:"whose workgroup is placed next where several launches are open: that of the oldest which has one that fits, of each in turn, or of the queue of the highest priority, the oldest first"`
}

// A kind is a row of the table of schedulers.
type kind struct {
	make  func(*Run) (policy, error)
	queue string // name of the components in which payloads wait
	// engines: there may be one for each shader engine or compute unit; without, the machine has one.
	engines bool
	// window: coalescing nodes wait for more payloads.
	window bool
	// onChip: payloads live on chip while there is space.
	onChip bool
	// pulls: workers take their workgroups; the dispatcher places none.
	pulls bool
}

// kinds of scheduler by the name that machine descriptions use.
var kinds = map[string]kind{
	"hardware":   {make: newHardware, queue: "EnqueueQueue", engines: true, window: true, onChip: true},
	"firmware":   {make: newFirmware, queue: "SchedulerCore", engines: true, window: true},
	"multipass":  {make: newMultipass, queue: "PassQueue"},
	"persistent": {make: newPersistent, queue: "WorkQueue", window: true, pulls: true},
}

// SchedulerSpec says who starts the workgroups that payloads of an execution graph ask for. Fields that its kind does not use
// are not looked at.
type SchedulerSpec struct {
	Kind             string `yaml:"kind" enum:"hardware|firmware|multipass|persistent" required:"true" doc:"a queue beside the dispatcher; a core that runs firmware; compute passes with a barrier between the levels; resident waves that pop a queue in memory"`
	LaunchCycles     int    `yaml:"launch_cycles" range:"0..1000000" unit:"cycles" acts:"hardware" doc:"from picking payloads until their first workgroup may be placed"`
	FirmwareCycles   int    `yaml:"firmware_cycles" range:"1..1000000" unit:"cycles" acts:"firmware" doc:"what its core spends on the launches that it starts at a time, beside reading the ring"`
	FirmwareLaunches int    `yaml:"firmware_launches" range:"1..65536" unit:"launches" acts:"firmware" doc:"launches (payloads, or what is coalesced or packed) of one node that its core starts at a time, if so many wait"`
	FirmwareDispatch int    `yaml:"firmware_dispatch_cycles" range:"0..100000000" unit:"cycles" acts:"firmware" doc:"what its core spends on a dispatch of a graph before the first launch, beside the launch that the host pays"`
	PassLaunchCycles int    `yaml:"pass_launch_cycles" range:"0..10000000" unit:"cycles" acts:"multipass" doc:"cost of starting one compaction or one dispatch from the command stream"`
	BarrierCycles    int    `yaml:"barrier_cycles" range:"0..10000000" unit:"cycles" acts:"multipass" doc:"from the end of a level's last workgroup until the next level's first compaction starts"`
	Passes           string `yaml:"passes" default:"serial" enum:"serial|overlapped" acts:"multipass" doc:"how passes of a level follow each other: compaction and dispatch of each node in turn, each at the cost of its launch; or all compactions, a barrier, and all dispatches, of which each but the first after the level's barrier or the compactions' takes the packet and the launch of the front end alone"`
	PollInterval     int    `yaml:"poll_interval" range:"1..10000000" unit:"cycles" acts:"persistent" doc:"what a worker sleeps when it found the queue empty"`
	PersistentGroups int    `yaml:"persistent_groups" range:"0..1024" unit:"workgroups" acts:"persistent" doc:"resident workers of each compute unit at most; 0: as many as fit"`
}

// QueueSpec is where payloads are and wait. Firmware, multipass and persistent scheduling keep their queues in memory: of this, they
// use what their tags say.
type QueueSpec struct {
	Placement        string  `yaml:"placement" enum:"central|engine|unit" required:"true" acts:"hardware firmware" doc:"one queue for the machine, or one for each shader engine or each compute unit, which starts what its own workgroups enqueued, and what it takes from others (see steal)"`
	Steal            int     `yaml:"steal" default:"64" range:"0..16777216" unit:"payloads" acts:"hardware firmware" doc:"payloads that the queue of a shader engine or compute unit takes at a time at most from that in which most wait, when it has nothing to launch; 0: it takes none"`
	Depth            int     `yaml:"depth" range:"1..16777216" unit:"payloads" acts:"hardware" doc:"entries of one queue; further ones are written to memory and read back"`
	RefillThreshold  int     `yaml:"refill_threshold" default:"256" range:"0..16777216" unit:"payloads" acts:"hardware" doc:"payloads of a node at hand up to which a queue reads back the next line of those that it wrote to memory"`
	SpillLines       int     `yaml:"spill_lines" default:"64" range:"1..65536" unit:"lines" acts:"hardware" doc:"line buffers of a queue for entries on their way to memory, and as many for those that are read back"`
	Ports            int     `yaml:"ports" range:"1..1024" unit:"payloads/cycle" acts:"hardware" doc:"payloads that one queue allocates, and enqueues, each cycle"`
	Latency          int     `yaml:"latency" range:"0..1000000" unit:"cycles" acts:"hardware firmware" doc:"from a compute unit to the queue: paid by an allocation both ways and by an enqueue until the payload can be picked"`
	LaunchRate       float64 `yaml:"launch_rate" range:"0.000001..1024" unit:"launches/cycle" acts:"hardware" doc:"launches (payloads, or what is coalesced) that one queue starts each cycle"`
	Arbitration      string  `yaml:"arbitration" enum:"depth-first|breadth-first|round-robin|priority" required:"true" doc:"which node is served first: the deepest of the graph, the shallowest, each in turn, or that with the highest priority in the job (nodes: priority), of several the deepest"`
	CoalescingWindow int     `yaml:"coalescing_window" range:"0..10000000" unit:"cycles" acts:"hardware firmware persistent" doc:"how long a coalescing node waits for more payloads before it starts with those that are there; no longer than more can arrive"`
	Window           string  `yaml:"window" enum:"fixed|adaptive" default:"fixed" acts:"hardware firmware persistent" doc:"whether a node's window (coalescing or packing) is what its key says, or adapts: half as long after a launch that it did not fill, twice as long, up to what its key says, after one that it filled"`
	PackingWindow    int     `yaml:"packing_window" default:"0" range:"0..10000000" unit:"cycles" acts:"hardware firmware persistent" doc:"how long workgroups of one invocation wait for more to fill a wave with, before those that are there share one; see pack_threads"`
	ScratchBytes     int     `yaml:"scratch_bytes" range:"0..68719476736" unit:"bytes" doc:"scratch memory for payloads, unless the job says"`
	PackThreads      bool    `yaml:"pack_threads" doc:"workgroups of one invocation share waves, as many as a wave has lanes"`

	PayloadSpec `yaml:",inline"`
	FullSpec    `yaml:",inline"`
	GraphLimits `yaml:",inline"`
}

// PayloadSpec is the on-chip memory of payloads.
type PayloadSpec struct {
	PayloadMemory    string  `yaml:"payload_memory" enum:"memory|cache" default:"memory" acts:"hardware" doc:"what payload_bytes are: memory in which payloads live, or a cache of lines in front of the L2 for payloads that all live in scratch memory; stores go through it to the L2 and leave their lines in it, atomic operations pass it by"`
	PayloadBytes     int     `yaml:"payload_bytes" range:"0..1073741824" unit:"bytes" acts:"hardware" doc:"on-chip payload memory of the machine; payloads beyond it live in scratch memory"`
	PayloadLatency   int     `yaml:"payload_latency" range:"0..100000" unit:"cycles" acts:"hardware" doc:"latency of the on-chip payload memory"`
	PayloadBandwidth float64 `yaml:"payload_bytes_per_cycle" range:"0.001..65536" unit:"bytes/cycle" acts:"hardware" doc:"bandwidth of the on-chip payload memory"`
}

// FullSpec says what happens to payloads for which a queue has no entry.
type FullSpec struct {
	Full        string `yaml:"full" enum:"spill|stall|retry" default:"spill" acts:"hardware" doc:"what a queue without a free entry does: it writes entries to memory at once, keeps the wave that enqueues until entries are free, or refuses, and the wave asks again"`
	FullWait    int    `yaml:"full_wait" default:"20000" range:"1..1000000000" unit:"cycles" acts:"hardware" doc:"how long a wave is kept or refused at most, before its entries go to memory after all: without a bound waves that wait for each other's places would wait forever"`
	RetryCycles int    `yaml:"retry_cycles" default:"200" range:"1..1000000" unit:"cycles" acts:"hardware" doc:"from a refusal until the wave asks again, which takes the queue's port each time"`
}

// port is a port through which payloads go, each way on its own.
func (q *QueueSpec) port() port { return port{gap: gap(float64(q.Ports))} }
