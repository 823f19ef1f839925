package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/account"
	"spvsim/internal/suite"
	"spvsim/tracing"
	"spvsim/tracing/profile"
)

// A level has its hit rate; a level without accesses has no row.
func TestRowsOfLevels(t *testing.T) {
	p := &profile.Profile{Levels: []profile.LevelProfile{{Name: "l1"}, {Name: "l2", LevelCounts: account.LevelCounts{Accesses: 4000, Hits: 3000, InFlight: 1, Misses: 999, Bytes: 64000, Writebacks: 7, FullCycles: 12}}}}
	want := []levelRow{{"l2", "4\u202f000", "3\u202f000", "75.0%", "1", "999", "64\u202f000", "7", "12"}}
	if diff := cmp.Diff(want, levelRows(p)); diff != "" {
		t.Error(diff)
	}
}

// Reasons have shares of all slot-cycles and of the resident ones; empty slots only of all.
func TestRowsOfReasons(t *testing.T) {
	p := &profile.Profile{Total: account.SlotCycles{account.Issued: 1000, account.Barrier: 3000, account.Empty: 4000}}
	want := []reasonRow{
		{"b0", "issued", account.Issued.Meaning(), "1\u202f000", "12.5%", "25.0%"},
		{"b8", "barrier", account.Barrier.Meaning(), "3\u202f000", "37.5%", "75.0%"},
		{"b12", "empty", account.Empty.Meaning(), "4\u202f000", "50.0%", "–"},
	}
	if diff := cmp.Diff(want, reasonRows(p)); diff != "" {
		t.Error(diff)
	}
}

// A program's waves are the possible and the mean resident ones of a compute unit, with their shares of its slots.
func TestRowsOfNeeds(t *testing.T) {
	possible := &tracing.Occupancy{Groups: 2, Waves: 8, Slots: 40, Bounds: []tracing.Bound{{Resource: "lds", Groups: 2}, {Resource: "slots", Groups: 10}}}
	p := &profile.Profile{Engines: 2, Units: 4, Slots: 320, Kernels: []profile.Kernel{
		{Step: "s", Name: "older"},
		{Step: "s", Launch: "l", Name: "k", Slots: account.SlotCycles{account.Issued: 100, account.Memory: 400}, UnitCycles: 125,
			Resources: &profile.Resources{WaveSize: 64, LocalSize: [3]uint32{16, 8, 2}, VectorRegs: 24, ScalarRegs: 18, LDSBytes: 32768, ScratchWords: 5, Possible: possible}},
		{Step: "s", Name: "none", Resources: &profile.Resources{WaveSize: 32, LocalSize: [3]uint32{1, 1, 1}}},
	}}
	want := []resourceRow{
		{"l", "k", "64", "16 × 8 × 2", "24", "18", "32\u202f768", "5", "8 (20.0%)", "lds", "4 (10.0%)", possible.String()},
		{"s", "none", "32", "1 × 1 × 1", "0", "0", "0", "0", "–", "–", "–", ""},
	}
	if diff := cmp.Diff(want, needRows(p)); diff != "" {
		t.Error(diff)
	}
}

// Nodes have their quantiles, and their parts of the critical path, which together are all of it.
func TestRowsOfNodes(t *testing.T) {
	p := &profile.Profile{Graph: []profile.GraphNode{
		{Name: "a", Payloads: 1000, Workgroups: 250, Wait: account.WaitSummary{P50: 1, P95: 2, Max: 3000}, Start: account.WaitSummary{P50: 4, P95: 5, Max: 6}, Path: account.PathCounts{Launches: 2, Wait: 10, Start: 20, Run: 45}},
		{Name: "b", Path: account.PathCounts{Launches: 1, Run: 25}},
	}}
	want := []nodeRow{
		{"a", "1\u202f000", "250", "1 / 2 / 3\u202f000", "4 / 5 / 6", "2", "75", "75.0%", "10 / 20 / 45"},
		{"b", "0", "0", "0 / 0 / 0", "0 / 0 / 0", "1", "25", "25.0%", "0 / 0 / 25"},
	}
	if diff := cmp.Diff(want, nodes(p)); diff != "" {
		t.Error(diff)
	}
}

// listed is a program of twelve instructions: the third is the most expensive, and two access the LDS.
func listed() profile.Listing {
	l := profile.Listing{Name: "k", Lines: make([]profile.Line, 12)}
	for i := range 10 {
		l.Lines[i].Cycles = account.SlotCycles{account.Issued: uint64(i + 1)}
	}
	l.Lines[2] = profile.Line{ID: 9, Line: 4, Class: "lds", Text: "ds_read", Issues: 1000, LDSPasses: 2500, Conflicts: 1500, Joules: 2e-6, Cycles: account.SlotCycles{account.Issued: 30, account.LDS: 70}}
	l.Lines[5].LDSPasses, l.Lines[5].Conflicts, l.Lines[5].Joules = 40, 1500, 1e-6
	l.Lines[11].Cycles = account.SlotCycles{account.Memory: 48}
	return l
}

// An instruction has its share of the program's cycles, as bars that are as long as the most, and its reason; the hot ones are first, ten at most.
func TestRowsOfAListing(t *testing.T) {
	l := listed()
	got := newListing(&l)
	want := listingRow{PC: 2, ID: "%9", Line: "4", Class: "lds", Text: "ds_read", Issues: "1\u202f000", Passes: "2\u202f500", Conflicts: "1\u202f500", Energy: "2 uJ", cost: cost{
		Cycles: "100", Share: "50.0%", Reason: "lds", Meaning: account.LDS.Meaning(), Bars: []bar{{"b0", "issued 30.0%", "width:30.00%"}, {"b3", "lds 70.0%", "width:70.00%"}}}}
	if diff := cmp.Diff(want, got.Lines.List[2], cmp.AllowUnexported(listingRow{})); diff != "" {
		t.Error(diff)
	}
	var hot []int
	for i := range got.Hot.List {
		hot = append(hot, got.Hot.List[i].PC)
	}
	if diff := cmp.Diff([]int{2, 11, 9, 8, 7, 6, 5, 4, 3, 1}, hot); diff != "" {
		t.Error(diff)
	}
	if len(got.Lines.List) != 12 || got.Energy != "3 uJ" || !got.Lines.LDS || !got.Hot.LDS || !got.Lines.Energy || got.Lines.Source {
		t.Errorf("%+v", got)
	}
	bare := listingRow{PC: 0, Issues: "0", cost: cost{Cycles: "1", Share: "0.5%", Reason: "issued", Meaning: account.Issued.Meaning(), Bars: []bar{{"b0", "issued 100.0%", "width:1.00%"}}}}
	if diff := cmp.Diff(bare, got.Lines.List[0], cmp.AllowUnexported(listingRow{})); diff != "" {
		t.Error(diff)
	}
	l.Lines = l.Lines[:2]
	if got := newListing(&l); got.Energy != "" || got.Lines.Energy || got.Lines.LDS || len(got.Hot.List) != 2 {
		t.Errorf("without LDS and energy: %+v", got)
	}
}

// Accesses to the LDS are in the order of their conflicts, then of their passes.
func TestRowsOfTheLDS(t *testing.T) {
	p := &profile.Profile{Listings: []profile.Listing{listed(), {Name: "j", Lines: []profile.Line{{LDSPasses: 9, Issues: 4}}}}, LDS: account.LDSCounts{Accesses: 1004, Passes: 2549, ConflictPasses: 3000}}
	got := newLDS(p)
	var names []string
	for _, r := range append(got.Hot, got.More...) {
		names = append(names, strings.Join([]string{r.Program, r.ID, r.Line, r.Text, r.Issues, r.Passes, r.Conflicts, r.PerAccess}, "|"))
	}
	want := []string{"k, pc 2|%9|4|ds_read|1\u202f000|2\u202f500|1\u202f500|2.5", "k, pc 5||||0|40|1\u202f500|40", "j, pc 0||||4|9|0|2.25"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	if got.Text != "1\u202f004 accesses took 2\u202f549 passes over the banks (3\u202f000 for bank conflicts)." {
		t.Error(got.Text)
	}
}

// A point of the roofline has operations per byte and per cycle; its roof is the lower of the units' peak and the
// level's bandwidth times its intensity.
func TestRooflinePoints(t *testing.T) {
	p := &profile.Profile{Peak: 100, Levels: []profile.LevelProfile{{Name: "l1", BytesPerCycle: 64}, {Name: "l2", BytesPerCycle: 5}, {Name: "dram", BytesPerCycle: 1}}, Steps: []profile.Step{
		{Name: "s", Cycles: 50, Operations: 1000, Levels: []uint64{500, 250, 0}}, {Name: "none", Cycles: 9, Levels: []uint64{5, 5, 5}},
	}}
	points := roofline(p)
	want := []pointRow{{"s", "l1", "500", "2", "20", "100", "20.0%"}, {"s", "l2", "250", "4", "20", "20", "100.0%"}}
	if diff := cmp.Diff(want, pointRows(points)); diff != "" {
		t.Error(diff)
	}
	if keys := levelKeys(p, points); len(keys) != 2 || keys[0].Name != "l1" || keys[1].Name != "l2" || keys[1].Class != "l1" {
		t.Errorf("%+v", keys)
	}
	// Both axes have whole powers of ten: intensities 2 and 4, and 100/64 and 20 at which the roofs end, are from 1 to
	// 100, rates 20 and 100 from 10 to 100; 600 x 362 pixels from 46, 12.
	svg := fmt.Sprint(drawRoofline(658, p, points))
	roofs := regexp.MustCompile(`<path d="([^"]*)" class="(curve l.|peak)"`)
	if diff := cmp.Diff([]string{"M46 82.2L104.1 12 curve l0", "M136.3 374L436.3 12 curve l1", "M46 12L646 12 peak"}, found(svg, roofs)); diff != "" {
		t.Error(diff)
	}
	labels := strings.Join(found(svg, words), "\n")
	suite.Contains(t, labels, "40 378 end tick 10", "40 16 end tick 100", "46 390 middle tick 1", "346 390 middle tick 10", "646 390 middle tick 100", "646 405 end name operations a byte", "46 10 start name operations a cycle", "646 7 end tick multiply-add peak 100 a cycle")
}

// The head of a run's page has its sums: instructions per cycle of all kernels, share of the peak operations,
// occupancy, and the share of resident slot-cycles that issued.
func TestFactsOfARun(t *testing.T) {
	p := &profile.Profile{ClockMHz: 2000, Cycles: 4000, Slots: 1024, Peak: 50, Total: account.SlotCycles{account.Issued: 100, account.Memory: 300, account.Empty: 600},
		Kernels: []profile.Kernel{{Waves: 1000, Instructions: 1500, Operations: 20000}, {Waves: 24, Instructions: 500, Operations: 30000}}}
	want := []fact{
		{"time", "4\u202f000", "cycles, 2 µs"}, {"waves", "1\u202f024", "1\u202f024 slots"}, {"instructions", "2k", "0.5 a cycle"}, {"operations", "50k", "25.0% of the peak"},
		{"occupancy", "40.0%", "of the wave slots, over the run"}, {"issued", "25.0%", "of the cycles of resident waves"},
	}
	if diff := cmp.Diff(want, facts(p)); diff != "" {
		t.Error(diff)
	}
	keys := []key{{Class: "r0", Name: "issued", Meaning: account.Issued.Meaning()}, {Class: "r4", Name: "memory", Meaning: account.Memory.Meaning()}}
	if diff := cmp.Diff(keys, reasonKeys(&p.Total)); diff != "" {
		t.Error(diff)
	}
}

// A level without accesses in a run has no rate there; other runs differ from the first run if that has one.
func TestRatesSideBySide(t *testing.T) {
	none, some, more := runOf("32", "a", 100), runOf("32", "a", 100), runOf("32", "a", 100)
	none.Levels, some.Levels[0].Hits, more.Levels[0].Hits = nil, 25, 50
	for _, c := range []struct {
		runs []*profile.Profile
		want []differenceCell
	}{
		{[]*profile.Profile{none, some, more}, []differenceCell{{"–", ""}, {"25.0%", ""}, {"50.0%", ""}}},
		{[]*profile.Profile{more, none, some}, []differenceCell{{"50.0%", ""}, {"–", ""}, {"25.0%", "-25.0 points"}}},
	} {
		rows := compare(c.runs).Rows
		i := slices.IndexFunc(rows, func(r differenceRow) bool { return r.Name == "hit rate: l2" })
		if i < 0 {
			t.Fatal("no row of rates")
		}
		if diff := cmp.Diff(c.want, rows[i].Cells); diff != "" {
			t.Error(diff)
		}
	}
	for _, r := range compare([]*profile.Profile{none, none}).Rows {
		if strings.Contains(r.Name, "l2") {
			t.Errorf("a row %q of no level", r.Name)
		}
	}
}

// An instruction has the share of its active lanes and the cycles that an access takes of its unit; without any, there is no
// column.
func TestLanesOfInstructions(t *testing.T) {
	l := newListing(&profile.Listing{WaveSize: 64, Lines: []profile.Line{{Issues: 10, IdleLanes: 160, UnitCycles: 45}, {Issues: 10}, {}}})
	var got [][2]string
	for _, row := range l.Lines.List {
		got = append(got, [2]string{row.Lanes, row.Unit})
	}
	want := [][2]string{{"75.0%", "4.5"}, {"100.0%", ""}, {"", ""}}
	if diff := cmp.Diff(want, got); diff != "" || !l.Lines.Lanes || !l.Lines.Unit {
		t.Error(diff)
	}
	if l := newListing(&profile.Listing{Lines: []profile.Line{{Issues: 10}}}); l.Lines.Lanes || l.Lines.Unit || l.Lines.List[0].Lanes != "" {
		t.Errorf("an older listing has lanes: %+v", l.Lines)
	}
}
