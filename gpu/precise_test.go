package gpu

import (
	"context"
	"math"
	"os"
	"testing"

	"spvsim/config"
)

// Quotients, roots and functions of precise builds are within the bounds of OpenCL C on each machine, and the same as without; what the
// simulator gives for the native instructions is the number nearest to the exact one, so that there is no bound to see there.
func TestPreciseFunctions(t *testing.T) {
	names := []string{"a / b", "sqrt", "exp", "log", "pow", "sin", "cos", "sin of a large angle"}
	bounds := []float64{0.5, 0.5, 3, 3, 16, 4, 4, 4}
	var first []uint32
	for _, machine := range config.Presets() {
		r, err := Run(context.Background(), setupBeside(t, os.DirFS("testdata"), `
set: {timing.math: precise}
shader: functions.spvasm
buffers:
  - {set: 0, binding: 0, name: x, data: {random: {seed: 1, type: f32, count: 128, min: 0.001, max: 80}}}
  - {set: 0, binding: 1, name: y, data: {random: {seed: 2, type: f32, count: 128, min: -9, max: 9}}}
  - {set: 0, binding: 2, name: r, data: {zero: 4096}}
dispatch: [2]
`, machine))
		if err != nil {
			t.Fatal(err)
		}
		x, y, got := words(r.named("x")), words(r.named("y")), words(r.named("r"))
		for i := range x {
			a, b := float64(math.Float32frombits(x[i])), float64(math.Float32frombits(y[i]))
			for k, want := range []float64{a / b, math.Sqrt(a), math.Exp(a), math.Log(a), math.Pow(a, b), math.Sin(a), math.Cos(a), math.Sin(65536 * a)} {
				_, e := math.Frexp(want)
				if off := math.Abs(float64(math.Float32frombits(got[8*i+k]))-want) / math.Ldexp(1, max(e, -125)-24); !(off <= bounds[k]) {
					t.Errorf("%s: %s of %g and %g is %g, want %g: off by %g ULPs, want at most %g", machine, names[k], a, b, math.Float32frombits(got[8*i+k]), want, off, bounds[k])
				}
			}
		}
		if first == nil {
			first = got
		}
		for i := range got {
			if got[i] != first[i] {
				t.Fatalf("%s: result %d is %#x, and %#x on %s", machine, i, got[i], first[i], config.Presets()[0])
			}
		}
	}
}
