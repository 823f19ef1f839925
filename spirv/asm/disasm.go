package asm

import (
	"fmt"
	"strconv"

	"spvsim/spirv"
	"spvsim/spirv/grammar"
)

// Options select how a module is written. The zero value writes it as spirv-dis does.
type Options struct {
	RawIDs   bool // numbers for ids, not names
	NoHeader bool // no comments on version, generator and bound
	NoIndent bool // no alignment of the opcodes
}

// indent is the column of the opcodes, as in spirv-dis.
const indent = 15

// Disassemble writes a module as text. Words that the text form has no
// literal for, as numbers of an unknown type, are written as !words.
func Disassemble(m *spirv.Module, o Options) (string, error) {
	p := printer{options: o, c: newContext(m)}
	p.visit = p.operand
	if !o.RawIDs {
		p.names = newNamer(m)
	}
	if !o.NoHeader {
		p.header(m)
	}
	for i := range m.Instructions {
		if err := p.instruction(&m.Instructions[i]); err != nil {
			in := &m.Instructions[i]
			return "", fmt.Errorf("spirv: word %d (%s): %w", in.Word, in.Op, err)
		}
	}
	return string(p.out), nil
}

type printer struct {
	options Options
	names   *namer // nil with raw ids
	c       *spirv.Context
	out     []byte
	visit   func(spirv.Operand) error
	raw     bool // a !word was written in this instruction
}

func (p *printer) header(m *spirv.Module) {
	p.out = fmt.Appendf(p.out, "; SPIR-V\n; Version: %d.%d\n; Generator: %s; %d\n; Bound: %d\n; Schema: %d\n",
		m.Version>>16&0xFF, m.Version>>8&0xFF, generatorName(m.Generator>>16), m.Generator&0xFFFF, m.Bound, m.Schema)
}

func (p *printer) instruction(in *spirv.Instruction) error {
	start := len(p.out)
	if in.Result != 0 {
		p.id(in.Result)
		p.out = append(p.out, " = "...)
	}
	p.align(start)
	p.out = append(p.out, in.Op.String()...)
	if in.Type != 0 {
		p.out = append(p.out, ' ')
		p.id(in.Type)
	}
	p.raw = false
	if err := spirv.Walk(in, p.c, p.visit); err != nil {
		return err
	}
	p.c.Note(in)
	p.out = append(p.out, '\n')
	return nil
}

// align moves the line so far right, to end at the indentation.
func (p *printer) align(start int) {
	n := indent - (len(p.out) - start)
	if p.options.NoIndent || n <= 0 {
		return
	}
	const blanks = "               "
	p.out = append(p.out, blanks[:n]...)
	copy(p.out[start+n:], p.out[start:len(p.out)-n])
	copy(p.out[start:], blanks[:n])
}

func (p *printer) id(id spirv.ID) {
	p.out = append(p.out, '%')
	if p.names == nil {
		p.out = strconv.AppendUint(p.out, uint64(id), 10)
		return
	}
	p.out = append(p.out, p.names.nameOf(id)...)
}

func (p *printer) operand(o spirv.Operand) error {
	p.out = append(p.out, ' ')
	before := len(p.out)
	if grammar.Kinds[o.Kind].Category == grammar.Id {
		p.id(spirv.ID(o.Words[0]))
	} else if p.raw || !p.literal(o) {
		p.out = p.out[:before]
		p.words(o.Words)
	}
	return nil
}

// words writes the escape for words without a plain form. The rest of the instruction then has no form in the grammar,
// so it is escaped too.
func (p *printer) words(words []uint32) {
	p.raw = true
	for i, w := range words {
		if i > 0 {
			p.out = append(p.out, ' ')
		}
		p.out = fmt.Appendf(p.out, "!%#x", w)
	}
}

// literal writes an operand that is no id; false if it can't be.
func (p *printer) literal(o spirv.Operand) (ok bool) {
	switch grammar.Kinds[o.Kind].Category {
	case grammar.ValueEnum:
		e := o.Kind.Lookup(o.Words[0])
		if e != nil {
			p.out = append(p.out, e.Name...)
		}
		return e != nil
	case grammar.BitEnum:
		return p.mask(o.Kind, o.Words[0])
	}
	switch o.Kind {
	case grammar.KindLiteralString:
		return p.text(o.Words)
	case grammar.KindLiteralExtInstInteger:
		p.extInst(o)
		return true
	case grammar.KindLiteralSpecConstantOpInteger:
		p.out = append(p.out, spirv.Op(o.Words[0]).String()[len("Op"):]...)
		return true
	}
	p.out, ok = appendNumber(p.out, o.Words, numberOf(o))
	return ok
}

// numberOf returns the type of a numeric literal. Outside OpConstant and
// OpSwitch literals are unsigned words and 32-bit floats.
func numberOf(o spirv.Operand) spirv.Number {
	switch {
	case o.Kind == grammar.KindLiteralFloat:
		return spirv.Number{Width: 32, Float: true}
	case o.Kind == grammar.KindLiteralInteger && o.Number.Width == 0:
		return spirv.Number{Width: 32}
	}
	return o.Number
}

func (p *printer) mask(k grammar.Kind, v uint32) bool {
	if v == 0 {
		e := k.Lookup(0)
		if e == nil {
			return false
		}
		p.out = append(p.out, e.Name...)
		return true
	}
	for rest := v; rest != 0; rest &= rest - 1 {
		if rest != v {
			p.out = append(p.out, '|')
		}
		p.out = append(p.out, k.Lookup(rest&-rest).Name...)
	}
	return true
}

func (p *printer) text(words []uint32) bool {
	s, n := spirv.DecodeString(words)
	// Bytes after the end of a string, which should be zero, have no text.
	for i, w := range spirv.EncodeString(s) {
		if i >= n || words[i] != w {
			return false
		}
	}
	p.out = quote(p.out, s)
	return true
}

// numbered is the one set of the grammar whose names spirv-as does not read: its instruction is written as a number.
// Assemble reads both.
const numbered = "NonSemantic.DebugPrintf"

func (p *printer) extInst(o spirv.Operand) {
	if o.Import != nil && o.Import.Set != nil && o.Import.Name != numbered {
		if in := o.Import.Set.Lookup(o.Words[0]); in != nil {
			p.out = append(p.out, in.Name...)
			return
		}
	}
	p.out = strconv.AppendUint(p.out, uint64(o.Words[0]), 10)
}
