package graph

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"spvsim/program"
	"spvsim/scheduler"
)

// A Description has what a listing shows of a graph in addition to its nodes.
type Description struct {
	Name    string
	Entries []Entry
	OnChip  uint64 // bytes of on-chip payload memory
	Scratch uint64 // bytes given by the job or the machine
	Spec    *scheduler.WorkSpec
}

// counts returns the number of payloads that the host dispatches to each node.
func (d *Description) counts() map[*Node]uint64 {
	m := map[*Node]uint64{}
	for i := range d.Entries {
		m[d.Entries[i].Node] += d.Entries[i].Count
	}
	return m
}

// MinimumScratch returns the scratch memory with which the graph always finishes.
func (g *Graph) MinimumScratch(onChip uint64) uint64 {
	return g.MinimumBytes() - min(onChip, g.MinimumBytes())
}

// MaximumScratch returns the most scratch memory that a dispatch can use.
func (g *Graph) MaximumScratch(onChip uint64, counts map[*Node]uint64) uint64 {
	most := g.MaximumBytes(counts)
	return max(most-min(onChip, most), g.MinimumScratch(onChip))
}

// WriteText writes nodes, edges, limits and memory.
func (g *Graph) WriteText(w io.Writer, d *Description) error {
	b := bufio.NewWriter(w)
	counts := d.counts()
	fmt.Fprintf(b, "graph %s: %d nodes, depth %d of at most %d\n", d.Name, len(g.Nodes), g.Depth, g.limits.MaxDepth)
	for _, n := range g.Nodes {
		b.WriteString(program.DescribeNode(n.Name, n.Index, n.Program.LocalSize, &n.meta))
		fmt.Fprintf(b, "  runs %s of %s at %s", n.Program.Name, n.Shader, n.levelText())
		if c, ok := counts[n]; ok {
			fmt.Fprintf(b, ", %d payloads from the host", c)
		}
		if most := g.allowance(n, true); most.payloads > 0 {
			fmt.Fprintf(b, ", a workgroup allocates at most %d payloads, %d bytes (%d of payload memory)", most.payloads, most.bytes, most.memory)
		}
		fmt.Fprintln(b)
	}
	fmt.Fprintf(b, "limits of a workgroup: %d outputs, %d payloads, %d bytes; of a launch: %d workgroups an axis, %d in all\n",
		maxOutputs, g.limits.MaxPayloads, g.limits.MaxPayloadBytes, maxAxis, maxWorkgroups)
	fmt.Fprintf(b, "payload memory: %d bytes on chip; scratch memory: at least %d bytes, at most %d of use, %d given\n",
		d.OnChip, g.MinimumScratch(d.OnChip), g.MaximumScratch(d.OnChip, counts), d.Scratch)
	g.writeLatency(b, d.Spec)
	return b.Flush()
}

// writeLatency writes the least latency of the path through all levels, without the run time of workgroups, and the
// windows that may add to it.
func (g *Graph) writeLatency(w io.Writer, s *scheduler.WorkSpec) {
	first, next := leastStart(s)
	fmt.Fprintf(w, "path of %d levels under %s: at least %d cycles beside its workgroups' own: %d until the first of them may issue, %d from an enqueue to the next level's\n",
		g.Depth, s.Scheduler.Kind, first+(g.Depth-1)*next, first, next)
	if !kinds[s.Scheduler.Kind].window {
		return
	}
	for _, n := range g.Nodes {
		window, why := 0, "coalescing"
		switch {
		case n.Program.Packed:
			window, why = s.Queue.PackingWindow, "packing"
		case n.meta.Launch == program.Coalescing:
			window = s.Queue.CoalescingWindow
		}
		if window > 0 {
			fmt.Fprintf(w, "node %v at %s: payloads wait up to %d cycles more for others (%s_window)\n", n, n.levelText(), window, why)
		}
	}
}

// leastStart returns the least cycles from the start of a dispatch (after the host's launch) to its first instruction,
// and from the end of an enqueue to the first instruction of its payload's workgroup. Memory accesses of queues in
// memory come on top.
func leastStart(s *scheduler.WorkSpec) (first, next int) {
	c, place := &s.Scheduler, s.Dispatcher.LaunchLatency
	switch c.Kind {
	case "hardware":
		return c.LaunchCycles + place, s.Queue.Latency + c.LaunchCycles + place
	case "firmware":
		return c.FirmwareDispatch + c.FirmwareCycles + place, s.Queue.Latency + c.FirmwareCycles + place
	case "multipass":
		return c.PassLaunchCycles + place, c.BarrierCycles + 2*c.PassLaunchCycles + place
	case "generated":
		return place, c.BarrierCycles + 2*c.PassLaunchCycles + place // and packets on top
	case "lists":
		next = c.LaunchCycles + place
		if c.ListBarrier {
			next += c.BarrierCycles
		}
		return c.LaunchCycles + place, next
	}
	return place, 0 // workers pop
}

func (n *Node) levelText() string {
	first, last := n.stages[len(n.stages)-1].level, n.stages[0].level
	if first == last {
		return fmt.Sprintf("level %d", first)
	}
	return fmt.Sprintf("levels %d to %d", first, last)
}

// WriteDOT writes the graph for Graphviz: a second border for entries of the host, an arrow for each pair of nodes, a
// dashed one to each node that shares an input.
func (g *Graph) WriteDOT(w io.Writer, d *Description) error {
	b := bufio.NewWriter(w)
	counts := d.counts()
	fmt.Fprintf(b, "digraph %q {\n  node [shape=box, fontname=\"Helvetica\"];\n  edge [fontname=\"Helvetica\", fontsize=10];\n", d.Name)
	for _, n := range g.Nodes {
		extra := ""
		if _, ok := counts[n]; ok {
			extra = ", peripheries=2"
		}
		fmt.Fprintf(b, "  %q [label=%q%s];\n", n.String(), fmt.Sprintf("%v\n%v, %d bytes", n, n.meta.Launch, n.size), extra)
	}
	for _, n := range g.Nodes {
		for _, t := range n.Outputs() {
			fmt.Fprintf(b, "  %q -> %q [label=%q];\n", n.String(), t.String(), n.edgeText(t))
		}
		for _, s := range n.sharers {
			fmt.Fprintf(b, "  %q -> %q [style=dashed, label=\"shares its input\"];\n", n.String(), s.String())
		}
	}
	fmt.Fprintln(b, "}")
	return b.Flush()
}

// edgeText describes what a node may enqueue to another.
func (n *Node) edgeText(t *Node) string {
	var parts []string
	for i := range n.outputs {
		o := &n.outputs[i]
		if o.targets[t.Index] != t {
			continue
		}
		text := fmt.Sprintf("up to %d", n.outputs[o.root].MaxPayloads)
		if o.Invocation {
			text += " an invocation"
		}
		parts = append(parts, text)
	}
	if t == n {
		parts = append(parts, fmt.Sprintf("%d times", n.meta.MaxRecursion))
	}
	return strings.Join(parts, ", ")
}
