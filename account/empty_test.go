package account

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spvsim/internal/suite"
)

// A count added to zero gives itself, whichever of its parts exist: draws, graphs, estimates, levels.
func TestCountsAddToZero(t *testing.T) {
	for seed := range uint64(50) {
		var c, sum Counts
		suite.Fill(rand.New(rand.NewPCG(seed, 6)), reflect.ValueOf(&c).Elem(), 1000)
		if c.Estimate != nil {
			c.Estimate.NotSampled = nil // a sum drops reasons without instructions
		}
		sum.Add(&c)
		if diff := cmp.Diff(c, sum, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("seed %d (-added +sum):\n%s", seed, diff)
		}
	}
}
