package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"spvsim/config"
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
	return c
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
	return &cobra.Command{
		Use:     "schema KIND",
		Short:   "Print the JSON Schema of a kind of file (" + strings.Join(config.SchemaKinds(), ", ") + "), for editors",
		Example: "  spvsim schema job > job.schema.json",
		Args:    exactly(1, "a kind of file: "+strings.Join(config.SchemaKinds(), " or ")),
		RunE: func(c *cobra.Command, args []string) error {
			schema, err := config.Schema(args[0])
			if err != nil {
				return err
			}
			return writeFile(c, "-", schema)
		},
	}
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
