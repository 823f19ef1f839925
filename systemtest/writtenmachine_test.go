package systemtest

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/spec"
)

// A drawnKey is a key of machines that takes a number, a word or a truth.
type drawnKey struct {
	path  string
	field spec.Field
}

// lasting are keys that only say what may be asked of a machine, or which parts it has altogether, and those that are given in any case.
var lasting = map[string]bool{"wave_size": true, "wave_sizes": true, "memory.bytes": true, "clock_mhz": true, "timing.math": true, "scheduler.kind": true,
	"shader_engines": true, "compute_units": true}

// numbers are all such keys but those of names, in the order of the machine's description.
func numbers() (list []drawnKey) {
	var walk func(t reflect.Type, path string)
	walk = func(t reflect.Type, path string) {
		for _, f := range spec.Fields(t) {
			at := strings.TrimPrefix(path+"."+f.Name, ".")
			switch {
			case f.Type.Kind() == reflect.Struct:
				walk(f.Type, at)
			case lasting[at]:
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

// value is one that the key may take, near what it has.
func (n *drawnKey) value(r *rand.Rand, has string) string {
	f := &n.field
	x, err := strconv.ParseFloat(has, 64)
	switch {
	case f.Enum != nil:
		return f.Enum[r.IntN(len(f.Enum))]
	case f.Type.Kind() == reflect.Bool:
		return strconv.FormatBool(has != "true")
	case f.Type.Kind() == reflect.Slice:
		return "[" + n.near(r, f.Low+1) + "]"
	case err != nil:
		x = f.Low + 8
	}
	return n.near(r, x)
}

// near is a number of the key's range near another one.
func (n *drawnKey) near(r *rand.Rand, x float64) string {
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

// machine is a preset with few compute units and some keys changed; for graphs, under some scheduler, with some of its keys.
func (b *writtenBench) machine(r *rand.Rand, job *config.Job, graphs bool) *config.Machine {
	b.t.Helper()
	preset := b.presets[r.IntN(len(b.presets))]
	q := config.Request{Machine: preset.name, Job: job}
	fixed := []string{fmt.Sprintf("shader_engines=%d", 1+r.IntN(2)), fmt.Sprintf("compute_units=%d", 1+r.IntN(3))}
	var keys []string
	if graphs {
		fixed = append(fixed, "queue.max_depth=64", "queue.max_payloads=512", "queue.max_payload_bytes=65536")
		fixed = append(fixed, "scheduler.kind="+oneOf(r, "hardware", "firmware", "multipass", "persistent"))
		for range r.IntN(5) {
			keys = append(keys, preset.change(r, b.ofGraphs))
		}
	}
	for range r.IntN(7) {
		keys = append(keys, preset.change(r, b.fields))
	}
	for {
		q.Set = slices.Concat(fixed, keys)
		m, err := config.LoadMachine(q)
		if err == nil {
			return m
		}
		if len(keys) == 0 {
			b.t.Fatalf("%+v: %v", q, err)
		}
		keys = keys[:len(keys)-1] // some go only together with others
	}
}

// A writtenPreset is a preset with the values of its keys.
type writtenPreset struct {
	name   string
	values map[string]string
}

func writtenPresets(t testing.TB) (list []writtenPreset) {
	t.Helper()
	for _, name := range config.Presets() {
		m, err := config.Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		p := writtenPreset{name, map[string]string{}}
		for _, l := range m.Leaves() {
			p.values[l.Path] = l.Value
		}
		list = append(list, p)
	}
	return list
}

// change gives one of some keys another value.
func (p *writtenPreset) change(r *rand.Rand, list []drawnKey) string {
	n := &list[r.IntN(len(list))]
	return n.path + "=" + n.value(r, p.values[n.path])
}

// settings are the machine's name and what was changed.
func settings(m *config.Machine) string {
	text := m.Name
	for _, l := range m.Given() {
		text += " " + l.Path + "=" + l.Value
	}
	return text
}
