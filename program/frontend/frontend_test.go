package frontend

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

func check(t testing.TB, path string) *validate.Module {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := spirv.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	m, err := validate.Check(raw)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func build(t testing.TB, path string, opt Options) *ir.Func {
	t.Helper()
	if opt.WaveSize == 0 {
		opt.WaveSize = 32
	}
	f, err := Build(check(t, path), opt)
	if err != nil {
		t.Fatal(err)
	}
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
