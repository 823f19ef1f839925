package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/spf13/cobra"

	"spvsim/config"
	"spvsim/energy"
	"spvsim/experiments/energyfit"
	"spvsim/gpu"
	"spvsim/internal/files"
	"spvsim/internal/lists"
	"spvsim/tracing"
)

func energyCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "energy",
		Short:   "Find a machine's energies by measured powers",
		Example: `  spvsim energy fit measured.csv --machine rdna3-rx7900xtx --key energy.scale -o mine.yaml`,
		Args:    knownCommand,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(energyFitCommand())
	return c
}

// energyFitCommand finds entries of a machine's energy table by measured powers.
func energyFitCommand() *cobra.Command {
	var out string
	var f energyfit.Fit
	c := &cobra.Command{
		Use:   "fit MEASURED.csv",
		Short: "Write a machine with the energies that explain measured powers of a board",
		Long: `Write a machine with the energies that explain measured powers of a board: its entries named by --key have the least squares of the
errors, within their ranges. Each row of MEASURED.csv is a job with watts or joules, and the clock that they were measured at; spvsim schema
measured-power has the columns. Each job is simulated once.

The table on standard error has each entry with its interval, and the error of each row with the machine's energies before, after, and
with those that are found without the row's job. Entries that the rows do not determine are refused by name. docs/guide/measure.md says
what to measure and how, and has the formulas.

The exit status is
  0  the machine is written
  1  the rows do not determine the entries, or a job failed
  2  bad input or usage
  3  a fault of spvsim itself`,
		Example: `  spvsim energy fit measured.csv --machine rdna3-rx7900xtx --key energy.scale --key energy.power.chip.leakage_watts -o mine.yaml
  spvsim energy fit measured.csv --machine mine.yaml --key energy.operations.fma32=1..6 --key 'energy.links.*' --fix
  spvsim run reduce --machine mine.yaml`,
		Args: exactly(1, "a file of measured powers (.csv)"),
		RunE: func(c *cobra.Command, args []string) error {
			return unbounded(c, func() error { return fitEnergy(c, &f, args[0], out) })
		},
	}
	c.Flags().StringVar(&f.Base, "machine", "", "`name` or file of the machine to start from")
	c.Flags().StringArrayVar(&f.Keys, "key", nil, "find this `entry` of the machine's energies, within its range or your own: PATH or PATH=LOW..HIGH; * in a path represents any name; may be repeated")
	c.Flags().BoolVar(&f.Fix, "fix", false, "leave entries that the rows do not determine at the machine's value, the last named first, and say so")
	c.Flags().StringVarP(&out, "output", "o", "-", "`file` for the machine; -: standard output")
	completeFlag(c, "machine", machineNames)
	completeFlag(c, "key", func(*cobra.Command, []string) (list []string) {
		return lists.Map(energy.Entries(), func(e energy.Entry) string { return e.Path })
	})
	return c
}

func fitEnergy(c *cobra.Command, f *energyfit.Fit, name, out string) error {
	if f.Base == "" {
		return errors.New("--machine: missing: want the machine to start from, as machine --list has them")
	}
	data, err := files.Read(name, maxRowsBytes)
	if err != nil {
		return err
	}
	if f.Rows, err = energyfit.Read(name, bytes.NewReader(data)); err != nil {
		return err
	}
	var writing sync.Mutex // rows run at the same time
	f.Progress = func(text string) {
		writing.Lock()
		defer writing.Unlock()
		fmt.Fprintln(c.ErrOrStderr(), "spvsim: "+text)
	}
	f.Simulate = func(r *energyfit.Row) (*config.Machine, *tracing.Stats, error) {
		job := r.Job
		if isFile(job) && !filepath.IsAbs(job) {
			job = filepath.Join(filepath.Dir(name), job)
			if !isFile(job) {
				job = "./" + job
			}
		}
		flags := jobFlags{machine: f.Base, set: r.Changes(), params: r.Parameters}
		of, machine, err := flags.load(c, job)
		if err != nil {
			return nil, nil, err
		}
		result, err := gpu.Run(c.Context(), gpu.Setup{Machine: machine, Job: of})
		switch {
		case errors.Is(err, gpu.ErrInput):
			return nil, nil, firstFault(err)
		case err != nil:
			return nil, nil, &failure{firstFault(err)}
		}
		for _, text := range result.Warnings {
			f.Progress("warning: " + text)
		}
		return machine, result.Stats, nil
	}
	err = f.Run()
	if errors.Is(err, energyfit.ErrUndetermined) {
		return &failure{err}
	}
	if err != nil {
		return err
	}
	title := fmt.Sprintf("%s with energies found by the measured powers of %q", f.Base, filepath.Base(name))
	if err := writeTo(c, out, f.WriteMachine(title, filepath.Dir(out))); err != nil {
		return err
	}
	return f.Write(c.ErrOrStderr())
}
