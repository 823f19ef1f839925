package measure

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"
	"time"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/experiments/sweep"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/vulkan/device"
)

// software is Mesa's software device, or the test skips.
func software(t *testing.T) *device.Physical {
	t.Helper()
	i, err := device.Open()
	if errors.Is(err, device.ErrLoader) {
		t.Skip("no Vulkan loader (Debian package libvulkan1)")
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := i.Find("llvmpipe")
	if err != nil {
		t.Skip("no software device (Debian package mesa-vulkan-drivers)")
	}
	if !p.Software() {
		t.Fatalf("%s is %s: want software", p.Name, p.Kind())
	}
	return p
}

func setup(t *testing.T, fsys fs.FS, file string, set ...string) gpu.Setup {
	t.Helper()
	over := config.CommandLine{Set: set}
	job, machine, err := over.Load(fsys, file)
	if err != nil {
		t.Fatal(err)
	}
	return gpu.Setup{Job: job, Machine: machine}
}

var once = Options{WarmUps: 1, Repetitions: 1}

// Sizes with which jobs fit a device of 32 KB of workgroup memory, or end soon on a processor.
var sizes = map[string][]string{
	"micro-lds":       {"parameters.vectors=1024", "parameters.lanes=256"},
	"micro-stream":    {"parameters.spoiler=1"},
	"micro-bandwidth": {"parameters.groups=4"},
	"peer-convolution": {
		"parameters.width=128", "parameters.height=128", "expect=[]",
	},
	"nbody-global": {"parameters.n=256", "expect=[]"},
}

// readyJobs is the number of ready jobs that the software device has all features for: 37 on Mesa 22.3, 40 on Mesa 26.2, which has
// explicit layouts of workgroup memory (fft-views, planes, transpose-views).
var readyJobs = flag.Int("ready.jobs", 37, "number of ready jobs that run on the software device")

// Ready jobs run on Mesa's software device as they expect, or are refused by name: for what the device lacks, or for what is not measured.
func TestReadyJobsOnADevice(t *testing.T) {
	p := software(t)
	ran := 0
	for _, name := range experiments.Names() {
		fsys, file, _, err := experiments.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		h, err := gpu.NewHardwareJob(context.Background(), setup(t, fsys, file, sizes[name]...))
		if errors.Is(err, gpu.ErrHardware) {
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r, err := Run(context.Background(), p, h, once)
		switch {
		case errors.Is(err, ErrLacking):
			continue
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case len(r.Failures) > 0:
			t.Errorf("%s: %v", name, errors.Join(r.Failures...))
		case !(r.Total.Median() > 0):
			t.Errorf("%s: took %v us", name, r.Total)
		default:
			ran++
		}
	}
	if ran < *readyJobs {
		t.Errorf("%d ready jobs ran as they expect: want at least %d", ran, *readyJobs)
	}
}

// The validation layers, those of synchronization among them, find nothing in ready jobs, on the Mesa of this system and on a newer one.
func TestReadyJobsAreValid(t *testing.T) {
	const test = "^TestReadyJobsOnADevice$"
	for name, again := range map[string]func(t *testing.T) *exec.Cmd{
		"here": func(t *testing.T) *exec.Cmd {
			software(t)
			c := exec.Command(suite.Must(os.Executable())(t), "-test.v", "-test.run", test)
			c.Env = suite.Layered()
			return c
		},
		"newer": func(t *testing.T) *exec.Cmd {
			return suite.AgainInRoot(t, suite.Root(t, "usr/share/vulkan/icd.d/lvp_icd.json"), test, "-ready.jobs", "40")
		},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := again(t).CombinedOutput()
			switch text := string(out); {
			case strings.Contains(text, "VK_ERROR_LAYER_NOT_PRESENT"):
				t.Skip("no validation layers (Debian package vulkan-validationlayers)")
			case err != nil, !strings.Contains(text, "--- PASS"), strings.Contains(text, "VUID-"), strings.Contains(text, "SYNC-HAZARD"), strings.Contains(text, "UNASSIGNED"):
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}

// A drawnJob is a random job: integer arithmetic of lanes, buffers of random sizes, push and specialization constants.
type drawnJob struct {
	*rand.Rand
	code strings.Builder
	ids  int
	vals []string
}

func (d *drawnJob) op(text string, args ...any) string {
	d.ids++
	id := fmt.Sprintf("%%r%d", d.ids)
	fmt.Fprintf(&d.code, "%s = %s\n", id, fmt.Sprintf(text, args...))
	d.vals = append(d.vals, id)
	return id
}

func (d *drawnJob) any() string { return d.vals[d.IntN(len(d.vals))] }

// module draws a module: a chain of operations on what was computed before, in a loop whose trips depend on the lane.
func (d *drawnJob) module(local int) string {
	for range 4 + d.IntN(12) {
		switch d.IntN(4) {
		case 0:
			d.op("OpSelect %%uint %s %s %s", d.condition(), d.any(), d.any())
		default:
			ops := []string{"OpIAdd", "OpISub", "OpIMul", "OpBitwiseXor", "OpBitwiseAnd", "OpBitwiseOr", "OpUDiv", "OpUMod", "OpShiftLeftLogical", "OpShiftRightLogical"}
			name, b := ops[d.IntN(len(ops))], d.any()
			switch {
			case strings.HasPrefix(name, "OpShift"):
				d.ids++
				fmt.Fprintf(&d.code, "%%s%d = OpBitwiseAnd %%uint %s %%u31\n", d.ids, b)
				b = fmt.Sprintf("%%s%d", d.ids)
			case name == "OpUDiv" || name == "OpUMod":
				d.ids++
				fmt.Fprintf(&d.code, "%%s%d = OpBitwiseOr %%uint %s %%u1\n", d.ids, b)
				b = fmt.Sprintf("%%s%d", d.ids)
			}
			d.op("%s %%uint %s %s", name, d.any(), b)
		}
	}
	return fmt.Sprintf(drawnModule, local, d.code.String(), d.vals[len(d.vals)-1])
}

func (d *drawnJob) condition() string {
	d.ids++
	id := fmt.Sprintf("%%c%d", d.ids)
	fmt.Fprintf(&d.code, "%s = OpULessThan %%bool %s %s\n", id, d.any(), d.any())
	return id
}

const drawnModule = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %%main "main" %%gid %%in %%out %%push
OpExecutionMode %%main LocalSize %d 1 1
OpDecorate %%gid BuiltIn GlobalInvocationId
OpDecorate %%spec SpecId 0
OpDecorate %%array ArrayStride 4
OpDecorate %%block Block
OpMemberDecorate %%block 0 Offset 0
OpDecorate %%in DescriptorSet 0
OpDecorate %%in Binding 0
OpDecorate %%out DescriptorSet 1
OpDecorate %%out Binding 2
OpDecorate %%pushed Block
OpMemberDecorate %%pushed 0 Offset 0
OpMemberDecorate %%pushed 1 Offset 4
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%bool = OpTypeBool
%%uint = OpTypeInt 32 0
%%uint3 = OpTypeVector %%uint 3
%%u0 = OpConstant %%uint 0
%%u1 = OpConstant %%uint 1
%%u7 = OpConstant %%uint 7
%%u31 = OpConstant %%uint 31
%%spec = OpSpecConstant %%uint 3
%%array = OpTypeRuntimeArray %%uint
%%block = OpTypeStruct %%array
%%pushed = OpTypeStruct %%uint %%uint
%%p_in3 = OpTypePointer Input %%uint3
%%p_in = OpTypePointer Input %%uint
%%p_block = OpTypePointer StorageBuffer %%block
%%p_word = OpTypePointer StorageBuffer %%uint
%%p_pushed = OpTypePointer PushConstant %%pushed
%%p_push = OpTypePointer PushConstant %%uint
%%gid = OpVariable %%p_in3 Input
%%in = OpVariable %%p_block StorageBuffer
%%out = OpVariable %%p_block StorageBuffer
%%push = OpVariable %%p_pushed PushConstant
%%main = OpFunction %%void None %%fn
%%entry = OpLabel
%%idp = OpAccessChain %%p_in %%gid %%u0
%%id = OpLoad %%uint %%idp
%%np = OpAccessChain %%p_push %%push %%u0
%%n = OpLoad %%uint %%np
%%kp = OpAccessChain %%p_push %%push %%u1
%%k = OpLoad %%uint %%kp
%%trips = OpBitwiseAnd %%uint %%id %%u7
OpBranch %%head
%%head = OpLabel
%%i = OpPhi %%uint %%u0 %%entry %%next %%more
%%acc = OpPhi %%uint %%k %%entry %%sum %%more
OpLoopMerge %%done %%more None
OpBranch %%test
%%test = OpLabel
%%again = OpULessThanEqual %%bool %%i %%trips
OpBranchConditional %%again %%body %%done
%%body = OpLabel
%%far = OpIAdd %%uint %%id %%i
%%at = OpUMod %%uint %%far %%n
%%wp = OpAccessChain %%p_word %%in %%u0 %%at
%%w = OpLoad %%uint %%wp
%s
OpBranch %%more
%%more = OpLabel
%%sum = OpIAdd %%uint %%acc %s
%%next = OpIAdd %%uint %%i %%u1
OpBranch %%head
%%done = OpLabel
%%op = OpAccessChain %%p_word %%out %%u0 %%id
OpStore %%op %%acc
OpReturn
OpFunctionEnd
`

// Values of drawn jobs are those of the simulation: all are integers.
func TestDrawnJobsOnADevice(t *testing.T) {
	p := software(t)
	const jobs = 200
	for seed := range uint64(jobs) {
		d := &drawnJob{Rand: rand.New(rand.NewPCG(seed, 51)), vals: []string{"%w", "%acc", "%id", "%i", "%spec", "%k"}}
		local, groups := 1+d.IntN(64), 1+d.IntN(6)
		dispatch := fmt.Sprintf("dispatch: [%d]", groups)
		if d.IntN(3) == 0 {
			dispatch = "steps: [{name: first, indirect: {buffer: counts}}, {name: second, for: {i: 1..2}, dispatch: [1], push_constants: [{u32: words}, {u32: i}]}]"
		}
		job := fmt.Sprintf(`parameters: {words: %d}
shader: a.spvasm
specialization: {0: %d}
buffers:
  - {set: 0, binding: 0, name: in, data: {random: {type: u32, seed: %d, count: words}}}
  - {set: 1, binding: 2, name: out, data: {zero: %d}}
  - {set: 0, binding: 5, name: counts, unbound: true, data: {values: [%d, 1, 1]}}
push_constants: [{u32: words}, {u32: %d}]
%s
`, 1+d.IntN(300), d.Uint32N(1000), seed, 4*local*groups, groups, d.Uint32(), dispatch)
		fsys := fstest.MapFS{"job.yaml": {Data: []byte(job)}, "a.spvasm": {Data: []byte(d.module(local))}}
		s := setup(t, fsys, "job.yaml")
		h := suite.Must(gpu.NewHardwareJob(context.Background(), s))(t)
		s.Mode = config.ModeFunctional
		simulated := suite.Must(gpu.Run(context.Background(), s))(t)
		o := once
		for i := range simulated.Buffers {
			o.Want = append(o.Want, simulated.Buffers[i].Bytes)
		}
		r := suite.Must(Run(context.Background(), p, h, o))(t)
		if len(r.Failures) > 0 {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, errors.Join(r.Failures...), job, fsys["a.spvasm"].Data)
		}
		if out := simulated.Buffers[1].Bytes; bytes.Equal(out, make([]byte, len(out))) && seed == 0 {
			t.Fatal("the first job leaves zeros: want values")
		}
	}
}

// A wrong expectation, and values that differ, are found on the device's buffers.
func TestWrongValuesAreFound(t *testing.T) {
	p := software(t)
	fsys, file, _, err := experiments.Lookup("vectoradd")
	if err != nil {
		t.Fatal(err)
	}
	s := setup(t, fsys, file, "parameters.n=1024", "expect=[{buffer: a, f32: [1, 5]}]")
	h := suite.Must(gpu.NewHardwareJob(context.Background(), s))(t)
	o := once
	o.Want = [][]byte{h.Buffers[0].Bytes, h.Buffers[1].Bytes, h.Buffers[2].Bytes} // as they are at first
	r := suite.Must(Run(context.Background(), p, h, o))(t)
	text := fmt.Sprint(errors.Join(r.Failures...))
	for _, want := range []string{"expect[0]: a: f32 at byte 4: found 4: want 5", "on the device", "words differ"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nlacks %q", text, want)
		}
	}
}

// What is not measured is refused by name.
func TestRefusedJobs(t *testing.T) {
	for name, want := range map[string]string{"koch": "graphs", "cl-scan": "kernels of OpenCL", "helper-lanes": "triangles"} {
		fsys, file, _, err := experiments.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = gpu.NewHardwareJob(context.Background(), setup(t, fsys, file))
		if !errors.Is(err, gpu.ErrHardware) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v: want ErrHardware with %q", name, err, want)
		}
	}
}

// Subgroups that are smaller than a job is written for are named before anything runs.
func TestLeastSubgroupSize(t *testing.T) {
	p := software(t)
	fsys, file, _, err := experiments.Lookup("vectoradd")
	if err != nil {
		t.Fatal(err)
	}
	for least, want := range map[int]string{0: "[]", 64: "[subgroups of 64 invocations (vectoradd.spv; the device has "} {
		h := suite.Must(gpu.NewHardwareJob(context.Background(), setup(t, fsys, file, "machine=cdna3-mi300a", fmt.Sprintf("min_wave_size=%d", least))))(t)
		if list := suite.Must(Lacking(p, h))(t); !strings.HasPrefix(fmt.Sprint(list), want) {
			t.Errorf("at least %d: lacks %q: want %s", least, list, want)
		}
	}
}

// The deadline ends a measurement.
func TestDeadline(t *testing.T) {
	p := software(t)
	fsys, file, _, err := experiments.Lookup("nbody")
	if err != nil {
		t.Fatal(err)
	}
	h := suite.Must(gpu.NewHardwareJob(context.Background(), setup(t, fsys, file, "parameters.n=32768", "expect=[]")))(t)
	o := once
	o.Deadline = time.Now()
	if _, err := Run(context.Background(), p, h, o); !errors.Is(err, device.ErrTimeout) {
		t.Errorf("%v: want %v", err, device.ErrTimeout)
	}
}

func TestSamples(t *testing.T) {
	s := Sample{4, 1, 3, 2, 10}
	for _, c := range []struct{ got, want float64 }{
		{s.Median(), 3}, {s.Mean(), 4}, {s.Quantile(0), 1}, {s.Quantile(1), 10}, {s.Quantile(0.25), 2}, {s.Quantile(0.1), 1.4}, {s.Spread(), 2.0 / 3}, {Sample{5}.Spread(), 0},
	} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%v: want %v", c.got, c.want)
		}
	}
}

func TestClocks(t *testing.T) {
	if c := parseNVIDIA("1980, 3201, 86.89, P0, Disabled\n"); c != (Clocks{1980, 3201, 86.89, "P0", false}) {
		t.Errorf("%+v", c)
	}
	if c := parseNVIDIA("no devices"); c != (Clocks{}) {
		t.Errorf("%+v", c)
	}
	drm := fstest.MapFS{
		"card0/device/device":                            {Data: []byte("0x1234\n")},
		"card1/device/device":                            {Data: []byte("0x744c\n")},
		"card1/device/pp_dpm_sclk":                       {Data: []byte("0: 500Mhz\n1: 2371Mhz *\n2: 2482Mhz\n")},
		"card1/device/pp_dpm_mclk":                       {Data: []byte("0: 96Mhz\n1: 1249Mhz *\n")},
		"card1/device/power_dpm_force_performance_level": {Data: []byte("auto\n")},
	}
	if c := amdClocks(drm, "", 0x744c); c != (Clocks{CoreMHz: 2371, MemoryMHz: 1249, State: "auto"}) {
		t.Errorf("%+v", c)
	}
	if c := amdClocks(drm, "", 1); c != (Clocks{}) {
		t.Errorf("%+v", c)
	}
}

const comparedRows = `point,run,constant,part,work,unit,key,status,seconds,simulated_us,error,measured_us,measured_min_us,measured_spread,device,device_type,driver,date,measured_error
0,a 1,load,1,100,ns,l2.latency_cycles,done,1e-5,10,,20,20,0.01,D,software,V,2026-11-27,
1,a 2,load,2,300,ns,l2.latency_cycles,done,3e-5,30,,60,60,0.02,D,software,V,2026-11-27,
2,b 1,reads,1,1000,GB/s,,done,1e-6,1,,2,2,0,D,software,V,2026-11-27,
3,b 2,reads,2,3000,GB/s,,done,2e-6,2,,3,3,0,D,software,V,2026-11-27,
4,sort,,,,,,done,4e-5,40,,20,19,0.1,D,software,V,2026-11-27,
5,scan,,,,,,done,1e-5,10,,20,20,0,D,software,V,2026-11-27,
6,mesh,,,,,,done,1e-5,10,,,,,,,,,graphs
`

func TestCompare(t *testing.T) {
	c := suite.Must(Compare(strings.NewReader(comparedRows)))(t)
	want := []Constant{{"load", "ns", "l2.latency_cycles", 100, 200, 0.035}, {"reads", "GB/s", "", 2, 2, 0}}
	for i := range c.Constants {
		c.Constants[i].Spread = math.Round(1e9*c.Constants[i].Spread) / 1e9
	}
	if len(c.Constants) != 2 || c.Constants[0] != want[0] || c.Constants[1] != want[1] {
		t.Errorf("%+v: want %+v", c.Constants, want)
	}
	if len(c.Kernels) != 2 || c.MeanFactor() != 2 || c.WeightedError() != 30.0/40 || len(c.Failed) != 1 {
		t.Errorf("%+v, factor %v, error %v, failed %q", c.Kernels, c.MeanFactor(), c.WeightedError(), c.Failed)
	}
	var b bytes.Buffer
	if err := c.Write(&b); err != nil || !strings.Contains(b.String(), "failed  mesh: graphs") || !strings.Contains(b.String(), "no meaning for a GPU") {
		t.Errorf("%v\n%s", err, &b)
	}
	for _, text := range []string{"", "a,b\n1,2\n", "measured_us\n1\n", "a,\"b\n"} {
		if _, err := Compare(strings.NewReader(text)); err == nil {
			t.Errorf("%q is compared", text)
		}
	}
	if _, err := Compare(iotest.ErrReader(errors.ErrUnsupported)); err == nil {
		t.Error("what can't be read is compared")
	}
}

// Measurements of an earlier sweep go to the rows with the same parameters.
func TestRecorded(t *testing.T) {
	table := &sweep.Table{Rows: 2}
	table.Add("point", []any{int64(0), int64(1)})
	table.Add("run", []any{"scan", "other"})
	table.Add("status", []any{"done", "done"})
	suite.OK(t, Recorded(table, strings.NewReader(comparedRows)))
	var text bytes.Buffer
	suite.OK(t, table.WriteCSV(&text))
	_, rows, err := readRows(&text)
	if err != nil || len(rows) != 2 || rows[0]["measured_us"] != "20" || rows[0]["device_type"] != "software" || rows[1]["measured_us"] != "" {
		t.Errorf("%v: %v: want 20 us of scan, and nothing of other", err, rows)
	}
	none := &sweep.Table{Rows: 1}
	none.Add("run", []any{"unknown"})
	if err := Recorded(none, strings.NewReader(comparedRows)); !errors.Is(err, ErrRows) {
		t.Errorf("%v: want %v", err, ErrRows)
	}
}

// A fit finds the constants that made-up measurements were simulated with, and simulates none more often than it must.
func TestFitFindsConstants(t *testing.T) {
	base := suite.Must(config.LoadMachine(config.Request{Machine: "rdna3-rx7900xtx"}))(t)
	was := func(path string) float64 { v, _, _ := base.NumberAt(path); return v }
	// A machine in closed form: latencies add up over the levels, bandwidths are proportional, but for one that other parts bound, one that
	// they bound at first, one whose
	// key acts by a third, and one in steps.
	model := func(v map[string]float64) []Constant {
		return []Constant{
			{Name: "l1", Unit: "ns", Key: "vector_l1.latency_cycles", Simulated: (20 + v["vector_l1.latency_cycles"]) / 2.5},
			{Name: "l2", Unit: "ns", Key: "l2.latency_cycles", Simulated: (20 + v["vector_l1.latency_cycles"] + v["l2.latency_cycles"]) / 2.5},
			{Name: "reads", Unit: "GB/s", Key: "l2.bytes_per_cycle", Simulated: min(16*v["l2.bytes_per_cycle"], 900)},
			{Name: "lds", Unit: "GB/s", Key: "lds.bytes_per_cycle", Simulated: min(50*v["lds.bytes_per_cycle"], 6000)},
			{Name: "memory", Unit: "GB/s", Key: "memory.bytes_per_cycle", Simulated: 900 * math.Cbrt(v["memory.bytes_per_cycle"]/400)},
			{Name: "steps", Unit: "GB/s", Key: "vector_l1.bytes_per_cycle", Simulated: 3000 * (1 + math.Floor(v["vector_l1.bytes_per_cycle"]/was("vector_l1.bytes_per_cycle")))},
			{Name: "launch", Unit: "ns", Key: "dispatcher.following_launch_cycles", Simulated: 100 + v["dispatcher.following_launch_cycles"]/2.5},
		}
	}
	wanted := map[string]float64{
		"vector_l1.latency_cycles": 70, "l2.latency_cycles": 210, "l2.bytes_per_cycle": 48, "memory.bytes_per_cycle": 600,
		"lds.bytes_per_cycle": was("lds.bytes_per_cycle"), "dispatcher.following_launch_cycles": 0,
	}
	var measured []Constant
	for _, c := range model(wanted) {
		c.Measured, c.Simulated = c.Simulated, 0
		switch c.Name {
		case "lds":
			c.Measured = 9000 // more than the other parts give
		case "steps":
			c.Measured = 3500 // between two steps, of which the lower one is nearer
		case "launch":
			c.Measured = 50 // less than a launch without the key
		}
		measured = append(measured, c)
	}
	simulated := 0
	f := &Fit{Measured: measured, Base: "rdna3-rx7900xtx", Progress: func(text string) { t.Log(text) }, Simulate: func(settings, keys []string) ([]Constant, error) {
		simulated += len(keys)
		v := map[string]float64{}
		for _, s := range settings {
			path, text, _ := strings.Cut(strings.TrimPrefix(s, "machine."), "=")
			var n float64
			if _, err := fmt.Sscan(text, &n); err != nil {
				return nil, err
			}
			v[path] = n
		}
		return slices.DeleteFunc(model(v), func(c Constant) bool { return !slices.Contains(keys, c.Key) }), nil
	}}
	if err := f.Run(); err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	suite.OK(t, f.WriteTable(&table))
	for _, k := range f.keys {
		if k.path == "vector_l1.bytes_per_cycle" {
			if k.is >= k.was || k.reached != 3000 {
				t.Errorf("%s = %v gives %v: want the step at 3000", k.path, k.is, k.reached)
			}
			continue
		}
		if math.Abs(k.is-wanted[k.path]) > 3*fitTolerance*wanted[k.path] {
			t.Errorf("%s = %v: want %v", k.path, k.is, wanted[k.path])
		}
	}
	for _, want := range []string{"no number of the key is nearer", "other parts of the machine bound this", "the key is at the end of its range"} {
		if strings.Count(table.String(), want) != 1 {
			t.Errorf("the table says %q %d times: want it once:\n%s", want, strings.Count(table.String(), want), &table)
		}
	}
	if simulated > 4*len(f.keys) {
		t.Errorf("%d constants were simulated for %d keys: want at most four for each", simulated, len(f.keys))
	}
	delete(wanted, "lds.bytes_per_cycle") // the file leaves it to the base
	var file bytes.Buffer
	if err := f.WriteMachine("fitted", ".")(&file); err != nil {
		t.Fatal(err)
	}
	m, err := config.LoadMachine(config.Request{Machine: "m.yaml", FS: fstest.MapFS{"m.yaml": {Data: file.Bytes()}}})
	if err != nil {
		t.Fatalf("%v\n%s", err, &file)
	}
	for path, want := range wanted {
		if got, _, ok := m.NumberAt(path); !ok || math.Abs(got-want) > 3*fitTolerance*want {
			t.Errorf("the file has %s = %v: want %v", path, got, want)
		}
	}
	if err := (&Fit{Base: "rdna3-rx7900xtx"}).Run(); !errors.Is(err, ErrRows) {
		t.Errorf("%v: want %v", err, ErrRows)
	}
}

// A fit finds the settings of a machine whose simulated micro-benchmarks stand for those of a device.
func TestFitFindsSettingsOfAMachine(t *testing.T) {
	const base = "cdna3-mi300a"
	simulate := func(settings, keys []string) ([]Constant, error) {
		e, at, err := sweep.Choice{Name: "validate-device", Machine: base, Settings: settings}.Load()
		if err != nil {
			return nil, err
		}
		plan, err := sweep.NewPlan(context.Background(), e, at, true, sweep.Limits{}, sweep.Identity{})
		if err != nil {
			return nil, err
		}
		return SimulatedConstants(plan, keys, func(run *config.Run) (float64, error) {
			r, err := gpu.Run(context.Background(), gpu.Setup{Machine: run.Machine, Job: run.Job})
			if err != nil {
				return 0, err
			}
			return float64(r.Stats.Cycles) / float64(1e6*run.Machine.ClockMHz), nil
		})
	}
	want := map[string]float64{"l2.latency_cycles": 311, "timing.classes.fma32.latency": 12, "dispatcher.following_launch_cycles": 5000}
	var settings, keys []string
	for path, v := range want {
		settings, keys = append(settings, fmt.Sprintf("machine.%s=%v", path, v)), append(keys, path)
	}
	measured := suite.Must(simulate(settings, keys))(t)
	for i := range measured {
		measured[i].Measured = measured[i].Simulated
	}
	f := &Fit{Measured: measured, Base: base, Progress: func(text string) { t.Log(text) }, Simulate: simulate}
	suite.OK(t, f.Run())
	for _, k := range f.keys {
		cycles := k.measured * float64(f.machine.ClockMHz) / 1000 // of the constant, of which the key is a part
		if math.Abs(k.is-want[k.path]) > 2*fitTolerance*cycles || k.was == k.is {
			t.Errorf("%s: found %v from %v: want %v, and the constant has %.0f cycles", k.path, k.is, k.was, want[k.path], cycles)
		}
	}
}

// Measurements become columns of a sweep's rows; what is unknown stays missing.
func TestColumns(t *testing.T) {
	table := &sweep.Table{Rows: 2}
	Columns(table, []*Point{{US: 5, MinUS: 4, MeanUS: 5, MaxUS: 6, Repetitions: 3, Device: "D", CoreMHz: 1980}, {Error: "lacks"}})
	cells := map[string][]any{}
	for _, c := range table.Columns {
		cells[c.Name] = c.Values
	}
	for name, want := range map[string][2]any{"measured_us": {5.0, nil}, "measured_spread": {0.0, nil}, "core_mhz": {int64(1980), nil}, "memory_mhz": {nil, nil}, "measured_error": {nil, "lacks"}} {
		if got := cells[name]; len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
			t.Errorf("%s is %v: want %v", name, got, want)
		}
	}
}
