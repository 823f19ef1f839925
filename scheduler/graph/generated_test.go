package graph

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// generatedStarts returns when the wave of the host's payload starts, and those of n payloads that are enqueued before.
func generatedStarts(t *testing.T, c CommandProcessor, barrier, pass, n int) []uint64 {
	t.Helper()
	s := listSpec()
	s.Scheduler.Kind, s.Scheduler.BarrierCycles, s.Scheduler.PassLaunchCycles = "generated", barrier, pass
	m := newMachine()
	m.commands = c
	first, next := static("first"), static("next")
	r := newQueueRigOn(t, m, s, false, first, next)
	r.Array.BeginPeriod(0)
	list := r.starts()
	r.run.Dispatch(0, []Entry{{Node: first, Count: 1, Data: make([]byte, 4), Stride: 4}})
	var accepted uint64
	r.enqueue(t, begin, next, n, &accepted)
	r.finish(t)
	if q := r.run.stats.queue; q.Records != uint64(n+1) || q.Lists != 2 || q.ProgramChanges != 2 || q.ProgramMisses != 0 {
		t.Errorf("%+v", q)
	}
	return *list
}

// The host's dispatch is a packet. After it come a barrier, a launch and a transfer of all sequences, a launch, and a packet for each.
func TestGeneratedCommands(t *testing.T) {
	transfer := func(bytes uint64) uint64 { return bytes / 32 * 1000 }
	none := func(uint64) uint64 { return 0 }
	packets := CommandProcessor{Packet: 2 * begin, Open: 8, Outstanding: 8, Transfer: none}
	base := generatedStarts(t, packets, 0, 0, 3)
	if base[0] != 2*begin+1 || base[1] < base[0]+2*begin {
		t.Errorf("packets of %d cycles start waves in cycles %d", 2*begin, base)
	}
	packets.Transfer = transfer
	later := generatedStarts(t, packets, 50, 300, 3)
	want := []uint64{base[0]}
	for i := range uint64(3) {
		want = append(want, base[1]+50+2*300+3*1000+i*2*begin)
	}
	if diff := cmp.Diff(want, later); diff != "" {
		t.Errorf("with a barrier of 50 cycles, launches of 300 and 1000 for a sequence (-want +got):\n%s", diff)
	}
}

// So many launches wait for places, or have not ended, as the command processor allows, and no more.
func TestGeneratedCommandsWithinLimits(t *testing.T) {
	for _, c := range []struct{ open, outstanding, wantOpen, wantUnended int }{{8, 8, 6, 7}, {2, 8, 2, 7}, {8, 4, 3, 4}, {1, 1, 1, 1}} {
		s := listSpec()
		s.Scheduler.Kind = "generated"
		m := newMachine()
		m.commands = CommandProcessor{Packet: 10, Open: c.open, Outstanding: c.outstanding, Transfer: func(uint64) uint64 { return 0 }}
		m.disp.WorkgroupsPerCycle, m.disp.LaunchLatency = 0.002, 10_000 // a workgroup takes a place in 500 cycles, and all have one before the first ends
		n, other := static("n"), static("other")
		r := newQueueRigOn(t, m, s, false, n, other)
		r.Array.BeginPeriod(0)
		open, unended := 0, 0
		for cycle := range uint64(10_000) {
			r.in(cycle, func(uint64) {
				open, unended = max(open, r.run.stats.openLaunches), max(unended, r.run.stats.unended)
			})
		}
		r.run.Dispatch(0, []Entry{{Node: n, Count: 4, Data: make([]byte, 16), Stride: 4}, {Node: other, Count: 3, Data: make([]byte, 12), Stride: 4}})
		r.finish(t)
		if open != c.wantOpen || unended != c.wantUnended {
			t.Errorf("%+v: at most %d launches wait for places, and %d have not ended", c, open, unended)
		}
	}
}
