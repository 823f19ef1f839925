// Runs: for the host's speed alone. The values of several instructions are computed when the first of them issues.
//
// Law: nothing but the wave reads its registers. Within a basic block, instructions that only compute from registers to registers,
// and leave the execution mask as it is, come to the same values whenever they are computed in their order, before the wave's next
// other instruction. When a result is ready is in the scoreboard, which each instruction enters at its own issue.
//
// Tests: TestSIMDMatchesReference (registers), TestRunsEndWhereBranchesEnter.

package simd

import "spvsim/isa"

// gatherRuns gives the first instruction of each run what all of it computes. A run is
// within a basic block: it is entered at its first instruction, and leaves
// after the last. Nothing but the wave itself sees its registers, so they may
// be ahead of the time at which their instructions issue.
func (c *Code) gatherRuns() {
	head, enters := -1, c.branchTargets()
	for i := range c.ops {
		o := &c.ops[i]
		if enters[i] || o.path > PathClock {
			head = -1
		}
		if o.path > PathClock || o.in.Exec == nil {
			continue
		}
		if head < 0 || !o.mayRunAhead() {
			head = i
		}
		h := &c.ops[head]
		h.run = append(h.run, step{o.in.Exec, o.in})
		if !o.mayRunAhead() {
			head = -1
		}
	}
}

// mayRunAhead says that what the instruction computes depends on the wave's
// registers alone, and that nothing but the wave's instructions can observe that it was computed.
func (o *op) mayRunAhead() bool {
	return o.path == PathCompute && !o.writesExec && !o.readsPayloads()
}

// readsPayloads says that the instruction asks what others have to say of payloads.
func (o *op) readsPayloads() bool {
	other := o.in.Second
	return readsPayloads[o.in.Op] || other != nil && readsPayloads[other.Op]
}

// readsPayloads are the operations that ask what others have to say of payloads.
var readsPayloads = map[isa.Op]bool{isa.PayloadElem: true, isa.PayloadLength: true, isa.PayloadValid: true}
