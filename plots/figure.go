package plots

import "path/filepath"

// Figure is a figure as written in its file. The struct tags, which package spec explains, are the single source of names,
// ranges and descriptions, for the reader and for a JSON Schema.
type Figure struct {
	Rows  string `yaml:"rows" doc:"file of rows (.csv or .parquet), relative to the figure's file; the command line may name another"`
	Kind  string `yaml:"kind" enum:"line|bar|stacked|box|heatmap|scatter|timeline|roofline" doc:"how the rows are drawn"`
	Title string `yaml:"title" doc:"title over the figure; in papers, leave it out and use the caption. Like all texts of the file it may have Greek letters, mathematical signs, and ^{raised} and _{lowered} parts; between two dollar signs also names such as \\alpha or \\le, and ^ and _ before one character"`

	Style    string  `yaml:"style" enum:"column|page" doc:"width of the figure: column is 3.33 inches, page is 7 inches"`
	WidthIn  float64 `yaml:"width_in" range:"1..40" unit:"inches" doc:"width, instead of that of style"`
	Palette  string  `yaml:"palette" enum:"okabe-ito|bright|muted|grey" doc:"colours of series; left out, okabe-ito. Series also differ in markers, dashes and hatches"`
	Font     string  `yaml:"font" enum:"sans|serif|mono" doc:"font of all texts, embedded: Liberation Sans, Serif or Mono, with the widths of Helvetica, Times and Courier; left out, sans"`
	HeightIn float64 `yaml:"height_in" range:"1..40" unit:"inches" doc:"height; left out, it follows from the kind, the style and the panels"`

	Columns Pairs  `yaml:"columns" doc:"derived columns, as name: expression over columns and earlier derived columns"`
	Where   Pairs  `yaml:"where" doc:"rows to keep, as column: value, or a list of values"`
	Filter  string `yaml:"filter" doc:"rows to keep: those for which this expression is not 0"`

	X     Axis   `yaml:"x" doc:"horizontal axis"`
	Y     Axis   `yaml:"y" doc:"vertical axis; with several columns, each is a series"`
	End   string `yaml:"end" doc:"timeline: column of the end of a span; x is its beginning"`
	Value Shade  `yaml:"value" doc:"heatmap: column that gives the colour"`
	Text  string `yaml:"text" doc:"column of names that are written beside points (scatter, roofline) or in spans (timeline)"`

	Series Grouping `yaml:"series" doc:"column that distinguishes series"`
	Facets Facets   `yaml:"facets" doc:"column with a separate panel for each of its values"`

	Combine    string `yaml:"combine" enum:"mean|geomean|median|min|max|sum" doc:"how repeated rows become one point; geomean: geometric mean, of values above 0"`
	Band       Band   `yaml:"band" doc:"band around a line, or error bars: confidence (95 % of the mean, Student), range, or low and high columns; on a log axis, a band that reaches 0 ends at the axis"`
	Summary    string `yaml:"summary" enum:"geomean|mean|median|min|max|sum" doc:"bar: one more category after the others, with this summary of the bars of each series"`
	RelativeTo Pairs  `yaml:"relative_to" doc:"baseline, such as {scheduler: multipass}: y becomes relative to the row with the baseline's value and otherwise the same x, series and facet. If the baseline is drawn, the figure calls it so"`
	RelativeAs string `yaml:"relative_as" enum:"speedup|ratio|percent" doc:"speedup: baseline / y; ratio: y / baseline; percent: 100 (y / baseline - 1); left out, speedup"`

	Lines    string  `yaml:"lines" enum:"on|off" doc:"line: off draws only the points, for an x that has no values in between; on categories, points that would hide each other are drawn side by side"`
	Step     bool    `yaml:"step" doc:"line: whether each value holds until the next x"`
	Markers  string  `yaml:"markers" enum:"auto|on|off" doc:"line: markers at the points; auto: only where they do not touch"`
	Identity bool    `yaml:"identity" doc:"scatter: draw the line y = x, with equal axes"`
	Within   float64 `yaml:"within" range:"1..1000" doc:"scatter with identity: draw the lines y = within x and y = x / within"`
	Percent  bool    `yaml:"percent" doc:"stacked: draw shares of 100 %"`
	Cells    bool    `yaml:"cells" doc:"heatmap, bar: write the values in the cells or at the bars"`

	Roofs       []Roof       `yaml:"roofs" doc:"roofline: peaks and bandwidths"`
	Legend      Legend       `yaml:"legend" doc:"place of the legend"`
	Annotations []Annotation `yaml:"annotations" doc:"texts, lines and points that do not come from the rows"`

	File  string         `yaml:"-"` // where it was read, for errors
	lines map[string]int // line of each key, by path
}

// Axis is one axis of a figure.
type Axis struct {
	Column  string    `yaml:"column" short:"true" doc:"column of its values"`
	Columns []string  `yaml:"columns" short:"true" doc:"y: several columns, each of which is a series"`
	Label   string    `yaml:"label" doc:"label; left out, the name of the column"`
	Unit    string    `yaml:"unit" doc:"unit, written in parentheses after the label"`
	Scale   string    `yaml:"scale" enum:"linear|log2|log10|category" doc:"category: values are spaced evenly; left out: linear, or category for texts"`
	Min     *float64  `yaml:"min" doc:"lowest value shown"`
	Max     *float64  `yaml:"max" doc:"highest value shown"`
	Ticks   []float64 `yaml:"ticks" doc:"places of the ticks"`
	Order   []string  `yaml:"order" doc:"category: values in order. Without it: texts as names or where write them, if one has them all. Values that are left out follow: texts in rows of a sweep in the order of the experiment, other texts by name, numbers by size"`
	Names   Pairs     `yaml:"names" doc:"names to write, as value: name (as column: name, if y has several columns)"`
}

// Shade is the colour scale of a heat map.
type Shade struct {
	Column string   `yaml:"column" short:"true" doc:"column of its values"`
	Label  string   `yaml:"label" doc:"label"`
	Unit   string   `yaml:"unit" doc:"unit, written in parentheses after the label"`
	Scale  string   `yaml:"scale" enum:"linear|log2|log10" doc:"left out, linear"`
	Min    *float64 `yaml:"min" doc:"value of the first colour"`
	Max    *float64 `yaml:"max" doc:"value of the last colour"`
	Center *float64 `yaml:"center" doc:"value that is white, with one colour below and another above: 1 for ratios"`
}

// Grouping is a column that distinguishes series or panels.
type Grouping struct {
	Column string   `yaml:"column" short:"true" doc:"column of its values"`
	Order  []string `yaml:"order" doc:"values in order. Without it: texts as names or where write them, if one has them all. Values that are left out follow: texts in rows of a sweep in the order of the experiment, other texts by name, numbers by size"`
	Hide   []string `yaml:"hide" doc:"values that are not drawn, such as a baseline"`
	Names  Pairs    `yaml:"names" doc:"names to write, as value: name"`
}

// Facets are small multiples.
type Facets struct {
	Column  string   `yaml:"column" short:"true" doc:"column of its values"`
	Rows    string   `yaml:"rows" doc:"a second column, whose values are the rows of a grid; there is a panel for each pair of values"`
	Label   string   `yaml:"label" doc:"label over each panel, before the value: label = value"`
	Order   []string `yaml:"order" doc:"values in order. Without it: texts as names or where write them, if one has them all. Values that are left out follow: texts in rows of a sweep in the order of the experiment, other texts by name, numbers by size"`
	Hide    []string `yaml:"hide" doc:"values of column that are not drawn"`
	Names   Pairs    `yaml:"names" doc:"names to write, as value: name; also for values of rows"`
	Columns int      `yaml:"columns" range:"1..12" doc:"number of panels side by side, if there is no key rows; left out, at most 2 with style column and 3 with style page, as few as the rows of panels need"`
	Share   string   `yaml:"share" enum:"both|x|y|none" doc:"axes that the panels share; left out, both"`
}

// Band is the spread about points.
type Band struct {
	As   string   `yaml:"as" short:"true" enum:"confidence|range|none" doc:"computed over repeated rows: 95 % confidence of the mean, or lowest to highest; left out, with over: confidence"`
	Over []string `yaml:"over" single:"true" doc:"axes, as columns, whose values are pooled into a point; pooling over other axes gives a warning"`
	Low  string   `yaml:"low" doc:"column of its lower end"`
	High string   `yaml:"high" doc:"column of its upper end"`
	Of   string   `yaml:"of" doc:"where y has several columns: the one that low and high belong to; the others have no band"`
}

// Roof is one limit of a roofline: a peak (flat) or a bandwidth (a slope).
type Roof struct {
	Name      string  `yaml:"name" doc:"name written along the roof"`
	Peak      float64 `yaml:"peak" range:"0..1e100" doc:"highest y, in y's unit"`
	Bandwidth float64 `yaml:"bandwidth" range:"0..1e100" doc:"slope: y for each unit of x"`
}

// Legend describes the position and layout of the legend.
type Legend struct {
	Place   string `yaml:"place" short:"true" enum:"auto|direct|inside|right|top|bottom|none" doc:"place of the legend. direct: the name of each line at its end; inside: the emptiest place; auto, also if left out: direct for up to five lines whose ends are apart and whose names fit, else inside if it covers nothing, else outside"`
	Title   string `yaml:"title" doc:"title before or over the entries"`
	Columns int    `yaml:"columns" range:"1..12" doc:"most entries side by side; left out, as many as fit at the top or bottom, else 1"`
}

// Annotation is one mark that does not come from the rows. Its keys determine its form: vline or hline a reference
// line, points reference points drawn as open markers, crossing the place where two series cross, else a text at x, y.
type Annotation struct {
	Text     string      `yaml:"text" doc:"text at x, y, along a line, or beside a crossing (%x is its place); or the name of the points"`
	X        *float64    `yaml:"x" doc:"x of a text; on categories that are numbers, the value; on other categories, the position counted from 0; vline and points count in the same way"`
	Y        *float64    `yaml:"y" doc:"y of a text"`
	Align    string      `yaml:"align" enum:"left|center|right" doc:"how the text lies at x: begins there, is centred, or ends there"`
	VLine    *float64    `yaml:"vline" doc:"draw a vertical line at this x"`
	HLine    *float64    `yaml:"hline" doc:"draw a horizontal line at this y"`
	Points   [][]float64 `yaml:"points" doc:"reference points [x, y]"`
	Source   string      `yaml:"source" doc:"source of points or of a line; with it, they are in the legend"`
	Crossing []string    `yaml:"crossing" doc:"two series: mark where they cross; one series: mark where it crosses hline"`
	Facet    string      `yaml:"facet" doc:"panel to draw it in; in a grid, the panels of a row or a column; left out, all panels"`
}

// Pairs is a mapping in the order of the file; a scalar is a list of one.
type Pairs []Pair

// Pair is one entry of Pairs.
type Pair struct {
	Key    string
	Values []string
}

// first is the first value of a key, or other.
func (p Pairs) first(key, other string) string {
	for _, e := range p {
		if e.Key == key && len(e.Values) > 0 {
			return e.Values[0]
		}
	}
	return other
}

// values are the values of a key.
func (p Pairs) values(key string) []string {
	for _, e := range p {
		if e.Key == key {
			return e.Values
		}
	}
	return nil
}

// line returns the line of a key, or of the nearest enclosing key.
func (f *Figure) line(path string) int {
	for {
		if n, ok := f.lines[path]; ok || path == "" {
			return n
		}
		path = parentPath(path)
	}
}

func (f *Figure) fail(path string, kind error, msg string) error {
	return &Error{File: f.File, Line: f.line(path), Path: path, Msg: msg, Kind: kind}
}

// RowsPath is the file of rows that the figure names.
func (f *Figure) RowsPath() (string, error) {
	if f.Rows == "" {
		return "", f.fail("rows", ErrMissing, "want a file of rows, here or on the command line")
	}
	if filepath.IsAbs(f.Rows) {
		return f.Rows, nil
	}
	return filepath.Join(filepath.Dir(f.File), f.Rows), nil
}
