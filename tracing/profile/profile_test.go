package profile_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"spvsim/account"
	"spvsim/config"
	"spvsim/energy"
	"spvsim/experiments"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/program"
	"spvsim/tracing"
	"spvsim/tracing/probe"
	"spvsim/tracing/profile"
)

// profiled runs a ready job and returns its statistics and profile.
func profiled(t *testing.T, name, machine string, set ...string) (*tracing.Stats, *profile.Profile) {
	t.Helper()
	files, file, _, err := experiments.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	job := suite.Must(config.LoadJob(files, file))(t)
	m := suite.Must(config.LoadMachine(config.Request{Job: job, Machine: machine, Set: set}))(t)
	r, p := profileOf(t, job, m)
	return r.Stats, p
}

// profileOf runs a job on a machine and collects its profile.
func profileOf(t *testing.T, job *config.Job, m *config.Machine) (*gpu.Result, *profile.Profile) {
	t.Helper()
	c := profile.NewCollector()
	r := suite.Must(gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, Tracer: c}))(t)
	p := suite.Must(profile.New(job, c, m, r.Stats, r.Listings))(t)
	return r, p
}

var jobs = []struct{ name, machine, set string }{
	{"reduce", "rdna3-rx7900xtx", "memory.model=fast"},
	{"reduce", "gcn3-r9nano", "memory.model=" + suite.LastMemoryModel},
	{"peer-atax", "gcn3-r9nano", "wave_slots=2"},
	{"classify", "rdna4-like", "queue.depth=16"},
}

// TestProfileAgreesWithStatistics: all sums of a profile equal the machine's counts.
func TestProfileAgreesWithStatistics(t *testing.T) {
	for _, job := range jobs {
		t.Run(fmt.Sprint(job), func(t *testing.T) {
			s, p := profiled(t, job.name, job.machine, job.set)
			if p.Cycles != s.Cycles {
				t.Errorf("%d cycles, statistics have %d", p.Cycles, s.Cycles)
			}
			var kernels, units, series account.SlotCycles
			var instructions, issued, waves uint64
			for i := range p.Kernels {
				kernels.Add(&p.Kernels[i].Slots)
				instructions += p.Kernels[i].Instructions
				waves += p.Kernels[i].Waves
			}
			for i := range p.Steps {
				for u := range p.Steps[i].Units {
					units.Add(&p.Steps[i].Units[u])
				}
			}
			for r, row := range p.Series.Slots {
				series[r] = sum(row)
			}
			issued = sum(p.Series.Issued)
			if d := cmp.Diff(s.Slots, units); d != "" {
				t.Errorf("by compute unit (-statistics +profile):\n%s", d)
			}
			resident := s.Slots
			resident[account.Empty] = 0
			if d := cmp.Diff(resident, kernels); d != "" {
				t.Errorf("by program (-statistics +profile):\n%s", d)
			}
			if d := cmp.Diff(resident, series); d != "" {
				t.Errorf("over time (-statistics +profile):\n%s", d)
			}
			if n := s.Instructions(); instructions != n || issued != n || waves != s.Waves || sum(p.Series.LDS) != s.LDS.Passes {
				t.Errorf("%d instructions by program, %d over time, want %d; %d waves, want %d; %d LDS passes, want %d",
					instructions, issued, n, waves, s.Waves, sum(p.Series.LDS), s.LDS.Passes)
			}
			var passes, conflicts uint64
			for i := range p.Listings {
				for k := range p.Listings[i].Lines {
					passes += p.Listings[i].Lines[k].LDSPasses
					conflicts += p.Listings[i].Lines[k].Conflicts
				}
			}
			if passes != s.LDS.Passes || conflicts != s.LDS.ConflictPasses || p.LDS != s.LDS {
				t.Errorf("%d passes and %d conflicts by instruction, want %+v, which is %+v in the profile", passes, conflicts, s.LDS, p.LDS)
			}
			for l := range p.Levels {
				want := s.Memory[l]
				want.Name = ""
				if p.Levels[l].LevelCounts != want {
					t.Errorf("%s: %+v, want %+v", p.Levels[l].Name, p.Levels[l].LevelCounts, want)
				}
			}
			joules := 0.0
			for _, j := range p.Series.Joules {
				joules += j
			}
			if want := s.Energy().Total(); !(want > 0) || math.Abs(joules-want) > 1e-9*want {
				t.Errorf("%g J over time, statistics have %g", joules, want)
			}
			// A workgroup has its slots some cycles before the unit counts it.
			if busy, work := sum(p.Series.Busy), sum(p.Series.Work); busy < s.UnitCycles || float64(busy) > 1.01*float64(s.UnitCycles) || work != s.WorkCycles {
				t.Errorf("over time %d cycles of units and %d of launches, statistics have %d and %d", busy, work, s.UnitCycles, s.WorkCycles)
			}
			parts := s.Energy().Joules
			for _, row := range p.Series.Parts {
				part, known := energy.PartOf(row.Part)
				if got := energy.Sum(row.Joules); !known || math.Abs(got-parts[part]) > 1e-9*parts[part] {
					t.Errorf("%s: %g J over time, statistics have %g", row.Part, got, parts[part])
				}
				parts[part] = 0
			}
			if left := energy.Sum(parts[:]); left != 0 {
				t.Errorf("%g J of parts without a row over time", left)
			}
			groups := p.GroupWatts()
			for i, w := range p.Watts() {
				all := 0.0
				for g := range groups {
					all += groups[g].Watts[i]
				}
				if math.Abs(all-w) > 1e-9*w {
					t.Fatalf("bin %d: groups have %g W, all %g", i, all, w)
				}
			}
			for l := range p.Levels {
				if want := s.Memory[l].Bytes; p.Levels[l].Bytes != want || sum(p.Series.Levels[l]) != want {
					t.Errorf("%s: %d bytes, %d over time, want %d", p.Levels[l].Name, p.Levels[l].Bytes, sum(p.Series.Levels[l]), want)
				}
			}
		})
	}
}

// TestPowerExcludesCopies: the energy of a copy before the first launch is not in the series, which begins with that
// launch.
func TestPowerExcludesCopies(t *testing.T) {
	files := fstest.MapFS{"copies.yaml": {Data: []byte(`shader: copies.spvasm
buffers: [{set: 0, binding: 0, name: out, data: {zero: 4}}]
steps:
  - {name: before, copy: {to: device, bytes: 100000}}
  - {name: first, dispatch: [1]}
  - {name: between, copy: {to: device, bytes: 100000}}
  - {name: second, dispatch: [1]}
`)}, "copies.spvasm": {Data: []byte(emptyShader)}}
	job := suite.Must(config.LoadJob(files, "copies.yaml"))(t)
	m := suite.Must(config.LoadMachine(config.Request{Job: job, Machine: "rdna3-rx7900xtx"}))(t)
	c := profile.NewCollector()
	r := suite.Must(gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, Tracer: c}))(t)
	p := suite.Must(profile.New(job, c, m, r.Stats, r.Listings))(t)
	sum, least := 0.0, math.Inf(1)
	for i, j := range p.Series.Joules {
		sum, least = sum+j, min(least, p.Watts()[i])
	}
	before := least * r.Stats.Energies.Seconds(r.Stats.Cycles-p.Cycles) // no instruction runs
	none := r.Stats.Energies.Compute(&account.Counts{Cycles: p.Series.BinCycles}).Joules[energy.Units]
	for i, work := range p.Series.Work {
		for _, row := range p.Series.Parts {
			switch j := row.Joules[i]; {
			case work > 0 || i == p.Series.Len()-1:
			case row.Part == "compute_units" && math.Abs(j-none) > 1e-6*none:
				t.Errorf("bin %d, where nothing runs: %g J of compute units, %g if they are idle", i, j, none)
			case (row.Part == "fetch" || row.Part == "scalar" || row.Part == "dispatch" || row.Part == "registers") && j != 0:
				t.Errorf("bin %d, where nothing runs: %g J of %s", i, j, row.Part)
			}
		}
	}
	if want := r.Stats.Energy().Total(); p.FirstCycle == 0 || math.Abs(sum+before-want) > 1e-6*want {
		t.Errorf("%g J in the series from cycle %d on, %g before it, want %g in all", sum, p.FirstCycle, before, want)
	}
}

const emptyShader = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %1 "main"
OpExecutionMode %1 LocalSize 32 1 1
%2 = OpTypeVoid
%3 = OpTypeFunction %2
%1 = OpFunction %2 None %3
%4 = OpLabel
OpReturn
OpFunctionEnd
`

// TestOccupancyReached: the mean number of waves of a compute unit while it holds any is at most the possible
// occupancy, and equals it if each unit holds one workgroup at a time without pause.
func TestOccupancyReached(t *testing.T) {
	for _, job := range jobs {
		_, p := profiled(t, job.name, job.machine, job.set)
		for i := range p.Kernels {
			k := &p.Kernels[i]
			reached := float64(k.Slots.Total()) / float64(k.UnitCycles)
			if k.Resources.Possible == nil || reached <= 0 || reached > float64(k.Resources.Possible.Waves) {
				t.Errorf("%v: %s: %v waves reached, possible %+v", job, k.Name, reached, k.Resources.Possible)
			}
		}
	}
	c := profile.NewCollector()
	c.RunBegin(&probe.Geometry{Engines: 1, Units: 2, SIMDs: 1, Slots: 4})
	c.LaunchBegin(&probe.LaunchInfo{Step: "s"})
	x := &program.Program{Name: "main", WaveSize: 64, LDSBytes: 512}
	for unit := range 2 {
		for slot := range 3 {
			place := probe.WaveSlotID{Unit: unit, Slot: slot}
			c.WaveBegin(&probe.Wave{WaveSlotID: place, At: 10, Program: x})
			c.Waited(10, 110, place, account.Barrier)
			c.WaveEnd(110, place)
		}
	}
	c.LaunchEnd(200)
	m := suite.Must(config.Preset("gcn3-r9nano"))(t)
	p := suite.Must(profile.New(&config.Job{}, c, m, &tracing.Stats{ClockMHz: 1}, nil))(t)
	if k := p.Kernels[0]; k.UnitCycles != 200 || k.Slots.Total() != 600 || k.Resources.LDSBytes != 512 {
		t.Errorf("%+v: want 3 waves of 2 units in 100 cycles", k)
	}
}

func sum(row []uint64) (total uint64) {
	for _, n := range row {
		total += n
	}
	return total
}

// TestQueueOverTime: the queue's depth integrated over time is the total wait of its payloads.
func TestQueueOverTime(t *testing.T) {
	s, p := profiled(t, "classify", "rdna4-like")
	var waited uint64
	for _, n := range s.Graph.Nodes[1:] { // the first node's payload is the host's
		for _, w := range n.Waits {
			waited += uint64(w)
		}
	}
	if got := sum(p.Series.Queue); got == 0 || got > waited {
		t.Errorf("%d payload-cycles in the queue; until their launches could start, payloads waited %d cycles", got, waited)
	}
}

// TestQueueByNode: the payloads that wait for the nodes add up to all that wait, payloads never exceed the peak bytes,
// and a node's numbers are the run's.
func TestQueueByNode(t *testing.T) {
	s, p := profiled(t, "classify", "rdna4-like")
	var queued uint64
	for _, n := range p.Series.Nodes {
		queued += sum(n.Queue)
	}
	if queued == 0 || queued != sum(p.Series.Queue) {
		t.Errorf("%d payload-cycles by node, %d in all", queued, sum(p.Series.Queue))
	}
	most := uint64(0)
	for i, n := range p.Series.Payloads {
		most = max(most, n/p.Series.Length(i, p.Cycles))
	}
	if most == 0 || most > s.Graph.Queue.PeakBytes {
		t.Errorf("payloads have up to %d bytes over time, %d at the peak", most, s.Graph.Queue.PeakBytes)
	}
	for i := range p.Graph {
		n, g := &p.Graph[i], &s.Graph.Nodes[i]
		if n.Name != g.Name || n.Start != g.Start() || n.Path != g.Path || n.Payloads > 0 && n.Start.P50 < n.Wait.P50 {
			t.Errorf("node %+v, in the statistics %s, %v, %v", n, g.Name, g.Start(), g.Path)
		}
	}
}

// TestOperations: a product of 256 x 256 x 256 takes 2 operations for each term.
func TestOperations(t *testing.T) {
	_, p := profiled(t, "peer-matmul", "gcn3-r9nano")
	var n uint64
	for i := range p.Kernels {
		n += p.Kernels[i].Operations
	}
	const terms = 2 * 256 * 256 * 256
	if n < terms || n > terms*3/2 {
		t.Errorf("%d operations, want %d and some for addresses", n, terms)
	}
}

// TestPeaks compares with the vendors' numbers for the cards.
func TestPeaks(t *testing.T) {
	_, p := profiled(t, "saxpy", "gcn3-r9nano")
	// 64 CUs x 64 lanes x 2 operations: 8.19 TFLOPS at 1 GHz; 512 GB/s.
	if p.Peak != 64*64*2 {
		t.Errorf("peak %v operations a cycle", p.Peak)
	}
	memory := p.Levels[len(p.Levels)-1]
	if got := memory.BytesPerCycle * float64(p.ClockMHz) / 1e3; got < 500 || got > 524 {
		t.Errorf("memory moves %v GB/s at most", got)
	}
}

func TestSavedProfileIsReadBack(t *testing.T) {
	_, p := profiled(t, "reduce", "gcn3-r9nano")
	var b bytes.Buffer
	suite.OK(t, p.WriteJSON(&b))
	text := b.String()
	got := suite.Must(profile.Read(&b))(t)
	got.Stats, p.Stats = nil, nil
	if d := cmp.Diff(p, got); d != "" {
		t.Errorf("saved profile (-want +got):\n%s", d)
	}
	for _, spoil := range [][2]string{{`"format":1`, `"format":2`}, {`"reasons":[`, `"reasons":["x",`}, {`"bin_cycles":`, `"bin_cycles":9`}, {`"compute_units":`, `"compute_units":1`}} {
		spoilt := strings.Replace(text, spoil[0], spoil[1], 1)
		if spoilt == text {
			t.Fatalf("nothing to spoil: %s", spoil[0])
		}
		if _, err := profile.Read(strings.NewReader(spoilt)); !errors.Is(err, profile.ErrFormat) {
			t.Errorf("%s: %v", spoil[1], err)
		}
	}
	if _, err := profile.Read(strings.NewReader("no json")); !errors.Is(err, profile.ErrFormat) {
		t.Errorf("no json: %v", err)
	}
}

// A saved profile is what encoding/json writes: with a graph, without maps, with empty and missing rows, and from the parts that New makes.
func TestSavedProfileIsJSON(t *testing.T) {
	_, graph := profiled(t, "classify", "rdna4-like")
	_, plain := profiled(t, "reduce", "gcn3-r9nano")
	bare := *plain
	bare.Maps, bare.Series.Queue, bare.Series.LDS, bare.Series.Levels = nil, nil, []uint64{}, [][]uint64{nil, {}, {10, 9, 1 << 63}}
	for i, p := range []*profile.Profile{graph, plain, &bare, {}} {
		var got, want bytes.Buffer
		if p.Stats == nil {
			p.Stats = json.RawMessage("{}")
		}
		suite.OK(t, errors.Join(p.WriteJSON(&got), json.NewEncoder(&want).Encode(p)))
		if d := cmp.Diff(want.String(), got.String()); d != "" {
			t.Errorf("profile %d (-want +got):\n%.2000s", i, d)
		}
	}
}

// TestCSVHoldsTheRun: its lines follow each other, and waves times cycles are the resident slot-cycles.
func TestCSVHoldsTheRun(t *testing.T) {
	s, p := profiled(t, "reduce", "rdna3-rx7900xtx")
	var b bytes.Buffer
	suite.OK(t, p.WriteCSV(&b))
	rows := suite.Must(csv.NewReader(&b).ReadAll())(t)
	next, resident := 0.0, 0.0
	for _, row := range rows[1:] {
		cycle, cycles, waves := number(t, row[0]), number(t, row[1]), number(t, row[2])
		if cycle != next {
			t.Fatalf("cycle %v follows %v", cycle, next)
		}
		next, resident = cycle+cycles, resident+waves*cycles
	}
	want := float64(s.Slots.Total() - s.Slots[account.Empty])
	if next != float64(s.Cycles) || resident < want*0.9999 || resident > want*1.0001 {
		t.Errorf("%v cycles, %v of resident waves: want %d and %v", next, resident, s.Cycles, want)
	}
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	v := suite.Must(strconv.ParseFloat(s, 64))(t)
	return v
}

// A profile can be made during a run: the collector continues unaffected.
func TestProfileDuringRun(t *testing.T) {
	s, m := &tracing.Stats{ClockMHz: 1000}, &config.Machine{}
	m.WaveSize = 32
	told := func(look bool) *profile.Profile {
		c := profile.NewCollector()
		c.RunBegin(&probe.Geometry{Engines: 1, Units: 1, SIMDs: 1, Slots: 1})
		var p *profile.Profile
		for i := range uint64(4) {
			c.LaunchBegin(&probe.LaunchInfo{Step: "a", At: 1000 * i})
			c.LDS(&probe.Access{At: 1000*i + 500, Passes: 1})
			c.LaunchEnd(1000*i + 1000)
			if look || i == 3 {
				var err error
				if p, err = profile.New(&config.Job{}, c, m, s, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		return p
	}
	if diff := cmp.Diff(told(false), told(true)); diff != "" {
		t.Errorf("looked at meanwhile (-not +looked):\n%s", diff)
	}
}
