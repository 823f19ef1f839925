package account

// A HardwareQueue holds the counts of a queue's packets.
type HardwareQueue struct {
	Name        string             `json:"name" doc:"name of the queue"`
	Pipe        int                `json:"pipe" doc:"pipe that served the queue"`
	Priority    string             `json:"priority" doc:"priority of its packets"`
	SlotCycles  uint64             `json:"slot_cycles" unit:"cycles" doc:"slot cycles of the wave slots that its launches held"`
	BusyCycles  uint64             `json:"busy_cycles" unit:"cycles" doc:"cycles in which at least one of its launches had begun and was not done"`
	LimitCycles uint64             `json:"limit_cycles" unit:"cycles" doc:"cycles for which its packets waited because too many launches were open or outstanding"`
	Delays      []QueueDelay       `json:"kept_by" doc:"queues that its packets waited for"`
	Memory      []LaunchTraffic    `json:"memory" doc:"traffic of its launches at each level of memory; null: they have none"`
	Waits       []LaunchWait       `json:"waits" doc:"slot cycles of its launches by reason; null: those of a launch are not known"`
	Launches    []ConcurrentLaunch `json:"launches" doc:"its launches, in order"`
}

// A QueueDelay is the time for which one queue delayed packets of another.
type QueueDelay struct {
	Queue      string `json:"queue" doc:"queue that the packets waited for"`
	Dependence uint64 `json:"dependence_cycles" unit:"cycles" doc:"cycles until the last launch that the packets waited for, a launch of that queue, was done and its barrier carried out"`
	Pipe       uint64 `json:"pipe_cycles" unit:"cycles" doc:"cycles for which the pipe served that queue"`
}

// A ConcurrentLaunch is a launch of a queue, in cycles from the first packet on.
type ConcurrentLaunch struct {
	Step        string `json:"step" doc:"name of its step"`
	Packet      uint64 `json:"packet" unit:"cycles" doc:"when its packet became the first of its queue"`
	Ready       uint64 `json:"ready" unit:"cycles" doc:"when all for which it waits had happened"`
	Read        uint64 `json:"read" unit:"cycles" doc:"when the pipe began to read its packet"`
	Dispatched  uint64 `json:"opened" unit:"cycles" doc:"when the dispatcher had the launch"`
	FirstPlaced uint64 `json:"begun" unit:"cycles" doc:"when its first workgroup was placed, or, without workgroups, when the dispatcher had it"`
	LastPlaced  uint64 `json:"placed" unit:"cycles" doc:"when its last workgroup was placed"`
	Done        uint64 `json:"done" unit:"cycles" doc:"when all of its work was done"`

	Memory []LaunchTraffic `json:"memory" doc:"traffic of its requests at each level of memory; null: it has no workgroups, or the memory model is akita"`
	Waits  []LaunchWait    `json:"waits" doc:"slot cycles of its waves by reason; null: it has no workgroups, or another launch of the same execution graph was on the machine at the same time"`
}

// A LaunchTraffic is the traffic of a launch's requests at a memory level. Write-backs at a launch's end belong to no
// launch.
type LaunchTraffic struct {
	Level      string `json:"level" doc:"name of the level"`
	Read       uint64 `json:"read" unit:"bytes" doc:"bytes that the level gave to the level before it"`
	Written    uint64 `json:"written" unit:"bytes" doc:"bytes that the level received: of stores, and of lines that they or loads evicted"`
	Accesses   uint64 `json:"accesses" unit:"accesses" doc:"lines that its requests asked the level for"`
	Hits       uint64 `json:"hits" unit:"accesses" doc:"lines of those that were present, or on their way"`
	Misses     uint64 `json:"misses" unit:"accesses" doc:"lines that the level requested for them from the next one"`
	FullCycles uint64 `json:"full_cycles" unit:"cycles" doc:"cycles for which its requests waited for an entry of a queue of the level, added up over all requests"`
}

// Add adds the traffic of another launch at the level.
func (t *LaunchTraffic) Add(o *LaunchTraffic) {
	t.Read += o.Read
	t.Written += o.Written
	t.Accesses += o.Accesses
	t.Hits += o.Hits
	t.Misses += o.Misses
	t.FullCycles += o.FullCycles
}

// LaunchWait are slot cycles of a launch's waves that one reason has, the issue of instructions among the reasons.
type LaunchWait struct {
	Reason     string `json:"reason" doc:"name of the reason"`
	SlotCycles uint64 `json:"slot_cycles" unit:"slot cycles" doc:"cycles of wave slots"`
}

// BusyTime returns the number of cycles in which at least one of the launches, in the order of their begin, was on the
// machine.
func BusyTime(list []ConcurrentLaunch) (sum uint64) {
	until := uint64(0)
	for i := range list {
		l := &list[i]
		sum += max(l.Done, until) - max(min(l.FirstPlaced, l.Done), until)
		until = max(until, l.Done)
	}
	return sum
}
