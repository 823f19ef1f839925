package report

import "testing"

// A plot reserves 46 pixels on the left for numbers, 34 below, and 12 on the other sides; y goes up.
func TestPlotMargins(t *testing.T) {
	p := newPlot(158, 146, "")
	for v, want := range map[float64][2]float64{0: {46, 112}, 0.25: {71, 87}, 1: {146, 12}} {
		if got := [2]float64{p.x(v), p.y(v)}; got != want {
			t.Errorf("%g is at %v, want %v", v, got, want)
		}
	}
}
