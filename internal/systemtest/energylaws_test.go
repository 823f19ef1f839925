package systemtest

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/energy"
	"spvsim/experiments"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/tracing"
)

// energyJobs are ready jobs with divergence, LDS, atomics, scratch, several launches, products of matrices and graphs of each kind.
var energyJobs = []string{"saxpy", "reduce", "histogram", "bitonic", "mandelbrot", "transpose-padded", "classify", "koch", "gemm", "compact", "spmv"}

func energyRun(t *testing.T, name, preset, mode string, set ...string) *gpu.Result {
	t.Helper()
	files, file, _, err := experiments.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	job := suite.Must(config.LoadJob(files, file))(t)
	m := suite.Must(config.LoadMachine(config.Request{Job: job, Machine: preset, Set: set}))(t)
	r, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, Mode: mode, Threads: 1})
	if err != nil {
		t.Fatalf("%s on %s: %v", name, preset, err)
	}
	return r
}

// What holds of the energy of every job on every machine: it is that of its steps; the instructions of all programs took what statistics say
// of issue, lanes, registers and LDS, their parts of the traffic with it no more than all events; and lanes are at most those of a wave.
// SPVSIM_RANDOM_ENERGY draws more than the few that a test takes.
func TestEnergyIsConserved(t *testing.T) {
	n := 6
	if more, err := strconv.Atoi(os.Getenv("SPVSIM_RANDOM_ENERGY")); err == nil {
		n = more
	}
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 30))
		preset, name := config.Presets()[seed%uint64(len(config.Presets()))], energyJobs[r.IntN(len(energyJobs))]
		if strings.HasPrefix(name, "gemm") && (strings.HasPrefix(preset, "gcn") || strings.HasPrefix(preset, "rdna2")) {
			name = "reduce" // those have no matrix unit
		}
		set := []string{"scheduler.kind=" + []string{"hardware", "firmware", "multipass", "lists", "generated", "persistent"}[r.IntN(6)],
			fmt.Sprintf("energy.scale=%g", 0.5+r.Float64()), fmt.Sprintf("compute_units=%d", 1+r.IntN(8))}
		mode := []string{"timed", "timed", "functional", "sampled"}[r.IntN(4)]
		at := fmt.Sprintf("seed %d: %s on %s, %s, %v", seed, name, preset, mode, set)
		conserves(t, at, energyRun(t, name, preset, mode, set...))
	}
}

func conserves(t *testing.T, at string, r *gpu.Result) {
	t.Helper()
	s := r.Stats
	all, steps, parts := s.Energy(), 0.0, 0.0
	for i := range s.Steps {
		steps += s.Energies.Compute(&s.Steps[i].Counts).Total()
	}
	for _, j := range all.Joules {
		parts += j
	}
	if !(all.Total() > 0) || !sameJoules(all.Total(), steps) || !sameJoules(all.Total(), parts) || !sameJoules(all.Total(), all.Dynamic()+all.Constant()+all.Joules[energy.Supply]) {
		t.Errorf("%s: %g J, %g over steps, %g over parts, %g and %g of events and time", at, all.Total(), steps, parts, all.Dynamic(), all.Constant())
	}
	if s.Untimed() && all.Constant() > 0 {
		t.Errorf("%s: %g J of time in a run without time", at, all.Constant())
	}
	ofInstructions(t, at, s, r.Listings, all)
	if most := s.Cycles * 1024; s.UnitCycles > most {
		t.Errorf("%s: %d cycles of units in %d", at, s.UnitCycles, s.Cycles)
	}
}

// ofInstructions compares what listings come to with statistics. What was counted of LDS passes in part is extrapolated by statistics alone.
func ofInstructions(t *testing.T, at string, s *tracing.Stats, listings []tracing.Listing, all *energy.Energy) {
	t.Helper()
	own, most := 0.0, 0.0
	for _, l := range listings {
		for pc := range l.Counts {
			own += s.Energies.Instruction(&l.Program.Insts[pc], &l.Counts[pc], l.Program.WaveSize)
			if n := &l.Counts[pc]; n.Idle > n.Issues*uint64(l.Program.WaveSize) {
				t.Errorf("%s: instruction %d of %s: %d idle lanes in %d issues", at, pc, l.Program.Name, n.Idle, n.Issues)
			}
		}
	}
	want := 0.0
	for _, p := range []energy.Part{energy.Fetch, energy.Vector, energy.Matrix, energy.Scalar, energy.Registers, energy.LDS} {
		want += all.Joules[p]
	}
	if s.Estimate == nil && !sameJoules(own, want) {
		t.Errorf("%s: instructions took %g J, statistics say %g", at, own, want)
	}
	programs := map[string]float64{}
	for _, l := range listings {
		for _, j := range l.Joules {
			most += j
			programs[l.Program.Name] += j
		}
	}
	for _, p := range s.Programs {
		programs[p.Name] -= p.Joules
	}
	for name, left := range programs {
		if len(s.Programs) != len(listings) || math.Abs(left) > 1e-9*most {
			t.Errorf("%s: instructions of %s took %g J more than the program", at, name, left)
		}
	}
	if most < own*(1-1e-9) || most > all.Dynamic()*(1+1e-9) {
		t.Errorf("%s: with their parts of the traffic instructions took %g J, %g without, of %g", at, most, own, all.Dynamic())
	}
}

func sameJoules(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) }

// Lanes are the same with and without time, for each instruction, in jobs whose order decides nothing.
func TestLanesAreTheSameWithoutTime(t *testing.T) {
	for _, name := range []string{"mandelbrot", "bitonic", "reduce", "nbody"} {
		timed, functional := energyRun(t, name, "rdna3-rx7900xtx", "timed"), energyRun(t, name, "rdna3-rx7900xtx", "functional")
		for i := range timed.Listings {
			a, b := timed.Listings[i], functional.Listings[i]
			for pc := range a.Counts {
				if a.Counts[pc].Issues != b.Counts[pc].Issues || a.Counts[pc].Idle != b.Counts[pc].Idle {
					t.Fatalf("%s: instruction %d: %d issues and %d idle lanes timed, %d and %d without time", name, pc,
						a.Counts[pc].Issues, a.Counts[pc].Idle, b.Counts[pc].Issues, b.Counts[pc].Idle)
				}
			}
		}
		if a, b := timed.Stats.Lanes, functional.Stats.Lanes; a != b {
			t.Errorf("%s: %v timed, %v without time", name, a, b)
		}
	}
}

// The peak says its window: that of launches one after the other is the launch with the highest power, in its own time; launches that overlap
// are one window, with the power of the run.
func TestPeakSaysItsWindow(t *testing.T) {
	type energies struct {
		Watts   float64
		Peak    float64 `json:"peak_watts"`
		Seconds float64 `json:"peak_seconds"`
	}
	type statistics struct {
		Seconds float64
		Energy  energies
		Steps   []struct {
			Name    string
			Seconds float64
			Energy  energies
		}
	}
	read := func(r *gpu.Result) (s statistics) {
		suite.OK(t, json.Unmarshal(suite.Must(json.Marshal(r.Stats))(t), &s))
		return s
	}
	run := func(name string) statistics {
		job := suite.Must(config.LoadJob(os.DirFS("../../experiments/figures/jobs"), name))(t)
		m := suite.Must(config.LoadMachine(config.Request{Job: job}))(t)
		return read(suite.Must(gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job}))(t))
	}
	after := run("async-after.yaml")
	var most, seconds float64
	for _, step := range after.Steps { // of one launch each
		if step.Energy.Watts > most {
			most, seconds = step.Energy.Watts, step.Seconds
		}
	}
	if e := after.Energy; len(after.Steps) < 2 || !sameJoules(e.Peak, most) || !sameJoules(e.Seconds, seconds) || e.Peak <= e.Watts {
		t.Errorf("a peak of %g W in %g s, the steps have %g W in %g s", e.Peak, e.Seconds, most, seconds)
	}
	all := run("async-compute.yaml")
	if e := all.Energy; !(e.Peak > 0) || e.Peak != e.Watts || e.Seconds != all.Seconds {
		t.Errorf("concurrent launches: a peak of %g W in %g s, want %g W in %g s", e.Peak, e.Seconds, e.Watts, all.Seconds)
	}
	if s := read(energyRun(t, "reduce", "rdna3-rx7900xtx", "functional")); s.Energy.Peak != 0 || s.Energy.Seconds != 0 {
		t.Errorf("a functional run has a peak of %g W", s.Energy.Peak)
	}
}
