package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"spvsim/internal/lists"
)

// Chart is a figure with its data, ready to be drawn.
type Chart struct {
	Kind    string
	Title   string
	X, Y    Dimension
	Panels  []Panel
	Dropped int // rows without x, y or another value that places them

	Warnings []string // caveats about the data, for the reader

	figure *Figure // its annotations are on the axes: categories that are numbers are counted
	series []levelValue
	value  Dimension // of a heat map's colours

	gridColumns int // of panels, in a grid of rows by columns
}

// Dimension is an axis, or the scale of colours.
type Dimension struct {
	Label      string   // with the unit
	Scale      string   // linear, log2, log10 or category
	Categories []string // names for people, at 0, 1, 2...

	numbers []float64 // the categories, where they are numbers that ascend
	values  []float64 // few distinct x of a line, ascending, at which ticks are drawn
}

// Panel is one pair of axes.
type Panel struct {
	Name   string // empty without facets
	Row    string // in a grid
	Series []Series
}

// Series is a set of points with one colour and one entry in the legend.
type Series struct {
	Name   string
	Index  int // picks colour, marker and dash; the same in all panels
	Band   bool
	Points []Point
}

// Point is one mark. Fields that a kind does not use are 0.
type Point struct {
	X, Y      float64   // of a category, its index
	Low, High float64   // band; of a stacked bar its ends
	End       float64   // where a span ends
	Value     float64   // colour of a heat map's cell
	Values    []float64 // all of a box, ascending
	Text      string
	Rows      int // that became this point
}

// observation is one value of a row; a row has several if y has several columns.
type observation struct {
	row           int
	facet, series int
	x, y          float64
	low, high     float64
	end, value    float64
	measured      float64 // y, or a heat map's value
}

// Build computes the chart of a figure from rows.
func Build(f *Figure, t *Table) (*Chart, error) {
	s, err := selectRows(f, t)
	if err != nil {
		return nil, err
	}
	b := &builder{selection: s, chart: &Chart{Kind: f.Kind, Title: f.Title, figure: f}}
	for _, step := range []func() error{b.findColumns, b.axes, b.groups, b.checkCounts, b.observe, b.relate, b.panels, b.summarize, b.warnOfPools, b.checkValues, b.checkAnnotations, b.checkTexts, b.checkSight} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return b.chart, nil
}

type builder struct {
	*selection
	chart *Chart

	x, end, value, text, low, high *Column
	y                              []*Column
	seriesBy, facetBy, rowBy       *Column

	xLevels, yLevels []levelValue // of categories, as xIndex and yIndex count them
	xIndex, yIndex   map[string]int
	facets, rows     []levelValue // panels are listed row by row
	series           []levelValue
	hidden           map[string]bool // values of series that are not drawn
	obs              []observation
	pooled           []string // axes whose values became one point, and that the figure does not name
}

func (b *builder) findColumns() error {
	f := b.f
	b.y = make([]*Column, len(f.Y.Columns))
	wants := []struct {
		path, name string
		into       **Column
		number     bool
	}{
		{"x", f.X.Column, &b.x, !b.xMayBeText()},
		{"end", f.End, &b.end, true},
		{"value", f.Value.Column, &b.value, true},
		{"text", f.Text, &b.text, false},
		{"band.low", f.Band.Low, &b.low, true},
		{"band.high", f.Band.High, &b.high, true},
		{"series", f.Series.Column, &b.seriesBy, false},
		{"facets", f.Facets.Column, &b.facetBy, false},
		{"facets.rows", f.Facets.Rows, &b.rowBy, false},
	}
	for i, name := range f.Y.Columns {
		wants = append(wants, wants[0])
		w := &wants[len(wants)-1]
		w.path, w.name, w.into, w.number = fmt.Sprintf("y.columns[%d]", i), name, &b.y[i], true
	}
	if f.Y.Column != "" {
		b.y = make([]*Column, 1)
		wants = append(wants, wants[0])
		w := &wants[len(wants)-1]
		w.path, w.name, w.into, w.number = "y", f.Y.Column, &b.y[0], !categoryY[f.Kind]
	}
	for _, w := range wants {
		if err := b.findColumn(w.path, w.name, w.into, w.number); err != nil {
			return err
		}
	}
	for i, name := range f.Band.Over {
		var pooled *Column
		if err := b.findColumn(fmt.Sprintf("band.over[%d]", i), name, &pooled, false); err != nil {
			return err
		}
	}
	return nil
}

// xMayBeText are kinds that can space x evenly.
func (b *builder) xMayBeText() bool {
	return categoryX[b.f.Kind] || b.f.Kind == "line" && (b.f.X.Scale == "" || b.f.X.Scale == "category")
}

var (
	categoryX = map[string]bool{"bar": true, "stacked": true, "box": true, "heatmap": true}
	categoryY = map[string]bool{"heatmap": true, "timeline": true}
)

func (b *builder) findColumn(path, name string, into **Column, number bool) error {
	if name == "" {
		return nil
	}
	c := b.t.Column(name)
	switch {
	case c == nil:
		return b.f.fail(path, ErrColumn, b.t.missing(name))
	case number && c.Type != Number:
		return b.f.fail(path, ErrType, fmt.Sprintf("column %q of %s is text (%q): want numbers", name, b.t.File, firstText(c)))
	}
	*into = c
	return nil
}

// firstText is a cell that keeps a column from being numbers.
func firstText(c *Column) string {
	for _, s := range c.Texts {
		if s != "" {
			return s
		}
	}
	return ""
}

func (b *builder) axes() error {
	f := b.f
	xCategory := categoryX[f.Kind] || b.x.Type == Text || f.X.Scale == "category" && f.Kind == "line"
	var err error
	if b.chart.X, b.xLevels, err = b.axis("x", &f.X, b.x, xCategory); err != nil {
		return err
	}
	b.chart.placeAnnotations()
	var y *Column
	if len(f.Y.Columns) == 0 {
		y = b.y[0]
	}
	if b.chart.Y, b.yLevels, err = b.axis("y", &f.Y, y, categoryY[f.Kind]); err != nil {
		return err
	}
	if b.value != nil {
		b.chart.value = Dimension{Label: labelOf(f.Value.Label, f.Value.Column, f.Value.Unit), Scale: cmp.Or(f.Value.Scale, "linear")}
	}
	b.xIndex, b.yIndex = indexOf(b.xLevels), indexOf(b.yLevels)
	return nil
}

func (b *builder) axis(path string, a *Axis, c *Column, category bool) (Dimension, []levelValue, error) {
	d := Dimension{Scale: cmp.Or(b.f.scaleOf(a), "linear")}
	switch {
	case b.f.lines[path+".label"] > 0 && a.Label == "": // given as empty: no label is wanted
	case c != nil:
		d.Label = labelOf(a.Label, c.Name, a.Unit)
	case a.Label != "":
		d.Label = labelOf(a.Label, "", a.Unit)
	default:
		d.Label = a.Unit
	}
	switch {
	case category && a.Scale != "" && a.Scale != "category":
		return d, nil, b.f.fail(path+".scale", ErrRange, fmt.Sprintf("found %s: want category, as a %s figure has categories here", a.Scale, b.f.Kind))
	case !category && a.Scale == "category":
		return d, nil, b.f.fail(path+".scale", ErrRange, fmt.Sprintf("found category: want a scale of numbers in a %s figure", b.f.Kind))
	case !category && a.Order != nil:
		return d, nil, b.f.fail(path+".order", ErrRange, "found order on an axis of numbers: want scale: category")
	case !category:
		return d, nil, nil
	}
	levels, err := b.arrange(c, path, b.levelsOf(c, a.Names), a.Order, nil, a.Names)
	if err == nil && len(levels) == 0 {
		err = b.f.fail(path, ErrEmpty, fmt.Sprintf("found no value in column %q of the %d rows of %s that are left: want at least one", c.Name, b.t.Rows, b.t.File))
	}
	d.Scale = "category"
	for _, l := range levels {
		d.Categories = append(d.Categories, l.label())
	}
	if c.Type == Number {
		d.count(levels)
	}
	return d, levels, err
}

// count notes the values of categories that are numbers and ascend.
func (d *Dimension) count(levels []levelValue) {
	for i, l := range levels {
		v, err := strconv.ParseFloat(l.value, 64)
		if err != nil || i > 0 && v <= d.numbers[i-1] {
			d.numbers = nil
			return
		}
		d.numbers = append(d.numbers, v)
	}
}

// positionOf returns the position of a value among numeric categories: between two of them in proportion.
func (d *Dimension) positionOf(v float64) float64 {
	n := d.numbers
	i := sort.SearchFloat64s(n, v)
	switch {
	case len(n) == 0:
		return v
	case i == len(n):
		return float64(len(n)) - 0.5
	case n[i] == v:
		return float64(i)
	case i == 0:
		return -0.5
	}
	return float64(i-1) + (v-n[i-1])/(n[i]-n[i-1])
}

// placeAnnotations converts the x of annotations to positions on the axis.
func (c *Chart) placeAnnotations() {
	if len(c.X.numbers) == 0 {
		return
	}
	put := func(v *float64) *float64 {
		if v == nil {
			return nil
		}
		at := c.X.positionOf(*v)
		return &at
	}
	f := *c.figure
	f.Annotations = append([]Annotation(nil), f.Annotations...)
	for i := range f.Annotations {
		a := &f.Annotations[i]
		a.X, a.VLine = put(a.X), put(a.VLine)
		points := make([][]float64, 0, len(a.Points))
		for _, p := range a.Points {
			points = append(points, []float64{c.X.positionOf(p[0]), p[1]})
		}
		if a.Points != nil {
			a.Points = points
		}
	}
	c.figure = &f
}

func labelOf(label, column, unit string) string {
	label = cmp.Or(label, column)
	if unit != "" {
		label += " (" + unit + ")"
	}
	return label
}

func indexOf(levels []levelValue) map[string]int {
	m := map[string]int{}
	for i, l := range levels {
		m[l.value] = i
	}
	return m
}

// groups finds the series and the panels. Hidden series are removed only after baselines have been taken from them.
func (b *builder) groups() error {
	f := b.f
	b.series, b.facets, b.rows = []levelValue{{}}, []levelValue{{}}, []levelValue{{}}
	b.hidden = map[string]bool{}
	switch {
	case b.seriesBy != nil:
		all := b.levelsOf(b.seriesBy, f.Series.Names)
		shown, err := b.arrange(b.seriesBy, "series", append([]levelValue(nil), all...), f.Series.Order, f.Series.Hide, f.Series.Names)
		if err != nil {
			return err
		}
		b.chart.series, b.series = shown, shown
		for _, v := range f.Series.Hide {
			b.hidden[v] = true
			b.series = append(b.series[:len(b.series):len(b.series)], levelValue{value: v})
		}
	case len(b.y) > 1 || len(f.Y.Columns) > 0:
		b.series = nil
		for _, c := range b.y {
			b.series = append(b.series, levelValue{value: c.Name, name: f.Y.Names.first(c.Name, c.Name)})
		}
		b.chart.series = b.series
	default:
		b.chart.series = b.series
	}
	if b.facetBy == nil {
		return nil
	}
	if b.rowBy != nil {
		b.rows = b.levelsOf(b.rowBy, f.Facets.Names)
	}
	var err error
	b.facets, err = b.arrange(b.facetBy, "facets", b.levelsOf(b.facetBy, f.Facets.Names), f.Facets.Order, f.Facets.Hide, f.Facets.Names)
	return err
}

// Limits of one figure.
const (
	maxPanels = 100
	maxSeries = 256
)

// checkCounts refuses more series and panels than a reader can distinguish: the wrong column was named.
func (b *builder) checkCounts() error {
	if n := len(b.series); n > maxSeries {
		return b.f.fail("series", ErrLimit, fmt.Sprintf("found %d series: want at most %d", n, maxSeries))
	}
	if n := len(b.facets) * len(b.rows); n > maxPanels {
		return b.f.fail("facets", ErrLimit, fmt.Sprintf("found %d panels: want at most %d", n, maxPanels))
	}
	return nil
}

// observe turns rows into observations; it counts and drops those without a position.
func (b *builder) observe() error {
	series, facets, rows := indexOf(b.series), indexOf(b.facets), indexOf(b.rows)
	for row := range b.t.Rows {
		facet, drawn := groupOf(b.facetBy, facets, row)
		inRow, placed := groupOf(b.rowBy, rows, row)
		facet += inRow * len(b.facets)
		s, told := groupOf(b.seriesBy, series, row)
		if !drawn || !placed { // hidden, or without a panel's name
			if !placed || b.facetBy.text(row) == "" {
				b.chart.Dropped++
			}
			continue
		}
		for i, y := range b.y {
			o := observation{row: row, facet: facet, series: s}
			if len(b.y) > 1 {
				o.series = i
			}
			if !b.placeObservation(&o, y) || !told {
				b.chart.Dropped++
				continue
			}
			b.obs = append(b.obs, o)
		}
	}
	if len(b.obs) == 0 {
		return b.f.fail("", ErrEmpty, fmt.Sprintf("found no point in the %d rows of %s that are left: want rows with x, y and the other columns of a point", b.t.Rows, b.t.File))
	}
	return nil
}

func groupOf(c *Column, index map[string]int, row int) (int, bool) {
	if c == nil {
		return 0, true
	}
	i, ok := index[c.text(row)]
	return i, ok
}

// placeObservation sets the position of an observation, and reports whether all of its values exist.
func (b *builder) placeObservation(o *observation, y *Column) bool {
	o.x, o.y = position(b.x, b.xIndex, b.xLevels, o.row), position(y, b.yIndex, b.yLevels, o.row)
	o.measured = o.y
	type extra struct {
		from *Column
		into *float64
	}
	extras := []extra{{b.end, &o.end}, {b.value, &o.value}}
	if b.isBanded(y) {
		extras = append(extras, extra{b.low, &o.low}, extra{b.high, &o.high})
	} else {
		o.low, o.high = o.y, o.y
	}
	ok := isFinite(o.x) && isFinite(o.y)
	for _, e := range extras {
		if e.from != nil {
			*e.into = e.from.Numbers[o.row]
			ok = ok && isFinite(*e.into)
		}
	}
	if b.value != nil {
		o.measured = o.value
	}
	return ok
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func position(c *Column, index map[string]int, levels []levelValue, row int) float64 {
	if levels == nil {
		return c.Numbers[row]
	}
	if i, ok := index[c.text(row)]; ok {
		return float64(i)
	}
	return math.NaN()
}

// relatives compute the drawn value from a value and its baseline.
var relatives = map[string]func(y, base float64) float64{
	"speedup": func(y, base float64) float64 { return base / y },
	"ratio":   func(y, base float64) float64 { return y / base },
	"percent": func(y, base float64) float64 { return 100 * (y/base - 1) },
}

// relate divides every value by its baseline: the mean of the rows that match relative_to and are otherwise at the same
// place. Then it removes hidden series.
func (b *builder) relate() error {
	if len(b.f.RelativeTo) > 0 {
		if err := b.relateAll(); err != nil {
			return err
		}
	}
	return b.hide()
}

// hide drops the hidden series.
func (b *builder) hide() error {
	shown := b.obs[:0]
	for _, o := range b.obs {
		if b.seriesBy == nil || !b.hidden[b.seriesBy.text(o.row)] {
			shown = append(shown, o)
		}
	}
	b.obs = shown
	if len(shown) == 0 {
		return b.f.fail("series.hide", ErrEmpty, "found all series hidden: want at least one")
	}
	return nil
}

func (b *builder) relateAll() error {
	matched := map[string][]float64{}
	freed := map[string]bool{}
	for _, w := range b.f.RelativeTo {
		freed[w.Key] = true
		if c := b.t.Column(w.Key); c == nil {
			return b.f.fail(joinPath("relative_to", w.Key), ErrColumn, b.t.missing(w.Key))
		}
	}
	for _, o := range b.obs {
		if b.isBaseline(o.row) {
			matched[b.place2(o, freed)] = append(matched[b.place2(o, freed)], o.measured)
		}
	}
	if len(matched) == 0 {
		return b.f.fail("relative_to", ErrEmpty, "found no row with "+pairsText(b.f.RelativeTo))
	}
	as := relatives[cmp.Or(b.f.RelativeAs, "speedup")]
	for i := range b.obs {
		o := &b.obs[i]
		bases := matched[b.place2(*o, freed)]
		if len(bases) == 0 {
			return b.f.fail("relative_to", ErrEmpty, fmt.Sprintf("found no row with %s at %s", pairsText(b.f.RelativeTo), b.placeText(*o, freed)))
		}
		if err := b.relateOne(o, mean(bases), as); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) relateOne(o *observation, base float64, as func(y, base float64) float64) error {
	y := as(o.measured, base)
	if !isFinite(y) {
		return b.f.fail("relative_to", ErrRange, fmt.Sprintf("found %g relative to %g at %s: want a number as the result", o.measured, base, b.placeText(*o, nil)))
	}
	o.measured = y
	if b.value != nil {
		o.value = y
		return nil
	}
	o.y = y
	if b.low != nil {
		low, high := as(o.low, base), as(o.high, base)
		o.low, o.high = min(low, high), max(low, high)
	}
	return nil
}

func (b *builder) isBaseline(row int) bool {
	return !slices.ContainsFunc(b.f.RelativeTo, func(w Pair) bool { return !b.t.Column(w.Key).is(row, w.Values[0]) })
}

func pairsText(p Pairs) string {
	words := lists.Map(p, func(e Pair) string { return e.Key + " = " + strings.Join(e.Values, " or ") })
	return strings.Join(words, ", ")
}

// place2 spells where an observation is, but for the columns that are freed.
func (b *builder) place2(o observation, freed map[string]bool) string {
	return strings.Join(b.placeWords(o, freed), "\x00")
}

func (b *builder) placeText(o observation, freed map[string]bool) string {
	return strings.Join(b.placeWords(o, freed), ", ")
}

func (b *builder) placeWords(o observation, freed map[string]bool) []string {
	columns := []*Column{b.x, b.seriesBy, b.facetBy, b.rowBy}
	if b.value != nil {
		columns = append(columns, b.y[0])
	}
	var words []string
	for _, c := range columns {
		if c != nil && !freed[c.Name] {
			words = append(words, c.Name+" = "+c.text(o.row))
		}
	}
	if len(b.y) > 1 {
		words = append(words, "column "+b.y[o.series].Name)
	}
	return words
}

// panels turns the observations into the series of each panel.
func (b *builder) panels() error {
	b.chart.gridColumns = len(b.facets)
	sorted := b.sorted()
	for fi := range len(b.facets) * len(b.rows) {
		facet := b.facets[fi%len(b.facets)]
		p := Panel{Name: facet.name, Row: b.rows[fi/len(b.facets)].name}
		if b.facetBy != nil && b.f.Facets.Label != "" {
			p.Name = b.f.Facets.Label + " = " + facet.name
		}
		for si, l := range b.chart.series {
			points, err := kinds[b.f.Kind].points(b, sorted[[2]int{fi, si}])
			if err != nil {
				return err
			}
			if len(points) > 0 {
				p.Series = append(p.Series, Series{Name: l.name, Index: si, Band: b.hasBand(si), Points: points})
			}
		}
		if b.f.Kind == "stacked" {
			if err := b.stack(p.Series); err != nil {
				return err
			}
		}
		if len(p.Series) > 0 || b.rowBy != nil { // a grid keeps its empty panels
			b.chart.Panels = append(b.chart.Panels, p)
		}
	}
	return nil
}

// isBanded reports whether the columns of a band belong to a column of y.
func (b *builder) isBanded(y *Column) bool { return b.f.Band.Of == "" || b.f.Band.Of == y.Name }

func (b *builder) hasBand(series int) bool {
	if len(b.y) > 1 && !b.isBanded(b.y[series]) {
		return false
	}
	return b.low != nil || b.f.Band.As == "confidence" || b.f.Band.As == "range"
}

// sorted are the observations of each facet and series, by x and then y.
func (b *builder) sorted() map[[2]int][]observation {
	out := map[[2]int][]observation{}
	for _, o := range b.obs {
		at := [2]int{o.facet, o.series}
		out[at] = append(out[at], o)
	}
	for _, list := range out {
		sort.SliceStable(list, func(i, j int) bool {
			if c := compareNumbers(list[i].x, list[j].x); c != 0 {
				return c < 0
			}
			return list[i].y < list[j].y && b.value != nil
		})
	}
	return out
}
