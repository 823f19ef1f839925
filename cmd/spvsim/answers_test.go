package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// inFolder writes files to a folder and returns the name of the first one there.
func inFolder(t *testing.T, files ...[2]string) string {
	t.Helper()
	folder := t.TempDir()
	for _, f := range files {
		suite.OK(t, os.WriteFile(filepath.Join(folder, f[0]), []byte(f[1]), 0o600))
	}
	return filepath.Join(folder, files[0][0])
}

// testdata is the absolute name of a file of the tests.
func testdata(t *testing.T, name string) string {
	t.Helper()
	file := suite.Must(filepath.Abs(filepath.Join("testdata", name)))(t)
	return file
}

// The lane counts of the steps of a job with queues add up to those of the run, for kernels and for graphs.
func TestLanesOfStepsInQueues(t *testing.T) {
	t.Parallel()
	graphs := suite.Must(filepath.Abs("../../experiments/figures/jobs/graphs-beside.yaml"))(t)
	for _, job := range []string{queuesJob(t), graphs} {
		s := stats(t, job)
		for _, member := range []string{"register_reads", "register_writes", "lds_words", "updates"} {
			sum := 0.0
			for _, step := range s["steps"].([]any) {
				sum += number(t, step.(map[string]any), "lanes", member)
			}
			if all := number(t, s, "lanes", member); sum != all || member == "register_reads" && all == 0 {
				t.Errorf("%s: %s: %g in the steps, %g in the run", filepath.Base(job), member, sum, all)
			}
		}
		sum := 0.0
		for _, step := range s["steps"].([]any) {
			sum += number(t, step.(map[string]any), "lds", "accesses")
			if _, there := step.(map[string]any)["out_of_bounds"]; there {
				t.Errorf("%s: a step has out_of_bounds, which is known of all launches together only", filepath.Base(job))
			}
		}
		if all := number(t, s, "lds", "accesses"); sum != all {
			t.Errorf("%s: %g accesses of the LDS in the steps, %g in the run", filepath.Base(job), sum, all)
		}
	}
}

// A dry run refuses a column that no statistic is, and names the nearest.
func TestDryRunChecksColumns(t *testing.T) {
	t.Parallel()
	const experiment = `job: reduce
axes: {banks: {path: machine.lds.banks, values: [16, 32]}}
columns: {y: "%s"}
figures: {f: {kind: line, x: banks, y: y}}
`
	for column, want := range map[string]string{
		"slot_cycles.by_reason.unti":           "(nearest: slot_cycles.by_reason.unit)",
		"cycels":                               "(nearest: cycles)",
		"queues.async.launches.0.redy":         "want the path of a statistic",
		"slot_cycles.by_reason.unit":           "",
		"steps.reduce.cycles":                  "",
		"instructions.by_class.matrix":         "",
		"queues.async.launches.0.ready":        "",
		"queues.a.kept_by.b.dependence_cycles": "",
		"graph.nodes.a[1].start_cycles.p95":    "",
	} {
		file := inFolder(t, [2]string{"e.yaml", fmt.Sprintf(experiment, column)})
		r := spvsim("", "sweep", file, "--dry-run", "-o", filepath.Join(filepath.Dir(file), "none"))
		if want != "" {
			wantRefused(t, r, want)
		} else if r.status != exitDone {
			t.Errorf("%s: %s", column, r.stderr)
		}
	}
}

// The number of an experiment's points is printed without expanding them.
func TestDryRunOfManyPoints(t *testing.T) {
	t.Parallel()
	const experiment = "job: reduce\naxes:\n  a: {path: machine.lds.bytes_per_cycle, from: 1, to: 1000}\n  b: {path: parameters.n, from: 1, to: %d}\n"
	file := inFolder(t, [2]string{"e.yaml", fmt.Sprintf(experiment, 20)})
	r := spvsim("", "sweep", file, "--dry-run", "-o", filepath.Join(filepath.Dir(file), "none"))
	if r.status != exitDone || !strings.HasPrefix(r.stdout, "20000 points, not listed") || strings.Count(r.stdout, "\n") != 2 {
		t.Errorf("status %d, %s%s", r.status, r.stdout, r.stderr)
	}
	file = inFolder(t, [2]string{"e.yaml", fmt.Sprintf(experiment, 7000)})
	wantRefused(t, spvsim("", "sweep", file, "--dry-run"), "found 7000000 points: want at most 1000000")
	file = inFolder(t, [2]string{"e.yaml", "job: reduce\naxes: {banks: {path: machine.lds.banks, values: [16, 17]}}\n"})
	wantRefused(t, spvsim("", "sweep", file, "--dry-run"), "found 17: want a power of two")
}

// All commands that run a job accept the same --machine and --set, and refuse the same values with the same errors.
func TestSameMachineAndSettings(t *testing.T) {
	t.Parallel()
	for set, want := range map[string]string{
		"lds.bnaks=3": "lds.bnaks: unknown key (nearest: lds.banks)", "machine.lds.bnaks=3": "lds.bnaks: unknown key (nearest: lds.banks)",
		"lds.banks=17": "found 17: want a power of two", "lds.banks=x": `found "x": want an integer`, "lds.banks=": "want PATH=VALUE",
		"lds.banks": "want PATH=VALUE", "=3": "want PATH=VALUE", "lds.banks=[": "want a value as YAML writes it", "lds..banks=3": "found an empty key",
		"nosuch=3": "nosuch: unknown key", "parameters.nosuch=1": "want a key that the job has", "n=4": "want parameters.n",
		"machine=MI300A": "(nearest: cdna3-mi300a)", "parametres.n=4": "(nearest: parameters",
		"l2.bytes=1.5": "want an integer, in bytes", "clock_mhz=1.5e0": "want an integer, in MHz", "clock_mhz=1e3": "", "dispatch=[x]": "dispatch[0]",
		"lds.banks=32": "", "machine.lds.banks=32": "", "parameters.n=1024": "", "machine=rdna4-like": "", "dispatch=[4]": "",
	} {
		run := spvsim("", "run", "vectoradd", "-q", "--mode", "functional", "--set", set, "--set", "expect=[]")
		sweep := spvsim("", "sweep", "vectoradd", "--dry-run", "--set", set, "--set", "expect=[]", "-o", filepath.Join(t.TempDir(), "none"))
		if run.stderr != sweep.stderr || run.status != sweep.status || !strings.Contains(run.stderr, want) || (want == "") != (run.status == exitDone) {
			t.Errorf("--set %s: want %q; run says, with status %d\n%ssweep says, with status %d\n%s", set, want, run.status, run.stderr, sweep.status, sweep.stderr)
		}
	}
	own := inFolder(t, [2]string{"own.yaml", "base: rdna4-like\nclock_mhz: 1000\n"})
	for machine, want := range map[string]string{"MI300A": "(nearest: cdna3-mi300a)", "nosuch": "want a .yaml file or one of", "no.yaml": "no such file", "gcn3-r9nano": "", own: ""} {
		run := spvsim("", "run", "vectoradd", "-q", "--mode", "functional", "--machine", machine)
		sweep := spvsim("", "sweep", "vectoradd", "--dry-run", "--machine", machine, "-o", filepath.Join(t.TempDir(), "none"))
		library := spvsim("", "sweep", "lds-stride", "--small", "--dry-run", "--machine", machine, "-o", filepath.Join(t.TempDir(), "none"))
		for _, r := range []result{run, sweep, library} {
			if !strings.Contains(r.stderr, want) || (want == "") != (r.status == exitDone) {
				t.Errorf("--machine %s: status %d, %s", machine, r.status, r.stderr)
			}
		}
	}
}

// A job that init writes has the given machine and fields.
func TestInitTakesSettings(t *testing.T) {
	t.Parallel()
	job := filepath.Join(t.TempDir(), "j.yaml")
	r := spvsim("", "init", "../../docs/tutorial/sum.spv", "-o", job, "--machine", "rdna4-like", "--set", "clock_mhz=100", "--set", "machine.clock_mhz=500", "--set", "lds.banks=64")
	if s := stats(t, job); r.status != exitDone || number(t, s, "clock_mhz") != 500 || s["machine"] != "rdna4-like" {
		t.Errorf("status %d, %s: %v", r.status, r.stderr, s["machine"])
	}
	wantRefused(t, spvsim("", "init", "../../docs/tutorial/sum.spv", "--set", "lds.bnaks=64"), "(nearest: lds.banks)")
}

// A setting of a job's field and of the machine change the run; the last of two counts.
func TestRunSettings(t *testing.T) {
	t.Parallel()
	s := stats(t, "vectoradd", "--set", "parameters.n=64", "--set", "parameters.n=1024", "--machine", "gcn3-r9nano", "--set", "clock_mhz=500", "--set", "expect=[]")
	same := stats(t, "vectoradd", "--param", "n=1024", "--machine", "gcn3-r9nano", "--set", "machine.clock_mhz=500", "--set", "expect=[]")
	if number(t, s, "clock_mhz") != 500 || number(t, s, "cycles") != number(t, same, "cycles") || number(t, s, "waves") != 16 {
		t.Errorf("%v MHz, %v waves, %v cycles, with --param %v", s["clock_mhz"], s["waves"], s["cycles"], same["cycles"])
	}
}

// A level of --components without = is refused with the right spelling.
func TestComponentsWithoutEqualsSign(t *testing.T) {
	t.Parallel()
	wantRefused(t, spvsim("", "run", "reduce", "--components", "each"), "want --components=each")
	wantRefused(t, spvsim("", "run", "--components", "kinds", "reduce"), "want --components=kinds")
	wantRefused(t, spvsim("", "run", "reduce", "--components=eech"), "--components=eech: want kinds or each")
}

// A file whose name suggests another format than the flag writes is written with a warning.
func TestFormatsOfOutputs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ flag, name, want string }{
		{"trace", "t.json", "writes a Perfetto trace, which is binary; usual names end in .pftrace"},
		{"trace", "t.pftrace", ""}, {"trace", "t", ""}, {"stats", "s.csv", "writes JSON"}, {"stats", "s.json", ""},
		{"profile", "p.html", "writes a profile as JSON"}, {"series", "s.parquet", "writes CSV"}, {"series", "s.CSV", ""},
	} {
		file := filepath.Join(t.TempDir(), c.name)
		r := spvsim("", "run", "vectoradd", "-q", "--"+c.flag, file)
		if info, err := os.Stat(file); r.status != exitDone || err != nil || info.Size() == 0 || (c.want == "") != (r.stderr == "") || !strings.Contains(r.stderr, c.want) {
			t.Errorf("--%s %s: status %d, %v: %s", c.flag, c.name, r.status, err, r.stderr)
		}
	}
}

// A shader in place of a job is refused with the commands that create a job from it.
func TestShaderForAJob(t *testing.T) {
	t.Parallel()
	const glsl = "#version 450\nlayout(local_size_x = 64) in;\nvoid main() {}\n"
	module := suite.Must(os.ReadFile("../../docs/tutorial/sum.spv"))(t)
	for _, c := range []struct{ name, text, want string }{
		{"a.comp", glsl, "a.comp: this is GLSL source: want a job; compile it: glslangValidator -V"},
		{"a.txt", glsl, "this is GLSL source"},
		{"a.hlsl", "[numthreads(64, 1, 1)]\nvoid main() {}\n", "a.hlsl: this is HLSL source: want a job; compile it: dxc -spirv"},
		{"a.spv", string(module), "a.spv: found a SPIR-V module: want a job: spvsim init"},
		{"a.spvasm", "; SPIR-V\nOpCapability Shader\nOpMemoryModel Logical GLSL450\n", "a.spvasm: found the text of a SPIR-V module: want a job: spvsim init"},
	} {
		file := inFolder(t, [2]string{c.name, c.text})
		for _, command := range [][]string{{"run", file}, {"graph", file}, {"report", file, "-o", "-"}, {"sweep", file, "--axis", "lds.banks=16"}} {
			r := spvsim("", command...)
			wantRefused(t, r, c.want)
			if !strings.Contains(r.stderr, "-o job.yaml writes one for it") {
				t.Errorf("%v: %s", command, r.stderr)
			}
		}
	}
}

// A tab in an indentation is named, with its line, in every kind of file.
func TestTabInYAML(t *testing.T) {
	t.Parallel()
	const want = "found a tab in the indentation: want spaces"
	for _, c := range []struct {
		text string
		line int
	}{
		{"a:\n\tb: 1\n", 2}, {"a: 1\nb:\n  - c: 1\n\t  d: 2\n", 4}, {"a:\n  b: 1\n\tc: 2\n", 3}, {"a:\n  -\tb: 1\n   \tc: 2\n", 3}, {"\ta: 1\n", 1},
	} {
		file := inFolder(t, [2]string{"f.yaml", c.text}, [2]string{"rows.csv", "a,b\n1,2\n"})
		rows := filepath.Join(filepath.Dir(file), "rows.csv")
		for _, command := range [][]string{{"run", file}, {"sweep", file}, {"machine", file}, {"run", "reduce", "--machine", file}, {"plot", rows, file}} {
			wantRefused(t, spvsim("", command...), fmt.Sprintf("f.yaml:%d: %s", c.line, want))
		}
	}
}

// An unknown name is reported with the nearest known one, regardless of case.
func TestNearestNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "reduce", "--machine", "MI300A"}, "(nearest: cdna3-mi300a)"},
		{[]string{"run", "reduce", "--machine", "mi300x"}, "(nearest: cdna3-mi300x)"},
		{[]string{"run", "reduce", "--machine", "RX 7900 XTX"}, "(nearest: rdna3-rx7900xtx)"},
		{[]string{"run", "reduce", "--machine", "GCN3-R9Nano"}, "(nearest: gcn3-r9nano)"},
		{[]string{"machine", "9070"}, "(nearest: rdna4-rx9070xt)"},
		{[]string{"app", "--machine", "7900xtx", "--", "true"}, "(nearest: rdna3-rx7900xtx)"},
		{[]string{"inspect", "reduce", "--machine", "mi210"}, "(nearest: cdna2-mi210)"},
		{[]string{"init", "../../docs/tutorial/sum.spv", "--machine", "w7800"}, "(nearest: rdna3-w7800)"},
		{[]string{"run", "Reduce"}, "(did you mean reduce?)"},
		{[]string{"run", "FlashAttention"}, "(did you mean flash-attention?)"},
		{[]string{"sweep", "LDS_stride"}, "(did you mean lds-stride?)"},
		{[]string{"run", "reduce", "--set", "LDS.Banks=16"}, "(nearest: lds)"},
		{[]string{"run", "reduce", "--Machine", "rdna4-like"}, "(did you mean --machine?)"},
		{[]string{"Run", "reduce"}, "(did you mean run?)"},
	} {
		r := spvsim("", c.args...)
		r.says(t, exitBadInput, c.want)
	}
}

// Accesses out of bounds are reported with set, binding, element and buffer, and fail the run if requested.
func TestOutOfBoundsNamesTheBuffer(t *testing.T) {
	t.Parallel()
	file := inFolder(t, [2]string{"j.yaml", "machine: rdna4-like\nshader: " + testdata(t, "bounds.spvasm") + `
buffers:
  - {set: 1, binding: 3, name: input, data: {zero: 256}}
  - {set: 0, binding: 2, name: first, data: {zero: 256}}
  - {set: 0, binding: 2, index: 1, name: second, data: {zero: 128}}
dispatch: [1]
`})
	for _, mode := range []string{"timed", "functional"} {
		r := spvsim("", "run", file, "-q", "--mode", mode)
		r.says(t, exitDone, "load out of bounds: set 1, binding 3 (inbuf), buffer input, byte 256 of 256")
		r = spvsim("", "run", file, "-q", "--mode", mode, "--check-bounds")
		r.says(t, exitFailed, "--check-bounds: found 92 accesses out of bounds")
		r = spvsim("", "run", file, "-q", "--mode", mode, "--set", "buffers[0].data={zero: 512}")
		r.says(t, exitDone, "store out of bounds: set 0, binding 2[1] (outbuf), buffer second, byte 128 of 128")
	}
	if r := spvsim("", "run", "vectoradd", "-q", "--check-bounds"); r.status != exitDone {
		t.Errorf("status %d, %s", r.status, r.stderr)
	}
}

// A workgroup that needs more LDS than a compute unit has is reported in one line.
func TestLDSOverflowOnce(t *testing.T) {
	t.Parallel()
	job := inFolder(t, [2]string{"j.yaml", "machine: rdna3-rx7900xtx\nshader: " + testdata(t, "toomuchlds.spvasm") +
		"\nbuffers: [{set: 0, binding: 0, name: b, data: {zero: 4096}}]\ndispatch: [1]\n"})
	for _, args := range [][]string{{"run", job}, {"run", job, "--mode", "functional"}, {"report", job, "-o", "-"}, {"inspect", job}} {
		r := spvsim("", args...)
		if n := strings.Count(r.stdout+r.stderr, "bytes of LDS, a compute unit") + strings.Count(r.stdout+r.stderr, "in whole granules"); n != 1 {
			t.Errorf("%v: %d lines:\n%s%s", args, n, r.stdout, r.stderr)
		}
	}
}

// Every manual page has every exit status.
func TestManualHasExitStatuses(t *testing.T) {
	t.Parallel()
	pages := append(manCommands(newRoot()), newRoot())
	for _, c := range pages {
		if text := manPage(c); !strings.Contains(text, "3 a fault of spvsim itself") {
			t.Errorf("%s lacks status 3", c.Name())
		}
		if i := strings.Index(c.Long, "exit status is\n"); i >= 0 {
			for status := range exitFault + 1 {
				if !strings.Contains(c.Long[i:], fmt.Sprintf("\n  %d  ", status)) {
					t.Errorf("the help of %s lists statuses without %d", c.Name(), status)
				}
			}
		}
	}
}

// The depth of the queue in the picture, by bin, has the peak of the statistics: also with a queue for each shader engine, and shared payloads.
func TestOneDepthOfTheQueue(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"bfs"}, {"classify"}, {"koch", "--param", "depth=3", "--set", "expect=[]"}, {"bfs", "--set", "queue.placement=engine"}, {"bfs", "--set", "scheduler.kind=firmware"},
		{"bfs", "--set", "scheduler.kind=multipass"}, {"bfs", "--set", "scheduler.kind=lists"}, {"mesh"},
	} {
		file := filepath.Join(t.TempDir(), "p.json")
		s := stats(t, append(slices.Clone(args), "--profile", file)...)
		text := suite.Must(os.ReadFile(file))(t)
		var p struct {
			Series struct {
				Depth []float64 `json:"queue_depth"`
				Sum   []float64 `json:"queue_cycles"`
				Bin   float64   `json:"bin_cycles"`
			}
		}
		suite.OK(t, json.Unmarshal(text, &p))
		if got, want := slices.Max(p.Series.Depth), number(t, s, "graph", "queue", "peak_depth"); got != want || got == 0 {
			t.Errorf("%v: at most %g payloads wait in the picture, %g in the statistics", args, got, want)
		}
		page := spvsim("", "report", file, "-o", "-")
		if want := fmt.Sprintf("At most %g waited", slices.Max(p.Series.Depth)); !strings.Contains(page.stdout, want) {
			t.Errorf("%v: the page lacks %q", args, want)
		}
	}
}

// Reports and listings show the compiler's line numbers, even if it inserted lines of its own before the text.
func TestSourceLinesOfAReport(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"vulkan1.0-g", "vulkan1.0-gVS", "vulkan1.3-g", "opengl-g"} {
		shader := suite.Must(filepath.Abs("../../spirv/validate/testdata/lines/plain-" + form + ".spvasm"))(t)
		job := inFolder(t, [2]string{"j.yaml", "machine: rdna3-rx7900xtx\nshader: " + shader + "\nbuffers: [{set: 0, binding: 0, name: b, data: {zero: 4096}}]\ndispatch: [1]\n"})
		page := spvsim("", "report", job, "-o", "-")
		row := regexp.MustCompile(`<tr><td>(\d+)</td><td class="word"><code>[^<]*// line (\d+)</code>`)
		rows := row.FindAllStringSubmatch(page.stdout, -1)
		if page.status != exitDone || len(rows) != 2 || rows[0][1] != rows[0][2] || rows[1][1] != rows[1][2] || strings.Contains(page.stdout, "OpModuleProcessed") {
			t.Errorf("%s: status %d: the page has lines %v, want 6 and 7: %s", form, page.status, rows, page.stderr)
		}
		listing := spvsim("", "run", job, "-q", "--listing", "-")
		if !regexp.MustCompile(` 6 vmem +buffer_load`).MatchString(listing.stdout) || !regexp.MustCompile(` 7 imul32`).MatchString(listing.stdout) {
			t.Errorf("%s: the listing has other lines\n%s", form, listing.stdout)
		}
	}
}
