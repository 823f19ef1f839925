package frontend

import (
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/internal/oracle"
	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/program/ir"
)

// A shaderCase runs one shader and compares its output buffer.
type shaderCase struct {
	name   string
	spec   map[uint32]uint64
	groups [3]uint32
	push   []byte
	// bind makes the descriptors by binding number, one an element.
	bind    func() map[uint32][]oracle.Descriptor
	regions func() []oracle.Region
	out     uint32 // binding that is compared
	want    func(wave int) []uint32
	// also compares other results.
	also func(t *testing.T, bound map[uint32][]oracle.Descriptor)
}

func words(list ...uint32) []byte {
	b := make([]byte, 4*len(list))
	for i, w := range list {
		binary.LittleEndian.PutUint32(b[4*i:], w)
	}
	return b
}

func floats(list ...float32) []byte {
	w := make([]uint32, len(list))
	for i, x := range list {
		w[i] = math.Float32bits(x)
	}
	return words(w...)
}

func toWords(b []byte) []uint32 {
	out := make([]uint32, len(b)/4)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return out
}

func buffer(b []byte) []oracle.Descriptor { return []oracle.Descriptor{{Data: b}} }

// arrange orders descriptors as the function's bindings want them.
func arrange(t *testing.T, f *ir.Func, bound map[uint32][]oracle.Descriptor) []oracle.Descriptor {
	t.Helper()
	var list []oracle.Descriptor
	for _, d := range f.Bindings {
		have := bound[d.Binding]
		if len(have) == 0 || d.Count > 0 && uint32(len(have)) != d.Count {
			t.Fatalf("binding %d: %d descriptors, want %d", d.Binding, len(have), d.Count)
		}
		list = append(list, have...)
	}
	return list
}

func (c *shaderCase) run(t *testing.T, path string, wave int) {
	f := build(t, path, Options{Specialization: c.spec, WaveSize: wave})
	bound := map[uint32][]oracle.Descriptor{}
	if c.bind != nil {
		bound = c.bind()
	}
	d := oracle.Dispatch{Groups: c.groups, WaveSize: wave, Push: c.push, Descriptors: arrange(t, f, bound)}
	if c.regions != nil {
		d.Regions = c.regions()
	}
	suite.Must(oracle.Run(f, d))(t)
	if diff := cmp.Diff(c.want(wave), toWords(bound[c.out][0].Data)); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
	if c.also != nil {
		c.also(t, bound)
	}
}

// TestShaders runs every case from the plain module, the one with debug
// information and the optimised one, for both wave sizes.
func TestShaders(t *testing.T) {
	for _, c := range shaderCases {
		for _, form := range []string{"", "debug", "optimised"} {
			for _, wave := range []int{32, 64} {
				t.Run(fmt.Sprintf("%s/%s/wave%d", c.name, form, wave), func(t *testing.T) {
					c.run(t, filepath.Join("testdata", form, c.name+".spv"), wave)
				})
			}
		}
	}
}

// TestEveryShaderHasACase keeps the table and the folder together.
func TestEveryShaderHasACase(t *testing.T) {
	have := map[string]bool{"print": true, "reduce": true, "saxpy": true}
	for _, c := range shaderCases {
		have[c.name] = true
	}
	paths, _ := filepath.Glob("testdata/*.spv")
	for _, p := range paths {
		if name := strings.TrimSuffix(filepath.Base(p), ".spv"); !have[name] {
			t.Errorf("%s has no case", name)
		}
	}
}

func TestSaxpy(t *testing.T) {
	f := build(t, "testdata/saxpy.spv", Options{})
	n := 100
	x, y, want := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], y[i] = float32(i), float32(2*i+1)
		want[i] = 3*x[i] + y[i]
	}
	out := floats(y...)
	push := append(floats(3), words(uint32(n))...)
	d := oracle.Dispatch{Groups: [3]uint32{2, 1, 1}, WaveSize: 32, Push: push}
	d.Descriptors = arrange(t, f, map[uint32][]oracle.Descriptor{0: buffer(floats(x...)), 1: buffer(out)})
	stats := suite.Must(oracle.Run(f, d))(t)
	if diff := cmp.Diff(floats(want...), out); diff != "" {
		t.Error(diff)
	}
	if stats.OutOfBounds != 0 {
		t.Errorf("%d accesses out of bounds", stats.OutOfBounds)
	}
}

func TestBindingsKnowWrites(t *testing.T) {
	f := build(t, "testdata/saxpy.spv", Options{})
	for _, d := range f.Bindings {
		if want := d.Binding == 1; d.Writes != want {
			t.Errorf("binding %d: Writes is %t", d.Binding, d.Writes)
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Code {
			if v.Op == isa.Load && v.Mem.Space == isa.SpaceBuffer {
				if want := f.Bindings[v.Mem.Binding].Binding == 0; v.Mem.ReadOnly != want {
					t.Errorf("%s: ReadOnly is %t", v, v.Mem.ReadOnly)
				}
			}
		}
	}
}

func TestReduce(t *testing.T) {
	f := build(t, "testdata/reduce.spv", Options{Specialization: map[uint32]uint64{0: 10}})
	x := make([]float32, 4*512)
	want := make([]float32, 2)
	for i := range x {
		x[i] = float32(i % 7)
		want[i/1024] += x[i]
	}
	for l := range 256 {
		k := float32(2)
		if l > 3 {
			k = 1
		} else if l < 3 {
			k = float32(l)
		}
		want[0] += k + 21
		want[1] += k + 21
	}
	out := make([]byte, 8)
	d := oracle.Dispatch{Groups: [3]uint32{2, 1, 1}, WaveSize: 32}
	d.Descriptors = arrange(t, f, map[uint32][]oracle.Descriptor{0: buffer(floats(x...)), 1: buffer(out)})
	suite.Must(oracle.Run(f, d))(t)
	if diff := cmp.Diff(floats(want...), out); diff != "" {
		t.Error(diff)
	}
}

func TestPrintf(t *testing.T) {
	f := build(t, "testdata/print.spv", Options{})
	var got []string
	d := oracle.Dispatch{Groups: [3]uint32{1, 1, 1}, WaveSize: 32}
	d.Print = func(format string, args []uint64) { got = append(got, fmt.Sprint(format, args)) }
	suite.Must(oracle.Run(f, d))(t)
	want := []string{
		"lane %u of %v2f[0 1069547520 1073741824]",
		"lane %u of %v2f[1 1069547520 1073741824]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
