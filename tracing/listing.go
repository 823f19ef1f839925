package tracing

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
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
	// Accesses of each instruction to memory; nil: they were not counted.
	Accesses []account.AccessCounts
	Joules   []float64      // of each instruction, its part of the traffic that it caused with it; nil: not known
	Launch   *config.Launch // of a job, which ran it first; nil: no job did
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

// ListingFormat is the version of the listing's JSON and CSV. It changes when a member changes its meaning or goes.
const ListingFormat = 1

// A ListedProgram is a program of a listing for other programs.
type ListedProgram struct {
	Name         string              `json:"program" doc:"name of the program: its entry point"`
	WaveSize     int                 `json:"wave_size" unit:"lanes" doc:"lanes of a wave"`
	LocalSize    [3]uint32           `json:"local_size" unit:"invocations" doc:"size of a workgroup"`
	VectorRegs   int                 `json:"vector_registers" doc:"vector registers of a wave"`
	ScalarRegs   int                 `json:"scalar_registers" doc:"scalar registers of a wave"`
	LDSBytes     uint32              `json:"lds_bytes" unit:"bytes" doc:"LDS of a workgroup"`
	ScratchWords uint32              `json:"scratch_words" unit:"words" doc:"scratch memory of a lane"`
	Instructions []ListedInstruction `json:"instructions" doc:"wave instructions in order"`
}

// A ListedInstruction is a wave instruction with its cost. Costs are 0 where the program has not run.
type ListedInstruction struct {
	PC          int               `json:"pc" doc:"place of the instruction in its program, from 0"`
	ID          uint32            `json:"id" doc:"id of the SPIR-V instruction that it is of; 0: of none"`
	Line        uint32            `json:"line" doc:"line of the source; 0: not known"`
	Class       string            `json:"class" doc:"class of the timing table"`
	Text        string            `json:"instruction" doc:"the instruction with its registers"`
	Target      bool              `json:"branch_target" doc:"whether a branch leads here"`
	Issues      uint64            `json:"issues" unit:"instructions" doc:"how often waves issued it"`
	Cycles      uint64            `json:"cycles" unit:"slot cycles" doc:"cycles that waves spent at it"`
	LDSPasses   uint64            `json:"lds_passes" unit:"passes" doc:"passes over the banks of the LDS"`
	Conflicts   uint64            `json:"conflict_passes" unit:"passes" doc:"those of them that bank conflicts added"`
	IdleLanes   uint64            `json:"idle_lanes" unit:"lanes" doc:"inactive lanes, over all issues"`
	Accesses    uint64            `json:"accesses" unit:"instructions" doc:"accesses to memory; 0 without a timed run, as the next three"`
	CacheLines  uint64            `json:"cache_lines" unit:"lines" doc:"cache lines that accesses asked for"`
	Sectors     uint64            `json:"sectors" unit:"sectors" doc:"sectors of 32 bytes that lanes touched in those lines; a shorter line counts as one"`
	AccessBytes uint64            `json:"access_bytes" unit:"bytes" doc:"bytes that lanes moved"`
	Joules      float64           `json:"joules" unit:"J" doc:"energy, with its part of the traffic; 0 without a table of energies"`
	ByReason    map[string]uint64 `json:"by_reason" unit:"slot cycles" doc:"the cycles by the reason why the wave waited; reasons without any are left out"`
}

// listed is the listing for other programs.
func (l *Listing) listed() ListedProgram {
	p := l.Program
	out := ListedProgram{p.Name, p.WaveSize, p.LocalSize, p.VectorRegs, p.ScalarRegs, p.LDSBytes, p.ScratchWords, make([]ListedInstruction, len(p.Insts))}
	targets := branchTargets(p)
	for i := range p.Insts {
		in := &p.Insts[i]
		row := ListedInstruction{PC: i, ID: in.SPIRV, Line: in.Line, Class: in.Class.String(), Text: isa.Disasm(in), Target: targets[i], ByReason: map[string]uint64{}}
		if l.Counts != nil {
			n := &l.Counts[i]
			row.Issues, row.Cycles, row.LDSPasses, row.Conflicts, row.IdleLanes = n.Issues, n.Cycles.Total(), n.LDSPasses, n.ConflictPasses, n.Idle
			for r, cycles := range n.Cycles {
				if cycles > 0 {
					row.ByReason[account.Reason(r).String()] = cycles
				}
			}
		}
		if l.Accesses != nil {
			n := &l.Accesses[i]
			row.Accesses, row.CacheLines, row.Sectors, row.AccessBytes = n.Accesses, n.Lines, n.Sectors, n.Bytes
		}
		if l.Joules != nil {
			row.Joules = l.Joules[i]
		}
		out.Instructions[i] = row
	}
	return out
}

// WriteListingsJSON writes listings for other programs, as ListingSchema describes them.
func WriteListingsJSON(w io.Writer, list []Listing) error {
	programs := []ListedProgram{}
	for i := range list {
		programs = append(programs, list[i].listed())
	}
	text, err := json.MarshalIndent(object{{"format", ListingFormat}, {"programs", programs}}, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// WriteListingsCSV writes a row for each instruction, with a column for each reason.
func WriteListingsCSV(w io.Writer, list []Listing) error {
	c := csv.NewWriter(w)
	head := []string{"program"}
	members := reflect.TypeFor[ListedInstruction]()
	last := members.NumField() - 1 // by reason
	for i := range last {
		head = append(head, members.Field(i).Tag.Get("json"))
	}
	for r := range account.NumReasons {
		head = append(head, r.String())
	}
	err := c.Write(head)
	for i := range list {
		p := list[i].listed()
		for k := range p.Instructions {
			row, v := []string{p.Name}, reflect.ValueOf(&p.Instructions[k]).Elem()
			for i := range last {
				row = append(row, fmt.Sprint(v.Field(i).Interface()))
			}
			for r := range account.NumReasons {
				row = append(row, fmt.Sprint(p.Instructions[k].ByReason[r.String()]))
			}
			err = errors.Join(err, c.Write(row))
		}
	}
	c.Flush()
	return errors.Join(err, c.Error())
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
	return slices.ContainsFunc(counts, func(c account.InstCount) bool { return c.LDSPasses > 0 })
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
