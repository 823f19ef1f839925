package plots

import (
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"spvsim/internal/suite"
)

// Keys that do not go together in a figure are refused by name; the figure without the change is accepted.
func TestRulesOfFigures(t *testing.T) {
	const line = "kind: line\nx: a\ny: b\n"
	for _, c := range []struct{ good, from, to, want string }{
		{line, "kind: line\n", "", "kind: missing: want one of line"},
		{line, "kind: line", "kind: lime", "nearest"},
		{line, "y: b\n", "", "y: missing: want it in a line figure"},
		{line, "y: b", "y: b\nroofs: [{peak: 1}]", "roofs: found in a line figure"},
		{line, "y: b", "y: b\nidentity: true", "identity: found in a line figure"},
		{line + "band: confidence\n", "confidence", "{low: c}", "band: found low, high and as that do not fit"},
		{line + "band: {low: c, high: d}\n", ", high: d", ", as: range", "band: found low, high and as that do not fit"},
		{line + "band: {low: c, high: d}\n", "high: d", "high: d, as: range", "band: found low, high and as that do not fit"},
		{line + "band: confidence\ncombine: mean\n", "mean", "max", "combine: found max: want mean with a band of confidence"},
		{line + "band: range\ncombine: max\n", "range", "confidence", "combine: found max"},
		{line + "relative_to: {c: x}\nrelative_as: speedup\n", "relative_to: {c: x}\n", "", "relative_as: found relative_as alone"},
		{line + "band: {over: [c]}\n", "[c]", "[range]", "found range, which is a kind of band"},
		{line + "band: {over: [c]}\n", "[c]", "[none]", "found none, which is a kind of band"},
		{line + "band: {over: [range], as: range}\n", ", as: range", "", "found range, which is a kind of band"},
		{line + "step: true\n", "step: true", "step: true\nlines: \"off\"", "step: found step without lines"},
		{line + "lines: \"off\"\n", "lines", "step: true\nlines", "step: found step without lines"},
		{"kind: scatter\nx: a\ny: b\nband: {low: c, high: d}\n", "{low: c, high: d}", "confidence", "band: found a band over rows"},
		{"kind: scatter\nx: a\ny: b\nidentity: true\nwithin: 2\n", "identity: true\n", "", "within: found 2 without identity"},
		{"kind: scatter\nx: {column: a, scale: log2}\ny: {column: b, scale: log2}\nidentity: true\n", "b, scale: log2", "b", "identity: found the scales log2 and linear"},
		{"kind: stacked\nx: a\ny: {column: b, scale: linear}\n", "linear", "log10", "y.scale: found log10"},
		{"kind: line\nx: a\ny: {columns: [b, c]}\n", "x: a", "series: d\nx: a", "y.columns: found several columns"},
		{"kind: line\nx: a\ny: {columns: [b, c]}\n", "columns:", "column: d, columns:", "y.columns: found several columns"},
		{"kind: line\nx: a\ny: {columns: [b, c]}\n", "x: a", "band: {low: d, high: e}\nx: a", "y.columns: found several columns"},
		{"kind: bar\nx: a\ny: {columns: [b, c]}\n", "bar", "scatter", "y.columns: found several columns"},
		{"kind: line\nx: a\ny: {columns: [b, c]}\n", "x: a", "x: {columns: [a, d]}", "x.columns: found several columns: want one"},
		{"kind: line\nx: {column: a, min: 1}\ny: b\n", "min: 1", "min: 0, scale: log2", "x.min: found 0: a log2 axis"},
		{"kind: line\nx: {column: a, max: 1}\ny: b\n", "max: 1", "max: -1, scale: log2", "x.max: found -1"},
		{"kind: line\nx: {column: a, ticks: [1, 2]}\ny: b\n", "[1, 2]", "[1, 0], scale: log10", "x.ticks[1]: found 0"},
		{"kind: heatmap\nx: a\ny: b\nvalue: {column: v, center: 1}\n", "center: 1", "center: 0, scale: log2", "value.center: found 0"},
		{"kind: heatmap\nx: a\ny: b\nvalue: {column: v, min: 1, max: 2}\n", "min: 1", "min: 0, scale: log2", "value.min: found 0"},
		{line + "where: {c: [x, y]}\ncolumns: {d: a + 1}\n", "a + 1", "[a, b]", "columns.d: found a list: want one value"},
		{"kind: line\nx: {column: a, names: {u: v}}\ny: b\n", "u: v", "u: [v, w]", "x.names.u: found a list: want one value"},
		{line + "series: {column: c, names: {u: v}}\n", "u: v", "u: [v]", ""},
		{line + "annotations: [{vline: 1}]\n", "vline: 1", "vline: x", "annotations[0].vline: found \"x\": want a number"},
		{line + "title: a\n", "title: a", "title: a\ntitle: b", "title: given twice"},
		{line, "x: a", "x: {column: a, columm: b}", "x.columm: unknown key"},
		{line, "x: a", "x: [a]", "x.columns: found several columns: want one"},
	} {
		if _, err := Read("f.yaml", []byte(c.good)); err != nil {
			t.Errorf("%s\n%v", c.good, err)
		}
		bad := strings.Replace(c.good, c.from, c.to, 1)
		if _, err := Read("f.yaml", []byte(bad)); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s\n%v, want %q", bad, err, c.want)
		}
	}
}

// A category axis without a value is refused with its column, in every kind of figure. With one value the figure is
// drawn.
func TestCategoryAxisWithoutValues(t *testing.T) {
	const empty, one = "x,y,s\n,1,a\n,2,b\nq,4,c\n", "x,y,s\nq,1,a\n,2,b\nq,4,c\n"
	for _, figure := range []string{
		"kind: bar\nx: x\ny: y\n", "kind: line\nx: x\ny: y\n", "kind: stacked\nx: x\ny: y\n", "kind: box\nx: x\ny: y\n", "kind: heatmap\nx: x\ny: y\nvalue: y\n",
		"kind: heatmap\nx: y\ny: x\nvalue: y\n", "kind: timeline\nx: y\nend: y\ny: x\n", "kind: line\nx: {column: x, scale: category}\ny: y\n",
	} {
		figure += "combine: mean\nwhere: {s: [a, b]}\n"
		if strings.HasPrefix(figure, "kind: box") || strings.HasPrefix(figure, "kind: timeline") {
			figure = strings.Replace(figure, "combine: mean\n", "", 1)
		}
		f := suite.Must(Read("f.yaml", []byte(figure)))(t)
		for rows, want := range map[string]string{empty: `found no value in column "x" of the 2 rows of r.csv that are left`, one: ""} {
			table := suite.Must(ReadCSV("r.csv", strings.NewReader(rows)))(t)
			if _, err := Build(f, table); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s\n%s: %v, want %q", figure, rows, err, want)
			}
		}
	}
}

// An axis is labelled with its column or its label, and its unit in parentheses; an empty label removes it.
func TestAxisLabels(t *testing.T) {
	table := suite.Must(ReadCSV("r.csv", strings.NewReader("cycles,y\n1,2\n3,4\n")))(t)
	for axis, want := range map[string]string{
		"cycles": "cycles", "{column: cycles, unit: us}": "cycles (us)", "{column: cycles, label: Time}": "Time",
		"{column: cycles, label: Time, unit: us}": "Time (us)", `{column: cycles, label: "", unit: us}`: "",
	} {
		f := suite.Must(Read("f.yaml", []byte("kind: line\nx: "+axis+"\ny: y\n")))(t)
		chart := suite.Must(Build(f, table))(t)
		if chart.X.Label != want || chart.Y.Label != "y" {
			t.Errorf("x: %s: labels %q and %q, want %q and y", axis, chart.X.Label, chart.Y.Label, want)
		}
	}
}

// A panic of a library that writes a format is an error, and a fault of the Go runtime stays a panic.
func TestRenderPanics(t *testing.T) {
	l := &layout{}
	if _, err := l.render(func(vg.Length, vg.Length) sheet { panic("the temporary folder is full") }, vg.Point{}); err == nil || err.Error() != "the temporary folder is full" {
		t.Errorf("%v, want the library's words", err)
	}
	defer func() {
		if _, ok := recover().(runtime.Error); !ok {
			t.Error("an index out of range is no panic")
		}
	}()
	_, _ = l.render(func(vg.Length, vg.Length) sheet { return []sheet{}[len(l.panes)] }, vg.Point{})
}
