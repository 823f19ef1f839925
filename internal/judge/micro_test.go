package judge

import (
	"path/filepath"
	"testing"

	"spvsim/config"
	"spvsim/internal/suite"
)

// Micro-benchmarks keep to the path that they measure, here and with RADV: chains of loads by vector instructions or through
// the scalar cache.
func TestPathsOfMicroBenchmarks(t *testing.T) {
	d := opened(t)
	for _, c := range []struct {
		file         string
		vector, smem [2]float64 // bounds of the numbers of instructions
	}{
		{"experiments/library/microchase.spv", [2]float64{290, 291}, [2]float64{0, 5}},
		{"experiments/accuracy/micro/chase-vector.spv", [2]float64{2, 2}, [2]float64{0, 3}},
		{"experiments/accuracy/micro/chase-scalar.spv", [2]float64{1, 1}, [2]float64{3, 5}},
	} {
		for _, preset := range presets() {
			m := suite.Must(config.Preset(preset))(t)
			for _, s := range entries("../..", filepath.Join("../..", c.file)) {
				r := suite.Must(d.Compare(&s, m))(t)
				for name, code := range map[string]*Code{"here": r.Lowered, "RADV": r.RADV} {
					n := code.Static()
					if n[VMEM] < c.vector[0] || n[VMEM] > c.vector[1] || n[SMEM] < c.smem[0] || n[SMEM] > c.smem[1] {
						t.Errorf("%s, %s, %s: %v vector and %v scalar accesses", c.file, preset, name, n[VMEM], n[SMEM])
					}
				}
			}
		}
	}
}
