package plots

import (
	"bytes"
	"errors"
	"flag"
	"math"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/internal/spec"
	"spvsim/internal/suite"
)

var update = flag.Bool("update", false, "write the goldens")

// show saves every format and style in a directory, for inspection.
var show = flag.String("show", "", "directory to draw all figures to")

func load(t *testing.T, name string) (*Figure, *Table) {
	t.Helper()
	f := suite.Must(ReadFigure(filepath.Join("testdata", name+".yaml")))(t)
	path := suite.Must(f.RowsPath())(t)
	table := suite.Must(ReadTable(path))(t)
	return f, table
}

func build(t *testing.T, name string) *Chart {
	t.Helper()
	f, table := load(t, name)
	c := suite.Must(Build(f, table))(t)
	return c
}

func drawn(t *testing.T, c *Chart, format, style string) []byte {
	t.Helper()
	data := suite.Must(c.Draw(format, style))(t)
	return data
}

var figures = []string{"line", "points", "bar", "stacked", "box", "heatmap", "ratios", "scatter", "timeline", "roofline", "facets", "step"}

// withoutFont removes the font from an SVG: it is the same in all, and large.
func withoutFont(svg []byte) []byte {
	start := bytes.Index(svg, []byte("base64,"))
	end := bytes.Index(svg[max(start, 0):], []byte(")"))
	if start < 0 || end < 0 {
		return nil
	}
	return append(append([]byte(nil), svg[:start]...), svg[start+end:]...)
}

func TestFiguresEqualTheirGoldens(t *testing.T) {
	for _, name := range figures {
		t.Run(name, func(t *testing.T) {
			got := withoutFont(drawn(t, build(t, name), "svg", "column"))
			golden := filepath.Join("testdata", name+".column.svg")
			if *update {
				suite.OK(t, os.WriteFile(golden, got, 0o666))
			}
			want := suite.Must(os.ReadFile(golden))(t)
			if !bytes.Equal(got, want) {
				t.Errorf("differs from %s (rewrite it with -update, after looking)", golden)
			}
		})
	}
}

func TestShow(t *testing.T) {
	if *show == "" {
		t.Skip("no -show directory")
	}
	for _, name := range figures {
		for _, style := range Styles {
			for _, format := range Formats {
				data := drawn(t, build(t, name), format, style)
				suite.OK(t, os.WriteFile(filepath.Join(*show, name+"-"+style+"."+format), data, 0o666))
			}
		}
	}
}

func TestSameRowsGiveSameBytes(t *testing.T) {
	for _, name := range []string{"line", "stacked", "heatmap", "scatter"} {
		f, table := load(t, name)
		order := rand.New(rand.NewSource(1)).Perm(table.Rows)
		first, err1 := Build(f, table)
		second, err2 := Build(f, table.pick(order))
		suite.OK(t, errors.Join(err1, err2))
		for _, format := range Formats {
			if testing.Short() && format == "png" && name != "line" {
				continue // bitmaps take ten times as long as the others
			}
			a := drawn(t, first, format, "page")
			if b := drawn(t, first, format, "page"); !bytes.Equal(a, b) {
				t.Errorf("%s.%s: drawn twice, it differs", name, format)
			}
			if b := drawn(t, second, format, "page"); !bytes.Equal(a, b) {
				t.Errorf("%s.%s: of rows in another order, it differs", name, format)
			}
		}
	}
}

func TestOrderOfRowsDoesNotMatter(t *testing.T) {
	f := suite.Must(Read("f", []byte("{kind: line, x: x, y: y, series: s, band: confidence}")))(t)
	for seed := range int64(100) {
		source := rand.New(rand.NewSource(seed))
		n := 1 + source.Intn(30)
		table := &Table{File: "drawn", Rows: n, Columns: []Column{{Name: "x"}, {Name: "y"}, {Name: "s", Type: Text}}}
		for range n {
			table.Columns[0].Numbers = append(table.Columns[0].Numbers, float64(source.Intn(6)))
			table.Columns[1].Numbers = append(table.Columns[1].Numbers, 2e3*source.Float64()-1e3)
			table.Columns[2].Texts = append(table.Columns[2].Texts, string("ab"[source.Intn(2)]))
		}
		a, err1 := Build(f, table)
		b, err2 := Build(f, table.pick(source.Perm(n)))
		suite.OK(t, errors.Join(err1, err2))
		if diff := cmp.Diff(a.Panels, b.Panels); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
	}
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func chartOf(t *testing.T, rows, figure string) (*Chart, error) {
	t.Helper()
	table := suite.Must(ReadCSV("rows.csv", strings.NewReader(rows)))(t)
	f, err := Read("figure.yaml", []byte(figure))
	if err != nil {
		return nil, err
	}
	return Build(f, table)
}

func TestSeriesAsDrawn(t *testing.T) {
	const rows = "kind,n,t\na,1,8\nb,1,2\na,2,9\nb,2,3\nb,2,6\na,4,\n"
	tests := []struct {
		name, figure string
		want         []Series
		dropped      int
	}{
		{"mean and range of repeated rows", "{kind: line, x: n, y: t, series: kind, band: range}", []Series{
			{Name: "a", Index: 0, Band: true, Points: []Point{{X: 1, Y: 8, Low: 8, High: 8, Rows: 1}, {X: 2, Y: 9, Low: 9, High: 9, Rows: 1}}},
			{Name: "b", Index: 1, Band: true, Points: []Point{{X: 1, Y: 2, Low: 2, High: 2, Rows: 1}, {X: 2, Y: 4.5, Low: 3, High: 6, Rows: 2}}},
		}, 1},
		{"speed-up over a hidden baseline", "{kind: line, x: n, y: t, series: {column: kind, hide: [b]}, relative_to: {kind: b}, combine: max, filter: n < 4}", []Series{
			{Name: "a", Index: 0, Points: []Point{{X: 1, Y: 0.25, Rows: 1}, {X: 2, Y: 0.5, Rows: 1}}},
		}, 0},
		{"ratio to the first x", "{kind: bar, x: n, y: t, series: {column: kind, order: [b]}, combine: min, relative_to: {n: 1}, relative_as: ratio}", []Series{
			{Name: "b", Index: 0, Points: []Point{{X: 0, Y: 1, Rows: 1}, {X: 1, Y: 1.5, Rows: 2}}},
			{Name: "a", Index: 1, Points: []Point{{X: 0, Y: 1, Rows: 1}, {X: 1, Y: 1.125, Rows: 1}}},
		}, 1},
		{"derived columns, stacked", "{kind: stacked, columns: {half: t / 2, twice: half * 4}, where: {kind: a}, filter: n < 4, x: n, y: [half, twice]}", []Series{
			{Name: "half", Index: 0, Points: []Point{{X: 0, Y: 4, High: 4, Rows: 1}, {X: 1, Y: 4.5, High: 4.5, Rows: 1}}},
			{Name: "twice", Index: 1, Points: []Point{{X: 0, Y: 16, Low: 4, High: 20, Rows: 1}, {X: 1, Y: 18, Low: 4.5, High: 22.5, Rows: 1}}},
		}, 0},
		{"boxes hold all values", "{kind: box, where: {kind: b}, x: kind, y: t}", []Series{
			{Points: []Point{{X: 0, Y: 3, Values: []float64{2, 3, 6}, Rows: 3}}},
		}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := suite.Must(chartOf(t, rows, tt.figure))(t)
			if diff := cmp.Diff(tt.want, c.Panels[0].Series); diff != "" || c.Dropped != tt.dropped {
				t.Errorf("%d dropped, want %d\n%s", c.Dropped, tt.dropped, diff)
			}
			for _, format := range Formats {
				drawn(t, c, format, "column")
			}
		})
	}
}

func TestConfidenceIsStudents(t *testing.T) {
	// Mean 3, standard deviation 1.5811, 5 values: 3 ± 2.776 · 1.5811 / √5.
	low, high := confidence([]float64{1, 2, 3, 4, 5})
	if math.Abs(low-1.0371) > 1e-3 || math.Abs(high-4.9629) > 1e-3 {
		t.Errorf("1..5: %g..%g, want 1.037..4.963", low, high)
	}
	for freedom, want := range map[int]float64{31: 2.040, 60: 2.000, 120: 1.980} {
		if got := studentPoint(freedom); math.Abs(got-want) > 6e-4 {
			t.Errorf("%d degrees: %g, want %g", freedom, got, want)
		}
	}
}

func TestCrossings(t *testing.T) {
	c := suite.Must(chartOf(t, "s,n,t\na,1,1\na,4,4\nb,1,4\nb,4,1\n", "{kind: line, x: {column: n, scale: log2}, y: {column: t, scale: log10}, series: s, annotations: [{crossing: [a, b]}]}"))(t)
	got := c.crossings(&c.Panels[0], c.figure.Annotations[0])
	if len(got) != 1 || math.Abs(got[0].x-2) > 1e-9 || math.Abs(got[0].y-2) > 1e-9 {
		t.Errorf("crossings %v, want (2, 2)", got)
	}
}

func TestFaultsAreNamed(t *testing.T) {
	const rows = "scheduler,work,cycles\nhardware,1,5\nhardware,2,6\nmultipass,2,7\nfirmware,3,0\n"
	tests := []struct {
		figure string
		kind   error
		want   string
	}{
		{"kind: lin", ErrRange, "figure.yaml:1: kind: found \"lin\": want one of line, bar, stacked, box, heatmap, scatter, timeline, roofline (nearest: line)"},
		{"kind: line\nx: work\ny: cycles\nserie: scheduler", ErrUnknownKey, "figure.yaml:4: serie: unknown key (nearest: series)"},
		{"kind: line\nx: {column: work, lable: x}\ny: cycles", ErrUnknownKey, "figure.yaml:2: x.lable: unknown key (nearest: label)"},
		{"kind: line\nx: work\ny: cycle", ErrColumn, "figure.yaml:3: y: rows.csv: found no column \"cycle\" (nearest: cycles)"},
		{"kind: line\nx: parameters.work\ny: cycles", ErrColumn, "figure.yaml:2: x: rows.csv: found no column \"parameters.work\" (nearest: work)"},
		{"kind: line\nx: work\ny: scheduler", ErrType, "figure.yaml:3: y: column \"scheduler\" of rows.csv is text (\"firmware\"): want numbers"},
		{"kind: line\nx: work\ny: cycles\nwhere: {scheduler: hardwar}", ErrEmpty, "figure.yaml:4: where.scheduler: found no row of rows.csv with scheduler = hardwar (nearest: hardware)"},
		{"kind: line\nx: work\ny: cycles\nfilter: work > 9", ErrEmpty, "figure.yaml: where: found no row of the 4 in rows.csv with all of work > 9"},
		{"kind: line\nx: work\ny: cycles", ErrRepeated, "2 rows at work = 2, which differ in scheduler (hardware, multipass): say band: confidence, range or none, or combine:, or keep fewer rows by where:"},
		{"kind: line\nx: work\ny: cycles\nseries: scheduler\nrelative_to: {scheduler: multipass}", ErrEmpty, "figure.yaml:5: relative_to: found no row with scheduler = multipass at work = "},
		{"kind: line\nx: work\ny: {column: cycles, scale: log10}\nseries: scheduler", ErrRange, "figure.yaml:3: y.scale: a value is 0: a log10 axis shows values above 0"},
		{"kind: line\nx: work\ny: cycles\nseries: scheduler\ncolumns: {a: work * wrk}", ErrExpr, "columns.a: expression \"work * wrk\": at character 8: rows.csv: found no column \"wrk\" (nearest: work)"},
		{"kind: bar\nx: work\ny: cycles\nstep: true", ErrUnknownKey, "figure.yaml:4: step: found in a bar figure"},
		{"kind: line\nx: work\ny: cycles\nseries: scheduler\ntitle: 速い", ErrText, "character '速' (U+901F) is not in the figure's font"},
		{"kind: line\nx: work\ny: cycles\nseries: scheduler\nannotations: [{crossing: [hardwar, firmware]}]", ErrEmpty, "figure.yaml:5: annotations[0].crossing: no series is named hardwar (nearest: hardware)"},
		{"kind: [", ErrSyntax, "figure.yaml:1: not YAML"},
	}
	for _, tt := range tests {
		_, err := chartOf(t, rows, tt.figure)
		if err == nil || !strings.Contains(err.Error(), tt.want) || !errors.Is(err, tt.kind) {
			t.Errorf("%q:\n got %v\nwant %s", tt.figure, err, tt.want)
		}
	}
}

func TestCSVFaultsAreNamed(t *testing.T) {
	tests := map[string]string{
		"":              "rows.csv: found an empty file: want a line of column names",
		"a,b\n1\n":      "rows.csv:2: found 1 cells: want 2, as there are columns",
		"a,a\n":         "rows.csv:1: column 2: found the name \"a\": want a name that no other column has",
		"a,b\n1,\"2\n":  "rows.csv:2: not CSV: extraneous",
		"a,\n1,2\n":     "rows.csv:1: column 2: found the name \"\"",
		"a,b\n1,2\"x\n": "rows.csv:2: not CSV: bare",
	}
	for text, want := range tests {
		if _, err := ReadCSV("rows.csv", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestExpressions(t *testing.T) {
	table := suite.Must(ReadCSV("r", strings.NewReader("a,b.c,s,odd name\n3,4,x,7\n,1,y,8\n")))(t)
	tests := map[string]float64{
		"a + b.c * 2": 11, "(a + b.c) * 2": 14, "2**3**2": 512, "-2**2": -4, "s in ['x', 'z'] ? 1 : 0": 1, "1 / 2": 0.5, "mean(a, b.c)": 3.5, "a - 1 - 1": 1, "`odd name` % 4": 3, "1e-3 * 1000": 1,
		"s == 'x' && a > 2": 1, "!(a == 3)": 0, "max(a, b.c) / min(2, 8)": 2, "if(s != 'y', log2(8), 0)": 3, "if(s == 'x', s, 'z') == 'x'": 1,
		"a<=3": 1, "sqrt(b.c)": 2, "round(7 / 2)": 4,
	}
	for text, want := range tests {
		e, err := compile(text, table)
		if err != nil || e.texts() {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := e.number(0); err != nil || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %g, %v, want %g", text, got, err, want)
		}
	}
	missing := suite.Must(compile("a * 0 + (a > 1)", table))(t)
	if x, err := missing.number(1); err != nil || !math.IsNaN(x) {
		t.Errorf("what a missing number touches is missing: %g, %v", x, err)
	}
	for _, bad := range []string{"", "a +", "s + 1", "sin(a)", "a b", "'x", "(a", "min(a)", "if(s, 1, 2)", "-s", "1..2", "a ^ 2", "a < b.c < 3", "a // 2"} {
		if _, err := compile(bad, table); err == nil {
			t.Errorf("%q compiles", bad)
		}
	}
}

func TestTickLabels(t *testing.T) {
	tests := []struct {
		scale     string
		low, high float64
		n         int
		want      string
	}{
		{"linear", 0, 10, 5, "0 2 4 6 8 10"}, {"linear", -1, 1, 4, "–1.0 –0.5 0 0.5 1.0"}, {"linear", 0, 1.6e6, 4, "0 0.5M 1.0M 1.5M"},
		{"linear", 0, 4000, 4, "0 1000 2000 3000 4000"}, {"linear", 0, 0.0004, 4, "0 1·10^{–4} 2·10^{–4} 3·10^{–4} 4·10^{–4}"},
		{"log2", 1, 16, 6, "1 2 4 8 16"}, {"log2", 1, 1 << 20, 6, "1 16 256 4Ki 64Ki 1Mi"}, {"log2", 0.25, 4, 6, "1/4 1/2 1 2 4"},
		{"log10", 1, 1000, 5, "1 10 100 1000"}, {"log10", 1, 1e6, 8, "10^{0} 10^{1} 10^{2} 10^{3} 10^{4} 10^{5} 10^{6}"},
		{"log10", 1, 9, 5, "1 2 5"}, {"log10", 20, 60, 5, "20 30 40 50 60"},
	}
	for _, tt := range tests {
		var got []string
		for _, tick := range scaleTicks[tt.scale](newScale(tt.scale, tt.low, tt.high), tt.n) {
			if tick.Label != "" {
				got = append(got, tick.Label)
			}
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s %g..%g: %s, want %s", tt.scale, tt.low, tt.high, s, tt.want)
		}
	}
}

// TestLegendsCoverNothing checks that an automatic legend inside a panel covers no marks.
func TestLegendsCoverNothing(t *testing.T) {
	for _, name := range figures {
		for _, style := range Styles {
			c := build(t, name)
			l, at := c.chooseLayout(style)
			if l.place != "inside" {
				continue
			}
			k := newInk(l.font, l.size.X, l.size.Y)
			l.drawData(k.on(l.panes[0].rect), l.panes[0], k)
			w, h := l.legendSize()
			box := candidate{at: at}.box(l.font, "", 0)
			box.Max.X, box.Max.Y = at.X+w, at.Y+h
			if n := k.count(box); n > 0 {
				t.Errorf("%s, %s: the legend covers %d cells", name, style, n)
			}
		}
	}
}

func TestPDFEmbedsItsFontAndNoDate(t *testing.T) {
	data := drawn(t, build(t, "bar"), "pdf", "column")
	if !bytes.Contains(data, []byte("/FontFile2")) || !bytes.Contains(data, []byte("D:20000101")) {
		t.Error("want an embedded font and the fixed date")
	}
}

// TestTagsAreWhole reads every struct of a figure: a field has a name, a description and well-formed tags.
func TestTagsAreWhole(t *testing.T) {
	for _, typ := range []reflect.Type{reflect.TypeFor[Figure](), reflect.TypeFor[Axis](), reflect.TypeFor[Shade](), reflect.TypeFor[Grouping](),
		reflect.TypeFor[Facets](), reflect.TypeFor[Band](), reflect.TypeFor[Roof](), reflect.TypeFor[Legend](), reflect.TypeFor[Annotation]()} {
		for _, row := range spec.Fields(typ) {
			if row.Doc == "" {
				t.Errorf("%s.%s has no doc", typ, row.Name)
			}
		}
	}
	for kind := range kindKeys {
		if _, ok := kinds[kind]; !ok {
			t.Errorf("kind %s can't be drawn", kind)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range figures {
		data := suite.Must(os.ReadFile(filepath.Join("testdata", name+".yaml")))(f)
		f.Add(data)
	}
	table := suite.Must(ReadTable("testdata/schedulers.csv"))(f)
	table = table.pick(indices(40))
	f.Fuzz(func(t *testing.T, data []byte) {
		figure, err := Read("f", data)
		if err != nil {
			return
		}
		if c, err := Build(figure, table); err == nil && len(c.Panels) < 20 {
			c.chooseLayout("column")
		}
	})
}

func FuzzReadCSV(f *testing.F) {
	f.Add("a,b\n1,x\n,\"y\"\"\"\n")
	f.Add("\ufeffa\n1e400\n")
	f.Fuzz(func(t *testing.T, text string) {
		table, err := ReadCSV("r", strings.NewReader(text))
		if err != nil {
			return
		}
		for _, c := range table.Columns {
			if c.cells() != table.Rows {
				t.Errorf("column %q has %d cells of %d", c.Name, c.cells(), table.Rows)
			}
		}
	})
}
