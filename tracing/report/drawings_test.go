package report

import (
	"fmt"
	"html"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/account"
	"spvsim/tracing/profile"
)

var (
	rects = regexp.MustCompile(`<rect x="([^"]*)" y="([^"]*)" width="([^"]*)" height="([^"]*)" class="([^"]*)"><title>([^<]*)</title>`)
	words = regexp.MustCompile(`<text x="([^"]*)" y="([^"]*)" text-anchor="([^"]*)" class="([^"]*)">([^<]*)</text>`)
	paths = regexp.MustCompile(`<path d="([^"]*)" class="([^"]*)"`)
)

// found are the parts of a drawing that match, their fields with spaces between.
func found(svg any, what *regexp.Regexp) (list []string) {
	for _, m := range what.FindAllStringSubmatch(fmt.Sprint(svg), -1) {
		list = append(list, strings.Join(m[1:], " "))
	}
	return list
}

// A compute unit's column has the height of its share of resident slot-cycles on the axis, with its reasons stacked in
// their order, without empty slots. Here the axis goes to 80 %, 154 pixels high, and a unit has 100 pixels, 2 of them
// the gap. A line separates engines.
func TestColumnsOfComputeUnits(t *testing.T) {
	p := &profile.Profile{Engines: 2, Units: 2}
	svg := units(458, p, []account.SlotCycles{
		{account.Issued: 1, account.Memory: 3, account.Empty: 1}, {account.Empty: 5}, {}, {account.Barrier: 40, account.Empty: 60},
	})
	want := []string{
		"46 127.5 98 38.5 r0 SE 0 CU 0: issued 20.0%",
		"46 12 98 115.5 r4 SE 0 CU 0: memory 60.0%",
		"346 89 98 77 r8 SE 1 CU 1: barrier 40.0%",
	}
	if diff := cmp.Diff(want, found(svg, rects)); diff != "" {
		t.Error(diff)
	}
	if got := strings.Count(string(svg), `d="M245 12L245 166" class="divide"`); got != 1 || strings.Count(string(svg), `"divide"`) != 1 {
		t.Errorf("%d lines between engines, want one at 245: %s", got, svg)
	}
	for _, text := range []string{"46 10 start name % of slot-cycles", "446 197 end name compute unit", "40 170 end tick 0", "40 16 end tick 80"} {
		if !strings.Contains(strings.Join(found(svg, words), "\n"), text) {
			t.Errorf("no text %q in %q", text, found(svg, words))
		}
	}
}

// A bar is as wide as the drawing: each reason covers its share, from left to right, with its name if that fits.
func TestBarsOfReasons(t *testing.T) {
	svg := stack(400, []stackRow{{"first", account.SlotCycles{account.Issued: 250, account.Memory: 750}}, {"second", account.SlotCycles{account.Barrier: 2000}}})
	want := []string{
		"0 17 100 22 r0 cell issued: 250, 25.0%; " + html.EscapeString(account.Issued.Meaning()),
		"100 17 300 22 r4 cell memory: 750, 75.0%; " + account.Memory.Meaning(),
		"0 64 400 22 r8 cell barrier: 2\u202f000, 100.0%; " + account.Barrier.Meaning(),
	}
	if diff := cmp.Diff(want, found(svg, rects)); diff != "" {
		t.Error(diff)
	}
	names := []string{
		"0 12 start label first", "400 12 end tick 1k slot-cycles", "106 32 start on4 memory 75.0%",
		"0 59 start label second", "400 59 end tick 2k slot-cycles", "6 79 start on8 barrier 100.0%",
	}
	if diff := cmp.Diff(names, found(svg, words)); diff != "" {
		t.Error(diff)
	}
	if !strings.HasPrefix(string(svg), `<svg viewBox="0 0 400 96"`) {
		t.Errorf("a size other than 400 x 96: %.60s", svg)
	}
}

// Curves over time go through each bin's mean, stacked ones from the edge of the one below and back; the last bin may be short, and a step begins at a line.
func TestCurvesOverTime(t *testing.T) {
	p := &profile.Profile{Cycles: 25}
	p.Series = profile.Series{BinCycles: 10, Issued: make([]uint64, 3), Steps: []profile.Span{{From: 0}, {From: 5}}}
	curves := []curve{{"a", "r0", []float64{1, 1, 1}}, {"b", "r1", []float64{1, 3, 0}}}
	svg := overTime(158, 146, p, "waves", true, curves) // 100 x 100 from 46, 12: to 4 waves and 25 cycles
	want := []string{
		"M46 87L86 87L126 87L146 87L146 112L126 112L86 112L46 112Z r0",
		"M46 62L86 62L86 12L126 12L126 87L146 87L146 87L126 87L86 87L46 87Z r1",
		"M66 12L66 112 divide",
	}
	if diff := cmp.Diff(want, areas(svg)); diff != "" {
		t.Error(diff)
	}
	want = []string{"40 116 end tick 0", "40 66 end tick 2", "40 16 end tick 4", "46 10 start name waves", "46 128 middle tick 0", "86 128 middle tick 10", "126 128 middle tick 20", "146 143 end name cycle"}
	if diff := cmp.Diff(want, found(svg, words)); diff != "" {
		t.Error(diff)
	}
	svg = overTime(158, 146, p, "waves", false, []curve{{"b", "r1", []float64{1, 2, 0}}})
	if diff := cmp.Diff([]string{"M46 62L86 62L86 12L126 12L126 112L146 112 curve r1", "M66 12L66 112 divide"}, areas(svg)); diff != "" {
		t.Error(diff)
	}
}

// areas returns the paths of a drawing, without its axes.
func areas(svg any) (list []string) {
	for _, p := range found(svg, paths) {
		if !strings.HasSuffix(p, " grid") && !strings.HasSuffix(p, " axis") {
			list = append(list, p)
		}
	}
	return list
}

// Bins that would be narrower than two pixels are joined, at the mean of their cycles.
func TestNarrowBinsAreJoined(t *testing.T) {
	p := &profile.Profile{Cycles: 595}
	p.Series = profile.Series{BinCycles: 10, Issued: make([]uint64, 60)}
	values := make([]float64, 60)
	for i := range values {
		values[i] = float64(i)
	}
	pl := newPlot(158, 146, "") // 100 pixels
	list := pl.steps(p, values)
	if len(list) != 30 {
		t.Fatalf("%d steps of 60 bins on 100 pixels, want 30", len(list))
	}
	if diff := cmp.Diff([]binMean{{0, 20, 0.5}, {580, 595, (58*10 + 59*5) / 15.0}}, []binMean{list[0], list[29]}, cmp.AllowUnexported(binMean{})); diff != "" {
		t.Error(diff)
	}
	if n := len(pl.steps(p, values[:40])); n != 40 {
		t.Errorf("%d steps of 40 bins on 100 pixels, want 40", n)
	}
}

// Ticks begin at 0, are 1, 2 or 5 times a power of ten apart, in at most the requested number of steps, and the last is
// the first that reaches the top.
func TestTicks(t *testing.T) {
	for top := 1e-3; top < 1e7; top *= 1.07 {
		for n := 2; n <= 6; n++ {
			list := ticks(top, n)
			step := list[1]
			digit := step / math.Pow(10, math.Floor(math.Log10(step)+1e-9))
			if d := math.Round(digit); math.Abs(digit-d) > 1e-9 || d != 1 && d != 2 && d != 5 {
				t.Errorf("to %g in %d: steps of %g", top, n, step)
			}
			last := list[len(list)-1]
			if list[0] != 0 || len(list)-1 > n || last < top*(1-1e-9) || last-step >= top {
				t.Errorf("to %g in %d: %v", top, n, list)
			}
		}
	}
	if diff := cmp.Diff([]float64{0, 1}, ticks(0, 4)); diff != "" {
		t.Error(diff)
	}
}

// Numbers have three digits and a prefix, counts groups of three digits, long names an ellipsis.
func TestNumbersAsText(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1: "1", 999: "999", 1000: "1k", 1234: "1.23k", 12345: "12.3k", 123456: "123k", 999e6: "999M", 2.5e9: "2.5G", 7e12: "7T", 3e15: "3000T",
		0.5: "0.5", 0.25: "0.25", 9.876: "9.88", 12.34: "12.3", 99.96: "100", 100.4: "100", 0.0123: "0.01", 0.00123: "0.0012", -1500: "-1.5k",
	} {
		if got := shortNumber(v); got != want {
			t.Errorf("%g is %q, want %q", v, got, want)
		}
	}
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1\u202f000", 1234567: "1\u202f234\u202f567"} {
		if got := grouped(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
	if a, b := percent(1, 8), percent(1, 0); a != "12.5%" || b != "–" {
		t.Errorf("%q and %q", a, b)
	}
	if a, b := shortened("abcdef", 6), shortened("abcdef", 5); a != "abcdef" || b != "abcd…" {
		t.Errorf("%q and %q", a, b)
	}
	if a, b := num(1.25), num(-10); a != "1.3" || b != "-10" {
		t.Errorf("%q and %q", a, b)
	}
}
