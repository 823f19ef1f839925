package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/experiments"
	"spvsim/internal/suite"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// result is the outcome of one command line.
type result struct {
	args           []string
	status         int
	stdout, stderr string
}

// prints asserts an exit status and that standard output holds every text.
func (r result) prints(t *testing.T, status int, texts ...string) {
	t.Helper()
	r.holds(t, status, r.stdout, texts)
}

// says asserts an exit status and that standard error holds every text.
func (r result) says(t *testing.T, status int, texts ...string) {
	t.Helper()
	r.holds(t, status, r.stderr, texts)
}

func (r result) holds(t *testing.T, status int, of string, texts []string) {
	t.Helper()
	for _, text := range texts {
		if r.status != status || !strings.Contains(of, text) {
			t.Errorf("%q: status %d, output\n%.2000s\nerror\n%.2000s\nwant status %d and %q", r.args, r.status, r.stdout, r.stderr, status, text)
		}
	}
}

// Main runs one command line and returns the exit status.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return run(context.Background(), args, stdin, stdout, stderr)
}

// spvsim runs a command line with text on its standard input.
func spvsim(stdin string, args ...string) result {
	var out, errs bytes.Buffer
	status := Main(args, strings.NewReader(stdin), &out, &errs)
	return result{args, status, out.String(), errs.String()}
}

// wantRefused asserts exit status 2, no standard output, and one line of error that contains every text.
func wantRefused(t *testing.T, r result, texts ...string) {
	t.Helper()
	if r.status != exitBadInput || r.stdout != "" {
		t.Errorf("status %d, output %q; want %d and none", r.status, r.stdout, exitBadInput)
	}
	if strings.Count(r.stderr, "\n") != 1 || !strings.HasPrefix(r.stderr, "spvsim: ") {
		t.Errorf("error %q: want one line that begins with spvsim:", r.stderr)
	}
	suite.Contains(t, r.stderr, texts...)
}

// ready returns a file of the library of experiments.
func ready(t *testing.T, job, file string) []byte {
	t.Helper()
	files, _, _, err := experiments.Lookup(job)
	if err != nil {
		t.Fatal(err)
	}
	data := suite.Must(fs.ReadFile(files, file))(t)
	return data
}

// The release number is in the program and in two files; the flag prints the same as the command.
func TestRelease(t *testing.T) {
	for _, args := range []string{"version", "--version"} {
		if r := spvsim("", args); r.status != exitDone || !strings.HasPrefix(r.stdout, "spvsim "+release) {
			t.Errorf("%s: %+v", args, r)
		}
	}
	for file, want := range map[string]string{"CITATION.cff": "\nversion: " + release + "\n", "CHANGELOG.md": "\n## " + release} {
		if text, err := os.ReadFile(filepath.Join("..", "..", file)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s, %v: want %q", file, err, want)
		}
	}
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"rnu"}, `unknown command "rnu" (did you mean run?)`},
		{[]string{"frobnicate"}, `unknown command "frobnicate" (see spvsim --help)`},
		{[]string{"run", "--cycles"}, "unknown flag: --cycles (did you mean --max-cycles?)"},
		{[]string{"validate"}, "validate: found 0 arguments: want a shader"},
		{[]string{"inspect", "a", "b"}, "inspect: found 2 arguments: want a shader"},
		{[]string{"version", "x"}, "version: found 1 argument: want none (see spvsim version --help)"},
		{[]string{"machine", "a", "b"}, "machine: found 2 arguments: want a machine file"},
		{[]string{"plot"}, "plot: found 0 arguments: want a figure (.yaml)"},
		{[]string{"plot", "rows.csv"}, "plot: found the rows rows.csv in the place of a figure: want spvsim plot rows.csv FIGURE.yaml"},
		{[]string{"plot", "../../docs/tutorial/sum.yaml"}, "sum.yaml:1: this is a job, not a figure"},
		{[]string{"help", "rnu"}, `unknown command "rnu" (did you mean run?)`},
		{[]string{"completion", "cmd"}, `unknown command "cmd" for "spvsim completion"`},
		{[]string{"run", "reduce", "--zzzzzzzz"}, "unknown flag: --zzzzzzzz (see spvsim run --help)"},
		{[]string{"run", "reduce", "-z"}, "unknown shorthand flag: 'z' in -z (see spvsim run --help)"},
		{[]string{"run", "reduce", "--thread", "2"}, "unknown flag: --thread (did you mean --threads?)"},
		{[]string{"run", "reduce", "--threads", "two"}, `--threads two: found "two": want an integer of 0 to 1024`},
		{[]string{"run", "reduce", "--max-cycles", "-1"}, `--max-cycles -1: found "-1": want an integer of 0 to 1152921504606846976`},
		{[]string{"run", "reduce", "--max-seconds", "-1"}, "--max-seconds -1: want a number of seconds, from 0 to 31536000"},
		{[]string{"run", "reduce", "--stats-host=2"}, "--stats-host 2: want true or false"},
		{[]string{"run", "empty.spv"}, "empty.spv: can't read: no such file or directory"},
		{[]string{"run", "../../docs/tutorial"}, "tutorial: found a folder: want a file"},
		{[]string{"run", "../../docs/tutorial/sum.spv"}, "sum.spv: found a SPIR-V module: want a job: spvsim init"},
		{[]string{"asm", "../../docs/tutorial/sum.spv"}, "sum.spv: found a binary module: want its text"},
		{[]string{"init", "../../docs/tutorial/sum.yaml"}, "sum.yaml: found a YAML file: want a module"},
		{[]string{"inspect", "../../docs/tutorial/sum.spv", "--entry", "mian"}, `sum.spv: found no entry point "mian": want one of ["main"]`},
		{[]string{"inspect", "reduce", "--entry", "mian"}, `reduce: found no entry point "mian": want one of ["main"]`},
		{[]string{"run", "reduce", "-q", "--stats", "."}, "--stats .: found a folder: want a file"},
		{[]string{"run", "reduce", "-q", "--listing", "no-such-folder/x"}, "--listing no-such-folder/x: found no folder no-such-folder: want one that exists"},
		{[]string{"run", "reduce", "-q", "--dump", "output=no-such-folder/x"}, "--dump no-such-folder/x: found no folder no-such-folder"},
		{[]string{"run", "reduce", "-q", "--series", "no-such-folder/x"}, "--series no-such-folder/x: found no folder no-such-folder"},
		{[]string{"run", "reduce", "-q", "--profile", "."}, "--profile .: found a folder"},
		{[]string{"run", "reduce", "-q", "--trace", "."}, "--trace .: found a folder"},
		{[]string{"report", "reduce", "-o", "no-such-folder/x"}, "--out no-such-folder/x: found no folder no-such-folder"},
		{[]string{"graph", "reduce"}, "graph: found none in job reduce: want nodes"},
		{[]string{"sweep", "lds-stride", "--workers", "-1"}, `--workers -1: found "-1": want an integer of 0 to `},
		{[]string{"sweep", "lds-stride", "--small", "-o", "main.go"}, "main.go: found a file: want a folder for output"},
		{[]string{"sweep", "nothing-of-the-kind"}, `"nothing-of-the-kind": want a name of spvsim sweep --list`},
		{[]string{"stats", "--describe", "cyclse"}, `--describe: found "cyclse": want the path of a statistic (nearest: cycles)`},
		{[]string{"schema", "jbo"}, "jbo"},
		{[]string{"machine", "gcn3-r9nona"}, "gcn3-r9nano"},
		{[]string{"disasm", "no-such-file.spv"}, "no-such-file.spv"},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) { wantRefused(t, spvsim("", c.args...), c.want) })
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{}, {"--help"}, {"help"}, {"run", "--help"}, {"inspect", "-h"}} {
		if r := spvsim("", args...); r.status != exitDone || !strings.Contains(r.stdout, "spvsim run") && !strings.Contains(r.stdout, "spvsim inspect") || r.stderr != "" {
			t.Errorf("%q: status %d, error %q, output %q", args, r.status, r.stderr, r.stdout)
		}
	}
}

// A module can be wrong in four ways, which have four errors.
func TestWrongModules(t *testing.T) {
	good := ready(t, "saxpy", "saxpy.spv")
	edit := func(f func(words []byte) []byte) string { return string(f(bytes.Clone(good))) }
	cases := []struct {
		name, module, want string
	}{
		{"unknown opcode", edit(unknownOpcode), "opcode"},
		{"truncated word", edit(func(m []byte) []byte { return m[:len(m)-2] }), "4"},
		{"missing capability", edit(withoutShader), "needs the capability Shader"},
		{"undefined id", edit(undefinedID), "is not defined"},
	}
	job := writeJob(t, "'-'", "8")
	seen := map[string]string{}
	for _, c := range cases {
		for _, command := range [][]string{{"inspect", "-"}, {"run", job}} {
			r := spvsim(c.module, command...)
			t.Run(c.name+" "+command[0], func(t *testing.T) { wantRefused(t, r, c.want) })
			if other, ok := seen[r.stderr]; ok && other != c.name {
				t.Errorf("%s and %s give the same error %q", c.name, other, r.stderr)
			}
			seen[r.stderr] = c.name
		}
	}
}

// eachInstruction calls f with the words of the instructions of a module until it returns false.
func eachInstruction(m []byte, f func(words []byte, opcode uint16) bool) {
	for at := 20; at < len(m); {
		size := 4 * int(binary.LittleEndian.Uint16(m[at+2:]))
		if !f(m[at:at+size], binary.LittleEndian.Uint16(m[at:])) {
			return
		}
		at += size
	}
}

const (
	opCapability = 17
	opStore      = 62
)

func unknownOpcode(m []byte) []byte {
	eachInstruction(m, func(words []byte, opcode uint16) bool {
		if opcode == opStore {
			binary.LittleEndian.PutUint16(words, 0x7ff0)
		}
		return opcode != opStore
	})
	return m
}

// undefinedID replaces the first store's value by an id below the bound that nothing defines.
func undefinedID(m []byte) []byte {
	bound := binary.LittleEndian.Uint32(m[12:])
	binary.LittleEndian.PutUint32(m[12:], bound+1)
	eachInstruction(m, func(words []byte, opcode uint16) bool {
		if opcode == opStore {
			binary.LittleEndian.PutUint32(words[8:], bound)
		}
		return opcode != opStore
	})
	return m
}

// withoutShader removes the module's first instruction, OpCapability Shader.
func withoutShader(m []byte) []byte {
	if binary.LittleEndian.Uint16(m[20:]) != opCapability {
		return nil
	}
	return append(m[:20:20], m[28:]...)
}

func TestManyFaultsAreOneLineWhereNobodyAskedForThem(t *testing.T) {
	faults := validate.Faults{{Word: 7, Op: spirv.OpLoad, Text: "first"}, {Word: 9, Op: spirv.OpStore, Text: "second"}, {Word: 12, Op: spirv.OpStore, Text: "third"}}
	err := fmt.Errorf("x.spv: %w", faults)
	want := "x.spv: spirv: word 7 (OpLoad): first (and 2 more: spvsim validate lists them)"
	if got := firstFault(err).Error(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	single := errors.New("x.spv: something else")
	if firstFault(single) != single {
		t.Error("another error was changed")
	}
	want = "x.spv: spirv: word 7 (OpLoad): first\nx.spv: spirv: word 9 (OpStore): second\nx.spv: spirv: word 12 (OpStore): third"
	if got := eachNamed("x.spv", err).Error(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestInspectJobInterface(t *testing.T) {
	for _, c := range []struct {
		shader string
		want   []string
	}{
		{"reduce.spv", []string{"entry point", "main (GLCompute), workgroups of 256 x 1 x 1", "set 0 binding 0", "f32[] data at 0", "push constants", "u32 n at 0", "GroupNonUniformArithmetic"}},
		{"transpose.spv", []string{"specialization", "0: u32 PITCH = 32", "1: u32 SWIZZLE = 0"}},
	} {
		r := spvsim(string(ready(t, "reduce", c.shader)), "inspect", "-")
		if r.status != exitDone {
			t.Fatal(r.stderr)
		}
		for _, text := range c.want {
			if !strings.Contains(r.stdout, text) {
				t.Errorf("%s: %q is missing in\n%s", c.shader, text, r.stdout)
			}
		}
	}
}

func TestTextAndBackGivesTheSameModule(t *testing.T) {
	module := string(ready(t, "matmul", "matmul.spv"))
	text := spvsim(module, "disasm", "--raw-id", "-")
	if text.status != exitDone || !strings.Contains(text.stdout, "OpEntryPoint GLCompute") {
		t.Fatalf("status %d: %s", text.status, text.stderr)
	}
	name := filepath.Join(t.TempDir(), "again.spv")
	if r := spvsim(text.stdout, "asm", "--preserve-numeric-ids", "-", "-o", name); r.status != exitDone {
		t.Fatal(r.stderr)
	}
	again := suite.Must(os.ReadFile(name))(t)
	// The generator, the third word, identifies the tool that wrote the module.
	if !bytes.Equal(again[12:], []byte(module)[12:]) || !bytes.Equal(again[:8], []byte(module)[:8]) {
		t.Error("the module changed on its way through text")
	}
}

func TestAsmErrorsNameTheLine(t *testing.T) {
	r := spvsim("OpCapability Shader\nOpMemoryModle Logical GLSL450\n", "asm", "-")
	wantRefused(t, r, "standard input:2:", "OpMemoryModle")
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data := suite.Must(os.ReadFile(name))(t)
	return data
}
