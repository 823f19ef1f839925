package whatif

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/gpu"
	"spvsim/internal/files"
	"spvsim/internal/suite"
	"spvsim/tracing"
)

// A bench runs a job on a small machine, as it is and on counterfactual machines.
type bench struct {
	job, machine string
	params, set  string // with spaces between
}

// small keeps runs short: what bounds these jobs bounds one compute unit or two.
const small = " shader_engines=1 compute_units=2"

func (b *bench) load(t *testing.T) Loader {
	t.Helper()
	var source fs.FS = files.OS()
	file := b.job
	if !strings.Contains(b.job, "/") {
		var err error
		if source, file, _, err = experiments.Lookup(b.job); err != nil {
			t.Fatal(err)
		}
	}
	return func(settings []string) (*config.Job, *config.Machine, error) {
		over := config.CommandLine{Machine: b.machine, Parameters: strings.Fields(b.params), Set: slices.Concat(strings.Fields(b.set), settings)}
		return over.Load(source, file)
	}
}

func (b *bench) run(t *testing.T, texts ...string) *gpu.Result {
	t.Helper()
	load := b.load(t)
	job, machine, err := load(nil)
	if err != nil {
		t.Fatal(err)
	}
	list := suite.Must(config.ParseWhatIf(texts))(t)
	setup := gpu.Setup{Job: job, Machine: machine, Threads: 1}
	plan, err := NewPlan(&setup, list, load)
	if err != nil {
		t.Fatal(err)
	}
	r, err := gpu.Run(context.Background(), setup)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Run(context.Background(), 2, r); err != nil {
		t.Fatal(err)
	}
	return r
}

func find(t *testing.T, s *tracing.Stats, name string) *tracing.Counterfactual {
	t.Helper()
	i := slices.IndexFunc(s.WhatIf, func(c tracing.Counterfactual) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("no result without %s", name)
	}
	return &s.WhatIf[i]
}

// known are jobs and machines with one limit that is much tighter than all others, and a part of its advice.
var known = []struct {
	limit, advice string
	bench
}{
	{"launches", "launches (1) cost ", bench{"reduce", "rdna3-rx7900xtx", "", ""}},
	{"conflicts", "32.0 ways", bench{"../figures/jobs/lds-stride-access.yaml", "gcn3-r9nano", "", "specialization.0=32 specialization.2=512" + small}},
	{"coalescing", "takes the address path", bench{"micro-stride", "rdna2-rx6900xt", "stride=16 rounds=2 groups=4", small}},
	{"translation", "of 4096 bytes each", bench{"micro-gather", "cdna3-mi300a", "bytes=4194304 groups=4", "vector_memory.translation_entries=1 vector_memory.translation_cycles=64 vector_memory.translation_bytes=4096" + small}},
	{"atomics", "updates by atomics", bench{"micro-atomic", "rdna3-rx7900xtx", "", small}},
	{"bandwidth", "of its peak", bench{"saxpy", "rdna3-rx7900xtx", "", "memory.channels=1 memory_side.slices=1" + small}},
	{"latency", "waves wait for memory", bench{"micro-chase", "rdna2-rx6900xt", "bytes=1048576 apart=4096", "memory.latency_cycles=5000 l2.bytes=16384 l2.slices=1 memory_side.bytes=16384 memory_side.slices=1" + small}},
	{"l2-misses", "lines asked of l2 miss", bench{"micro-read", "rdna2-rx6900xt", "bytes=1048576 groups=4", "l2.bytes=131072 l2.slices=1 memory_side.slices=1 memory_side.bytes_per_cycle=1" + small}},
	{"vector-misses", "lines asked of vector_l1 miss", bench{"micro-read", "rdna2-rx6900xt", "bytes=262144 groups=4", "l2.slices=1 l2.bytes_per_cycle=2" + small}},
	{"registers", "vector registers a wave", bench{"mandelbrot", "rdna3-rx7900xtx", "", "registers.vector_granule=64 registers.vector=256" + small}},
	{"spills", "needs more registers than a wave has", bench{"matmul", "rdna3-rx7900xtx", "", "registers.vector_max=40"}},
	{"lds-size", "bytes of LDS a workgroup", bench{"nbody", "rdna3-rx7900xtx", "", "lds.granule_bytes=65536 shader_engines=1 compute_units=1"}},
	{"fetch", "wait for instructions", bench{"matmul", "rdna3-rx7900xtx", "", "fetch.enabled=true fetch.bytes=64 fetch.line_bytes=64 fetch.ways=1 fetch.miss_latency=500"}},
	{"divergence", "lanes of a wave are inactive at ", bench{"testdata/branches.yaml", "rdna3-rx7900xtx", "", small}},
	{"queue", "payloads of node", bench{"koch", "rdna3-rx7900xtx", "", ""}},
}

// The limit that bounds a job gains most of all limits, but for those that are removed with more; and the advice names it.
// A limit that gains at most as much as leastGain has no advice.
func TestKnownBounds(t *testing.T) {
	for i, k := range known {
		if testing.Short() && i%4 > 0 {
			continue
		}
		t.Run(k.limit, func(t *testing.T) {
			texts := []string{"all"}
			if k.limit != "launches" {
				k.set = strings.Join(append(suite.Must(config.WithoutSettings([]string{"launches"}))(t), k.set), " ")
			}
			r := k.run(t, texts...)
			own := find(t, r.Stats, k.limit)
			for i := range r.Stats.WhatIf {
				c := &r.Stats.WhatIf[i]
				limit, _ := config.FindLimit(c.Name)
				if c.Cycles < own.Cycles && !slices.Contains(limit.Within, k.limit) {
					t.Errorf("without %s: %d cycles, without %s %d (of %d)", k.limit, own.Cycles, c.Name, c.Cycles, own.Base)
				}
				if c.Gain() <= leastGain && c.Advice != "" {
					t.Errorf("without %s: gain %.3f, and the advice %q", c.Name, c.Gain(), c.Advice)
				}
			}
			if own.Gain() < 0.2 || !strings.Contains(own.Advice, k.advice) {
				t.Errorf("gain %.3f, advice %q: want much, and %q", own.Gain(), own.Advice, k.advice)
			}
		})
	}
}

// quiet is the machine without launch costs, for jobs that would hide behind them.
func quiet(t *testing.T) string {
	t.Helper()
	return strings.Join(suite.Must(config.WithoutSettings([]string{"launches"}))(t), " ")
}

// A kernel that the vector units bound gains nothing from memory, the LDS or occupancy, and gets no advice.
func TestBoundByIssue(t *testing.T) {
	b := bench{"../figures/jobs/fma.yaml", "rdna3-rx7900xtx", "", quiet(t) + small}
	r := b.run(t, "all")
	for i := range r.Stats.WhatIf {
		if c := &r.Stats.WhatIf[i]; c.Gain() > leastGain || c.Advice != "" {
			t.Errorf("without %s: gain %.3f, advice %q", c.Name, c.Gain(), c.Advice)
		}
	}
	if text := r.Stats.Bound(); !strings.HasPrefix(text, "valu") {
		t.Errorf("bound by %s, want valu", text)
	}
}

// Without bank conflicts an access takes the time of its phases, whatever its stride: a stride of 32 words on 32 banks as long
// as a stride of one word, which has no conflicts.
func TestWithoutConflictsOnlyPhasesCount(t *testing.T) {
	stride := func(n string) *tracing.Stats {
		b := bench{"../figures/jobs/lds-stride-access.yaml", "gcn3-r9nano", "", "specialization.0=" + n + " specialization.2=256 " + quiet(t)}
		return b.run(t, "conflicts").Stats
	}
	one, all := stride("1"), stride("32")
	if one.LDS.ConflictPasses != 0 || all.LDS.ConflictPasses != 31*(all.LDS.Passes-all.LDS.ConflictPasses) {
		t.Errorf("conflicts %d and %d of %d", one.LDS.ConflictPasses, all.LDS.ConflictPasses, all.LDS.Passes)
	}
	if got, want := find(t, all, "conflicts").Cycles, one.Cycles; got != want || find(t, one, "conflicts").Cycles != want {
		t.Errorf("%d cycles without conflicts, and %d: want %d", got, find(t, one, "conflicts").Cycles, want)
	}
}

// Each machine is that of its settings: the same run with them set by hand takes the same time. Two limits at once are both
// sets of settings.
func TestSettingsByHand(t *testing.T) {
	b := bench{"transpose-plain", "rdna3-rx7900xtx", "", ""}
	r := b.run(t, "conflicts,launches+latency", "{mine: {lds.banks: 64}}")
	for i := range r.Stats.WhatIf {
		c := &r.Stats.WhatIf[i]
		byHand := bench{b.job, b.machine, "", strings.Join(c.Settings, " ")}
		if got := byHand.run(t).Stats.Cycles; got != c.Cycles {
			t.Errorf("%s: %d cycles, by hand %d", c.Name, c.Cycles, got)
		}
		if c.Base != r.Stats.Cycles || c.Cycles >= c.Base {
			t.Errorf("%s: %d cycles of %d", c.Name, c.Cycles, c.Base)
		}
	}
}

// Of a shader with debug information, advice names the file and the source line of the instruction that costs most: of conflicts, the line
// that reads the tile by columns.
func TestAdviceNamesTheLine(t *testing.T) {
	text := suite.Must(os.ReadFile("../../docs/diagnosis/tile.comp"))(t)
	before, _, found := strings.Cut(string(text), "tile[x * WIDTH + row]")
	where := fmt.Sprintf("(line %d)", 1+strings.Count(before, "\n"))
	b := bench{"../../docs/diagnosis/tile.yaml", "rdna3-rx7900xtx", "", quiet(t) + small}
	advice := find(t, b.run(t, "conflicts").Stats, "conflicts").Advice
	if !found || !strings.Contains(advice, "most at tile.comp, ") || !strings.Contains(advice, where) {
		t.Errorf("advice %q, want tile.comp and %s", advice, where)
	}
}

// Payloads that found no space have advice.
func TestPayloadAdvice(t *testing.T) {
	b := bench{"koch", "rdna3-rx7900xtx", "", quiet(t) + " scheduler.kind=hardware queue.payload_bytes=128"}
	c := find(t, b.run(t, "payload-memory").Stats, "payload-memory")
	if c.Gain() < 0.1 || !strings.Contains(c.Advice, "payloads found no space") {
		t.Errorf("gain %.3f, advice %q", c.Gain(), c.Advice)
	}
}

// With every limit removed, the vector units of a kernel of multiply-adds idle only while its waves begin and end.
func TestIdealMachineIsBoundByIssue(t *testing.T) {
	all := suite.Must(config.WithoutSettings(config.WithoutNames()))(t)
	b := bench{"../figures/jobs/fma.yaml", "rdna3-rx7900xtx", "rounds=256", strings.Join(all, " ") + small}
	for _, u := range b.run(t).Stats.Utilization {
		if u.Part == "valu" && (u.Share < 0.98 || u.Share > 1) {
			t.Errorf("vector units at %.4f of their peak, want nearly all", u.Share)
		}
	}
}

// What is off is not there: neither in the statistics nor in their JSON.
func TestOff(t *testing.T) {
	b := bench{"saxpy", "rdna3-rx7900xtx", "", ""}
	load := b.load(t)
	job, machine, err := load(nil)
	r, runErr := gpu.Run(context.Background(), gpu.Setup{Job: job, Machine: machine, Threads: 1})
	text, jsonErr := json.Marshal(r.Stats)
	suite.OK(t, errors.Join(err, runErr, jsonErr))
	if r.Stats.WhatIf != nil || bytes.Contains(text, []byte("what_if")) {
		t.Error("a run without counterfactuals has some")
	}
}

// A sampled run has estimates, with their intervals.
func TestSampled(t *testing.T) {
	b := bench{"peer-bitonic", "gcn3-r9nano", "", "mode=sampled"}
	c := find(t, b.run(t, "launches").Stats, "launches")
	if !(c.Low < float64(c.Cycles) && float64(c.Cycles) < c.High) || !strings.Contains(c.CyclesText(), "to") {
		t.Errorf("%s (%g to %g)", c.CyclesText(), c.Low, c.High)
	}
}
