package profile

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Percentiles are those of the sorted list of all accesses.
func TestLatencyPercentiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Uint64Range(0, 3000), 1, 300).Draw(t, "cycles")
		counts := map[uint64]uint64{}
		sum := 0.0
		for _, n := range list {
			counts[n]++
			sum += float64(n)
		}
		l := newLatency("l2", counts)
		slices.Sort(list)
		at := func(percent int) uint64 { return list[(len(list)*percent+99)/100-1] }
		if l.P50 != at(50) || l.P95 != at(95) || l.Max != list[len(list)-1] || l.Accesses != uint64(len(list)) || l.Mean-sum/float64(len(list)) > 1e-9 {
			t.Fatalf("%+v of %v", l, list)
		}
	})
}
