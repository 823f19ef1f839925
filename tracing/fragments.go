package tracing

import (
	"fmt"
	"io"

	"spvsim/account"
)

func fragmentMembers(f *account.FragmentCounts) object {
	return object{
		{"primitives", f.Primitives}, {"quads", f.Quads}, {"covered", f.Covered}, {"helper_lanes", f.HelperLanes},
		{"helper_share", f.HelperShare()}, {"rejected", f.Rejected},
	}
}

// members are the counts as members of a JSON object.
func graphMembers(g *account.GraphCounts) object {
	nodes := object{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		nodes = append(nodes, named{n.Name, object{{"payloads", n.Payloads}, {"workgroups", n.Workgroups}, {"wait_cycles", n.Wait()}, {"start_cycles", n.Start()}, {"path", n.Path}}})
	}
	return object{{"nodes", nodes}, {"wait_cycles", g.Wait()}, {"start_cycles", g.Start()}, {"queue", g.Queue}, {"unused", g.Unused}}
}

func writeFragments(w io.Writer, f *account.FragmentCounts) {
	if f == nil {
		return
	}
	fmt.Fprintf(w, "fragments\t%s, %s, %d lanes covered, %d helpers (%s)", Plural(f.Primitives, "primitive", "primitives"),
		Plural(f.Quads, "quad", "quads"), f.Covered, f.HelperLanes, percent(f.HelperShare()))
	if f.Rejected > 0 {
		fmt.Fprintf(w, ", %d rejected by depth", f.Rejected)
	}
	fmt.Fprintln(w)
}
