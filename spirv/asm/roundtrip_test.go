package asm_test

import (
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"spvsim/internal/suite"
	"spvsim/spirv"
	"spvsim/spirv/asm"
	"spvsim/spirv/grammar"
	"spvsim/spirv/internal/sample"
)

// checkRoundTrip writes a module as text and reads it again.
func checkRoundTrip(t rapid.TB, m *spirv.Module) {
	t.Helper()
	text, err := asm.Disassemble(m, asm.Options{RawIDs: true})
	if err != nil {
		t.Fatalf("%v\n%+v", err, m.Instructions[len(sample.Prelude()):])
	}
	got, err := asm.AssembleWith([]byte(text), "round", asm.AssembleOptions{PreserveNumericIDs: true})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if want := m.Words(); !slices.Equal(want, got.Words()) {
		t.Fatalf("words differ:\n%x\n%x\n%s", want, got.Words(), text)
	}
}

// checkNames does so with names for ids. Numbers of ids may change, so the text must stay.
func checkNames(t rapid.TB, m *spirv.Module) {
	t.Helper()
	text := suite.Must(asm.Disassemble(m, asm.Options{NoHeader: true}))(t)
	got, err := asm.Assemble([]byte(text), "names")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if len(got.Instructions) != len(m.Instructions) {
		t.Fatalf("%d instructions, want %d", len(got.Instructions), len(m.Instructions))
	}
	for i := range m.Instructions {
		a, b := &m.Instructions[i], &got.Instructions[i]
		if a.Op != b.Op || a.Words() != b.Words() {
			t.Fatalf("%+v became %+v\n%s", a, b, text)
		}
	}
}

func TestEveryOpcode(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	maker := &sample.Maker{Pick: rng.Intn}
	samples := 12
	if testing.Short() {
		samples = 2
	}
	for i := range grammar.Ops {
		for range samples {
			m := sample.Module(maker.Instruction(&grammar.Ops[i], sample.FirstFree))
			checkRoundTrip(t, m)
			checkNames(t, m)
		}
	}
}

// TestEveryEnumerant takes each enumerant of each kind that an instruction,
// or a decoration, has for an operand.
func TestEveryEnumerant(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for k := range grammar.Kinds {
		kind := grammar.Kind(k)
		op, force := user(kind)
		if op == nil {
			continue
		}
		for _, e := range kind.Info().Enumerants {
			force[kind] = e.Value
			// An operand may be optional: of six samples some have it.
			for range 6 {
				maker := &sample.Maker{Pick: rng.Intn, Force: force}
				checkRoundTrip(t, sample.Module(maker.Instruction(op, sample.FirstFree)))
			}
		}
	}
}

// user finds an opcode that takes a kind, and the operands that have to be forced for that.
func user(k grammar.Kind) (*grammar.Op, map[grammar.Kind]uint32) {
	for i := range grammar.Ops {
		if takes(grammar.Ops[i].Operands, k) {
			return &grammar.Ops[i], map[grammar.Kind]uint32{}
		}
	}
	for _, e := range grammar.KindDecoration.Info().Enumerants {
		if takes(e.Parameters, k) {
			return grammar.OpByName("OpDecorate"), map[grammar.Kind]uint32{grammar.KindDecoration: e.Value}
		}
	}
	return nil, nil
}

func takes(ops []grammar.Operand, k grammar.Kind) bool {
	return slices.ContainsFunc(ops, func(o grammar.Operand) bool { return o.Kind == k })
}

// TestEveryOpenCLInstruction writes each instruction of OpenCL.std by its name.
func TestEveryOpenCLInstruction(t *testing.T) {
	set := grammar.LookupSet("OpenCL.std")
	where := slices.IndexFunc(sample.Prelude(), func(in spirv.Instruction) bool {
		name, _ := spirv.DecodeString(in.Operands)
		return in.Op == spirv.OpExtInstImport && name == set.Name
	})
	imported := uint32(sample.Prelude()[where].Result)
	for _, in := range set.Instructions {
		words := []uint32{imported, in.Code}
		for _, o := range in.Operands {
			if o.Quantifier == grammar.One {
				words = append(words, 1)
			}
		}
		m := sample.Module(spirv.Instruction{Op: spirv.OpExtInst, Type: 1, Result: sample.FirstFree, Operands: words})
		checkRoundTrip(t, m)
		text := suite.Must(asm.Disassemble(m, asm.Options{RawIDs: true}))(t)
		if !strings.Contains(text, " "+in.Name) {
			t.Errorf("want %s in\n%s", in.Name, text)
		}
	}
}

// TestDebugModule writes and reads a module of llvm-spirv, with a storage class that has no name.
func TestDebugModule(t *testing.T) {
	m := suite.Must(spirv.Decode(suite.Must(os.ReadFile("../validate/testdata/kernel/images.debug.spv"))(t)))(t)
	text := suite.Must(asm.Disassemble(m, asm.Options{RawIDs: true}))(t)
	if !strings.Contains(text, "DebugTypePointer %") || !strings.Contains(text, " !0xffffffff") {
		t.Error("no pointer without a storage class")
	}
	checkRoundTrip(t, m)
	checkNames(t, m)
}

func TestModules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "pick") }
		maker := &sample.Maker{Pick: pick}
		var ins []spirv.Instruction
		for i := range pick(10) {
			g := &grammar.Ops[pick(len(grammar.Ops))]
			ins = append(ins, maker.Instruction(g, spirv.ID(sample.FirstFree+i)))
		}
		m := sample.Module(ins...)
		m.Generator = uint32(pick(50))<<16 | uint32(pick(100))
		m.Version = 1<<16 | uint32(pick(7))<<8
		checkRoundTrip(t, m)
		checkNames(t, m)
	})
}

// TestRawWords takes words that the text has no literal for.
func TestRawWords(t *testing.T) {
	const typ, value = sample.FirstFree, sample.FirstFree + 1
	tests := []struct {
		name string
		ins  []spirv.Instruction
		want string
	}{
		{"unknown type", []spirv.Instruction{{Op: spirv.OpConstant, Type: typ, Result: value, Operands: []uint32{1, 2, 3}}}, "!0x1 !0x2 !0x3"},
		{"128 bits", []spirv.Instruction{
			{Op: spirv.OpTypeInt, Result: typ, Operands: []uint32{128, 0}},
			{Op: spirv.OpConstant, Type: typ, Result: value, Operands: []uint32{1, 2, 3, 4}}}, "!0x1 !0x2 !0x3 !0x4"},
		{"sign not extended", []spirv.Instruction{{Op: spirv.OpConstant, Type: 2, Result: value, Operands: []uint32{0xFF}}}, "!0xff"},
		{"beyond 16 bits", []spirv.Instruction{{Op: spirv.OpConstant, Type: 3, Result: value, Operands: []uint32{0x10000}}}, "!0x10000"},
		{"beyond a half", []spirv.Instruction{{Op: spirv.OpConstant, Type: 9, Result: value, Operands: []uint32{0x10000}}}, "!0x10000"},
		{"string padding", []spirv.Instruction{{Op: spirv.OpName, Operands: []uint32{5, 0x41004141}}}, "%5 !0x41004141"},
		{"no empty mask", []spirv.Instruction{{Op: spirv.OpCooperativeMatrixReduceEXT, Type: 1, Result: value, Operands: []uint32{2, 0, 3}}}, "!0"},
	}
	for _, tt := range tests {
		m := sample.Module(tt.ins...)
		checkRoundTrip(t, m)
		text, _ := asm.Disassemble(m, asm.Options{RawIDs: true})
		if !strings.Contains(text, tt.want) {
			t.Errorf("%s: want %s in\n%s", tt.name, tt.want, text)
		}
	}
}
