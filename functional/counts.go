package functional

import (
	"slices"

	"spvsim/isa"
	"spvsim/mem"
	"spvsim/program"
)

// A Did is what one workgroup did.
type Did struct {
	Instructions [isa.NumClasses]uint64 // by class
	Moved        [mem.Atomic + 1]uint64 // bytes of device memory
	LDS          uint64                 // bytes
}

// turn lets a workgroup go on, and keeps account of what it moves where somebody asks.
func (k *worker) turn(g *group) (over, on bool) {
	o := &k.run.options
	if o.Unit != nil {
		k.port.Move(o.Unit(&g.wg))
	}
	if o.Each == nil {
		return k.visit(g)
	}
	device, lds := k.port.Values().Moved, k.counts.LDS
	over, on = k.visit(g)
	for i, n := range k.port.Values().Moved {
		g.did.Moved[i] += n - device[i]
	}
	g.did.LDS += k.counts.LDS - lds
	return over, on
}

// tell says what a workgroup did.
func (k *worker) tell(g *group, each func(*Workgroup, *Kernel, *Did)) {
	g.code.byClass(g.code.issues(g.mine), &g.did.Instructions)
	total := k.table(g.code).entries
	for i, n := range g.mine {
		total[i] += n
	}
	k.run.mutex.Lock()
	defer k.run.mutex.Unlock()
	each(&g.wg, g.kernel, &g.did)
}

// counts adds up what all workers did, in their order.
func (r *run) counts() *Counts {
	c := &Counts{Issues: map[*program.Program][]uint64{}}
	for _, k := range r.workers {
		c.add(k)
	}
	for p, issues := range c.Issues {
		for i, n := range issues {
			c.Instructions[p.Insts[i].Class] += n
		}
	}
	return c
}

// maxFaults is how many faults are kept.
const maxFaults = 8

func (c *Counts) add(k *worker) {
	c.Workgroups += k.counts.Workgroups
	c.Waves += k.counts.Waves
	c.LDS += k.counts.LDS
	c.LDSAccesses += k.counts.LDSAccesses
	c.LDSFaults += k.lds.Faults
	c.Faults = append(c.Faults, k.lds.First...)
	c.Faults = c.Faults[:min(len(c.Faults), maxFaults)]
	for i, n := range k.port.Values().Moved {
		c.Moved[i] += n
	}
	for code, t := range k.tables {
		issues := code.issues(t.entries)
		if sum := c.Issues[code.Program]; sum != nil {
			for i := range sum {
				sum[i] += issues[i]
			}
		} else {
			c.Issues[code.Program] = slices.Clone(issues)
		}
	}
}
