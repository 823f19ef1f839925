package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spvsim/config"
	"spvsim/experiments/energyfit"
	"spvsim/experiments/sweep"
	"spvsim/internal/lists"
	"spvsim/plots"
	"spvsim/tracing"
	"spvsim/tracing/profile"
)

func machineCommand() *cobra.Command {
	var set []string
	c := &cobra.Command{
		Use:   "machine [NAME|FILE.yaml]",
		Short: "List the machines, or print the whole description of one, with the source of each number",
		Example: `  spvsim machine
  spvsim machine cdna3-mi300a
  spvsim machine my.yaml --set lds.banks=64`,
		Args: argsBetween(0, 1, "a machine file or the name of a preset, or none"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listMachines(c)
			}
			m, err := config.LoadMachine(config.Request{Machine: args[0], Set: set})
			if err != nil {
				return err
			}
			return m.Describe(c.OutOrStdout())
		},
	}
	c.Flags().StringArrayVar(&set, "set", nil, "set a field: `path=value` (lds.banks=64); may be repeated")
	completeFlag(c, "set", machinePaths)
	c.AddCommand(machineFitCommand())
	return completeWord(c, false, machineNames)
}

// listMachines prints the presets, the default marked.
func listMachines(c *cobra.Command) error {
	var rows [][]string
	for _, name := range config.Presets() {
		m, err := config.Preset(name)
		if err != nil {
			return err
		}
		if name == config.DefaultMachine {
			name += " (default)"
		}
		rows = append(rows, []string{name, m.Description})
	}
	listing(c.OutOrStdout(), rows)
	return nil
}

func schemaCommand() *cobra.Command {
	var install string
	c := completeWord(&cobra.Command{
		Use:   "schema KIND",
		Short: "Print the JSON Schema of a kind of file, for editors and programs",
		Long: "Print the JSON Schema of a kind of file that you write (" + strings.Join(schemaKinds(), ", ") + `), for editors,
of the rows that energy fit reads (` + measuredKind + `), or of one that spvsim writes (` + strings.Join(outputKinds(), ", ") + `), for programs that read it.

--install writes the schemas of the files that you write to a folder. For each kind of file it prints a line. Begin your file with this line, and an editor
with the YAML language server (VS Code with its YAML extension, Neovim, Emacs, Helix) finds the schema.`,
		Example: `  spvsim schema job > job.schema.json
  spvsim schema statistics
  spvsim schema --install .`,
		Args: func(c *cobra.Command, args []string) error {
			if install != "" {
				return exactly(0, "a folder after --install and no kind of file")(c, args)
			}
			return exactly(1, "a kind of file: "+strings.Join(allKinds(), ", "))(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if install != "" {
				return installSchemas(c, install)
			}
			schema, err := schemaOf(args[0])
			if err != nil {
				return err
			}
			return writeFile(c, "-", schema)
		},
	}, false, schemaNames)
	c.Flags().StringVar(&install, "install", "", "write the schemas of files that you write to this `folder`, and print the line with which a file names its schema")
	return c
}

// schemaFile returns the file name of an installed schema.
func schemaFile(kind string) string { return kind + ".schema.json" }

// schemaLine is the first line of a file whose schema is in another, for the YAML language server.
func schemaLine(file string) string {
	return "# yaml-language-server: $schema=" + filepath.ToSlash(file)
}

func installSchemas(c *cobra.Command, folder string) error {
	err := makeFolder(folder)
	var rows [][]string
	for _, kind := range schemaKinds() {
		schema, err2 := schemaOf(kind)
		file, err3 := filepath.Abs(filepath.Join(folder, schemaFile(kind)))
		if err = errors.Join(err, err2, err3); err != nil {
			return err
		}
		if err := os.WriteFile(file, schema, 0o666); err != nil {
			return err
		}
		rows = append(rows, []string{kind, schemaLine(file)})
	}
	fmt.Fprintln(c.OutOrStdout(), "The first line of a file, by its kind; the name of the schema may be relative to the file:")
	listing(c.OutOrStdout(), rows)
	return nil
}

// figureKind is the kind of file that the package of figures describes.
const figureKind = "figure"

// measuredKind is the kind of rows that energy fit reads.
const measuredKind = "measured-power"

// schemaKinds are the kinds of YAML file with a schema, in alphabetical order.
func schemaKinds() []string {
	kinds := append(config.SchemaKinds(), figureKind)
	slices.Sort(kinds)
	return kinds
}

// outputs are the kinds of file that spvsim writes for other programs, with their schemas and versions.
var outputs = map[string]struct {
	schema  func() ([]byte, error)
	version int
}{
	"statistics": {tracing.StatisticsSchema, tracing.StatisticsFormat},
	"listing":    {tracing.ListingSchema, tracing.ListingFormat},
	"profile":    {profile.Schema, profile.Format},
	"dispatches": {tracing.DispatchesSchema, tracing.DispatchesFormat},
	"rows":       {sweep.RowsSchema, sweep.RowsFormat},
	"columns":    {sweep.ColumnsSchema, sweep.RowsFormat},
}

// outputKinds are the names of outputs in alphabetical order.
func outputKinds() []string { return slices.Sorted(maps.Keys(outputs)) }

// allKinds are the kinds of file with a schema: those that users write, then those that spvsim writes.
func allKinds() []string { return append(append(schemaKinds(), measuredKind), outputKinds()...) }

func schemaOf(kind string) ([]byte, error) {
	switch {
	case kind == figureKind:
		return plots.Schema()
	case kind == measuredKind:
		return energyfit.Schema()
	case slices.Contains(schemaKinds(), kind):
		return config.Schema(kind)
	case outputs[kind].schema != nil:
		return outputs[kind].schema()
	}
	return nil, fmt.Errorf("no schema of %q: want one of %s%s", kind, strings.Join(allKinds(), ", "), config.Hint(kind, allKinds()))
}

// fileVersions lists the kinds of output with their versions.
func fileVersions() string {
	list := lists.Map(outputKinds(), func(kind string) string { return fmt.Sprintf("%s %d", kind, outputs[kind].version) })
	return strings.Join(list, ", ")
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of spvsim, and those of the files that it writes for other programs",
		Args:  exactly(0, "none"),
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(c.OutOrStdout(), "%s\n%s %s/%s\nfiles: %s\n", versionText(), runtime.Version(), runtime.GOOS, runtime.GOARCH, fileVersions())
			return err
		},
	}
}
