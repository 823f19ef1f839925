package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"spvsim/config"
	"spvsim/internal/lists"
)

// A knob is a parameter of the machine that has no source but a fit, and the values to try. The one in the middle is tried first.
type knob struct {
	Path   string   `yaml:"path"`
	Values []string `yaml:"values"`
}

func readKnobs() (list []knob, err error) {
	if list, err = readTable[[]knob]("fitted.yaml"); err != nil {
		return nil, err
	}
	for _, k := range list {
		if len(k.Values) == 0 {
			return nil, fmt.Errorf("fitted.yaml: %s: no values", k.Path)
		}
	}
	return list, nil
}

// A fitter searches the values of knobs with the least error. It caches the results of each choice of values.
type fitter struct {
	knobs  []knob
	points []point
	run    func(points []point, machine []config.Setting) []result
	cache  map[string][]result
	fixed  []config.Setting
}

// middle is the choice that a search begins with.
func (f *fitter) middle() []int {
	return lists.Map(f.knobs, func(k knob) int { return len(k.Values) / 2 })
}

// results returns the results of a choice of values.
func (f *fitter) results(at []int) ([]result, error) {
	name := fmt.Sprint(at)
	if r, ok := f.cache[name]; ok {
		return r, nil
	}
	machine := slices.Clone(f.fixed)
	for i, k := range f.knobs {
		s, err := setting("machine."+k.Path, k.Values[at[i]])
		if err != nil {
			return nil, err
		}
		machine = append(machine, s)
	}
	r := f.run(f.points, machine)
	f.cache[name] = r
	return r, nil
}

// A fit is a choice of values with its error.
type fit struct {
	choice []int
	error  float64
}

// search sets one knob after the other to its best value, until none improves (coordinate descent).
func (f *fitter) search() (best fit, err error) {
	best.choice = f.middle()
	if best.error, err = f.errorAt(best.choice); err != nil {
		return best, err
	}
	for better := true; better; {
		better = false
		for i := range f.knobs {
			changed, err := f.try(&best, i)
			if err != nil {
				return best, err
			}
			better = better || changed
		}
	}
	return best, nil
}

// try sets one knob to its best value.
func (f *fitter) try(best *fit, i int) (changed bool, err error) {
	for v := range f.knobs[i].Values {
		at := slices.Clone(best.choice)
		at[i] = v
		e, err := f.errorAt(at)
		if err != nil {
			return false, err
		}
		if e < best.error {
			*best, changed = fit{at, e}, true
		}
	}
	return changed, nil
}

func (f *fitter) errorAt(at []int) (float64, error) {
	r, err := f.results(at)
	return kernelError(r), err
}

// kernelError is the mean over kernels, each counted once however many points it has, of the mean of |log(simulated / measured)|.
func kernelError(list []result) float64 {
	names, groups := byKernel(list)
	sum, n := 0.0, 0.0
	for _, name := range names {
		s := summarize(groups[name])
		if s.points > 0 {
			sum, n = sum+math.Log(s.factor), n+1
		}
	}
	return sum / n
}

// refuseJudges refuses points of kernels that judge: a fit may not see them.
func refuseJudges(points []point) error {
	var names []string
	for i := range points {
		if p := &points[i]; p.use != useTrain && !slices.Contains(names, p.kernel) {
			names = append(names, p.kernel)
		}
	}
	if names == nil {
		return nil
	}
	return fmt.Errorf("-fit: kernels.yaml does not mark %s as use: train: no parameter may be chosen by them; -points leaves them out", strings.Join(names, ", "))
}

// fit runs the search on the points.
func (o *options) fit(points []point, machine []config.Setting) error {
	if err := refuseJudges(points); err != nil {
		return err
	}
	knobs, err := readKnobs()
	if err != nil {
		return err
	}
	f := &fitter{knobs: knobs, points: points, cache: map[string][]result{}, fixed: machine,
		run: func(points []point, machine []config.Setting) (list []result) {
			simulateAll(points, machine, o, func(r result) { list = append(list, r) })
			return list
		}}
	best, err := f.search()
	if err != nil {
		return err
	}
	fmt.Printf("%d points, factor %.3f as the mean of kernels\n", len(points), math.Exp(best.error))
	for i, k := range knobs {
		fmt.Printf("%-42s %8s of %s\n", k.Path, k.Values[best.choice[i]], strings.Join(k.Values, " "))
	}
	return nil
}
