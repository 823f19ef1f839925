package validate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spvsim/internal/fuzz/mutate"
	"spvsim/internal/suite"
	"spvsim/spirv"
	"spvsim/spirv/asm"
)

// originals are modules that pass: those of the repository with most kinds of instructions, and those of the tables of this package.
func originals(t *testing.T) (list []*spirv.Module) {
	t.Helper()
	for _, pattern := range []string{
		"testdata/rules/*.spvasm", "../../program/frontend/testdata/*.spv*", "../../program/frontend/testdata/graph/*.spvasm", "../../gpu/testdata/draw/*.spv", "../../gpu/testdata/graph/*.spvasm",
		"../../experiments/library/*.spvasm", "../../internal/systemtest/testdata/keys/*.spvasm", "../../vulkan/testdata/shaders/*.spvasm",
	} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", pattern, files, err)
		}
		for _, file := range files {
			data := suite.Must(os.ReadFile(file))(t)
			raw, err := spirv.Decode(data)
			if strings.HasSuffix(file, ".spvasm") {
				raw, err = asm.Assemble(data, file)
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(raw.Instructions) < 400 {
				list = append(list, raw)
			}
		}
	}
	for _, s := range sentences() {
		list = append(list, assemble(t, s.assembled(s.good)))
	}
	return append(list, assemble(t, untypedText))
}

// broken counts faults: the rule and the sentence without its numbers.
func broken(times map[string]int, err error) {
	var faults Faults
	var one Fault
	var node NodeFault
	switch {
	case err == nil:
		times["passes"]++
	case errors.As(err, &node):
		times["of a graph: "+node.Rule]++
	case errors.As(err, &faults):
		for _, f := range faults {
			times[f.Rule+": "+f.format]++
		}
	case errors.As(err, &one):
		times[one.Rule+": "+one.format]++
	default:
		times["another error"]++
	}
}

// nodesOf returns a module's entry points as nodes of one graph.
func nodesOf(m *Module) (list []GraphNode) {
	for i := range m.EntryPoints {
		list = append(list, GraphNode{Name: m.EntryPoints[i].Name, Module: m, Entry: &m.EntryPoints[i]})
	}
	return list
}

// Slightly changed modules break the sentences of testdata/mutants.txt as often as recorded there, and the faults of
// all changed versions of a module match, word for word, its digest in testdata/verdicts.txt. -update writes the files.
func TestWhatMutantsBreak(t *testing.T) {
	times := map[string]int{}
	var verdicts strings.Builder
	for i, m := range originals(t) {
		each := max(30, min(100, 6000/len(m.Instructions)))
		said := ""
		if _, err := Check(m); err != nil && errors.Is(err, ErrInvalid) {
			t.Errorf("original %d: %v", i, err)
		}
		random := rand.New(rand.NewPCG(uint64(m.Bound), uint64(len(m.Instructions))))
		for range each {
			raw, err := spirv.Decode(mutate.Module(m, random, mutate.Options{Edits: 1}).Encode(binary.LittleEndian))
			if err != nil {
				times["decoding"]++
				said += "\n" + err.Error()
				continue
			}
			changed, err := Check(raw)
			if err == nil {
				err = CheckGraph(nodesOf(changed))
			}
			broken(times, err)
			said += fmt.Sprintf("\n%v", err)
		}
		fmt.Fprintf(&verdicts, "%d: %d of %d pass, %s\n", i, strings.Count(said, "\n<nil>"), each, suite.Digest([]byte(said)))
	}
	asWritten(t, "mutants.txt", times)
	suite.CompareRecorded(t, "verdicts.txt", verdicts.String(), *update)
}

// asWritten compares how often there is each text with a file of testdata, or writes it.
func asWritten(t *testing.T, name string, times map[string]int) {
	t.Helper()
	var lines []string
	for text, n := range times {
		lines = append(lines, fmt.Sprintf("%5d %s", n, text))
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[6:], b[6:]) })
	suite.CompareRecorded(t, name, strings.Join(lines, "\n")+"\n", *update)
}
