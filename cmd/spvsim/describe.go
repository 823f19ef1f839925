package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spvsim/config"
	"spvsim/plots"
)

func machineCommand() *cobra.Command {
	var set []string
	c := &cobra.Command{
		Use:   "machine [NAME|FILE.yaml]",
		Short: "List the machines, or print the whole description of one with its sources",
		Example: `  spvsim machine
  spvsim machine cdna3-mi300a
  spvsim machine my.yaml --set lds.banks=64`,
		Args: cobra.MaximumNArgs(1),
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
	c.Flags().StringArrayVar(&set, "set", nil, "set a field, as `path=value` (lds.banks=64); may be repeated")
	completeFlag(c, "set", machinePaths)
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
	return completeWord(&cobra.Command{
		Use:     "schema KIND",
		Short:   "Print the JSON Schema of a kind of file (" + strings.Join(schemaKinds(), ", ") + "), for editors",
		Example: "  spvsim schema job > job.schema.json",
		Args:    exactly(1, "a kind of file: "+strings.Join(schemaKinds(), " or ")),
		RunE: func(c *cobra.Command, args []string) error {
			schema, err := schemaOf(args[0])
			if err != nil {
				return err
			}
			return writeFile(c, "-", schema)
		},
	}, false, schemaNames)
}

// figureKind is the kind of file that the package of figures describes.
const figureKind = "figure"

// schemaKinds are the kinds of file with a schema, in alphabetical order.
func schemaKinds() []string {
	kinds := append(config.SchemaKinds(), figureKind)
	slices.Sort(kinds)
	return kinds
}

func schemaOf(kind string) ([]byte, error) {
	switch {
	case kind == figureKind:
		return plots.Schema()
	case slices.Contains(schemaKinds(), kind):
		return config.Schema(kind)
	}
	near := ""
	if n := config.Nearest(kind, schemaKinds()); n != "" {
		near = fmt.Sprintf(" (nearest: %s)", n)
	}
	return nil, fmt.Errorf("no schema of %q: want one of %s%s", kind, strings.Join(schemaKinds(), ", "), near)
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(c.OutOrStdout(), versionText())
			return err
		},
	}
}
