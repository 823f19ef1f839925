package rows

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/account"
	"spvsim/tracing/perfetto"
)

// Each device is a process, in the order of the rows; overlapping work of a queue has further tracks, groups have a
// track of their own, and each slice has its counts.
func TestProcessesOfATrace(t *testing.T) {
	f := &File{Levels: []string{"l1", "l2"}, Rows: []Row{
		{Process: 7, Device: 1, Machine: "m", ClockMHz: 1000, Queue: "0.0", Kind: "dispatch", Name: "x/y/a", Pipeline: "a", Packet: 5, Begin: 10, Cycles: 30, Busy: 20, Overlap: 1, Groups: [3]uint64{4, 2, 1},
			Estimated: 3, Waves: 8, Instructions: 100, LDSPasses: 6, LDSConflicts: 2, OutOfBounds: 9, Levels: []uint64{0, 64}, Slots: account.SlotCycles{account.Issued: 11, account.Memory: 12, account.Empty: 13}},
		{Process: 7, Device: 2, Machine: "n", ClockMHz: 500, Queue: "0.0", Kind: "transfer", Name: "copy", Pipeline: "copy", Cycles: 4, TransferBytes: 128, Levels: []uint64{0, 0}},
		{Process: 7, Device: 1, Queue: "0.0", Kind: "dispatch", Name: "b", Pipeline: "b", Packet: 20, Begin: 20, Cycles: 30, Busy: 30, Levels: []uint64{0, 0}},
		{Process: 7, Device: 1, Queue: "0.0", Kind: "dispatch", Name: "c", Pipeline: "c", Begin: 40, Cycles: 10, Levels: []uint64{0, 0}},
		{Process: 7, Device: 1, Queue: "0.0", Kind: overlap, Name: "all", Pipeline: "all", Begin: 5, Cycles: 45, Overlap: 2, Levels: []uint64{0, 0}},
	}}
	n := func(name string, value uint64, counter bool) perfetto.Number {
		return perfetto.Number{Name: name, Value: value, Counter: counter}
	}
	want := []perfetto.Process{
		{Name: "program on m", ClockMHz: 1000, Items: []perfetto.WorkItem{
			{Queue: "0.0", Kind: "dispatch", Labels: []string{"x", "y"}, Name: "a", From: 10, To: 40, Numbers: []perfetto.Number{
				n("workgroups x", 4, false), n("workgroups y", 2, false), n("workgroups z", 1, false),
				n("cycles since its packet was the first of its queue", 35, false), n("cycles since its first workgroup", 20, false), n("estimated cycles", 3, false),
				n("waves", 8, false), n("instructions", 100, true), n("LDS passes", 6, true), n("LDS conflict passes", 2, false), n("accesses out of bounds", 9, false),
				n("slot-cycles issued", 11, false), n("slot-cycles memory", 12, false), n("l2, bytes", 64, true),
			}},
			{Queue: "0.0, beside 1", Kind: "dispatch", Name: "b", From: 20, To: 50},
			{Queue: "0.0", Kind: "dispatch", Name: "c", From: 40, To: 50},
			{Queue: "all beside each other", Kind: overlap, Name: "all", From: 5, To: 50},
		}},
		{Name: "program on n", ClockMHz: 500, Items: []perfetto.WorkItem{{Queue: "0.0", Kind: "transfer", Name: "copy", To: 4, Numbers: []perfetto.Number{n("bytes", 128, false)}}}},
	}
	if diff := cmp.Diff(want, f.processes("program")); diff != "" {
		t.Error(diff)
	}
}
