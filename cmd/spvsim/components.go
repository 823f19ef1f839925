package main

import (
	"fmt"
	"io"
	"regexp"
	"text/tabwriter"

	"spvsim/engine"
	"spvsim/gpu"
	"spvsim/tracing"
)

// levelsOfParts are the levels at which components can be listed.
var levelsOfParts = []string{"kinds", "each"}

// indexes matches the numbers in a component's name: SE[1].CU[3] belongs to SE[].CU[].
var indexes = regexp.MustCompile(`\[\d+\]`)

// writeComponents lists the machine's components with their work: components that differ only in their indexes on one
// line, or each on its own. The last line is the total, whose events are the engine's. If the power is known, it is the
// last column, and a line has the power that belongs to no component.
func writeComponents(w io.Writer, r *gpu.Result, each bool) error {
	total := r.Stats.Energy().Total()
	powered := total > 0 && r.Stats.Cycles > 0
	names, groups := grouped(r.Components, each)
	all := groups["all"]
	if powered {
		groups[otherEnergy] = &componentGroup{joules: total - all.joules}
		all.joules = total
		names = append(names, otherEnergy)
	}
	names = append(names, "all")
	width := 0
	for _, name := range names {
		width = max(width, len(name))
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "%-*s\tnumber\tevents\tturns ahead\tcalls\tmessages sent\treceived\tbooked\t", width, "component")
	if powered {
		fmt.Fprint(t, "watts\t")
	}
	fmt.Fprintln(t)
	for _, name := range names {
		g := groups[name]
		fmt.Fprintf(t, "%-*s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t", width, name, g.members, g.Events, g.Ahead, g.Calls, g.Sent, g.Received, g.Reservations)
		if powered {
			fmt.Fprint(t, tracing.Digits(r.Stats.Energies.Watts(g.joules, r.Stats.Cycles), 4)+"\t")
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// otherEnergy names the power that is no component's: links, engines, the chip, the board.
const otherEnergy = "(links, engines, chip, board)"

// grouped sums components by name, and all of them in a group all; the names are in the order of the components.
func grouped(list []gpu.Component, each bool) (names []string, groups map[string]*componentGroup) {
	groups = map[string]*componentGroup{"all": {}}
	for i := range list {
		name := list[i].Name
		if !each {
			name = indexes.ReplaceAllString(name, "[]")
		}
		if groups[name] == nil {
			groups[name] = &componentGroup{}
			names = append(names, name)
		}
		groups[name].add(&list[i])
		groups["all"].add(&list[i])
	}
	return names, groups
}

// A componentGroup is components of one kind with the sum of their work.
type componentGroup struct {
	members int
	engine.ActivityCounts
	joules float64
}

func (g *componentGroup) add(c *gpu.Component) {
	g.members++
	g.joules += c.Joules
	g.Events += c.Events
	g.Ahead += c.Ahead
	g.Calls += c.Calls
	g.Sent += c.Sent
	g.Received += c.Received
	g.Reservations += c.Reservations
}
