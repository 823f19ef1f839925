package main

import (
	"math"
	"math/rand/v2"
	"testing"
)

// What a sample finds in the caches is what it would find in a full run: in launches after ones that evict their lines and after ones that
// do not, in launches that shrink until their lines stay there, and in a launch that goes around in a little more memory than a cache holds.
func TestCachesOfSamples(t *testing.T) {
	plain := behaviour{rounds: 3, arithmetic: 1, loads: 2, span: words - 1, stride: 7, bank: 1}
	hot := plain
	hot.rounds = 9
	shrinks := behaviour{rounds: 6, arithmetic: 2, loads: 3, span: words - 1, stride: 5, bank: 1}
	around := behaviour{rounds: 4, arithmetic: 1, loads: 3, span: 1<<19 - 1, stride: 1, passes: 4, bank: 3}
	for name, make := range map[string]func(w *workload){
		"after others": func(w *workload) {
			w.rows, w.which = []behaviour{plain, hot}, []uint32{0, 1}
			for range 120 {
				row := 0
				if w.draw.IntN(4) == 0 {
					row = 1
				}
				w.list = append(w.list, launch{118, row, 0})
			}
		},
		"shrinking": func(w *workload) {
			w.row(shrinks)
			w.which = []uint32{0}
			for i := range 80 {
				w.list = append(w.list, launch{int(200 * math.Pow(0.1, float64(i)/80)), 0, 0})
			}
		},
		"around": func(w *workload) {
			w.run(w.row(around), 9000)
			w.whole(0)
		},
	} {
		w := &workload{kind: name, machine: "rdna3-780m", draw: rand.New(rand.NewPCG(1, 27))}
		make(w)
		r, err := measure(t.Context(), w, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		if !r.inside() || r.half() > 0.07 {
			t.Errorf("%s", r.text(false))
		}
	}
}
