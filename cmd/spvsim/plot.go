package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"spvsim/config"
	"spvsim/internal/files"
	"spvsim/plots"
)

// plotFlags describe how to draw.
type plotFlags struct {
	formats []string
	style   string
	sandbox bool
}

func plotCommand() *cobra.Command {
	f := plotFlags{formats: plots.Usual}
	var dir string
	c := &cobra.Command{
		Use:   "plot [ROWS] FIGURE.yaml",
		Short: "Draw a figure from saved rows (CSV or Parquet), without simulating",
		Long:  "Draw a figure from saved rows. Without ROWS, the key rows of FIGURE.yaml names their file, relative to FIGURE.yaml.",
		Example: `  spvsim plot crossover.csv crossover.yaml
  spvsim plot crossover.parquet crossover.yaml -o figures --format pdf --style page`,
		Args: argsBetween(1, 2, "a figure (.yaml), after a file of rows unless the figure names one"),
		RunE: func(c *cobra.Command, args []string) error {
			base := strings.TrimSuffix(filepath.Base(args[len(args)-1]), filepath.Ext(args[len(args)-1]))
			drawn, err := atOnce(c.Context(), func() (*pictures, error) { return f.draw(args) })
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
	c.Flags().StringSliceVar(&f.formats, "format", f.formats, "`formats` to write, separated by commas: "+strings.Join(plots.Formats, ", "))
	c.Flags().StringVar(&f.style, "style", "", "`width`: "+strings.Join(plots.Styles, " (3.33 in) or ")+" (7 in) (default as in FIGURE.yaml)")
	c.Flags().BoolVar(&f.sandbox, "sandbox", false, "read no file outside of the figure's folder, even if the figure names one")
	completeFlag(c, "format", plotFormatNames)
	completeFlag(c, "style", plotStyleNames)
	return c
}

// draw draws the figure in the last argument, with the rows that it names or those in the argument before. Rows of the
// command line may be anywhere, also in a sandbox.
func (f *plotFlags) draw(args []string) (*pictures, error) {
	name := args[len(args)-1]
	if ext := filepath.Ext(name); ext == ".csv" || ext == ".parquet" {
		return nil, fmt.Errorf("plot: found the rows %s in the place of a figure: want spvsim plot %s FIGURE.yaml", name, name)
	}
	fsys := files.OS()
	if f.sandbox {
		var err error
		if fsys, err = files.Sandbox(filepath.Dir(name)); err != nil {
			return nil, err
		}
	}
	if err := config.CheckFigure(fsys, name); err != nil {
		return nil, err
	}
	figure, err := plots.ReadFigureFrom(fsys, name)
	if err != nil {
		return nil, err
	}
	path := args[0]
	if len(args) == 1 {
		if path, err = figure.RowsPath(); err != nil {
			return nil, err
		}
	} else {
		fsys = files.OS()
	}
	rows, err := plots.ReadTableFrom(fsys, path)
	if err != nil {
		return nil, err
	}
	return drawPictures(figure.File, figure, rows, f.formats, f.style)
}
