package plots

import (
	"fmt"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// Panels are wrapped to the fewest columns that need no further rows, up to the style's limit; a given number of
// columns is kept.
func TestFacetsAreBalanced(t *testing.T) {
	for _, c := range []struct {
		panels        int
		style, given  string
		columns, rows int
	}{
		{1, "page", "", 1, 1}, {2, "page", "", 2, 1}, {3, "page", "", 3, 1}, {4, "page", "", 2, 2}, {5, "page", "", 3, 2}, {7, "page", "", 3, 3}, {9, "page", "", 3, 3},
		{3, "column", "", 2, 2}, {4, "column", "", 2, 2}, {4, "page", ", columns: 3", 3, 2},
	} {
		rows := "x,y,f\n"
		for i := range c.panels {
			rows += fmt.Sprintf("1,2,%d\n2,3,%d\n", i, i)
		}
		table := suite.Must(ReadCSV("rows.csv", strings.NewReader(rows)))(t)
		figure := suite.Must(Read("figure.yaml", []byte("kind: line\nx: x\ny: y\nfacets: {column: f"+c.given+"}\n")))(t)
		chart := suite.Must(Build(figure, table))(t)
		if l := chart.newLayout(c.style, "none", false); l.columns != c.columns || l.rows != c.rows {
			t.Errorf("%d panels, %s%s: %d by %d, want %d by %d", c.panels, c.style, c.given, l.columns, l.rows, c.columns, c.rows)
		}
	}
}
