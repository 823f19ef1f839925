package plots

import "path/filepath"

// Figure is a figure as written in its file. The struct tags are the single source of names, ranges and descriptions, for
// the reader and for a JSON Schema:
//
//	yaml   name in the file
//	enum   allowed words, separated by |
//	range  lowest..highest value (inclusive)
//	unit   what the number counts
//	single "true" on a list that one value in its place also writes
//	short  "true" on the field that a scalar, or a list, in place of the mapping sets: `x: work`
//	doc    one line for people
type Figure struct {
	Rows  string `yaml:"rows" doc:"file of rows (.csv or .parquet), relative to the figure's file; the command line may name another"`
	Kind  string `yaml:"kind" enum:"line|bar|stacked|box|heatmap|scatter|timeline|roofline" doc:"how the rows are drawn"`
	Title string `yaml:"title" doc:"title over the figure; papers put it in the caption. As all texts of the file it may have Greek, signs of mathematics, ^{raised} and _{lowered} parts, and between two dollar signs names as \\alpha or \\le, and ^ and _ before one character"`

	Style    string  `yaml:"style" enum:"column|page" doc:"width: column is 3.33 inches, page is 7"`
	WidthIn  float64 `yaml:"width_in" range:"1..40" unit:"inches" doc:"width in place of the style's"`
	Palette  string  `yaml:"palette" enum:"okabe-ito|bright|muted|grey" doc:"colours of series; left out, okabe-ito. Markers, dashes and hatches tell them apart as well"`
	Font     string  `yaml:"font" enum:"sans|serif|mono" doc:"font of all texts, embedded: Liberation Sans, Serif or Mono, as wide as Helvetica, Times and Courier; left out, sans"`
	HeightIn float64 `yaml:"height_in" range:"1..40" unit:"inches" doc:"height; left out, it follows from the kind, the style and the panels"`

	Columns Pairs  `yaml:"columns" doc:"derived columns: name: expression over the columns and those derived before"`
	Where   Pairs  `yaml:"where" doc:"rows to keep: column: value, or a list of values"`
	Filter  string `yaml:"filter" doc:"rows to keep: an expression that is not 0"`

	X     Axis   `yaml:"x" doc:"horizontal axis"`
	Y     Axis   `yaml:"y" doc:"vertical axis; several columns make a series each"`
	End   string `yaml:"end" doc:"timeline: column in which a span ends that begins at x"`
	Value Shade  `yaml:"value" doc:"heatmap: column that gives the colour"`
	Text  string `yaml:"text" doc:"column of names written beside points (scatter, roofline) or in spans (timeline)"`

	Series Grouping `yaml:"series" doc:"column that distinguishes series"`
	Facets Facets   `yaml:"facets" doc:"column that gives a panel of its own to each value"`

	Combine    string `yaml:"combine" enum:"mean|geomean|median|min|max|sum" doc:"how repeated rows become one point; geomean: the geometric mean, of values above 0"`
	Band       Band   `yaml:"band" doc:"band about a line, or error bars: confidence (95 % of the mean, Student), range, or low and high columns; on a log axis it ends at the axis where it reaches 0"`
	Summary    string `yaml:"summary" enum:"geomean|mean|median|min|max|sum" doc:"bar: a further category after the others, with this of each series' bars"`
	RelativeTo Pairs  `yaml:"relative_to" doc:"baseline, as {scheduler: multipass}: y becomes relative to the row that has it and is otherwise at the same x, series and facet"`
	RelativeAs string `yaml:"relative_as" enum:"speedup|ratio|percent" doc:"speedup: baseline / y; ratio: y / baseline; percent: 100 (y / baseline - 1); left out, speedup"`

	Lines    string  `yaml:"lines" enum:"on|off" doc:"line: off draws the points alone, for an x with nothing between its values; on categories, points that would hide each other stand side by side"`
	Step     bool    `yaml:"step" doc:"line: hold each value until the next x"`
	Markers  string  `yaml:"markers" enum:"auto|on|off" doc:"line: markers at the points; auto leaves them out where they would touch"`
	Identity bool    `yaml:"identity" doc:"scatter: the line y = x, and equal axes"`
	Within   float64 `yaml:"within" range:"1..1000" doc:"scatter with identity: the lines y = within x and y = x / within"`
	Percent  bool    `yaml:"percent" doc:"stacked: shares of 100 %"`
	Cells    bool    `yaml:"cells" doc:"heatmap, bar: write the values"`

	Roofs       []Roof       `yaml:"roofs" doc:"roofline: peaks and bandwidths"`
	Legend      Legend       `yaml:"legend" doc:"where the legend is"`
	Annotations []Annotation `yaml:"annotations" doc:"texts, lines and points that are not of the rows"`

	File  string         `yaml:"-"` // where it was read, for errors
	lines map[string]int // line of each key, by path
}

// Axis is one axis of a figure.
type Axis struct {
	Column  string    `yaml:"column" short:"true" doc:"column of its values"`
	Columns []string  `yaml:"columns" short:"true" doc:"y: several columns, a series each"`
	Label   string    `yaml:"label" doc:"what it shows, for people; left out, the column's name"`
	Unit    string    `yaml:"unit" doc:"unit, written after the label in parentheses"`
	Scale   string    `yaml:"scale" enum:"linear|log2|log10|category" doc:"category spaces the values evenly; left out: linear, or category for texts"`
	Min     *float64  `yaml:"min" doc:"lowest value shown"`
	Max     *float64  `yaml:"max" doc:"highest value shown"`
	Ticks   []float64 `yaml:"ticks" doc:"places of the ticks"`
	Order   []string  `yaml:"order" doc:"category: values in order; those left out follow, texts of a sweep's rows as the experiment has them, others by name, numbers by size"`
	Names   Pairs     `yaml:"names" doc:"names for people: value: name (columns, where y has several)"`
}

// Shade is what a heat map's colours mean.
type Shade struct {
	Column string   `yaml:"column" short:"true" doc:"column of its values"`
	Label  string   `yaml:"label" doc:"what it shows, for people"`
	Unit   string   `yaml:"unit" doc:"unit, written after the label in parentheses"`
	Scale  string   `yaml:"scale" enum:"linear|log2|log10" doc:"left out, linear"`
	Min    *float64 `yaml:"min" doc:"value of the first colour"`
	Max    *float64 `yaml:"max" doc:"value of the last colour"`
	Center *float64 `yaml:"center" doc:"value that is white, with a colour to each side: 1 for ratios"`
}

// Grouping is a column that distinguishes series or panels.
type Grouping struct {
	Column string   `yaml:"column" short:"true" doc:"column of its values"`
	Order  []string `yaml:"order" doc:"values in order; those left out follow, texts of a sweep's rows as the experiment has them, others by name, numbers by size"`
	Hide   []string `yaml:"hide" doc:"values not drawn (a baseline, say)"`
	Names  Pairs    `yaml:"names" doc:"names for people: value: name"`
}

// Facets are small multiples.
type Facets struct {
	Column  string   `yaml:"column" short:"true" doc:"column of its values"`
	Rows    string   `yaml:"rows" doc:"a second column, whose values are rows of a grid: a panel for each value of both"`
	Label   string   `yaml:"label" doc:"written before the value over each panel: label = value"`
	Order   []string `yaml:"order" doc:"values in order; those left out follow, texts of a sweep's rows as the experiment has them, others by name, numbers by size"`
	Hide    []string `yaml:"hide" doc:"values of column not drawn"`
	Names   Pairs    `yaml:"names" doc:"names for people: value: name; of rows too"`
	Columns int      `yaml:"columns" range:"1..12" doc:"panels side by side, without rows; left out, at most 2 in a column and 3 on a page, as few as the rows need"`
	Share   string   `yaml:"share" enum:"both|x|y|none" doc:"axes that the panels share; left out, both"`
}

// Band is the spread about points.
type Band struct {
	As   string   `yaml:"as" short:"true" enum:"confidence|range|none" doc:"computed over repeated rows: 95 % confidence of the mean, or lowest to highest; left out beside over: confidence"`
	Over []string `yaml:"over" single:"true" doc:"the axes, as columns, whose values are pooled into a point; pooling over others is warned of"`
	Low  string   `yaml:"low" doc:"column of its lower end"`
	High string   `yaml:"high" doc:"column of its upper end"`
}

// Roof is one limit of a roofline: a peak (flat) or a bandwidth (a slope).
type Roof struct {
	Name      string  `yaml:"name" doc:"written along it"`
	Peak      float64 `yaml:"peak" range:"0..1e100" doc:"highest y, in y's unit"`
	Bandwidth float64 `yaml:"bandwidth" range:"0..1e100" doc:"y for each unit of x"`
}

// Legend says where the legend is.
type Legend struct {
	Place   string `yaml:"place" short:"true" enum:"auto|inside|right|top|bottom|none" doc:"inside takes the emptiest place; auto, left out: inside if it covers nothing, else outside"`
	Title   string `yaml:"title" doc:"written before or over the entries"`
	Columns int    `yaml:"columns" range:"1..12" doc:"entries side by side at most; left out, as many as fit at the top or bottom, else 1"`
}

// Annotation is one mark that is not of the rows. What it is follows from the keys: vline or hline a reference line, points
// reference points drawn as open markers, crossing the place where two series cross, else a text at x, y.
type Annotation struct {
	Text     string      `yaml:"text" doc:"text at x, y, along a line, beside a crossing (%x is its place), or the points' name"`
	X        *float64    `yaml:"x" doc:"place of a text; on categories that are numbers the value, on others the count from 0, here and in vline and points"`
	Y        *float64    `yaml:"y" doc:"place of a text"`
	Align    string      `yaml:"align" enum:"left|center|right" doc:"side of x on which the text begins, is centred or ends"`
	VLine    *float64    `yaml:"vline" doc:"vertical line at this x"`
	HLine    *float64    `yaml:"hline" doc:"horizontal line at this y"`
	Points   [][]float64 `yaml:"points" doc:"reference points [x, y]"`
	Source   string      `yaml:"source" doc:"where points or a line are from; they stand in the legend then"`
	Crossing []string    `yaml:"crossing" doc:"two series: marks where they cross; one series: where it crosses hline"`
	Facet    string      `yaml:"facet" doc:"the one panel to draw it in, or in a grid those of a row or a column; left out, all"`
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

// line is that of a key, or of the nearest key around it.
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
