package plots

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/draw"

	"spvsim/internal/suite"
)

// A band that reaches 0 on a log axis ends at the axis.
func TestBandsOnLogAxesEndAtTheAxis(t *testing.T) {
	const rows = "x,y\n1,1\n1,2\n2,1\n2,1.1\n4,1\n4,1\n"
	c := suite.Must(chartOf(t, rows, "kind: line\nx: x\ny: {column: y, scale: log10}\nband: confidence"))(t)
	if low := c.Panels[0].Series[0].Points[0].Low; low > 0 {
		t.Fatalf("the band's lower end is %g: the test wants one below 0", low)
	}
	l, _ := c.chooseLayout("column")
	if y := l.panes[0].axes.Y; !(y.low > 0.3 && y.high > 2 && y.high < 10) {
		t.Errorf("y from %g to %g: want it to hold the points and the bands' ends above 0", y.low, y.high)
	}
	for _, format := range Formats {
		if data := drawn(t, c, format, "column"); format == "svg" && (notNumbers.Match(withoutFont(data)) || !bytes.Contains(data, []byte("<path"))) {
			t.Error("the SVG holds NaN, or nothing")
		}
	}
}

func TestFiguresOutOfSightAreRefused(t *testing.T) {
	for _, figure := range []string{
		"kind: line\nx: {column: x, min: 50}\ny: y",
		"kind: scatter\nx: x\ny: {column: y, max: 0.5}",
		"kind: box\nx: x\ny: {column: y, min: 90}",
	} {
		if _, err := chartOf(t, "x,y\n1,2\n2,3\n", figure); !errors.Is(err, ErrEmpty) || !strings.Contains(err.Error(), "nothing lies between") {
			t.Errorf("%s: %v", figure, err)
		}
	}
}

func TestTooMuchForOneFigureIsRefused(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("x,y,s,name\n")
	for i := range 300 {
		fmt.Fprintf(&rows, "%d,1,s%d,%s\n", i%3, i, strings.Repeat("long ", 60))
	}
	for figure, want := range map[string]string{
		"kind: line\nx: x\ny: y\nseries: s":                      "300 series: want at most 256",
		"kind: line\nx: x\ny: y\nfacets: s\nseries: x":           "300 panels: want at most 100",
		"kind: scatter\nx: x\ny: y\nseries: name\nlegend: right": "leave no space",
	} {
		c, err := chartOf(t, rows.String(), figure)
		if err == nil {
			_, err = c.Draw("svg", "column")
		}
		if !errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", figure, err, want)
		}
	}
}

// The libraries panic where a PDF's fonts find no temporary folder: an error that names the figure.
func TestPDFWithoutTemporaryFolderIsAnError(t *testing.T) {
	c := build(t, "ratios")
	c.figure.WidthIn = 2.731 // numbers in cells of a size that no other test has the library remember
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	_, err := c.Draw("pdf", "column")
	if !errors.Is(err, ErrDraw) || !strings.Contains(err.Error(), "ratios.yaml: can't be drawn as pdf") {
		t.Errorf("got %v", err)
	}
}

// checkDamaged reads damaged bytes: rows that are whole, or an error that names the file.
func checkDamaged(t testing.TB, data []byte) {
	table, err := ReadParquet("rows.parquet", data)
	if err != nil {
		if e := (*Error)(nil); !errors.As(err, &e) || e.File != "rows.parquet" {
			t.Errorf("an error without the file's name: %v", err)
		}
		return
	}
	for _, c := range table.Columns {
		if c.cells() != table.Rows {
			t.Errorf("column %q has %d cells of %d", c.Name, c.cells(), table.Rows)
		}
	}
}

// TestDamagedParquet sets each byte of a small file to other values, and cuts the file at each length.
func TestDamagedParquet(t *testing.T) {
	whole := parquetFile(t, "small")
	for i := range whole {
		if testing.Short() && i%7 != 0 {
			continue
		}
		for _, b := range []byte{0, 0x7f, 0xff, whole[i] ^ 1} {
			data := bytes.Clone(whole)
			data[i] = b
			checkDamaged(t, data)
		}
		checkDamaged(t, whole[:i])
	}
}

func FuzzReadParquet(f *testing.F) {
	f.Add(parquetFile(f, "small"))
	f.Fuzz(func(t *testing.T, data []byte) { checkDamaged(t, data) })
}

// Control characters of names are shown, and not sent to a terminal.
func TestControlCharactersAreShown(t *testing.T) {
	_, err := chartOf(t, "a\x1b[31m,b\n1,2\n", "kind: line\nx: \"a\\e[32m\"\ny: b")
	if err == nil || strings.Contains(err.Error(), "\x1b") || !strings.Contains(err.Error(), `\x1b[31m`) {
		t.Errorf("%q", fmt.Sprint(err))
	}
	if _, err := chartOf(t, "a,b\n1,2\n", "kind: line\ntitle: \"t\\a\"\nx: a\ny: b"); !errors.Is(err, ErrText) {
		t.Errorf("a bell in a title: %v", err)
	}
}

func TestPoolingUnnamedAxesWarns(t *testing.T) {
	const rows = "point,n,seed,double,size,status,cycles\n0,1,1,2,8,done,5\n1,1,2,4,8,done,6\n2,1,1,2,16,done,9\n3,2,1,2,8,done,7\n"
	for figure, want := range map[string]string{
		"band: confidence":                        "double, seed, size",
		"combine: mean":                           "double, seed, size",
		"band: {over: seed}":                      "size",
		"band: {over: [seed, size]}":              "",
		"band: {over: [double, size], as: range}": "",
		"band: {over: seed}\nwhere: {size: 8}":    "",
		"band: {over: sed}":                       "!no column \"sed\" (nearest: seed)",
		"band: {over: confidence}":                "!want the column that is pooled, and as: confidence",
	} {
		c, err := chartOf(t, rows, "kind: line\nx: n\ny: cycles\n"+figure)
		if message, isError := strings.CutPrefix(want, "!"); isError {
			if err == nil || !strings.Contains(err.Error(), message) {
				t.Errorf("%s: %v", figure, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", figure, err)
		}
		got := strings.Join(c.Warnings, "; ")
		if (want == "") != (got == "") || !strings.Contains(got, "differ in "+want+" become one point") && want != "" {
			t.Errorf("%s: warned %q, want %q", figure, got, want)
		}
	}
}

func TestLegendsShowWhatIsDrawn(t *testing.T) {
	const rows = "n,t,s\n1,1,a\n1,2,a\n2,3,a\n3,4,a\n"
	tests := map[string]entry{
		"band: range":                  {line: true, band: true, marker: true},
		"band: none\nmarkers: \"off\"": {line: true},
		"band: range\nlines: \"off\"":  {marker: true},
	}
	for figure, want := range tests {
		c := suite.Must(chartOf(t, rows, "kind: line\nx: n\ny: t\nseries: s\n"+figure))(t)
		got := c.newLayout("column", "right", false).entries[0]
		if got.line != want.line || got.band != want.band || got.marker != want.marker {
			t.Errorf("%s: line %v, band %v, marker %v", figure, got.line, got.band, got.marker)
		}
	}
	c := suite.Must(chartOf(t, rows, "kind: line\nx: n\ny: t\nband: none\nannotations: [{hline: 2, text: limit, source: measured}, {vline: 2, text: beside}]"))(t)
	entries := c.entries("right")
	if len(entries) != 1 || entries[0].text != "limit (measured)" || entries[0].style == nil {
		t.Errorf("entries %+v: want the line with a source", entries)
	}
}

// Points without lines are spread side by side on categories where they would hide each other; on numbers they keep
// their place.
func TestPointsAloneStandApart(t *testing.T) {
	const rows = "n,t,s\n1,5,a\n1,5,b\n2,5,a\n2,9,b\n3,5,a\n"
	for scale, want := range map[string]int{"category": 5, "linear": 4} {
		c := suite.Must(chartOf(t, rows, "kind: line\nx: {column: n, scale: "+scale+"}\ny: t\nseries: s\nlines: \"off\"\nannotations: [{points: [[2, 9]], source: m}]"))(t)
		l, _ := c.chooseLayout("column")
		if got := countPlaces(c, l); got != want {
			t.Errorf("%s: %d places, want %d", scale, got, want)
		}
	}
}

// countPlaces counts the distinct positions of points.
func countPlaces(c *Chart, l *layout) int {
	p := l.panes[0]
	k := &pathCanvas{inkCanvas: newInk(l.font, l.size.X, l.size.Y)}
	drawApart(draw.Canvas{Canvas: k, Rectangle: p.rect}, p.axes, c, p.panel)
	seen := map[string]bool{}
	for _, area := range k.areas {
		b := bounds(area)
		seen[fmt.Sprintf("%.1f %.0f", (b.Min.X+b.Max.X)/2, (b.Min.Y+b.Max.Y)/20)] = true
	}
	return len(seen)
}

func TestTicksStandAtFewValues(t *testing.T) {
	for rows, want := range map[string]string{
		"x,y\n50,1\n100,2\n400,3\n1600,4\n": "50 100 400 1600",
		"x,y\n1,1\n2,2\n4,3\n256,4\n":       "1 2 4 256",
	} {
		c := suite.Must(chartOf(t, rows, "kind: line\nx: {column: x, scale: log2}\ny: y"))(t)
		l, _ := c.chooseLayout("column")
		if got := strings.TrimSpace(strings.Join(strings.Fields(labelsOf(l)), " ")); got != want {
			t.Errorf("%s: ticks %s, want %s", rows, got, want)
		}
	}
}

func labelsOf(l *layout) string {
	var words []string
	for _, t := range l.panes[0].xt {
		words = append(words, t.Label)
	}
	return strings.Join(words, " ")
}

// Lines of a factor about y = x require identity.
func TestWithinNeedsIdentity(t *testing.T) {
	const rows = "a,b\n1,2\n2,3\n"
	const figure = "kind: scatter\nx: a\ny: b\nwithin: 1.25\n"
	if _, err := Read("f.yaml", []byte(figure)); !errors.Is(err, ErrRange) || !strings.Contains(err.Error(), "without identity") {
		t.Errorf("%v: want a refusal", err)
	}
	f := suite.Must(Read("f.yaml", []byte(figure+"identity: true\n")))(t)
	table := suite.Must(ReadCSV("r.csv", strings.NewReader(rows)))(t)
	c := suite.Must(Build(f, table))(t)
	if svg, err := c.Draw("svg", "column"); err != nil || !strings.Contains(string(svg), "factor of 1.25") {
		t.Errorf("%v: the legend does not say what the lines are", err)
	}
}
