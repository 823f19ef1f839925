package gpu

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"testing/fstest"

	"spvsim/internal/suite"
)

// Modules that glslang makes of GLSL with GL_AMD_shader_ballot and
// GL_AMD_gcn_shader.

// runLanes runs a module of one workgroup size with an input and an output.
func runLanes(t *testing.T, module, input []byte, output, groups, wave int, set ...string) []byte {
	t.Helper()
	return runLanesResult(t, module, input, output, groups, wave, set...).Buffers[1].Bytes
}

func runLanesResult(t *testing.T, module, input []byte, output, groups, wave int, set ...string) *Result {
	t.Helper()
	files := fstest.MapFS{"m.spv": &fstest.MapFile{Data: module}, "in.bin": &fstest.MapFile{Data: input}}
	with := setupBeside(t, files, fmt.Sprintf(`shader: m.spv
buffers:
  - {set: 0, binding: 0, name: in, data: {file: in.bin}}
  - {set: 0, binding: 1, name: out, data: {zero: %d}}
dispatch: [%d]
`, output, groups), "rdna3-rx7900xtx", append(set, "shader_engines=1", "compute_units=2", fmt.Sprintf("wave_size=%d", wave))...)
	r := suite.Must(Run(context.Background(), with))(t)
	return r
}

func laneModule(t *testing.T, name string) []byte {
	t.Helper()
	data := suite.Must(os.ReadFile(filepath.Join("testdata/lanes", name+".spv")))(t)
	return data
}

// khr is the module that Debian's spirv-opt makes of one with AMD's extensions.
func khr(t *testing.T, module []byte) []byte {
	t.Helper()
	tool, err := exec.LookPath("spirv-opt")
	if err != nil {
		t.Skip("spirv-opt is not installed (Debian package spirv-tools)")
	}
	from, to := filepath.Join(t.TempDir(), "amd.spv"), filepath.Join(t.TempDir(), "khr.spv")
	suite.OK(t, os.WriteFile(from, module, 0o644))
	if text, err := exec.Command(tool, "--amd-ext-to-khr", from, "-o", to).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	data := suite.Must(os.ReadFile(to))(t)
	return data
}

func laneForm(t *testing.T, module []byte, form string) []byte {
	if form == "khr" {
		return khr(t, module)
	}
	return module
}

const swizzleRows = 16

func swizzleSource(t int) uint32 { return uint32(t+1) * 2654435761 >> 20 }

// swizzleWant is row by row what thread t of waves of that size receives.
func swizzleWant(row, t, wave int) uint32 {
	first, i := t/wave*wave, t%wave
	from := func(lane int) uint32 { return swizzleSource(first + lane) }
	quad := func(offset ...int) int { return i/4*4 + offset[i%4] }
	masked := func(x, y, z int) int { return (((i & 0x1f) & x) | y) ^ z | i&0x20 }
	evens := uint64(0)
	for l := range wave {
		evens |= uint64(1-from(l)&1) << l
	}
	below := uint64(1)<<i - 1
	sum, least, most := uint32(0), ^uint32(0), uint32(0)
	for l := range wave {
		sum += from(l)
		if l <= i {
			least = min(least, from(l))
		}
		if l < i {
			most = max(most, from(l))
		}
	}
	written := from(i)
	if i == 5 {
		written = swizzleSource(3)
	}
	return [swizzleRows]uint32{
		from(quad(1, 0, 3, 2)), from(quad(3, 3, 0, 2)), math.Float32bits(float32(from(quad(2, 3, 0, 1)) + 1)),
		from(masked(31, 0, 1)), from(masked(31, 0, 7)), from(masked(31, 0, 15)), from(masked(24, 5, 2)),
		from(masked(31, 0, 16)), from(masked(21, 9, 13)), from(masked(0, 17, 0)),
		written,
		uint32(bits.OnesCount64(evens & below)), uint32(bits.OnesCount64(0xF0F0F0F0F0F0F0F0 & below)),
		sum, least, most,
	}[row]
}

func TestCompiledSwizzles(t *testing.T) {
	var input []byte
	for i := range 128 {
		input = binary.LittleEndian.AppendUint32(input, swizzleSource(i))
	}
	module := laneModule(t, "swizzles")
	for _, form := range []string{"amd", "khr"} {
		for _, wave := range []int{32, 64} {
			for _, lowering := range []string{"dpp", "lds"} {
				t.Run(fmt.Sprintf("%s/wave%d/%s", form, wave, lowering), func(t *testing.T) {
					out := words(runLanes(t, laneForm(t, module, form), input, swizzleRows*512, 1, wave, "timing.lowering="+lowering))
					for at, got := range out {
						if want := swizzleWant(at/128, at%128, wave); got != want {
							t.Fatalf("row %d, thread %d: %#x, want %#x", at/128, at%128, got, want)
						}
					}
				})
			}
		}
	}
}

// All directions of a small grid: every face, edges, corners and ties.
func cubeDirections() (list [][3]float32) {
	for x := -3; x <= 3; x++ {
		for y := -3; y <= 3; y++ {
			for z := -3; z <= 3; z++ {
				if x != 0 || y != 0 || z != 0 {
					list = append(list, [3]float32{float32(x), float32(y), float32(z) * 1.25})
				}
			}
		}
	}
	return list
}

// cubeWant is the face and the coordinates on it, by the table of faces in the
// OpenGL specification; ties to z, then y.
func cubeWant(p [3]float32) (face int, s, t float32) {
	abs := func(x float32) float32 { return float32(math.Abs(float64(x))) }
	x, y, z := p[0], p[1], p[2]
	var sc, tc, ma float32
	switch {
	case abs(z) >= abs(x) && abs(z) >= abs(y):
		face, sc, tc, ma = 4, x, -y, z
		if z < 0 {
			face, sc = 5, -x
		}
	case abs(y) >= abs(x):
		face, sc, tc, ma = 2, x, z, y
		if y < 0 {
			face, tc = 3, -z
		}
	default:
		face, sc, tc, ma = 0, -z, -y, x
		if x < 0 {
			face, sc = 1, z
		}
	}
	return face, sc/(2*abs(ma)) + 0.5, tc/(2*abs(ma)) + 0.5
}

// Coordinates may differ by the rounding of the reciprocal that drivers multiply with.
const cubeTolerance = 1.0 / (1 << 23)

func TestCompiledCubeOperations(t *testing.T) {
	list := cubeDirections()
	var input []byte
	groups := (len(list) + 63) / 64
	for i := range groups * 64 {
		for _, x := range list[min(i, len(list)-1)] {
			input = binary.LittleEndian.AppendUint32(input, math.Float32bits(x))
		}
	}
	module := laneModule(t, "cube")
	for _, form := range []string{"amd", "khr"} {
		t.Run(form, func(t *testing.T) {
			out := runLanes(t, laneForm(t, module, form), input, groups*64*12, groups, 32)
			at := func(i int) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(out[4*i:])) }
			for i, p := range list {
				face, s, tc := cubeWant(p)
				if at(3*i) != float32(face) || math.Abs(float64(at(3*i+1)-s)) > cubeTolerance || math.Abs(float64(at(3*i+2)-tc)) > cubeTolerance {
					t.Errorf("%v: face %v (%v, %v), want %d (%v, %v)", p, at(3*i), at(3*i+1), at(3*i+2), face, s, tc)
				}
			}
		})
	}
}
