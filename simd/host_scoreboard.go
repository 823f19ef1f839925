// Elided scoreboard checks: for the host's speed alone.
//
// Law: instruction i need not look at a register that is ready whenever a wave may issue i. That is so if the wave waited for it in the
// same basic block and nothing wrote it since, or if all that write it are single-cycle instructions (latency <= issue cycles): the
// result is there when the next instruction may issue. A result that no instruction looks at need not be entered.
//
// Tests: TestSIMDMatchesReference; TestWhatWavesWaitFor (which registers are left).

package simd

import "slices"

// A registerSet is a set of scoreboard entries. The last one is the execution mask's.
type registerSet []bool

// update adds a list to the set, or removes it, with the execution mask if exec.
func (r registerSet) update(list []uint16, exec, in bool) {
	for _, d := range list {
		r[d] = in
	}
	if exec {
		r[len(r)-1] = in
	}
}

// missing returns the registers of a list that are not in the set.
func (r registerSet) missing(list []uint16) (left []uint16) {
	for _, d := range list {
		if !r[d] {
			left = append(left, d)
		}
	}
	return left
}

// elideScoreboardWaits removes scoreboard checks that never stall: registers already waited for in this basic block, or written by
// single-cycle instructions. Their writes skip the scoreboard too.
func (c *Code) elideScoreboardWaits() {
	always, enters := c.alwaysReady(), c.branchTargets()
	settled := slices.Clone(always)
	for i := range c.ops {
		if enters[i] {
			copy(settled, always)
		}
		c.ops[i].elideWaits(settled)
	}
}

// alwaysReady returns the registers that only single-cycle instructions write.
func (c *Code) alwaysReady() registerSet {
	always := make(registerSet, c.scoreboardSize+1)
	for i := range always {
		always[i] = true
	}
	for i := range c.ops {
		if o := &c.ops[i]; !o.singleCycleResult() {
			always.update(o.writes, o.writesExec, false)
		}
	}
	return always
}

// singleCycleResult reports whether the results are ready when the next instruction may issue.
func (o *op) singleCycleResult() bool {
	return !o.zeroCost && o.path <= PathClock && o.latency <= o.issue
}

// elideWaits removes the settled registers from those that the instruction waits for, and updates the set.
func (o *op) elideWaits(settled registerSet) {
	waits, waitsExec := o.deps, o.readsExec
	o.deps, o.readsExec = settled.missing(waits), waitsExec && !settled[len(settled)-1]
	if o.zeroCost {
		if o.compacted || len(o.deps) > 0 || o.readsExec {
			settled.update(o.writes, o.writesExec, false)
		}
		return
	}
	settled.update(waits, waitsExec, true)
	settled.update(o.writes, o.writesExec, o.singleCycleResult())
	if o.singleCycleResult() && contains(waits, o.writes) { // what was entered before for what it writes is of a cycle that is over
		o.writes, o.writesExec = nil, false
	}
}

func contains(all, some []uint16) bool {
	return !slices.ContainsFunc(some, func(r uint16) bool { return !slices.Contains(all, r) })
}

// packOperands lays the registers that instructions wait for and write one after the other in the host's memory.
func (c *Code) packOperands() {
	n := 0
	for i := range c.ops {
		n += len(c.ops[i].deps) + len(c.ops[i].writes)
	}
	all := make([]uint16, 0, n)
	take := func(list []uint16) []uint16 {
		all = append(all, list...)
		return all[len(all)-len(list):]
	}
	for i := range c.ops {
		o := &c.ops[i]
		o.deps, o.writes = take(o.deps), take(o.writes)
	}
}
