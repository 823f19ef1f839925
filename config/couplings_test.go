package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spvsim/cu"
	"spvsim/internal/suite"
	"spvsim/program"
)

// Keys without effect because of another key are reported with that key if they were set, and only then.
func TestCoupledKeysAreNamed(t *testing.T) {
	for _, c := range []struct {
		machine string
		set     []string
		want    []string
	}{
		{"rdna3-rx7900xtx", nil, nil},
		{"rdna3-rx7900xtx", []string{"lds.banks=1024"}, []string{"lds.banks 1024", "lds.bytes_per_cycle", "no bandwidth", "set on the command line"}},
		{"gcn3-r9nano", []string{"lds.banks=64"}, []string{"lds.banks 64", "lds.bytes_per_cycle 128"}},
		{"gcn3-r9nano", []string{"lds.banks=64", "lds.bytes_per_cycle=256"}, nil},
		{"gcn3-r9nano", []string{"lds.bank_bytes=8"}, []string{"lds.bank_bytes 8", "lds.bytes_per_cycle 128"}},
		{"gcn3-r9nano", []string{"lds.banks=16"}, nil},
		{"gcn3-r9nano", []string{"lds.wave_bytes_per_cycle=512"}, []string{"lds.wave_bytes_per_cycle 512", "lds.bytes_per_cycle 128"}},
		{"rdna3-rx7900xtx", []string{"wave_sizes=[32]", "simd_width=64"}, []string{"simd_width 64", "wave_sizes, 32"}},
		{"cdna3-mi300a", []string{"dispatcher.kernel_launch_cycles=0"}, []string{"dispatcher.kernel_launch_cycles 0", "dispatcher.launch_floor_cycles", "--without launches"}},
		{"cdna3-mi300a", []string{"dispatcher.kernel_launch_cycles=0", "dispatcher.launch_floor_cycles=0"}, nil},
	} {
		m := suite.Must(LoadMachine(Request{Machine: c.machine, Set: c.set}))(t)
		got := m.Coupled()
		if (len(got) == 0) != (c.want == nil) || len(got) > 1 {
			t.Errorf("%s with %v: %q", c.machine, c.set, got)
		}
		for _, word := range c.want {
			if len(got) > 0 && !strings.Contains(got[0], word) {
				t.Errorf("%s with %v: %q lacks %q", c.machine, c.set, got, word)
			}
		}
	}
}

// No preset triggers a rule by itself, and each rule can be triggered on every preset.
func TestPresetsHaveNoCoupledKeys(t *testing.T) {
	for _, name := range Presets() {
		m := suite.Must(Preset(name))(t)
		if got := m.Coupled(); got != nil {
			t.Errorf("%s: %q", name, got)
		}
		for i := range couplings[:3] { // the rules on floors need one
			if text := couplings[i].describe(m); text != "" {
				t.Errorf("%s: a preset has keys that add nothing: %s", name, text)
			}
		}
	}
}

// quantities computes the amounts of a machine's resources.
func quantities(m *Machine) map[string]float64 {
	q := map[string]float64{"LDS bytes": float64(m.LDS.Bytes * m.Units()), "lanes": float64(m.SIMDs * m.SIMDWidth * m.Units()), "wave slots": float64(m.UnitSlots() * m.Units()),
		"memory bytes a cycle": m.Memory.BytesPerCycle * float64(m.Memory.Channels)}
	for _, size := range []int{32, 64} {
		p := &program.Program{Name: "p", WaveSize: size, LocalSize: [3]uint32{uint32(size), 1, 1}, VectorRegs: 96, ScalarRegs: 16}
		need, err := cu.NewResources(p, m.Limits())
		if err != nil {
			continue
		}
		// The part of the register file, in bytes, that waves of the size can use.
		q[fmt.Sprintf("register bytes of wave%d", size)] = float64(m.Registers.Vector / need.VectorRegs * size * 96 * 4)
	}
	return q
}

// scaledBy lists the keys that scale a quantity, as their names or descriptions state.
var scaledBy = map[string][]string{
	"LDS bytes":                {"lds.bytes", "shader_engines", "compute_units"},
	"lanes":                    {"simds", "simd_width", "shader_engines", "compute_units"},
	"wave slots":               {"simds", "wave_slots", "shader_engines", "compute_units"},
	"memory bytes a cycle":     {"memory.bytes_per_cycle", "memory.channels"},
	"register bytes of wave32": {"registers.vector", "registers.vector_granule", "registers.vector_max", "wave_sizes"},
	"register bytes of wave64": {"registers.vector", "registers.vector_granule", "registers.vector_max", "wave_sizes"},
}

// No key of any preset scales a quantity that its document does not name: every key with twice and half its value, and every other word.
func TestKeysScaleDocumentedQuantities(t *testing.T) {
	changes := 0
	for k, name := range Presets() {
		preset := suite.Must(Preset(name))(t)
		before := quantities(preset)
		for i, l := range preset.AllLeaves() {
			if !suite.AllCases() && l.Path != "wave_size" && (i+k)%12 > 0 { // each key on some presets
				continue
			}
			if strings.HasPrefix(l.Path, "energy.") || strings.HasPrefix(l.Path, "timing.") || l.Path == "name" {
				continue // which are costs
			}
			for _, value := range others(l) {
				m, err := LoadMachine(Request{Machine: name, Set: []string{l.Path + "=" + value}})
				if err != nil {
					continue // refused
				}
				changes++
				for quantity, n := range quantities(m) {
					if n != before[quantity] && !slices.Contains(scaledBy[quantity], l.Path) {
						t.Errorf("%s: %s=%s: %s are %g, and were %g", name, l.Path, value, quantity, n, before[quantity])
					}
				}
			}
		}
	}
	if changes < 200 {
		t.Errorf("%d changes", changes)
	}
}

// others returns alternatives to a field's value: twice and half a number, and other wave sizes.
func others(l Leaf) (list []string) {
	if l.Path == "wave_size" {
		return []string{"16", "32", "64"}
	}
	if n, err := strconv.Atoi(l.Value); err == nil {
		return []string{strconv.Itoa(2 * n), strconv.Itoa(n / 2)}
	}
	if x, err := strconv.ParseFloat(l.Value, 64); err == nil {
		return []string{fmt.Sprint(2 * x), fmt.Sprint(x / 2)}
	}
	return nil
}

// A wave64 occupies two rows of the register file of a machine with waves of 32 lanes, whether it is the machine's wave
// size or a pipeline's: half as many registers fit as for a wave32.
func TestRegisterFileOfWave64(t *testing.T) {
	for _, name := range Presets() {
		m, err := Preset(name)
		if err != nil || !slices.Contains(m.WaveSizes, 32) {
			continue
		}
		wide := suite.Must(LoadMachine(Request{Machine: name, Set: []string{"wave_size=64"}}))(t)
		a, b := quantities(m), quantities(wide)
		if a["register bytes of wave64"] != b["register bytes of wave64"] || a["register bytes of wave32"] != b["register bytes of wave32"] {
			t.Errorf("%s: %v, with wave_size=64 %v", name, a, b)
		}
		p := &program.Program{Name: "p", WaveSize: 64, LocalSize: [3]uint32{64, 1, 1}, VectorRegs: 64, ScalarRegs: 16}
		need, err := cu.NewResources(p, wide.Limits())
		if most := m.Registers.Vector / 2 / 64; err != nil || wide.Registers.Vector/need.VectorRegs > most {
			t.Errorf("%s: %d rows a wave64 of 64 registers (%v): want two each, so that at most %d fit", name, need.VectorRegs, err, most)
		}
	}
}
