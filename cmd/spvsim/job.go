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
)

// jobFlags are what the command line puts over a job: its machine, fields of that, and the job's parameters.
type jobFlags struct {
	machine string
	set     []string
	params  []string
	sandbox bool
	without withoutFlag
}

// withoutFlag takes costs of the machine away.
type withoutFlag []string

func (f *withoutFlag) add(c *cobra.Command) {
	c.Flags().StringSliceVar((*[]string)(f), "without", nil, "take `costs` of the machine away, after --set: launches (what the host, a queue or a command stream spends on each launch, and the least time of a launch); prints the fields that it sets")
	completeFlag(c, "without", func(*cobra.Command, []string) []string { return config.WithoutNames() })
}

// settings are the fields that the flag sets, which it prints, so that nothing of the machine changes without a word.
func (f withoutFlag) settings(c *cobra.Command) ([]string, error) {
	list, err := config.Without(f)
	if err != nil {
		return nil, fmt.Errorf("--without: %w", err)
	}
	if len(list) > 0 {
		fmt.Fprintf(c.ErrOrStderr(), "spvsim: without %s: %s\n", strings.Join(f, ", "), strings.Join(list, " "))
	}
	return list, nil
}

// strictFlag makes warnings errors, for commands that run jobs.
func strictFlag(c *cobra.Command, to *bool) {
	c.Flags().BoolVar(to, "strict", false, "take warnings for errors: those that are known before the first cycle keep the job from running")
}

// warn prints warnings.
func warn(c *cobra.Command, list []string) {
	for _, text := range list {
		fmt.Fprintf(c.ErrOrStderr(), "spvsim: warning: %s\n", text)
	}
}

func (f *jobFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.machine, "machine", "", "`name` or file of a machine to take instead of the job's")
	flags.StringArrayVar(&f.set, "set", nil, "set a field of the machine: `path=value` (lds.banks=64); may be repeated")
	flags.StringArrayVar(&f.params, "param", nil, "set a parameter of the job: `name=value` (n=1024); the value may be an expression of earlier parameters; may be repeated")
	flags.BoolVar(&f.sandbox, "sandbox", false, "read no file outside of the job's folder, even if the job names one")
	f.without.add(c)
	completeFlag(c, "machine", machineNames)
	completeFlag(c, "set", machinePaths)
	completeFlag(c, "param", parameterNames)
}

// load reads a job, by file or by name, and its machine.
func (f *jobFlags) load(c *cobra.Command, name string) (*config.Job, *config.Machine, error) {
	job, err := f.loadJob(c, name)
	if err != nil {
		return nil, nil, err
	}
	without, err := f.without.settings(c)
	if err != nil {
		return nil, nil, err
	}
	machine, err := config.LoadMachine(config.Request{Machine: f.machine, Job: job, Set: slices.Concat(f.set, without)})
	return job, machine, err
}

// loadJob is loadJob in a sandbox, where one is asked for.
func (f *jobFlags) loadJob(c *cobra.Command, name string) (*config.Job, error) {
	if !f.sandbox || !isFile(name) {
		return loadJob(c, name, f.params)
	}
	files, err := config.Sandbox(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	return config.LoadJobWith(&withInput{FS: files, stdin: c.InOrStdin()}, name, f.params)
}

// loadJob reads a job file, or a ready job when the name is no file's. A shader named - in a job file is standard input.
func loadJob(c *cobra.Command, name string, params []string) (*config.Job, error) {
	if isFile(name) {
		return config.LoadJobWith(&withInput{FS: config.OS(), stdin: c.InOrStdin()}, name, params)
	}
	files, file, err := readyJob(name)
	if err != nil {
		return nil, err
	}
	return config.LoadJobWith(files, file, params)
}

// isFile distinguishes the name of a file from that of a ready job, which has no dot.
func isFile(name string) bool { return strings.ContainsAny(name, "./\\") }

func readyJob(name string) (files fs.FS, file string, err error) {
	files, file, _, err = experiments.Lookup(name)
	if err != nil {
		err = fmt.Errorf("%w: want a name of spvsim run --list, or a job file (.yaml)", err)
	}
	return files, file, err
}
