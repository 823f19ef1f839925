package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"spvsim/internal/suite"
)

// A sample finds the cache state of a full run: in launches after ones that evict their lines and after ones that do
// not, in launches that shrink until their lines stay cached, and in a launch that cycles through a little more memory
// than a cache holds.
func TestSamplingCacheState(t *testing.T) {
	plain := behaviour{rounds: 3, arithmetic: 1, loads: 2, span: words - 1, stride: 7, bank: 1}
	hot := plain
	hot.rounds = 9
	shrinks := behaviour{rounds: 6, arithmetic: 2, loads: 3, span: words - 1, stride: 5, bank: 1}
	around := behaviour{rounds: 4, arithmetic: 1, loads: 3, span: 1<<19 - 1, stride: 1, passes: 4, bank: 3}
	inside(t, 0.07, map[string]func(w *workload){
		"after others": func(w *workload) {
			w.rows, w.behaviourOf = []behaviour{plain, hot}, []uint32{0, 1}
			for range 120 {
				row := 0
				if w.draw.IntN(4) == 0 {
					row = 1
				}
				w.list = append(w.list, workloadLaunch{118, row, 0})
			}
		},
		"shrinking": func(w *workload) {
			w.row(shrinks)
			w.behaviourOf = []uint32{0}
			for i := range 80 {
				w.list = append(w.list, workloadLaunch{int(200 * math.Pow(0.1, float64(i)/80)), 0, 0})
			}
		},
		"around": func(w *workload) {
			w.run(w.row(around), 9000)
			w.launchRest(0)
		},
	})
}

// If one wave has many times the instructions of the others, it determines the launch's time, but runs in functional
// mode: the interval covers that.
func TestSamplingTailWave(t *testing.T) {
	inside(t, 0.6, map[string]func(w *workload){
		"long wave": func(w *workload) {
			b := behaviour{rounds: 4, arithmetic: 8, loads: 1, span: words - 1, stride: 1, bank: 1}
			w.run(w.row(b), 2000)
			b.rounds = 2000
			w.run(w.row(b), 1)
			w.run(0, 2000)
			w.launchRest(0)
		},
	})
}

// Small launches that may write much memory cannot run a second time. They are timed in turn, and each counts.
func TestSamplingWriteHeavyLaunches(t *testing.T) {
	inside(t, 0.1, map[string]func(w *workload){
		"few of them": func(w *workload) {
			w.run(w.row(behaviour{rounds: 2, arithmetic: 2, loads: 1, span: words - 1, stride: 1, stores: 1, bank: 1}), 1)
			for range 3 {
				w.list = append(w.list, workloadLaunch{1, 0, 0})
			}
		},
	})
}

// inside runs workloads with and without sampling: intervals hold the truth, and are no wider than a part of it. The machine has bandwidth to
// spare; where memory bounds a launch, intervals are wider and miss more often (docs/guide/modes.md).
func inside(t *testing.T, widest float64, makers map[string]func(w *workload)) {
	t.Helper()
	for name, make := range makers {
		w := &workload{kind: name, machine: "cdna3-mi300a", draw: rand.New(rand.NewPCG(1, 27))}
		make(w)
		r := suite.Must(measure(t.Context(), w, nil, false))(t)
		if !r.covers() || r.half() > widest {
			t.Errorf("%s", r.text(false))
		}
	}
}
