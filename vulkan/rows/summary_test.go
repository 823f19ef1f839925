package rows_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spvsim/account"
	"spvsim/internal/suite"
	"spvsim/tracing/report"
	"spvsim/vulkan/rows"
)

func summary(t *testing.T, f *rows.File) string {
	t.Helper()
	var b strings.Builder
	suite.OK(t, rows.Summarize(&b, f.Groups()))
	return b.String()
}

// The summary has a line for each sum, and one for each name with its part of all time.
func TestSummary(t *testing.T) {
	const want = `simulated     14.000 us in 5 dispatches and transfers, 43 instructions; 2.00 s on the host
estimated     0.750 us of them, from dispatches alike that were timed
transfers     128 bytes, read and written
without time  1 dispatches
  1 x  7.000 us  50.0% b
  1 x  4.000 us  28.6% copy, 128 bytes
  2 x  3.000 us  21.4% layer/a
  1 x  0.000 us   0.0% g
`
	if diff := cmp.Diff(want, summary(t, read(t, recorded))); diff != "" {
		t.Error(diff)
	}
}

// The time of concurrent launches counts once, from the first begin to the last end; the sum of their own times is
// shown too.
func TestSummaryOfOverlap(t *testing.T) {
	const text = `number,clock_mhz,kind,name,pipeline,begin_cycle,cycles,busy_cycles,overlap,microseconds,instructions
1,2000,dispatch,a,a,0,6000,4000,1,3,10
2,2000,dispatch,b,b,2000,8000,3000,1,4,20
3,2000,overlap,a beside b,a beside b,0,10000,10000,1,5,0
4,2000,dispatch,a,a,10000,2000,1000,0,1,10
`
	f := read(t, text)
	const want = `simulated     6.000 us in 3 dispatches and transfers, 40 instructions; 0.00 s on the host
overlap       5.000 us in which launches ran beside each other, 1 times; their own times add up to 7.000 us
  1 x  5.000 us  83.3% a beside b
  2 x  4.000 us  66.7% a
  1 x  4.000 us  66.7% b
`
	if diff := cmp.Diff(want, summary(t, f)); diff != "" {
		t.Error(diff)
	}
	groups := []rows.WorkTotal{
		{Name: "a beside b", Kind: "overlap", Times: 1, Microseconds: 5, Busy: 5},
		{Name: "a", Kind: "dispatch", Times: 2, Microseconds: 4, Concurrent: 3, Busy: 2.5, Instructions: 20},
		{Name: "b", Kind: "dispatch", Times: 1, Microseconds: 4, Concurrent: 4, Busy: 1.5, Instructions: 20},
	}
	if diff := cmp.Diff(groups, f.Groups(), cmpopts.IgnoreUnexported(rows.WorkTotal{})); diff != "" {
		t.Error(diff)
	}
}

// The twenty longest names have a line; the others are counted.
func TestSummaryOfManyNames(t *testing.T) {
	for _, n := range []int{19, 20, 21, 57} {
		var b strings.Builder
		b.WriteString("number,kind,name,pipeline,begin_cycle,cycles,microseconds\n")
		for i := range n {
			fmt.Fprintf(&b, "%d,dispatch,k%c%[2]c,p,0,1000,%[3]d\n", i+1, 'A'+i, i+1)
		}
		lines := strings.Split(strings.TrimSpace(summary(t, read(t, b.String()))), "\n")[1:]
		names := min(n, 20)
		if n > 20 {
			if want := fmt.Sprintf("and %d more names", n-20); len(lines) != 21 || lines[20] != want {
				t.Errorf("%d names: %q at the end, want %q", n, lines[len(lines)-1], want)
				continue
			}
			lines = lines[:20]
		}
		if len(lines) != names || !strings.HasSuffix(lines[0], fmt.Sprintf(" k%c%[1]c", 'A'+n-1)) || !strings.HasSuffix(lines[names-1], fmt.Sprintf(" k%c%[1]c", 'A'+n-names)) {
			t.Errorf("%d names: %d lines\n%s", n, len(lines), strings.Join(lines, "\n"))
		}
	}
}

// The page lists each machine once, and the row of each piece of work: workgroups of dispatches, intervals in
// microseconds.
func TestPageOfRows(t *testing.T) {
	text := strings.Replace(recorded, "2,7,1,m,1000,1.0", "2,7,1,,1000,1.0", 1) + "6,7,2,n,500,0.0,dispatch,b,b,main,9e,7,8,9,0,4,0.008,1,0,,,1,0,0,0,0,0,0,,0\n"
	got := read(t, text).Page("program", "this", "that")
	want := &report.Program{Name: "program", Machines: []string{"m", "n"}, Levels: []string{"l2"}, Lacks: []string{"this", "that"}, Pipelines: []report.Pipeline{
		{Name: "b", Kind: "dispatch", Items: []report.WorkItem{
			{Number: 4, Name: "b", Queue: "0.0", Groups: "2 × 3 × 1", Microseconds: 7, Ready: 7000, End: 14000, Instructions: 5, Slots: account.SlotCycles{account.Issued: 1, account.Memory: 2, account.Empty: 3}, Levels: []uint64{32}},
			{Number: 6, Name: "b", Queue: "0.0", Groups: "7 × 8 × 9", Microseconds: 0.008, End: 4, Instructions: 1, Levels: []uint64{0}},
		}},
		{Name: "copy", Kind: "transfer", Items: []report.WorkItem{{Number: 2, Name: "copy", Queue: "1.0", Microseconds: 4, Ready: 1500, End: 5500, Levels: []uint64{0}}}},
		{Name: "a", Kind: "dispatch", Items: []report.WorkItem{
			{Number: 1, Name: "layer/a", Queue: "0.0", Groups: "4 × 1 × 1", Microseconds: 1.5, End: 1500, Instructions: 10, Slots: account.SlotCycles{account.Issued: 100, account.Memory: 300, account.Empty: 600}, Levels: []uint64{64}},
			{Number: 3, Name: "layer/a", Queue: "0.0", Groups: "4 × 1 × 1", Microseconds: 1.5, Half: 0.075, Ready: 5500, End: 7000, Instructions: 20, Levels: []uint64{0}},
		}},
		{Name: "g", Kind: "graph", Items: []report.WorkItem{{Number: 5, Name: "g", Queue: "0.0", Untimed: true, Ready: 14000, End: 14000, Instructions: 8, Levels: []uint64{0}}}},
	}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(report.WorkItem{}), cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Error(diff)
	}
}

// Devices with timed work are listed once, in the order of their rows.
func TestTimedDevices(t *testing.T) {
	text := "number,process,device,kind,name,pipeline,begin_cycle,cycles,microseconds\n1,9,2,graph,g,g,0,0,0\n2,9,1,dispatch,a,a,0,5,1\n3,8,1,dispatch,a,a,0,5,1\n4,9,1,dispatch,a,a,5,5,1\n"
	if diff := cmp.Diff([]rows.Source{{Process: 9, Device: 1}, {Process: 8, Device: 1}}, read(t, text).Timed()); diff != "" {
		t.Error(diff)
	}
}
