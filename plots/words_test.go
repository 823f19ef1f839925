package plots

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"spvsim/internal/suite"
)

// A key of a figure accepts the values of its type as YAML writes them, and no others: quoted values are texts only.
func TestValuesOfKeys(t *testing.T) {
	type all struct {
		B bool
		I int
		F float64
		S string
	}
	for text, want := range map[string]string{
		"true": "BS", "false": "BS", "yes": "S", `"true"`: "S", "1": "IFS", "-3": "IFS", "2147483647": "IFS", "2147483648": "FS", "1.5": "FS", "1e300": "FS", "2e300": "S", "-1e300": "FS", "-2e300": "S",
		`"1"`: "S", `'1.5'`: "S", "~": "", `"~"`: "S", "x": "S", ".inf": "S",
	} {
		var n yaml.Node
		suite.OK(t, yaml.Unmarshal([]byte(text), &n))
		var to all
		got := ""
		for i := range 4 {
			if setScalar(n.Content[0], reflect.ValueOf(&to).Elem().Field(i)) {
				got += string("BIFS"[i])
			}
		}
		if got != want {
			t.Errorf("%s is taken for %s, want %s", text, got, want)
		}
	}
	figure := []byte("{kind: line, x: a, y: b}")
	for more, ok := range map[int]bool{0: true, 1: false} {
		data := append(append([]byte(nil), figure...), []byte(strings.Repeat(" ", maxFigureBytes-len(figure)+more))...)
		if _, err := Read("f.yaml", data); (err == nil) != ok || err != nil && !errors.Is(err, ErrLimit) {
			t.Errorf("%d bytes: %v", len(data), err)
		}
	}
}

// Every column that a figure names must be there, by the key that names it.
func TestNamedColumnsAreThere(t *testing.T) {
	table := suite.Must(ReadCSV("rows.csv", strings.NewReader("a,b,c,d,e,f\n1,2,x,y,3,4\n")))(t)
	for _, c := range []struct{ figure, column, key string }{
		{"kind: line\nx: a\ny: b\nseries: c\nfacets: d\n", "a", "x"}, {"kind: line\nx: a\ny: b\nseries: c\nfacets: d\n", "b", "y"}, {"kind: line\nx: a\ny: b\nseries: c\nfacets: d\n", "c", "series"},
		{"kind: line\nx: a\ny: b\nfacets: {column: d, rows: c}\n", "d", "facets"}, {"kind: line\nx: a\ny: b\nfacets: {column: d, rows: c}\n", "c", "facets"},
		{"kind: line\nx: a\ny: b\nwhere: {c: x}\n", "c", "where.c"}, {"kind: line\nx: a\ny: b\nrelative_to: {c: x}\n", "c", "relative_to.c"}, {"kind: line\nx: a\ny: b\nfilter: e > 1\n", "e", "filter"},
		{"kind: line\nx: a\ny: b\nband: {low: e, high: f}\n", "e", "band"}, {"kind: line\nx: a\ny: b\nband: {low: e, high: f}\n", "f", "band"},
		{"kind: line\nx: a\ny: {columns: [b, e]}\n", "e", "y"}, {"kind: timeline\nx: a\ny: c\nend: e\n", "e", "end"}, {"kind: heatmap\nx: a\ny: b\nvalue: e\n", "e", "value"}, {"kind: scatter\nx: a\ny: b\ntext: d\n", "d", "text"},
	} {
		f, err := Read("f.yaml", []byte(c.figure))
		if err != nil {
			t.Fatal(c.figure, err)
		}
		if err := f.CheckNames(table); err != nil {
			t.Errorf("%s: %v", c.figure, err)
		}
		less := &Table{File: "rows.csv", Rows: 1}
		for _, column := range table.Columns {
			if column.Name != c.column {
				less.Columns = append(less.Columns, column)
			}
		}
		if err := f.CheckNames(less); err == nil || !strings.Contains(err.Error(), c.key) {
			t.Errorf("%s without %s: %v, want a fault at %s", c.figure, c.column, err, c.key)
		}
	}
}

// Ticks of logarithmic axes are in order and within the axis; labelled are powers, evenly spaced, or 1, 2 and 5, or
// halves between, and about as many as requested.
func TestTicksOfLogarithmicAxes(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	for range 3000 {
		kind := []string{"log2", "log10"}[r.IntN(2)]
		low := math.Exp((r.Float64() - 0.5) * 40)
		s := newScale(kind, low, low*math.Exp(0.5+r.Float64()*r.Float64()*80))
		n := 2 + r.IntN(15)
		var powers []int
		labelled, whole := 0, true
		for _, tick := range scaleTicks[kind](s, n) {
			if tick.Value < s.low*(1-1e-6) || tick.Value > s.high*(1+1e-6) {
				t.Fatalf("%s from %g to %g: a tick at %g", kind, s.low, s.high, tick.Value)
			}
			if tick.Label == "" {
				continue
			}
			labelled++
			e := math.Log(tick.Value) / math.Log(base[kind])
			if math.Abs(e-math.Round(e)) > 1e-6 {
				whole = false
			}
			powers = append(powers, int(math.Round(e)))
		}
		if whole {
			for i := 2; i < len(powers); i++ {
				if powers[i]-powers[i-1] != powers[1]-powers[0] {
					t.Fatalf("%s from %g to %g, %d ticks: powers %v", kind, s.low, s.high, n, powers)
				}
			}
		}
		if first, last := s.powers(); last-first >= n && (labelled > n+1 || labelled < n/4) {
			t.Fatalf("%s from %g to %g, %d ticks: %d are labelled", kind, s.low, s.high, n, labelled)
		}
		if first, last := s.powers(); math.Pow(base[kind], float64(first)) < s.low*(1-1e-6) || math.Pow(base[kind], float64(first-1)) > s.low*(1+1e-6) ||
			math.Pow(base[kind], float64(last)) > s.high*(1+1e-6) || math.Pow(base[kind], float64(last+1)) < s.high*(1-1e-6) {
			t.Fatalf("%s from %g to %g has the powers %d to %d", kind, s.low, s.high, first, last)
		}
	}
	for first := -30; first <= 30; first += 7 {
		for last := first; last < first+300; last += 1 + (last-first)/5 {
			for n := 2; n <= 16; n++ {
				stride, anchor := evenStride(first, last, n)
				labels := (last-anchor)/stride + 1
				if stride < 1 || anchor < first || anchor >= first+stride || labels > n+1 || stride > plainStride && anchor%stride != 0 && (last-first)%stride != 0 {
					t.Fatalf("powers %d to %d, %d ticks: every %d from %d on", first, last, n, stride, anchor)
				}
				if round := roundStride((last - first + n) / n); (last-first)%round == 0 && round <= plainStride && (stride != round || anchor != first) {
					t.Fatalf("powers %d to %d, %d ticks: every %d from %d on, and %d divides them", first, last, n, stride, anchor, round)
				}
			}
		}
	}
}

// Numbers at an axis are as short as they can be read.
func TestAxisNumbers(t *testing.T) {
	for v, want := range map[float64]string{0.5: "1/2", 0.25: "1/4", 0.375: "3/8", 0.75: "3/4", 1.0 / 1024: "1/1024", 0.3: "0.3", 0.6: "0.6", 0.0123456: "0.0123"} {
		if got := fraction(v); got != want {
			t.Errorf("%g is %s, want %s", v, got, want)
		}
	}
	for v, want := range map[float64]string{3.14159: "3.14", 999.4: "999", 1000: "1000", 1234: "1230", 1235: "1240", 99999: "100000", 123456: "123000", 0.00123: "0.00123", 1e6: "1000000"} {
		if got := placeNumber(v); got != want {
			t.Errorf("%g is %s, want %s", v, got, want)
		}
	}
	for _, c := range []struct {
		mantissa       float64
		base, exponent int
		want           string
	}{{1, 10, 5, "10^{5}"}, {1 + 1e-7, 2, -3, "2^{–3}"}, {2.5, 10, 4, "2.5·10^{4}"}, {1.5, 2, 70, "1.5·2^{70}"}} {
		if got := scientific(c.mantissa, c.base, c.exponent); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	for _, c := range []struct {
		values []float64
		want   string
	}{{[]float64{1, 10, 100}, "1 10 100"}, {[]float64{0.001, 1}, "0.001 1"}, {[]float64{0.0001, 1}, "10^{–4} 10^{0}"}, {[]float64{1, 10000}, "10^{0} 10^{4}"}, {[]float64{2, 5, 9999}, "2 5 9999"}, {[]float64{20000, 50000}, "2·10^{4} 5·10^{4}"}} {
		if got := strings.Join(log10Labels(c.values), " "); got != c.want {
			t.Errorf("%v: %s, want %s", c.values, got, c.want)
		}
	}
	for _, c := range []struct {
		values []float64
		unit   float64
		want   int
	}{{[]float64{1, 2}, 1, 0}, {[]float64{1, 2.5}, 1, 1}, {[]float64{1500, 2000}, 1000, 1}, {[]float64{0.125}, 1, 3}, {[]float64{1.0 / 3}, 1, 6}} {
		if got := decimalsOf(c.values, c.unit); got != c.want {
			t.Errorf("%v by %g: %d decimals, want %d", c.values, c.unit, got, c.want)
		}
	}
	if got := positive([]plot.Tick{{Value: -1}, {Value: 0}, {Value: 2}, {Value: 5}}); len(got) != 2 || got[0].Value != 2 {
		t.Errorf("above 0: %v", got)
	}
}

// Values of repeated rows are combined by the rule's own definition, for any number of them.
func TestCombinations(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 12))
	for n := 1; n < 30; n++ {
		values := make([]float64, n)
		sum, product, square := 0.0, 1.0, 0.0
		for i := range values {
			values[i] = 0.5 + float64(i) + r.Float64()
			sum, product = sum+values[i], product*values[i]
		}
		mean := sum / float64(n)
		for _, v := range values {
			square += (v - mean) * (v - mean)
		}
		median := (values[(n-1)/2] + values[n/2]) / 2
		for name, want := range map[string]float64{"mean": mean, "geomean": math.Pow(product, 1/float64(n)), "median": median, "min": values[0], "max": values[n-1], "sum": sum} {
			if got := combines[name](values); math.Abs(got-want) > 1e-9*want {
				t.Errorf("%s of %d: %g, want %g", name, n, got, want)
			}
		}
		low, high := bands["range"](values)
		if low != values[0] || high != values[n-1] {
			t.Errorf("range of %d: %g to %g", n, low, high)
		}
		low, high = bands["confidence"](values)
		half := 0.0
		if n > 1 {
			half = studentPoint(n-1) * math.Sqrt(square/float64(n-1)) / math.Sqrt(float64(n))
		}
		if math.Abs(low-mean+half) > 1e-9 || math.Abs(high-mean-half) > 1e-9 {
			t.Errorf("confidence of %d: %g to %g, want %g about %g", n, low, high, half, mean)
		}
		for _, q := range []float64{0, 0.25, 0.5, 0.75, 1} {
			at := q * float64(n-1)
			below, above := values[int(math.Floor(at))], values[int(math.Ceil(at))]
			if got, want := quantile(values, q), below+(at-math.Floor(at))*(above-below); math.Abs(got-want) > 1e-9 {
				t.Errorf("quantile %g of %d: %g, want %g", q, n, got, want)
			}
		}
	}
	for freedom := 1; freedom < 200; freedom++ {
		if a, b := studentPoint(freedom), studentPoint(freedom+1); !(a > b && b > 1.95996) {
			t.Errorf("%d degrees: %g, one more: %g", freedom, a, b)
		}
	}
	if !math.IsNaN(geomean([]float64{2, 0})) || !math.IsNaN(geomean([]float64{-1, 3})) {
		t.Error("a geometric mean of what is not above 0")
	}
}

// A name is broken at the space nearest its middle if it is too wide, and only then.
func TestNamesBreakInTheMiddle(t *testing.T) {
	f := build(t, "line").font()
	for text, want := range map[string]string{"one two": "one\ntwo", "a longer name": "a longer\nname", "single": "single", "a b c d": "a b\nc d", "aa bbbbbbbbbb": "aa\nbbbbbbbbbb"} {
		w := f.width(text, smallSize)
		if got := f.breakLabel(text, smallSize, w); got != text {
			t.Errorf("%q with space for it: %q", text, got)
		}
		if got := f.breakLabel(text, smallSize, w-0.01); got != want {
			t.Errorf("%q with a little less: %q, want %q", text, got, want)
		}
	}
	for n, want := range map[int]float64{0: 3, 1: 3, 2: 1.5, 3: 1} {
		ticks := make([]plot.Tick, 3)
		for i := range n {
			ticks[i].Label = fmt.Sprint(i)
		}
		if got := float64(labelled(ticks)); got != want {
			t.Errorf("%d labels of 3 share %g each, want %g", n, got, want)
		}
	}
}

// Numeric categories are one apart, with values between two of them in proportion; a value beyond the last is half a
// place from it.
func TestCategoryPositions(t *testing.T) {
	d := &Dimension{numbers: []float64{1, 2, 4, 8}}
	for v, want := range map[float64]float64{0: -0.5, 0.99: -0.5, 1: 0, 1.5: 0.5, 2: 1, 3: 1.5, 2.5: 1.25, 4: 2, 7: 2.75, 8: 3, 8.01: 3.5, 100: 3.5} {
		if got := d.positionOf(v); math.Abs(got-want) > 1e-12 {
			t.Errorf("%g is at %g, want %g", v, got, want)
		}
	}
	if got := (&Dimension{}).positionOf(7); got != 7 {
		t.Errorf("among names, 7 is at %g", got)
	}
	c := suite.Must(chartOf(t, "n,t\n1,5\n2,6\n4,7\n", "{kind: bar, x: n, y: t, annotations: [{vline: 3}, {x: 1.5, y: 6, text: a}, {points: [[4, 9]], source: m}, {hline: 3}]}"))(t)
	a := c.figure.Annotations
	if *a[0].VLine != 1.5 || *a[1].X != 0.5 || *a[1].Y != 6 || a[2].Points[0][0] != 2 || a[2].Points[0][1] != 9 || a[3].Points != nil || *a[3].HLine != 3 {
		t.Errorf("%+v", a)
	}
}

// Panels that share an axis have the range of all, others their own; an empty panel of a grid has the range of all.
func TestSharedAxes(t *testing.T) {
	const rows = "p,n,t\na,1,10\na,2,20\nb,100,1000\nb,200,3000\n"
	for share, want := range map[string][2]bool{"both": {true, true}, "x": {true, false}, "y": {false, true}, "none": {false, false}} {
		c := suite.Must(chartOf(t, rows, "{kind: line, x: n, y: t, facets: {column: p, share: "+share+"}}"))(t)
		l, _ := c.chooseLayout("page")
		x, y := l.panes[0].axes.X == l.panes[1].axes.X, l.panes[0].axes.Y == l.panes[1].axes.Y
		if x != want[0] || y != want[1] {
			t.Errorf("shared %s: x %t, y %t", share, x, y)
		}
		for i, p := range l.panes {
			if p.showX != (!want[0] || i+l.columns >= len(l.panes)) || p.showY != (!want[1] || i%l.columns == 0) {
				t.Errorf("shared %s: panel %d has labels of x: %t, of y: %t", share, i, p.showX, p.showY)
			}
		}
	}
}

// Boxes have the values in sorted order, whatever the order of the rows.
func TestBoxesAreOfSortedValues(t *testing.T) {
	c := suite.Must(chartOf(t, "n,z,t\nu,1,50\nu,2,10\nu,3,40\nu,4,20\nv,5,3\nv,6,1\n", "{kind: box, x: n, y: t}"))(t)
	p := c.Panels[0].Series[0].Points
	if want := [][]float64{{10, 20, 40, 50}, {1, 3}}; !reflect.DeepEqual([][]float64{p[0].Values, p[1].Values}, want) || p[0].Y != 30 || p[1].Y != 2 || p[0].Rows != 4 {
		t.Errorf("%+v", p)
	}
}

// A legend outside the panels has as many columns as fit, or as the figure sets; a long name stays within the figure.
func TestColumnsOfLegends(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("n,t,s\n")
	for i := range 7 {
		fmt.Fprintf(&rows, "1,%d,name%d\n2,%d,name%d\n", i, i, i+1, i)
	}
	for given := range 9 {
		for _, place := range []string{"bottom", "right"} {
			columns := ""
			if given > 0 {
				columns = fmt.Sprintf(", columns: %d", given)
			}
			c := suite.Must(chartOf(t, rows.String(), "{kind: line, x: n, y: t, series: s, legend: {place: "+place+columns+"}}"))(t)
			l, _ := c.chooseLayout("column")
			width, got, lines, _ := l.legendGrid()
			fits := int((l.size.X - 2*edge + entryGap) / width)
			most := given
			switch {
			case place == "right":
				most = max(given, 1)
			case given == 0 || given > fits:
				most = fits
			}
			most = min(most, 7)
			wantLines := (7 + most - 1) / most
			if want := (7 + wantLines - 1) / wantLines; got != want || lines != wantLines {
				t.Errorf("%s, %d columns asked for, %d fit: %d by %d, want %d by %d", place, given, fits, got, lines, want, wantLines)
			}
		}
	}
	for _, c := range [][4]float64{{50, 20, 100, 50}, {10, 40, 100, 20 + float64(edge)}, {95, 40, 100, 80 - float64(edge)}, {50, 94, 100, 50}} {
		if got := float64(keepInside(vg.Length(c[0]), vg.Length(c[1]), vg.Length(c[2]))); math.Abs(got-c[3]) > 1e-9 {
			t.Errorf("the middle of %g at %g in %g is at %g, want %g", c[1], c[0], c[2], got, c[3])
		}
	}
}
