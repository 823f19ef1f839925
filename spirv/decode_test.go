package spirv_test

import (
	"encoding/binary"
	"errors"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"spvsim/spirv"
	"spvsim/spirv/grammar"
	"spvsim/spirv/internal/sample"
)

// bytesOf encodes a module of the given words after a good header.
func bytesOf(words ...uint32) []byte {
	all := append([]uint32{spirv.Magic, 0x10600, 0, 100, 0}, words...)
	b := make([]byte, 0, 4*len(all))
	for _, w := range all {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

func op(o spirv.Op, words ...uint32) []uint32 {
	return append([]uint32{uint32(len(words)+1)<<16 | uint32(o)}, words...)
}

func TestDecodeFaults(t *testing.T) {
	nop := op(spirv.OpNop)
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "spirv: word 0: 0 bytes"},
		{"text", []byte("OpCapability Shader\n"), "spirv: word 0: found magic number 0x6143704f"},
		{"cut word", bytesOf(nop...)[:23], "spirv: word 5: the word is cut off"},
		{"cut header", bytesOf()[:16], "spirv: word 4: the header is cut off"},
		{"version", append([]byte{3, 2, 0x23, 7, 0, 0, 2, 0}, bytesOf()[8:]...), "spirv: word 1: version is 0x00020000"},
		{"bound 0", append(bytesOf()[:12:12], make([]byte, 8)...), "spirv: word 3: id bound is 0"},
		{"schema", append(bytesOf()[:16:16], 1, 0, 0, 0), "spirv: word 4: instruction schema is 1"},
		{"count 0", bytesOf(0), "spirv: word 5 (OpNop): word count is 0"},
		{"truncated", bytesOf(4<<16|uint32(spirv.OpLoad), 1, 2), "spirv: word 5 (OpLoad): truncated: the instruction has 4 words, and the module ends after 3"},
		{"unknown opcode", bytesOf(append(nop, 1<<16|0x2FFF)...), "spirv: word 6: unknown opcode 12287"},
		{"missing type", bytesOf(op(spirv.OpLoad)...), "result type: missing"},
		{"missing result", bytesOf(op(spirv.OpLoad, 1)...), "result id: missing"},
		{"missing operand", bytesOf(op(spirv.OpLoad, 1, 2)...), "operand 0 (Pointer): missing"},
		{"too many", bytesOf(op(spirv.OpLabel, 1, 2, 3)...), "operand 0: 2 words too many: 0 wanted"},
		{"id 0", bytesOf(op(spirv.OpLoad, 1, 2, 0)...), "spirv: word 5 (OpLoad %2): operand 0 (Pointer): id is 0"},
		{"result 0", bytesOf(op(spirv.OpLabel, 0)...), "result id: id is 0"},
		{"id at bound", bytesOf(op(spirv.OpLoad, 1, 2, 100)...), "operand 0 (Pointer): id 100 is not below the module's bound, 100"},
		{"enumerant", bytesOf(op(spirv.OpCapability, 9999)...), "operand 0 (Capability): 9999 is no Capability"},
		{"mask bit", bytesOf(op(spirv.OpLoad, 1, 2, 3, 1<<30)...), "operand 1 (MemoryAccess): bit 0x40000000 is no MemoryAccess"},
		{"mask parameter", bytesOf(op(spirv.OpLoad, 1, 2, 3, 2)...), "operand 2 (LiteralInteger): missing"},
		{"string", bytesOf(op(spirv.OpExtension, 0x61616161)...), "operand 0 (Name): the string has no end"},
		{"pair", bytesOf(op(spirv.OpPhi, 1, 2, 3)...), "operand 1 (Variable, Parent, ...): missing"},
		{"long constant", bytesOf(append(op(spirv.OpTypeInt, 1, 64, 0), op(spirv.OpConstant, 1, 2, 5)...)...), "a literal of 64 bits wants 2 words, found 1"},
		{"short constant", bytesOf(append(op(spirv.OpTypeInt, 1, 32, 0), op(spirv.OpConstant, 1, 2, 5, 6)...)...), "operand 1 (Value): 1 words too many"},
		{"spec op", bytesOf(op(spirv.OpSpecConstantOp, 1, 2, 0x2FFF)...), "operand 0 (Opcode): unknown opcode 12287"},
		{"spec op in itself", bytesOf(op(spirv.OpSpecConstantOp, 1, 2, uint32(spirv.OpSpecConstantOp), uint32(spirv.OpIAdd))...), "operand 1 (Opcode): OpSpecConstantOp within itself"},
		{"spec op store", bytesOf(op(spirv.OpSpecConstantOp, 1, 2, uint32(spirv.OpStore), 3, 4)...), "OpStore has no result"},
		{"ext inst", bytesOf(glsl(999)...), "operand 1 (Instruction): 999 is not an instruction of GLSL.std.450"},
		{"ext operands", bytesOf(glsl(uint32(spirv.GLSLstd450FMax), 4)...), "operand 3 (y): missing"},
		{"ext too many", bytesOf(glsl(uint32(spirv.GLSLstd450Sin), 4, 5)...), "operand 3 (x): 1 words too many for Sin"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := spirv.Decode(tt.data)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v\nwant %s", err, tt.want)
			}
			if !errors.Is(err, spirv.ErrMalformed) || errors.Is(err, spirv.ErrUnknownOpcode) != (tt.name == "unknown opcode") {
				t.Errorf("wrong sentinel in %#v", err)
			}
		})
	}
}

// glsl returns an instruction of GLSL.std.450, after its import.
func glsl(words ...uint32) []uint32 {
	imported := op(spirv.OpExtInstImport, append([]uint32{9}, spirv.EncodeString("GLSL.std.450")...)...)
	return append(imported, op(spirv.OpExtInst, append([]uint32{1, 2, 9}, words...)...)...)
}

// TestDecodeEncode takes every opcode through both byte orders.
func TestDecodeEncode(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	maker := &sample.Maker{Pick: rng.Intn}
	for i := range grammar.Ops {
		for range 8 {
			m := sample.Module(maker.Instruction(&grammar.Ops[i], sample.FirstFree))
			checkRoundTrip(t, m)
		}
	}
}

// TestDecodeEncodeModules does so for modules of several instructions.
func TestDecodeEncodeModules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "pick") }
		maker := &sample.Maker{Pick: pick}
		var ins []spirv.Instruction
		for i := range pick(10) {
			g := &grammar.Ops[pick(len(grammar.Ops))]
			ins = append(ins, maker.Instruction(g, spirv.ID(sample.FirstFree+i)))
		}
		checkRoundTrip(t, sample.Module(ins...))
	})
}

func checkRoundTrip(t rapid.TB, m *spirv.Module) {
	t.Helper()
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		got, err := spirv.Decode(m.Encode(order))
		if err != nil {
			t.Fatalf("%v\n%+v", err, m.Instructions[len(sample.Prelude()):])
		}
		if got.Order != order {
			t.Fatalf("order is %v, want %v", got.Order, order)
		}
		if !slices.EqualFunc(m.Instructions, got.Instructions, sameInstruction) {
			t.Fatal(cmp.Diff(m.Instructions, got.Instructions))
		}
		if !slices.Equal(got.Words(), m.Words()) {
			t.Fatal("words differ")
		}
	}
}

func sameInstruction(a, b spirv.Instruction) bool {
	return a.Op == b.Op && a.Type == b.Type && a.Result == b.Result && a.Word == b.Word && slices.Equal(a.Operands, b.Operands)
}

func TestWalkKinds(t *testing.T) {
	type leaf struct {
		Kind  string
		Index int
		Words int
	}
	double := op(spirv.OpTypeFloat, 1, 64)
	long := append(op(spirv.OpTypeInt, 3, 64, 1), op(spirv.OpUndef, 3, 4)...)
	tests := []struct {
		name  string
		words []uint32
		want  []leaf
	}{
		{"constant", append(double, op(spirv.OpConstant, 1, 2, 0, 0)...), []leaf{{"LiteralContextDependentNumber", 0, 2}}},
		{"switch", append(long, op(spirv.OpSwitch, 4, 5, 1, 0, 6, 2, 0, 7)...),
			[]leaf{{"IdRef", 0, 1}, {"IdRef", 1, 1}, {"LiteralInteger", 2, 2}, {"IdRef", 4, 1}, {"LiteralInteger", 5, 2}, {"IdRef", 7, 1}}},
		{"mask parameters", op(spirv.OpStore, 1, 2, 2|8, 16, 3), []leaf{{"IdRef", 0, 1}, {"IdRef", 1, 1}, {"MemoryAccess", 2, 1}, {"LiteralInteger", 3, 1}, {"IdScope", 4, 1}}},
		{"enum of enum", op(spirv.OpDecorate, 1, uint32(spirv.DecorationBuiltIn), 28), []leaf{{"IdRef", 0, 1}, {"Decoration", 1, 1}, {"BuiltIn", 2, 1}}},
		{"spec op", op(spirv.OpSpecConstantOp, 1, 2, uint32(spirv.OpCompositeExtract), 3, 7), []leaf{{"LiteralSpecConstantOpInteger", 0, 1}, {"IdRef", 1, 1}, {"LiteralInteger", 2, 1}}},
		{"ext inst", glsl(uint32(spirv.GLSLstd450FMax), 4, 5), []leaf{{"IdRef", 0, 1}, {"LiteralExtInstInteger", 1, 1}, {"IdRef", 2, 1}, {"IdRef", 3, 1}}},
		{"entry", op(spirv.OpEntryPoint, append([]uint32{5, 1}, append(spirv.EncodeString("main"), 2, 3)...)...),
			[]leaf{{"ExecutionModel", 0, 1}, {"IdRef", 1, 1}, {"LiteralString", 2, 2}, {"IdRef", 4, 1}, {"IdRef", 5, 1}}},
	}
	for _, tt := range tests {
		m, err := spirv.Decode(bytesOf(tt.words...))
		if err != nil {
			t.Fatal(tt.name, err)
		}
		c := spirv.NewContext(0) // so that its sparse side is tested too
		var got []leaf
		for i := range m.Instructions {
			got = nil
			err := spirv.Walk(&m.Instructions[i], c, func(o spirv.Operand) error {
				got = append(got, leaf{o.Kind.String(), o.Index, len(o.Words)})
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			c.Note(&m.Instructions[i])
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestStrings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringN(0, 20, -1).Filter(func(s string) bool { return !strings.Contains(s, "\x00") }).Draw(t, "s")
		words := spirv.EncodeString(s)
		got, n := spirv.DecodeString(append(words, 0x41414141))
		if got != s || n != len(words) || n != len(s)/4+1 {
			t.Fatalf("%q gives %q in %d words", s, got, n)
		}
	})
	if s, n := spirv.DecodeString([]uint32{0x41414141}); s != "" || n != 0 {
		t.Errorf("a string without end gives %q, %d", s, n)
	}
}

func TestNames(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{spirv.OpIAdd.String(), "OpIAdd"},
		{spirv.Op(12287).String(), "Op(12287)"},
		{spirv.StorageClassStorageBuffer.String(), "StorageBuffer"},
		{(spirv.MemoryAccessVolatile | spirv.MemoryAccessAligned).String(), "Volatile|Aligned"},
		{spirv.MemoryAccessNone.String(), "None"},
		{spirv.MemoryAccess(1 << 30).String(), "0x40000000"},
		{spirv.Decoration(99999).String(), "Decoration(99999)"},
		{spirv.GLSLstd450FMax.String(), "FMax"},
		{spirv.AMDShaderBallotMbcntAMD.String(), "MbcntAMD"},
		{spirv.AMDGcnShaderTimeAMD.String(), "TimeAMD"},
		// 5073 and 5078 are values of two enums each.
		{spirv.ExecutionMode(5073).String(), "ShaderIndexAMDX"},
		{spirv.BuiltIn(5073).String(), "ShaderIndexAMDX"},
		{spirv.Op(5078).String(), "OpFinishWritingNodePayloadAMDX"},
		{spirv.Decoration(5078).String(), "TrackFinishWritingAMDX"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %s, want %s", tt.got, tt.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	rng := rand.New(rand.NewSource(2))
	maker := &sample.Maker{Pick: rng.Intn}
	for _, o := range []spirv.Op{spirv.OpConstant, spirv.OpSwitch, spirv.OpExtInst, spirv.OpSpecConstantOp, spirv.OpDecorate, spirv.OpEntryPoint} {
		f.Add(sample.Module(maker.Instruction(o.Grammar(), sample.FirstFree)).Encode(binary.LittleEndian))
	}
	f.Add(bytesOf(op(spirv.OpNop)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := spirv.Decode(data)
		if err != nil {
			if !errors.Is(err, spirv.ErrMalformed) {
				t.Fatalf("error without its sentinel: %v", err)
			}
			return
		}
		if got := m.Encode(m.Order); !slices.Equal(got, data) {
			t.Fatalf("encoding differs:\n%x\n%x", data, got)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	rng := rand.New(rand.NewSource(3))
	maker := &sample.Maker{Pick: rng.Intn}
	var ins []spirv.Instruction
	for i := range grammar.Ops {
		ins = append(ins, maker.Instruction(&grammar.Ops[i], sample.FirstFree))
	}
	data := sample.Module(ins...).Encode(binary.LittleEndian)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := spirv.Decode(data); err != nil {
			b.Fatal(err)
		}
	}
}
