package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"spvsim/experiments/sweep"
	"spvsim/plots"
)

// pictures are a figure in each format, in memory: an interruption ends the drawing, and only complete pictures are
// written.
type pictures struct {
	name    string // of the figure, for warnings
	rows    string // file
	chart   *plots.Chart
	formats []string
	data    [][]byte // of each format
}

func drawPictures(name string, figure *plots.Figure, rows *plots.Table, formats []string, style string) (*pictures, error) {
	chart, err := plots.Build(figure, rows)
	if err != nil {
		return nil, err
	}
	p := &pictures{name: name, rows: rows.File, chart: chart, formats: formats}
	for _, format := range formats {
		data, err := chart.Draw(format, style)
		if err != nil {
			return nil, err
		}
		p.data = append(p.data, data)
	}
	return p, nil
}

// warn prints the caveats about a figure.
func (p *pictures) warn(c *cobra.Command) {
	if p.chart.Dropped > 0 {
		fmt.Fprintf(c.ErrOrStderr(), "spvsim: %s: %s left out, as values are missing in %s\n", p.name, counted(p.chart.Dropped, "point"), p.rows)
	}
	for _, w := range p.chart.Warnings {
		fmt.Fprintf(c.ErrOrStderr(), "spvsim: %s: %s\n", p.name, w)
	}
}

// write writes a file of each format and returns their names.
func (p *pictures) write(base string) (files []string, err error) {
	if err := makeFolder(filepath.Dir(base)); err != nil {
		return nil, err
	}
	for i, format := range p.formats {
		name := base + "." + format
		if err := sweep.Replace(name, p.data[i]); err != nil {
			return files, err
		}
		files = append(files, name)
	}
	return files, nil
}
