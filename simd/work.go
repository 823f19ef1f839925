package simd

// UnitWork is what the instructions of programs took of one kind of unit.
type UnitWork struct {
	Instructions uint64
	// Turns are the cycles of SIMDs' own units in which they accepted no other instruction: those for which an instruction keeps
	// the unit busy, up to the SIMD's next issue turn.
	Turns uint64
	// Shared are the cycles of the unit that a compute unit's SIMDs share: those of accesses to memory and to the LDS.
	Shared uint64
}

// Work is what programs took of each kind of unit, in the order of UnitNames, and of the issue turns.
type Work struct {
	Units [numUnits]UnitWork
	// Issue are the cycles of issue ports, of which a SIMD has issue.width.
	Issue uint64
}

func UnitNames() []string { return unitNames[:] }

// AddWork adds what a program took, by its counts.
func (w *Work) AddWork(c *Code, issue *IssueSpec) {
	cadence := uint64(issue.Cadence)
	turns := func(cycles uint32) uint64 { return (uint64(cycles) + cadence - 1) / cadence * cadence }
	for i := range c.ops {
		o, n := &c.ops[i], c.Counts[i].Issues
		if !o.mayIssue() || n == 0 {
			continue
		}
		u := &w.Units[o.unit]
		u.Instructions += n
		if o.path == PathMemory || o.path == PathLDS {
			u.Shared += c.Counts[i].UnitCycles
		} else {
			u.Turns += n * turns(o.busy)
		}
		if issue.PerCategory {
			w.Issue += n * cadence
		} else {
			w.Issue += n * turns(o.issue)
		}
	}
}
