package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"spvsim/experiments/sweep"
	"spvsim/internal/randfigure"
	"spvsim/internal/suite"
	"spvsim/plots"
)

var (
	firstFigure  = flag.Uint64("figures.first", 1, "seed of the first figure that plot draws")
	countFigures = flag.Uint64("figures.count", 60, "figures that plot draws, a seed each")
)

// plot draws or refuses any figure of any rows, in CSV and in Parquet, named by the figure or on the command line: the
// exit status is 0 or 2, and each line of a refusal names the figure or its rows.
func TestPlotAnyFigure(t *testing.T) {
	dir := t.TempDir()
	statuses := map[int]int{}
	for seed := *firstFigure; seed < *firstFigure+*countFigures; seed++ {
		c := randfigure.New(randfigure.Bytes(seed))
		figure, rows := c.Figure(), c.Rows()
		args := plotArguments(t, dir, figure, rows, c.IntN(4))
		r := spvsim("", args...)
		statuses[r.status]++
		if r.status != exitDone && !(r.status == exitBadInput && r.stdout == "" && placed.MatchString(r.stderr)) {
			t.Errorf("-figures.first %d -figures.count 1: status %d, %s\n%s\n%s", seed, r.status, r.stderr, figure, rows)
		}
	}
	if least := int(*countFigures) / 5; statuses[exitDone] < least {
		t.Errorf("%d figures drawn: want at least %d", statuses[exitDone], least)
	}
}

// placed matches refusals in which each line names a file.
var placed = regexp.MustCompile(`^(spvsim: .*(figure\.yaml|rows\.csv|rows\.parquet).*\n)+$`)

// plotArguments writes a figure and its rows, and returns the command line that draws it in one of four ways.
func plotArguments(t *testing.T, dir, figure, rows string, way int) []string {
	t.Helper()
	name := "rows.csv"
	if way%2 == 1 {
		name, rows = "rows.parquet", parquetOf(t, rows)
	}
	if way >= 2 {
		figure += "\nrows: " + name
	}
	file := filepath.Join(dir, "figure.yaml")
	for path, text := range map[string]string{file: figure, filepath.Join(dir, name): rows} {
		suite.OK(t, os.WriteFile(path, []byte(text), 0o644))
	}
	args := []string{"plot", "-o", dir, "--format", "svg"}
	if way < 2 {
		args = append(args, filepath.Join(dir, name))
	}
	return append(args, file)
}

// parquetOf returns rows of CSV as Parquet. An empty cell is null.
func parquetOf(t *testing.T, rows string) string {
	t.Helper()
	table := suite.Must(plots.ReadCSV("rows", strings.NewReader(rows)))(t)
	out := sweep.Table{Rows: table.Rows}
	for _, from := range table.Columns {
		c := sweep.TableColumn{Name: from.Name, Type: sweep.Real, Values: make([]any, table.Rows)}
		if from.Type == plots.Text {
			c.Type = sweep.Text
		}
		for row := range table.Rows {
			switch {
			case c.Type == sweep.Real:
				c.Values[row] = from.Numbers[row]
			case from.Texts[row] != "":
				c.Values[row] = from.Texts[row]
			}
		}
		out.Columns = append(out.Columns, c)
	}
	var b strings.Builder
	suite.OK(t, out.WriteParquet(&b))
	return b.String()
}
