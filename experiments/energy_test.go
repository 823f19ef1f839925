package experiments

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/energy"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/tracing"
)

// A reading is a published power, or energy of a bit, with what is simulated for it.
type reading struct {
	preset    string
	of        string
	published float64
	unit      string
	source    string
	simulate  func(*testing.T, *reading) float64
	set       []string
	// reason says why the two are farther apart than mostOff; empty: they are not.
	reason string
}

// mostOff and meanOff are the largest factor between a published and a simulated value without a reason, and the
// largest mean factor of all.
const mostOff, meanOff = 1.4, 1.25

const (
	amd         = "AMD: board or package power"
	techPowerUp = "TechPowerUp"
	toms        = "Tom's Hardware"
	users       = "users"
	multiplyAdd = "multiply-adds on all units"
	streamBit   = "a bit of memory in a stream"
)

var readings = []reading{
	{preset: "rdna3-rx7900xtx", of: "idle", published: 15, source: users, simulate: idle},
	{preset: "rdna3-rx7900xtx", of: "busy queue with hardly any work", published: 112, source: users + ": 100 to 125 W", simulate: oneGroup},
	{preset: "rdna3-rx7900xtx", of: multiplyAdd, published: 366, source: toms + ": FurMark", simulate: full("fma")},
	{preset: "rdna3-rx7900xtx", of: streamBit, published: 7.5, unit: "pJ", source: "Micron: GDDR6", simulate: bit},
	{preset: "rdna3-w7800", of: multiplyAdd, published: 260, source: amd, simulate: full("fma")},
	{preset: "rdna2-rx6800xt", of: "idle", published: 7, source: techPowerUp, simulate: idle},
	{preset: "rdna2-rx6800xt", of: multiplyAdd, published: 300, source: amd, simulate: full("fma")},
	{preset: "rdna2-rx6900xt", of: multiplyAdd + " at 2250 MHz, the product's clock", published: 300, source: amd, simulate: full("fma"), set: []string{"clock_mhz=2250"}},
	{preset: "rdna4-rx9070xt", of: multiplyAdd, published: 304, source: amd, simulate: full("fma")},
	{preset: "gcn3-r9nano", of: "idle", published: 11, source: toms, simulate: idle},
	{preset: "gcn3-r9nano", of: multiplyAdd, published: 175, source: amd, simulate: full("fma")},
	{preset: "gcn3-r9nano", of: streamBit, published: 3.6, unit: "pJ", source: "AMD: HBM, 35 GB/s a watt", simulate: bit},
	{preset: "cdna2-mi210", of: "idle", published: 37, source: users + ": 36 to 38 W", simulate: idle},
	{preset: "cdna2-mi210", of: multiplyAdd, published: 300, source: amd, simulate: full("fma")},
	{preset: "cdna2-mi210", of: streamBit, published: 3.92, unit: "pJ", source: "O'Connor and others, MICRO 2017: HBM2", simulate: bit},
	{preset: "cdna3-mi300a", of: multiplyAdd, published: 550, source: amd, simulate: full("fma")},
	{preset: "cdna3-mi300a", of: "doubles, multiply-adds on all units, a watt", published: 69, unit: "GFLOP/s", source: "Green500: 63 to 69 of the best systems with HBM", simulate: doublesAWatt,
		reason: "the list's power is of whole systems, with hosts and network, and their benchmark is not at the peak rate"},
	{preset: "cdna3-mi300a", of: streamBit, published: 3.92, unit: "pJ", source: "O'Connor and others, MICRO 2017: HBM2", simulate: bit},
	{preset: "cdna3-mi300x", of: "idle", published: 142, source: users + ": 137 to 148 W", simulate: idle},
	{preset: "cdna3-mi300x", of: multiplyAdd, published: 750, source: amd, simulate: full("fma")},
	{preset: "rdna3-8060s", of: "products of matrices at 2200 MHz", published: 85, source: users + ": socket, prefill of language models", simulate: full("matrixpeak"), set: []string{"clock_mhz=2200"}},
	{preset: "rdna3-8060s", of: "products of matrices at 2600 MHz", published: 120, source: users + ": socket, prefill of language models", simulate: full("matrixpeak"), set: []string{"clock_mhz=2600"}},
	{preset: "rdna3-8060s", of: "products of matrices at 2900 MHz", published: 180, source: users + ": socket, prefill of language models", simulate: full("matrixpeak")},
}

func powerRun(t *testing.T, preset, job string, set []string, params ...string) *tracing.Stats {
	t.Helper()
	j := suite.Must(config.LoadJobWith(os.DirFS("figures/jobs"), job+".yaml", params))(t)
	m := suite.Must(config.LoadMachine(config.Request{Job: j, Machine: preset, Set: append([]string{"dispatcher.kernel_launch_cycles=0", "dispatcher.launch_floor_cycles=0"}, set...)}))(t)
	r, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: j})
	if err != nil {
		t.Fatalf("%s on %s: %v", job, preset, err)
	}
	return r.Stats
}

func watts(s *tracing.Stats) float64 { return s.Energies.Watts(s.Energy().Total(), s.Cycles) }

func idle(t *testing.T, r *reading) float64 { return watts(powerRun(t, r.preset, "idle", r.set)) }

// oneGroup is the power of a launch that one workgroup keeps busy.
func oneGroup(t *testing.T, r *reading) float64 {
	return watts(powerRun(t, r.preset, "fma", r.set, "groups=1", "rounds=8"))
}

// full is the power of a job whose workgroups fill all units several times over, less its first and last part: the
// energy that more rounds add, over the time that they add.
func full(job string) func(*testing.T, *reading) float64 {
	return func(t *testing.T, r *reading) float64 {
		joules, seconds := added(t, r, job)
		return joules / seconds
	}
}

func added(t *testing.T, r *reading, job string) (joules, seconds float64) {
	m := suite.Must(config.Preset(r.preset))(t)
	groups, rounds := 8*m.Units(), [2]int{8, 24}
	if job == "matrixpeak" {
		groups, rounds = 2*m.Units(), [2]int{2, 4}
	}
	for i, sign := range []float64{-1, 1} {
		s := powerRun(t, r.preset, job, r.set, fmt.Sprint("groups=", groups), fmt.Sprint("rounds=", rounds[i]))
		joules += sign * s.Energy().Total()
		seconds += sign * s.Energies.Seconds(s.Cycles)
	}
	return joules, seconds
}

// doublesAWatt is the rate of double multiply-adds, two operations each, over the power that they take, in GFLOP/s. 16
// rounds of 32 are added for each invocation.
func doublesAWatt(t *testing.T, r *reading) float64 {
	joules, _ := added(t, r, "fma64")
	return 2 * 16 * 32 * 256 * 8 * float64(suite.Must(config.Preset(r.preset))(t).Units()) / joules / 1e9
}

// bit is the energy of memory per bit that a stream reads, in picojoules.
func bit(t *testing.T, r *reading) float64 {
	s := powerRun(t, r.preset, "stream", r.set, "groups=256")
	bits := 0.0
	for _, l := range s.Memory {
		if l.Name == "memory" {
			bits = 8 * float64(l.Bytes)
		}
	}
	return s.Energy().Joules[energy.Memory] * 1e12 / bits
}

// shown writes a value with three digits, or all of its integer part.
func shown(x float64) string {
	if x >= 100 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// Published powers and energies lie beside simulated ones in the page of energies. They differ by a factor of at most
// mostOff each, unless there is a reason, and of meanOff in the mean.
func TestPublishedPowers(t *testing.T) {
	page := string(suite.Must(os.ReadFile("../docs/model/energy.md"))(t))
	factors := make([]float64, len(readings))
	t.Run("rows", func(t *testing.T) {
		for i := range readings {
			r := &readings[i]
			t.Run(r.preset+"/"+r.of, func(t *testing.T) {
				t.Parallel()
				got := r.simulate(t, r)
				factors[i] = math.Max(got/r.published, r.published/got)
				unit := cmp.Or(r.unit, "W")
				row := fmt.Sprintf("| %s | %s | %s %s | %s %s | %.2f | %s |\n", r.preset, r.of, shown(r.published), unit, shown(got), unit, factors[i], r.source)
				if !strings.Contains(page, row) {
					t.Errorf("docs/model/energy.md has another row than\n%s", row)
				}
				if (factors[i] > mostOff) != (r.reason != "") || !strings.Contains(page, r.reason) {
					t.Errorf("a factor of %.2f, of at most %g without a reason on the page", factors[i], mostOff)
				}
			})
		}
	})
	mean := energy.Sum(factors) / float64(len(readings))
	if line := fmt.Sprintf("The mean factor is %.2f.", mean); mean > meanOff || !strings.Contains(page, line) {
		t.Errorf("%s Want at most %g, and the line in docs/model/energy.md", line, meanOff)
	}
}

// A load of multiply-adds on all units of each preset lies beside the limit on the page, and what exceeds it is named.
func TestFullLoadBesideLimits(t *testing.T) {
	page := string(suite.Must(os.ReadFile("../docs/model/energy.md"))(t))
	presets := config.Presets()
	if testing.Short() {
		presets = []string{"gcn3-r9nano", "rdna2-rx6900xt"}
	}
	for _, preset := range presets {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			r := &reading{preset: preset}
			limit := suite.Must(config.Preset(preset))(t).Energy.LimitWatts
			of := func(job string) string {
				watts := full(job)(t, r)
				if watts > limit {
					return "**" + shown(watts) + " W**"
				}
				return shown(watts) + " W"
			}
			doubles := ""
			if strings.HasPrefix(preset, "cdna") {
				doubles = of("fma64")
			}
			if row := fmt.Sprintf("| %s | %g W | %s | %s |\n", preset, limit, of("fma"), doubles); !strings.Contains(page, row) {
				t.Errorf("docs/model/energy.md has another row than\n%s", row)
			}
		})
	}
}
