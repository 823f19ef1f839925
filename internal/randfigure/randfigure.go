// Package randfigure generates random figures and rows for tests: figures of every kind, scale and option, over tables with
// every class of columns. All choices are read from bytes, which come from a fuzzer or from a seed.
//
// It does not know how figures are drawn: it returns figures as YAML, and rows as CSV.
package randfigure

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"spvsim/internal/lists"
)

// Bytes returns the choices of a seed.
func Bytes(seed uint64) []byte {
	source := rand.NewPCG(seed, 0)
	var data []byte
	for range 150 {
		data = binary.LittleEndian.AppendUint64(data, source.Uint64())
	}
	return data
}

// Choices are random choices, read from bytes. After the last byte every choice is the first one.
type Choices struct{ data []byte }

func New(data []byte) *Choices { return &Choices{data} }

// IntN returns an integer from 0 to n-1.
func (c *Choices) IntN(n int) int {
	if len(c.data) == 0 {
		return 0
	}
	v := int(c.data[0]) % n
	c.data = c.data[1:]
	return v
}

func (c *Choices) OneOf(words ...string) string { return words[c.IntN(len(words))] }

func (c *Choices) bits() uint64 {
	var word [8]byte
	c.data = c.data[copy(word[:], c.data):]
	return binary.LittleEndian.Uint64(word[:])
}

func (c *Choices) real(low, high float64) float64 {
	return low + (high-low)*float64(c.bits()>>11)/(1<<53)
}

// anyNumber returns a number of one of five classes: ordinary, a power of two, special (such as one close to near, infinite or
// NaN), of any magnitude, or any bits.
func (c *Choices) anyNumber(near float64) float64 {
	special := []float64{0, 1, -1, 1e17, 1e17 + 16, 1e300, -1e300, 1e-300, 5e-324, math.MaxFloat64, near, math.Nextafter(near, 2e3), math.NaN(), math.Inf(1)}
	switch c.IntN(5) {
	case 0:
		return c.real(-10, 10)
	case 1:
		return math.Exp2(float64(c.IntN(10)))
	case 2:
		return special[c.IntN(len(special))]
	case 3:
		return math.Pow(10, c.real(-300, 300))
	}
	return math.Float64frombits(c.bits())
}

// positive returns a number that a logarithmic axis can show: within the bounds of package plots, both included.
func (c *Choices) positive() float64 {
	special := []float64{1e-300, 1e300, 1, 2, 3, 0.75, 1e-200, 1e200}
	if c.IntN(4) == 0 {
		return special[c.IntN(len(special))]
	}
	return math.Pow(10, c.real(-300, 300))
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// A class returns a cell of a column. near is the same number for all cells of the column, so that columns of one value occur
// too.
type class func(c *Choices, near float64) string

// numberClasses are classes that most figures can show; wildClasses are all other classes of files.
var (
	numberClasses = []class{
		func(c *Choices, _ float64) string { return number(c.positive()) },
		func(c *Choices, _ float64) string { return number(c.real(0.5, 100)) },
		func(c *Choices, _ float64) string { return number(c.real(0.5, 100)) },
	}
	wildClasses = []class{
		func(c *Choices, near float64) string { return number(c.anyNumber(near)) },
		func(c *Choices, near float64) string { return number(c.anyNumber(near)) },
		func(*Choices, float64) string { return "" },
		func(*Choices, float64) string { return "NaN" },
		func(_ *Choices, near float64) string { return number(near) },
		func(c *Choices, _ float64) string { return c.OneOf("", number(c.real(0.5, 100))) },
		func(c *Choices, _ float64) string { return c.OneOf("NaN", "", "+Inf", "-Inf", "1") },
		func(c *Choices, _ float64) string { return c.OneOf("+Inf", "-Inf", "Inf") },
		func(c *Choices, _ float64) string {
			return c.OneOf("1e308", "-1.7e308", "1.7976931348623157e308", "1e300")
		},
		func(c *Choices, _ float64) string { return c.OneOf("", "a", "b", "7", "NaN") },
	}
	textClasses = []class{
		func(c *Choices, _ float64) string { return c.OneOf("a", "b", "c") },
		func(c *Choices, _ float64) string { return c.OneOf("a", "b", "c") },
		func(c *Choices, _ float64) string { return c.OneOf("a", "b", "c") },
		func(c *Choices, _ float64) string { return c.OneOf("a", "", "b") },
		func(*Choices, float64) string { return "" },
		func(*Choices, float64) string { return "a" },
		func(c *Choices, _ float64) string { return c.OneOf("", "NaN", "Inf", "1e400") },
		func(c *Choices, _ float64) string { return c.OneOf("2", "10", "wave2", "1.5e3", "") },
	}
)

// Rows returns a table as CSV: six columns of numbers (x, y, low and high of a band, the end of a span, a value) and two of
// texts. In half of the tables each column is of any class. The other tables have classes that most figures can show, and
// spans with end >= x.
func (c *Choices) Rows() string {
	rows, wild := 1+c.IntN(12), c.IntN(2) == 0
	names := []string{"x", "y", "low", "high", "end", "value", "s", "f"}
	cells := map[string][]string{}
	for _, name := range names {
		near, classes := c.real(-1e3, 1e3), numberClasses
		switch {
		case name == "s" || name == "f":
			if classes = textClasses; !wild {
				classes = textClasses[:1]
			}
		case wild && c.IntN(2) == 0:
			classes = wildClasses
		}
		cell := classes[c.IntN(len(classes))]
		for range rows {
			cells[name] = append(cells[name], cell(c, near))
		}
	}
	if !wild {
		for i, x := range cells["x"] {
			if numberOf(x) > numberOf(cells["end"][i]) {
				cells["end"][i] = x
			}
		}
	}
	lines := []string{strings.Join(names, ",")}
	for i := range rows {
		line := lists.Map(names, func(name string) string { return cells[name][i] })
		lines = append(lines, strings.Join(line, ","))
	}
	return strings.Join(lines, "\n") + "\n"
}

func numberOf(cell string) float64 {
	x, _ := strconv.ParseFloat(cell, 64)
	return x
}

var (
	scaleOfNumbers = []string{"", ", scale: log2", ", scale: log10", ", scale: linear", ", scale: log2", ", scale: log10", ", scale: log2", ", scale: category"}
	axisLimits     = []string{"", "", "", "", "", "", ", min: 1", ", max: 20", ", min: -5, max: 5", ", min: 1, max: 1.0000000000001", ", min: 1e-299", ", max: 1e299", ", ticks: [1, 2, 3]", ", ticks: [1e299]", ", ticks: [0.3, 0.75]"}
)

// options by kind of figure: exactly one of the first list, and any of the second.
var options = map[string]struct{ required, optional []string }{
	"line": {required: []string{"combine: mean", "combine: median", "band: confidence", "band: range", "band: {low: low, high: high}\ncombine: max", ""},
		optional: []string{`lines: "off"`, "step: true", `markers: "on"`, "annotations: [{crossing: [a, b]}, {crossing: [a], hline: 2}]"}},
	"bar":     {required: []string{"combine: mean", "band: range", "band: {low: low, high: high}\ncombine: min", ""}, optional: []string{"cells: true"}},
	"stacked": {required: []string{"combine: sum", "combine: mean", ""}, optional: []string{"percent: true"}},
	"box":     {required: []string{""}},
	"heatmap": {required: []string{"value: {column: value, scale: log2}", "value: {column: value, scale: log10}", "value: {column: value, center: 1}", "value: {column: value, scale: log10, center: 2, min: 1}",
		"value: {column: value, scale: log2, center: 1e169}", "value: {column: value, scale: log2, min: 1e-299}", "value: value"}, optional: []string{"cells: true", "combine: mean", "combine: max"}},
	"scatter":  {required: []string{"identity: true", "identity: true\nwithin: 1.25", ""}, optional: []string{"text: s", "band: {low: low, high: high}"}},
	"timeline": {required: []string{"end: end"}, optional: []string{"text: s"}},
	"roofline": {required: []string{"roofs: [{name: p, peak: 30}, {name: b, bandwidth: 3}]", "roofs: [{name: b, bandwidth: 1e90}, {peak: 1e-90}]", "roofs: [{name: b, bandwidth: 1e-99}, {name: p, peak: 1e99}]"}, optional: []string{"text: s"}},
}

var ofAnyKind = []string{"series: s", "series: s", "facets: f", "facets: {column: f, share: none}", "style: page", "legend: inside", "legend: right", "title: t", "font: serif", "font: mono",
	"annotations: [{hline: 3, source: m}, {vline: 2}, {points: [[1, 1], [1e200, 1e-200]], source: p}, {text: t, x: 1, y: 2}]"}

// rareOptions are options that most tables refuse, or that leave few rows; one figure in six may have them.
var rareOptions = []string{"relative_to: {s: a}", "annotations: [{hline: 0}, {vline: -2}, {points: [[1e200, -1e200]], source: p}]",
	"where: {s: a}", "where: {s: [a, b], f: a}", "where: {f: ''}", "filter: y > 1", "filter: x < 1", "columns: {y2: y / x}", "facets: {column: f, rows: s}", "series: {column: s, hide: [a]}"}

// categoryX and categoryY are the kinds of figure with categories on that axis.
var (
	categoryX = map[string]bool{"bar": true, "stacked": true, "box": true, "heatmap": true}
	categoryY = map[string]bool{"heatmap": true, "timeline": true}
)

// Figure returns a figure of any kind over the columns of Rows.
func (c *Choices) Figure() string {
	kind := c.OneOf("line", "bar", "stacked", "box", "heatmap", "scatter", "timeline", "roofline")
	x, y := "x", "y"
	if c.IntN(12) == 0 { // a column of texts in place of numbers
		x = c.OneOf("s", "f")
	}
	if categoryY[kind] && c.IntN(4) == 0 {
		y = c.OneOf("s", "f")
	}
	lines := []string{"kind: " + kind, fmt.Sprintf("width_in: %d", 2+c.IntN(3)), "x: {column: " + x + c.axis(categoryX[kind]) + "}", "y: {column: " + y + c.axis(categoryY[kind]) + "}",
		c.OneOf(options[kind].required...)}
	some := append(append([]string(nil), options[kind].optional...), ofAnyKind...)
	if c.IntN(6) == 0 {
		some = append(rareOptions[:len(rareOptions):len(rareOptions)], some...)
	}
	return strings.Join(c.AddOptions(lines, some, 3), "\n")
}

// AddOptions adds each option with a chance of one in n to the lines that lack its key.
func (c *Choices) AddOptions(lines, options []string, n int) []string {
	for _, o := range options {
		key, _, _ := strings.Cut(o, ":")
		if !strings.Contains("\n"+strings.Join(lines, "\n"), "\n"+key+":") && c.IntN(n) == 0 {
			lines = append(lines, o)
		}
	}
	return lines
}

func (c *Choices) axis(category bool) string {
	if category {
		return c.OneOf("", ", scale: category")
	}
	return c.OneOf(scaleOfNumbers...) + c.OneOf(axisLimits...)
}
