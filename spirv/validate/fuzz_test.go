package validate

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"spvsim/internal/suite"
	"spvsim/spirv"
	"spvsim/spirv/asm"
)

func assembles(text string) (*spirv.Module, bool) {
	raw, err := asm.Assemble([]byte(text), "text")
	return raw, err == nil
}

// FuzzCheck: any bytes give a module or an error; no panic, no hang.
func FuzzCheck(f *testing.F) {
	texts, _ := filepath.Glob("testdata/rules/*.spvasm")
	for _, name := range texts {
		text := suite.Must(os.ReadFile(name))(f)
		raw, ok := assembles(string(text))
		if !ok {
			f.Fatal(name)
		}
		f.Add(raw.Encode(binary.LittleEndian))
	}
	for _, name := range []string{"reduce", "scan", "spmv", "fft"} {
		if data, err := os.ReadFile("../../experiments/library/" + name + ".spv"); err == nil {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		raw, err := spirv.Decode(data)
		if err != nil {
			return
		}
		m, err := Check(raw)
		if (m == nil) != (err != nil) {
			t.Fatalf("module %v, error %v", m, err)
		}
		if m == nil {
			return
		}
		var nodes []GraphNode
		for i := range m.EntryPoints {
			nodes = append(nodes, GraphNode{Name: m.EntryPoints[i].Name, Module: m, Entry: &m.EntryPoints[i]})
		}
		_ = CheckGraph(nodes)
	})
}

// FuzzEdit changes words of modules that pass, which gets further than bytes
// do: an operand at a time, so that the form stays right.
func FuzzEdit(f *testing.F) {
	texts, _ := filepath.Glob("testdata/rules/*.spvasm")
	var modules [][]uint32
	for _, name := range texts {
		text := suite.Must(os.ReadFile(name))(f)
		raw, ok := assembles(string(text))
		if !ok {
			f.Fatal(name)
		}
		modules = append(modules, raw.Words())
	}
	f.Add(uint8(0), []byte{1, 2, 3, 4, 5, 6, 7, 8, 9})
	f.Fuzz(func(t *testing.T, which uint8, edits []byte) {
		words := append([]uint32(nil), modules[int(which)%len(modules)]...)
		for ; len(edits) >= 3; edits = edits[3:] {
			at := (int(edits[0]) | int(edits[1])<<8) % len(words)
			words[at] = words[at]&0xFFFFFF00 | uint32(edits[2])
		}
		raw, err := spirv.DecodeWords(words)
		if err != nil {
			return
		}
		_, _ = Check(raw)
	})
}
