package sampled

import (
	"math"
	"math/rand/v2"
	"testing"

	"spvsim/config"
)

// sizedLaunches are samples of launches of 0.4 to 8 generations of 100 instructions, one in three of them, of which the rest is left.
func sizedLaunches(by *config.Sampling, takes func(generations float64) float64) (s *strata, left [][2]float64) {
	s = &newKind(by).launches
	draw := rand.New(rand.NewPCG(1, 0))
	for i := range 77 {
		generations := 0.4 + 0.1*float64(i)
		size := 100 * generations
		a := s.of(&signature{size: size, generations: generations})
		if i%3 == 1 {
			s.sampled(a, sample{takes(generations), size}, draw)
			continue
		}
		left = append(left, [2]float64{generations, takes(generations)})
		a.rest[0] += uint64(math.Round(size))
		a.count[0]++
		a.byGenerations.add(0, wholeGenerations(generations), uint64(math.Round(size)))
	}
	return s, left
}

// Launches take a time by their whole generations of workgroups, by their size, or by something of both, and what others take is said by that.
func TestLaunchesByGenerations(t *testing.T) {
	for _, c := range []struct {
		name  string
		part  float64 // of whole generations
		least float64 // that is found of it
		most  float64
		off   float64 // of what those take that were not timed
	}{{"whole generations", 1, 1, 1, 0.001}, {"sizes", 0, 0, 0, 0.001}, {"both", 0.75, 0.75, 0.75, 0.01}} {
		s, left := sizedLaunches(config.DefaultSampling(), func(generations float64) float64 {
			return 1000 + 50*(c.part*math.Ceil(generations-1e-9)+(1-c.part)*generations)
		})
		want := 0.0
		for _, x := range left {
			want += x[1]
		}
		took := 0.0
		for _, a := range s.list {
			if a.quantized < c.least || a.quantized > c.most {
				t.Errorf("%s: %g of the time goes by whole generations, want %g", c.name, a.quantized, c.part)
			}
			cycles, _ := a.costOf(0)
			took += cycles
		}
		if math.Abs(took/want-1) > c.off {
			t.Errorf("%s: %g cycles, want %g", c.name, took, want)
		}
	}
}

// Of the first launches of a kind those of 10 generations are timed in part, of later ones those of 40.
func TestRepeatedLaunchesAreTimedWhole(t *testing.T) {
	k := newKind(config.DefaultSampling())
	for _, c := range []struct{ seen, parted, want int }{{0, 0, 10}, {3, 0, 10}, {0, 3, 10}, {3, 1, 40}, {0, 4, 40}, {100, 0, 40}} {
		if k.seen, k.parted = c.seen, c.parted; k.inPartFrom() != uint64(c.want) {
			t.Errorf("%+v: from %d generations on", c, k.inPartFrom())
		}
	}
}
