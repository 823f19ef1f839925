package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"spvsim/config"
	"spvsim/gpu/machine"
	"spvsim/internal/suite"
)

// What a job or machine can ask for is refused before it is allocated, with the key's name.
func TestWhatAJobAsksForIsBounded(t *testing.T) {
	big := strings.Replace(scale, "{iota: u32, count: 256}", "{zero: 4000000000}", 1)
	for name, c := range map[string]struct {
		job, want string
		set       []string
	}{
		"a buffer beyond the device's memory": {big, "buffers[0].data.zero: found 4000000000 bytes: want at most 1048576, which memory.bytes leaves", []string{"memory.bytes=1048576"}},
		"a buffer beyond the host's memory":   {big + "limits: {host_bytes: 200000000}\n", "which limits.host_bytes leaves", nil},
		"a machine beyond the host's memory": {scale + "limits: {host_bytes: 1000000000}\n", "262144 compute units (shader_engines x compute_units): ",
			[]string{"shader_engines=256", "compute_units=1024"}},
		"a cache beyond the host's memory": {scale + "limits: {host_bytes: 1000000000}\n", "limits.host_bytes", []string{"l2.bytes=1099511627776"}},
	} {
		_, err := Run(context.Background(), setup(t, c.job, "gcn3-r9nano", c.set...))
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: found %v\nwant %s", name, err, c.want)
		}
	}
}

// A module may declare an array of as many descriptors as it likes; what can't be bound is refused by name.
func TestHugeDescriptorArrayIsRefused(t *testing.T) {
	job := "shader: array.spvasm\nbuffers: [{set: 0, binding: 0, name: a, data: {zero: 4}}]\ndispatch: [1]\n"
	for count, want := range map[string]string{"2000000000": "set 0, binding 0 (bufs): found an array of 2000000000 descriptors: want at most 1048576", "4": ""} {
		files := files(t, job)
		files["array.spvasm"] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(descriptorArray, "COUNT", count))}
		_, err := Run(context.Background(), graphSetup(t, files, "gcn3-r9nano"))
		if found := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(found, want) {
			t.Errorf("%s of them: found %v\nwant %q", count, err, want)
		}
	}
}

const descriptorArray = `
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %bufs
OpExecutionMode %main LocalSize 1 1 1
OpName %bufs "bufs"
OpMemberDecorate %A 0 Offset 0
OpDecorate %A Block
OpDecorate %bufs DescriptorSet 0
OpDecorate %bufs Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%count = OpConstant %uint COUNT
%A = OpTypeStruct %uint
%arr = OpTypeArray %A %count
%parr = OpTypePointer StorageBuffer %arr
%puint = OpTypePointer StorageBuffer %uint
%bufs = OpVariable %parr StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%p = OpAccessChain %puint %bufs %zero %zero
OpStore %p %zero
OpReturn
OpFunctionEnd
`

// The estimate of a machine's size is no less than what the machine takes, and not much more than it takes once its caches are full.
func TestMachineBytes(t *testing.T) {
	for _, name := range config.Presets() {
		m := suite.Must(config.Preset(name))(t)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		g := suite.Must(machine.New(m, nil))(t)
		runtime.ReadMemStats(&after)
		took, want := after.TotalAlloc-before.TotalAlloc, machineBytes(m)
		if took > want {
			t.Errorf("%s takes %d bytes: the estimate is %d", name, took, want)
		}
		t.Logf("%s takes %d bytes empty; estimate with full caches %d", name, took, want)
		runtime.KeepAlive(g)
	}
}

// Entry points, shaders and values that can not be have the file and line of the job that names them.
func TestMissingShaderAndEntryHaveAPlace(t *testing.T) {
	const buffers = "buffers: [{set: 0, binding: 0, name: a, data: {zero: 1024}}]\npush_constants: [{u32: 1}]\n"
	for job, want := range map[string]string{
		"dispatch: [1]\nshader: none.spv\n" + buffers:                                                 "job.yaml:2: shader: none.spv: can't read",
		"dispatch: [1]\nshader: scale.spvasm\nentry: other\n" + buffers:                               `job.yaml:3: entry: found no entry point "other" in scale.spvasm: want one of "main"`,
		buffers + "steps:\n- {shader: scale.spvasm, dispatch: [1]}\n- {shader: x.spv, dispatch: [1]}": "job.yaml:5: steps[1].shader: x.spv: can't read",
		buffers + "shader: x.spv\nsteps:\n- {dispatch: [1]}\n":                                        "job.yaml:3: shader: x.spv: can't read",
		"dispatch: [1]\nshader: scale.spvasm\nspecialization: {3: 2.5}\n" + buffers:                   "job.yaml:3: specialization.3: found 2.5: want an integer",
		"dispatch: [1]\nshader: scale.spvasm\nwave_size: 16\n" + buffers:                              "job.yaml:3: wave_size: found 16: want 64, as gcn3-r9nano has",
		"dispatch: [1]\nshader: empty.spv\n" + buffers:                                                "empty.spv: found an empty file: want a module (.spv) or its text (.spvasm)",
		"dispatch: [1]\nshader: other.yaml\n" + buffers:                                               "other.yaml: found a YAML file: want a module (.spv)",
		"nodes:\n- {shader: tree.spvasm}\ngraph: [{node: a}]\n":                                       "job.yaml:2: nodes[0].shader: tree.spvasm: can't read",
	} {
		files := fstest.MapFS{"empty.spv": {}, "other.yaml": {Data: []byte("a: 1\n")}}
		scale, err := os.ReadFile("testdata/scale.spvasm")
		if err != nil {
			t.Fatal(err)
		}
		files["scale.spvasm"] = &fstest.MapFile{Data: scale}
		_, err = Run(context.Background(), setupBeside(t, files, job, "gcn3-r9nano"))
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\nfound %v\nwant %s", job, err, want)
		}
	}
}

// Endless shaders end at the job's own limits, of cycles or of the host's time, with the loop that their waves are in, and with what
// there is of statistics.
func TestEndlessShaderSaysWhereItGoesRound(t *testing.T) {
	for limits, want := range map[string]error{"{cycles: 20000}": ErrLimit, "{host_seconds: 0.05}": ErrHostTime} {
		s := setup(t, spin+"limits: "+limits+"\n", "gcn3-r9nano")
		r, err := Run(context.Background(), s)
		if !errors.Is(err, ErrRun) || !errors.Is(err, want) || r == nil {
			t.Fatalf("%s: %v", limits, err)
		}
		if !strings.Contains(err.Error(), "  2 waves loop in main, instructions ") || !strings.Contains(err.Error(), "%21 (spin.spvasm:") {
			t.Errorf("%s: the report names no loop: %v", limits, err)
		}
		c := &r.Stats.Counts
		if r.Stats.Stopped != want.Error() || c.Cycles == 0 || c.Instructions() == 0 || c.Slots.Total() == 0 {
			t.Errorf("%s: stopped %q after %d cycles and %d instructions", limits, r.Stats.Stopped, c.Cycles, c.Instructions())
		}
	}
}

func TestInterruptedRunHasWhatItCameTo(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	s := setup(t, spin, "gcn3-r9nano")
	s.Progress = func(p Progress) {
		if p.Cycle > 5000 {
			stop()
		}
	}
	r, err := Run(ctx, s)
	if !errors.Is(err, ErrInterrupted) || !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "interrupted in cycle ") {
		t.Fatalf("error %v", err)
	}
	m, c := s.Machine, &r.Stats.Counts
	slots := uint64(m.ShaderEngines * m.ComputeUnits * m.SIMDs * m.WaveSlots)
	if r.Stats.Stopped != "interrupted" || c.Cycles < 5000 || c.Slots.Total() != slots*c.Cycles {
		t.Errorf("stopped %q after %d cycles, %d slot cycles: want %d", r.Stats.Stopped, c.Cycles, c.Slots.Total(), slots*c.Cycles)
	}
}

// The watchdog reports a run in which nothing ends, while it goes on.
func TestWatchdogTellsOfAStall(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	s := setup(t, spin, "gcn3-r9nano")
	s.StallAfter = time.Millisecond
	told := ""
	s.Stalled = func(report string) { told = report; stop() }
	if _, err := Run(ctx, s); !errors.Is(err, ErrInterrupted) {
		t.Fatal(err)
	}
	for _, want := range []string{"no workgroup has ended for", "0 of 2 workgroups ended", "2 waves loop in main"} {
		if !strings.Contains(told, want) {
			t.Errorf("the watchdog said %q: want %q", told, want)
		}
	}
}

// Payloads from the host are as long as the node's: nothing is cut, nothing made up.
func TestHostPayloadsHaveTheNodesSize(t *testing.T) {
	const nodes = "nodes: [{entry: root}, {entry: mid}, {entry: leaf, index: 0}, {entry: leaf, index: 1}]\n"
	for entry, want := range map[string]string{
		"{node: root, payloads: [{u32: 0}]}":                  "",
		"{node: root, payloads: [{u32: [0, 1]}]}":             "payloads[0]: found 8 bytes: want 4",
		"{node: root, payloads: [{u32: 0}, {u16: 0}]}":        "payloads[1]: found 2 bytes: want 4",
		"{node: root, payloads: [{u32: 0}, {u64: 0}]}":        "payloads[1]: found 8 bytes: want 4",
		"{node: root, data: {zero: 8}}":                       "",
		"{node: root, data: {zero: 10}}":                      "found 10 bytes of data: want payloads of 4 bytes",
		"{node: root, count: 1, data: {zero: 8}}":             "found 8 bytes of data: want 1 payloads of 4 bytes",
		"{node: root, count: 3, data: {zero: 8}}":             "found 8 bytes of data: want 3 payloads of 4 bytes",
		"{node: root, count: 3, stride: 0, data: {zero: 8}}":  "found 8 bytes of data: want one payload of 4 bytes",
		"{node: root, count: 2, stride: 8, data: {zero: 12}}": "",
		"{node: root, count: 2, stride: 8, data: {zero: 20}}": "found 20 bytes of data: want 2 payloads, 8 bytes apart",
	} {
		_, err := newRunner(context.Background(), graphSetup(t, files(t, jobText("tree.spvasm", "\n"+nodes+"graph: ["+entry+"]\n")), "gcn3-r9nano"))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: found %v: want %q", entry, err, want)
		}
	}
}

// A loop whose waves meet at a barrier in each round, for ever.
const barrierLoop = `
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 128 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%true = OpConstantTrue %bool
%uint = OpTypeInt 32 0
%u2 = OpConstant %uint 2
%u264 = OpConstant %uint 264
%main = OpFunction %void None %fn
%entry = OpLabel
OpBranch %h
%h = OpLabel
OpLoopMerge %m %k None
OpBranch %b
%b = OpLabel
OpControlBarrier %u2 %u2 %u264
OpBranch %k
%k = OpLabel
OpBranchConditional %true %h %m
%m = OpLabel
OpReturn
OpFunctionEnd
`

// A run without end stops when its context does, or its time is up, with time and without, and says what it did.
func TestEndlessBarriersEnd(t *testing.T) {
	job := "shader: loop.spvasm\ndispatch: [4]\n"
	files := files(t, job)
	files["loop.spvasm"] = &fstest.MapFile{Data: []byte(barrierLoop)}
	modes := config.Modes
	if testing.Short() {
		modes = modes[:1]
	}
	for _, mode := range modes {
		s := graphSetup(t, files, "gcn3-r9nano")
		s.Mode = mode
		ctx, cancel := context.WithCancel(context.Background())
		s.Progress = func(Progress) { cancel() }
		r, err := Run(ctx, s)
		cancel()
		if !errors.Is(err, ErrInterrupted) || r == nil || r.Stats.Counts.Instructions() == 0 {
			t.Errorf("%s: interrupted: %v, statistics %v", mode, err, r)
		}
		s.Progress, s.MaxHostSeconds = nil, 0.2
		r, err = Run(context.Background(), s)
		if !errors.Is(err, ErrHostTime) || r == nil || r.Stats.Stopped != ErrHostTime.Error() {
			t.Errorf("%s: after its time: %v, statistics %v", mode, err, r)
		}
	}
}

// What comes before the first cycle sees both limits, and is a failure of the run.
func TestLimitsBeforeTheFirstCycle(t *testing.T) {
	s := setup(t, scale, "gcn3-r9nano")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, s); !errors.Is(err, ErrInterrupted) || !errors.Is(err, ErrRun) || err.Error() != "interrupted before the first cycle" {
		t.Error(err)
	}
	s.MaxHostSeconds = 1e-9
	if _, err := Run(context.Background(), s); !errors.Is(err, ErrHostTime) || !errors.Is(err, ErrRun) || !strings.Contains(err.Error(), "before the first cycle") {
		t.Error(err)
	}
}

// Numbers that mean nothing, or that no host has, are bad input.
func TestSetupsAreBounded(t *testing.T) {
	for want, change := range map[string]func(*Setup){
		"1000000 threads: want 0 to 1024":        func(s *Setup) { s.Threads = 1000000 },
		"-1 threads: want 0 to 1024":             func(s *Setup) { s.Threads = -1 },
		"NaN seconds: want 0 to 31536000":        func(s *Setup) { s.MaxHostSeconds = math.NaN() },
		"+Inf seconds: want 0 to 31536000":       func(s *Setup) { s.MaxHostSeconds = math.Inf(1) },
		"-0.5 seconds: want 0 to 31536000":       func(s *Setup) { s.MaxHostSeconds = -0.5 },
		"3.1536001e+07 seconds: want 0 to 31536": func(s *Setup) { s.MaxHostSeconds = MaxHostSeconds + 1 },
	} {
		s := setup(t, scale, "gcn3-r9nano")
		change(&s)
		if _, err := Run(context.Background(), s); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), want) {
			t.Errorf("found %v\nwant %s", err, want)
		}
	}
}

// A sampled run that is stopped says how long that takes which had run by then, with what ran without time.
func TestAStoppedRunIsEstimated(t *testing.T) {
	text := strings.NewReplacer("count: 256", "count: 6400", "dispatch: [4]", "limits: {cycles: 60000}\nsteps:\n  - {name: all, for: {i: 1..400}, dispatch: [100]}").Replace(scale)
	s := setup(t, text, "rdna3-780m", "compute_units=4", "shader_array.shared_by=4")
	s.Mode = config.ModeSampled
	r, err := Run(t.Context(), s)
	if !errors.Is(err, ErrLimit) || r == nil {
		t.Fatalf("%v: want that the limit was reached", err)
	}
	c := &r.Stats.Counts
	if low, high := r.Stats.Interval(); c.Functional == nil || c.Functional.Launches == 0 || low >= high || c.Cycles < 80000 {
		t.Errorf("%d cycles, %g to %g, after %d launches: want more than the 60000 that were timed", c.Cycles, low, high, c.Launches)
	}
}
