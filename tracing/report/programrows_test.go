package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/account"
)

// twoPipelines is a program with two pipelines and a copy, partly estimated, with a functional dispatch.
func twoPipelines() *Program {
	return &Program{Name: "p", Machines: []string{"m", "n"}, Levels: []string{"l1", "l2"}, Pipelines: []Pipeline{
		{Name: "a", Kind: "dispatch", Items: []WorkItem{
			{Number: 1, Name: "x/a", Queue: "0.0", Groups: "4 × 1 × 1", Microseconds: 2, Instructions: 1000, Slots: account.SlotCycles{account.Issued: 30, account.Memory: 50, account.Barrier: 20, account.Empty: 100}, Levels: []uint64{64, 1500}},
			{Number: 3, Name: "y/a", Queue: "0.1", Microseconds: 4, Half: 0.5, Instructions: 3000, OutOfBounds: 1234},
		}},
		{Name: "b", Kind: "graph", Items: []WorkItem{{Number: 4, Name: "b", Untimed: true, Instructions: 6}}},
		{Name: "copy", Kind: "transfer", Items: []WorkItem{{Number: 2, Name: "copy", Microseconds: 2}}},
	}}
}

// The head of a program's page has the sums of its pipelines.
func TestFactsOfAProgram(t *testing.T) {
	got := newProgram(0, twoPipelines())
	want := []fact{
		{"time", "8", "µs, ± 0.5 µs, in part estimated"}, {"pipelines", "3", "and kinds of transfers"}, {"work", "4", "dispatches and transfers"},
		{"instructions", "4.01k", "of waves"}, {"occupancy", "50.0%", "of the wave slots, in dispatches"},
		{"functional", "1", "dispatches"}, {"out of bounds", "1\u202f234", "accesses, read as zero or dropped"},
	}
	if diff := cmp.Diff(want, got.Facts); diff != "" {
		t.Error(diff)
	}
	waited := []reason{{"issued", account.Issued.Meaning()}, {"memory", account.Memory.Meaning()}, {"barrier", account.Barrier.Meaning()}}
	if diff := cmp.Diff(waited, got.Reasons); diff != "" {
		t.Error(diff)
	}
	if got.Sub != "on m, n" || got.Overlap || got.Stacks == nil {
		t.Errorf("%+v", got)
	}
	if bars := found(got.Stacks.Wide, rects); len(bars) != 3 || !strings.Contains(bars[1], "memory: 50, 50.0%") {
		t.Errorf("%q: want the reasons of waves alone", bars)
	}
	if diff := cmp.Diff([]fact{{"time", "2", "µs, simulated"}}, newProgram(0, &Program{Pipelines: twoPipelines().Pipelines[2:]}).Facts[:1]); diff != "" {
		t.Error(diff)
	}
}

// A pipeline's line has its minimum, mean and maximum time, and its share of the total; its work has the main stall
// reason.
func TestLinesOfAPipeline(t *testing.T) {
	got := newProgram(0, twoPipelines()).Pipelines
	a := got[0]
	want := pipeline{Name: "a", Kind: "dispatch", Times: "2", Time: "6", Share: "75.0%", Min: "2", Mean: "3", Max: "4", Interval: "± 0.5", Instructions: "4\u202f000",
		OutOfBounds: "1\u202f234", Shares: []string{"30.0%", "50.0%", "20.0%"}, Items: a.Items}
	if diff := cmp.Diff(want, a); diff != "" {
		t.Error(diff)
	}
	work := []workRow{
		{Number: 1, Name: "x/a", Queue: "0.0", Groups: "4 × 1 × 1", Time: "2", Instructions: "1\u202f000", Reason: "memory 50.0%", Meaning: account.Memory.Meaning(), Levels: []string{"64", "1.5k"}, Bars: a.Items[0].Bars},
		{Number: 3, Name: "y/a", Queue: "0.1", Time: "4", Interval: "± 0.5", Instructions: "3\u202f000"},
	}
	if diff := cmp.Diff(work, a.Items); diff != "" {
		t.Error(diff)
	}
	if len(a.Items[0].Bars) != 3 {
		t.Errorf("%d bars, want one for each reason but empty", len(a.Items[0].Bars))
	}
	if got[1].Items[0].Time != "functional" || got[1].Share != "0.0%" || got[1].Interval != "" || got[1].OutOfBounds != "" || got[2].Share != "25.0%" {
		t.Errorf("%+v", got[1:])
	}
}

// Concurrent launches have one time together, which counts once: each has its cycles, but no bytes.
func TestLinesOfOverlap(t *testing.T) {
	p := &Program{Levels: []string{"l2"}, Pipelines: []Pipeline{
		{Name: "a beside b", Kind: "overlap", Items: []WorkItem{{Number: 3, Microseconds: 5, Levels: []uint64{64}}}},
		{Name: "a", Kind: "dispatch", Items: []WorkItem{{Number: 1, Microseconds: 3, Concurrent: true, Packet: 1, Ready: 1200, End: 4200, Busy: 2000, Levels: []uint64{0}}}},
		{Name: "b", Kind: "dispatch", Items: []WorkItem{{Number: 2, Microseconds: 4, Concurrent: true, Levels: []uint64{0}}}},
	}}
	got := newProgram(0, p)
	if !got.Overlap || got.Facts[0].Value != "5" || got.Facts[2].Value != "2" {
		t.Errorf("%+v", got.Facts)
	}
	var shares []string
	for _, p := range got.Pipelines {
		shares = append(shares, p.Share)
	}
	if diff := cmp.Diff([]string{"100.0%", "60.0%", "80.0%"}, shares); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]string{{"1", "1\u202f200", "4\u202f200", "2\u202f000"}, {"–"}, {"64"}}, [][]string{got.Pipelines[1].Items[0].Cycles, got.Pipelines[1].Items[0].Levels, got.Pipelines[0].Items[0].Levels}); diff != "" {
		t.Error(diff)
	}
}

// Two hundred dispatches of a pipeline have a line; the others are counted.
func TestLinesOfManyDispatches(t *testing.T) {
	for n, want := range map[int]string{200: "", 201: "1 later ones are left out here; the file of rows has all.", 450: "250 later ones are left out here; the file of rows has all."} {
		got := newProgram(0, &Program{Pipelines: []Pipeline{{Name: "a", Items: make([]WorkItem, n)}}}).Pipelines[0]
		if len(got.Items) != 200 || got.More != want {
			t.Errorf("%d dispatches: %d lines and %q, want 200 and %q", n, len(got.Items), got.More, want)
		}
	}
}
