package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// changed are the knobs that a choice sets to other values than the middle ones.
func (f *fitter) changed(at []int) (list []int) {
	for i, v := range f.middle() {
		if at[i] != v {
			list = append(list, i)
		}
	}
	return list
}

// changedOne is the middle choice but for one knob.
func (f *fitter) changedOne(i, value int) []int {
	at := f.middle()
	at[i] = value
	return at
}

// added predicts a choice by adding up the time differences of each changed value alone.
func (f *fitter) added(at []int) ([]result, error) {
	middle, err := f.results(f.middle())
	if err != nil {
		return nil, err
	}
	sum := slices.Clone(middle)
	for _, i := range f.changed(at) {
		one, err := f.results(f.changedOne(i, at[i]))
		if err != nil {
			return nil, err
		}
		times := byName(one)
		for j := range sum {
			r := times[sum[j].name()]
			if r.err != nil {
				sum[j].err = r.err
			}
			sum[j].simulated += r.simulated - middle[j].simulated
		}
	}
	return sum, nil
}

func byName(list []result) map[string]result {
	byName := map[string]result{}
	for _, r := range list {
		byName[r.name()] = r
	}
	return byName
}

// An effect is the effect of another value of one knob: on the error, and on the kernel whose times it changes most.
type effect struct {
	path, value    string
	fitted, factor float64 // mean of kernels with the fitted value, and with this one
	kernel         string
	change         float64 // mean ratio of that kernel's times
}

// effects returns the effects of each value of each knob alone.
func (f *fitter) effects() (list []effect, err error) {
	middle, err := f.results(f.middle())
	if err != nil {
		return nil, err
	}
	for i, k := range f.knobs {
		for v, value := range k.Values {
			if v == f.middle()[i] {
				continue
			}
			r, err := f.results(f.changedOne(i, v))
			if err != nil {
				return nil, err
			}
			e := effect{path: k.Path, value: value, fitted: math.Exp(kernelError(middle)), factor: math.Exp(kernelError(r))}
			e.kernel, e.change = mostChanged(middle, r)
			list = append(list, e)
		}
	}
	return list, nil
}

// mostChanged is the kernel whose times differ most between two runs, and their mean ratio.
func mostChanged(before, after []result) (kernel string, ratio float64) {
	names, groups := byKernel(before)
	_, changed := byKernel(after)
	off := func(name string) float64 {
		return math.Log(summarize(changed[name]).bias / summarize(groups[name]).bias)
	}
	kernel = slices.MaxFunc(names, func(a, b string) int { return cmp.Compare(math.Abs(off(a)), math.Abs(off(b))) })
	return kernel, math.Exp(off(kernel))
}

// writeEffects prints the effects of other values of knobs, and writes them as CSV if a file is named.
func (o *options) writeEffects(f *fitter) error {
	list, err := f.effects()
	if err != nil {
		return err
	}
	rows := [][]string{{"parameter", "fitted", "value", "factor fitted", "factor", "kernel", "time"}}
	for _, e := range list {
		i := slices.IndexFunc(f.knobs, func(k knob) bool { return k.Path == e.path })
		fitted := f.knobs[i].Values[f.middle()[i]]
		fmt.Printf("%-42s %8s for %8s: factor %.3f for %.3f, %s takes %.3f times as long\n", e.path, e.value, fitted, e.factor, e.fitted, e.kernel, e.change)
		rows = append(rows, []string{e.path, fitted, e.value, fmt.Sprintf("%.4f", e.fitted), fmt.Sprintf("%.4f", e.factor), e.kernel, fmt.Sprintf("%.4f", e.change)})
	}
	return writeRows(o.effects, rows)
}
