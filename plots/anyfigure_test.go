package plots

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// Figures of all kinds, scales and ends over rows of all kinds: each is drawn, or refused with an error of this package. The
// default test draws from fixed seeds; -figures.count draws more of them, and FuzzAnyFigure lets the fuzzer choose.
var (
	firstFigure  = flag.Uint64("figures.first", 1, "seed of the first figure drawn at random")
	countFigures = flag.Uint64("figures.count", 150, "figures drawn at random, a seed each")
)

func TestAnyFigureOfAnyRows(t *testing.T) {
	last := *firstFigure + *countFigures - 1
	t.Logf("seeds %d to %d", *firstFigure, last)
	ended := map[string]int{}
	for seed := *firstFigure; seed <= last; seed++ {
		end, err := anyFigure(bytesOf(seed))
		if err != nil {
			t.Errorf("-figures.first %d -figures.count 1: %v", seed, err)
		}
		ended[end]++
	}
	t.Logf("ended as: %v", ended)
	if ended["drawn"] < int(*countFigures)/4 {
		t.Errorf("%d of %d figures drawn, the others refused: too few to tell", ended["drawn"], *countFigures)
	}
}

func FuzzAnyFigure(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(bytesOf(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := anyFigure(data); err != nil {
			t.Fatal(err)
		}
	})
}

// bytesOf are the choices of a seed.
func bytesOf(seed uint64) []byte {
	source := rand.NewPCG(seed, 0)
	var data []byte
	for range 150 {
		data = binary.LittleEndian.AppendUint64(data, source.Uint64())
	}
	return data
}

// choices are read from bytes, which end with zeros.
type choices struct{ data []byte }

func (c *choices) below(n int) int {
	if len(c.data) == 0 {
		return 0
	}
	v := int(c.data[0]) % n
	c.data = c.data[1:]
	return v
}

func (c *choices) bits() uint64 {
	var word [8]byte
	c.data = c.data[copy(word[:], c.data):]
	return binary.LittleEndian.Uint64(word[:])
}

func (c *choices) real(low, high float64) float64 {
	return low + (high-low)*float64(c.bits()>>11)/(1<<53)
}

func (c *choices) of(words ...string) string { return words[c.below(len(words))] }

// number is one of the kinds of numbers that rows may hold: ordinary, of all magnitudes, nearly equal, none.
func (c *choices) number(near float64) float64 {
	special := []float64{0, 1, -1, 1e17, 1e17 + 16, 1e300, -1e300, 1e-300, 5e-324, math.MaxFloat64, near, math.Nextafter(near, 2e3), math.NaN(), math.Inf(1)}
	switch c.below(5) {
	case 0:
		return c.real(-10, 10)
	case 1:
		return math.Exp2(float64(c.below(10)))
	case 2:
		return special[c.below(len(special))]
	case 3:
		return math.Pow(10, c.real(-300, 300))
	}
	return math.Float64frombits(c.bits())
}

// positive is a number that a logarithmic axis shows.
func (c *choices) positive() float64 {
	special := []float64{smallest, largest, 1, 2, 3, 0.75, 1e-200, 1e200}
	if c.below(4) == 0 {
		return special[c.below(len(special))]
	}
	return math.Pow(10, c.real(-300, 300))
}

// column is one of a table: tame, positive, or anything where it may be.
func (c *choices) column(name string, rows int, any bool) Column {
	out := Column{Name: name}
	kind, near := c.below(4), c.real(-1e3, 1e3)
	for range rows {
		switch {
		case kind == 0 && any:
			out.Numbers = append(out.Numbers, c.number(near))
		case kind < 2:
			out.Numbers = append(out.Numbers, c.positive())
		default:
			out.Numbers = append(out.Numbers, c.real(0.5, 100))
		}
	}
	return out
}

// table has two columns of numbers, the ends of a band, a span's end, and two of texts. Half of the tables hold only what most
// figures can show, and spans that end after they begin.
func (c *choices) table() *Table {
	t, any := &Table{File: "drawn", Rows: 1 + c.below(12)}, c.below(2) == 0
	for _, name := range []string{"x", "y", "low", "high", "end", "value"} {
		t.Columns = append(t.Columns, c.column(name, t.Rows, any))
	}
	if x, end := t.Column("x"), t.Column("end"); !any {
		for i := range end.Numbers {
			end.Numbers[i] = max(end.Numbers[i], x.Numbers[i])
		}
	}
	for _, name := range []string{"s", "f"} {
		texts := Column{Name: name, Type: Text}
		for range t.Rows {
			texts.Texts = append(texts.Texts, c.of("a", "b", "c"))
		}
		t.Columns = append(t.Columns, texts)
	}
	return t
}

var (
	scaleOfNumbers = []string{"", ", scale: log2", ", scale: log10", ", scale: linear", ", scale: log2", ", scale: log10", ", scale: log2", ", scale: category"}
	ends           = []string{"", "", "", "", "", "", ", min: 1", ", max: 20", ", min: -5, max: 5", ", min: 1, max: 1.0000000000001", ", min: 1e-299", ", max: 1e299", ", ticks: [1, 2, 3]", ", ticks: [1e299]", ", ticks: [0.3, 0.75]"}
)

// options of a kind: of those that it needs one is taken, of the others some.
var options = map[string]struct{ one, some []string }{
	"line": {one: []string{"combine: mean", "combine: median", "band: confidence", "band: range", "band: {low: low, high: high}\ncombine: max", ""},
		some: []string{`lines: "off"`, "step: true", `markers: "on"`, "annotations: [{crossing: [a, b]}, {crossing: [a], hline: 2}]"}},
	"bar":     {one: []string{"combine: mean", "band: range", "band: {low: low, high: high}\ncombine: min", ""}, some: []string{"cells: true"}},
	"stacked": {one: []string{"combine: sum", "combine: mean", ""}, some: []string{"percent: true"}},
	"box":     {one: []string{""}},
	"heatmap": {one: []string{"value: {column: value, scale: log2}", "value: {column: value, scale: log10}", "value: {column: value, center: 1}", "value: {column: value, scale: log10, center: 2, min: 1}",
		"value: {column: value, scale: log2, center: 1e169}", "value: {column: value, scale: log2, min: 1e-299}", "value: value"}, some: []string{"cells: true", "combine: mean", "combine: max"}},
	"scatter":  {one: []string{"identity: true", "identity: true\nwithin: 1.25", ""}, some: []string{"text: s", "band: {low: low, high: high}"}},
	"timeline": {one: []string{"end: end"}, some: []string{"text: s"}},
	"roofline": {one: []string{"roofs: [{name: p, peak: 30}, {name: b, bandwidth: 3}]", "roofs: [{name: b, bandwidth: 1e90}, {peak: 1e-90}]", "roofs: [{name: b, bandwidth: 1e-99}, {name: p, peak: 1e99}]"}, some: []string{"text: s"}},
}

var ofAnyKind = []string{"series: s", "series: s", "facets: f", "facets: {column: f, share: none}", "style: page", "legend: inside", "legend: right", "title: t", "font: serif", "font: mono",
	"annotations: [{hline: 3, source: m}, {vline: 2}, {points: [[1, 1], [1e200, 1e-200]], source: p}, {text: t, x: 1, y: 2}]"}

// seldom are options that most tables don't go with.
var seldom = []string{"relative_to: {s: a}", "annotations: [{hline: 0}, {vline: -2}, {points: [[1e200, -1e200]], source: p}]"}

// figure is one of any kind over the columns of table.
func (c *choices) figure() string {
	kind := c.of("line", "bar", "stacked", "box", "heatmap", "scatter", "timeline", "roofline")
	lines := []string{"kind: " + kind, fmt.Sprintf("width_in: %d", 2+c.below(3)), "x: {column: x" + c.axis(categoryX[kind]) + "}", "y: {column: y" + c.axis(categoryY[kind]) + "}",
		c.of(options[kind].one...)}
	some := append(append([]string(nil), options[kind].some...), ofAnyKind...)
	if c.below(8) == 0 {
		some = append(seldom, some...)
	}
	for _, o := range some {
		key, _, _ := strings.Cut(o, ":")
		if !strings.Contains("\n"+strings.Join(lines, "\n"), "\n"+key+":") && c.below(3) == 0 {
			lines = append(lines, o)
		}
	}
	return strings.Join(lines, "\n")
}

func (c *choices) axis(category bool) string {
	if category {
		return c.of("", ", scale: category")
	}
	return c.of(scaleOfNumbers...) + c.of(ends...)
}

// slowest is far beyond what any of the drawn figures takes, some milliseconds: a hang, and not a machine that many share.
const slowest = 8 * time.Minute

// anyFigure draws what the bytes choose, and says how that ended: drawn, refused, or an error, which is a fault.
func anyFigure(data []byte) (end string, err error) {
	c := &choices{data}
	formats := []string{"svg"}
	switch c.below(16) { // pixels take ten times as long
	case 0:
		formats = []string{"png", "pdf"}
	case 1, 2, 3, 4:
		formats = []string{"svg", "pdf"}
	}
	text, table := c.figure(), c.table()
	done := make(chan error, 1)
	end = "refused"
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		drew, err := drawAny(text, table, formats)
		if drew {
			end = "drawn"
		}
		done <- err
	}()
	select {
	case err = <-done:
	case <-time.After(slowest):
		return "lost", fmt.Errorf("not drawn after %v\n%s\n%s", slowest, text, rowsText(table))
	}
	if err != nil {
		err = fmt.Errorf("%w\n%s\n%s", err, text, rowsText(table))
	}
	return end, err
}

func rowsText(t *Table) string {
	var b strings.Builder
	fmt.Fprintln(&b, strings.Join(t.Names(), ","))
	for row := range t.Rows {
		var cells []string
		for i := range t.Columns {
			cells = append(cells, t.Columns[i].text(row))
		}
		fmt.Fprintln(&b, strings.Join(cells, ","))
	}
	return b.String()
}

// drawAny says whether something was drawn. That it was refused is no error.
func drawAny(text string, table *Table, formats []string) (bool, error) {
	f, err := Read("f", []byte(text))
	if err != nil {
		return false, unlessRefused(err)
	}
	chart, err := Build(f, table)
	if err != nil {
		return false, unlessRefused(err)
	}
	for _, format := range formats {
		data, err := chart.Draw(format, "")
		if err != nil {
			return false, unlessRefused(err)
		}
		if err := lookAt[format](data); err != nil {
			return true, fmt.Errorf("%s: %w", format, err)
		}
	}
	return true, checkTicks(chart)
}

// unlessRefused is nil for an error that names what the figure or its rows have wrong.
func unlessRefused(err error) error {
	if e := (*Error)(nil); errors.As(err, &e) && !errors.Is(err, ErrDraw) {
		return nil
	}
	return err
}

var (
	notNumbers = regexp.MustCompile(`NaN|[+-]?Inf\b`)
	textsInSVG = regexp.MustCompile(`>[^<]*<`) // a category may well be named Inf
	textsInPDF = regexp.MustCompile(`\((\\.|[^\\)])*\)`)
	marksInSVG = regexp.MustCompile(`<path|<text`)
)

// lookAt looks at what was drawn in a format: numbers, and something to see.
var lookAt = map[string]func(data []byte) error{"svg": lookAtSVG, "pdf": lookAtPDF, "png": lookAtPNG}

func lookAtSVG(data []byte) error {
	text := textsInSVG.ReplaceAll(withoutFont(data), []byte("><"))
	if where := notNumbers.Find(text); where != nil || len(marksInSVG.FindAll(text, 3)) < 3 {
		return fmt.Errorf("%d bytes hold %s, or no marks", len(text), where)
	}
	return nil
}

func lookAtPNG(data []byte) error {
	_, err := png.Decode(bytes.NewReader(data))
	return err
}

func lookAtPDF(data []byte) error {
	page := textsInPDF.ReplaceAll(pageOf(data), []byte("()"))
	if where := notNumbers.Find(page); where != nil || len(page) < 100 {
		return fmt.Errorf("a page of %d bytes holds %s, or nothing", len(page), where)
	}
	return nil
}

// pageOf is the first stream of a PDF, which draws its page.
func pageOf(pdf []byte) []byte {
	_, rest, _ := bytes.Cut(pdf, []byte("stream\n"))
	r, err := zlib.NewReader(bytes.NewReader(rest))
	if err != nil {
		return nil
	}
	page, _ := io.ReadAll(r) // what follows the stream is no error of it
	return page
}

// notALabel is what no tick may say: a power that is no integer, or no number.
var notALabel = regexp.MustCompile(`\^\{[^}]*[.e]|NaN|Inf`)

// checkTicks looks at the ticks of every axis: at numbers that the axis shows, few, with labels that are numbers.
func checkTicks(c *Chart) error {
	const most = 400 // a label's and those without between
	l, _ := c.settle("column")
	for _, p := range l.panes {
		for _, axis := range []struct {
			scale
			ticks int
		}{{p.axes.X, len(p.xt)}, {p.axes.Y, len(p.yt)}} {
			if !(axis.low < axis.high && isFinite(axis.low) && isFinite(axis.high)) || axis.isLog() && axis.low <= 0 || axis.ticks > most {
				return fmt.Errorf("an axis from %g to %g with %d ticks", axis.low, axis.high, axis.ticks)
			}
		}
		for _, tick := range append(p.xt, p.yt...) {
			if !isFinite(tick.Value) || notALabel.MatchString(tick.Label) && c.X.Scale != "category" && c.Y.Scale != "category" {
				return fmt.Errorf("a tick at %g says %q", tick.Value, tick.Label)
			}
		}
	}
	return nil
}
