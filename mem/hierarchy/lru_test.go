package hierarchy

import (
	"math/rand"
	"slices"
	"testing"
)

// The order of ways is that of a list which is searched: of few ways and of many, with ways that are used, replaced and dropped.
func TestRecencyIsTheOrderOfUse(t *testing.T) {
	for _, ways := range []int{1, 2, 3, 4, 8, 15, 16, 17, 64} {
		const sets, set = 3, 1
		r, rnd := newLRU(sets, ways), rand.New(rand.NewSource(int64(ways)))
		tags, ages := make([]uint32, ways), make([]int, ways) // an age of 0: never used
		for now := 1; now < 2000; now++ {
			oldest := slices.Index(ages, slices.Min(ages))
			if got := r.oldest(set); got != oldest {
				t.Fatalf("%d ways, step %d: oldest %d, want %d", ways, now, got, oldest)
			}
			order := slices.Collect(r.newestFirst(set))
			if last := len(order) - 1; last != ways-1 || !slices.IsSortedFunc(order, func(a, b int) int { return ages[b] - ages[a] }) || order[last] != oldest {
				t.Fatalf("%d ways, step %d: order %v of ages %v", ways, now, order, ages)
			}
			way := rnd.Intn(ways)
			switch n := rnd.Intn(40); {
			case n == 0 && now%7 == 0:
				r.reset(set)
				clear(tags)
				clear(ages)
			case n < 4:
				tags[way], ages[way] = 0, 0
				r.demoteInvalid(set, tags)
			default:
				if n < 20 {
					way = r.evictOldest(set)
				} else {
					r.touch(set, way)
				}
				tags[way], ages[way] = 1, now
			}
		}
		for _, other := range []int{0, 2} {
			if r.oldest(other) != 0 {
				t.Errorf("%d ways: set %d is not as it was", ways, other)
			}
		}
	}
}
