package account

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spvsim/internal/suite"
)

// What is added to nothing is the sum, whichever of its parts there are: draws, graphs, estimates, levels.
func TestSumsWithNothing(t *testing.T) {
	for seed := range uint64(50) {
		var c, sum Counts
		suite.Fill(rand.New(rand.NewPCG(seed, 6)), reflect.ValueOf(&c).Elem(), 1000)
		if c.Estimate != nil {
			c.Estimate.NotSampled = nil // those of no instructions are left out of a sum
		}
		sum.Add(&c)
		if diff := cmp.Diff(c, sum, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("seed %d (-added +sum):\n%s", seed, diff)
		}
	}
}
