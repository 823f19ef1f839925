package cu

import "testing"

// A part is on while it has work, and for its gate time after that, or until it has work again.
func TestActivityIsOnForATimeAfterItsWork(t *testing.T) {
	a := activity{gate: 10}
	for _, step := range []struct {
		now  uint64
		do   func(uint64)
		want uint64 // cycles up to now
	}{
		{50, a.begin, 0}, {60, a.begin, 10}, {70, a.end, 20}, {80, a.end, 30}, // it overlaps
		{84, a.begin, 34}, {90, a.end, 40}, // again before it was gated
		{200, a.begin, 50}, {201, a.end, 51}, {203, func(uint64) {}, 53}, {300, func(uint64) {}, 61},
	} {
		if got := a.at(step.now); got != step.want {
			t.Errorf("cycle %d: %d cycles, want %d", step.now, got, step.want)
		}
		step.do(step.now)
	}
}
