package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"spvsim/internal/suite"
	"spvsim/spirv/asm"
	"spvsim/spirv/validate"
)

// A literal is written as a value of its type, halves by their bits; narrow integers are sign-extended.
func TestNumbersOfConstants(t *testing.T) {
	of := func(kind validate.Kind, width int, signed bool) *validate.Type {
		return &validate.Type{Kind: kind, Width: width, Signed: signed}
	}
	for _, c := range []struct {
		words []uint32
		typ   *validate.Type
		want  string
	}{
		{[]uint32{0x3fc00000}, of(validate.KindFloat, 32, true), "1.5"},
		{[]uint32{0, 0x3ff80000}, of(validate.KindFloat, 64, false), "1.5"},
		{[]uint32{0x3e00}, of(validate.KindFloat, 16, false), "0x3e00"},
		{[]uint32{0xfffffffe, 0xffffffff}, of(validate.KindInt, 64, true), "-2"},
		{[]uint32{0xfffffffe}, of(validate.KindInt, 8, true), "-2"},
		{[]uint32{0xfffffffe}, of(validate.KindInt, 32, false), "4294967294"},
		{[]uint32{1, 1}, of(validate.KindInt, 64, false), "4294967297"},
	} {
		if got := numberText(c.words, c.typ); got != c.want {
			t.Errorf("%x: %s, want %s", c.words, got, c.want)
		}
	}
}

// A type is written as a job's author thinks of it.
func TestTypeTexts(t *testing.T) {
	raw, err := asm.Assemble([]byte("OpCapability Shader\nOpCapability Int64\nOpCapability Matrix\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1\nOpName %s \"s\"\nOpMemberName %s 0 \"n\"\n"+
		"%u = OpTypeInt 32 0\n%i = OpTypeInt 64 1\n%f = OpTypeFloat 32\n%b = OpTypeBool\n%v = OpTypeVector %f 4\n%m = OpTypeMatrix %v 3\n%c = OpConstant %u 7\n%a = OpTypeArray %v %c\n%r = OpTypeRuntimeArray %i\n"+
		"%image = OpTypeImage %f 2D 0 0 0 2 R32f\n%s = OpTypeStruct %u %f\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%main = OpFunction %void None %fn\n%start = OpLabel\nOpReturn\nOpFunctionEnd\n"), "types")
	if err != nil {
		t.Fatal(err)
	}
	m := suite.Must(validate.Check(raw))(t)
	var got []string
	for _, in := range raw.Instructions {
		if typ := m.Type(in.Result); strings.HasPrefix(in.Op.String(), "OpType") && typ != nil {
			got = append(got, newTypeWriter(m).text(typ))
		}
	}
	want := []string{"u32", "i64", "f32", "bool", "f32x4", "f32x4x3", "f32x4[7]", "i64[]", "image 2D R32f of f32", "{u32 n, f32}", "Void", "Function"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if newTypeWriter(m).text(nil) != "untyped" {
		t.Error("no type is not untyped")
	}
}

// The traces of waves follow that of the program, in the order of their names; without one a line says so.
func TestTracesOfWavesAreJoined(t *testing.T) {
	dir := t.TempDir()
	var said, out bytes.Buffer
	c := &cobra.Command{}
	c.SetErr(&said)
	f := &wavesFlags{dispatches: "name", units: "0", limit: "2M"}
	if err := f.join(c, &out, dir); err != nil || !strings.Contains(said.String(), "--trace-waves name: no dispatch of such a name was timed") {
		t.Errorf("%v, %q", err, said.String())
	}
	for name, text := range map[string]string{"2.pftrace": "second", "1.pftrace": "first ", "3.csv": "third"} {
		suite.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	said.Reset()
	if err := f.join(c, &out, dir); err != nil || out.String() != "first second" || said.Len() > 0 {
		t.Errorf("%v, %q, %q", err, out.String(), said.String())
	}
	if w := f.chosenFor(dir); w.Folder != dir || w.Select != "name" || w.Units != "0" || w.Limit != 2<<20 {
		t.Errorf("%+v", w)
	}
	none := &wavesFlags{}
	if err := none.join(c, &out, dir); err != nil || out.String() != "first second" || none.chosenFor(dir).Folder != "" {
		t.Errorf("without --trace-waves: %v, %q", err, out.String())
	}
}
