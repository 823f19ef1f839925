package systemtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/spirv"
)

// variedJobs are ready jobs of all kinds that run in some tens of milliseconds on a small machine.
var variedJobs = []string{"lastsum", "qdot8", "hlsl", "perlane", "indirect", "mesh", "planes", "groupscan-dpp"}

var graphs = map[string]bool{"lastsum": true, "hlsl": true, "perlane": true, "indirect": true, "mesh": true}

// variedMachine is small, so that waves wait for each other and for places.
var variedMachine = []string{"shader_engines=2", "compute_units=2", "wave_slots=4"}

// A change makes another run of a job: settings of the machine, another text of the job, other modules.
type change struct {
	set    []string
	job    func(text string) string
	module func(*spirv.Module)
}

// ran is a run with what laws compare.
type ran struct {
	buffers  map[string][]byte
	cycles   uint64
	launches uint64
	stats    []byte // without the host's part
}

func runVaried(t *testing.T, name string, c change) ran {
	t.Helper()
	files, file, _, err := experiments.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	all := fstest.MapFS{}
	list := suite.Must(fs.Glob(files, "*"))(t)
	for _, f := range list {
		data := suite.Must(fs.ReadFile(files, f))(t)
		all[f] = &fstest.MapFile{Data: changedFile(t, f, data, c.module)}
	}
	if c.job != nil {
		all[file].Data = []byte(c.job(string(all[file].Data)))
	}
	job := suite.Must(config.LoadJob(all, file))(t)
	m := suite.Must(config.LoadMachine(config.Request{Job: job, Set: append(append([]string{}, variedMachine...), c.set...)}))(t)
	r, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job})
	if err != nil {
		t.Fatalf("%s with %v: %v", name, c.set, err)
	}
	out := ran{map[string][]byte{}, r.Stats.Cycles, r.Stats.Launches, nil}
	for _, b := range r.Buffers {
		out.buffers[b.Name] = b.Bytes
	}
	host := r.Stats.Host
	r.Stats.Host.Seconds, r.Stats.Host.InstructionsPerSecond, r.Stats.Host.PeakBytes = 0, 0, 0
	out.stats, err = json.Marshal(r.Stats)
	r.Stats.Host = host
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func changedFile(t *testing.T, name string, data []byte, change func(*spirv.Module)) []byte {
	t.Helper()
	if change == nil || !strings.HasSuffix(name, ".spv") {
		return data
	}
	m := suite.Must(spirv.Decode(data))(t)
	change(m)
	return m.Encode(m.Order)
}

func sameBuffers(t *testing.T, what string, got, want ran) {
	t.Helper()
	for name := range want.buffers {
		if !bytes.Equal(got.buffers[name], want.buffers[name]) {
			t.Errorf("%s: buffer %s differs", what, name)
		}
	}
}

// What a machine costs changes no result.
func TestLawTimeChangesNoResult(t *testing.T) {
	for _, name := range variedJobs {
		want := runVaried(t, name, change{})
		for _, set := range []string{"memory.latency_cycles=1", "memory.latency_cycles=2000", "lds.banks=16", "compute_units=1", "wave_slots=8",
			"issue.policy=round-robin", "memory.model=akita", "clock_mhz=1", "vector_memory.max_outstanding=1"} {
			if testing.Short() && set != "memory.latency_cycles=2000" {
				continue
			}
			if set == "memory.model=akita" && (graphs[name] || !suite.Akita) {
				continue // the experiments' test of memory models runs graphs under it
			}
			sameBuffers(t, name+" with "+set, runVaried(t, name, change{set: []string{set}}), want)
		}
	}
}

// What the timing does not depend on changes no cycle and no statistic.
func TestLawWhatIsNotTimedChangesNothing(t *testing.T) {
	for i, name := range variedJobs {
		if testing.Short() && i%3 != 0 {
			continue
		}
		want := runVaried(t, name, change{})
		for what, c := range map[string]change{
			"a limit that is not reached": {job: func(s string) string {
				return s + "\nlimits: {cycles: 1000000000, host_seconds: 3600, host_bytes: 8000000000}\n"
			}},
			"a description":            {job: func(s string) string { return strings.Replace(s, "description: ", "description: other ", 1) }},
			"modules without names":    {module: withoutNames},
			"ids that begin elsewhere": {module: func(m *spirv.Module) { m.Bound += 100 }},
		} {
			if got := runVaried(t, name, c); !bytes.Equal(got.stats, want.stats) {
				t.Errorf("%s with %s:\n%s\nwithout:\n%s", name, what, got.stats, want.stats)
			} else {
				sameBuffers(t, name+" with "+what, got, want)
			}
		}
	}
}

// withoutNames takes the names of what no job can refer to: variables and members keep theirs.
func withoutNames(m *spirv.Module) {
	kept := m.Instructions[:0]
	for _, in := range m.Instructions {
		if in.Op != spirv.OpMemberName && in.Op != spirv.OpSource {
			kept = append(kept, in)
		}
	}
	m.Instructions = kept
}

// withoutBanks is a machine whose memory does the same at any time and clock: refresh and the turns of DRAM are at times of their own, and the
// memory-side cache, memory and the command processor may have clocks of their own.
var withoutBanks = []string{"dram.standard=none", "memory_side.clock_mhz=0", "memory.clock_mhz=0", "front_end.clock_mhz=0"}

// A launch that costs k cycles more makes the whole longer by k for each launch, where launches follow one another.
func TestLawLaunchCostAddsUp(t *testing.T) {
	const k = 10_000
	for _, name := range []string{"qdot8", "planes", "groupscan-dpp"} {
		low := runVaried(t, name, change{set: append(slices.Clone(withoutBanks), "dispatcher.kernel_launch_cycles=0")})
		high := runVaried(t, name, change{set: append(slices.Clone(withoutBanks), fmt.Sprintf("dispatcher.kernel_launch_cycles=%d", k))})
		if want := low.cycles + k*low.launches; high.cycles != want {
			t.Errorf("%s: %d launches of %d cycles more: %d cycles, want %d", name, low.launches, k, high.cycles, want)
		}
	}
}

// The clock counts seconds, not cycles.
func TestLawClockScalesSeconds(t *testing.T) {
	for _, name := range []string{"qdot8", "lastsum"} {
		a := runVaried(t, name, change{set: append(slices.Clone(withoutBanks), "clock_mhz=1000")})
		b := runVaried(t, name, change{set: append(slices.Clone(withoutBanks), "clock_mhz=2000")})
		if a.cycles != b.cycles {
			t.Errorf("%s: %d cycles at 1 GHz, %d at 2", name, a.cycles, b.cycles)
		}
	}
}

// The same job gives the same bytes and statistics on any number of the host's cores.
func TestLawHostCoresChangeNothing(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	cores := []int{1, 2, 3, 16}
	if testing.Short() {
		cores = []int{1, 16}
	}
	for _, name := range variedJobs {
		var want ran
		for i, n := range cores {
			runtime.GOMAXPROCS(n)
			got := runVaried(t, name, change{})
			if i == 0 {
				want = got
				continue
			}
			sameBuffers(t, fmt.Sprintf("%s on %d cores", name, n), got, want)
			if !bytes.Equal(got.stats, want.stats) {
				t.Errorf("%s on %d cores: other statistics", name, n)
			}
		}
	}
}
