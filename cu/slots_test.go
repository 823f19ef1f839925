package cu

import (
	"math/rand/v2"
	"testing"

	"spvsim/account"
	"spvsim/internal/spec"
	"spvsim/simd"
)

// slotUnit is a unit with empty slots.
func slotUnit(index int) *ComputeUnit {
	u := &ComputeUnit{index: index, launches: make([]*KernelLaunch, 6)}
	shared := simd.NewShared(2, 32)
	for k := range 2 {
		u.SIMDs = append(u.SIMDs, simd.New(&simd.IssueSpec{Cadence: 1, Policy: "oldest", Width: 1}, &spec.Shape{WaveSlots: 3, ClockMHz: 1},
			simd.SIMDParams{Name: "SIMD", Index: k, Pool: &simd.RegisterPool{}, Shared: shared, MaxOutstanding: 1}))
	}
	return u
}

// Units that are counted together come to what each comes to by itself, whenever a workgroup comes to which of them.
func TestIdleUnitsAreCountedTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	for range 200 {
		var units, single []*ComputeUnit
		for i := range 1 + r.IntN(5) {
			units, single = append(units, slotUnit(i)), append(single, slotUnit(i))
		}
		var s slots
		now := uint64(0)
		for range 3 {
			now += r.Uint64N(10)
			s.beginPeriod(now, units)
			for _, u := range single {
				for _, lanes := range u.SIMDs {
					lanes.Reset(now)
				}
			}
			from := now
			for range 6 {
				if k := r.IntN(2 * len(units)); k < len(units) {
					s.track(units[k])
				}
				now += r.Uint64N(100)
				why := account.Reason(r.IntN(int(account.NumReasons)))
				s.chargeEmpty(now, why)
				var want account.SlotCycles
				for _, u := range single {
					for _, lanes := range u.SIMDs {
						lanes.ChargeEmpty(now, why)
						want.Add(&lanes.Cycles)
					}
				}
				if got := s.sum(); got != want || got.Total() != (now-from)*6*uint64(len(units)) {
					t.Fatalf("%d units: %v, want %v", len(units), got, want)
				}
			}
		}
	}
}
