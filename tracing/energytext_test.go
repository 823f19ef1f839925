package tracing

import "testing"

func TestWattsText(t *testing.T) {
	for watts, want := range map[float64]string{0.0123: "0.0123 W", 15.04: "15 W", 999.4: "999 W", 999.7: "1000 W", 1290: "1290 W", 12345.6: "12346 W"} {
		if got := wattsText(watts); got != want {
			t.Errorf("%g: %q, want %q", watts, got, want)
		}
	}
}
