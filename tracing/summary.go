package tracing

import (
	"fmt"
	"io"
	"sort"
	"strings"
	"text/tabwriter"

	"spvsim/account"
	"spvsim/config"
	"spvsim/internal/lists"
	"spvsim/isa"
)

// WriteSummary writes the statistics for people.
func WriteSummary(w io.Writer, s *Stats) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	total := s.Slots.Total()
	fmt.Fprintf(t, "machine\t%s at %d MHz\n", s.Machine, s.ClockMHz)
	if s.Stopped != "" {
		fmt.Fprintf(t, "stopped\t%s; these are the results so far\n", s.Stopped)
	}
	if s.Mode != "" {
		fmt.Fprintf(t, "mode\t%s\n", s.Mode)
	}
	if !s.Untimed() {
		fmt.Fprintf(t, "time\t%d cycles, %s\n", s.Cycles, duration(seconds(&s.Counts, s.ClockMHz)))
	}
	if text := s.LimitText(); text != "" {
		fmt.Fprintf(t, "clock\t%s\n", text)
	}
	if n := s.Launching(); n > 0 {
		fmt.Fprintf(t, "launch\t%d of %d cycles (--without launches removes them)\n", n, s.Cycles)
	}
	if s.Estimate != nil {
		low, high := s.Interval()
		fmt.Fprintf(t, "estimate\t%.0f to %.0f cycles (%.0f%% confidence), %d cycles estimated\n", low, high, 100*account.Confidence, s.Estimate.Cycles)
		for _, n := range s.Estimate.NotSampled {
			fmt.Fprintf(t, "not sampled\t%d instructions: %s\n", n.Instructions, n.Reason)
		}
		fmt.Fprintf(t, "no interval\tslot cycles and occupancy\n")
	} else if s.Mode == config.ModeSampled && s.Stopped == "" {
		fmt.Fprintf(t, "estimate\tnone: all launches were timed (few or small)\n")
	}
	fmt.Fprintf(t, "work\t%d workgroups, %d waves, %d instructions, %s\n", s.Workgroups, s.Waves, s.Instructions(), Plural(s.Launches, "launch", "launches"))
	fmt.Fprintf(t, "instructions\t%s\n", strings.Join(shareTexts(classNames(), s.ByClass[:], s.Instructions()), ", "))
	writeFunctional(t, &s.Counts)
	s.writeEnergy(t)
	if !s.Untimed() && s.Estimate == nil {
		fmt.Fprintf(t, "slot cycles\t%s\n", strings.Join(shareTexts(account.ReasonNames(), s.Slots[:], total), ", "))
		own := s.Slots
		own[account.Empty] = 0
		fmt.Fprintf(t, "wave cycles\t%s\n", strings.Join(shareTexts(account.ReasonNames(), own[:], own.Total()), ", "))
		fmt.Fprintf(t, "occupancy\t%s\n", percent(s.Occupancy()))
	}
	if s.LDS.Accesses > 0 {
		fmt.Fprintf(t, "LDS\t%d accesses, %d passes (%d for bank conflicts)\n", s.LDS.Accesses, s.LDS.Passes, s.LDS.ConflictPasses)
	}
	for _, l := range s.Memory {
		if l.Accesses > 0 {
			fmt.Fprintf(t, "%s\t%d accesses, %s hits, %s\n", l.Name, l.Accesses, percent(float64(l.Hits)/float64(l.Accesses)), bytesText(l.Bytes))
		}
	}
	s.writeUtilization(t)
	if s.OutOfBounds > 0 {
		fmt.Fprintf(t, "out of bounds\t%d accesses\n", s.OutOfBounds)
	}
	writeFragments(t, s.Fragments)
	writeGraph(t, s.Graph)
	writeSteps(t, s)
	writeQueues(t, s)
	fmt.Fprintf(t, "host\t%.2f s, %.0f thousand wave instructions a second, %s\n", s.Host.Seconds, s.Host.InstructionsPerSecond/1e3, bytesText(s.Host.PeakBytes))
	return t.Flush()
}

// writeFunctional writes the functional part of the run.
func writeFunctional(w io.Writer, c *account.Counts) {
	f := c.Functional
	if f == nil {
		return
	}
	if !c.Untimed() {
		fmt.Fprintf(w, "functional\t%d workgroups, %d waves, %d instructions; %s of the instructions were timed\n",
			f.Workgroups, f.Waves, f.Instructions(), percent(c.TimedShare()))
	}
	m := &f.Traffic
	fmt.Fprintf(w, "moved\t%s read, %s written, %s updated by atomics, %s of LDS\n",
		bytesText(m.Read), bytesText(m.Written), bytesText(m.Atomic), bytesText(m.LDS))
}

func writeGraph(w io.Writer, g *account.GraphCounts) {
	if g == nil {
		return
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		wait := n.Wait()
		if len(n.Waits) == 0 && n.Payloads > 0 { // functional
			fmt.Fprintf(w, "node %s\t%s, %s\n", n.Name, Plural(n.Payloads, "payload", "payloads"), Plural(n.Workgroups, "workgroup", "workgroups"))
			continue
		}
		fmt.Fprintf(w, "node %s\t%s, %s, wait: mean %.0f, p95 %d, max %d cycles\n", n.Name,
			Plural(n.Payloads, "payload", "payloads"), Plural(n.Workgroups, "workgroup", "workgroups"), wait.Mean, wait.P95, wait.Max)
	}
	writePath(w, g)
	q := &g.Queue
	fmt.Fprintf(w, "queue\tpeak %s, %d spilled, %d payloads in scratch memory, waves stalled %d cycles\n",
		Plural(q.PeakDepth, "payload", "payloads"), q.Spills, q.ScratchUsed, q.StallCycles)
	if q.Polls > 0 {
		fmt.Fprintf(w, "polls\t%d\n", q.Polls)
	}
	if q.Passes > 0 {
		fmt.Fprintf(w, "passes\t%d\n", q.Passes)
	}
	if g.Unused > 0 {
		fmt.Fprintf(w, "unused\t%s allocated and not enqueued\n", Plural(g.Unused, "payload", "payloads"))
	}
}

// writePath writes the critical path by node, in cycles; nothing for a functional run.
func writePath(w io.Writer, g *account.GraphCounts) {
	var parts []string
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if p := &n.Path; p.Launches > 0 {
			parts = append(parts, fmt.Sprintf("%s %d (%d waiting, %d starting, %d running)", n.Name, p.Cycles(), p.Wait, p.Start, p.Run))
		}
	}
	if len(parts) > 0 {
		fmt.Fprintf(w, "path\t%s\n", strings.Join(parts, ", "))
	}
}

func writeSteps(w io.Writer, s *Stats) {
	if len(s.Steps) < 2 {
		return
	}
	for i := range s.Steps {
		step := &s.Steps[i]
		if step.Untimed() {
			fmt.Fprintf(w, "step %s\t%s, functional, %d instructions\n", step.Name, Plural(step.Launches, "launch", "launches"), step.Instructions())
			continue
		}
		if step.Concurrent {
			fmt.Fprintf(w, "step %s\t%s, busy %d cycles, %d instructions\n", step.Name, Plural(step.Launches, "launch", "launches"), step.Cycles, step.Instructions())
			continue
		}
		fmt.Fprintf(w, "step %s\t%s, %d cycles, %d instructions, occupancy %s\n", step.Name,
			Plural(step.Launches, "launch", "launches"), step.Cycles, step.Instructions(), percent(step.Occupancy()))
	}
}

// writeQueues writes the launches of each hardware queue, and the queues that delayed it.
func writeQueues(w io.Writer, s *Stats) {
	for i := range s.Queues {
		q := &s.Queues[i]
		kept := ""
		for _, k := range q.Delays {
			if k.Dependence > 0 {
				kept += fmt.Sprintf(", waited %d cycles for launches of %s", k.Dependence, k.Queue)
			}
			if k.Pipe > 0 {
				kept += fmt.Sprintf(", %d while its pipe served %s", k.Pipe, k.Queue)
			}
		}
		fmt.Fprintf(w, "queue %s\t%s, busy %d cycles, %s of the wave slots%s\n", q.Name, Plural(uint64(len(q.Launches)), "launch", "launches"),
			q.BusyCycles, percent(float64(q.SlotCycles)/float64(max(s.Slots.Total(), 1))), kept)
	}
}

func classNames() []string { return isa.ClassNames[:] }

// shareTexts lists the nonzero counts as shares of the total, largest first.
func shareTexts(names []string, counts []uint64, total uint64) []string {
	var order []int
	for i, n := range counts {
		if n > 0 {
			order = append(order, i)
		}
	}
	sort.SliceStable(order, func(a, b int) bool { return counts[order[a]] > counts[order[b]] })
	list := lists.Map(order, func(i int) string { return fmt.Sprintf("%s %s", names[i], percent(float64(counts[i])/float64(total))) })
	if list == nil {
		list = []string{"none"}
	}
	return list
}

func percent(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }

// Plural writes a number of things.
func Plural(n uint64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// duration writes simulated seconds with three digits after the point of a fitting unit.
func duration(seconds float64) string {
	switch {
	case seconds < 1e-3:
		return fmt.Sprintf("%.3f us", seconds*1e6)
	case seconds < 1:
		return fmt.Sprintf("%.3f ms", seconds*1e3)
	}
	return fmt.Sprintf("%.3f s", seconds)
}

func bytesText(n uint64) string {
	switch {
	case n < 10<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 10<<20:
		return fmt.Sprintf("%d KB", n>>10)
	}
	return fmt.Sprintf("%d MB", n>>20)
}

// LostPayloads reports for each node the payloads that its workgroups allocated and never enqueued: no node received
// them.
func (s *Stats) LostPayloads() (list []string) {
	if s.Graph == nil {
		return nil
	}
	for i := range s.Graph.Nodes {
		if n := &s.Graph.Nodes[i]; n.Unused > 0 {
			list = append(list, fmt.Sprintf("node %s: %s allocated and never enqueued: no node received them", n.Name, Plural(n.Unused, "payload was", "payloads were")))
		}
	}
	return list
}
