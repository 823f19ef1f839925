package main

import (
	"fmt"
	"io"
	"regexp"
	"text/tabwriter"

	"spvsim/engine"
	"spvsim/gpu"
)

// indexes are the numbers in a component's name: SE[1].CU[3] is one of SE[].CU[].
var indexes = regexp.MustCompile(`\[\d+\]`)

// writeComponents lists the machine's components with their work: those that
// differ in their indexes alone on one line, or each on its own. The last line is
// what all of them did: its events are those of the engine.
func writeComponents(w io.Writer, list []gpu.Component, each bool) error {
	width := 0
	for i := range list {
		width = max(width, len(list[i].Name))
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "%-*s\tnumber\tevents\tturns ahead\tcalls\tmessages sent\treceived\tbooked\t\n", width, "component")
	names, groups, all := []string{}, map[string]*group{}, &group{}
	for i := range list {
		name := list[i].Name
		if !each {
			name = indexes.ReplaceAllString(name, "[]")
		}
		g := groups[name]
		if g == nil {
			g = &group{}
			groups[name] = g
			names = append(names, name)
		}
		g.add(&list[i].Work)
		all.add(&list[i].Work)
	}
	groups["all"] = all
	for _, name := range append(names, "all") {
		g := groups[name]
		fmt.Fprintf(t, "%-*s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", width, name, g.members, g.Events, g.Ahead, g.Calls, g.Sent, g.Received, g.Booked)
	}
	return t.Flush()
}

// A group is components of one kind with the sum of their work.
type group struct {
	members int
	engine.Work
}

func (g *group) add(w *engine.Work) {
	g.members++
	g.Events += w.Events
	g.Ahead += w.Ahead
	g.Calls += w.Calls
	g.Sent += w.Sent
	g.Received += w.Received
	g.Booked += w.Booked
}
