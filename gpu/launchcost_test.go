package gpu

import (
	"context"
	"slices"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/internal/suite"
	"spvsim/tracing"
)

// statsOf runs a job on a machine.
func statsOf(t *testing.T, text, machine string, set ...string) *tracing.Stats {
	t.Helper()
	r := suite.Must(Run(context.Background(), setup(t, text, machine, set...)))(t)
	return r.Stats
}

const oneWave = "shader: hello.spvasm\ndispatch: [1]\n"

// Without launches, a wave of n instructions that wait for nothing takes the latency of its placing and n turns of the SIMD:
// cadence * (ceil(latency / cadence) + n).
func TestOneWaveWithoutLaunches(t *testing.T) {
	without := suite.Must(config.WithoutSettings([]string{"launches"}))(t)
	for _, name := range []string{"gcn3-r9nano", "cdna3-mi300a"} {
		s := setup(t, oneWave, name, without...)
		cadence, latency := s.Machine.Issue.Cadence, s.Machine.Dispatcher.LaunchLatency
		r := suite.Must(Run(context.Background(), s))(t)
		want := uint64(cadence * ((latency+cadence-1)/cadence + int(r.Stats.Instructions())))
		if r.Stats.Cycles != want || r.Stats.LaunchCycles != 0 || cadence < 2 || r.Stats.Instructions() < 5 {
			t.Errorf("%s: %d cycles, %d of launches: want %d", name, r.Stats.Cycles, r.Stats.LaunchCycles, want)
		}
	}
}

// The cycles of launches are those that a kernel takes less without them, on every machine, and for launches in a stream too.
func TestLaunchCyclesAreWhatTheyCost(t *testing.T) {
	without, _ := config.WithoutSettings([]string{"launches"})
	stream := "shader: hello.spvasm\nsteps:\n- {for: {i: 0..2}, dispatch: [1]}\n"
	queues := "shader: hello.spvasm\nqueues:\n- steps: [{for: {i: 0..2}, dispatch: [1]}]\n"
	for _, name := range config.Presets() {
		for _, job := range []string{oneWave, stream, queues} {
			costly, free := statsOf(t, job, name), statsOf(t, job, name, without...)
			// A SIMD's turn may come up to cadence - 1 cycles later after a cost that is no multiple of it.
			const cadence = 4
			work := costly.Cycles - costly.LaunchCycles
			if job != queues && (work+3*cadence <= free.Cycles || work >= free.Cycles+3*cadence) || costly.LaunchCycles <= free.LaunchCycles {
				t.Errorf("%s: %s: %d cycles, %d of them of launches; %d without", name, job, costly.Cycles, costly.LaunchCycles, free.Cycles)
			}
			if costly.Launching() != costly.LaunchCycles {
				t.Errorf("%s: %s: launches are %d of %d cycles, and not named", name, job, costly.LaunchCycles, costly.Cycles)
			}
		}
	}
}

// Every key that says what a launch costs is set, or has a reason to stay.
func TestWithoutLaunchesSetsAllKeys(t *testing.T) {
	without, _ := config.WithoutSettings([]string{"launches"})
	m := suite.Must(config.LoadMachine(config.Request{Machine: "gcn3-r9nano", Set: without}))(t)
	// A wave's placing, and what a graph's scheduler does for each payload, are work during a launch.
	stay := []string{"dispatcher.launch_latency", "scheduler.launch_cycles", "scheduler.firmware_launches", "queue.launch_rate"}
	for _, l := range m.AllLeaves() {
		if strings.Contains(l.Path, "launch") && !strings.HasPrefix(l.Path, "energy.") && !slices.Contains(without, l.Path+"=0") && !slices.Contains(stay, l.Path) {
			t.Errorf("%s stays %s", l.Path, l.Value)
		}
	}
	if _, err := config.WithoutSettings([]string{"lunches"}); err == nil {
		t.Error("an unknown cost is taken")
	}
}
