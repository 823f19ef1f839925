package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/account"
	"spvsim/config"
	"spvsim/tracing/profile"
)

func TestAlign(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want [][2]int
	}{
		{"abc", "abc", [][2]int{{0, 0}, {1, 1}, {2, 2}}},
		{"abd", "abcd", [][2]int{{0, 0}, {1, 1}, {-1, 2}, {2, 3}}},
		{"abcd", "acxd", [][2]int{{0, 0}, {1, -1}, {2, 1}, {-1, 2}, {3, 3}}},
		{"", "a", [][2]int{{-1, 0}}},
		{"ab", "cd", [][2]int{{0, -1}, {1, -1}, {-1, 0}, {-1, 1}}},
	} {
		if diff := cmp.Diff(tt.want, align(strings.Split(tt.a, ""), strings.Split(tt.b, ""))); diff != "" && tt.a != "" {
			t.Errorf("%s against %s:\n%s", tt.a, tt.b, diff)
		}
	}
}

// runOf is a small profile: a program of one line a letter, each of some cycles.
func runOf(banks, program string, cycles uint64) *profile.Profile {
	p := &profile.Profile{Job: "job", Machine: "machine", ClockMHz: 1000, Engines: 1, Units: 1, Slots: 1, Cycles: cycles,
		Settings: []config.Leaf{{Path: "wave_size", Value: "32"}, {Path: "lds.banks", Value: banks}}}
	p.Total[0], p.Total[3] = cycles/2, cycles/4
	p.LDS = account.LDSCounts{Accesses: cycles, Passes: 2 * cycles, ConflictPasses: cycles / 2}
	p.Levels = []profile.LevelProfile{{Name: "l2", BytesPerCycle: 4, LevelCounts: account.LevelCounts{Bytes: 8 * cycles, Accesses: cycles, Hits: cycles / 3}}}
	l := profile.Listing{Name: "main"}
	for i, class := range strings.Split(program, "") {
		line := profile.Line{ID: uint32(class[0]), Class: class, Text: "v_" + class}
		line.Cycles[0] = cycles * uint64(i+1)
		l.Lines = append(l.Lines, line)
	}
	p.Listings = []profile.Listing{l}
	return p
}

func TestRunsSideBySide(t *testing.T) {
	second := runOf("64", "abcd", 150)
	second.Levels[0].Hits *= 2
	c := compare([]*profile.Profile{runOf("32", "abd", 100), second, runOf("64", "abd", 100)})
	if diff := cmp.Diff([]string{"job (lds.banks=32)", "job (lds.banks=64)", "job (lds.banks=64), run 3"}, c.Names); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"lds.banks"}, c.Settings); diff != "" {
		t.Error(diff)
	}
	find := func(name string) []differenceCell {
		for _, r := range c.Rows {
			if r.Name == name {
				return r.Cells
			}
		}
		t.Fatalf("no row %s", name)
		return nil
	}
	if diff := cmp.Diff([]differenceCell{{"100", ""}, {"150", "+50.0%"}, {"100", ""}}, find("cycles")); diff != "" {
		t.Error(diff)
	}
	find("bytes: l2")
	if diff := cmp.Diff([]differenceCell{{"33.0%", ""}, {"66.7%", "+33.7 points"}, {"33.0%", ""}}, find("hit rate: l2")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]differenceCell{{"50", ""}, {"75", "+50.0%"}, {"50", ""}}, find("LDS passes for conflicts")); diff != "" {
		t.Error(diff)
	}
	lines := c.Listings[0].All.Lines
	var got []string
	for _, l := range lines {
		got = append(got, l.Class+" "+l.Cells[0].Value+" "+l.Cells[1].Value+" "+l.Cells[1].Change)
	}
	want := []string{"a 100 150 +50.0%", "b 200 300 +50.0%", "c – 450 new", "d 300 600 +100.0%"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if hot := c.Listings[0].Hot.Lines; hot[0].Class != "c" || hot[1].Class != "d" {
		t.Errorf("the lines that differ most: %+v", hot)
	}
}

// Runs without settings, as older files are, are distinguished by their number.
func TestRunsWithoutSettings(t *testing.T) {
	old := runOf("32", "a", 10)
	old.Settings = nil
	c := compare([]*profile.Profile{old, runOf("64", "a", 10), old})
	if diff := cmp.Diff([]string{"job", "job, run 2", "job, run 3"}, c.Names); diff != "" || len(c.Settings) > 0 {
		t.Errorf("%v %s", c.Settings, diff)
	}
}

// Overlapping points are spread, and a line leads from each to its true position.
func TestRooflinePointsStandApart(t *testing.T) {
	p := runOf("32", "a", 100)
	p.Peak = 64
	for range 12 {
		p.Steps = append(p.Steps, profile.Step{Name: "s", Cycles: 100, Operations: 800, Levels: []uint64{400}})
	}
	points := roofline(p)
	var taken [][2]float64
	for range points {
		at := freePlace([2]float64{50, 50}, taken)
		for _, other := range taken {
			if dx, dy := at[0]-other[0], at[1]-other[1]; dx*dx+dy*dy < 100 {
				t.Fatalf("%v hides %v", at, other)
			}
		}
		taken = append(taken, at)
	}
	text := string(drawRoofline(wide, p, points))
	if n := strings.Count(text, "l0 mark"); n != 12 {
		t.Errorf("%d marks of 12 points", n)
	}
	places := map[string]bool{}
	for _, part := range strings.Split(text, `transform="translate(`)[1:] {
		place, _, _ := strings.Cut(part, ")")
		places[place] = true
	}
	if len(places) != 12 {
		t.Errorf("12 points at %d places", len(places))
	}
	var b bytes.Buffer
	if err := page().ExecuteTemplate(&b, "comparison", compare([]*profile.Profile{p, p})); err != nil || !strings.Contains(b.String(), "Differences") {
		t.Errorf("%v", err)
	}
}
