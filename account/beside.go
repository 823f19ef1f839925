package account

// A HardwareQueue is what became of the packets of one queue.
type HardwareQueue struct {
	Name        string         `json:"name" doc:"of the queue"`
	Pipe        int            `json:"pipe" doc:"that served it"`
	Priority    string         `json:"priority" doc:"of its packets"`
	SlotCycles  uint64         `json:"slot_cycles" unit:"cycles" doc:"of wave slots that its launches held"`
	BusyCycles  uint64         `json:"busy_cycles" unit:"cycles" doc:"in which at least one of its launches had begun and was not done"`
	LimitCycles uint64         `json:"limit_cycles" unit:"cycles" doc:"that its packets waited as too many launches were open or outstanding"`
	KeptBy      []KeptBy       `json:"kept_by" doc:"who kept its packets waiting"`
	Launches    []BesideLaunch `json:"launches" doc:"each launch, in order"`
}

// A KeptBy is how long one queue kept packets of another waiting.
type KeptBy struct {
	Queue      string `json:"queue" doc:"that kept them"`
	Dependence uint64 `json:"dependence_cycles" unit:"cycles" doc:"until the last launch that they waited for was done, which was of that queue, and its barrier carried out"`
	Pipe       uint64 `json:"pipe_cycles" unit:"cycles" doc:"that the pipe served that queue"`
}

// A BesideLaunch is a launch of a queue, in cycles from the first packet on.
type BesideLaunch struct {
	Step   string `json:"step" doc:"its name"`
	Packet uint64 `json:"packet" unit:"cycles" doc:"when its packet became the first of its queue"`
	Ready  uint64 `json:"ready" unit:"cycles" doc:"when what it waits for had happened"`
	Read   uint64 `json:"read" unit:"cycles" doc:"when the pipe began with it"`
	Opened uint64 `json:"opened" unit:"cycles" doc:"when the dispatcher had it"`
	Begun  uint64 `json:"begun" unit:"cycles" doc:"when its first workgroup was placed; when it was opened, if it has none"`
	Placed uint64 `json:"placed" unit:"cycles" doc:"when its last workgroup was placed"`
	Done   uint64 `json:"done" unit:"cycles" doc:"when all that it did was done"`

	Memory []LaunchTraffic `json:"memory" doc:"what its requests moved at each level of memory; null: it has no workgroups, or the memory is Akita's"`
}

// A LaunchTraffic is what the requests of a launch moved at a level of memory. What is written back at a launch's end is of none.
type LaunchTraffic struct {
	Level   string `json:"level" doc:"name of the level"`
	Read    uint64 `json:"read" unit:"bytes" doc:"that it gave to the level before it"`
	Written uint64 `json:"written" unit:"bytes" doc:"that it took: of stores, and of lines that they or loads evicted"`
}

// BusyTime is the number of cycles in which at least one of the launches, in the order of their begin, was on the machine.
func BusyTime(list []BesideLaunch) (sum uint64) {
	until := uint64(0)
	for i := range list {
		l := &list[i]
		sum += max(l.Done, until) - max(min(l.Begun, l.Done), until)
		until = max(until, l.Done)
	}
	return sum
}
