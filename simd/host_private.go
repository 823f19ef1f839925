// Private cycles: for the host's speed alone. Without this file every private-cycle count is 0, and each issue cycle is carried out
// in its time.
//
// Law: a wave that may issue instruction i in cycle c does nothing before cycle c+P(i) that anything but the wave can observe.
// P(i) = 0 where i itself is visible (an access, a barrier, the end, a print), else P(i) = issue cycles of i + the least P(j) of the
// instructions j that may follow, at most a limit: the greatest solution, found by iteration from above over the control-flow graph.
// Three additions of 4 issue cycles before a load: P = 12, 8, 4, 0.
//
// Test: TestSIMDMatchesReference without a tracer (a P that is one too large fails it).

package simd

import (
	"slices"

	"spvsim/isa"
)

// maxPrivateCycles bounds the cycles for which a SIMD postpones issue cycles.
const maxPrivateCycles = 1000

// visibleOnArrival is less than any number of cycles: others observe that a wave has reached the instruction, before it issues.
const visibleOnArrival = -1

// computePrivateCycles computes for each instruction a lower bound on the cycles until a wave there can do something visible to others:
// the shortest path, in issue cycles, to a visible instruction (a backward fixpoint over the control-flow graph). With an instruction
// cache every instruction is visible: waves share its lines.
func (c *Code) computePrivateCycles() {
	c.sharesPrivateUnits = slices.ContainsFunc(c.ops, func(o op) bool {
		return !o.zeroCost && (o.path == PathMemory || o.path == PathLDS) && !sharedUnits[o.unit]
	})
	if c.ops[0].line > 0 {
		return
	}
	alone := make([]int, len(c.ops))
	for i := range c.ops {
		alone[i] = c.ops[i].privateLimit()
	}
	for changed := true; changed; {
		changed = false
		for i := len(c.ops) - 1; i >= 0; i-- {
			if n := c.privateCyclesFrom(i, alone); n < alone[i] {
				alone[i], changed = n, true
			}
		}
	}
	for i, n := range alone {
		c.ops[i].issueState = c.ops[i].issueState.withPrivateCycles(max(n, 0))
	}
}

// privateLimit returns the largest bound that an instruction may get.
func (o *op) privateLimit() int {
	switch {
	case o.readsPayloads():
		return visibleOnArrival
	case o.zeroCost, o.path <= PathBranch && !sharedUnits[o.unit]:
		return maxPrivateCycles
	}
	return 0
}

// privateCyclesFrom is one step of the fixpoint: the bound of instruction i from those of its successors.
func (c *Code) privateCyclesFrom(i int, alone []int) int {
	o, then := &c.ops[i], maxPrivateCycles
	if alone[i] <= 0 {
		return alone[i]
	}
	if o.path == PathBranch {
		then = alone[o.in.Target]
	}
	if o.in.Op != isa.Branch {
		then = min(then, alone[i+1])
	}
	if o.zeroCost {
		return then
	}
	issue := o.issue
	if o.path == PathBranch {
		issue = min(issue, c.taken.issue)
	}
	if then == visibleOnArrival {
		return 0
	}
	return min(then+int(issue), maxPrivateCycles)
}
