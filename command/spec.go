// Package command is the front end of the machine: hardware queues whose packets
// the pipes of the command processor serve, in turns.
//
//	spec    how many there are and what they cost
//	queue   packets of a queue; record: what became of a launch
//	pipe    the component that serves queues: waits, turns, limits
//
// The package does not know what a launch is: the dispatcher opens it when the
// order for it arrives, and reports.
package command

// Spec is the command processor's pipes and queues.
type Spec struct {
	Pipes           int    `yaml:"pipes" range:"1..64" unit:"pipes" doc:"compute pipes of the command processor: each serves the packets of its queues, one at a time"`
	QueuesPerPipe   int    `yaml:"queues_per_pipe" range:"1..64" unit:"queues" doc:"hardware queues of a pipe"`
	PacketCycles    int    `yaml:"packet_cycles" range:"0..10000000" unit:"cycles" doc:"what a pipe takes to read the packet of a launch"`
	LaunchCycles    int    `yaml:"launch_cycles" range:"0..10000000" unit:"cycles" doc:"what a pipe takes from there until the dispatcher has the launch. What a launch after a barrier costs beyond the two (dispatcher.following_launch_cycles) is the barrier's, and what the first one of a queue does (dispatcher.kernel_launch_cycles) the host's"`
	SignalCycles    int    `yaml:"signal_cycles" range:"0..10000000" unit:"cycles" doc:"until a queue sees that a launch of another queue has ended, beyond what one of its own takes"`
	Turns           string `yaml:"turns" enum:"round-robin|priority" required:"true" doc:"which queue a pipe serves next: each that has something in turn, for a slice of its priority; or always one of the highest priority, those of one priority in turn"`
	SliceLow        int    `yaml:"slice_low_cycles" range:"1..1000000000" unit:"cycles" doc:"how long a pipe goes on with a queue of low priority while others wait for it"`
	SliceMedium     int    `yaml:"slice_medium_cycles" range:"1..1000000000" unit:"cycles" doc:"the same of medium priority"`
	SliceHigh       int    `yaml:"slice_high_cycles" range:"1..1000000000" unit:"cycles" doc:"the same of high priority"`
	SliceRealtime   int    `yaml:"slice_realtime_cycles" range:"1..1000000000" unit:"cycles" doc:"the same of realtime priority"`
	OpenPerPipe     int    `yaml:"open_per_pipe" range:"1..65536" unit:"launches" doc:"launches of a pipe that have workgroups to place at once, at most"`
	MostOutstanding int    `yaml:"outstanding" range:"1..65536" unit:"launches" doc:"launches of the machine that have not ended at once, at most"`
}

// Priorities by name, the lowest first.
var Priorities = []string{"low", "medium", "high", "realtime"}

// slice is that of a priority.
func (s *Spec) slice(priority int) uint64 {
	return uint64([...]int{s.SliceLow, s.SliceMedium, s.SliceHigh, s.SliceRealtime}[priority])
}
