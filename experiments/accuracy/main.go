package main

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"spvsim/config"
	"spvsim/internal/lists"
)

func main() {
	if err := accuracy(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "accuracy:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	measured, devices, curves, points, set string
	out, times                             string
	jobs                                   int
	limit, total                           time.Duration
	verbose, fitted, predict               bool
}

func accuracy(args []string) error {
	var o options
	f := flag.NewFlagSet("accuracy", flag.ContinueOnError)
	f.StringVar(&o.measured, "measured", "", "file of measured times: kernel_name,problem_size,...,avg_ms,min_ms or benchmark,parameters,size_name,size,ms")
	f.StringVar(&o.devices, "devices", "", "instead of -measured: files of published times of devices, of micro-benchmarks or operators, separated by commas")
	f.StringVar(&o.curves, "curves", "", "instead of -measured: folder of published curves of devices, by the names of curves.yaml")
	f.StringVar(&o.points, "points", "", "points to run, as kernel or kernel problem, with * for anything, separated by commas; empty: all")
	f.StringVar(&o.set, "set", "", "fields of the machine, as path=value, separated by spaces")
	f.StringVar(&o.out, "out", "", "file to write the errors to as CSV")
	f.IntVar(&o.jobs, "jobs", runtime.NumCPU(), "points that run side by side")
	f.DurationVar(&o.limit, "limit", 10*time.Minute, "time for a point, after which it is given up")
	f.DurationVar(&o.total, "for", 24*time.Hour, "time for all points: what has not begun by then is not run; the shortest measured times go first")
	f.BoolVar(&o.predict, "predict", false, "do not look at the measured times, and write simulated times alone to -out; each kernel's first points go first")
	f.StringVar(&o.times, "times", "", "instead of running: the file that -predict wrote")
	f.BoolVar(&o.verbose, "v", false, "print each point as it is done")
	f.BoolVar(&o.fitted, "fit", false, "instead of one run, look for the values of fitted.yaml with the least error over the points")
	if err := f.Parse(args); err != nil {
		return err
	}
	given := lists.Count([]string{o.measured, o.devices, o.curves}, func(source string) bool { return source != "" })
	if given != 1 {
		return fmt.Errorf("want one of -measured FILE, -devices FILES and -curves FOLDER")
	}
	return o.run()
}

func (o *options) run() error {
	points, err := o.read()
	if err != nil {
		return err
	}
	machine, err := machineSettings(o.set)
	if err != nil {
		return err
	}
	var results []result
	chosen := o.choose(points)
	switch {
	case o.times != "":
		if results, err = readTimes(o.times, chosen); err != nil {
			return err
		}
		print(results)
		return o.write(points, results)
	case o.predict:
		chosen = inTurn(chosen)
	default:
		slices.SortStableFunc(chosen, func(a, b point) int { return cmp.Compare(a.microseconds, b.microseconds) })
	}
	if o.fitted {
		return o.fit(chosen, machine)
	}
	simulateAll(chosen, machine, o, func(r result) {
		switch {
		case o.verbose && o.predict:
			fmt.Printf("%-70s %10.2f us %6.1f s %v\n", r.name(), r.simulated, r.host, errorText(r.err))
		case o.verbose && o.curves != "":
			fmt.Printf("%-50s %10.4g %-6s measured %8.3f ratio %6.1f s %v\n", r.name(), r.simulated, r.pair.unit, r.ratio(), r.host, errorText(r.err))
		case o.verbose:
			fmt.Printf("%-50s %10.2f us measured %8.3f ratio %6.1f s %v\n", r.name(), r.microseconds, r.ratio(), r.host, errorText(r.err))
		}
		results = append(results, r)
	})
	if !o.predict {
		print(results)
	}
	return o.write(points, results)
}

func (o *options) write(points []point, results []result) error {
	switch {
	case o.out == "":
		return nil
	case o.predict:
		return writeTimes(o.out, points, results)
	case o.curves != "":
		return writeCurves(o.out, points, results)
	}
	return write(o.out, points, results)
}

// inTurn orders points so that the kernels take turns, each in the order of its points.
func inTurn(points []point) []point {
	count := map[string]int{}
	turn := map[string]int{}
	for i := range points {
		p := &points[i]
		turn[p.name()] = count[p.kernel]
		count[p.kernel]++
	}
	slices.SortStableFunc(points, func(a, b point) int { return cmp.Compare(turn[a.name()], turn[b.name()]) })
	return points
}

func (o *options) read() ([]point, error) {
	switch {
	case o.curves != "":
		return curvePoints(o.curves)
	case o.devices != "":
		return devicePoints(o.devices)
	}
	return readMeasured(o.measured)
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// choose selects the requested points.
func (o *options) choose(points []point) []point {
	if o.points == "" {
		return slices.Clone(points)
	}
	patterns := strings.Split(o.points, ",")
	return slices.DeleteFunc(slices.Clone(points), func(p point) bool {
		return !matches(p.kernel, patterns) && !matches(p.name(), patterns)
	})
}

func machineSettings(text string) (list []config.Setting, err error) {
	for _, word := range strings.Fields(text) {
		path, value, ok := strings.Cut(word, "=")
		if !ok {
			return nil, fmt.Errorf("-set: found %q: want path=value", word)
		}
		s, err := setting("machine."+path, value)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// A summary is the error over some points.
type summary struct {
	points   int
	bias     float64 // geometric mean of simulated over measured
	factor   float64 // geometric mean of the factor between them, whichever way
	weighted float64 // sum of the absolute errors over the sum of the measured times
	mean     float64 // mean of the relative errors
}

func summarize(list []result) (s summary) {
	var logs, factors, off, total float64
	for i := range list {
		r := &list[i]
		if r.err != nil {
			continue
		}
		s.points++
		l := math.Log(r.ratio())
		logs += l
		factors += math.Abs(l)
		off += math.Abs(r.simulated - r.microseconds)
		total += r.microseconds
		s.mean += math.Abs(r.ratio() - 1)
	}
	n := float64(s.points)
	s.bias, s.factor, s.weighted, s.mean = math.Exp(logs/n), math.Exp(factors/n), off/total, s.mean/n
	return s
}

func byKernel(list []result) (names []string, groups map[string][]result) {
	groups = map[string][]result{}
	for _, r := range list {
		if groups[r.kernel] == nil {
			names = append(names, r.kernel)
		}
		groups[r.kernel] = append(groups[r.kernel], r)
	}
	slices.Sort(names)
	return names, groups
}

// judged are the results of judges or of others, without those that the device itself does not repeat.
func judged(list []result, use string) (chosen []result) {
	return lists.Filter(list, func(r result) bool { return r.use == use && r.repeats() })
}

func print(list []result) {
	names, groups := byKernel(list)
	fmt.Printf("%-22s %-5s %6s %8s %8s %10s %8s\n", "kernel", "use", "points", "bias", "factor", "weighted", "mean")
	line := func(name, use string, s summary) {
		fmt.Printf("%-22s %-5s %6d %8.3f %8.3f %9.1f%% %7.1f%%\n", name, use, s.points, s.bias, s.factor, 100*s.weighted, 100*s.mean)
	}
	for _, n := range names {
		line(n, groups[n][0].use, summarize(groups[n]))
	}
	line("all", "", summarize(list))
	for _, use := range []string{useTrain, useJudge} {
		if r := judged(list, use); len(r) > 0 {
			line("repeat within 10 %", use, summarize(r))
		}
	}
}
