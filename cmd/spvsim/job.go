package main

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/files"
)

// jobFlags are what the command line puts over a job: its machine, fields of that, and the job's parameters.
type jobFlags struct {
	machine string
	set     []string
	params  []string
	sandbox bool
}

func (f *jobFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.machine, "machine", "", "`name` or file of a machine to take instead of the job's")
	flags.StringArrayVar(&f.set, "set", nil, "set a field of the machine: `path=value` (lds.banks=64); may be repeated")
	flags.StringArrayVar(&f.params, "param", nil, "set a parameter of the job: `name=value` (n=1024); the value may be an expression of earlier parameters; may be repeated")
	flags.BoolVar(&f.sandbox, "sandbox", false, "read no file outside of the job's folder, even if the job names one")
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
	machine, err := config.LoadMachine(config.Request{Machine: f.machine, Job: job, Set: f.set})
	return job, machine, err
}

// loadJob is loadJob in a sandbox, where one is asked for.
func (f *jobFlags) loadJob(c *cobra.Command, name string) (*config.Job, error) {
	if !f.sandbox || !isFile(name) {
		return loadJob(c, name, f.params)
	}
	fsys, err := files.Sandbox(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	return config.LoadJobWith(&withInput{FS: fsys, stdin: c.InOrStdin()}, name, f.params)
}

// loadJob reads a job file, or a ready job when the name is no file's. A shader named - in a job file is standard input.
func loadJob(c *cobra.Command, name string, params []string) (*config.Job, error) {
	if isFile(name) {
		return config.LoadJobWith(&withInput{FS: files.OS(), stdin: c.InOrStdin()}, name, params)
	}
	fsys, file, err := readyJob(name)
	if err != nil {
		return nil, err
	}
	return config.LoadJobWith(fsys, file, params)
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
