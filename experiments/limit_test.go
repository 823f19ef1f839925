package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/tracing"
)

// A hot launch between two cool ones.
const hotAndCool = `
parameters: {hot: 384}
buffers:
  - {set: 0, binding: 0, name: source, data: {zero: 524288}}
  - {set: 0, binding: 1, name: sink, data: {zero: 4}}
steps:
  - {name: before, shader: stream.spv, specialization: {0: 2}, dispatch: [64]}
  - {name: hot, shader: fma.spv, specialization: {0: 8}, dispatch: [hot]}
  - {name: after, shader: stream.spv, specialization: {0: 2}, dispatch: [64]}
`

// limited runs hotAndCool on an R9 Nano with settings; limit 0: without a cap.
func limited(t *testing.T, limit float64, set ...string) (*gpu.Result, error) {
	t.Helper()
	files := fstest.MapFS{"job.yaml": &fstest.MapFile{Data: []byte(hotAndCool)}}
	for _, name := range []string{"fma.spv", "stream.spv"} {
		files[name] = &fstest.MapFile{Data: suite.Must(os.ReadFile("figures/jobs/" + name))(t)}
	}
	j := suite.Must(config.LoadJob(files, "job.yaml"))(t)
	if limit > 0 {
		set = append(set, "energy.cap=on", "energy.limit_watts="+strconv.FormatFloat(limit, 'g', -1, 64))
	}
	m := suite.Must(config.LoadMachine(config.Request{Job: j, Machine: "gcn3-r9nano", Set: append(set, "dispatcher.kernel_launch_cycles=0", "dispatcher.following_launch_cycles=0")}))(t)
	return gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: j})
}

func mustLimited(t *testing.T, limit float64, set ...string) *tracing.Stats {
	t.Helper()
	return suite.Must(limited(t, limit, set...))(t).Stats
}

func mostWatts(s *tracing.Stats) (most float64) {
	for i := range s.Steps {
		most = max(most, s.Steps[i].Peak.Watts)
	}
	return most
}

func seconds(s *tracing.Stats) float64 { return s.Energies.Seconds(s.Cycles) }

// With a cap, no launch takes more than the limit, at one step of the clock above some launch does, and a lower limit is
// never faster.
func TestNoLaunchExceedsItsLimit(t *testing.T) {
	free := mustLimited(t, 0)
	before, highest := seconds(free), mostWatts(free)
	for _, share := range []float64{0.95, 0.8, 0.65, 0.5} {
		limit := share * highest
		s := mustLimited(t, limit)
		if got := mostWatts(s); got > limit || s.ClockMHz >= s.FullClockMHz || s.FullClockMHz != free.ClockMHz {
			t.Errorf("limit %.1f W: a launch takes %.1f W at %d of %d MHz", limit, got, s.ClockMHz, s.FullClockMHz)
		}
		if got := seconds(s); got < before {
			t.Errorf("limit %.1f W: %g s, faster than under a higher limit, %g s", limit, got, before)
		} else {
			before = got
		}
		if above := mustLimited(t, 0, "clock_mhz="+strconv.Itoa(s.ClockMHz+25)); mostWatts(above) <= limit {
			t.Errorf("limit %.1f W: %d MHz are chosen, and %d MHz keep it too", limit, s.ClockMHz, above.ClockMHz)
		}
	}
}

// A limit that no launch reaches changes nothing but what says so, and a lowered clock gives what the clock itself does.
func TestLimitsThatAreKept(t *testing.T) {
	plain := func(s *tracing.Stats) map[string]any {
		var all map[string]any
		if err := json.Unmarshal(suite.Must(json.Marshal(s))(t), &all); err != nil {
			t.Fatal(err)
		}
		delete(all, "host")
		of := func(energy map[string]any) {
			for _, name := range []string{"limit_watts", "full_clock_mhz", "limited_by_power"} {
				delete(energy, name)
			}
		}
		of(all["energy"].(map[string]any))
		for _, step := range all["steps"].([]any) {
			of(step.(map[string]any)["energy"].(map[string]any))
		}
		return all
	}
	same := func(a, b *tracing.Stats) {
		t.Helper()
		x, y := suite.Must(json.Marshal(plain(a)))(t), suite.Must(json.Marshal(plain(b)))(t)
		if !slices.Equal(x, y) {
			t.Errorf("found other statistics:\n%s\n%s", x, y)
		}
	}
	same(mustLimited(t, 0), mustLimited(t, 10000))
	lowered := mustLimited(t, 120)
	same(lowered, mustLimited(t, 0, "clock_mhz="+strconv.Itoa(lowered.ClockMHz)))
	var text strings.Builder
	if err := tracing.WriteSummary(&text, lowered); err != nil || !strings.Contains(text.String(), "limited by power: "+strconv.Itoa(lowered.ClockMHz)+" MHz instead of 1000") {
		t.Errorf("the summary does not say what the limit did (%v):\n%s", err, text.String())
	}
}

// Over a period that the whole run is shorter than, cool launches make up for a hot one.
func TestGovernorAveragesOverItsPeriod(t *testing.T) {
	each, all := mustLimited(t, 110), mustLimited(t, 110, "energy.governor_us=1000000")
	if all.ClockMHz <= each.ClockMHz || all.Energies.Watts(all.Energy().Total(), all.Cycles) > 110 {
		t.Errorf("%d MHz over each launch, %d MHz over all, which take %.1f W", each.ClockMHz, all.ClockMHz, all.Energies.Watts(all.Energy().Total(), all.Cycles))
	}
}

// What no clock allows is refused, and so is what can't run again.
func TestLimitsThatAreRefused(t *testing.T) {
	_, err := limited(t, 20)
	if !errors.Is(err, gpu.ErrInput) || !strings.Contains(err.Error(), "energy.limit_watts, 20 W, at the lowest clock of energy.voltage too") {
		t.Error(err)
	}
	m := suite.Must(config.LoadMachine(config.Request{Machine: "gcn3-r9nano", Set: []string{"energy.cap=on"}}))(t)
	part := suite.Must(config.ParseTime("workgroups=0..1"))(t)
	j := suite.Must(config.LoadJobWith(os.DirFS("figures/jobs"), "fma.yaml", []string{"groups=4", "rounds=1"}))(t)
	if _, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: j, Time: part}); !errors.Is(err, gpu.ErrInput) || !strings.Contains(err.Error(), "energy.cap: on: found a run of which a part is timed") {
		t.Error(err)
	}
	if _, err := gpu.OpenDevice(gpu.DeviceSetup{Machine: m}); !errors.Is(err, gpu.ErrInput) || !strings.Contains(err.Error(), "energy.cap: on: a driver") {
		t.Error(err)
	}
}
