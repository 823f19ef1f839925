// Fused steps: for the host's speed alone. Instructions of a run become one step where the host has wide instructions for them.
//
// Law: a fused step writes what its instructions write one after the other, bit for bit.
//
// Tests: TestFusedStepsAreTheirInstructions in package isa; TestSIMDMatchesReference.

package simd

import "spvsim/isa"

// fuse makes one step of instructions of a run that follow each other, where the host's processor has wide instructions for them.
func (c *Code) fuse() {
	rows := isa.NewFuser(c.Program.WaveSize, c.Program.VectorRows)
	for i := range c.ops {
		o := &c.ops[i]
		o.run = fused(rows, o.run)
	}
	c.fusedLiterals = rows.Tail()
}

// fused returns a run with fused steps. Those on scalars alone are quicker one by one.
func fused(rows *isa.Fuser, run []step) (list []step) {
	var batch []step
	settle := func() {
		if rows.Rows() > 0 {
			list = append(list, step{exec: rows.Build()})
		} else {
			list = append(list, batch...)
			rows.Build()
		}
		batch = batch[:0]
	}
	for _, s := range run {
		if !rows.Add(s.in) {
			settle()
			if !rows.Add(s.in) {
				list = append(list, s)
				continue
			}
		}
		batch = append(batch, s)
	}
	settle()
	return list
}
