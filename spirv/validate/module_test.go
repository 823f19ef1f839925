package validate

import (
	"os"
	"path/filepath"
	"testing"

	"spvsim/internal/suite"
	"spvsim/spirv"
)

func load(t *testing.T, name string) *Module {
	t.Helper()
	data := suite.Must(os.ReadFile(filepath.Join("testdata", name)))(t)
	raw := suite.Must(spirv.Decode(data))(t)
	m := suite.Must(Check(raw))(t)
	return m
}

func TestViewOfSaxpy(t *testing.T) {
	m := load(t, "saxpy.spv")
	e := m.EntryPoint("main")
	if e == nil || e.Model != spirv.ExecutionModelGLCompute {
		t.Fatalf("entry point: %+v", e)
	}
	size := e.Mode(spirv.ExecutionModeLocalSize)
	if size == nil || size.Args[0] != 64 || size.Args[1] != 1 {
		t.Errorf("local size: %+v", size)
	}
	f := m.Function(e.Func)
	if len(f.Blocks) != 3 || f.Blocks[0].Merge() == nil {
		t.Errorf("%d blocks, want 3, the first with a merge instruction", len(f.Blocks))
	}
	if b := f.Block(f.Blocks[1].ID); b != f.Blocks[1] {
		t.Error("blocks are not found by label")
	}
	if !m.Capabilities[spirv.CapabilityShader] || m.Memory != spirv.MemoryModelGLSL450 {
		t.Error("capabilities or memory model")
	}
}

func TestMemberOffsets(t *testing.T) {
	m := load(t, "saxpy.spv")
	var offsets []uint32
	for id := range spirv.ID(m.Raw.Bound) {
		tp := m.Type(id)
		if tp == nil || tp.Kind != KindStruct || m.Name(id) != "P" {
			continue
		}
		for i := range tp.Members {
			off, _ := m.MemberDecoration(id, i, spirv.DecorationOffset)
			offsets = append(offsets, off)
		}
		if m.MemberName(id, 1) != "n" {
			t.Errorf("member 1 is %q, want n", m.MemberName(id, 1))
		}
	}
	if len(offsets) != 2 || offsets[1] != 4 {
		t.Errorf("offsets %v, want [0 4]", offsets)
	}
}
