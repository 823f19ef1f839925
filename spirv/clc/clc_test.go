package clc

import (
	"bytes"
	"encoding/binary"
	"os"
	"slices"
	"strings"
	"testing"

	"spvsim/internal/suite"
	"spvsim/spirv"
)

// Options that could load code into the compiler, write files or read others are refused by name.
func TestOptionsAreThoseOfClBuildProgram(t *testing.T) {
	for _, bad := range []string{"-o x", "-Xclang -load", "-fplugin=x.so", "-I /", "-I/usr", "-Wl,x", "@file", "x.cl", "-include x"} {
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

// Files are included from the folder of the source and those of -I, and no others are there. The module does not have the
// place of the compiler's folder.
func TestIncludes(t *testing.T) {
	if !Available() {
		t.Skip("no clang with llvm-spirv")
	}
	text := []byte("#include \"parts/one.h\"\n#include <two.h>\nkernel void k(global int *x) { x[0] = one(x[1]) + TWO; }")
	for _, up := range []string{"", "../", "/a/b/", "../../c/"} {
		s := &Source{Name: up + "k.cl", Text: text, Options: "-I own -I" + up + "headers/"}
		s.Options = strings.ReplaceAll(s.Options, "-I/", "-Ix") // folders are named from that of the job
		if strings.HasPrefix(up, "/") {
			s.Options = "-I headers"
		}
		two := "headers/two.h"
		if !strings.HasPrefix(up, "/") {
			two = up + two
		}
		s.Files = []File{{up + "parts/one.h", []byte("#include \"../three.h\"\nint one(int x) { return x * THREE; }\n")}, {up + "three.h", []byte("#define THREE 3\n")}, {two, []byte("#define TWO 2\n")}}
		module, err := Compile(t.Context(), s)
		if err != nil || bytes.Contains(module, []byte(os.TempDir())) {
			t.Errorf("%s: the folder is in the module, or %v", up, err)
		}
	}
	_, err := Compile(t.Context(), &Source{Name: "k.cl", Text: []byte("\n#include \"none.h\"\n")})
	if err == nil || !strings.HasPrefix(err.Error(), "k.cl:2:10: fatal error: 'none.h' file not found") {
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

// What llvm-spirv refuses of optimized code is written otherwise: a quotient with its remainder, in a loop that is unrolled
// all the same, and a switch over three bits. Else no loop is unrolled.
func TestCompileWhatTheTranslatorRefuses(t *testing.T) {
	if !Available() {
		t.Skip("no clang with llvm-spirv")
	}
	for text, want := range map[string]int{
		"kernel void k(global int *out, int w) { int i = get_global_id(0); for (int k = 0; k < 3; k++) out[i + k] = (i + k) / w * 1000 + (i + k) % w; }": 3,
		`kernel void k(global int *out, int w) {
	int i = get_global_id(0);
	switch (out[i] & 7) {
	case 0: out[i] = i * w; break;
	case 1: out[i] = i ^ w; break;
	case 5: out[i] = w; break;
	default: for (int k = 0; k < 3; k++) out[i + k] = (i + k) / w;
	}
}`: 3,
	} {
		data, err := Compile(t.Context(), &Source{Name: "k.cl", Text: []byte(text)})
		if err != nil {
			t.Error(err)
			continue
		}
		divisions := 0
		for _, in := range suite.Must(spirv.Decode(data))(t).Instructions {
			if in.Op == spirv.OpSDiv {
				divisions++
			}
		}
		if divisions != want {
			t.Errorf("%d divisions, want %d in\n%s", divisions, want, text)
		}
	}
}

// A module does not depend on the folder that it is compiled in.
func TestFolderIsNotInTheModule(t *testing.T) {
	if !Available() {
		t.Skip("no clang with llvm-spirv")
	}
	module, err := Compile(t.Context(), &Source{Name: "k.cl", Text: []byte("kernel void k(global int *x) { x[0] = 4; }")})
	if err != nil || bytes.Contains(module, []byte(suite.Must(os.Getwd())(t))) {
		t.Errorf("the folder is in the module, or %v", err)
	}
}

// A function that is inline has a body in the module, even where it is not inlined.
func TestInlineFunctionsHaveABody(t *testing.T) {
	if !Available() {
		t.Skip("no clang with llvm-spirv")
	}
	text := "inline int f(int x) { return x * 3; }\nkernel void k(global int *x) { x[0] = f(x[1]); }"
	data, err := Compile(t.Context(), &Source{Name: "k.cl", Text: []byte(text), Options: "-O0"})
	if err != nil || slices.ContainsFunc(suite.Must(spirv.Decode(data))(t).Instructions, func(in spirv.Instruction) bool {
		return in.Op == spirv.OpDecorate && spirv.Decoration(in.Operands[1]) == spirv.DecorationLinkageAttributes && in.Operands[len(in.Operands)-1] == uint32(spirv.LinkageTypeImport)
	}) {
		t.Errorf("a function is imported, or %v", err)
	}
}

func TestRewrite(t *testing.T) {
	const before = `define void @f(i32 %x) {
  %a.frozen = freeze i32 %x, !dbg !1
  %v = freeze <4 x i32> undef
  %trunc = trunc i64 %y to i3, !dbg !2
  switch i3 %trunc, label %d [
    i3 1, label %e
    i3 -3, label %f
  ], !dbg !3
}`
	const after = `define void @f(i32 %x) {
  %a.frozen = select i1 true, i32 %x, i32 %x, !dbg !1
  %v = select i1 true, <4 x i32> undef, <4 x i32> undef
  %trunc = and i64 %y, 7, !dbg !2
  switch i64 %trunc, label %d [
    i64 1, label %e
    i64 5, label %f
  ], !dbg !3
}`
	if got := rewrite(before); got != after {
		t.Error(got)
	}
}
