package config

import "testing"

func TestPresetsLoad(t *testing.T) {
	for _, name := range Presets() {
		m, err := Preset(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if m.Name != name {
			t.Errorf("%s calls itself %q", name, m.Name)
		}
	}
}

func BenchmarkPreset(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Preset(DefaultMachine); err != nil {
			b.Fatal(err)
		}
	}
}
