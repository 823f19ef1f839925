package config

import (
	"math/rand/v2"
	"testing"
)

// Random numbers in [0, 1) equal those of rand.Rand.
func TestRandomFloatsEqualRand(t *testing.T) {
	bits, r := rand.NewPCG(5, pcgStream), rand.New(rand.NewPCG(5, pcgStream))
	for range 1000 {
		if got, want := unit(bits), r.Float64(); got != want {
			t.Fatalf("%g, want %g", got, want)
		}
	}
}
