// Package plots draws figures for papers from saved rows: from a table in CSV or Parquet and a figure in YAML it
// makes SVG, PDF and PNG. The same rows and figure give the same bytes, in whatever order the rows are.
//
// Read reads a figure, ReadTable the rows; Build works out what is drawn (a Chart, whose panels hold the series as drawn)
// and Chart.Write draws it. A column is named and is either numbers or text; an empty cell is a missing value.
//
// It does not know what a simulator is, what a column means or how the rows came to be: units and names are the figure's.
package plots
