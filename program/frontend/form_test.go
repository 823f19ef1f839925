package frontend

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	fuzz "spvsim/internal/fuzz/mutate"
	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/asm"
	"spvsim/spirv/validate"
)

// formFolders have modules whose form testdata/form.txt describes.
var formFolders = []string{"program/frontend/testdata", "program/frontend/testdata/graph", "gpu/testdata/draw", "gpu/testdata/dot", "gpu/testdata/lanes", "gpu/testdata/textures"}

// moreFolders have modules of which it has digests alone.
var moreFolders = []string{"gpu/testdata/dxc", "gpu/testdata/graph", "internal/systemtest/testdata/keys", "vulkan/testdata/shaders", "experiments/library", "experiments/figures/jobs"}

// read returns a module of a file, as words or as text.
func read(t *testing.T, file string) *validate.Module {
	t.Helper()
	data := suite.Must(os.ReadFile(file))(t)
	raw, err := spirv.Decode(data)
	if strings.HasSuffix(file, ".spvasm") {
		raw, err = asm.Assemble(data, file)
	}
	if err != nil {
		t.Fatal(err)
	}
	m := suite.Must(validate.Check(raw))(t)
	return m
}

var (
	valueNumber = regexp.MustCompile(`\bv\d+`)
	valueSource = regexp.MustCompile(`  ; %.*$`)
)

// writeForm writes an entry point's interface to the machine, and how often each kind of value occurs, described
// without the numbers of its operands.
func writeForm(out *bytes.Buffer, f *ir.Func) {
	line := func(name string, of any) {
		if text, _ := json.Marshal(of); string(text) != "null" {
			fmt.Fprintf(out, "  %s %s\n", name, text)
		}
	}
	fmt.Fprintf(out, "  size %v, lds %d, push %d, constants %d, strings %q, reconverge %t\n", f.LocalSize, f.LDSBytes, f.PushBytes, len(f.Constants), f.Strings, f.MaxReconverge)
	for i := range f.Bindings {
		line("binding", f.Bindings[i])
	}
	for _, l := range f.Locals {
		fmt.Fprintf(out, "  local %d %q: %v, %d words each\n", l.ID, l.Name, l.Slots, l.SlotWords)
	}
	line("views", f.LDSViews)
	line("node", f.Node)
	line("fragment", f.Fragment)
	times := map[string]int{}
	add := func(format string, args ...any) { times[fmt.Sprintf(format, args...)]++ }
	for _, b := range f.Blocks {
		add("block of %d, to %d, merge %t, continue %t, end %d, unroll %d", len(b.Preds), len(b.Succs), b.Merge != nil, b.Continue != nil, b.Term, b.Unroll)
		for _, v := range slices.Concat(b.Phis, b.Code) {
			if v.Op != isa.Const {
				add("%s%s", valueSource.ReplaceAllString(valueNumber.ReplaceAllString(v.String(), "v"), ""), map[bool]string{true: " as it is"}[v.NoContract])
			}
		}
	}
	var lines []string
	for text, n := range times {
		lines = append(lines, fmt.Sprintf("  %s: %d\n", text, n))
	}
	slices.Sort(lines)
	out.WriteString(strings.Join(lines, ""))
	fmt.Fprintf(out, "  all values in order %s\n", formDigest(f))
}

// formDigest returns a digest of a function's text, with the operands of each value.
func formDigest(f *ir.Func) string {
	var text bytes.Buffer
	ir.Print(&text, f)
	return suite.Digest(text.Bytes())
}

// formFiles returns the modules of folders, by their names from the root of the repository.
func formFiles(t *testing.T, folders []string) (list []string) {
	t.Helper()
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join("..", "..", folder, "*.spv*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", folder, files, err)
		}
		for _, file := range files {
			list = append(list, filepath.ToSlash(file[len("../../"):]))
		}
	}
	return list
}

// formOptions are those that modules are translated with.
func formOptions(m *validate.Module, entry int) Options {
	return Options{Entry: m.EntryPoints[entry].Name, WaveSize: 32, WithoutHelpers: entry%2 == 1, Kernel: anyLaunch(), Matrix: MatrixTarget{Unit: isa.RDNA3, Has: func(isa.Class) bool { return true }}}
}

// The front end translates each module to the form in testdata/form.txt. -update writes the file.
func TestFormOfTheModules(t *testing.T) {
	var out bytes.Buffer
	whole := formFiles(t, formFolders)
	for n, file := range slices.Concat(whole, formFiles(t, moreFolders)) {
		m := read(t, "../../"+file)
		for i := range m.EntryPoints {
			fmt.Fprintf(&out, "%s %s\n", file, m.EntryPoints[i].Name)
			if f, err := Build(m, formOptions(m, i)); err != nil {
				fmt.Fprintf(&out, "  refused\n")
			} else if n < len(whole) {
				writeForm(&out, f)
			} else {
				fmt.Fprintf(&out, "  all values in order %s\n", formDigest(f))
			}
		}
	}
	suite.CompareRecorded(t, "form.txt", out.String(), *update)
}

// matrixFiles multiply cooperative matrices.
var matrixFiles = []string{"experiments/library/gemm.spvasm", "internal/systemtest/testdata/keys/matrices.spvasm", "vulkan/testdata/shaders/matrix.spvasm"}

// Matrices lie in registers as each unit has them, and are multiplied in lanes where there is none: testdata/matrices.txt. With -update the file is written.
func TestFormOfMatrices(t *testing.T) {
	var out bytes.Buffer
	has := func(isa.Class) bool { return true }
	for _, file := range matrixFiles {
		m := read(t, "../../"+file)
		for unit := isa.NoMatrixUnit; unit <= isa.RDNA4; unit++ {
			for _, wave := range []int{32, 64} {
				fmt.Fprintf(&out, "%s, unit %d, waves of %d\n", file, unit, wave)
				f, err := Build(m, Options{WaveSize: wave, Matrix: MatrixTarget{Unit: unit, Lower: unit == isa.NoMatrixUnit, Has: has}})
				if err != nil {
					fmt.Fprintf(&out, "  refused: %s\n", anyNumber.ReplaceAllString(faultPlace.ReplaceAllString(err.Error(), ""), "N"))
				} else {
					writeForm(&out, f)
				}
			}
		}
	}
	suite.CompareRecorded(t, "matrices.txt", out.String(), *update)
}

var (
	faultPlace = regexp.MustCompile(`^.*?: (?:word|line) [^:]*: `)
	anyNumber  = regexp.MustCompile(`[0-9]+`)
)

// Slightly changed modules that still pass the rules are refused as often as in testdata/mutants.txt, sentence by
// sentence, or become as many operations of each kind.
func TestWhatMutantsBecome(t *testing.T) {
	const each = 12
	times := map[string]int{}
	var lines []string
	for _, file := range formFiles(t, slices.Concat(formFolders, moreFolders)) {
		forms := ""
		original := read(t, "../../"+file).Raw
		random := rand.New(rand.NewPCG(uint64(original.Bound), uint64(len(original.Instructions))))
		for range each {
			raw, err := spirv.Decode(fuzz.Module(original, random, fuzz.Options{Edits: 1, PreferValid: true}).Encode(binary.LittleEndian))
			if err != nil {
				continue
			}
			if m, err := validate.Check(raw); err == nil {
				forms += countForms(times, m)
			}
		}
		lines = append(lines, fmt.Sprintf("%s: %s\n", file, suite.Digest([]byte(forms))))
	}
	for text, n := range times {
		lines = append(lines, fmt.Sprintf("%s: %d\n", text, n))
	}
	slices.Sort(lines)
	suite.CompareRecorded(t, "mutants.txt", strings.Join(lines, ""), *update)
}

// countForms counts what becomes of a module's entry points, whose digests it gives.
func countForms(times map[string]int, m *validate.Module) (forms string) {
	for i := range m.EntryPoints {
		f, err := Build(m, formOptions(m, i))
		if err != nil {
			times["refused: "+anyNumber.ReplaceAllString(faultPlace.ReplaceAllString(err.Error(), ""), "N")]++
			continue
		}
		forms += formDigest(f)
		for _, b := range f.Blocks {
			for _, v := range slices.Concat(b.Phis, b.Code) {
				times[fmt.Sprintf("%s of %s from %s", isa.Table[v.Op].Name, v.T, v.From)]++
			}
		}
	}
	return forms
}
