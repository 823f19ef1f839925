package frontend

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"spvsim/internal/suite"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// FuzzBuild: a module that passes the checks becomes a well-formed function or
// an error.
func FuzzBuild(f *testing.F) {
	paths, _ := filepath.Glob("testdata/*.spv")
	for _, p := range paths {
		data := suite.Must(os.ReadFile(p))(f)
		f.Add(data)
	}
	graphs, _ := filepath.Glob("testdata/graph/*.spvasm")
	for _, p := range graphs {
		src := suite.Must(os.ReadFile(p))(f)
		f.Add(rawModule(f, string(src)).Encode(binary.LittleEndian))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		raw, err := spirv.Decode(data)
		if err != nil {
			return
		}
		m, err := validate.Check(raw)
		if err != nil {
			return
		}
		for _, e := range m.EntryPoints {
			fn, err := Build(m, Options{Entry: e.Name, WaveSize: 32})
			if err != nil {
				continue
			}
			if err := ir.Verify(fn); err != nil {
				t.Error(err)
			}
		}
	})
}
