package measure

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"spvsim/config"
	"spvsim/experiments/sweep"
)

// A Fit chooses constants of a machine so that its micro-benchmarks take as long as a device's.
type Fit struct {
	Measured []Constant
	Base     string
	// Simulate returns the constants of the base machine with settings (path=value).
	Simulate func(settings []string) ([]Constant, error)
	Progress func(text string)

	machine *config.Machine
	keys    []fittedKey
}

type fittedKey struct {
	path              string
	was, is           float64
	integer           bool
	measured, reached float64
	unit              string
	stuck             bool // at an end of its range
}

// Limits of the search.
const (
	fitRounds    = 8
	fitTolerance = 0.01 // of a constant
)

// Run searches the keys' values: for a latency L of key k, k + (measured - simulated) cycles of the core; for a bandwidth,
// k * measured / simulated. Latencies of lower levels contain those above, so a round may move what the one before had reached.
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
		f.keys = append(f.keys, fittedKey{path: c.Key, was: v, is: v, integer: integer, measured: c.Measured, unit: c.Unit})
	}
	if len(f.keys) == 0 {
		return fmt.Errorf("%w: found no constant with a key: want rows of sweep validate-device --measure", ErrRows)
	}
	for round := range fitRounds {
		simulated, err := f.Simulate(f.settings())
		if err != nil {
			return err
		}
		done := true
		for i := range f.keys {
			if moved := f.keys[i].step(simulated, float64(f.machine.ClockMHz), round == fitRounds-1); moved {
				done = false
			}
		}
		f.Progress(fmt.Sprintf("round %d: the worst constant is off by a factor of %.3f", round+1, f.worst()))
		if done {
			return nil
		}
	}
	return nil
}

// step moves a key towards the measured constant, and reports whether it did.
func (k *fittedKey) step(simulated []Constant, clockMHz float64, last bool) bool {
	i := slices.IndexFunc(simulated, func(c Constant) bool { return c.Key == k.path })
	if i < 0 || !(simulated[i].Simulated > 0) {
		return false
	}
	k.reached = simulated[i].Simulated
	if last || factor(k.reached, k.measured) < 1+fitTolerance {
		return false
	}
	next := k.is * k.measured / k.reached
	if k.unit == "ns" {
		next = k.is + (k.measured-k.reached)*clockMHz/1000
	}
	least := 0.001
	if k.integer {
		next, least = math.Round(next), 0
	}
	k.stuck = next < least
	next = max(next, least)
	moved := next != k.is
	k.is = next
	return moved
}

func (f *Fit) worst() float64 {
	worst := 1.0
	for i := range f.keys {
		if k := &f.keys[i]; k.reached > 0 && !k.stuck {
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
	for i := range f.keys {
		list = append(list, fmt.Sprintf("machine.%s=%s", f.keys[i].path, f.keys[i].value()))
	}
	return list
}

// WriteMachine writes the machine as a file on top of the base, which is relative to a folder.
func (f *Fit) WriteMachine(title, dir string) func(w io.Writer) error {
	return func(w io.Writer) error {
		base := f.Base
		if strings.ContainsAny(base, "./\\") {
			if rel, err := filepath.Rel(dir, base); err == nil {
				base = filepath.ToSlash(rel)
			}
		}
		var b strings.Builder
		fmt.Fprintf(&b, "# %s\nbase: %s\n", title, base)
		tree := map[string]any{}
		for i := range f.keys {
			k := &f.keys[i]
			at, path := tree, strings.Split(k.path, ".")
			for _, name := range path[:len(path)-1] {
				if at[name] == nil {
					at[name] = map[string]any{}
				}
				at = at[name].(map[string]any)
			}
			source := fmt.Sprintf("M: a micro-benchmark has %.4g %s on the device", k.measured, k.unit)
			text := fmt.Sprintf("{value: %s, source: %q}", k.value(), source)
			if path[len(path)-1] == "latency" { // of a class of instructions, whose numbers have one source
				text = fmt.Sprintf("%s\n%ssource: %q", k.value(), strings.Repeat("  ", len(path)-1), source)
			}
			at[path[len(path)-1]] = text
		}
		writeTree(&b, tree, "")
		_, err := io.WriteString(w, b.String())
		return err
	}
}

func writeTree(b *strings.Builder, tree map[string]any, indent string) {
	var names []string
	for name := range tree {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if inner, ok := tree[name].(map[string]any); ok {
			fmt.Fprintf(b, "%s%s:\n", indent, name)
			writeTree(b, inner, indent+"  ")
			continue
		}
		fmt.Fprintf(b, "%s%s: %s\n", indent, name, tree[name])
	}
}

// WriteTable shows what was chosen.
func (f *Fit) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "key\twas\tis\tmeasured\tsimulated\tunit\t\n")
	for i := range f.keys {
		k, note := &f.keys[i], ""
		switch {
		case k.stuck:
			note = "the key is at the end of its range"
		case k.reached > 0 && factor(k.reached, k.measured) > 1+2*fitTolerance:
			note = "other parts of the machine bound this"
		}
		fmt.Fprintf(t, "%s\t%.4g\t%s\t%.4g\t%.4g\t%s\t%s\n", k.path, k.was, k.value(), k.measured, k.reached, k.unit, note)
	}
	return t.Flush()
}

// SimulatedConstants simulates the constants of a plan, on all processors.
func SimulatedConstants(p *sweep.Plan, seconds func(run *config.Run) (float64, error)) (list []Constant, err error) {
	rows, failures := make([]row, len(p.Specs)), make([]error, len(p.Specs))
	var group sync.WaitGroup
	places := make(chan struct{}, runtime.NumCPU())
	for i := range p.Specs {
		r := row{}
		for _, c := range p.Specs[i].Cells {
			r[c.Name] = fmt.Sprint(c.Value)
		}
		if r["constant"] == "" || r["key"] == "" {
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
