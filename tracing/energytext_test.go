package tracing

import "testing"

func TestWattsText(t *testing.T) {
	for watts, want := range map[float64]string{0.0123: "0.0123 W", 15.04: "15 W", 999.4: "999 W", 999.7: "1000 W", 1290: "1290 W", 12345.6: "12346 W"} {
		if got := wattsText(watts); got != want {
			t.Errorf("%g: %q, want %q", watts, got, want)
		}
	}
}

// No energy and no power is written with an exponent but for what is next to nothing.
func TestEnergyTextsHaveNoExponent(t *testing.T) {
	for joules, want := range map[float64]string{1290: "1290 J", 0.9996: "1000 mJ", 1: "1 J", 12.34e-3: "12.3 mJ", 9.999e-7: "1000 nJ", 5e-12: "5 pJ"} {
		if got := JoulesText(joules); got != want {
			t.Errorf("%g: %q, want %q", joules, got, want)
		}
	}
	for x, want := range map[float64]string{12345: "12345", 9999.6: "10000", 9999.4: "9999", 1.23456: "1.235", -54321: "-54321"} {
		if got := Digits(x, 4); got != want {
			t.Errorf("%g: %q, want %q", x, got, want)
		}
	}
}
