package sweep

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Tasks cover all points in order, each has one or more, and none costs more than its even share and one point.
func TestTasksShareByCost(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		costs := make([]float64, 1+r.IntN(60))
		total, most := 0.0, 0.0
		for i := range costs {
			costs[i] = r.ExpFloat64()
			if r.IntN(4) == 0 {
				costs[i] *= 50
			}
			total, most = total+costs[i], max(most, costs[i])
		}
		tasks := 1 + r.IntN(len(costs)+5)
		first := share(costs, tasks)
		if want := min(tasks, len(costs)); len(first) != want+1 || first[0] != 0 || first[want] != len(costs) || !slices.IsSorted(first) || len(slices.Compact(slices.Clone(first))) != len(first) {
			t.Fatalf("%d points for %d tasks: %v", len(costs), tasks, first)
		}
		for i := range len(first) - 1 {
			sum := 0.0
			for _, c := range costs[first[i]:first[i+1]] {
				sum += c
			}
			if sum > total/float64(len(first)-1)+most+1e-9 {
				t.Fatalf("task %d of %v costs %g of %g: want at most its share and a point of %g", i, first, sum, total, most)
			}
		}
	}
	if got := share([]float64{1, 1, 1, 1, 4, 4}, 3); !slices.Equal(got, []int{0, 4, 5, 6}) {
		t.Errorf("%v", got)
	}
}
