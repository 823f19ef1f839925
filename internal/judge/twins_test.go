package judge

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/files"
	"spvsim/internal/suite"
)

// Lines of a page that the comparison of twins is between.
const (
	twinsFrom = "<!-- twins: from here -->\n"
	twinsTo   = "<!-- twins: to here -->\n"
)

// accuracyFolder has the measured kernels in GLSL, their jobs, and the twins in OpenCL C.
const accuracyFolder = "../../experiments/accuracy"

// A twin is a kernel of twins.cl: its job, its name, the measured problem that is run, the size of its workgroups, the bindings
// of its buffers (nil: all of the job) and other values of parameters.
type twin struct {
	job, kernel, problem string
	local                []int
	bindings             []int
	set                  map[string]string
}

var twins = []twin{
	{"vectoradd", "vectoradd", "524288", []int{256}, nil, map[string]string{"n: 1024": "n: 524288"}},
	{"relu", "relu", "524288", []int{256}, nil, map[string]string{"n: 1024": "n: 524288"}},
	{"memcopy_d2d", "copy", "4MB", []int{256}, nil, map[string]string{"mb: 1,": "mb: 4,"}},
	{"fir", "fir", "65536_taps32", []int{256}, nil, map[string]string{"n: 1024, taps: 8": "n: 65536, taps: 32"}},
	{"simpleconvolution", "convolution", "256x256_mask5", []int{64}, nil, map[string]string{"width: 128, height: 128, mask: 3": "width: 256, height: 256, mask: 5"}},
	{"nbody", "nbody", "512_particles", []int{256}, nil, map[string]string{"n: 256}": "n: 512}"}},
	{"matrixtranspose", "matrixtranspose", "512x512", []int{16, 16}, nil, map[string]string{"n: 64}": "n: 512}"}},
	{"atax", "ataxrows", "96x96", []int{256}, []int{0, 1, 2}, map[string]string{"n: 48": "n: 96"}},
	{"atax", "ataxcolumns", "96x96", []int{256}, []int{0, 2, 3}, map[string]string{"n: 48": "n: 96"}},
	{"bicg", "bicgrows", "96x96", []int{256}, []int{0, 1, 2}, map[string]string{"n: 48": "n: 96"}},
	{"bicg", "bicgcolumns", "96x96", []int{256}, []int{0, 3, 4}, map[string]string{"n: 48": "n: 96"}},
	{"stencil2d", "stencil2d", "512x512", []int{1, 64}, nil, map[string]string{"n: 64,": "n: 512,"}},
	{"spmv_csr_scalar", "spmv", "16384x16384_nnz131072", []int{256}, nil, map[string]string{"rows: 1024, nnz: 4096": "rows: 16384, nnz: 131072"}},
	{"im2col", "im2col", "N1_C1_64x64_k5x5", []int{256}, nil, map[string]string{"w: 8, k: 3": "w: 64, k: 5"}},
	{"floydwarshall", "shortestpaths", "48_nodes", []int{8, 8}, nil, map[string]string{"n: 8}": "n: 48}"}},
	{"shoc_triad", "shoc_triad", "", []int{256}, nil, nil},
	{"shoc_stencil2d", "shoc_stencil2d", "", []int{16, 16}, nil, nil},
	{"shoc_sort", "shoc_sort", "", []int{256}, nil, nil},
	{"parboil_spmv", "spmv", "", []int{256}, nil, nil},
	{"parboil_histogram", "parboil_histogram", "", []int{256}, nil, nil},
	{"parboil_sgemm", "parboil_sgemm", "", []int{16, 16}, nil, nil},
	{"tango_blackscholes", "tango_blackscholes", "", []int{256}, nil, nil},
	{"rodinia_bfs", "rodinia_bfs", "", []int{256}, []int{0, 1, 2, 3}, nil},
	{"fp32_throughput", "fp32_throughput", "", []int{256}, nil, nil},
	{"atomic_operations", "atomic_operations", "", []int{256}, nil, nil},
	{"empty_kernel", "empty_kernel", "", []int{256}, nil, nil},
}

var (
	boundBuffers = regexp.MustCompile(`\n  - \{set: 0, binding: (\d+), name: (\w+), data`)
	pushConstant = regexp.MustCompile(`\{[iuf]32: (\[[^\]]*\]|[^}]*)\}`)
	pushBlock    = regexp.MustCompile(`push_constants: \[.*?\}\]`)
	dispatched   = regexp.MustCompile(`dispatch: \[(.*)\]`)
	zeroData     = regexp.MustCompile(`data: \{zero: ([^}]*)\}`)
)

// text is the job of the twin, made of that of the kernel in GLSL.
func (w *twin) text(glsl string) string {
	var buffers []string
	for _, m := range boundBuffers.FindAllStringSubmatch(glsl, -1) {
		if n, _ := strconv.Atoi(m[1]); w.bindings == nil || slices.Contains(w.bindings, n) {
			buffers = append(buffers, m[2])
		}
	}
	arguments := func(push string) string {
		list := slices.Clone(buffers)
		for _, m := range pushConstant.FindAllStringSubmatch(push, -1) {
			list = append(list, m[1])
		}
		return "arguments: [" + strings.Join(list, ", ") + "]"
	}
	shader := "shader: " + w.kernel + ".spv"
	all := strings.Contains(glsl, "\n"+shader+"\n") // launches are of this kernel
	var out []string
	for line := range strings.Lines(glsl) {
		step := strings.HasPrefix(line, " ")
		if push := pushBlock.FindString(line); push != "" && step && (strings.Contains(line, shader) || all) {
			line = strings.Replace(line, push, arguments(push), 1)
		} else if push != "" && !step {
			line += arguments(push) + "\n"
		}
		if all || strings.Contains(line, shader) {
			line = dispatched.ReplaceAllStringFunc(line, func(m string) string {
				var global, local []string
				for i, n := range strings.Split(dispatched.FindStringSubmatch(m)[1], ", ") {
					global = append(global, fmt.Sprintf("%q", fmt.Sprintf("(%s) * %d", strings.Trim(n, `"`), w.local[i])))
					local = append(local, fmt.Sprint(w.local[i]))
				}
				between := ", "
				if !step {
					between = "\n"
				}
				return fmt.Sprintf("global: [%s]%slocal: [%s]", strings.Join(global, ", "), between, strings.Join(local, ", "))
			})
		}
		out = append(out, line)
	}
	text := strings.ReplaceAll(strings.Join(out, ""), "\n"+shader, "\nshader: ../twins/twins.cl\nentry: "+w.kernel)
	text = strings.ReplaceAll(text, shader, "shader: ../twins/twins.cl, entry: "+w.kernel)
	if !strings.Contains(text, "arguments: ") {
		text = strings.Replace(text, "\nsteps:", "\n"+arguments("")+"\nsteps:", 1)
	}
	return text
}

// run runs a job of the folder of the kernels.
func (w *twin) run(t *testing.T, text, machine, mode string) (*gpu.Result, *config.Machine) {
	t.Helper()
	job := suite.Must(config.ParseJob(files.OS(), filepath.Join(accuracyFolder, "kernels", w.job+".yaml"), []byte(text)))(t)
	if machine == "" {
		machine = job.Machine
	}
	m := suite.Must(config.LoadMachine(config.Request{Machine: machine, Job: job}))(t)
	return suite.Must(gpu.Run(t.Context(), gpu.Setup{Machine: m, Job: job, Mode: mode, Threads: 1}))(t), m
}

// counted is the code of the kernel on the MI210, counted in the program, and what it leaves of random data.
func (w *twin) counted(t *testing.T, text string) (Counts, [][]byte) {
	t.Helper()
	text, _, _ = strings.Cut(text, "\nexpect:") // of the zeros
	r, m := w.run(t, zeroData.ReplaceAllString(text, "data: {random: {type: f32, seed: 7, count: ($1) / 4}}"), "cdna2-mi210", config.ModeFunctional)
	var left [][]byte
	for _, b := range r.Buffers {
		left = append(left, b.Bytes)
	}
	for i := range r.Listings {
		if l := &r.Listings[i]; l.Launch != nil && (strings.HasPrefix(l.Launch.Shader, w.kernel+".") || l.Program.Name == w.kernel) {
			return suite.Must(LoweredCode(l.Program, nil, m.Limits()))(t).Static(), left
		}
	}
	t.Fatalf("%s is not launched", w.kernel)
	return Counts{}, nil
}

// microseconds is the simulated time on the measured machine, as the experiment of accuracy counts it.
func (w *twin) microseconds(t *testing.T, text string) float64 {
	t.Helper()
	r, m := w.run(t, text, "", config.ModeTimed)
	var cycles uint64
	for i := range r.Stats.Steps {
		if r.Stats.Steps[i].Name != "setup" {
			cycles += r.Stats.Steps[i].Cycles
		}
	}
	return float64(cycles) / float64(m.ClockMHz)
}

// near reports words that are equal, or floats that differ by what the order of roundings may.
func near(a, b []byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i+4 <= len(a); i += 4 {
		x, y := binary.LittleEndian.Uint32(a[i:]), binary.LittleEndian.Uint32(b[i:])
		f, g := float64(math.Float32frombits(x)), float64(math.Float32frombits(y))
		if x != y && !(math.Abs(f-g) <= 1e-4*max(math.Abs(f), math.Abs(g), 1)) {
			return false
		}
	}
	return true
}

// accuracyRatios are simulated over measured times by kernel and problem, as the experiment of accuracy committed them.
func accuracyRatios(t *testing.T) map[string]float64 {
	t.Helper()
	rows := suite.Must(csv.NewReader(bytes.NewReader(suite.Must(os.ReadFile(filepath.Join(accuracyFolder, "errors.csv")))(t))).ReadAll())(t)
	column := func(name string) int { return slices.Index(rows[0], name) }
	out := map[string]float64{}
	for _, row := range rows[1:] {
		if r, err := strconv.ParseFloat(row[column("ratio")], 64); err == nil {
			out[row[column("kernel")]+" "+row[column("problem")]] = r
		}
	}
	return out
}

// Twins in OpenCL C of measured kernels leave what those in GLSL leave, in about the time and with about the instructions of these and of
// clang's code: go test ./internal/judge -run TestTwins -args -clang-page ../../docs/model/lowering.md writes the page's table.
func TestTwins(t *testing.T) {
	if _, err := exec.LookPath(clang); err != nil {
		t.Skip(clang, "is not installed")
	}
	if _, err := os.Stat(deviceLibs); err != nil {
		t.Skip("rocm-device-libs is not installed")
	}
	theirs := suite.Must(amdgcn(t.Context(), filepath.Join(accuracyFolder, "twins/twins.cl")))(t)
	ratios := accuracyRatios(t)
	var counts, times bytes.Buffer
	counts.WriteString("\n| kernel | GLSL | OpenCL C | clang |")
	for _, k := range comparedKinds {
		fmt.Fprintf(&counts, " %s |", k)
	}
	counts.WriteString("\n| --- | ---: | ---: | ---: |" + strings.Repeat(" ---: |", len(comparedKinds)) + "\n")
	times.WriteString("\n| kernel | problem | GLSL | OpenCL C |  | GLSL / measured | OpenCL C / measured |\n| --- | --- | ---: | ---: | ---: | ---: | ---: |\n")
	logs := 0.0
	for i := range twins {
		w := &twins[i]
		glsl := string(suite.Must(os.ReadFile(filepath.Join(accuracyFolder, "kernels", w.job+".yaml")))(t))
		a, left := w.counted(t, glsl)
		b, twinLeft := w.counted(t, w.text(glsl))
		for k := range left {
			if k >= len(twinLeft) || !near(left[k], twinLeft[k]) {
				t.Errorf("%s: buffer %d is another one in OpenCL C", w.kernel, k)
			}
		}
		c := theirs[w.kernel]
		fmt.Fprintf(&counts, "| %s | %.0f | %.0f | %.0f |", w.kernel, a.Total(), b.Total(), c.Total())
		for _, k := range comparedKinds {
			fmt.Fprintf(&counts, " %.0f / %.0f / %.0f |", a[k], b[k], c[k])
		}
		counts.WriteString("\n")
		logs += math.Log(b.Total() / c.Total())
		for was, is := range w.set {
			if !strings.Contains(glsl, was) {
				t.Errorf("%s: no parameters %s", w.job, was)
			}
			glsl = strings.Replace(glsl, was, is, 1)
		}
		x, y := w.microseconds(t, glsl), w.microseconds(t, w.text(glsl))
		fmt.Fprintf(&times, "| %s | %s | %.2f | %.2f | %.3f |", w.kernel, w.problem, x, y, y/x)
		if r, ok := ratios[w.job+" "+w.problem]; ok {
			fmt.Fprintf(&times, " %.2f | %.2f |\n", r, r*y/x)
		} else {
			times.WriteString("  |  |\n")
		}
		if y/x < 0.5 || y/x > 2 {
			t.Errorf("%s: %.2f us in OpenCL C, and %.2f in GLSL", w.kernel, y, x)
		}
	}
	mean := math.Exp(logs / float64(len(twins)))
	if mean < 0.5 || mean > 1.5 {
		t.Errorf("the geometric mean of static counts is %.2f of clang's", mean)
	}
	fmt.Fprintf(&counts, "\nThe geometric mean of OpenCL C here over clang's is %.2f.\n", mean)
	if *clangPage != "" {
		suite.OK(t, replaceBetween(*clangPage, twinsFrom, twinsTo, counts.String()+times.String()+"\n"))
	}
	t.Logf("%s%s", &counts, &times)
}
