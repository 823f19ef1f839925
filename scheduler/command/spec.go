// Package command is the front end of the machine: the pipes of the command
// processor, which serve the packets of hardware queues in turn.
//
//	spec    how many there are and what they cost
//	queue   packets of a queue; record: what became of a launch
//	pipe    the component that serves queues: waits, turns, limits
//
// The package does not know what a launch is: the dispatcher opens it when the
// order for it arrives, and reports.
package command

import "spvsim/mem/hierarchy"

// FrontEndSpec describes the pipes and queues of the command processor.
type FrontEndSpec struct {
	Pipes           int    `yaml:"pipes" range:"1..64" unit:"pipes" doc:"compute pipes of the command processor; each serves the packets of its queues, one at a time"`
	QueuesPerPipe   int    `yaml:"queues_per_pipe" range:"1..64" unit:"queues" doc:"hardware queues of a pipe"`
	ClockMHz        int    `yaml:"clock_mhz" default:"0" range:"0..100000" unit:"MHz" doc:"clock of the command processor: its own cycle counts here, those of host, the launch costs of dispatcher (kernel_launch_cycles, following_launch_cycles, launch_floor_cycles) and scheduler.firmware_cycles, firmware_dispatch_cycles, pass_launch_cycles and barrier_cycles are in cycles of it, whatever the core's clock is; 0: the core's clock"`
	PacketCycles    int    `yaml:"packet_cycles" range:"0..10000000" unit:"cycles" doc:"time that a pipe takes to read the packet of a launch"`
	LaunchCycles    int    `yaml:"launch_cycles" range:"0..10000000" unit:"cycles" doc:"time that a pipe takes, after reading the packet, until the dispatcher has the launch. dispatcher.following_launch_cycles minus packet_cycles and launch_cycles is the cost of a barrier; dispatcher.kernel_launch_cycles minus these two is the cost of the host for the first launch of a queue"`
	SignalCycles    int    `yaml:"signal_cycles" range:"0..10000000" unit:"cycles" doc:"additional time until a queue sees that a launch of another queue has ended, compared with one of its own"`
	Arbitration     string `yaml:"turns" enum:"round-robin|priority" required:"true" doc:"which queue a pipe serves next. round-robin: each queue with packets in turn, for the slice of its priority; priority: always a queue of the highest priority, queues of one priority in turn"`
	SliceLow        int    `yaml:"slice_low_cycles" range:"1..1000000000" unit:"cycles" doc:"longest time for which a pipe serves a queue of low priority while others wait for the pipe"`
	SliceMedium     int    `yaml:"slice_medium_cycles" range:"1..1000000000" unit:"cycles" doc:"longest time for which a pipe serves a queue of medium priority while others wait for the pipe"`
	SliceHigh       int    `yaml:"slice_high_cycles" range:"1..1000000000" unit:"cycles" doc:"longest time for which a pipe serves a queue of high priority while others wait for the pipe"`
	SliceRealtime   int    `yaml:"slice_realtime_cycles" range:"1..1000000000" unit:"cycles" doc:"longest time for which a pipe serves a queue of realtime priority while others wait for the pipe"`
	OpenPerPipe     int    `yaml:"open_per_pipe" range:"1..65536" unit:"launches" doc:"most launches of a pipe that have workgroups to place at the same time"`
	MostOutstanding int    `yaml:"outstanding" range:"1..65536" unit:"launches" doc:"most launches of the machine that are outstanding at the same time"`

	hierarchy.FetchSpec `yaml:",inline"`
}

// Priorities by name, the lowest first.
var Priorities = []string{"low", "medium", "high", "realtime"}

// slice returns the time slice of a priority.
func (s *FrontEndSpec) slice(priority int) uint64 {
	return uint64([...]int{s.SliceLow, s.SliceMedium, s.SliceHigh, s.SliceRealtime}[priority])
}
