package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/program"
	"spvsim/spirv/validate"
	"spvsim/tracing"
)

// inspectFlags say how to lower a shader for its listing.
type inspectFlags struct {
	listing bool
	entry   string
	machine string
	set     []string
}

func inspectCommand() *cobra.Command {
	var f inspectFlags
	c := &cobra.Command{
		Use:   "inspect SHADER",
		Short: "Print what is in a shader: entry points, resources, specialization constants; --listing: the lowered program",
		Example: `  spvsim inspect shader.spv
  spvsim inspect shader.spv --listing --machine cdna3-mi300a`,
		Args: exactly(1, "a shader (.spv or .spvasm; - is standard input)"),
		RunE: func(c *cobra.Command, args []string) error {
			m, err := checkedShader(c, args[0])
			if err != nil {
				return firstFault(err)
			}
			if !f.listing && (f.entry != "" || f.machine != "" || f.set != nil) {
				return errors.New("inspect: --entry, --machine and --set say how to lower a shader: want --listing with them")
			}
			if !f.listing {
				return contents(c.OutOrStdout(), m)
			}
			if err := f.list(c.OutOrStdout(), m); err != nil {
				return fmt.Errorf("%s: %w", shown(args[0]), err)
			}
			return nil
		},
	}
	flags := c.Flags()
	flags.BoolVar(&f.listing, "listing", false, "print the program that the machine executes, with classes and registers")
	flags.StringVar(&f.entry, "entry", "", "`name` of the entry point to lower; may be left out when the module has one")
	flags.StringVar(&f.machine, "machine", "", "`name` or file of the machine to lower for (default "+config.DefaultMachine+")")
	flags.StringArrayVar(&f.set, "set", nil, "set a field of the machine, as `path=value` (wave_size=64); may be repeated")
	return c
}

// list lowers the entry point as a run would, with the specialization constants at their defaults.
func (f *inspectFlags) list(w io.Writer, m *validate.Module) error {
	machine, err := config.LoadMachine(config.Request{Machine: f.machine, Set: f.set})
	if err != nil {
		return err
	}
	p, err := program.Lower(m, program.Options{Entry: f.entry, Target: gpu.Target(machine, machine.WaveSize)})
	if err != nil {
		return err
	}
	return tracing.WriteListing(w, &tracing.Listing{Program: p})
}
