package asm

import (
	"cmp"
	"strconv"
	"strings"

	"spvsim/spirv"
	"spvsim/spirv/grammar"
)

// list reads operands by the grammar. It stops at a !word, having read all
// that is left of the instruction.
func (a *assembler) list(ops []grammar.Operand) error {
	for i := range ops {
		o := &ops[i]
		for !a.raw {
			if a.atEnd() && o.Quantifier != grammar.One {
				break
			}
			if err := a.operand(o.Kind, describe(o)); err != nil {
				return err
			}
			if o.Quantifier != grammar.Any {
				break
			}
		}
	}
	return nil
}

// describe names an operand in errors.
func describe(o *grammar.Operand) string {
	return cmp.Or(o.Name, o.Kind.String())
}

func (a *assembler) operand(k grammar.Kind, what string) error {
	if a.raw {
		return nil
	}
	if a.atEnd() {
		return a.fault(a.pos, "%s: found %s: want its operand %s", a.in.Op, a.found(), what)
	}
	if a.tokens[a.pos].text[0] == '!' {
		return a.rawWords()
	}
	switch grammar.Kinds[k].Category {
	case grammar.Id:
		return a.step(a.id(a.pos, what))
	case grammar.ValueEnum:
		return a.enum(k, what)
	case grammar.BitEnum:
		return a.mask(k, what)
	case grammar.Composite:
		return a.composite(k, what)
	}
	return a.literal(k, what)
}

// step advances past the current token unless it was faulty.
func (a *assembler) step(err error) error {
	if err == nil {
		a.pos++
	}
	return err
}

func (a *assembler) composite(k grammar.Kind, what string) error {
	for _, base := range grammar.Kinds[k].Bases {
		if err := a.operand(base, what); err != nil {
			return err
		}
	}
	return nil
}

func (a *assembler) enum(k grammar.Kind, what string) error {
	text := a.tokens[a.pos].text
	e := k.ByName(text)
	if e == nil {
		return a.fault(a.pos, "found %s: want a %s (%s)%s", a.found(), k, what, nearestEnumerant(k, text))
	}
	a.words = append(a.words, e.Value)
	a.pos++
	return a.list(e.Parameters)
}

// mask reads names joined by |. Parameters follow in the order of the bits,
// whatever the order of the names.
func (a *assembler) mask(k grammar.Kind, what string) error {
	v := uint32(0)
	for _, name := range strings.Split(a.tokens[a.pos].text, "|") {
		e := k.ByName(name)
		if e == nil && name != "None" {
			return a.fault(a.pos, "found %s: want a mask of %s (%s)%s", shorten(name), k, what, nearestEnumerant(k, name))
		}
		if e != nil {
			v |= e.Value
		}
	}
	a.words = append(a.words, v)
	a.pos++
	for rest := v; rest != 0; rest &= rest - 1 {
		if err := a.list(k.Lookup(rest & -rest).Parameters); err != nil {
			return err
		}
	}
	return nil
}

func (a *assembler) literal(k grammar.Kind, what string) error {
	switch k {
	case grammar.KindLiteralString:
		return a.step(a.text(what))
	case grammar.KindLiteralExtInstInteger:
		return a.extInst()
	case grammar.KindLiteralSpecConstantOpInteger:
		return a.specOp()
	case grammar.KindLiteralFloat:
		return a.number(spirv.Number{Width: 32, Float: true}, what)
	case grammar.KindLiteralContextDependentNumber:
		return a.constant(what)
	}
	return a.number(a.integerType(), what)
}

// integerType returns the type of integer literals: that of the selector for the cases of OpSwitch, otherwise unsigned
// words.
func (a *assembler) integerType() spirv.Number {
	if a.in.Op == spirv.OpSwitch {
		selector := spirv.ID(a.words[a.first])
		if n := a.c.NumberType(a.c.TypeOf(selector)); n.Width > 0 {
			return n
		}
	}
	return spirv.Number{Width: 32}
}

func (a *assembler) number(n spirv.Number, what string) error {
	words, err := parseNumber(a.words, a.tokens[a.pos].text, n)
	if err != nil {
		return a.fault(a.pos, "found %s: want a number (%s): %v", a.found(), what, err)
	}
	a.words = words
	a.pos++
	return nil
}

func (a *assembler) constant(what string) error {
	n := a.c.NumberType(a.in.Type)
	if n.Width == 0 {
		return a.fault(a.pos, "%s: the result type is not a number type defined before, so %s is not known to be a literal of it", a.in.Op, a.found())
	}
	return a.number(n, what)
}

// extInst reads the name of an extended instruction, or its number, and its
// operands by the grammar of the set.
func (a *assembler) extInst() error {
	text := a.tokens[a.pos].text
	imp := a.c.Import(spirv.ID(a.words[a.first]))
	var ext *grammar.ExtInst
	if imp != nil && imp.Set != nil {
		ext = imp.Set.ByName(text)
	}
	code, err := strconv.ParseUint(text, 10, 32)
	switch {
	case ext != nil:
		code = uint64(ext.Code)
	case err != nil:
		return a.unknownExtInst(imp, text)
	case imp != nil && imp.Set != nil:
		ext = imp.Set.Lookup(uint32(code))
	}
	a.words = append(a.words, uint32(code))
	a.pos++
	if ext == nil {
		return nil // the operands are ids, by the grammar of OpExtInst
	}
	if err := a.list(ext.Operands); err != nil {
		return err
	}
	if !a.atEnd() {
		return a.fault(a.pos, "%s: found %s: want the next instruction: it has all its operands", ext.Name, a.found())
	}
	return nil
}

func (a *assembler) unknownExtInst(imp *spirv.Import, text string) error {
	switch {
	case imp == nil:
		return a.fault(a.pos, "found %s, but no OpExtInstImport before gives its set", a.found())
	case imp.Set == nil:
		return a.fault(a.pos, "found %s: want a number: the names of the set %q are not known", a.found(), imp.Name)
	}
	return a.fault(a.pos, "found %s: want an instruction of %s%s", a.found(), imp.Name, nearestExtInst(imp.Set, text))
}

func (a *assembler) specOp() error {
	text := a.tokens[a.pos].text
	g := grammar.OpByName("Op" + text)
	if g == nil {
		return a.fault(a.pos, "found %s: want an opcode without its Op%s", a.found(), nearestOp("Op"+text))
	}
	if !g.HasType || !g.HasResult || g.Code == uint16(spirv.OpSpecConstantOp) {
		return a.fault(a.pos, "%s can't be the operation of a constant", g.Name)
	}
	a.words = append(a.words, uint32(g.Code))
	a.pos++
	return a.list(g.Operands)
}
