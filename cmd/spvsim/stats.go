package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"spvsim/internal/lists"
	"spvsim/tracing"
)

func statsCommand() *cobra.Command {
	var path string
	c := &cobra.Command{
		Use:   "stats",
		Short: "List the statistics of a run, with units and meanings",
		Long: `List the statistics of a run: path, unit and meaning. spvsim run --stats writes them, and columns of experiments name them by
their paths. * represents a name: a class of instructions, a level of memory, a node.`,
		Example: `  spvsim stats
  spvsim stats --describe slot_cycles.by_reason.unit`,
		Args: exactly(0, "none"),
		RunE: func(c *cobra.Command, _ []string) error {
			list := tracing.Statistics()
			if path != "" {
				s, err := tracing.Describe(path)
				if err != nil {
					return fmt.Errorf("--describe: %w", err)
				}
				list = []tracing.Statistic{s}
			}
			rows := make([][]string, len(list))
			for i, s := range list {
				rows[i] = []string{s.Path, fmt.Sprintf("%-14s  %s", cmp.Or(s.Unit, "-"), s.Meaning)}
			}
			listing(c.OutOrStdout(), rows)
			return nil
		},
	}
	c.Flags().StringVar(&path, "describe", "", "describe only the statistic with this `path`, as columns of experiments write it")
	completeFlag(c, "describe", statisticNames)
	return completeWord(c, false, noNames)
}

func statisticNames(*cobra.Command, []string) (list []string) {
	return lists.Map(tracing.Statistics(), func(s tracing.Statistic) string { return s.Path })
}

func noNames(*cobra.Command, []string) []string { return nil }
