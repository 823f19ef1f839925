package experiments

import (
	"context"
	"fmt"
	"math"
	"os"
	"testing"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
)

// atClock returns the cycles of a job of figures/jobs, without launch costs, under a setting of a clock.
func atClock(t *testing.T, preset, job, key string, mhz int, params ...string) float64 {
	t.Helper()
	j := suite.Must(config.LoadJobWith(os.DirFS("figures/jobs"), job+".yaml", params))(t)
	m := suite.Must(config.LoadMachine(config.Request{Job: j, Machine: preset,
		Set: []string{fmt.Sprintf("%s=%d", key, mhz), "dispatcher.kernel_launch_cycles=0", "dispatcher.launch_floor_cycles=0"}}))(t)
	r, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: j})
	if err != nil {
		t.Fatalf("%s on %s, %s=%d: %v", job, preset, key, mhz, err)
	}
	return float64(r.Stats.Cycles)
}

// Multiply-adds take the same cycles at any clock of the core; a stream bound by memory takes the same time.
func TestClocksOfCoreAndMemory(t *testing.T) {
	for preset, clocks := range map[string][2]int{"cdna3-mi300a": {1400, 2100}, "rdna3-8060s": {1450, 2900}} {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			var cycles, us [2]float64
			for i, mhz := range clocks {
				cycles[i] = atClock(t, preset, "fma", "clock_mhz", mhz, "rounds=12") - atClock(t, preset, "fma", "clock_mhz", mhz, "rounds=4")
				us[i] = atClock(t, preset, "stream", "clock_mhz", mhz, "groups=512") / float64(mhz)
			}
			if cycles[0] != cycles[1] {
				t.Errorf("8 rounds of multiply-adds take %g cycles at %d MHz and %g at %d", cycles[0], clocks[0], cycles[1], clocks[1])
			}
			if off := math.Abs(us[0]/us[1] - 1); off > 0.04 {
				t.Errorf("a stream takes %.3f us at %d MHz and %.3f at %d", us[0], clocks[0], us[1], clocks[1])
			}
		})
	}
}

// Half the clock of memory is half the bandwidth.
func TestClockOfMemoryScalesBandwidth(t *testing.T) {
	slow, fast := atClock(t, "rdna3-8060s", "stream", "memory.clock_mhz", 1450, "groups=256"), atClock(t, "rdna3-8060s", "stream", "memory.clock_mhz", 2900, "groups=256")
	if ratio := slow / fast; math.Abs(ratio-2) > 0.1 {
		t.Errorf("at half the clock of memory, a stream takes %.2f times as long: want twice", ratio)
	}
}
