package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/judge"
	"spvsim/program"
	"spvsim/tracing"
)

// inspectFlags describe how to lower a shader for its listing.
type inspectFlags struct {
	listing   string // format; empty: none
	driver    bool
	entry     string
	machine   string
	set       []string
	constants []string
}

func inspectCommand() *cobra.Command {
	var f inspectFlags
	c := &cobra.Command{
		Use:   "inspect SHADER|JOB",
		Short: "Show what is in a shader: entry points, resources, occupancy, the lowered program",
		Long: `Show what is in a shader, or in the shaders of a job: entry points, resources and specialization constants. For each entry point,
show the program on the machine: registers, occupancy with its limiter, instructions by class.

--listing prints the lowered programs instead, as text, or with =csv or =json for other programs. For a job, they have the constants
that it sets.

--driver compares a compute shader with the code of Mesa's driver RADV for the chip of the preset (fiji, navi21, gfx1100):
instructions by kind, registers, LDS, waves. For a job, it also compares executed instructions, with the counts of a functional
run. With --listing it prints both listings. It needs Mesa (Debian: mesa-vulkan-drivers, libvulkan-dev, gcc), but no GPU.`,
		Example: `  spvsim inspect shader.spv
  spvsim inspect shader.spv --listing --machine cdna3-mi300a --set-constant 0=256
  spvsim inspect reduce --listing
  spvsim inspect reduce --driver --machine gcn3-r9nano`,
		Args: exactly(1, "a shader (.spv or .spvasm; - is standard input), a job file or the name of a ready job"),
		RunE: func(c *cobra.Command, args []string) error {
			shaders, job, err := inspected(c, args[0])
			if err != nil {
				return firstFault(err)
			}
			if f.listing != "" && !slices.Contains(listingFormats, f.listing) {
				return fmt.Errorf("--listing=%s: want %s", f.listing, strings.Join(listingFormats, ", "))
			}
			if f.driver && f.listing != "" && f.listing != "text" {
				return fmt.Errorf("--listing=%s: want text with --driver, which prints two programs beside each other", f.listing)
			}
			if f.driver {
				return f.compare(c, shaders, job)
			}
			if err := f.checkEntry(shaders); err != nil {
				return gpu.Named(args[0], err)
			}
			if f.listing != "" && f.listing != "text" {
				return f.listAll(c.OutOrStdout(), shaders)
			}
			for i := range shaders {
				if err := f.printShader(c.OutOrStdout(), &shaders[i], len(shaders) > 1); err != nil {
					return gpu.Named(displayName(shaders[i].Name), err)
				}
			}
			return nil
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.listing, "listing", "", "print the program that the machine executes, with classes and registers, in this `format`: "+strings.Join(listingFormats, ", "))
	flags.Lookup("listing").NoOptDefVal = "text"
	flags.BoolVar(&f.driver, "driver", false, "compare with the code of Mesa's driver RADV, which must be installed")
	flags.StringVar(&f.entry, "entry", "", "`name` of the entry point; may be left out if the module has only one")
	flags.StringVar(&f.machine, "machine", "", "`name` or file of the machine (default "+config.DefaultMachine+")")
	flags.StringArrayVar(&f.set, "set", nil, "set a field of the machine: `path=value` (wave_size=64); may be repeated")
	flags.StringArrayVar(&f.constants, "set-constant", nil, "set a specialization constant: `ID=VALUE`, or NAME=VALUE with its OpName; may be repeated")
	completeFlag(c, "machine", machineNames)
	completeFlag(c, "set", machinePaths)
	return completeWord(c, false, jobNames)
}

// inspected returns the shaders of an argument: a shader's file, or a job, which is returned too.
func inspected(c *cobra.Command, name string) ([]gpu.Shader, *config.Job, error) {
	if !namesJob(name) {
		m, err := checkedShader(c, name)
		if err != nil {
			return nil, nil, err
		}
		return []gpu.Shader{{Name: name, Module: m, Uses: entries(m)}}, nil, nil
	}
	job, err := loadJob(c, name)
	if err != nil {
		return nil, nil, err
	}
	shaders, err := gpu.Shaders(job)
	return shaders, job, err
}

// compare shows the shaders next to a driver's code for them.
func (f *inspectFlags) compare(c *cobra.Command, shaders []gpu.Shader, job *config.Job) error {
	values, err := f.values()
	if err != nil {
		return err
	}
	machine, err := config.LoadMachine(config.Request{Machine: f.machine, Set: f.set})
	if err != nil {
		return err
	}
	return unbounded(c, func() error {
		return judge.Inspect(c.Context(), c.OutOrStdout(), &judge.Inspection{
			Machine: machine, Job: job, Shaders: shaders, Entry: f.entry, Values: values, Listing: f.listing != "",
		})
	})
}

// values are the constants that the command line sets.
func (f *inspectFlags) values() (list []config.SpecValue, err error) {
	for _, text := range f.constants {
		v, err := config.ParseConstant(text)
		if err != nil {
			return nil, fmt.Errorf("--set-constant %w", err)
		}
		list = append(list, v)
	}
	return list, nil
}

// printShader prints one shader, with its name if there are several.
func (f *inspectFlags) printShader(w io.Writer, s *gpu.Shader, named bool) error {
	values, err := f.values()
	if err != nil {
		return err
	}
	if named {
		fmt.Fprintf(w, "%s:\n", s.Name)
	}
	uses := f.selectedUses(s)
	if f.listing != "" {
		list, err := f.list(s, uses, values)
		return errors.Join(listings(w, list, f.listing), err)
	}
	o, err := gpu.LowerOptions(s.Module, &config.Launch{}, values, program.Target{})
	if err != nil {
		return err
	}
	if err := contents(w, s.Module, o); err != nil {
		return err
	}
	machine, err := config.LoadMachine(config.Request{Machine: f.machine, Set: f.set})
	if err != nil {
		return err
	}
	return static(w, s, uses, values, machine)
}

// selectedUses are the uses of the shader with the entry point that the command line names.
func (f *inspectFlags) selectedUses(s *gpu.Shader) (list []config.Launch) {
	for _, use := range s.Uses {
		if use.Entry == "" && slices.Contains(entryNames(s.Module), f.entry) {
			use.Entry = f.entry
		}
		if f.entry == "" || use.Entry == f.entry {
			list = append(list, use)
		}
	}
	return list
}

// checkEntry checks that a use has the entry point of the command line.
func (f *inspectFlags) checkEntry(shaders []gpu.Shader) error {
	var known []string
	for i := range shaders {
		if f.entry == "" || len(f.selectedUses(&shaders[i])) > 0 {
			return nil
		}
		known = append(known, entryNames(shaders[i].Module)...)
	}
	return fmt.Errorf("found no entry point %q: want one of %q", f.entry, known)
}

// listingFormats are the formats of listings.
var listingFormats = []string{"text", "csv", "json"}

// listAll writes the programs of all shaders as one listing.
func (f *inspectFlags) listAll(w io.Writer, shaders []gpu.Shader) error {
	values, err := f.values()
	if err != nil {
		return err
	}
	var all []tracing.Listing
	for i := range shaders {
		list, err := f.list(&shaders[i], f.selectedUses(&shaders[i]), values)
		if err != nil {
			return gpu.Named(displayName(shaders[i].Name), err)
		}
		all = append(all, list...)
	}
	return listings(w, all, f.listing)
}

// list lowers each use of the shader as a run would.
func (f *inspectFlags) list(s *gpu.Shader, uses []config.Launch, values []config.SpecValue) (list []tracing.Listing, err error) {
	machine, err := config.LoadMachine(config.Request{Machine: f.machine, Set: f.set})
	if err != nil {
		return nil, err
	}
	for i := range uses {
		p, err := lowered(s.Module, &uses[i], values, machine)
		if err != nil {
			return list, err
		}
		list = append(list, tracing.Listing{Program: p})
	}
	return list, nil
}
