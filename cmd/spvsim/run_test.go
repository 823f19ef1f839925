package main

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/config"
	"spvsim/internal/suite"
	"spvsim/tracing"
)

func TestRunReduce(t *testing.T) {
	r := spvsim("", "run", "reduce")
	if r.status != exitDone || r.stderr != "" {
		t.Fatalf("status %d, error %q", r.status, r.stderr)
	}
	suite.Contains(t, r.stdout, "rdna3-rx7900xtx", "256 workgroups", "slot cycles", "occupancy", "expected: 1 of 1 met")
}

// stats runs a job with its statistics on standard output.
func stats(t *testing.T, args ...string) map[string]any {
	t.Helper()
	r := spvsim("", append([]string{"run", "--stats", "-"}, args...)...)
	if r.status != exitDone {
		t.Fatalf("status %d: %s", r.status, r.stderr)
	}
	var s map[string]any
	if err := json.Unmarshal([]byte(r.stdout), &s); err != nil {
		t.Fatalf("%v in\n%s", err, r.stdout)
	}
	return s
}

// number finds a number of the statistics by its path.
func number(t *testing.T, s map[string]any, path ...string) float64 {
	t.Helper()
	for _, key := range path[:len(path)-1] {
		s, _ = s[key].(map[string]any)
	}
	n, ok := s[path[len(path)-1]].(float64)
	if !ok {
		t.Fatalf("no number %v", path)
	}
	return n
}

func TestEverySlotCycleHasAReason(t *testing.T) {
	s := stats(t, "reduce")
	sum := 0.0
	for _, n := range s["slot_cycles"].(map[string]any)["by_reason"].(map[string]any) {
		sum += n.(float64)
	}
	m := suite.Must(config.Preset(config.DefaultMachine))(t)
	slots := float64(m.ShaderEngines * m.ComputeUnits * m.SIMDs * m.WaveSlots)
	total := number(t, s, "slot_cycles", "total")
	if sum != total || total != slots*number(t, s, "cycles") {
		t.Errorf("reasons sum to %v, total %v, %v slots for %v cycles", sum, total, slots, s["cycles"])
	}
}

func TestStatisticsHaveTheMembersOfTheFormat(t *testing.T) {
	s := stats(t, "reduce")
	for _, path := range []string{"clock_mhz", "cycles", "seconds", "workgroups", "waves", "instructions.total", "slot_cycles.total", "occupancy",
		"lds.accesses", "lds.passes", "lds.conflict_passes", "memory.l2.accesses", "memory.l2.hits", "memory.l2.bytes",
		"host.seconds", "host.instructions_per_second", "host.peak_bytes"} {
		number(t, s, strings.Split(path, ".")...)
	}
	if s["machine"] != config.DefaultMachine {
		t.Errorf("machine %v", s["machine"])
	}
}

func TestSameJobTwiceGivesTheSameStatistics(t *testing.T) {
	for _, job := range []string{"reduce", "scan", "peer-atax"} {
		first, second := stats(t, job), stats(t, job)
		delete(first, "host")
		delete(second, "host")
		if diff := cmp.Diff(first, second); diff != "" {
			t.Errorf("%s: first and second run differ:\n%s", job, diff)
		}
	}
}

func TestSettingsReachTheMachine(t *testing.T) {
	slow, fast := stats(t, "reduce"), stats(t, "reduce", "--set", "dispatcher.kernel_launch_cycles=0")
	if s, f := number(t, slow, "cycles"), number(t, fast, "cycles"); f >= s {
		t.Errorf("%v cycles without launch cost, %v with it", f, s)
	}
	if s := stats(t, "reduce", "--machine", "gcn3-r9nano"); s["machine"] != "gcn3-r9nano" {
		t.Errorf("machine %v", s["machine"])
	}
}

// doubler is a job of one's own: it doubles four numbers.
const doubler = `shader: SHADER
buffers:
  - {set: 0, binding: 0, name: x, data: {values: [1, 2, 3, 4], type: f32}}
  - {set: 0, binding: 1, name: y, data: {values: [1, 2, 3, 4], type: f32}}
push_constants: [{f32: 1}, {u32: 4}]
dispatch: [1]
expect:
  - {buffer: y, f32: [2, 4, 6, EIGHT]}
`

// writeJob writes a job that runs a shader, and expects a last number.
func writeJob(t *testing.T, shader, last string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "job.yaml")
	text := strings.NewReplacer("SHADER", shader, "EIGHT", last).Replace(doubler)
	suite.OK(t, os.WriteFile(name, []byte(text), 0o644))
	return name
}

func TestShaderFromStandardInput(t *testing.T) {
	job := writeJob(t, "'-'", "8")
	module := string(ready(t, "saxpy", "saxpy.spv"))
	text := spvsim(module, "disasm", "-").stdout
	for _, shader := range map[string]string{"module": module, "text": text} {
		spvsim(shader, "run", job).prints(t, exitDone, "1 of 1 met")
	}
	wantRefused(t, spvsim(module[:len(module)-2], "run", job), "-: ")
}

// TestAbsentConstantsReported: a value for a constant that the module lacks is a
// warning, even where little is printed.
func TestAbsentConstantsReported(t *testing.T) {
	r := spvsim(string(ready(t, "saxpy", "saxpy.spv")), "run", writeJob(t, "'-'\nspecialization: {7: 1}", "8"), "--quiet")
	r.says(t, exitDone, "spvsim: warning: -: specialization 7: the module has no such constant")
}

func TestFailedExpectation(t *testing.T) {
	r := spvsim(string(ready(t, "saxpy", "saxpy.spv")), "run", writeJob(t, "'-'", "9"))
	r.prints(t, exitFailed, "0 of 1 met")
	suite.Contains(t, r.stderr, "job.yaml:", "y: f32 at byte 12: found 8: want 9")
}

func TestCycleLimitNamesTheWaves(t *testing.T) {
	r := spvsim("", "run", "reduce", "--max-cycles", "12000")
	r.prints(t, exitFailed, "stopped       cycle limit reached; these are the results so far\n")
	if !regexp.MustCompile(`(?m)^spvsim: cycle limit reached: 12000 cycles; .*\n  \d+ waves loop in main, (.*\n)+  workgroup `).MatchString(r.stderr) {
		t.Errorf("error %q", r.stderr)
	}
}

func TestDumpListingAndStatsFiles(t *testing.T) {
	dir := t.TempDir()
	out := func(name string) string { return filepath.Join(dir, name) }
	r := spvsim("", "run", "reduce", "--dump", "output="+out("sum.bin"), "--listing", out("listing.txt"), "--stats", out("stats.json"))
	if r.status != exitDone {
		t.Fatal(r.stderr)
	}
	sum, err := os.ReadFile(out("sum.bin"))
	if err != nil || !bytes.Equal(sum, binary.LittleEndian.AppendUint32(nil, 0x4effff00)) { // 2147450880 as a float
		t.Errorf("dumped %x, %v", sum, err)
	}
	text, err := os.ReadFile(out("listing.txt"))
	if err != nil || !strings.Contains(string(text), "issues") || !strings.Contains(string(text), "s_barrier") {
		t.Errorf("listing %q, %v", text, err)
	}
	if text, err = os.ReadFile(out("stats.json")); err != nil || !json.Valid(text) {
		t.Errorf("statistics %q, %v", text, err)
	}
}

func TestRunRefusals(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"redcue"}, "did you mean reduce?"},
		{[]string{"no-such-job.yaml"}, "no-such-job.yaml"},
		{[]string{}, "the name of a ready job"},
		{[]string{"reduce", "--machine", "rdna3-rx7900xt"}, "rdna3-rx7900xtx"},
		{[]string{"reduce", "--set", "lds.bank=64"}, "lds.banks"},
		{[]string{"reduce", "--set", "lds.banks"}, "PATH=VALUE"},
		{[]string{"reduce", "--dump", "output"}, "--dump output: want buffer=file"},
		{[]string{"reduce", "--dump", "sums=/dev/null"}, "want the name of a buffer of the job: input, output, partial"},
		{[]string{"reduce", "--max-cycles", "many"}, "max-cycles"},
		{[]string{"reduce", "--max-seconds", "nan"}, "--max-seconds nan: want a number of seconds, from 0 to 31536000"},
		{[]string{"reduce", "--max-seconds", "inf"}, "--max-seconds inf: want a number of seconds, from 0 to 31536000"},
		{[]string{"reduce", "--max-seconds", "-1"}, "--max-seconds -1: want a number of seconds, from 0 to 31536000"},
		{[]string{"reduce", "--max-seconds", "1e30"}, "--max-seconds 1e30: want a number of seconds, from 0 to 31536000"},
		{[]string{"reduce", "--max-seconds", "soon"}, "want a number of seconds"},
		{[]string{"reduce", "--threads", "1000000"}, `--threads 1000000: found "1000000": want an integer of 0 to 1024`},
		{[]string{"reduce", "--threads", "-1"}, `--threads -1: found "-1": want an integer of 0 to 1024`},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			wantRefused(t, spvsim("", append([]string{"run"}, c.args...)...), c.want)
		})
	}
}

// A compiler's module, the same with debug information, and the same optimised give equal buffers.
func TestThreeFormsOfACompiledShader(t *testing.T) {
	glslang, err := exec.LookPath("glslangValidator")
	if err != nil {
		t.Skip("glslangValidator is not installed")
	}
	optimiser, err := exec.LookPath("spirv-opt")
	if err != nil {
		t.Skip("spirv-opt is not installed")
	}
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{"own.comp": collatz, "own.yaml": collatzJob} {
		suite.OK(t, os.WriteFile(in(name), []byte(text), 0o644))
	}
	var first []byte
	for _, command := range [][]string{
		{glslang, "-V", in("own.comp"), "-o", in("own.spv")},
		{optimiser, "-O", in("own.spv"), "-o", in("own.spv")},
		{glslang, "-V", "-g", in("own.comp"), "-o", in("own.spv")},
	} {
		if text, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, text)
		}
		if r := spvsim("", "run", in("own.yaml"), "--dump", "steps="+in("steps.bin")); r.status != exitDone {
			t.Fatalf("%v: %s", command, r.stderr)
		}
		steps := suite.Must(os.ReadFile(in("steps.bin")))(t)
		if first == nil {
			first = steps
		}
		if !bytes.Equal(steps, first) {
			t.Errorf("%v gives other buffers", command)
		}
	}
}

const collatz = `#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Steps { uint steps[]; };
uint next(uint n) { return n % 2 == 0 ? n / 2 : 3 * n + 1; }
void main() {
    uint n = gl_GlobalInvocationID.x + 1;
    uint count = 0;
    while (n != 1) {
        n = next(n);
        count++;
    }
    steps[gl_GlobalInvocationID.x] = count;
}
`

// The numbers of steps from 1 to 10, and the 111 steps from 27, are well known (OEIS A006577).
const collatzJob = `shader: own.spv
buffers:
  - {set: 0, binding: 0, name: steps, data: {zero: 4096}}
dispatch: [16]
expect:
  - {buffer: steps, u32: [0, 1, 7, 2, 5, 8, 16, 3, 19, 6]}
  - {buffer: steps, offset: 104, u32: [111]}
`

func TestAccessOutOfBoundsIsReported(t *testing.T) {
	job := writeJob(t, "'-'", "8")
	text := suite.Must(os.ReadFile(job))(t)
	// n = 5 over buffers of four: the fifth read returns zero, the fifth write is dropped.
	suite.OK(t, os.WriteFile(job, bytes.Replace(text, []byte("u32: 4"), []byte("u32: 5"), 1), 0o644))
	r := spvsim(string(ready(t, "saxpy", "saxpy.spv")), "run", job)
	r.prints(t, exitDone, "1 of 1 met")
	if !strings.HasPrefix(r.stderr, "spvsim: warning: ") || !strings.Contains(r.stdout, "out of bounds") {
		t.Errorf("error %q, output %s", r.stderr, r.stdout)
	}
}

// The listing as CSV and JSON has the numbers of the text: issues add up to the instructions of the run, and cycles by reason to cycles.
func TestListingsForPrograms(t *testing.T) {
	t.Chdir(t.TempDir())
	var total struct {
		Instructions struct{ Total uint64 }
	}
	suite.OK(t, json.Unmarshal([]byte(spvsim("", "run", "reduce", "--param", "groups=8", "-q", "--stats", "-", "--listing", "l.csv").stdout), &total))
	spvsim("", "run", "reduce", "--param", "groups=8", "-q", "--listing", "l.json")
	lines := suite.Must(csv.NewReader(strings.NewReader(string(suite.Must(os.ReadFile("l.csv"))(t)))).ReadAll())(t)
	var listing struct{ Programs []tracing.ListedProgram }
	suite.OK(t, json.Unmarshal(suite.Must(os.ReadFile("l.json"))(t), &listing))
	column := func(name string) int { return slices.Index(lines[0], name) }
	row, issues := 1, uint64(0)
	for _, p := range listing.Programs {
		for _, in := range p.Instructions {
			line, reasons := lines[row], uint64(0)
			for reason, n := range in.ByReason {
				reasons += n
				if line[column(reason)] != fmt.Sprint(n) {
					t.Errorf("%s: %s cycles of %s in the CSV, %d in the JSON", in.Text, line[column(reason)], reason, n)
				}
			}
			if reasons != in.Cycles || line[column("instruction")] != in.Text || line[column("cycles")] != fmt.Sprint(in.Cycles) || line[column("program")] != p.Name {
				t.Errorf("%v and %+v differ", line, in)
			}
			row, issues = row+1, issues+in.Issues
		}
	}
	if row != len(lines) || issues != total.Instructions.Total || issues == 0 {
		t.Errorf("%d of %d lines, %d of %d instructions", row, len(lines), issues, total.Instructions.Total)
	}
	spvsim("", "inspect", "reduce", "--listing=json").prints(t, exitDone, `"branch_target"`)
	spvsim("", "inspect", "reduce", "--listing=csv").prints(t, exitDone, "program,pc,id,line,class,instruction")
	wantRefused(t, spvsim("", "inspect", "reduce", "--listing=xml"), "want text, csv, json")
}
