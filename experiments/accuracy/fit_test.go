package main

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/config"
	"spvsim/internal/suite"
)

// bowl is a fitter whose results depend on the chosen values: kernel a is right with 3, kernel b with 5.
func bowl() *fitter {
	f := &fitter{knobs: []knob{{"x", []string{"3", "1", "5"}}, {"y", []string{"7", "9"}}}, cache: map[string][]result{},
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

// A fit finds the values with the least error, each kernel counted once.
func TestFit(t *testing.T) {
	f := bowl()
	best, err := f.search()
	if err != nil || fmt.Sprint(best.choice) != "[0 1]" || best.error != 1 {
		t.Errorf("choice %v with error %g, %v: want [0 1] with 1", best.choice, best.error, err)
	}
}

// The judges are those that this list names, and a fit on one of them is refused by its name.
func TestFitRefusesJudges(t *testing.T) {
	train := []string{"atax", "fir", "floydwarshall", "matrixmultiplication", "matrixtranspose", "memcopy_d2d", "relu", "simpleconvolution", "vectoradd"}
	for _, file := range []string{mi300a, mi300x} {
		points := suite.Must(readMeasured(file))(t)
		o := &options{}
		for _, name := range slices.Sorted(maps.Keys(suite.Must(readKernels())(t))) {
			some := slices.DeleteFunc(slices.Clone(points), func(p point) bool { return p.kernel != name })
			err := refuseJudges(some)
			if want := len(some) > 0 && !slices.Contains(train, name); (err != nil) != want || err != nil && !strings.Contains(err.Error(), name+" as use: train") {
				t.Errorf("%s of %s: %v, want it refused: %t", name, file, err, want)
			}
		}
		if err := o.fit(points, nil); err == nil || !strings.Contains(err.Error(), "kernels.yaml does not mark") {
			t.Errorf("a fit on all of %s: %v", file, err)
		}
	}
}

// Of the machines' timing, only the costs of a launch and four more numbers may be fitted to kernels, and each preset's sources name those and no others.
func TestFittedNumbersAreFew(t *testing.T) {
	cost := regexp.MustCompile(`^dispatcher\.(\w*launch_cycles|launch_floor_cycles|workgroups_per_cycle)$`)
	listed := map[string]bool{}
	others := 0
	for _, k := range suite.Must(readKnobs())(t) {
		listed[k.Path] = true
		if !cost.MatchString(k.Path) {
			others++
		}
	}
	if others > 4 {
		t.Errorf("fitted.yaml has %d numbers beside what launches cost, want at most 4", others)
	}
	marked := map[string]bool{}
	for _, preset := range config.Presets() {
		m := suite.Must(config.LoadMachine(config.Request{Machine: preset}))(t)
		for path, source := range m.Sources {
			if strings.HasPrefix(path, "energy.") || !strings.Contains(source, "M: fitted") {
				continue
			}
			if marked[path] = true; !listed[path] {
				t.Errorf("%s: %s is fitted, and fitted.yaml does not list it: %s", preset, path, source)
			}
		}
	}
	for path := range listed {
		if !marked[path] {
			t.Errorf("fitted.yaml lists %s, and no preset says that it is fitted", path)
		}
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
