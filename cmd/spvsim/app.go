package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"spvsim/config"
	"spvsim/vulkan/launch"
)

// appFlags are what the command line says of an application beside its own arguments.
type appFlags struct {
	machines []string
	set      []string
	mode     string
	rows     string
	capture  string
	choice   string
	whole    bool
	quiet    bool
}

func appCommand() *cobra.Command {
	var f appFlags
	c := &cobra.Command{
		Use:   "app [flags] -- PROGRAM ARGUMENTS...",
		Short: "Run a Vulkan program, as it is, on the simulated GPU",
		Long: `Run a Vulkan program, as it is, on the simulated GPU: its compute work is executed and timed, and what each dispatch cost is recorded.
The driver is found beside spvsim or built from the source (a C compiler is needed). The exit status is the program's.`,
		Example: `  spvsim app -- vulkaninfo --summary
  spvsim app --capture jobs --select 'main*:3' -- ./program
  spvsim app --machine cdna3-mi300a --rows rows.csv -- ./program its arguments`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("app: want a program and its arguments behind -- (see %s --help)", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	flags := c.Flags()
	flags.StringSliceVar(&f.machines, "machine", nil, "`name` or file of the machine; several, with commas between, are as many devices")
	flags.StringArrayVar(&f.set, "set", nil, "set a field of the machine, as `path=value` (lds.banks=64); may be repeated")
	flags.StringVar(&f.mode, "mode", "timed", "how dispatches run: `timed`, or functional: the same values without time, faster")
	flags.StringVar(&f.rows, "rows", "", "`file` for a row of each dispatch and transfer, as CSV")
	flags.StringVar(&f.capture, "capture", "", "`folder` for dispatches as jobs, which spvsim run repeats to the byte and the cycle; they run from cold caches")
	flags.StringVar(&f.choice, "select", "*", "which dispatches are captured: `patterns` of names with commas between, each with a count for each name (mul_mat*:3)")
	flags.BoolVar(&f.whole, "whole", false, "capture the whole submissions that the chosen dispatches are in, each as one job, instead of the dispatches")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no summary")
	completeFlag(c, "machine", machineNames)
	completeFlag(c, "set", machinePaths)
	return c
}

func (f *appFlags) run(c *cobra.Command, args []string) error {
	if f.mode != "timed" && f.mode != "functional" {
		return fmt.Errorf("--mode %s: want timed or functional", f.mode)
	}
	for _, name := range f.machines {
		if _, err := config.LoadMachine(config.Request{Machine: name, Set: f.set}); err != nil {
			return err
		}
	}
	manifest, err := launch.Driver(c.Context(), c.ErrOrStderr())
	if err != nil {
		return err
	}
	record, done, err := f.record()
	if err != nil {
		return err
	}
	defer done()
	if f.capture != "" {
		if f.capture, err = filepath.Abs(f.capture); err != nil {
			return err
		}
	}
	p := launch.Program{
		Capture: f.capture, Select: f.choice, Whole: f.whole,
		Args: args, Manifest: manifest, Machines: f.machines, Set: f.set, Mode: f.mode, Record: record,
		Stdin: c.InOrStdin(), Stdout: c.OutOrStdout(), Stderr: c.ErrOrStderr(),
	}
	err = p.Run(c.Context())
	groups, bad := launch.Groups(record)
	if bad != nil {
		return errors.Join(err, bad)
	}
	if !f.quiet {
		if bad := launch.Summarize(c.ErrOrStderr(), groups); bad != nil {
			return errors.Join(err, bad)
		}
	}
	if ended := (*exec.ExitError)(nil); errors.As(err, &ended) {
		return &failure{fmt.Errorf("%s: %w", args[0], err)}
	}
	return err
}

// record is the file for rows, empty: the one that was asked for, or one that done removes.
func (f *appFlags) record() (path string, done func(), err error) {
	if f.rows != "" {
		path, err = filepath.Abs(f.rows)
		return path, func() {}, errors.Join(err, os.WriteFile(path, nil, 0o666))
	}
	folder, err := os.MkdirTemp("", "spvsim-app")
	return filepath.Join(folder, "rows.csv"), func() { os.RemoveAll(folder) }, err
}

func driverCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "driver",
		Short: "Print the manifest of the Vulkan driver, which is built if need be",
		Long: `Print the path of the manifest of the Vulkan driver, for the loader's variable VK_DRIVER_FILES (older loaders: VK_ICD_FILENAMES).
The driver reads SPVSIM_MACHINE (machines, with commas between), SPVSIM_SET (path=value, with blanks between) and SPVSIM_RECORD (a file for
rows of dispatches, which are appended).`,
		Example: `  VK_DRIVER_FILES=$(spvsim driver) SPVSIM_MACHINE=cdna3-mi300a ./program`,
		Args:    exactly(0, "none"),
		RunE: func(c *cobra.Command, _ []string) error {
			manifest, err := launch.Driver(c.Context(), c.ErrOrStderr())
			if err == nil {
				fmt.Fprintln(c.OutOrStdout(), manifest)
			}
			return err
		},
	}
}
