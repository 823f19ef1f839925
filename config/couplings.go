package config

import (
	"fmt"
	"slices"
)

// A coupling is a rule by which some keys have no effect because of another key, whatever the job. Which of two rates
// bounds a job is not a coupling: that depends on the job.
type coupling struct {
	keys     []string // the rule applies if one of them was set, not by a preset
	describe func(m *Machine) string
}

var couplings = []coupling{
	{[]string{"lds.banks", "lds.bank_bytes", "lds.bytes_per_cycle"}, func(m *Machine) string {
		l := &m.LDS
		if l.Banks*l.BankBytes <= l.BytesPerCycle {
			return ""
		}
		return fmt.Sprintf("lds.banks %d of lds.bank_bytes %d hold %d bytes a cycle, above lds.bytes_per_cycle %d: banks beyond that avoid conflicts and add no bandwidth",
			l.Banks, l.BankBytes, l.Banks*l.BankBytes, l.BytesPerCycle)
	}},
	{[]string{"lds.wave_bytes_per_cycle", "lds.bytes_per_cycle"}, func(m *Machine) string {
		if m.LDS.WaveBytesPerCycle <= m.LDS.BytesPerCycle {
			return ""
		}
		return fmt.Sprintf("lds.wave_bytes_per_cycle %d is above lds.bytes_per_cycle %d: more than that adds nothing", m.LDS.WaveBytesPerCycle, m.LDS.BytesPerCycle)
	}},
	{[]string{"simd_width", "wave_size", "wave_sizes"}, func(m *Machine) string {
		if largest := slices.Max(m.WaveSizes); m.SIMDWidth > largest {
			return fmt.Sprintf("simd_width %d is above the largest of wave_sizes, %d: more than that adds nothing", m.SIMDWidth, largest)
		}
		return ""
	}},
	{[]string{"dispatcher.kernel_launch_cycles"}, func(m *Machine) string {
		d := &m.Dispatcher
		if d.KernelLaunchCycles >= d.LaunchFloor {
			return ""
		}
		return fmt.Sprintf("dispatcher.kernel_launch_cycles %d is below dispatcher.launch_floor_cycles %d: a first launch takes the floor all the same (--without launches sets both to 0)",
			d.KernelLaunchCycles, d.LaunchFloor)
	}},
}

// Coupled describes the keys without effect because of another key, for rules with a key that was set, not by a preset.
func (m *Machine) Coupled() (list []string) {
	for _, c := range couplings {
		i := slices.IndexFunc(c.keys, func(key string) bool { return m.set[key] != "" })
		if i < 0 {
			continue
		}
		if text := c.describe(m); text != "" {
			list = append(list, fmt.Sprintf("%s (%s)", text, m.set[c.keys[i]]))
		}
	}
	return list
}

// WithoutEffect lists the keys that were set and have no effect: because of another key, or, for graphs, under the
// machine's scheduler.
func (m *Machine) WithoutEffect(graphs bool) []string {
	list := m.Coupled()
	if graphs {
		list = append(list, m.Idle()...)
	}
	return list
}
