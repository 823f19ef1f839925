package config

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// ordered is the order by its definition: time and again the lowest launch whose predecessors are all there.
func ordered(list []Launch) (order []int, stuck int) {
	done := make([]bool, len(list))
	ready := func(i int) bool {
		return !done[i] && !slices.ContainsFunc(list[i].After, func(k int) bool { return !done[k] }) && (i == 0 || list[i-1].Queue != list[i].Queue || done[i-1])
	}
	for len(order) < len(list) {
		next := -1
		for i := range list {
			if ready(i) {
				next = i
				break
			}
		}
		if next < 0 {
			return nil, slices.Index(done, false)
		}
		done[next], order = true, append(order, next)
	}
	return order, -1
}

// Launches follow those that they wait for and those before them in their queue, the lowest number first among the
// possible; a launch that waits for itself, through others, is named.
func TestOrderOfLaunches(t *testing.T) {
	loops := 0
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 7))
		list := make([]Launch, 1+r.IntN(9))
		queue := 0
		for i := range list {
			if queue += r.IntN(2); r.IntN(3) > 0 {
				list[i].After = append(list[i].After, r.IntN(len(list)))
			}
			list[i].Queue = queue
		}
		got, stuck := Order(list)
		want, wrong := ordered(list)
		if !slices.Equal(got, want) || stuck != wrong {
			t.Fatalf("seed %d, %+v: %v and %d stuck, want %v and %d", seed, list, got, stuck, want, wrong)
		}
		if stuck >= 0 {
			loops++
		}
	}
	if loops < 50 || loops > 450 {
		t.Errorf("%d of 500 lists have a launch that can't begin", loops)
	}
}

// Expected floats match within the tolerance: relative above 1, absolute otherwise. Infinities and NaN match only
// themselves.
func TestTolerances(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		got, want float64
		ok        bool
	}{
		{0, 0, true}, {0.25, 0, true}, {0.26, 0, false}, {-0.25, 0, true}, {0.75, 0.5, true}, {0.76, 0.5, false}, {0.24, 0.5, false},
		{125, 100, true}, {75, 100, true}, {126, 100, false}, {-125, -100, true}, {-126, -100, false}, {100, -100, false},
		{inf, inf, true}, {-inf, inf, false}, {1e308, inf, false}, {inf, 1e308, false}, {nan, nan, true}, {nan, 1, false}, {1, nan, false},
	} {
		if got := sameWithin(Number{IsFloat: true, Float: c.got}, Number{IsFloat: true, Float: c.want}, 0.25); got != c.ok {
			t.Errorf("%g for %g: %t", c.got, c.want, got)
		}
	}
	for _, i := range []int64{-1, 0, 1} {
		if got := sameWithin(Number{Int: i}, Number{Int: 0}, 10); got != (i == 0) {
			t.Errorf("%d for 0: %t: integers are exact", i, got)
		}
	}
}
