package gpu

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/internal/suite"
	"spvsim/spirv"
	"spvsim/spirv/asm"
	"spvsim/spirv/clc"
)

// A kernelCase is a launch of a kernel of testdata/cl with what it should leave.
type kernelCase struct {
	entry         string
	global        []int // work-items
	local, offset []int // nil: the job does not say
	arguments     []any // a slice: a buffer of these elements; a left; a string: as in the job
	after         string
	refused       string // words of the error; empty: the kernel runs
}

// An image has texels of a format, each an array of components.
type image struct {
	format string
	left          // want: texels after the launch; nil: as before
	size   string // keys of the job; empty: 2D, of 8 x 4 texels
}

// left is a buffer with what the kernel should leave in it.
type left struct {
	want    any       // a slice
	from    any       // before; nil: zeros
	ulps    []float64 // allowed, by element in turn; nil: the same bits
	skipped func(i int) bool
}

// kernelTopics are the cases by file of testdata/cl.
var kernelTopics = map[string][]kernelCase{}

// leaves is a buffer that is zero at first and compared to the bit.
func leaves(want any) left { return left{want: want} }

// mapped are the arguments of a kernel that computes an element from an element.
func mapped[I, O any](in []I, f func(I) O) []any {
	out := make([]O, len(in))
	for i := range in {
		out[i] = f(in[i])
	}
	return []any{in, leaves(out)}
}

// made is a slice of what f returns.
func made[T any](n int, f func(i int) T) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

// noise is a deterministic word for each number (the finalizer of MurmurHash3).
func noise(i int) uint32 {
	h := uint32(i)*0x9e3779b9 + 12345
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

func noises(n int) []uint32 { return made(n, noise) }

// reals are floats between -8 and 8.
func reals(n int) []float32 {
	return made(n, func(i int) float32 { return float32(noise(i)>>8)/(1<<20) - 8 })
}

func (c *kernelCase) job(t *testing.T, files fstest.MapFS, module string) string {
	t.Helper()
	var buffers, arguments []string
	for i, a := range c.arguments {
		name := fmt.Sprintf("b%d", i)
		switch a := a.(type) {
		case string:
			name = a
		case image:
			data := ""
			if a.from != nil {
				files[name] = &fstest.MapFile{Data: le(a.from)}
				data = ", data: {file: " + name + "}"
			}
			buffers = append(buffers, fmt.Sprintf("{name: %s, image: {format: %s, %s%s}}", name, a.format, cmp.Or(a.size, "width: 8, height: 4"), data))
		case left:
			if a.from == nil {
				buffers = append(buffers, fmt.Sprintf("{name: %s, data: {zero: %d}}", name, binary.Size(a.want)))
				break
			}
			files[name] = &fstest.MapFile{Data: le(a.from)}
			buffers = append(buffers, fmt.Sprintf("{name: %s, data: {file: %s}}", name, name))
		default:
			files[name] = &fstest.MapFile{Data: le(a)}
			buffers = append(buffers, fmt.Sprintf("{name: %s, data: {file: %s}}", name, name))
		}
		arguments = append(arguments, name)
	}
	list := func(key string, n []int) string {
		if n == nil {
			return ""
		}
		return key + ": [" + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(n)), ", "), "[]") + "]\n"
	}
	return fmt.Sprintf("shader: %s\nentry: %s\nbuffers: [%s]\narguments: [%s]\n%s%s%s", module, c.entry, strings.Join(buffers, ", "),
		strings.Join(arguments, ", "), list("global", c.global), list("local", c.local), list("global_offset", c.offset))
}

// run runs the case, and compares what it leaves.
func (c *kernelCase) run(t *testing.T, module []byte, on kernelMachine) {
	t.Helper()
	files := fstest.MapFS{"k.spv": &fstest.MapFile{Data: module}}
	s := setupBeside(t, files, c.job(t, files, "k.spv"), on.machine, on.set...)
	s.Mode, s.MaxCycles = on.mode, 1e7
	result, err := Run(t.Context(), s)
	if err != nil || c.refused != "" {
		if c.refused == "" || err == nil || !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%v, want it refused for %q", err, c.refused)
		}
		return
	}
	got := map[string][]byte{}
	for _, b := range result.Buffers {
		got[b.Name] = b.Bytes
	}
	for i, a := range c.arguments {
		if m, ok := a.(image); ok && m.want != nil {
			a = m.left
		}
		if l, ok := a.(left); ok {
			l.compare(t, fmt.Sprintf("argument %d", i), got[fmt.Sprintf("b%d", i)])
		}
	}
}

// compare reports the first scalars that differ.
func (l *left) compare(t *testing.T, name string, got []byte) {
	t.Helper()
	scalar := reflect.TypeOf(l.want).Elem()
	for scalar.Kind() == reflect.Array {
		scalar = scalar.Elem()
	}
	want, size := le(l.want), int(scalar.Size())
	if len(got) != len(want) {
		t.Errorf("%s: %d bytes, want %d", name, len(got), len(want))
		return
	}
	wrong := 0
	for i := 0; i < len(want)/size; i++ {
		g, w := got[i*size:(i+1)*size], want[i*size:(i+1)*size]
		if string(g) == string(w) || l.skipped != nil && l.skipped(i) || l.near(scalar.Kind(), g, w, i) {
			continue
		}
		if wrong++; wrong <= 3 {
			t.Errorf("%s, scalar %d: %s, want %s", name, i, scalarText(scalar.Kind(), g), scalarText(scalar.Kind(), w))
		}
	}
	if wrong > 3 {
		t.Errorf("%s: %d of %d scalars differ", name, wrong, len(want)/size)
	}
}

// near reports floats within the bound; two NaN are equal whatever their bits.
func (l *left) near(kind reflect.Kind, got, want []byte, i int) bool {
	var g, w, step float64
	switch kind {
	case reflect.Float32:
		single := math.Float32frombits(binary.LittleEndian.Uint32(want))
		g, w = float64(math.Float32frombits(binary.LittleEndian.Uint32(got))), float64(single)
		step = float64(math.Nextafter32(float32(math.Abs(w)), float32(math.Inf(1)))) - math.Abs(w)
	case reflect.Float64:
		g, w = math.Float64frombits(binary.LittleEndian.Uint64(got)), math.Float64frombits(binary.LittleEndian.Uint64(want))
		step = math.Nextafter(math.Abs(w), math.Inf(1)) - math.Abs(w)
	default:
		return false
	}
	if math.IsNaN(w) || math.IsNaN(g) {
		return math.IsNaN(w) && math.IsNaN(g)
	}
	return g == w || len(l.ulps) > 0 && math.Abs(g-w) <= (l.ulps[i%len(l.ulps)]+0.5)*step // half for the rounding of want
}

func scalarText(kind reflect.Kind, b []byte) string {
	switch kind {
	case reflect.Float32:
		return fmt.Sprint(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case reflect.Float64:
		return fmt.Sprint(math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	var text string
	for i := len(b) - 1; i >= 0; i-- {
		text += fmt.Sprintf("%02x", b[i])
	}
	return "0x" + text
}

// A kernelMachine is where and how a case runs.
type kernelMachine struct {
	machine, mode string
	set           []string
}

// kernelMachines have waves of both sizes, buffers by descriptors and by pointers, and run with and without time.
var kernelMachines = []kernelMachine{
	{"rdna3-rx7900xtx", "timed", nil},
	{"cdna3-mi300a", "functional", nil},
	{"gcn3-r9nano", "timed", nil},
	{"rdna3-rx7900xtx", "functional", []string{"wave_size=64"}},
}

// Every kernel of testdata/cl leaves what its case computes in Go, on machines of both wave sizes, with and without time.
func TestKernels(t *testing.T) {
	machines := kernelMachines
	if testing.Short() {
		machines = machines[:2]
	}
	eachKernel(t, func(t *testing.T, source string, c *kernelCase) {
		module := suite.Must(os.ReadFile(strings.TrimSuffix(source, ".cl") + ".spv"))(t)
		for _, on := range machines {
			t.Run(on.machine+"-"+on.mode, func(t *testing.T) { c.run(t, module, on) })
		}
	})
}

// Modules with addresses of 32 bits (clang -target spir) leave the same. They are compiled by the commands of docs/guide/opencl.md with
// -target spir in place of spir64, and without information for debuggers.
func TestKernelsOfShortAddresses(t *testing.T) {
	for _, topic := range []string{"pointers", "tables", "variables", "structs"} {
		module := suite.Must(os.ReadFile("testdata/cl/short/" + topic + ".spv"))(t)
		for i := range kernelTopics[topic] {
			c := &kernelTopics[topic][i]
			for _, on := range kernelMachines[:2] {
				t.Run(topic+" "+c.entry+" "+on.machine, func(t *testing.T) { c.run(t, module, on) })
			}
		}
	}
}

// A kernel of instructions that no kernel of testdata/cl has, because clang and llvm-spirv do not emit them.
func TestWrittenKernel(t *testing.T) {
	w := noises(most + 1)
	w[7], w[8], w[9] = 0, 1<<31, 1<<31
	c := kernelCase{entry: "written", global: []int{most}, arguments: []any{w, leaves(made(most, func(i int) [6]uint32 {
		a, b := w[i], w[i+1]
		x, y := float32(int32(a)), float32(int32(b))
		return [6]uint32{uint32(bits.TrailingZeros32(a)), uint32(bits.OnesCount32(a)), math.Float32bits(max(x, y)), math.Float32bits(min(x, y)),
			uint32(int32(int8(a))<<8 | int32(uint8(b))), a<<16 | b&0xffff}
	}))}}
	m := suite.Must(asm.Assemble(suite.Must(os.ReadFile("testdata/written.spvasm"))(t), "written.spvasm"))(t)
	for _, on := range kernelMachines {
		t.Run(on.machine+"-"+on.mode, func(t *testing.T) { c.run(t, m.Encode(binary.LittleEndian), on) })
	}
}

// refusedWithoutOptimization are refused because of what they store, with words of the error.
var refusedWithoutOptimization = map[string]string{
	"newer.cl generic_pointers": "this pointer as a value",
}

// Without clang's optimization every variable is in memory, and nothing is inlined.
func TestKernelsWithoutOptimization(t *testing.T) {
	if !clc.Available() {
		t.Skip("no clang with llvm-spirv")
	}
	modules := map[string][]byte{}
	eachKernel(t, func(t *testing.T, source string, c *kernelCase) {
		if modules[source] == nil {
			modules[source] = compiledKernel(t, source, "-O0")
		}
		if words := refusedWithoutOptimization[filepath.Base(source)+" "+c.entry]; words != "" {
			other := *c
			c, other.refused = &other, words
		}
		c.run(t, modules[source], kernelMachine{"cdna3-mi300a", "functional", nil})
		c.run(t, modules[source], kernelMachine{"rdna3-rx7900xtx", "functional", nil})
	})
}

func eachKernel(t *testing.T, do func(t *testing.T, source string, c *kernelCase)) {
	t.Helper()
	sources := suite.Must(filepath.Glob("testdata/cl/*.cl"))(t)
	if len(sources) != len(kernelTopics) {
		t.Errorf("%d sources, and cases of %d", len(sources), len(kernelTopics))
	}
	for _, source := range sources {
		topic := strings.TrimSuffix(filepath.Base(source), ".cl")
		t.Run(topic, func(t *testing.T) {
			for i := range kernelTopics[topic] {
				c := &kernelTopics[topic][i]
				t.Run(c.entry+c.after, func(t *testing.T) { do(t, source, c) })
			}
		})
	}
}

func compiledKernel(t *testing.T, source, options string) []byte {
	t.Helper()
	text := suite.Must(os.ReadFile(source))(t)
	if own, ok := bytes.CutPrefix(text, []byte("// options: ")); ok {
		line, _, _ := bytes.Cut(own, []byte("\n"))
		options += " " + string(line)
	}
	return suite.Must(clc.Compile(t.Context(), &clc.Source{Name: filepath.Base(source), Text: text, Options: options}))(t)
}

var updateKernels = flag.Bool("update", false, "compile the kernels of testdata/cl again")

// The committed modules are what the sources compile to, and each kernel has a case.
func TestKernelModules(t *testing.T) {
	if !clc.Available() {
		t.Skip("no clang with llvm-spirv")
	}
	for _, source := range suite.Must(filepath.Glob("testdata/cl/*.cl"))(t) {
		built := compiledKernel(t, source, "")
		file := strings.TrimSuffix(source, ".cl") + ".spv"
		if *updateKernels {
			suite.OK(t, os.WriteFile(file, built, 0o644))
		}
		have := suite.Must(os.ReadFile(file))(t)
		if word := func(b []byte) uint32 { return binary.LittleEndian.Uint32(b[8:]) }; word(have) == word(built) && string(have) != string(built) {
			t.Errorf("%s is not what %s compiles to", file, source)
		}
		m := suite.Must(LoadModule(have, file))(t)
		for _, e := range m.EntryPoints {
			found := e.Model != spirv.ExecutionModelKernel
			for _, c := range kernelTopics[strings.TrimSuffix(filepath.Base(source), ".cl")] {
				found = found || c.entry == e.Name
			}
			if !found {
				t.Errorf("%s: %s has no case", source, e.Name)
			}
		}
	}
}

// Launches of a job, of any kernel of a module and in any round, share the variables of the program scope.
func TestVariablesAreShared(t *testing.T) {
	w := noises(most)
	counter, bins := uint32(5), make([]uint32, 17)
	for _, v := range w {
		counter += 3 * (v & 7)
		bins[v&15] += 3
	}
	bins[16] = counter
	for _, on := range kernelMachines {
		files := fstest.MapFS{"k.spv": &fstest.MapFile{Data: suite.Must(os.ReadFile("testdata/cl/variables.spv"))(t)}, "w": &fstest.MapFile{Data: le(w)}}
		s := setupBeside(t, files, fmt.Sprintf(`shader: k.spv
buffers: [{name: in, data: {file: w}}, {name: out, data: {zero: %d}}, {name: told, data: {zero: 68}}]
steps:
  - {for: {i: 1 .. 3}, entry: counted, global: [%d], arguments: [in, out]}
  - {entry: told, global: [17], arguments: [told]}
`, 4*most, most), on.machine, on.set...)
		s.Mode = on.mode
		r := suite.Must(Run(t.Context(), s))(t)
		if got := r.Buffers[2].Bytes; string(got) != string(le(bins)) {
			t.Errorf("%s: %v, want %v", on.machine, got, bins)
		}
	}
}
