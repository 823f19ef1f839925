package opt

import (
	goflag "flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"spvsim/isa"
	"spvsim/program/ir"
)

var update = goflag.Bool("update", false, "write testdata/code.txt")

// codeOptions are machines by what the passes ask for.
var codeOptions = []struct {
	name string
	o    Options
}{
	{"plain", Options{WaveSize: 8}},
	{"pointers", Options{WaveSize: 8, FuseMad: true, FuseMad16: true, LshlAdd: true, Add3: true, SelectBuffers: true}},
	{"descriptors", Options{WaveSize: 64, LshlAdd: true, Add3: true, TwoScalars: true, Registers: RegisterFile{All: 256, Granule: 4, Waves: 10}}},
	{"divider", Options{WaveSize: 32, ScalarFloat: true, UnrollTrips: 4, UnrollValues: 64, MaxVectorRegs: 8, Divides: func(_ isa.Op, t isa.Type) bool { return t == isa.I32 }}},
}

// countCode adds what a function became to the counts of a machine: each operation, with its types and whether it is the same in all lanes, the form of each access, blocks, and
// how far apart values and their first readers are.
func countCode(times map[string]int, machine string, f *ir.Func) {
	add := func(n int, format string, args ...any) { times[machine+" "+fmt.Sprintf(format, args...)] += n }
	add(len(f.Blocks), "blocks")
	for _, b := range f.Blocks {
		read := map[*ir.Value]bool{}
		for i, v := range slices.Backward(b.Code) {
			for _, a := range v.Args {
				read[a] = true
			}
			if v.Op == isa.Const {
				continue
			}
			add(1, "%s.%s uniform %t", isa.Table[v.Op].Name, v.T, v.Uniform)
			if m := v.Mem; m != nil {
				add(1, "access to %d: %d of %s, base %t, index %t, offset %d", m.Space, m.Count, m.Elem, m.HasBase, m.HasIndex, m.Offset/64)
			}
			if read[v] {
				first := slices.IndexFunc(b.Code[i+1:], func(w *ir.Value) bool { return slices.Contains(w.Args, v) })
				add(first, "apart")
			}
		}
		add(len(b.Phis), "phis")
	}
}

// Random programs become as many operations of each kind as testdata/code.txt says, all of them together. With -update the file is written.
func TestCodeOfRandomPrograms(t *testing.T) {
	const programs = 200
	times := map[string]int{}
	for _, machine := range codeOptions {
		draw := rapid.Custom(func(r *rapid.T) *ir.Func { return program(t, r) })
		for seed := range programs {
			f := draw.Example(seed)
			Run(f, machine.o)
			countCode(times, machine.name, f)
		}
	}
	var lines []string
	for text, n := range times {
		lines = append(lines, fmt.Sprintf("%s: %d\n", text, n))
	}
	slices.Sort(lines)
	got, path := strings.Join(lines, ""), filepath.Join("testdata", "code.txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("(-file +now), written anew with -update:\n%s", diff)
	}
}
