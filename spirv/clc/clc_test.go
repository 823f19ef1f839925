package clc

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
)

// Options that could load code into the compiler, write files or read others are refused by name.
func TestOptionsAreThoseOfClBuildProgram(t *testing.T) {
	for _, bad := range []string{"-o x", "-Xclang -load", "-fplugin=x.so", "-I /", "-Wl,x", "@file", "x.cl", "-include x"} {
		s := &Source{Name: "k.cl", Options: bad}
		if _, err := s.arguments(); err == nil || !strings.Contains(err.Error(), "k.cl: options: found \"") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	s := &Source{Options: "-cl-std=CL2.0 -D N=4 -O1 -cl-fast-relaxed-math", Defines: []string{"M=2"}}
	list, err := s.arguments()
	if got := strings.Join(list, " "); err != nil || got != "-O3 -cl-std=CL2.0 -DN=4 -O1 -cl-fast-relaxed-math -DM=2" {
		t.Errorf("%s, %v", got, err)
	}
}

// A text that includes a file is refused: the digest of a point would not cover it.
func TestIncludesAreRefused(t *testing.T) {
	_, err := Compile(t.Context(), &Source{Name: "k.cl", Text: []byte("  # include \"x.h\"\n")})
	if err == nil || !errors.Is(err, ErrNoCompiler) && !strings.Contains(err.Error(), "k.cl: found #include of a file") {
		t.Error(err)
	}
}

// A kernel becomes a module; a fault is passed on with its file and line.
func TestCompile(t *testing.T) {
	if !Available() {
		t.Skip("no clang with llvm-spirv")
	}
	good := &Source{Name: "k.cl", Text: []byte("kernel void k(global int *x) { x[get_global_id(0)] = N; }"), Defines: []string{"N=3"}}
	module, err := Compile(t.Context(), good)
	if err != nil || binary.LittleEndian.Uint32(module) != 0x07230203 {
		t.Errorf("%d bytes, %v", len(module), err)
	}
	_, err = Compile(t.Context(), &Source{Name: "k.cl", Text: []byte("kernel void k(global int *x) {\n x[0] = y; }")})
	if err == nil || !strings.HasPrefix(err.Error(), "k.cl:2:9: error: use of undeclared identifier 'y'") {
		t.Error(err)
	}
}
