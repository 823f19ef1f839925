package frontend

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/internal/suite"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

func check(t testing.TB, path string) *validate.Module {
	t.Helper()
	data := suite.Must(os.ReadFile(path))(t)
	raw := suite.Must(spirv.Decode(data))(t)
	m := suite.Must(validate.Check(raw))(t)
	return m
}

func build(t testing.TB, path string, opt Options) *ir.Func {
	t.Helper()
	if opt.WaveSize == 0 {
		opt.WaveSize = 32
	}
	f := suite.Must(Build(check(t, path), opt))(t)
	if err := ir.Verify(f); err != nil {
		var s strings.Builder
		ir.Print(&s, f)
		t.Fatalf("%v\n%s", err, s.String())
	}
	return f
}

// TestAllShaders translates every shader of testdata for both wave sizes.
func TestAllShaders(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.spv")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no shaders: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			for _, size := range []int{32, 64} {
				f := build(t, path, Options{WaveSize: size})
				if os.Getenv("PRINT_IR") != "" && size == 32 {
					ir.Print(os.Stdout, f)
				}
			}
		})
	}
}
