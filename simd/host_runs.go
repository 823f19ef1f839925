// Runs: for the host's speed alone. The values of several instructions are computed when the first of them issues.
//
// Law: nothing but the wave reads its registers. Within a basic block, instructions that only compute from registers to registers,
// and leave the execution mask as it is, come to the same values whenever they are computed in their order, before the wave's next
// other instruction. When a result is ready is in the scoreboard, which each instruction enters at its own issue.
//
// Tests: TestSIMDMatchesReference (registers), TestRunsEndWhereBranchesEnter.

package simd

import "spvsim/isa"

// gatherRuns gives the first instruction of each run the computations of all of it. A run lies within a basic block.
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

// mayRunAhead reports whether the instruction computes from the wave's registers alone, unseen by anything but the wave's instructions.
func (o *op) mayRunAhead() bool {
	return o.path == PathCompute && !o.writesExec && !o.readsPayloads()
}

// readsPayloads reports whether the instruction reads the state of payloads, which others change.
func (o *op) readsPayloads() bool {
	other := o.in.Second
	return readsPayloads[o.in.Op] || other != nil && readsPayloads[other.Op]
}

// readsPayloads are the operations that read the state of payloads.
var readsPayloads = map[isa.Op]bool{isa.PayloadElem: true, isa.PayloadLength: true, isa.PayloadValid: true}
