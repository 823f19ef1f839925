package functional

import "spvsim/mem/hierarchy"

// runTurn runs a workgroup as visit does, as one of its compute unit.
func (k *worker) runTurn(g *group) (over, on bool) {
	if unit := k.run.options.Unit; unit != nil {
		k.port.Move(unit(&g.wg))
	}
	return k.visit(g)
}

// count sums the counts of all workers, in their order.
func (r *run) count() {
	c := &r.counts
	clear(c.Issues)
	*c = Counts{Issues: c.Issues}
	for _, k := range r.workers {
		c.add(k)
	}
	for p, issues := range c.Issues {
		for i := range issues {
			if issues[i].Times == 0 {
				continue
			}
			c.Instructions[p.Insts[i].Class] += issues[i].Times
			c.Lanes.Count(&p.Insts[i], issues[i].Times, issues[i].Times*uint64(p.WaveSize)-issues[i].Idle)
		}
	}
}

// maxFaults bounds the faults that are kept.
const maxFaults = 8

func (c *Counts) add(k *worker) {
	c.Workgroups += k.counts.Workgroups
	c.Waves += k.counts.Waves
	c.LongestWave = max(c.LongestWave, k.counts.LongestWave)
	c.LDSUnit += k.counts.LDSUnit
	c.LDSFaults += k.lds.Faults
	c.Faults = append(c.Faults, k.lds.First...)
	c.Faults = c.Faults[:min(len(c.Faults), maxFaults)]
	for i, n := range k.port.Functional().Moved {
		c.MovedBytes[i] += n
	}
	for code, t := range k.tables {
		if !t.used {
			continue
		}
		issues := code.issues(t)
		c.MovedBytes[hierarchy.Read] += code.unread(issues)
		accesses, bytes := code.local(issues)
		c.LDSAccesses += accesses
		c.LDS += bytes
		if sum := c.Issues[code.Program]; sum != nil {
			for i := range sum {
				sum[i].Add(&issues[i])
			}
		} else {
			c.Issues[code.Program] = issues
		}
	}
}
