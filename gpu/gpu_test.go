package gpu

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"spvsim/config"
	"spvsim/gpu/functional"
	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/tracing"
	"spvsim/tracing/probe"
)

// setup makes a setup from the text of a job, with the shaders of testdata beside it.
func setup(t testing.TB, text, machine string, set ...string) Setup {
	t.Helper()
	files := fstest.MapFS{}
	for _, name := range []string{"scale.spvasm", "spin.spvasm", "hello.spvasm", "chain.spvasm"} {
		data := suite.Must(os.ReadFile("testdata/" + name))(t)
		files[name] = &fstest.MapFile{Data: data}
	}
	files["broken.spvasm"] = &fstest.MapFile{Data: []byte("OpNonsense\n")}
	return setupBeside(t, files, text, machine, set...)
}

// setupBeside makes a setup from the text of a job, with the files beside it.
func setupBeside(t testing.TB, files fs.FS, text, machine string, set ...string) Setup {
	t.Helper()
	job := suite.Must(config.ParseJob(files, "job.yaml", []byte(text)))(t)
	return Setup{Machine: loadedMachine(t, job, machine, set), Job: job}
}

// loadedMachines has the machines by what they were made of, each read once: hundreds of cases run on the same few.
var loadedMachines = map[string]config.Machine{}

// loadedMachine is a copy, of which a test may change the fields, and not what they point at.
func loadedMachine(t testing.TB, job *config.Job, machine string, set []string) *config.Machine {
	t.Helper()
	key := fmt.Sprintf("%q %q %v", machine, set, job.Set)
	m, ok := loadedMachines[key]
	if ofFile := !slices.Contains(config.Presets(), machine); !ok || ofFile {
		read := suite.Must(config.LoadMachine(config.Request{Machine: machine, Job: job, Set: set}))(t)
		m, loadedMachines[key] = *read, *read
	}
	return &m
}

const scale = `
shader: scale.spvasm
buffers: [{set: 0, binding: 0, name: a, data: {iota: u32, count: 256}}]
push_constants: [{u32: 7}]
dispatch: [4]
`

func words(b []byte) []uint32 {
	out := make([]uint32, len(b)/4)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return out
}

func TestRunOnEveryPreset(t *testing.T) {
	for _, preset := range config.Presets() {
		s := setup(t, scale+"specialization: {3: 5}\nexpect: [{buffer: a, data: {iota: u32, count: 256, start: 7, step: 5}}]\n", preset)
		r, err := Run(context.Background(), s)
		if err != nil {
			t.Errorf("%s: %v", preset, err)
			continue
		}
		m := s.Machine
		slots := uint64(m.ShaderEngines * m.ComputeUnits * m.SIMDs * m.WaveSlots)
		if got := r.Stats.Slots.Total(); got != slots*r.Stats.Cycles {
			t.Errorf("%s: %d slot-cycles, want %d x %d", preset, got, slots, r.Stats.Cycles)
		}
		if waves := uint64(4 * 64 / m.WaveSize); r.Stats.Waves != waves {
			t.Errorf("%s: %d waves, want %d", preset, r.Stats.Waves, waves)
		}
	}
}

// A job that is written for waves of some size at least runs at the least one that is enough.
func TestMinWaveSize(t *testing.T) {
	for _, c := range []struct {
		least, waves uint64
	}{{16, 8}, {32, 8}, {64, 4}} {
		r := suite.Must(Run(context.Background(), setup(t, fmt.Sprintf("%s\nmin_wave_size: %d\n", scale, c.least), "rdna3-rx7900xtx")))(t)
		if r.Stats.Waves != c.waves {
			t.Errorf("at least %d lanes: %d waves, want %d", c.least, r.Stats.Waves, c.waves)
		}
	}
	for _, c := range []struct {
		keys, want string
		set        []string
	}{
		{"min_wave_size: 64\n", "min_wave_size: found 64: want 32", []string{"wave_sizes=[32]"}},
		{"min_wave_size: 64\nwave_size: 32\n", "wave_size: found 32: want at least 64", nil},
	} {
		_, err := Run(context.Background(), setup(t, scale+c.keys, "rdna3-rx7900xtx", c.set...))
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v: want %q", c.keys, err, c.want)
		}
	}
}

// The buffers at the end are the same at every wave size; larger waves are fewer.
func TestWaveSizes(t *testing.T) {
	var results [][]uint32
	for _, size := range []int{32, 64} {
		r := suite.Must(Run(context.Background(), setup(t, fmt.Sprintf("%s\nwave_size: %d\n", scale, size), "rdna3-rx7900xtx")))(t)
		if want := uint64(256 / size); r.Stats.Waves != want {
			t.Errorf("%d waves, want %d", r.Stats.Waves, want)
		}
		results = append(results, words(r.Buffers[0].Bytes))
	}
	if diff := cmp.Diff(results[0], results[1]); diff != "" {
		t.Errorf("wave32 and wave64 differ:\n%s", diff)
	}
}

const steps = `
shader: scale.spvasm
buffers: [{set: 0, binding: 0, name: a, data: {iota: u32, count: 256}}]
steps:
  - {name: first, for: {i: 1..3}, push_constants: [{u32: i}], dispatch: [4]}
  - {name: second, specialization: {factor: 3}, push_constants: [{u32: 0}], dispatch: [2]}
`

func TestStepsAndRounds(t *testing.T) {
	one := suite.Must(Run(context.Background(), setup(t, steps, "gcn3-r9nano")))(t)
	got := words(one.Buffers[0].Bytes)
	for i, v := range got {
		want := uint32(((i*2+1)*2+2)*2 + 3)
		if i < 128 {
			want *= 3
		}
		if v != want {
			t.Fatalf("element %d is %d, want %d", i, v, want)
		}
	}
	if len(one.Stats.Steps) != 2 || one.Stats.Steps[0].Launches != 3 || one.Stats.Steps[1].Launches != 1 {
		t.Errorf("steps %+v", one.Stats.Steps)
	}
	if sum := one.Stats.Steps[0].Cycles + one.Stats.Steps[1].Cycles; sum != one.Stats.Cycles {
		t.Errorf("the steps take %d cycles, the job %d", sum, one.Stats.Cycles)
	}
	if len(one.Listings) != 2 {
		t.Errorf("%d programs, want one for each specialization", len(one.Listings))
	}
	// Only the last round is counted.
	three := suite.Must(Run(context.Background(), setup(t, steps+"repeat: 3\n", "gcn3-r9nano")))(t)
	if a, b := one.Stats.Instructions(), three.Stats.Instructions(); a != b {
		t.Errorf("%d instructions in one round, %d in the last of three", a, b)
	}
	if three.Stats.Cycles > one.Stats.Cycles {
		t.Errorf("a warm round takes %d cycles, a cold one %d", three.Stats.Cycles, one.Stats.Cycles)
	}
}

// statistics without what the host adds.
func statistics(t *testing.T, s Setup) string {
	t.Helper()
	r := suite.Must(Run(context.Background(), s))(t)
	r.Stats.Host = tracing.Host{}
	var b bytes.Buffer
	suite.OK(t, tracing.WriteJSON(&b, r.Stats))
	for i := range r.Listings {
		suite.OK(t, tracing.WriteListing(&b, &r.Listings[i]))
	}
	return b.String()
}

func TestSameJobTwice(t *testing.T) {
	for _, preset := range config.Presets() {
		if diff := cmp.Diff(statistics(t, setup(t, steps, preset)), statistics(t, setup(t, steps, preset))); diff != "" {
			t.Errorf("%s: two runs differ:\n%s", preset, diff)
		}
	}
}

func TestMemoryModels(t *testing.T) {
	cycles := map[string]uint64{}
	for _, model := range suite.MemoryModels() {
		r, err := Run(context.Background(), setup(t, scale, "gcn3-r9nano", "memory.model="+model))
		if err != nil {
			t.Fatalf("%s: %v", model, err)
		}
		if got := words(r.Buffers[0].Bytes)[255]; got != 255*2+7 {
			t.Errorf("%s: the last element is %d", model, got)
		}
		cycles[model] = r.Stats.Cycles
	}
	if suite.Akita && (cycles["akita"] < cycles["fast"]/2 || cycles["akita"] > 2*cycles["fast"]) {
		t.Errorf("the models differ more than twice: %v cycles", cycles)
	}
}

func TestStatisticsJSON(t *testing.T) {
	r := suite.Must(Run(context.Background(), setup(t, scale, "gcn3-r9nano")))(t)
	var b bytes.Buffer
	suite.OK(t, tracing.WriteJSON(&b, r.Stats))
	var got struct {
		Machine      string
		ClockMHz     int `json:"clock_mhz"`
		Cycles       uint64
		Seconds      float64
		Workgroups   uint64
		Waves        uint64
		Instructions struct {
			Total   uint64
			ByClass map[string]uint64 `json:"by_class"`
		}
		SlotCycles struct {
			Total    uint64
			ByReason map[string]uint64 `json:"by_reason"`
		} `json:"slot_cycles"`
		Memory map[string]struct{ Accesses, Hits, Bytes uint64 }
		Steps  []map[string]any
		Host   map[string]float64
	}
	suite.OK(t, json.Unmarshal(b.Bytes(), &got))
	sum := func(m map[string]uint64) (n uint64) {
		for _, v := range m {
			n += v
		}
		return n
	}
	if got.Machine != "gcn3-r9nano" || got.ClockMHz != 1000 || got.Workgroups != 4 || got.Waves != 4 || len(got.Steps) != 1 {
		t.Errorf("statistics %+v", got)
	}
	if got.Seconds != float64(got.Cycles)/1e9 {
		t.Errorf("%d cycles are %v seconds", got.Cycles, got.Seconds)
	}
	if n := sum(got.SlotCycles.ByReason); n != got.SlotCycles.Total || n != got.Cycles*64*40 {
		t.Errorf("slot-cycles sum to %d, total %d, cycles %d", n, got.SlotCycles.Total, got.Cycles)
	}
	if n := sum(got.Instructions.ByClass); n != got.Instructions.Total || n == 0 {
		t.Errorf("instructions sum to %d, total %d", n, got.Instructions.Total)
	}
	// 1024 bytes are 16 lines of 64, each read and written.
	if l := got.Memory["vector_l1"]; l.Accesses != 32 {
		t.Errorf("vector_l1 %+v", l)
	}
}

func TestInputErrors(t *testing.T) {
	buffers := "buffers: [{set: 0, binding: 0, name: a, data: {zero: 1024}}]\n"
	for name, c := range map[string]struct{ job, want string }{
		"no shader file":       {"shader: none.spv\ndispatch: [1]\n", "none.spv"},
		"not a module":         {"shader: broken.spvasm\ndispatch: [1]\n", "broken.spvasm:1"},
		"no buffer":            {"shader: scale.spvasm\npush_constants: [{u32: 1}]\ndispatch: [1]\n", "set 0, binding 0"},
		"no push constants":    {"shader: scale.spvasm\n" + buffers + "dispatch: [1]\n", "push_constants"},
		"no entry point":       {"shader: scale.spvasm\nentry: other\n" + buffers + "push_constants: [{u32: 1}]\ndispatch: [1]\n", "other"},
		"too many workgroups":  {"shader: scale.spvasm\n" + buffers + "push_constants: [{u32: 1}]\ndispatch: [4294967295, 4294967295, 4294967295]\n", "workgroups"},
		"an image, not buffer": {"shader: scale.spvasm\nbuffers: [{set: 0, binding: 0, name: a, image: {format: R32ui, width: 4}}]\npush_constants: [{u32: 1}]\ndispatch: [1]\n", "image"},
	} {
		_, err := Run(context.Background(), setup(t, c.job, "gcn3-r9nano"))
		if !errors.Is(err, ErrInput) || errors.Is(err, ErrRun) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want an input error that names %q", name, err, c.want)
		}
	}
	s := setup(t, scale+"wave_size: 32\n", "gcn3-r9nano")
	if _, err := Run(context.Background(), s); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "wave_size") {
		t.Errorf("wave32 on a machine without it: error %v", err)
	}
}

// TestAbsentConstantsAreAWarning: an API ignores what an optimiser removed, and
// the job reports it once, by name and by number.
func TestAbsentConstantsAreAWarning(t *testing.T) {
	s := setup(t, scale+"specialization: {9: 1, gone: 2, 3: 5}\nexpect: [{buffer: a, data: {iota: u32, count: 256, start: 7, step: 5}}]\n", "gcn3-r9nano")
	r := suite.Must(Run(context.Background(), s))(t)
	want := []string{"scale.spvasm: specialization 9: the module has no such constant (it has 3 factor)",
		"scale.spvasm: specialization gone: the module has no such constant (it has 3 factor)"}
	if !slices.Equal(r.Warnings, want) {
		t.Errorf("warnings %q, want %q", r.Warnings, want)
	}
}

func TestExpectationNotMet(t *testing.T) {
	s := setup(t, scale+"expect: [{buffer: a, u32: [7, 9, 12]}]\n", "gcn3-r9nano")
	r, err := Run(context.Background(), s)
	if !errors.Is(err, ErrRun) || !errors.Is(err, ErrExpectation) || len(r.Failures) != 1 {
		t.Errorf("error %v", err)
	}
}

const spin = `
shader: spin.spvasm
buffers: [{set: 0, binding: 0, name: flag, data: {zero: 4}}]
dispatch: [2]
`

// A shader that waits for ever ends at the limit, with a report of each wave.
func TestCycleLimitReport(t *testing.T) {
	for _, model := range suite.MemoryModels() {
		s := setup(t, spin, "gcn3-r9nano", "memory.model="+model)
		s.MaxCycles = 20000
		r, err := Run(context.Background(), s)
		if !errors.Is(err, ErrRun) || !errors.Is(err, ErrLimit) || r == nil {
			t.Fatalf("%s: error %v", model, err)
		}
		for _, want := range []string{"20000 cycles", "0 of 2 workgroups ended", "workgroup [0 0 0], wave 0", "workgroup [1 0 0], wave 0", "at instruction"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: the report lacks %q:\n%v", model, want, err)
			}
		}
	}
}

// Memory that has events for ever but will not reply ends the run as a deadlock, with a report of each wave.
func TestStuckMemoryIsADeadlock(t *testing.T) {
	suite.NeedsAkita(t)
	r, err := newRunner(context.Background(), setup(t, spin, "gcn3-r9nano", "memory.model=akita"))
	if err != nil {
		t.Fatal(err)
	}
	asked := uint64(0)
	r.machine.Stuck = func(now uint64) bool {
		asked = now
		return now > 5000
	}
	err = r.runRounds()
	if !errors.Is(err, ErrRun) || !errors.Is(err, ErrDeadlock) || asked <= 5000 || asked > 100000 {
		t.Fatalf("cycle %d: error %v", asked, err)
	}
	for _, want := range []string{"0 of 2 workgroups ended", "workgroup [1 0 0], wave 0"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the report lacks %q:\n%v", want, err)
		}
	}
	// Which instruction of the loop the waves are at in that cycle is the compiler's matter.
	if !strings.Contains(err.Error(), "waits for memory") && !strings.Contains(err.Error(), "goes on from cycle") {
		t.Errorf("the report does not say what the waves wait for:\n%v", err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := setup(t, spin, "gcn3-r9nano")
	calls := 0
	s.Progress = func(p Progress) {
		if calls++; calls == 3 {
			cancel()
		}
		if p.Launches != 1 || p.Total != 2 || p.Rounds != 1 {
			t.Errorf("progress %+v", p)
		}
	}
	if _, err := Run(ctx, s); !errors.Is(err, context.Canceled) || !errors.Is(err, ErrRun) {
		t.Errorf("error %v", err)
	}
}

// printed collects what lanes print.
type printed []string

func (p *printed) Printed(e probe.Print) {
	*p = append(*p, fmt.Sprintf("%v %d %d %s", e.Workgroup, e.Wave, e.Lane, e.Text))
}

func TestDebugPrintf(t *testing.T) {
	for _, mode := range []string{"timed", "functional"} {
		s := setup(t, "shader: hello.spvasm\ndispatch: [1]\nmode: "+mode+"\n", "rdna3-rx7900xtx")
		var got printed
		s.Observer = &got
		suite.Must(Run(context.Background(), s))(t)
		want := printed{
			"[0 0 0] 0 0 lane 0: 0  0.00 fa 0.000000, 1.500000 1.250000|%",
			"[0 0 0] 0 1 lane 1: -1  0.50 fb 1.000000, 1.500000 1.250000|%",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", mode, diff)
		}
	}
}

// What lanes print of registers: halves of 64 bits lie a row apart, scalars and literals are one for all lanes.
func TestBitsThatLanesPrint(t *testing.T) {
	st := &isa.State{Lanes: 32, V: make([]uint32, 3*32), S: []uint64{0, 1<<40 | 5}}
	st.V[32+7], st.V[64+7] = 0xdeadbeef, 0x01234567
	for _, c := range []struct {
		a    isa.PrintArg
		want uint64
	}{
		{isa.PrintArg{Reg: isa.V(1), T: isa.I32}, 0xdeadbeef}, {isa.PrintArg{Reg: isa.V(1), T: isa.I64}, 0x01234567deadbeef},
		{isa.PrintArg{Reg: isa.S(1), T: isa.I64}, 1<<40 | 5}, {isa.PrintArg{Reg: isa.Lit(9), T: isa.I32}, 9},
	} {
		if got := laneBits(st, c.a, 7); got != c.want {
			t.Errorf("%+v: %#x, want %#x", c.a, got, c.want)
		}
	}
}

// Progress counts the launches before the one that runs, with time or without, and its time is that of the machine's clock.
func TestProgressGoesOn(t *testing.T) {
	s := setup(t, scale, "rdna3-rx7900xtx")
	var got Progress
	s.Progress = func(p Progress) { got = p }
	r := suite.Must(newRunner(context.Background(), s))(t)
	r.tally.Issued, r.timing.now, r.functionalRunner.workgroups = 1000, 5000, 9
	suite.OK(t, r.functionalRunner.poll(functional.Progress{Instructions: 70, EndedWorkgroups: 4, RunningWorkgroups: 3}))
	want := Progress{Cycle: 5000, Nanoseconds: 2000, Instructions: 1070, Ended: 4, Running: 3, Total: 9}
	if got != want {
		t.Errorf("without time: %+v, want %+v", got, want)
	}
	suite.OK(t, r.timing.poll(10000))
	if got.Cycle != 10000 || got.Nanoseconds != 4000 || got.Instructions != 1000 {
		t.Errorf("with time: %+v, want 10000 cycles of 2500 MHz, 1000 instructions", got)
	}
}

func TestFormatPrint(t *testing.T) {
	one := []printValue{{1, 4}}
	for format, want := range map[string]string{
		"":         "",
		"plain":    "plain",
		"100%":     "100%",
		"%%":       "%",
		"%u":       "1",
		"%d %d":    "1 <missing>",
		"%q":       "%q",
		"%5u|":     "    1|",
		"%v":       "%v",
		"%v3u":     "1, <missing>, <missing>",
		"%":        "%",
		"a%lub":    "a1b",
		"%ul":      "1",
		"%08x":     "00000001",
		"%f":       "1.000000",
		"%v2":      "%v2",
		"\u00e4%u": "\u00e41",
	} {
		if got := formatPrint(format, one); got != want {
			t.Errorf("%q prints %q, want %q", format, got, want)
		}
	}
}

// Without time, the clock that shaders read goes on by instructions from one launch to the next.
func TestClockWithoutTimeGoesOn(t *testing.T) {
	s := setup(t, "mode: functional\nrepeat: 3\n"+scale, "gcn3-r9nano")
	r := suite.Must(newRunner(context.Background(), s))(t)
	suite.OK(t, r.runRounds())
	if u := r.functionalRunner; u.executed == 0 || u.executed != r.tally.Issued || u.options(firstLaunch(t, r).work.(*kernelWork).KernelLaunch.Resources).Clock != u.executed {
		t.Errorf("the clock is at %d after %d instructions", r.functionalRunner.executed, r.tally.Issued)
	}
}
