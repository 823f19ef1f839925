package plots

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"spvsim/internal/suite"
)

// endingAt are rows of lines that end at some heights.
func endingAt(ends ...float64) *Table {
	table := &Table{File: "rows.csv", Columns: []Column{{Name: "x"}, {Name: "y"}, {Name: "s", Type: Text}}}
	for i, end := range ends {
		for x := range 4 {
			table.Rows++
			table.Columns[0].Numbers = append(table.Columns[0].Numbers, float64(x))
			table.Columns[1].Numbers = append(table.Columns[1].Numbers, end*float64(x)/3)
			table.Columns[2].Texts = append(table.Columns[2].Texts, fmt.Sprintf("line %d", i))
		}
	}
	return table
}

func layoutOf(t *testing.T, figure string, table *Table) *layout {
	t.Helper()
	c := suite.Must(Build(suite.Must(Read("f.yaml", []byte(figure)))(t), table))(t)
	l, _ := c.chooseLayout("column")
	suite.OK(t, l.check())
	return l
}

// Up to five lines have their names at their ends, in place of a legend; more, or lines whose ends are one, have a legend.
func TestFewLinesAreNamedAtTheirEnds(t *testing.T) {
	const plain = "{kind: line, x: x, y: y, series: s}"
	for _, row := range []struct {
		figure string
		ends   []float64
		direct bool
	}{
		{plain, []float64{1}, true},
		{plain, []float64{1, 2, 3, 4, 5}, true},
		{plain, []float64{1, 2, 3, 4, 5, 6}, false},
		{plain, []float64{1, 2, 2}, false},
		{"{kind: line, x: x, y: y, series: s, legend: direct}", []float64{1, 2, 2}, true},
		{"{kind: line, x: x, y: y, series: s, legend: right}", []float64{1, 2}, false},
		{"{kind: line, x: x, y: y, series: s, lines: off}", []float64{1, 2}, false},
		{"{kind: scatter, x: x, y: y, series: s}", []float64{1, 2}, false},
	} {
		l := layoutOf(t, row.figure, endingAt(row.ends...))
		if l.direct != row.direct || l.direct && (l.place != "none" || len(l.entries) > 0) {
			t.Errorf("%s of lines to %v: direct %v, legend %q of %d", row.figure, row.ends, l.direct, l.place, len(l.entries))
		}
	}
}

// Names are in the order of the lines' ends, none over another, all beside the panel; those with space are at their line's height.
func TestNamesAtEndsDoNotTouch(t *testing.T) {
	for _, ends := range [][]float64{{1, 2, 3, 4, 5}, {5, 4.9, 4.8, 4.7, 4.6}, {0.1, 0.2, 0.3, 9, 8.9}, {1, 5, 1.2, 4.8, 3}} {
		l := layoutOf(t, "{kind: line, x: x, y: y, series: s, legend: {place: direct, title: lines}}", endingAt(ends...))
		names, ok := l.directNames(0)
		if !ok || len(names) != len(ends)+1 || names[0].text != "lines" {
			t.Fatalf("%v: %v, %v", ends, names, ok)
		}
		for i, n := range names {
			if i > 0 && names[i-1].y-n.y < smallSize {
				t.Errorf("%v: %s is at %.1f under %s at %.1f", ends, n.text, n.y, names[i-1].text, names[i-1].y)
			}
			if i > 1 && names[i-1].from.Y < n.from.Y {
				t.Errorf("%v: %s is under %s, and its line is over that", ends, n.text, names[i-1].text)
			}
		}
		area := l.panes[0].rect
		if names[0].y > area.Max.Y+smallSize || names[len(names)-1].y < area.Min.Y-smallSize {
			t.Errorf("%v: names from %.1f to %.1f beside a panel from %.1f to %.1f", ends, names[len(names)-1].y, names[0].y, area.Min.Y, area.Max.Y)
		}
	}
	for _, n := range suite.Must(func() ([]directName, error) {
		names, ok := layoutOf(t, "{kind: line, x: x, y: y, series: s}", endingAt(1, 4)).directNames(0)
		return names, map[bool]error{false: errors.New("no space")}[ok]
	}())(t) {
		if math.Abs(float64(n.y-n.from.Y)) > 1e-9 {
			t.Errorf("%s is at %v, beside its line's end at %v", n.text, n.y, n.from.Y)
		}
	}
}

func TestDirectIsOfLines(t *testing.T) {
	for figure, want := range map[string]string{
		"{kind: bar, x: s, y: y, legend: direct}":              "found direct: want another place",
		"{kind: line, x: x, y: y, lines: off, legend: direct}": "found direct: want another place",
	} {
		if _, err := Read("f.yaml", []byte(figure)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v: want %q", figure, err, want)
		}
	}
	table := endingAt(1, 2)
	for i := range table.Columns[2].Texts {
		table.Columns[2].Texts[i] += " with a name that takes much more than the space beside a column's figure"
	}
	c := suite.Must(Build(suite.Must(Read("f.yaml", []byte("{kind: line, x: x, y: y, series: s, legend: direct}")))(t), table))(t)
	if _, err := c.Draw("svg", ""); err == nil || !strings.Contains(err.Error(), "too long for the ends of the lines") {
		t.Errorf("drawn with long names: %v", err)
	}
}

// A linear axis that leaves out 0 has a mark; one that reaches it, or is logarithmic, has none.
func TestCutAxesAreMarked(t *testing.T) {
	for _, row := range []struct {
		axis string
		cut  bool
	}{{"{column: y, min: 0.5}", true}, {"{column: y, min: 0}", false}, {"{column: y, min: -1}", false}, {"{column: y, scale: log10, min: 0.5}", false}} {
		table := endingAt(3, 6)
		for i, x := range table.Columns[0].Numbers {
			table.Columns[1].Numbers[i] = 1 + x
		}
		l := layoutOf(t, "{kind: line, x: x, y: "+row.axis+", series: s, legend: none}", table)
		if got := l.panes[0].axes.Y.isCut(); got != row.cut {
			t.Errorf("y: %s: cut %v", row.axis, got)
		}
		strokes := func(svg []byte) int { return bytes.Count(svg, []byte("<path")) }
		with := strokes(suite.Must(l.c.Draw("svg", "column"))(t))
		low := 0.0
		l.c.figure.Y.Scale = "linear"
		l.c.figure.Y.Min, l.c.figure.Y.Ticks = &low, []float64{1}
		if row.cut && with <= strokes(suite.Must(l.c.Draw("svg", "column"))(t)) {
			t.Errorf("y: %s: no mark is drawn", row.axis)
		}
	}
}

// Texts without order are as names or where write them, if one of these has all.
func TestSeriesAreInTheOrderWritten(t *testing.T) {
	for figure, want := range map[string]string{
		"{kind: line, x: x, y: y, series: s}":                                                                             "line 0, line 1, line 2",
		"{kind: line, x: x, y: y, series: {column: s, names: {line 2: c, line 0: a, line 1: b}}}":                         "c, a, b",
		"{kind: line, x: x, y: y, series: {column: s, names: {line 2: c}}}":                                               "line 0, line 1, c",
		"{kind: line, x: x, y: y, where: {s: [line 1, line 0]}, series: s}":                                               "line 1, line 0",
		"{kind: line, x: x, y: y, where: {s: [line 1, line 0]}, series: {column: s, order: [line 0]}}":                    "line 0, line 1",
		"{kind: line, x: x, y: y, series: {column: s, hide: [line 1], names: {line 2: c, line 0: a}}}":                    "c, a",
		"{kind: line, x: x, y: y, filter: x > 0, relative_to: {s: line 1}, series: {column: s, names: {line 1: passes}}}": "line 0, passes (baseline), line 2",
	} {
		c := suite.Must(Build(suite.Must(Read("f.yaml", []byte(figure)))(t), endingAt(1, 2, 3)))(t)
		var names []string
		for _, s := range c.series {
			names = append(names, s.label())
		}
		if got := strings.Join(names, ", "); got != want {
			t.Errorf("%s: %s: want %s", figure, got, want)
		}
	}
}

// A baseline that is drawn as bars is called so, in the legend or on the axis of categories.
func TestBaselineIsNamed(t *testing.T) {
	l := layoutOf(t, "{kind: bar, x: x, y: y, filter: x > 0, relative_to: {s: line 1}, series: s}", endingAt(1, 2))
	if len(l.entries) != 2 || l.entries[1].text != "line 1 (baseline)" {
		t.Errorf("the legend has %v", l.entries)
	}
	l = layoutOf(t, "{kind: bar, x: s, y: y, filter: x == 3, relative_to: {s: line 1}}", endingAt(1, 2))
	if !slices.Equal(l.c.X.Categories, []string{"line 0", "line 1 (baseline)"}) {
		t.Errorf("categories %q", l.c.X.Categories)
	}
}

// A marker at the very end of a logarithmic axis is drawn whole: its place is on the canvas, up to rounding, and the figure has space
// for the marker.
func TestMarkersAtEndsOfAxes(t *testing.T) {
	for _, end := range []string{"3", "0.1", "0.7", "1e5", "12345.678"} {
		table := &Table{File: "rows.csv", Rows: 1, Columns: []Column{{Name: "x", Numbers: []float64{3}}, {Name: "y"}}}
		var v float64
		suite.Must(fmt.Sscan(end, &v))(t)
		table.Columns[1].Numbers = []float64{v}
		for _, axis := range []string{"{column: y, scale: log10, min: " + end + "}", "{column: y, scale: log10, max: " + end + "}", "{column: y, scale: log2, min: " + end + "}"} {
			l := layoutOf(t, "{kind: line, x: {column: x, max: 3, scale: log10}, y: "+axis+"}", table)
			at, seen := lastInSight(l.panes[0], &l.c.Panels[0].Series[0])
			reach := vg.Point{X: markReach, Y: markReach}
			if high := at.Add(reach); !seen || high.X > l.size.X || high.Y > l.size.Y {
				t.Errorf("y: %s: seen %v at %v of %v", axis, seen, at, l.size)
			}
		}
	}
}
