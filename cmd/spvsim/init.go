package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/starter"
)

// initFlags describe a starter job.
type initFlags struct {
	out     string
	entry   string
	machine string
	set     []string
}

func initCommand() *cobra.Command {
	var f initFlags
	c := &cobra.Command{
		Use:   "init MODULE",
		Short: "Write a first job for a module",
		Long: `Write a first job for a module. The job has
  - the entry point, or the nodes of a graph with the names that payloads target;
  - the bindings, with sizes guessed from their types;
  - push constants of zero, and specialization constants with their defaults;
  - the grid and the arguments of a kernel of OpenCL C, with a buffer for each pointer.
Comments in the job mark the guesses. Standard error lists information that the module lacks.`,
		Example: "  spvsim init shader.spv -o job.yaml && spvsim run job.yaml",
		Args:    exactly(1, "a shader (.spv, .spvasm or .cl; - is standard input)"),
		RunE:    func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	flags := c.Flags()
	flags.StringVarP(&f.out, "output", "o", "-", "write the job to this `file`; - is standard output")
	flags.StringVar(&f.entry, "entry", "", "`name` of the entry point to run (default the nodes of a graph, or the first entry point)")
	flags.StringVar(&f.machine, "machine", config.DefaultMachine, "`name` or file of the job's machine")
	flags.StringArrayVar(&f.set, "set", nil, "set a field of the job's machine: `path=value` (lds.banks=64); may be repeated")
	completeFlag(c, "machine", machineNames)
	completeFlag(c, "set", machinePaths)
	return c
}

func (f *initFlags) run(c *cobra.Command, name string) error {
	m, err := checkedShader(c, name)
	if err != nil {
		return firstFault(err)
	}
	machine, err := config.LoadMachine(config.Request{Machine: f.machine, Set: f.set})
	if err != nil {
		return err
	}
	job, err := starter.Write(m, starter.Options{
		Shader: f.shader(name), Head: schemaLine(schemaFile("job")) + "\n# That schema, for editors: spvsim schema --install .\n", Machine: f.machine, Set: f.set, Entry: f.entry, Target: gpu.Target(machine, machine.WaveSize),
	})
	if err != nil {
		return gpu.Named(displayName(name), err)
	}
	for _, u := range job.Unknown {
		fmt.Fprintf(c.ErrOrStderr(), "spvsim: %s: not known: %s\n", displayName(name), u)
	}
	return writeFile(c, f.out, []byte(job.Text))
}

// shader is the module's name as the job file is to have it: relative to the job.
func (f *initFlags) shader(name string) string {
	if f.out == "-" || name == "-" || filepath.IsAbs(name) {
		return filepath.ToSlash(name)
	}
	out, err1 := filepath.Abs(filepath.Dir(f.out))
	module, err2 := filepath.Abs(name)
	rel, err3 := filepath.Rel(out, module)
	if errors.Join(err1, err2, err3) != nil {
		return filepath.ToSlash(name)
	}
	return filepath.ToSlash(rel)
}
