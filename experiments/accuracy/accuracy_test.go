package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spvsim/config"
	"spvsim/internal/suite"
	"spvsim/plots"
)

var update = flag.Bool("update", false, "write the page's table anew instead of comparing it")

// Each kernel's job runs at its own size, and a measured problem sets its parameters.
func TestKernelsRun(t *testing.T) {
	kernels := suite.Must(readKernels())(t)
	if len(kernels) != 29 {
		t.Errorf("%d kernels", len(kernels))
	}
	for name := range kernels {
		t.Run(name, func(t *testing.T) {
			r := simulate(t.Context(), &point{kernel: name, job: kernels[name].job(), microseconds: 1}, nil, time.Minute)
			if r.err != nil || r.simulated < 4 || r.simulated > 3000 {
				t.Errorf("%v us, %v: want a short one", r.simulated, r.err)
			}
		})
	}
}

func TestReadMeasured(t *testing.T) {
	for text, want := range map[string]string{
		"kernel_name,min_ms\n": "want kernel_name, problem_size, min_ms, avg_ms, or benchmark,",
		"kernel_name,problem_size,min_ms,avg_ms\nrelu,1024,x,1\n":                    "measured.csv:2: found \"x\"",
		"kernel_name,problem_size,min_ms,avg_ms\nrelu,1024,1,x\n":                    "measured.csv:2: found \"x\"",
		"kernel_name,problem_size,min_ms,avg_ms\nrelu,many,1,1\n":                    "measured.csv:2: problem \"many\" of relu",
		"kernel_name,problem_size,min_ms,avg_ms\nrelu,64,0.0042,0.005\n":             "",
		"kernel_name,problem_size,min_ms,avg_ms\nother,64,0.001,0.001\n":             "",
		"benchmark,parameters,size_name,size,ms\nshoc_triad,x=1,array_size,64,0.1\n": "",
	} {
		name := filepath.Join(t.TempDir(), "measured.csv")
		suite.OK(t, os.WriteFile(name, []byte(text), 0o644))
		_, err := readMeasured(name)
		if got := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(got, want) {
			t.Errorf("%q: %v: want %q", text, err, want)
		}
	}
}

func TestSummary(t *testing.T) {
	p := func(us float64) *point { return &point{microseconds: us} }
	s := summarize([]result{{point: p(10), simulated: 20}, {point: p(40), simulated: 20}, {point: p(1), err: os.ErrInvalid}})
	if s.points != 2 || s.bias != 1 || s.factor != 2 || s.weighted != 0.6 || s.mean != 0.75 {
		t.Errorf("%+v", s)
	}
}

// A prediction holds no measured time, takes its kernels in turn, and is compared later as a run would be. A point of which a job
// does a share takes as much longer.
func TestPredict(t *testing.T) {
	file := filepath.Join(t.TempDir(), "times.csv")
	suite.OK(t, accuracy([]string{"-measured", mi300x, "-predict", "-points", "empty_kernel *=1,empty_kernel *=512", "-out", file}))
	columns, rows := suite.Rows(t, file)
	if strings.Join(columns, " ") != "kernel problem status simulated_us" {
		t.Errorf("columns %v", columns)
	}
	points := suite.Must(readMeasured(mi300x))(t)
	if len(rows) != len(points) {
		t.Errorf("%d rows of %d points", len(rows), len(points))
	}
	for _, r := range suite.Must(readTimes(file, points))(t) {
		again := simulate(t.Context(), r.point, nil, time.Minute)
		if got, want := fmt.Sprintf("%.4g", r.simulated), fmt.Sprintf("%.4g", again.simulated); got != want || r.microseconds == 0 {
			t.Errorf("%s: %s us kept, %s us simulated", r.name(), got, want)
		}
	}
	turns := inTurn([]point{{kernel: "a", problem: "1"}, {kernel: "a", problem: "2"}, {kernel: "b", problem: "1"}})
	if turns[1].kernel != "b" {
		t.Errorf("%+v: want b second", turns)
	}
	p := point{kernel: "cache_latency", job: "kernels/cache_latency.yaml"} // 131072 steps
	s := suite.Must(setting("parameters.steps", "65536"))(t)
	whole := simulate(t.Context(), &p, nil, time.Minute).simulated
	p.settings = append(p.settings, s, config.Setting{Path: "expect", Value: suite.Must(config.ParseValue("[]"))(t)})
	if part := simulate(t.Context(), &p, nil, time.Minute).simulated; math.Abs(part/whole-1) > 0.05 {
		t.Errorf("%v us from a part, %v us as a whole", part, whole)
	}
}

// The modules equal glslang's output for the GLSL next to them.
func TestCommittedShaders(t *testing.T) {
	if !suite.AllCases() {
		t.Skip("starts a compiler for each shader, in the whole suite")
	}
	glslang, err := exec.LookPath("glslangValidator")
	if err != nil {
		t.Skip("glslangValidator is not installed (Debian package glslang-tools)")
	}
	sources, _ := filepath.Glob("kernels/*.comp")
	micro, _ := filepath.Glob("micro/*.comp")
	sources = append(sources, micro...)
	for _, source := range sources {
		built := filepath.Join(t.TempDir(), "built.spv")
		if text, err := exec.Command(glslang, "-V", "--target-env", "vulkan1.2", source, "-o", built).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		want, _ := os.ReadFile(built)
		if got, err := os.ReadFile(strings.TrimSuffix(source, "comp") + "spv"); err != nil || string(got) != string(want) {
			t.Errorf("%s: the module is another one (%v)", source, err)
		}
	}
}

const page = "../../docs/model/accuracy.md"

// The figure equals the one drawn from the committed errors. With -update it is redrawn.
func TestAccuracyFigure(t *testing.T) {
	const file = "figures/accuracy.svg"
	figure := suite.Must(plots.ReadFigure("figures/accuracy.yaml"))(t)
	rows := suite.Must(plots.ReadTable("errors.csv"))(t)
	chart := suite.Must(plots.Build(figure, rows))(t)
	want := suite.Must(chart.Draw("svg", ""))(t)
	if *update {
		suite.OK(t, os.WriteFile(file, want, 0o644))
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != string(want) {
		t.Errorf("%s is another one (%v): run go test ./experiments/accuracy -run TestFigure -args -update", file, err)
	}
}

// The page's tables equal those computed from the committed errors. With -update they are rewritten.
func TestPage(t *testing.T) {
	text := suite.Must(os.ReadFile(page))(t)
	got := string(text)
	want := got
	errorsMI300A := committedResults(t, "errors.csv")
	for _, part := range []struct {
		begin, end string
		table      string
	}{
		{"<!-- nothing chosen -->\n", "<!-- end of nothing chosen -->\n", firstTable(t)},
		{"<!-- judges, MI300A -->\n", "<!-- end of judges, MI300A -->\n", kernelTable(errorsMI300A, useJudge)},
		{"<!-- judges, MI300X -->\n", "<!-- end of judges, MI300X -->\n", kernelTable(predictedResults(t), useJudge)},
		{"<!-- training -->\n", "<!-- end of training -->\n", kernelTable(errorsMI300A, useTrain)},
		{"<!-- fitted numbers -->\n", "<!-- end of fitted numbers -->\n", fittedTable(t)},
		{"<!-- other devices -->\n", "<!-- end of other devices -->\n", deviceRows(t)},
		{"<!-- constants -->\n", "<!-- end of constants -->\n", constantTable(t)},
		{"<!-- structure -->\n", "<!-- end of structure -->\n", structureTable(t)},
		{"<!-- curves -->\n", "<!-- end of curves -->\n", curveTable(t)},
		{"<!-- off -->\n", "<!-- end of off -->\n", distrustTable(t)},
		{"<!-- memory -->\n", "<!-- end of memory -->\n", memoryTable(t)},
	} {
		before, rest, _ := strings.Cut(want, part.begin)
		_, after, ok := strings.Cut(rest, part.end)
		if !ok {
			t.Fatalf("%s has no part %q", page, part.begin)
		}
		want = before + part.begin + part.table + part.end + after
	}
	if *update {
		suite.OK(t, os.WriteFile(page, []byte(want), 0o644))
		return
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("run go test ./experiments/accuracy -run TestPage -args -update (-want +got):\n%s", d)
	}
}
