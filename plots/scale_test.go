package plots

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// drawnAll draws a figure of rows in the formats with numbers, and checks that these are valid and the content is
// visible.
func drawnAll(t *testing.T, rows, figure string) *Chart {
	t.Helper()
	c, err := chartOf(t, rows, figure)
	if err != nil {
		t.Fatalf("%s: %v", figure, err)
	}
	for _, format := range []string{"svg", "pdf"} {
		if err := lookAt[format](drawn(t, c, format, "column")); err != nil {
			t.Errorf("%s: %s: %v", figure, format, err)
		}
	}
	if err := checkTicks(c); err != nil {
		t.Errorf("%s: %v", figure, err)
	}
	return c
}

// The quotient of an axis' ends overflows float64 here: ranges, padding and ticks are computed in logarithms.
func TestLogAxesReachOverAllMagnitudes(t *testing.T) {
	for _, scale := range []string{"log2", "log10"} {
		for _, ends := range []string{"", ", max: 20", ", min: 1e-299", ", max: 1e299", ", min: 1e-300, max: 1e300"} {
			axis := ", scale: " + scale + ends + "}"
			drawnAll(t, "x,y\n1e-200,1\n1e200,2\n", "kind: line\nx: {column: x"+axis+"\ny: y")
			drawnAll(t, "x,y\n1,1e-300\n2,1e300\n2.5,10\n", "kind: line\nx: x\ny: {column: y"+axis)
			drawnAll(t, "x,y\n1,1e-300\n2,1e300\n", "kind: bar\nx: x\ny: {column: y"+axis)
		}
	}
}

func TestHeatMapsReachOverAllMagnitudes(t *testing.T) {
	const rows = "x,y,v\n1,1,1e-300\n2,1,1e300\n"
	for _, value := range []string{"scale: log2", "scale: log10", "scale: log2, center: 1", "scale: log2, min: 1e-299", "scale: linear, center: 1"} {
		drawnAll(t, rows, "kind: heatmap\nx: x\ny: y\nvalue: {column: v, "+value+"}")
	}
	c := drawnAll(t, rows, "kind: heatmap\nx: x\ny: y\nvalue: {column: v, scale: log2}")
	if s := c.shades(); s.norm(1e-300) != 0 || s.norm(1e300) != 1 || math.Abs(s.norm(1)-0.5) > 1e-9 {
		t.Errorf("places %g, %g, %g: want 0, 0.5 and 1", s.norm(1e-300), s.norm(1), s.norm(1e300))
	}
}

// Colours as far to both sides of a centre may have no numbers.
func TestCentresTooFarFromTheirValuesAreRefused(t *testing.T) {
	const rows = "x,y,v\n1,1,2\n2,1,1e10\n"
	for center, refused := range map[string]bool{"1e169": true, "1e149": false, "1e-169": true, "1e-139": false} {
		_, err := chartOf(t, rows, "kind: heatmap\nx: x\ny: y\nvalue: {column: v, scale: log2, center: "+center+"}")
		if refused != errors.Is(err, ErrRange) || refused && !strings.Contains(err.Error(), "value.center: found "+"1e") {
			t.Errorf("center %s: %v", center, err)
		}
	}
}

// Values at or below zero have no position on a logarithmic axis: they are refused by key, and drawn on a linear one.
func TestAnnotationsOffALogAxisAreRefused(t *testing.T) {
	const rows = "x,y\n1,1\n4,100\n"
	for _, tt := range []struct{ annotation, path string }{
		{"hline: V", "annotations[0].hline"}, {"vline: V", "annotations[0].vline"},
		{"text: t, x: V, y: 2", "annotations[0].x"}, {"text: t, x: 2, y: V", "annotations[0].y"},
		{"source: s, points: [[2, 2], [V, 2]]", "annotations[0].points[1]"}, {"source: s, points: [[2, V]]", "annotations[0].points[0]"},
	} {
		for _, value := range []string{"0", "-3", "1e-301"} {
			annotation := "\nannotations: [{" + strings.ReplaceAll(tt.annotation, "V", value) + "}]"
			_, err := chartOf(t, rows, "kind: line\nx: {column: x, scale: log2}\ny: {column: y, scale: log10}"+annotation)
			want := fmt.Sprintf("figure.yaml:4: %s: found %s: a log", tt.path, value)
			if !errors.Is(err, ErrRange) || !strings.HasPrefix(strings.TrimPrefix(err.Error(), "plots: "), want) {
				t.Errorf("%s: got %v, want %s", annotation, err, want)
			}
			if value == "0" {
				drawnAll(t, rows, "kind: line\nx: x\ny: y"+annotation)
			}
		}
	}
	const crossing = "kind: line\nx: x\ny: {column: y, scale: log10}\nseries: s\nannotations: [{crossing: [a], hline: 0}]"
	if _, err := chartOf(t, "s,x,y\na,1,1\na,2,3\n", crossing); !errors.Is(err, ErrRange) || !strings.Contains(err.Error(), "annotations[0].hline: found 0") {
		t.Errorf("a crossing with 0 on a log axis: %v", err)
	}
}

func TestRoofsReachOverAllMagnitudes(t *testing.T) {
	for _, roofs := range []string{"[{bandwidth: 1e90}, {peak: 1e-90}]", "[{bandwidth: 1e-99}, {peak: 1e99}]", "[{bandwidth: 1e-99}]"} {
		for _, scale := range []string{"log2", "log10", "linear"} {
			drawnAll(t, "x,y\n1e-290,1e-290\n1e290,1e200\n", "kind: roofline\nx: {column: x, scale: "+scale+"}\ny: {column: y, scale: "+scale+"}\nroofs: "+roofs)
		}
	}
}

func TestEndsThatAScaleCantShowAreRefused(t *testing.T) {
	for axis, want := range map[string]string{
		"min: 0":          "x.min: found 0: a log2 axis shows values above 0",
		"max: -1":         "x.max: found -1: a log2 axis shows values above 0",
		"min: 1e-305":     "x.min: found 1e-305: a log2 axis shows values from 1e-300",
		"ticks: [1, -2]":  "x.ticks[1]: found -2: a log2 axis shows values above 0",
		"min: 3, max: .5": "x.max: found 0.5: want more than min, 3",
	} {
		_, err := Read("figure.yaml", []byte("kind: line\nx: {column: x, scale: log2, "+axis+"}\ny: y"))
		if !errors.Is(err, ErrRange) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", axis, err, want)
		}
	}
}

// A value's position is its share of the range; values that a scale can't show are at an end, and all positions are
// finite.
func TestScalePositions(t *testing.T) {
	for _, tt := range []struct {
		scale   scale
		v, want float64
	}{
		{newScale("linear", 2, 6), 3, 0.25}, {newScale("log2", 1, 16), 4, 0.5}, {newScale("log10", 1e-300, 1e300), 1, 0.5},
		{newScale("log10", 1, 10), 0, 0}, {newScale("log10", 1, 10), -5, 0}, {newScale("linear", 0, 1e-200), 1e200, farthest},
		{newScale("linear", 0, 1e-200), -1e200, -farthest}, {scale{kind: "linear", low: 2, high: 6, inverted: true}, 3, 0.75},
		{newScale("linear", 4, 4), 4, 0.5}, {newScale("log2", 4, 4), 4, 0.5}, {newScale("log2", 4, 1), 4, 0.5},
	} {
		if got := tt.scale.norm(tt.v); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%+v: %g is at %g, want %g", tt.scale, tt.v, got, tt.want)
		}
	}
}

// Exponents far apart are round numbers.
func TestTicksOverManyPowersAreRound(t *testing.T) {
	for _, tt := range []struct {
		scale     string
		low, high float64
		n         int
		want      string
	}{
		{"log2", 1e-200, 20, 9, "2^{–600} 2^{–500} 2^{–400} 2^{–300} 2^{–200} 2^{–100} 1"},
		{"log10", 1e-300, 1e300, 11, "10^{–300} 10^{–200} 10^{–100} 10^{0} 10^{100} 10^{200} 10^{300}"},
		{"log10", 1e-5, 1e5, 6, "10^{–4} 10^{–2} 10^{0} 10^{2} 10^{4}"},
	} {
		var got []string
		for _, tick := range scaleTicks[tt.scale](newScale(tt.scale, tt.low, tt.high), tt.n) {
			if tick.Label != "" {
				got = append(got, tick.Label)
			}
		}
		if text := strings.Join(got, " "); text != tt.want {
			t.Errorf("%s, %g to %g: %s, want %s", tt.scale, tt.low, tt.high, text, tt.want)
		}
	}
}

// A label is a number that people read.
func TestLog2Labels(t *testing.T) {
	for want, values := range map[string][]float64{
		"1/2 3/4 1 1.5 2":            {0.5, 0.75, 1, 1.5, 2},
		"3/8 1/1024 0.333":           {0.375, 1.0 / 1024, 1 / 3.0},
		"0.3 0.7":                    {0.3, 0.7},
		"1Ki 1.5Ki 16Ki 3Mi":         {1024, 1536, 16384, 3 << 20},
		"100 1000 10000 100000":      {100, 1000, 10000, 100000},
		"2^{–11} 1.5·2^{–12} 2^{60}": {math.Exp2(-11), 1.5 * math.Exp2(-12), math.Exp2(60)},
		"1.25·2^{70}":                {1.25 * math.Exp2(70)},
	} {
		if got := strings.Join(log2Labels(values), " "); got != want {
			t.Errorf("%v: %s, want %s", values, got, want)
		}
	}
	c := suite.Must(chartOf(t, "x,y\n0.75,1\n1.5,2\n3,4\n", "kind: line\nx: {column: x, scale: log2}\ny: y"))(t)
	l, _ := c.chooseLayout("column")
	if got := labelsOf(l); got != "3/4 1.5 3" {
		t.Errorf("ticks at the values: %s, want 3/4 1.5 3", got)
	}
}
