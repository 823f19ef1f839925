package measure

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"spvsim/config"
	"spvsim/experiments/sweep"
	"spvsim/internal/lists"
)

// A Fit chooses constants of a machine so that its micro-benchmarks take as long as a device's.
type Fit struct {
	Measured []Constant
	Base     string
	// Simulate returns the constants of some keys of the base machine with settings (path=value).
	Simulate func(settings, keys []string) ([]Constant, error)
	Progress func(text string)

	machine *config.Machine
	keys    []fittedKey
}

type fittedKey struct {
	path     string
	unit     string
	integer  bool
	was, is  float64
	measured float64
	reached  float64  // the constant that was simulated last
	settings string   // the settings of that simulation
	expected float64  // change of the constant by the last round's moves, in cycles or as a logarithm; 0: none
	previous fitValue // the last move
	best     fitValue // of all moves
	worse    int      // moves since then
	end      string   // why the key moves no more; empty: it may
	bound    bool     // the key does not act, and is as it was
}

// Limits of the search.
const (
	fitRounds    = 8
	fitTolerance = 0.01 // of a constant
	leastSlope   = 0.1  // of a constant over its key, below which the key does not determine it
)

// latencyLevels are the keys of latencies in the order in which a load passes them: the latency of each level contains those before it.
var latencyLevels = []string{"vector_l1.latency_cycles", "l2.latency_cycles", "memory.latency_cycles"}

// Run searches the keys' values: for a latency L of key k, k + (measured - simulated) cycles of the core; for a bandwidth,
// k * measured / simulated. A round simulates only constants that are not as measured, bandwidths after all latencies; when all are,
// those that were simulated with other settings follow.
func (f *Fit) Run() (err error) {
	if f.machine, err = config.LoadMachine(config.Request{Machine: f.Base}); err != nil {
		return err
	}
	for _, c := range f.Measured {
		if c.Key == "" || !(c.Measured > 0) {
			continue
		}
		v, integer, ok := f.machine.NumberAt(c.Key)
		if !ok {
			return fmt.Errorf("key %s: the machine %s has no such number", c.Key, f.Base)
		}
		k := fittedKey{path: c.Key, was: v, is: v, integer: integer, measured: c.Measured, unit: c.Unit}
		if v == 0 && c.Unit != "ns" {
			k.end, k.bound = "the key is 0, which bounds nothing: set it first", true
		}
		f.keys = append(f.keys, k)
	}
	if len(f.keys) == 0 {
		return fmt.Errorf("%w: found no constant with a key: want rows of sweep validate-device --measure", ErrRows)
	}
	for round := 1; round <= fitRounds; round++ {
		list := f.choose(func(k *fittedKey) bool { return k.isOff() && k.unit == "ns" })
		if len(list) == 0 {
			list = f.choose((*fittedKey).isOff)
		}
		if len(list) == 0 {
			list = f.stale()
		}
		if len(list) == 0 {
			return nil
		}
		if err := f.simulate(list); err != nil {
			return err
		}
		f.Progress(fmt.Sprintf("round %d: %d of %d constants simulated; the worst is off by a factor of %.3f", round, len(list), len(f.keys), f.worst()))
		f.move(list)
	}
	return f.simulate(f.stale())
}

// choose lists the keys for which a question is true.
func (f *Fit) choose(which func(k *fittedKey) bool) (list []*fittedKey) {
	for i := range f.keys {
		if k := &f.keys[i]; which(k) {
			list = append(list, k)
		}
	}
	return list
}

// stale lists the keys whose constants were simulated with other settings.
func (f *Fit) stale() []*fittedKey {
	now := strings.Join(f.settings(), " ")
	return f.choose(func(k *fittedKey) bool { return k.settings != now })
}

// isOff reports whether the key may move and its constant is not as measured.
func (k *fittedKey) isOff() bool {
	return k.end == "" && (k.reached == 0 || factor(k.reached, k.measured) >= 1+fitTolerance)
}

// simulate simulates the constants of keys.
func (f *Fit) simulate(list []*fittedKey) error {
	if len(list) == 0 {
		return nil
	}
	paths := lists.Map(list, func(k *fittedKey) string { return k.path })
	settings := f.settings()
	simulated, err := f.Simulate(settings, paths)
	if err != nil {
		return err
	}
	for _, k := range list {
		i := slices.IndexFunc(simulated, func(c Constant) bool { return c.Key == k.path })
		if i < 0 || !(simulated[i].Simulated > 0) {
			return fmt.Errorf("key %s: the machine %s gives no constant above 0", k.path, f.Base)
		}
		k.reached, k.settings = simulated[i].Simulated, strings.Join(settings, " ")
	}
	return nil
}

// move moves the keys of constants that are off.
func (f *Fit) move(list []*fittedKey) {
	slices.SortStableFunc(list, func(a, b *fittedKey) int {
		return cmp.Compare(slices.Index(latencyLevels, a.path), slices.Index(latencyLevels, b.path))
	})
	above := 0.0 // cycles by which the levels above moved
	for _, k := range list {
		if !slices.Contains(latencyLevels, k.path) {
			k.step(float64(f.machine.ClockMHz), 0)
			continue
		}
		from := k.is
		k.step(float64(f.machine.ClockMHz), above)
		above += k.is - from
	}
}

// step moves a key towards the measured constant, which levels above have moved by a number of cycles in the same round. Over their keys
// latencies are lines and bandwidths are powers; their slope is 1 at first, and then that of the last move.
func (k *fittedKey) step(clockMHz, above float64) {
	key, constant, back := math.Log, math.Log, math.Exp
	if k.unit == "ns" {
		key = func(cycles float64) float64 { return cycles }
		constant, back = func(ns float64) float64 { return ns * clockMHz / 1000 }, key
	}
	off := constant(k.measured) - constant(k.reached)
	slope := 1.0
	if math.Abs(k.expected) > math.Abs(constant(k.measured*(1+fitTolerance/2))-constant(k.measured)) { // less is lost between the moves of other keys
		slope = (constant(k.reached) - constant(k.previous.reached)) / k.expected
	}
	k.expected = 0
	if k.end != "" || above == 0 && !k.isOff() {
		return
	}
	if k.worse++; k.best.reached == 0 || factor(k.reached, k.measured) < factor(k.best.reached, k.measured) {
		k.best, k.worse = k.now(), 0
	}
	if slope < leastSlope && (k.unit == "ns") != (off < 0) { // a longer latency or a lower bandwidth, which the key gives once it is the tightest bound
		slope, k.worse = 1, 0
	}
	if slope < leastSlope || k.worse == 2 {
		k.is, k.reached = k.best.is, k.best.reached
		k.end = "no number of the key is nearer"
		if k.is == k.was {
			k.end, k.bound = "other parts of the machine bound this", true
		}
		return
	}
	next := back(key(k.is) + off/max(slope, 0.5) - above)
	if k.worse == 1 {
		next = back((key(k.is) + key(k.best.is)) / 2)
	}
	least := 0.001
	if k.integer {
		next, least = math.Round(next), 0
	}
	switch {
	case next < least:
		next, k.end = least, "the key is at the end of its range"
	case above == 0 && (next == k.is || next == k.best.is):
		k.is, k.reached, k.end = k.best.is, k.best.reached, "no number of the key is nearer"
		return
	}
	k.previous = k.now()
	k.expected = key(next) - key(k.is) + above
	k.is = next
	if above != 0 { // what was best is so no longer
		k.best, k.worse = fitValue{}, 0
	}
}

// A fitValue is a value of a key with the constant that it gives.
type fitValue struct{ is, reached float64 }

func (k *fittedKey) now() fitValue { return fitValue{k.is, k.reached} }

func (f *Fit) worst() float64 {
	worst := 1.0
	for _, k := range f.choose(func(k *fittedKey) bool { return k.end == "" }) {
		if k.reached > 0 {
			worst = max(worst, factor(k.reached, k.measured))
		}
	}
	return worst
}

func (k *fittedKey) value() string {
	if k.integer {
		return fmt.Sprintf("%.0f", k.is)
	}
	return fmt.Sprintf("%.4g", k.is)
}

func (f *Fit) settings() (list []string) {
	return lists.MapRefs(f.keys, func(x *fittedKey) string { return fmt.Sprintf("machine.%s=%s", x.path, x.value()) })
}

// WriteMachine writes the machine as a file on top of the base, which is relative to a folder.
func (f *Fit) WriteMachine(title, dir string) func(w io.Writer) error {
	return func(w io.Writer) error {
		var values []config.OverlayValue
		for _, k := range f.choose(func(k *fittedKey) bool { return !k.bound }) {
			source := fmt.Sprintf("M: a micro-benchmark has %.4g %s on the device", k.measured, k.unit)
			values = append(values, config.OverlayValue{Path: k.path, Value: k.value(), Source: source})
		}
		return config.WriteOverlay(w, title, f.Base, dir, values)
	}
}

// WriteTable shows what was chosen.
func (f *Fit) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "key\twas\tis\tmeasured\tsimulated\tunit\t\n")
	for i := range f.keys {
		k := &f.keys[i]
		fmt.Fprintf(t, "%s\t%.4g\t%s\t%.4g\t%.4g\t%s\t%s\n", k.path, k.was, k.value(), k.measured, k.reached, k.unit, k.end)
	}
	return t.Flush()
}

// SimulatedConstants simulates the constants of keys in a plan, on all processors.
func SimulatedConstants(p *sweep.Plan, keys []string, seconds func(run *config.Run) (float64, error)) (list []Constant, err error) {
	rows, failures := make([]row, len(p.Specs)), make([]error, len(p.Specs))
	var group sync.WaitGroup
	places := make(chan struct{}, runtime.NumCPU())
	for i := range p.Specs {
		r := row{}
		for _, c := range p.Specs[i].Cells {
			r[c.Name] = fmt.Sprint(c.Value)
		}
		if !slices.Contains(keys, r["key"]) {
			continue
		}
		rows[i] = r
		group.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			run, err := p.Specs[i].Ready(nil)
			if err == nil {
				var s float64
				s, err = seconds(run)
				r["seconds"] = fmt.Sprint(s)
			}
			if err != nil {
				failures[i] = fmt.Errorf("%s: %w", r["run"], err)
			}
		})
	}
	group.Wait()
	first := map[string]row{}
	for _, r := range rows {
		if short, has := first[r["constant"]]; has {
			list = append(list, constantOf(short, r))
		} else if r != nil {
			first[r["constant"]] = r
		}
	}
	return list, errors.Join(failures...)
}
