package plots

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// The name of a mathematical sign is all letters after the backslash: the whole name is looked up, and an unknown one
// is reported whole.
func TestNamesOfMathAreLetters(t *testing.T) {
	for name, sign := range signs {
		for after, rest := range map[string]string{"": "", "1": "1", "/": "/", "{x}": "x", "@": "@", "[": "[", "`": "`"} {
			if got, err := mathText("$\\" + name + after + "$"); err != nil || got != sign+rest && got != sign+after {
				t.Errorf(`\%s%s: %q, %v`, name, after, got, err)
			}
		}
	}
	for _, name := range []string{"azAZ", "A", "Z", "zz", "aa"} {
		if _, err := mathText("$\\" + name + "1$"); err == nil || !strings.HasPrefix(err.Error(), `math has no \`+name) || strings.HasPrefix(err.Error(), `math has no \`+name+"1") {
			t.Errorf(`\%s1: %v`, name, err)
		}
	}
}

// Every text of a figure may have math, and an error in one names its key.
func TestEveryTextMayHaveMath(t *testing.T) {
	texts := func(f *Figure) []*string {
		return []*string{&f.Title, &f.Legend.Title, &f.Facets.Label, &f.Facets.Names[0].Values[0], &f.Value.Label, &f.Value.Unit, &f.X.Label, &f.X.Unit, &f.X.Names[0].Values[0],
			&f.Y.Label, &f.Y.Unit, &f.Y.Names[0].Values[0], &f.Series.Names[0].Values[0], &f.Annotations[0].Text, &f.Annotations[0].Source, &f.Roofs[0].Name}
	}
	paths := strings.Fields("title legend.title facets.label facets.names.a value.label value.unit x.label x.unit x.names.a y.label y.unit y.names.a series.names.a annotations[0].text annotations[0].source roofs[0].name")
	plain := func() *Figure {
		pairs := func() Pairs { return Pairs{{Key: "a", Values: []string{"plain"}}} }
		f := &Figure{File: "f.yaml", Annotations: make([]Annotation, 1), Roofs: make([]Roof, 1)}
		f.X.Names, f.Y.Names, f.Series.Names, f.Facets.Names = pairs(), pairs(), pairs(), pairs()
		return f
	}
	for i, path := range paths {
		f := plain()
		*texts(f)[i] = `$\alpha$`
		if err := f.typeset(); err != nil || *texts(f)[i] != "α" {
			t.Errorf("%s: %q, %v", path, *texts(f)[i], err)
		}
		f = plain()
		*texts(f)[i] = `$\nosuch$`
		if err := f.typeset(); !errors.Is(err, ErrText) || !strings.Contains(err.Error(), path+":") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Texts are in natural order: by the value of their numbers, and among equal ones by the rest. It is a strict order: of
// two different texts one comes first, and it is transitive.
func TestNaturalOrder(t *testing.T) {
	for _, pair := range [][2]string{{"wave2", "wave16"}, {"wave02", "wave3"}, {"a", "b"}, {"a", "aa"}, {"a9b1", "a10b0"}, {"2", "a"}, {"a01", "a1"}, {"a01b", "a1b"}, {"a01b1", "a1b2"}, {"", "0"}} {
		if !naturalLess(pair[0], pair[1]) || naturalLess(pair[1], pair[0]) {
			t.Errorf("%q is not before %q", pair[0], pair[1])
		}
	}
	texts := []string{""}
	for i := 0; len(texts[i]) < 3; i++ {
		for _, c := range "019ab" {
			texts = append(texts, texts[i]+string(c))
		}
	}
	for _, a := range texts {
		for _, b := range texts {
			if ab, ba := naturalLess(a, b), naturalLess(b, a); ab && ba || a != b && !ab && !ba || a == b && ab {
				t.Fatalf("%q and %q: %t, %t", a, b, ab, ba)
			}
		}
	}
	few := texts[:60]
	for _, a := range few {
		for _, b := range few {
			for _, c := range few {
				if naturalLess(a, b) && naturalLess(b, c) && !naturalLess(a, c) {
					t.Fatalf("%q, %q and %q are in no order", a, b, c)
				}
			}
		}
	}
}

// A roof's name is tried over its line and then under it, from the right end to the left.
func TestPlacesOverALine(t *testing.T) {
	const left, right, y = 10, 130, 50
	list := overHorizontal(left, right, y)
	if len(list) != 20 {
		t.Fatalf("%d places", len(list))
	}
	for i, c := range list {
		over := i < 10
		if want := (vg.Length(right) - 2 - vg.Length(i%10)*10); c.at.X != want || c.at.X <= left || (c.at.Y > y) != over || c.align.y != map[bool]vg.Length{true: 0, false: 1}[over] || c.align.x != 1 {
			t.Errorf("place %d is %+v, want it at x = %v, over the line: %t", i, c, want, over)
		}
	}
}

// A figure without space is refused, whichever way it lacks it.
func TestPanelsHaveSpace(t *testing.T) {
	for _, c := range []struct {
		w, h, high vg.Length
		ok         bool
	}{{leastPanel, leastPanel, largestFig, true}, {leastPanel - 1, 100, 100, false}, {100, leastPanel - 1, 100, false}, {1, 1, 100, false}, {100, 100, largestFig + 1, false}} {
		l := &layout{c: &Chart{figure: &Figure{}}, panelW: c.w, panelH: c.h}
		l.size.Y = c.high
		if err := l.check(); (err == nil) != c.ok || err != nil && !errors.Is(err, ErrLimit) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// Every key that names a column needs one; the error names the key.
func TestColumnsAreNamed(t *testing.T) {
	for _, c := range []struct{ text, key string }{
		{"x: {label: a}\ny: b", "x.column"}, {"x: a\ny: {label: b}", "y.column"}, {"x: a\ny: b\nseries: {names: {a: b}}", "series.column"},
		{"x: a\ny: b\nfacets: {label: b}", "facets.column"}, {"x: a", "y"}, {"y: a", "x"},
	} {
		_, err := Read("f.yaml", []byte("kind: line\n"+c.text+"\n"))
		if !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), c.key) {
			t.Errorf("%q: %v, want that %s is missing", c.text, err, c.key)
		}
	}
	if _, err := Read("f.yaml", []byte("kind: heatmap\nx: a\ny: b\nvalue: {label: c}\n")); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "value.column") {
		t.Errorf("a value without column: %v", err)
	}
	for from, ok := range map[float64]bool{-1: true, 4.5: true, 5: false, 6: false} {
		_, err := Read("f.yaml", []byte(fmt.Sprintf("kind: line\nx: {column: a, min: %g, max: 5}\ny: b\n", from)))
		if (err == nil) != ok {
			t.Errorf("an axis from %g to 5: %v", from, err)
		}
	}
}

// Colours are symmetric about a centre; if one side would overflow, the centre is refused.
func TestShadesHaveNumbers(t *testing.T) {
	const rows = "a,b,v\n1,1,%s\n2,1,%s\n"
	for _, c := range []struct {
		low, high, value string
		ok               bool
	}{
		{"1", "2", "", true}, {"1", "2", ", center: 1.5", true}, {"1", "1e300", ", center: 0", true}, {"-1e300", "1e300", ", center: 9e299", false},
		{"1", "2", ", center: 1.5, scale: log10", true}, {"1e-300", "1e300", ", center: 1e-290, scale: log10", false},
	} {
		_, err := chartOf(t, fmt.Sprintf(rows, c.low, c.high), "kind: heatmap\nx: a\ny: b\nvalue: {column: v"+c.value+"}\n")
		if (err == nil) != c.ok {
			t.Errorf("%s to %s%s: %v", c.low, c.high, c.value, err)
		}
	}
}

// A raised or lowered part needs closed braces; any other sign is literal.
func TestRaisedAndLoweredParts(t *testing.T) {
	up, down := func(s string) span { return span{s, scriptScale, raised} }, func(s string) span { return span{s, scriptScale, lowered} }
	plain := func(s string) span { return span{s, 1, 0} }
	for text, want := range map[string][]span{
		"":                  nil,
		"a":                 {plain("a")},
		"a^{b}":             {plain("a"), up("b")},
		"^{b}c":             {up("b"), plain("c")},
		"a_{b}^{c}":         {plain("a"), down("b"), up("c")},
		"a^b_{c}":           {plain("a^b"), down("c")},
		"a^":                {plain("a^")},
		"a^{":               {plain("a^{")},
		"a_{b":              {plain("a_{b")},
		"a^_^{b}_":          {plain("a^_"), up("b"), plain("_")},
		"^{}x":              {up(""), plain("x")},
		"wave_slots and ^{": {plain("wave_slots and ^{")},
	} {
		if got := spans(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// The bars of a category are side by side about its place, together as wide as a group, in the order of the series.
func TestBarsStandSideBySide(t *testing.T) {
	for n := 1; n <= 5; n++ {
		end := 7 - groupWidth/2
		for i := range n {
			left, right := slot(7, i, n)
			if math.Abs(left-end) > 1e-12 || math.Abs(right-left-groupWidth/float64(n)) > 1e-12 {
				t.Errorf("bar %d of %d is from %g to %g, want it from %g on", i, n, left, right, end)
			}
			end = right
		}
		if math.Abs(end-7-groupWidth/2) > 1e-12 {
			t.Errorf("%d bars end at %g", n, end)
		}
	}
}

// The first multiple that is not below a number, of either sign.
func TestFirstMultiples(t *testing.T) {
	for n := 1; n <= 7; n++ {
		for v := -20; v <= 20; v++ {
			want := v
			for want%n != 0 {
				want++
			}
			if got := multipleFrom(v, n); got != want {
				t.Errorf("of %d from %d: %d, want %d", n, v, got, want)
			}
		}
	}
}
