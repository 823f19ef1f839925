package hierarchy

import (
	"fmt"
	"math"
	"testing"

	"spvsim/internal/spec"
)

// A memory-side cache with a clock of its own gives slices x bytes x clock, and answers after its latency at that clock.
func TestClockOfMemorySide(t *testing.T) {
	const lines = 1 << 12
	for _, c := range []struct{ core, own, slices int }{{2570, 1940, 4}, {2250, 1940, 16}, {1000, 3000, 1}, {2100, 2100, 4}, {1000, 0, 4}} {
		t.Run(fmt.Sprintf("%d of %d MHz, %d slices", c.own, c.core, c.slices), func(t *testing.T) {
			s := tiny()
			s.L2.BytesPerCycle, s.VectorL1.BytesPerCycle = 4096, 4096
			s.MemorySide = CacheSpec{Bytes: lines * 64, LineBytes: 64, Ways: 1, Slices: c.slices, LatencyCycles: 90, BytesPerCycle: 16,
				Write: WriteBack, WriteAllocate: true, ClockMHz: c.own}
			f := NewAnalytic(&s, &spec.Shape{ClockMHz: c.core, ShaderEngines: 2, ComputeUnits: 2})
			var all []uint64
			for i := range uint64(lines) {
				all = append(all, 64*i)
			}
			f.Access(0, request(0, Read, all...))
			for _, inner := range []string{"vector_l1", "l2"} {
				if err := f.Flush(inner); err != nil {
					t.Fatal(err)
				}
			}
			ratio := 1.0 // cycles of the core in one of the cache
			if c.own > 0 {
				ratio = float64(c.core) / float64(c.own)
			}
			const idle = 1 << 20 // behind all that came before
			r := request(0, Read, all...)
			r.Busy = 1
			took := float64(f.Access(idle, r).ReadyAt - idle)
			latency := 10 + 100 + 90*ratio
			if want := latency + lines*64/(16*float64(c.slices))*ratio; math.Abs(took-want) > 0.001*want+2*ratio+2 {
				t.Errorf("%d lines take %g cycles, want %g", lines, took, want)
			}
			for _, inner := range []string{"vector_l1", "l2"} {
				if err := f.Flush(inner); err != nil {
					t.Fatal(err)
				}
			}
			if took = float64(f.Access(2*idle, request(0, Read, 64)).ReadyAt - 2*idle); math.Abs(took-latency) > 0.5 {
				t.Errorf("a line takes %g cycles, want %g", took, latency)
			}
		})
	}
}
