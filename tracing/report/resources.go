package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"spvsim/account"
	"spvsim/tracing"
	"spvsim/tracing/profile"
)

// A reasonRow is a stall reason with its share of all slot-cycles and of the resident ones.
type reasonRow struct {
	Class, Name, Meaning, Cycles string
	OfSlots, OfWaves             string
}

// reasonRows returns the reasons that occur: a small launch leaves most slots empty, so each is also a share of the
// resident cycles.
func reasonRows(p *profile.Profile) (list []reasonRow) {
	total := float64(p.Total.Total())
	own := total - float64(p.Total[account.Empty])
	for r, n := range p.Total {
		reason := account.Reason(r)
		if n == 0 {
			continue
		}
		row := reasonRow{className("b", r), reason.String(), reason.Meaning(), grouped(n), percent(float64(n), total), percent(float64(n), own)}
		if reason == account.Empty {
			row.OfWaves = "–"
		}
		list = append(list, row)
	}
	return list
}

// A levelRow is a level of memory as text.
type levelRow struct {
	Name, Accesses, Hits, Rate, InFlight, Misses, Bytes, Writebacks, Full string
}

// levelRows returns the levels with accesses; older profiles, which only have bytes, have none.
func levelRows(p *profile.Profile) (list []levelRow) {
	for i := range p.Levels {
		l := &p.Levels[i]
		if l.Accesses == 0 {
			continue
		}
		list = append(list, levelRow{l.Name, grouped(l.Accesses), grouped(l.Hits), percent(float64(l.Hits), float64(l.Accesses)), grouped(l.InFlight),
			grouped(l.Misses), grouped(l.Bytes), grouped(l.Writebacks), grouped(l.FullCycles)})
	}
	return list
}

// ldsTable shows the counts of the LDS, by instruction.
type ldsTable struct {
	Text      string
	Hot, More []ldsRow
}

// newLDS is nil where no instruction accesses the LDS.
func newLDS(p *profile.Profile) *ldsTable {
	list := ldsRows(p)
	if len(list) == 0 {
		return nil
	}
	n := min(hottest, len(list))
	return &ldsTable{Hot: list[:n], More: list[n:], Text: fmt.Sprintf("%s accesses took %s passes over the banks (%s for bank conflicts).",
		grouped(p.LDS.Accesses), grouped(p.LDS.Passes), grouped(p.LDS.ConflictPasses))}
}

// An ldsRow is an instruction that accesses the LDS.
type ldsRow struct {
	Program, Text, ID, Line string
	Issues, Passes          string
	Conflicts, PerAccess    string
	conflicts, passes       uint64
}

// ldsRows are the instructions with the most conflicts, then passes, first.
func ldsRows(p *profile.Profile) (list []ldsRow) {
	for i := range p.Listings {
		for k := range p.Listings[i].Lines {
			l := &p.Listings[i].Lines[k]
			if l.LDSPasses == 0 {
				continue
			}
			list = append(list, ldsRow{Program: fmt.Sprintf("%s, pc %d", p.Listings[i].Name, k), Text: l.Text, ID: tracing.IDText(l.ID), Line: tracing.LineText(l.Line),
				Issues: grouped(l.Issues), Passes: grouped(l.LDSPasses), Conflicts: grouped(l.Conflicts),
				PerAccess: shortNumber(float64(l.LDSPasses) / float64(max(l.Issues, 1))), conflicts: l.Conflicts, passes: l.LDSPasses})
		}
	}
	slices.SortStableFunc(list, func(a, b ldsRow) int {
		return cmp.Or(cmp.Compare(b.conflicts, a.conflicts), cmp.Compare(b.passes, a.passes))
	})
	return list
}

// A resourceRow shows the resources that a program's waves occupy in a compute unit.
type resourceRow struct {
	Step, Name, Wave, Group    string
	Vector, Scalar             string
	LDS, Scratch               string
	Possible, Limiter, Reached string
	Bounds                     string // of all resources
}

// needRows returns a row per program; older profiles have none.
func needRows(p *profile.Profile) (list []resourceRow) {
	for i := range p.Kernels {
		k := &p.Kernels[i]
		n := k.Resources
		if n == nil {
			continue
		}
		row := resourceRow{Step: k.Owner(), Name: k.Name, Wave: strconv.Itoa(n.WaveSize), Group: fmt.Sprintf("%d × %d × %d", n.LocalSize[0], n.LocalSize[1], n.LocalSize[2]),
			Vector: strconv.Itoa(n.VectorRegs), Scalar: strconv.Itoa(n.ScalarRegs), LDS: grouped(uint64(n.LDSBytes)), Scratch: grouped(uint64(n.ScratchWords)),
			Possible: "–", Limiter: "–", Reached: "–"}
		slots := 0
		if p.Engines*p.Units > 0 {
			slots = p.Slots / (p.Engines * p.Units)
		}
		if o := n.Possible; o != nil {
			row.Possible, row.Limiter, row.Bounds = ofSlots(float64(o.Waves), o.Slots), o.Limiter(), o.String()
		}
		if k.UnitCycles > 0 {
			row.Reached = ofSlots(float64(k.Slots.Total())/float64(k.UnitCycles), slots)
		}
		list = append(list, row)
	}
	return list
}

// ofSlots are waves of a compute unit, and their share of its slots.
func ofSlots(waves float64, slots int) string {
	return shortNumber(waves) + " (" + percent(waves, float64(slots)) + ")"
}
