package asm_test

import (
	"bytes"
	"encoding/binary"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/internal/suite"
	"spvsim/spirv"
	"spvsim/spirv/asm"
	"spvsim/spirv/grammar"
	"spvsim/spirv/internal/sample"
)

// need skips a test where a tool of other makers is not installed.
func need(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
}

func run(t *testing.T, tool string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(tool, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %v: %v\n%s%s", tool, args, err, out.Bytes(), errs.Bytes())
	}
	return out.Bytes()
}

// compiled returns the files of the shaders in testdata, compiled in several
// ways, and of the text modules, by spirv-as.
func compiled(t *testing.T) []string {
	t.Helper()
	need(t, "glslangValidator", "spirv-as", "spirv-dis")
	var out []string
	dir := t.TempDir()
	sources, _ := filepath.Glob("testdata/*.[cf]*")
	for _, src := range sources {
		for _, flags := range [][]string{{"--target-env", "vulkan1.1"}, {"--target-env", "vulkan1.3", "-g"}, {"--target-env", "spirv1.6", "-gVS"}} {
			spv := filepath.Join(dir, filepath.Base(src)+strings.Join(flags, "")+".spv")
			run(t, "glslangValidator", append(flags, "-V", src, "-o", spv)...)
			out = append(out, spv)
		}
	}
	for name, env := range map[string]string{"numbers": "spv1.4", "debuginfo": "spv1.3"} {
		spv := filepath.Join(dir, name+".spv")
		run(t, "spirv-as", "--target-env", env, "testdata/"+name+".spvasm", "-o", spv)
		out = append(out, spv)
	}
	return out
}

func load(t *testing.T, path string) *spirv.Module {
	t.Helper()
	b := suite.Must(os.ReadFile(path))(t)
	m, err := spirv.Decode(b)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return m
}

// body leaves out the generator, which spirv-as replaces by its own.
func body(m *spirv.Module) []uint32 {
	words := m.Words()
	words[2] = 0
	return words
}

func TestAgainstTools(t *testing.T) {
	if testing.Short() {
		t.Skip("starts an assembler and a disassembler for each module of the library")
	}
	for _, path := range compiled(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			m := load(t, path)
			for _, raw := range []bool{false, true} {
				checkDisassembly(t, path, m, raw)
				checkAssembly(t, m, raw)
			}
		})
	}
}

func checkDisassembly(t *testing.T, path string, m *spirv.Module, raw bool) {
	t.Helper()
	args := []string{path}
	if raw {
		args = append(args, "--raw-id")
	}
	want := string(run(t, "spirv-dis", args...))
	got := suite.Must(asm.Disassemble(m, asm.Options{RawIDs: raw}))(t)
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("raw ids: %v: spirv-dis (-), ours (+):\n%s", raw, diff)
	}
}

func checkAssembly(t *testing.T, m *spirv.Module, raw bool) {
	t.Helper()
	text := suite.Must(asm.Disassemble(m, asm.Options{RawIDs: raw}))(t)
	src := filepath.Join(t.TempDir(), "m.spvasm")
	suite.OK(t, os.WriteFile(src, []byte(text), 0o644))
	version := "spv1." + string(rune('0'+m.Version>>8&0xFF))
	args := []string{"--target-env", version, src, "-o", src + ".spv"}
	if raw {
		args = append(args, "--preserve-numeric-ids")
	}
	run(t, "spirv-as", args...)
	want := load(t, src+".spv")
	got := suite.Must(asm.AssembleWith([]byte(text), src, asm.AssembleOptions{PreserveNumericIDs: raw}))(t)
	if raw {
		want.Bound = m.Bound // which spirv-as does not read from the header
	}
	if !slices.Equal(body(got), body(want)) {
		t.Errorf("raw ids: %v: words differ from spirv-as", raw)
	}
}

// TestNumbersAgainstTools reads text that was not made by us.
func TestNumbersAgainstTools(t *testing.T) {
	need(t, "spirv-as")
	spv := filepath.Join(t.TempDir(), "numbers.spv")
	run(t, "spirv-as", "--target-env", "spv1.4", "testdata/numbers.spvasm", "-o", spv)
	src := suite.Must(os.ReadFile("testdata/numbers.spvasm"))(t)
	got := suite.Must(asm.Assemble(src, "numbers.spvasm"))(t)
	if diff := cmp.Diff(body(load(t, spv)), body(got)); diff != "" {
		t.Error(diff)
	}
}

// TestBuiltInNamesAgainstTools compares the names of all built-in variables
// that the installed tools know.
func TestBuiltInNamesAgainstTools(t *testing.T) {
	need(t, "spirv-dis")
	path := filepath.Join(t.TempDir(), "b.spv")
	for _, e := range grammar.KindBuiltIn.Info().Enumerants {
		m := sample.Module(spirv.Instruction{Op: spirv.OpDecorate, Operands: []uint32{77, uint32(spirv.DecorationBuiltIn), e.Value}})
		m.Instructions = m.Instructions[len(m.Instructions)-1:]
		suite.OK(t, os.WriteFile(path, m.Encode(binary.LittleEndian), 0o644))
		want, err := exec.Command("spirv-dis", "--no-header", path).Output()
		if err != nil {
			continue // newer than the tool
		}
		got := suite.Must(asm.Disassemble(m, asm.Options{NoHeader: true}))(t)
		// Newer grammars have other first names for some values.
		if a, b := strings.Fields(got)[1], strings.Fields(string(want))[1]; a != b {
			t.Errorf("%s: named %s, by spirv-dis %s", e.Name, a, b)
		}
	}
}

// TestEveryOpcodeAgainstTools reads what spirv-dis writes of each opcode that
// it knows. (Its text need not be ours: newer grammars rename things.)
func TestEveryOpcodeAgainstTools(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a disassembler for each of a thousand opcodes")
	}
	need(t, "spirv-dis")
	maker := &sample.Maker{Pick: rand.New(rand.NewSource(4)).Intn}
	path := filepath.Join(t.TempDir(), "m.spv")
	known := 0
	for i := range grammar.Ops {
		if name := grammar.Ops[i].Name; strings.HasSuffix(name, "PipeBlockingALTERA") || name == "OpAsmTargetINTEL" {
			continue // had another result in older grammars
		}
		m := sample.Module(maker.Instruction(&grammar.Ops[i], sample.FirstFree))
		suite.OK(t, os.WriteFile(path, m.Encode(binary.LittleEndian), 0o644))
		text, err := exec.Command("spirv-dis", "--raw-id", path).Output()
		if err != nil {
			continue
		}
		known++
		got, err := asm.AssembleWith(text, "spirv-dis", asm.AssembleOptions{PreserveNumericIDs: true})
		if err != nil {
			t.Errorf("%v\n%s", err, lastLine(text))
		} else if !slices.Equal(body(m), body(got)) {
			t.Errorf("other words from %s", lastLine(text))
		}
	}
	if known < 300 {
		t.Errorf("spirv-dis read only %d of %d samples", known, len(grammar.Ops))
	}
}

func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}
