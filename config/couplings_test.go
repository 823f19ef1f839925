package config

import (
	"strings"
	"testing"
)

// Keys that add nothing because of another key are named with it, where they were set, and not before.
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
		m, err := LoadMachine(Request{Machine: c.machine, Set: c.set})
		if err != nil {
			t.Fatal(err)
		}
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

// No preset says anything of itself, and each rule can be met on every preset.
func TestPresetsHaveNoCoupledKeys(t *testing.T) {
	for _, name := range Presets() {
		m, err := Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Coupled(); got != nil {
			t.Errorf("%s: %q", name, got)
		}
		for i := range couplings[:3] { // a floor is for those that have one
			if text := couplings[i].says(m); text != "" {
				t.Errorf("%s: a preset has keys that add nothing: %s", name, text)
			}
		}
	}
}
