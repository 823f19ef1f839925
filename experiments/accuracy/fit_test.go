package main

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/config"
	"spvsim/internal/suite"
)

// bowl is a fitter whose results depend on the chosen values: kernel a is right with 3, kernel b with 5.
func bowl() *fitter {
	f := &fitter{knobs: []knob{{"x", []string{"1", "3", "5"}}, {"y", []string{"7", "9"}}}, cache: map[string][]result{},
		points: []point{{kernel: "a", microseconds: 1}, {kernel: "a", microseconds: 1}, {kernel: "b", microseconds: 1}}}
	f.run = func(points []point, machine []config.Setting) (list []result) {
		x, _ := strconv.Atoi(machine[0].Value.String())
		for i := range points {
			want := map[string]int{"a": 3, "b": 5}[points[i].kernel]
			list = append(list, result{point: &points[i], simulated: math.Exp(float64(x - want))})
		}
		return list
	}
	return f
}

// A fit finds the values with the least error, each kernel counted once; without a kernel, the values that suit the
// others.
func TestFitLeavesKernelsOut(t *testing.T) {
	f := bowl()
	for without, want := range map[string]string{"b": "3 9", "a": "5 9"} {
		best, err := f.search(without)
		if err != nil || f.values(best.choice) != want || best.error != 0 {
			t.Errorf("without %q: %q with error %g, %v: want %q with 0", without, f.values(best.choice), best.error, err, want)
		}
	}
	list, err := f.leaveOut(f.middle())
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	if a := list[0]; a.points != 2 || a.fitted != 1 || math.Abs(a.out-math.Exp(2)) > 1e-9 || a.values != "5 9" {
		t.Errorf("left out: %+v", a)
	}
}

// The knobs are fields of the machine, and the preset's own value is the middle one: a machine with these set is the preset.
func TestKnobsAreThePresets(t *testing.T) {
	knobs := suite.Must(readKnobs())(t)
	f := &fitter{knobs: knobs, cache: map[string][]result{}, run: func(_ []point, machine []config.Setting) []result {
		loader := config.Files{FS: embedded, Dir: "kernels"}
		set := suite.Must(loader.Load("relu.yaml", machine))(t)
		preset := suite.Must(loader.Load("relu.yaml", nil))(t)
		if d := cmp.Diff(values(preset.Machine), values(set.Machine)); d != "" {
			t.Errorf("the middle values are not the preset's (-preset +middle):\n%s", d)
		}
		return nil
	}}
	if _, err := f.results(f.middle()); err != nil {
		t.Error(err)
	}
}

// values returns the numbers of a machine by path, without sources.
func values(m *config.Machine) map[string]string {
	list := map[string]string{}
	for _, l := range m.AllLeaves() {
		list[l.Path] = fmt.Sprint(l.Value)
	}
	return list
}

// The effects of two changed values are added up; no further run is simulated.
func TestFitAdditiveEffects(t *testing.T) {
	f := &fitter{knobs: []knob{{"x", []string{"1", "3"}}, {"y", []string{"7", "9"}}}, cache: map[string][]result{}, additive: true,
		points: []point{{kernel: "a", problem: "1", microseconds: 1}, {kernel: "b", problem: "1", microseconds: 1}}}
	runs := 0
	f.run = func(points []point, machine []config.Setting) (list []result) {
		runs++
		x, _ := strconv.ParseFloat(machine[0].Value.String(), 64)
		y, _ := strconv.ParseFloat(machine[1].Value.String(), 64)
		list = []result{{point: &points[1], simulated: x}, {point: &points[0], simulated: x * y}}
		if runs%2 == 0 { // points may come in any order
			list[0], list[1] = list[1], list[0]
		}
		return list
	}
	r, err := f.results([]int{0, 0})
	if err != nil || runs != 3 {
		t.Fatalf("%d runs, %v", runs, err)
	}
	if a, b := byName(r)["a 1"].simulated, byName(r)["b 1"].simulated; a != 27+(9-27)+(21-27) || b != 3+(1-3) {
		t.Errorf("times are %g and %g, want 3 and 1", a, b)
	}
	list, err := f.effects()
	if err != nil || len(list) != 2 || runs != 3 {
		t.Fatalf("%+v, %d runs, %v", list, runs, err)
	}
	if e := list[1]; e.path != "y" || e.value != "7" || e.kernel != "a" || math.Abs(e.change-21.0/27) > 1e-9 {
		t.Errorf("%+v: want a to take 7/9 of its time", e)
	}
}
