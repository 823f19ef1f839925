// Package sample makes well-formed instructions for tests, from the grammar
// alone: it knows which kinds of operands an opcode takes, but not which
// instructions would be valid together.
package sample

import (
	"math"

	"spvsim/spirv"
	"spvsim/spirv/grammar"
)

// Maker makes samples. Pick returns a number from 0 to n-1, and so decides
// which sample it is.
type Maker struct {
	Pick  func(n int) int
	Force map[grammar.Kind]uint32 // enumerants or masks to take where the kind occurs
}

// Ids of the prelude, which gives the numeric types, a value of each integer
// type, and the sets of extended instructions.
const (
	firstType     = 1
	firstSelector = firstType + 11
	firstSet      = firstSelector + 8
	sets          = 10 // those of the grammar, and one that it lacks
	// FirstFree is the first id that the prelude does not define.
	FirstFree = firstSet + sets
	// Bound is that of a sampled module.
	Bound = FirstFree + 100
)

// It does not compile unless sets is right.
var _ = [1]int{}[sets-1-len(grammar.Sets)]

// Prelude returns the instructions before a sample.
func Prelude() []spirv.Instruction {
	var list []spirv.Instruction
	add := func(in spirv.Instruction) { list = append(list, in) }
	id := spirv.ID(firstType)
	for _, width := range []uint32{8, 16, 32, 64} {
		for signed := range uint32(2) {
			add(spirv.Instruction{Op: spirv.OpTypeInt, Result: id, Operands: []uint32{width, signed}})
			id++
		}
	}
	for _, width := range []uint32{16, 32, 64} {
		add(spirv.Instruction{Op: spirv.OpTypeFloat, Result: id, Operands: []uint32{width}})
		id++
	}
	for i := range spirv.ID(8) {
		add(spirv.Instruction{Op: spirv.OpUndef, Type: firstType + i, Result: id})
		id++
	}
	for _, set := range grammar.Sets {
		add(spirv.Instruction{Op: spirv.OpExtInstImport, Result: id, Operands: spirv.EncodeString(set.Name)})
		id++
	}
	unknown := spirv.EncodeString("NonSemantic.Unknown")
	add(spirv.Instruction{Op: spirv.OpExtInstImport, Result: id, Operands: unknown})
	return list
}

// Module returns a module of the prelude and some instructions.
func Module(ins ...spirv.Instruction) *spirv.Module {
	all := append(Prelude(), ins...)
	at := spirv.HeaderWords
	for i := range all {
		all[i].Word = at
		at += all[i].Words()
	}
	return &spirv.Module{Version: 1<<16 | 6<<8, Bound: Bound, Instructions: all}
}

// Instruction returns a sample of an opcode, to follow the prelude. Its
// result, if it has one, is the id given.
func (m *Maker) Instruction(g *grammar.Op, result spirv.ID) spirv.Instruction {
	s := sampler{Maker: m, op: spirv.Op(g.Code)}
	in := spirv.Instruction{Op: s.op}
	if g.HasType {
		s.typ = firstType + m.Pick(11)
		in.Type = spirv.ID(s.typ)
	}
	if g.HasResult {
		in.Result = result
	}
	s.list(g.Operands)
	in.Operands = s.words
	return in
}

type sampler struct {
	*Maker
	op    spirv.Op
	typ   int
	words []uint32
	full  bool // no more operands, as after those of an extended instruction
}

func (s *sampler) list(ops []grammar.Operand) {
	for i := range ops {
		n := 1
		switch ops[i].Quantifier {
		case grammar.Optional:
			n = s.Pick(2)
		case grammar.Any:
			n = s.Pick(4)
		}
		for range n {
			if !s.full {
				s.operand(ops[i].Kind)
			}
		}
		if n == 0 {
			return // what comes after would be taken for this one
		}
	}
}

func (s *sampler) emit(words ...uint32) { s.words = append(s.words, words...) }

func (s *sampler) operand(k grammar.Kind) {
	switch info := k.Info(); info.Category {
	case grammar.Id:
		s.id()
	case grammar.ValueEnum:
		s.enum(k)
	case grammar.BitEnum:
		s.mask(k)
	case grammar.Composite:
		for _, base := range info.Bases {
			s.operand(base)
		}
	default:
		s.literal(k)
	}
}

func (s *sampler) id() {
	first := len(s.words) == 0
	switch {
	case first && s.op == spirv.OpSwitch:
		s.emit(uint32(firstSelector + s.Pick(8)))
	case first && (s.op == spirv.OpExtInst || s.op == spirv.OpExtInstWithForwardRefsKHR):
		s.emit(uint32(firstSet + s.Pick(sets)))
	default:
		s.emit(uint32(1 + s.Pick(Bound-1)))
	}
}

func (s *sampler) enum(k grammar.Kind) {
	es := k.Info().Enumerants
	e := &es[s.Pick(len(es))]
	if v, ok := s.Force[k]; ok {
		e = k.Lookup(v)
	}
	s.emit(e.Value)
	s.list(e.Parameters)
}

func (s *sampler) mask(k grammar.Kind) {
	v := uint32(0)
	for _, e := range k.Info().Enumerants {
		if s.Pick(4) == 0 {
			v |= e.Value
		}
	}
	if forced, ok := s.Force[k]; ok {
		v = forced
	}
	s.emit(v)
	for rest := v; rest != 0; rest &= rest - 1 {
		s.list(k.Lookup(rest & -rest).Parameters)
	}
}

var texts = []string{"", "a", "abc", "abcd", "with space", `quo"te\`, "line\nfeed; no comment", "grüß", "\xff\x01", `\n`, "%id = OpNop"}

func (s *sampler) literal(k grammar.Kind) {
	switch k {
	case grammar.KindLiteralString:
		s.emit(spirv.EncodeString(texts[s.Pick(len(texts))])...)
	case grammar.KindLiteralExtInstInteger:
		s.extInst()
	case grammar.KindLiteralSpecConstantOpInteger:
		s.specOp()
	case grammar.KindLiteralContextDependentNumber:
		s.number(s.typ - firstType)
	case grammar.KindLiteralFloat:
		s.number(9)
	default:
		if s.op == spirv.OpSwitch {
			s.number(int(s.words[0]) - firstSelector)
			return
		}
		s.emit(s.word())
	}
}

var words = []uint32{0, 1, 2, 31, 32, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
	math.Float32bits(1.5), math.Float32bits(1e-9), 0x7F800000, 0xFFC00001, 0x00000001, 0x807FFFFF, 0x7C00, 0xFC01, 0x0400, 0x83FF, 0x3C00}

func (s *sampler) word() uint32 {
	if s.Pick(2) == 0 {
		return words[s.Pick(len(words))]
	}
	return uint32(s.Pick(1<<16))<<16 | uint32(s.Pick(1<<16))
}

// number puts a literal of the prelude's i-th type.
func (s *sampler) number(i int) {
	w := s.word()
	switch i {
	case 0:
		s.emit(w & 0xFF)
	case 1:
		s.emit(uint32(int32(int8(w))))
	case 2, 8:
		s.emit(w & 0xFFFF)
	case 3:
		s.emit(uint32(int32(int16(w))))
	case 4, 5, 9:
		s.emit(w)
	default:
		s.emit(w, s.word())
	}
}

func (s *sampler) extInst() {
	if i := int(s.words[0]) - firstSet; i < len(grammar.Sets) {
		is := grammar.Sets[i].Instructions
		in := &is[s.Pick(len(is))]
		s.emit(in.Code)
		s.list(in.Operands)
		s.full = true
		return
	}
	s.emit(s.word())
}

func (s *sampler) specOp() {
	inner := []spirv.Op{spirv.OpIAdd, spirv.OpSNegate, spirv.OpSelect, spirv.OpVectorShuffle, spirv.OpCompositeExtract, spirv.OpAccessChain, spirv.OpFAdd}
	g := inner[s.Pick(len(inner))].Grammar()
	s.emit(uint32(g.Code))
	s.list(g.Operands)
}
