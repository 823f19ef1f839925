package tracing

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"spvsim/account"
	"spvsim/config"
	"spvsim/isa"
	"spvsim/program"
)

// A Listing is a program with the cost of each of its instructions; Counts is nil if it has not run.
type Listing struct {
	Program *program.Program
	Counts  []account.InstCount
	Joules  []float64      // of each instruction, its part of the traffic that it caused with it; nil: not known
	Launch  *config.Launch // of a job, which ran it first; nil: no job did
	// Occupancy of a compute unit of the machine; nil: a workgroup does not fit.
	Occupancy *Occupancy
}

// WriteListing writes the program, an instruction a line: its SPIR-V id and source line, its class, how often it
// issued, the cycles that waves spent at it, and the reasons. Programs with LDS also have the passes of LDS accesses,
// and those of them that bank conflicts added; and machines with a table of energies, the energy.
func WriteListing(w io.Writer, l *Listing) error {
	b := bufio.NewWriter(w)
	p := l.Program
	fmt.Fprintf(b, "; %s: wave%d, local size %d x %d x %d, %d vector registers, %d scalar registers, %d bytes of LDS, %d words of scratch\n",
		p.Name, p.WaveSize, p.LocalSize[0], p.LocalSize[1], p.LocalSize[2], p.VectorRegs, p.ScalarRegs, p.LDSBytes, p.ScratchWords)
	if p.Spills.Any() {
		fmt.Fprintf(b, "; spilled: %v\n", p.Spills)
	}
	fmt.Fprintf(b, ";%5s %8s %6s %-13s %-60s", "pc", "id", "line", "class", "instruction")
	lds := usesLDS(l.Counts)
	if l.Counts != nil {
		fmt.Fprintf(b, " %10s %12s", "issues", "cycles")
		if lds {
			fmt.Fprintf(b, " %10s %10s", "lds passes", "conflicts")
		}
		if l.Joules != nil {
			fmt.Fprintf(b, " %9s", "energy")
		}
		fmt.Fprintf(b, "  %s", "by reason")
	}
	fmt.Fprintln(b)
	targets := branchTargets(p)
	for i := range p.Insts {
		in := &p.Insts[i]
		if targets[i] {
			fmt.Fprintf(b, "L%d:\n", i)
		}
		line := fmt.Sprintf("%6d %8s %6s %-13s %-60s", i, IDText(in.SPIRV), LineText(in.Line), in.Class, isa.Disasm(in))
		if l.Counts != nil {
			line += countText(l, i, lds)
		}
		fmt.Fprintln(b, strings.TrimRight(line, " "))
	}
	return b.Flush()
}

func branchTargets(p *program.Program) map[int]bool {
	targets := map[int]bool{}
	for i := range p.Insts {
		switch p.Insts[i].Op {
		case isa.Branch, isa.BranchTrue, isa.BranchFalse, isa.BranchExecZ, isa.BranchExecNZ:
			targets[int(p.Insts[i].Target)] = true
		}
	}
	return targets
}

// IDText formats an instruction's id in its module for listings; "" for none.
func IDText(id uint32) string {
	if id == 0 {
		return ""
	}
	return fmt.Sprintf("%%%d", id)
}

// LineText formats a source line; "" for none.
func LineText(line uint32) string {
	if line == 0 {
		return ""
	}
	return fmt.Sprint(line)
}

func usesLDS(counts []account.InstCount) bool {
	for i := range counts {
		if counts[i].LDSPasses > 0 {
			return true
		}
	}
	return false
}

func countText(l *Listing, i int, lds bool) string {
	c := &l.Counts[i]
	var parts []string
	for r, n := range c.Cycles {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", account.Reason(r), n))
		}
	}
	passes := ""
	switch {
	case lds && c.LDSPasses > 0:
		passes = fmt.Sprintf(" %10d %10d", c.LDSPasses, c.ConflictPasses)
	case lds:
		passes = fmt.Sprintf(" %10s %10s", "", "")
	}
	if l.Joules != nil {
		passes += fmt.Sprintf(" %9s", JoulesText(l.Joules[i]))
	}
	return fmt.Sprintf(" %10d %12d%s  %s", c.Issues, c.Cycles.Total(), passes, strings.Join(parts, ", "))
}

// Classes counts a program's instructions by class, in the order of classes.
func Classes(p *program.Program) string {
	var counts [isa.NumClasses]int
	for i := range p.Insts {
		counts[p.Insts[i].Class]++
	}
	var list []string
	for class, n := range counts {
		if n > 0 {
			list = append(list, fmt.Sprintf("%s %d", isa.Class(class), n))
		}
	}
	return strings.Join(list, ", ")
}
