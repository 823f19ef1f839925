// Package ledger draws random machines for tests, and formats the results of jobs on them as lines, which tests record
// and compare.
package ledger

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"spvsim/config"
	"spvsim/internal/spec"
)

// A drawnKey is a key of machines whose value is a number, a word or a bool.
type drawnKey struct {
	path  string
	field spec.Field
}

// fixedKeys are keys that are never drawn: those that only limit jobs, those of the machine's size, and those that Draw sets itself.
var fixedKeys = map[string]bool{"wave_size": true, "wave_sizes": true, "memory.bytes": true, "clock_mhz": true, "timing.math": true, "scheduler.kind": true, "issue.compaction": true, // which no device has
	"shader_engines": true, "compute_units": true}

// numbers returns the keys to draw, in the order of the machine's description.
func numbers() (list []drawnKey) {
	var walk func(t reflect.Type, path string)
	walk = func(t reflect.Type, path string) {
		for _, f := range spec.Fields(t) {
			at := strings.TrimPrefix(path+"."+f.Name, ".")
			switch {
			case f.Type.Kind() == reflect.Struct:
				walk(f.Type, at)
			case fixedKeys[at]:
			case f.Enum != nil, f.HasRange, f.Type.Kind() == reflect.Bool:
				list = append(list, drawnKey{at, f})
			}
		}
	}
	walk(reflect.TypeFor[config.Machine](), "")
	for _, class := range config.ClassNames() {
		for _, key := range []string{"latency", "issue", "busy"} {
			list = append(list, drawnKey{"timing.classes." + class + "." + key, spec.Field{HasRange: true, Low: 1, High: 64, Type: reflect.TypeFor[int]()}})
		}
	}
	return list
}

// value draws a value of the key, near the present one.
func (n *drawnKey) value(r *rand.Rand, has string) string {
	f := &n.field
	x, err := strconv.ParseFloat(has, 64)
	switch {
	case f.Enum != nil:
		return f.Enum[r.IntN(len(f.Enum))]
	case f.Type.Kind() == reflect.Bool:
		return strconv.FormatBool(has != "true")
	case f.Type.Kind() == reflect.Slice:
		return "[" + n.valueNear(r, f.Low+1) + "]"
	case err != nil:
		x = f.Low + 8
	}
	return n.valueNear(r, x)
}

// valueNear draws a number of the key's range near x.
func (n *drawnKey) valueNear(r *rand.Rand, x float64) string {
	f := &n.field
	factors := []float64{0.5, 2, 4, 0.25}
	if !f.Pow2 {
		factors = append(factors, 0.75, 1.5, 3, 0.1)
	}
	x *= factors[r.IntN(len(factors))]
	if !f.Pow2 && r.IntN(4) == 0 {
		x = f.Low + float64(r.IntN(20))
	}
	x = min(max(x, f.Low), f.High)
	if f.Type.Kind() != reflect.Float64 {
		x = float64(int64(x))
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// Machines draws machines: presets with changed keys.
type Machines struct {
	presets  []preset
	keys     []drawnKey
	ofGraphs []drawnKey // keys of schedulers and queues
}

// NewMachines reads all presets.
func NewMachines() (*Machines, error) {
	d := &Machines{}
	for _, name := range config.Presets() {
		m, err := config.Preset(name)
		if err != nil {
			return nil, err
		}
		p := preset{name, map[string]string{}}
		for _, l := range m.AllLeaves() {
			p.values[l.Path] = l.Value
		}
		d.presets = append(d.presets, p)
	}
	for _, n := range numbers() {
		if !strings.HasPrefix(n.path, "energy.") || hash(0, n.path)%4 == 0 { // a quarter of the many energy keys
			d.keys = append(d.keys, n)
		}
		if strings.HasPrefix(n.path, "scheduler.") || strings.HasPrefix(n.path, "queue.") {
			d.ofGraphs = append(d.ofGraphs, n)
		}
	}
	return d, nil
}

// Draw returns a random preset with few compute units and up to 6 changed keys; for graphs, with a random scheduler and up to
// 4 changed keys of schedulers and queues.
func (d *Machines) Draw(r *rand.Rand, job *config.Job, graphs bool) (*config.Machine, error) {
	preset := d.presets[r.IntN(len(d.presets))]
	q := config.Request{Machine: preset.name, Job: job}
	fixed := []string{fmt.Sprintf("shader_engines=%d", 1+r.IntN(2)), fmt.Sprintf("compute_units=%d", 1+r.IntN(3))}
	keys, seed := []string(nil), r.Uint64()
	if graphs {
		fixed = append(fixed, "queue.max_depth=64", "queue.max_payloads=512", "queue.max_payload_bytes=65536")
		fixed = append(fixed, "scheduler.kind="+schedulers[r.IntN(len(schedulers))])
		keys = preset.change(seed, d.ofGraphs, r.IntN(5))
	}
	keys = append(keys, preset.change(seed+1, d.keys, r.IntN(7))...)
	for {
		q.Set = slices.Concat(fixed, keys)
		m, err := config.LoadMachine(q)
		if err == nil || len(keys) == 0 {
			return m, err
		}
		keys = keys[:len(keys)-1] // some keys are valid only with others
	}
}

var schedulers = []string{"hardware", "firmware", "multipass", "persistent"}

// A preset is a preset with the values of its keys.
type preset struct {
	name   string
	values map[string]string
}

// change draws values for the n keys of a list whose names have the smallest hashes under the seed. So a key that is added to
// the list changes only the draws in which its own hash is among the n smallest.
func (p *preset) change(seed uint64, list []drawnKey, n int) (changed []string) {
	hashes, order := make([]uint64, len(list)), make([]int, len(list))
	for i := range list {
		hashes[i], order[i] = hash(seed, list[i].path), i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(hashes[a], hashes[b]) })
	for _, i := range order[:min(n, len(order))] {
		r := rand.New(rand.NewPCG(seed, hashes[i]))
		changed = append(changed, list[i].path+"="+list[i].value(r, p.values[list[i].path]))
	}
	return changed
}

// hash mixes a seed and a name (FNV-1a).
func hash(seed uint64, name string) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", seed, name)
	return h.Sum64()
}

// Settings returns the machine's name and its changed keys.
func Settings(m *config.Machine) string {
	text := m.Name
	for _, l := range m.Overrides() {
		text += " " + l.Path + "=" + l.Value
	}
	return text
}
