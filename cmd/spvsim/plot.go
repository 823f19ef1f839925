package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"spvsim/experiments/sweep"
	"spvsim/plots"
)

func plotCommand() *cobra.Command {
	var dir, style string
	formats := plots.Formats
	c := &cobra.Command{
		Use:   "plot [ROWS] FIGURE.yaml",
		Short: "Draw a figure from saved rows (CSV or Parquet), without simulating",
		Long:  "Draw a figure from saved rows. Without ROWS, the figure's own rows: key says where they are, relative to its file.",
		Example: `  spvsim plot crossover.csv crossover.yaml
  spvsim plot crossover.parquet crossover.yaml -o figures --format pdf --style page`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			chart, err := buildChart(c, args)
			if err != nil {
				return err
			}
			base := strings.TrimSuffix(filepath.Base(args[len(args)-1]), filepath.Ext(args[len(args)-1]))
			return writeChart(c, chart, filepath.Join(dir, base), formats, style)
		},
	}
	c.Flags().StringVarP(&dir, "output", "o", ".", "`directory` to write to")
	c.Flags().StringSliceVar(&formats, "format", formats, "formats to write: "+strings.Join(plots.Formats, ", "))
	c.Flags().StringVar(&style, "style", "", "width: "+strings.Join(plots.Styles, " (3.33 in) or ")+" (7 in); the figure's own unless given")
	completeFlag(c, "format", plotFormatNames)
	completeFlag(c, "style", plotStyleNames)
	return c
}

func buildChart(c *cobra.Command, args []string) (*plots.Chart, error) {
	figure, err := plots.ReadFigure(args[len(args)-1])
	if err != nil {
		return nil, err
	}
	path := args[0]
	if len(args) == 1 {
		if path, err = figure.RowsPath(); err != nil {
			return nil, err
		}
	}
	rows, err := plots.ReadTable(path)
	if err != nil {
		return nil, err
	}
	chart, err := plots.Build(figure, rows)
	if err == nil && chart.Dropped > 0 {
		fmt.Fprintf(c.ErrOrStderr(), "spvsim: %d points left out, as values are missing in %s\n", chart.Dropped, path)
	}
	if err == nil {
		warnOfFigure(c, figure.File, chart)
	}
	return chart, err
}

// warnOfFigure says what the reader of a figure should know.
func warnOfFigure(c *cobra.Command, name string, chart *plots.Chart) {
	for _, w := range chart.Warnings {
		fmt.Fprintf(c.ErrOrStderr(), "spvsim: %s: %s\n", name, w)
	}
}

func writeChart(c *cobra.Command, chart *plots.Chart, base string, formats []string, style string) error {
	if err := os.MkdirAll(filepath.Dir(base), 0o777); err != nil {
		return err
	}
	for _, format := range formats {
		data, err := chart.Draw(format, style)
		if err != nil {
			return err
		}
		if err := sweep.Replace(base+"."+format, data); err != nil {
			return err
		}
		fmt.Fprintln(c.OutOrStdout(), base+"."+format)
	}
	return nil
}
