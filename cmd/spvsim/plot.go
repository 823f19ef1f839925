package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"spvsim/config"
	"spvsim/plots"
)

func plotCommand() *cobra.Command {
	var dir, style string
	formats := plots.Usual
	c := &cobra.Command{
		Use:   "plot [ROWS] FIGURE.yaml",
		Short: "Draw a figure from saved rows (CSV or Parquet), without simulating",
		Long:  "Draw a figure from saved rows. Without ROWS, the key rows of FIGURE.yaml names their file, relative to FIGURE.yaml.",
		Example: `  spvsim plot crossover.csv crossover.yaml
  spvsim plot crossover.parquet crossover.yaml -o figures --format pdf --style page`,
		Args: between(1, 2, "a figure (.yaml), after a file of rows unless the figure names one"),
		RunE: func(c *cobra.Command, args []string) error {
			base := strings.TrimSuffix(filepath.Base(args[len(args)-1]), filepath.Ext(args[len(args)-1]))
			drawn, err := atOnce(c.Context(), func() (*pictures, error) { return drawSaved(args, formats, style) })
			if errors.Is(err, context.Canceled) {
				return &failure{errors.New("interrupted: nothing is written")}
			}
			if err != nil {
				return err
			}
			drawn.warn(c)
			files, err := drawn.write(filepath.Join(dir, base))
			for _, file := range files {
				fmt.Fprintln(c.OutOrStdout(), file)
			}
			return err
		},
	}
	c.Flags().StringVarP(&dir, "output", "o", ".", "`folder` to write to")
	c.Flags().StringSliceVar(&formats, "format", formats, "`formats` to write, separated by commas: "+strings.Join(plots.Formats, ", "))
	c.Flags().StringVar(&style, "style", "", "`width`: "+strings.Join(plots.Styles, " (3.33 in) or ")+" (7 in) (default as in FIGURE.yaml)")
	completeFlag(c, "format", plotFormatNames)
	completeFlag(c, "style", plotStyleNames)
	return c
}

// drawSaved draws the figure that is the last argument, of the rows that it or the argument before names.
func drawSaved(args, formats []string, style string) (*pictures, error) {
	name := args[len(args)-1]
	if ext := filepath.Ext(name); ext == ".csv" || ext == ".parquet" {
		return nil, fmt.Errorf("plot: found the rows %s in the place of a figure: want spvsim plot %s FIGURE.yaml", name, name)
	}
	if err := config.CheckFigure(config.OS(), name); err != nil {
		return nil, err
	}
	figure, err := plots.ReadFigure(name)
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
	return drawPictures(figure.File, figure, rows, formats, style)
}
