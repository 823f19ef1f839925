package account

import "testing"

// Launches are added up until they take as long as a window; what is left at the end counts with the window before.
func TestWindowsOfPower(t *testing.T) {
	launch := func(cycles, joules uint64) *Counts { return &Counts{Cycles: cycles, Transferred: joules} }
	for _, c := range []struct {
		window   uint64
		launches []*Counts
		want     float64
	}{
		{0, []*Counts{launch(10, 20), launch(10, 50), launch(20, 20)}, 5},
		{20, []*Counts{launch(10, 20), launch(10, 50), launch(20, 20)}, 3.5},
		{40, []*Counts{launch(10, 20), launch(10, 50)}, 3.5},
		{20, []*Counts{launch(20, 20), launch(10, 80)}, 100. / 30},
	} {
		w := &PowerWindows{Least: c.window, Watts: func(c *Counts) float64 { return float64(c.Transferred) / float64(max(c.Cycles, 1)) }}
		tally := Tally{Windows: w}
		tally.BeginRound()
		for _, l := range c.launches {
			tally.Add("", l)
		}
		if got := w.Watts(w.Hottest()); got != c.want {
			t.Errorf("windows of %d: %g, want %g", c.window, got, c.want)
		}
	}
}
