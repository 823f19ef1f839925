package main

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/experiments/whatif"
	"spvsim/internal/files"
)

// jobFlags override parts of a job: its machine, the machine's fields, and the job's parameters.
type jobFlags struct {
	machine      string
	set          []string
	params       []string
	sandbox      bool
	removedCosts withoutFlag
}

// withoutFlag removes costs of the machine.
type withoutFlag []string

func (f *withoutFlag) add(c *cobra.Command) {
	c.Flags().StringSliceVar((*[]string)(f), "without", nil, "remove limits or `costs` of the machine, after --set: launches (the cost of each launch on the host, in a queue or a command stream, and the minimum time of a launch), or another of those that run --what-if compares; prints the fields that it sets")
	completeFlag(c, "without", func(*cobra.Command, []string) []string { return config.WithoutNames() })
}

// settings are the fields that the flag sets, which it prints, so that nothing of the machine changes without a word.
func (f withoutFlag) settings(c *cobra.Command) ([]string, error) {
	list, err := config.WithoutSettings(f)
	if err != nil {
		return nil, fmt.Errorf("--without: %w", err)
	}
	if len(list) > 0 {
		fmt.Fprintf(c.ErrOrStderr(), "spvsim: without %s: %s\n", strings.Join(f, ", "), strings.Join(list, " "))
	}
	return list, nil
}

// strictFlag turns warnings into errors, for commands that run jobs.
func strictFlag(c *cobra.Command, to *bool) {
	c.Flags().BoolVar(to, "strict", false, "treat warnings as errors; one that is known before the first cycle keeps the job from running")
}

// warn prints warnings.
func warn(c *cobra.Command, list []string) {
	for _, text := range list {
		fmt.Fprintf(c.ErrOrStderr(), "spvsim: warning: %s\n", text)
	}
}

// Usage of the flags that run, sweep and other commands of jobs share.
const (
	machineUsage = "`name` or file of a machine, instead of the job's"
	setUsage     = "set a field of the machine or of the job: `path=value` (lds.banks=64, parameters.n=1024); may be repeated"
)

func (f *jobFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.machine, "machine", "", machineUsage)
	flags.StringArrayVar(&f.set, "set", nil, setUsage)
	flags.StringArrayVar(&f.params, "param", nil, "set a parameter of the job: `name=value` (n=1024); the value may be an expression of earlier parameters; may be repeated")
	flags.BoolVar(&f.sandbox, "sandbox", false, "read no file outside of the job's folder, even if the job names one")
	f.removedCosts.add(c)
	completeFlag(c, "machine", machineNames)
	completeFlag(c, "set", machinePaths)
	completeFlag(c, "param", parameterNames)
}

// load reads a job, by file or by name, and its machine.
func (f *jobFlags) load(c *cobra.Command, name string) (*config.Job, *config.Machine, error) {
	load, err := f.loader(c, name)
	if err != nil {
		return nil, nil, err
	}
	job, machine, err := load(nil)
	return job, machine, wantsJob(name, err)
}

// loader returns what loads the job and its machine, with further settings on top of the command's.
func (f *jobFlags) loader(c *cobra.Command, name string) (whatif.Loader, error) {
	fsys, file, err := f.findJob(c, name)
	if err != nil {
		return nil, err
	}
	without, err := f.removedCosts.settings(c)
	if err != nil {
		return nil, err
	}
	return func(settings []string) (*config.Job, *config.Machine, error) {
		over := config.CommandLine{Machine: f.machine, Set: slices.Concat(f.set, without, settings), Parameters: f.params}
		return over.Load(fsys, file)
	}, nil
}

// findJob returns the file of a job, in a sandbox if requested. A shader named - in a job file is standard input.
func (f *jobFlags) findJob(c *cobra.Command, name string) (fsys fs.FS, file string, err error) {
	if !isFile(name) {
		return readyJob(name)
	}
	if fsys = files.OS(); f.sandbox {
		if fsys, err = files.Sandbox(filepath.Dir(name)); err != nil {
			return nil, "", err
		}
	}
	return &withInput{FS: fsys, stdin: c.InOrStdin()}, name, nil
}

// loadJob reads a job file, or a ready job when the name is no file's.
func loadJob(c *cobra.Command, name string) (*config.Job, error) {
	fsys, file, err := (&jobFlags{}).findJob(c, name)
	if err != nil {
		return nil, err
	}
	return config.LoadJob(fsys, file)
}

// isFile distinguishes the name of a file from that of a ready job, which has no dot.
func isFile(name string) bool { return strings.ContainsAny(name, "./\\") }

func readyJob(name string) (fsys fs.FS, file string, err error) {
	fsys, file, _, err = experiments.Lookup(name)
	if err != nil {
		err = fmt.Errorf("%w: want a name of spvsim run --list, or a job file (.yaml)", err)
	}
	return fsys, file, err
}
