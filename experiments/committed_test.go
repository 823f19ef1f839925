package experiments

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/internal/suite"
	"spvsim/spirv/clc"
)

var compileShaders = flag.Bool("compile", false, "compile the library's shaders; without it, digests say that they and their modules are as when they were compiled")

var update = flag.Bool("update", false, "rebuild the library's modules and data instead of comparing them")

// The committed modules equal glslang's output for the GLSL next to them, or clang's and llvm-spirv's for the OpenCL C, and
// the committed data that of sparseMatrix.
// With -update (go generate) they are rebuilt.
func TestCommittedFiles(t *testing.T) {
	settle(t, filepath.Join("library", "spmv.bin"), sparseMatrix(512))
	var sources []string
	for _, pattern := range []string{"*.comp", "*.frag", "*.cl"} {
		list := suite.Must(filepath.Glob(filepath.Join("[ls]*", pattern)))(t) // library, sampling
		if sources = append(sources, list...); pattern != "*.frag" && len(list) == 0 {
			t.Fatalf("no shaders %s", pattern)
		}
	}
	if *update || *compileShaders {
		for _, source := range sources {
			t.Run(filepath.Base(source), func(t *testing.T) {
				settle(t, moduleOf(source), compile(t, source))
			})
		}
	}
	settle(t, "modules.sum", digests(t, sources))
}

// moduleOf is the file of the module that a source is compiled to.
func moduleOf(source string) string { return strings.TrimSuffix(source, filepath.Ext(source)) + ".spv" }

// digests has a line for each source: digests of its bytes and of its module's, and its name. With an unchanged line
// the compiler need not run.
func digests(t *testing.T, sources []string) (text []byte) {
	t.Helper()
	for _, source := range sources {
		for _, name := range []string{source, moduleOf(source)} {
			data := suite.Must(os.ReadFile(name))(t)
			text = fmt.Appendf(text, "%x ", sha256.Sum256(data))
		}
		text = fmt.Appendln(text, filepath.ToSlash(source))
	}
	return text
}

// compile returns the module of a source. It skips the test where the compiler is not installed.
func compile(t *testing.T, source string) []byte {
	t.Helper()
	if clc.IsSource(source) {
		module, err := clc.Compile(t.Context(), &clc.Source{Name: filepath.Base(source), Text: suite.Must(os.ReadFile(source))(t)})
		if errors.Is(err, clc.ErrNoCompiler) {
			t.Skip("modules not rebuilt: clang-14 and llvm-spirv-14 are not installed (Debian packages of these names)")
		}
		suite.OK(t, err)
		return module
	}
	glslang, err := exec.LookPath("glslangValidator")
	if err != nil {
		t.Skip("modules not rebuilt: glslangValidator is not installed (Debian package glslang-tools)")
	}
	out := filepath.Join(t.TempDir(), "built.spv")
	if text, err := exec.Command(glslang, "-V", "--target-env", "vulkan1.2", source, "-o", out).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", glslang, err, text)
	}
	built := suite.Must(os.ReadFile(out))(t)
	return built
}

// settle compares a committed file with its expected content, or writes it.
func settle(t *testing.T, name string, want []byte) {
	t.Helper()
	if *update {
		suite.OK(t, os.WriteFile(name, want, 0o644))
		return
	}
	got := suite.Must(os.ReadFile(name))(t)
	if isModule(got) && isModule(want) && generator(got) != generator(want) {
		t.Skipf("committed module is by generator %#x, the one installed here is %#x", generator(got), generator(want))
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what its source gives: run go generate ./experiments", name)
	}
}

func isModule(file []byte) bool {
	return len(file) >= 20 && binary.LittleEndian.Uint32(file) == 0x07230203
}

// generator is the third word of a module: the tool that wrote it and its version.
func generator(module []byte) uint32 {
	return binary.LittleEndian.Uint32(module[8:])
}

// sparseMatrix returns a square matrix in compressed rows (starts, columns, values). A row has 1 to 40 small integers;
// most are short, so that adjacent rows take different times, and every sum is exact.
func sparseMatrix(rows int) []byte {
	var columns []uint32
	var values []float32
	starts := []uint32{0}
	state := uint32(1)
	next := func(below uint32) uint32 {
		state = state*1664525 + 1013904223 // Numerical Recipes' generator
		return uint32(uint64(state) * uint64(below) >> 32)
	}
	for range rows {
		length := 1 + next(8)
		if next(8) == 0 {
			length *= 5
		}
		column := next(uint32(rows))
		for range length {
			columns = append(columns, column)
			values = append(values, float32(next(17))-8)
			column = (column + 1 + next(40)) % uint32(rows)
		}
		starts = append(starts, uint32(len(columns)))
	}
	var b bytes.Buffer
	for _, part := range []any{starts, columns, values} {
		binary.Write(&b, binary.LittleEndian, part) // never fails on a Buffer
	}
	return b.Bytes()
}
