package scheduler

import (
	"testing"

	"spvsim/account"
	"spvsim/internal/timing"
	"spvsim/isa"
	"spvsim/scheduler/internal/testmachine"
	"spvsim/simd"
	"spvsim/tracing/probe"
)

// filling is memory of which a queue is full for some accesses.
type filling struct {
	testmachine.FixedMemory
	asked uint64
}

func (f *filling) Access(now uint64, _ *simd.Wave, _ *isa.Inst, _ int) *timing.Response {
	f.asked++
	return &timing.Response{ReadyAt: now + 30, UnitFreeAt: now + 3*(f.asked%4), StallCycles: 2 * (f.asked % 4), StallReason: account.MemoryRead}
}

// What waves wait for at a queue that is full is the same whether SIMDs put turns off, or take each in its cycle, as for a tracer.
func TestFullQueueStallsInTime(t *testing.T) {
	for _, cadence := range []int{1, 4} {
		var seen [2]account.SlotCycles
		for i, tracer := range []probe.Tracer{nil, probe.NopTracer{}} {
			m := newMachine()
			m.Shape.SIMDs, m.Unit.Issue.Cadence = 4, cadence
			m.Memory = &filling{}
			r := newRig(t, m)
			r.Array.Trace(tracer, nil)
			var list []isa.Inst
			for n := range 12 {
				list = append(list, chain(n%5)...)
				list = append(list, load(5+n%7))
			}
			seen[i] = r.run(t, assemble(256, list...), 20, simd.Never).slots
		}
		if seen[0] != seen[1] || seen[0][account.MemoryRead] == 0 {
			t.Errorf("cadence %d: slot cycles %v, and %v where each turn is taken in its cycle", cadence, seen[0], seen[1])
		}
	}
}
