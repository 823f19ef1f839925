package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/lists"
	"spvsim/program"
	"spvsim/spirv/validate"
	"spvsim/tracing"
)

// static prints the compiled program of each use of a shader on a machine: its occupancy with the limiter, registers,
// and instructions by class. If a use can't be lowered, it prints the reason.
func static(w io.Writer, s *gpu.Shader, uses []config.Launch, values []config.SpecValue, machine *config.Machine) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i := range uses {
		p, err := lowered(s.Module, &uses[i], values, machine)
		if err != nil {
			fmt.Fprintf(t, "program\t%s on %s: not lowered: %v\n", uses[i].Entry, machine.Name, err)
			continue
		}
		fmt.Fprintf(t, "program\t%s on %s: wave%d, %d vector and %d scalar registers, %d bytes of LDS, %d words of scratch\n",
			p.Name, machine.Name, p.WaveSize, p.VectorRegs, p.ScalarRegs, p.LDSBytes, p.ScratchWords)
		if p.Spills.Any() {
			fmt.Fprintf(t, "\tspilled: %v\n", p.Spills)
		}
		if o, err := gpu.OccupancyOf(p, machine); err != nil {
			fmt.Fprintf(t, "\t%v\n", err)
		} else {
			fmt.Fprintf(t, "\toccupancy %s\n", o)
		}
		fmt.Fprintf(t, "\t%d instructions: %s\n", len(p.Insts), tracing.Classes(p))
	}
	return t.Flush()
}

func lowered(m *validate.Module, use *config.Launch, values []config.SpecValue, machine *config.Machine) (*program.Program, error) {
	o, err := gpu.LowerOptions(m, use, values, gpu.Target(machine, machine.WaveSize))
	if err != nil {
		return nil, err
	}
	return program.Lower(m, o)
}

func entryNames(m *validate.Module) (names []string) {
	return lists.Map(m.EntryPoints, func(e validate.EntryPoint) string { return e.Name })
}

// entries are a use for each entry point of a module.
func entries(m *validate.Module) []config.Launch {
	list := make([]config.Launch, len(m.EntryPoints))
	for i := range list {
		list[i].Entry = m.EntryPoints[i].Name
	}
	return list
}
