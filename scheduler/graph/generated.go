package graph

import (
	"fmt"

	"spvsim/scheduler"
)

// A CommandProcessor is what a launch or a transfer in the command stream costs.
type CommandProcessor struct {
	Packet            uint64                    // cycles of a launch without dependencies
	Open, Outstanding int                       // most launches with workgroups to place, and that have not ended
	Transfer          func(bytes uint64) uint64 // cycles of a transfer, without its launch
}

// newGenerated makes a list of sequences, as of VK_EXT_device_generated_commands: a pipeline, push constants and a
// dispatch, which shaders append. When the workgroups of a list have ended, a preprocessing step reads the sequences
// and writes commands, and the command processor launches each by a packet. What the host dispatches are commands
// already.
func newGenerated(r *Run) (policy, error) {
	o := makeLists(r, 1)
	o.commands, o.barrier = &r.Commands, true
	o.costs = recordCosts{gap: r.Commands.Packet << scheduler.RateBits, launch: r.Commands.Packet}
	r.launcher.maxOpen = r.Commands.Open
	return o, nil
}

// preprocess returns the cycle in which the sequences that have been written are commands, which are launched: after a
// launch, a transfer and another launch.
func (o *lists) preprocess(now uint64) uint64 {
	sequences := o.all[0].waiting
	launch := uint64(o.spec.PassLaunchCycles)
	done := now + launch + o.commands.Transfer(sequences*uint64(o.spec.ListRecordBytes))
	o.queues.trace.traceFrontEnd("preprocessing", func() string { return fmt.Sprintf("%d sequences", sequences) }, now, done)
	return done + launch
}

// withinLimits reports whether the command processor may launch one more. Launches that wait for payload memory do not
// count, as those behind them free it.
func (o *lists) withinLimits() bool {
	open := 0
	for _, b := range o.queues.nodeQueues.list {
		if len(b.launches) > 0 && o.launcher.pool.freeBytes(b.launches[0].level) >= b.launches[0].worst {
			open += len(b.launches)
		}
	}
	return open < o.launcher.maxOpen && o.stats.unended-o.stats.openLaunches+open < o.commands.Outstanding
}
