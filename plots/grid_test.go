package plots

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/internal/suite"
)

const sweepRows = `point,machine,kernel,threads,time
3,arc,copy,1,20
0,zen,copy,1,10
1,zen,copy,2,5
2,zen,sum,1,8
4,arc,copy,2,11
5,arc,sum,1,12
6,mid,copy,1,15
7,mid,sum,1,9
`

// The texts of a sweep's rows are in the order of its points, whatever the order of the rows in the file; without
// points, by name.
func TestOrderOfTheExperiment(t *testing.T) {
	const figure = "kind: bar\nx: machine\ny: time\nseries: kernel\nwhere: {threads: 1}"
	c, err := chartOf(t, sweepRows, figure)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"zen", "arc", "mid"}, c.X.Categories); diff != "" {
		t.Error(diff)
	}
	c, err = chartOf(t, strings.Replace(sweepRows, "point,", "row,", 1), figure)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"arc", "mid", "zen"}, c.X.Categories); diff != "" {
		t.Error(diff)
	}
}

// A grid has a panel for each pair of values, an empty one too, and its names are at its edges alone.
func TestFacetGrid(t *testing.T) {
	c, err := chartOf(t, sweepRows, "kind: line\nx: threads\ny: time\nfacets: {column: machine, rows: kernel, names: {sum: the sum}}\nfilter: machine != 'mid' || kernel == 'copy'")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range c.Panels {
		points := 0
		for _, s := range p.Series {
			points += len(s.Points)
		}
		got = append(got, p.Name+"/"+p.Row+" "+string(rune('0'+points)))
	}
	if diff := cmp.Diff([]string{"zen/copy 2", "arc/copy 2", "mid/copy 1", "zen/the sum 1", "arc/the sum 1", "mid/the sum 0"}, got); diff != "" {
		t.Error(diff)
	}
	for _, style := range Styles {
		l, _ := c.chooseLayout(style)
		if l.columns != 3 || l.rows != 2 {
			t.Errorf("%d columns and %d rows in a %s", l.columns, l.rows, style)
		}
		data := suite.Must(c.Draw("svg", style))(t)
		for _, name := range []string{"zen", "arc", "mid", "copy", "the sum"} {
			if n := strings.Count(string(data), ">"+name+"<"); n != 1 {
				t.Errorf("%s: %q is there %d times", style, name, n)
			}
		}
	}
	_, err = chartOf(t, sweepRows, "kind: line\nx: threads\ny: time\nfacets: {rows: kernel}")
	if !errors.Is(err, ErrMissing) {
		t.Errorf("rows without a column: %v", err)
	}
	_, err = chartOf(t, sweepRows, "kind: line\nx: threads\ny: time\nfacets: {column: machine, rows: kernels}")
	if !errors.Is(err, ErrColumn) || !strings.Contains(err.Error(), "facets.rows") {
		t.Errorf("rows of no column: %v", err)
	}
}

// The geometric mean of a and b is the root of their product: for repeated rows, and as a bar after the others.
func TestGeometricMean(t *testing.T) {
	c, err := chartOf(t, sweepRows, "kind: bar\nx: machine\ny: time\nseries: kernel\nsummary: geomean\nwhere: {threads: 1}")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"zen", "arc", "mid", "geometric mean"}, c.X.Categories); diff != "" {
		t.Error(diff)
	}
	points := c.Panels[0].Series[0].Points
	if got, want := points[3].Y, math.Cbrt(10*20*15); math.Abs(got-want) > 1e-9 || points[3].X != 3 || points[3].Rows != 3 {
		t.Errorf("%+v, want %g", points[3], want)
	}
	c, err = chartOf(t, "a,b\n1,2\n1,8\n", "kind: line\nx: a\ny: b\ncombine: geomean")
	if err != nil || math.Abs(c.Panels[0].Series[0].Points[0].Y-4) > 1e-12 {
		t.Errorf("of 2 and 8: %+v, %v", c, err)
	}
	for figure, key := range map[string]string{"kind: line\nx: a\ny: b\ncombine: geomean": "combine", "kind: bar\nx: a\ny: b\ncombine: mean\nsummary: geomean": "summary"} {
		if _, err := chartOf(t, "a,b\n1,0\n1,0\n2,4\n", figure); !errors.Is(err, ErrRange) || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", key, err)
		}
	}
	if _, err := chartOf(t, sweepRows, "kind: line\nx: threads\ny: time\nsummary: mean"); err == nil || !strings.Contains(err.Error(), "summary") {
		t.Errorf("a summary of lines: %v", err)
	}
}

// A palette only changes colours; it has as many as there are looks, all different.
func TestPalettes(t *testing.T) {
	draw := func(palette string) string {
		c := suite.Must(chartOf(t, sweepRows, "kind: bar\nx: machine\ny: time\nseries: kernel\nwhere: {threads: 1}\n"+palette))(t)
		data := suite.Must(c.Draw("svg", "column"))(t)
		return string(data)
	}
	if draw("") != draw("palette: okabe-ito") {
		t.Error("okabe-ito is not the palette that figures have")
	}
	for name, colors := range palettes {
		seen := map[string]bool{}
		for i := range colors {
			f := &Figure{Palette: name}
			l, plain := f.lookOf(i), lookOf(i)
			seen[string([]byte{l.color.R, l.color.G, l.color.B})] = true
			if l.color = plain.color; cmp.Diff(l.dash, plain.dash)+cmp.Diff(l.hatch, plain.hatch) != "" {
				t.Errorf("%s changes more than colours", name)
			}
		}
		if len(colors) != len(looks) || len(seen) != len(looks) {
			t.Errorf("%s has %d colours, %d different", name, len(colors), len(seen))
		}
		if draw("palette: "+name) == draw("") {
			t.Errorf("%s changes nothing", name)
		}
	}
}
