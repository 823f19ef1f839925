package asm

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"spvsim/spirv"
	"spvsim/spirv/grammar"
)

// AssembleOptions select how a text is read.
type AssembleOptions struct {
	// Version is the module's version, as in its header (major<<16 | minor<<8). 0 selects that of a comment "; Version:
	// x.y" before the first instruction, or else 1.6.
	Version uint32
	// PreserveNumericIDs keeps %12 as id 12, and the bound of a comment "; Bound: n" if it is greater than needed.
	// Otherwise ids are numbered from 1 in order of their appearance.
	PreserveNumericIDs bool
}

const (
	defaultVersion = 1<<16 | 6<<8
	maxFaults      = 10    // reported at once
	maxWords       = 65535 // of one instruction: its count has 16 bits
)

// Assemble reads a module from text with the default options. The name is
// in errors, which are *Error, several joined by errors.Join.
func Assemble(src []byte, name string) (*spirv.Module, error) {
	return AssembleWith(src, name, AssembleOptions{})
}

// AssembleWith reads a module from text. The result has passed spirv.DecodeWords, so that text with !words can't break
// its form.
func AssembleWith(src []byte, name string, o AssembleOptions) (*spirv.Module, error) {
	tokens, comments := lex(string(src))
	a := &assembler{name: name, tokens: tokens, c: spirv.NewContext(min(len(tokens), spirv.MaxBound))}
	a.ids.init(tokens, o.PreserveNumericIDs)
	h := parseHeader(comments)
	a.words = make([]uint32, spirv.HeaderWords, spirv.HeaderWords+2*len(tokens))
	a.instructions()
	if len(a.faults) > 0 {
		return nil, errors.Join(a.faults...)
	}
	bound := a.ids.bound()
	if o.PreserveNumericIDs && h.bound <= spirv.MaxBound {
		bound = max(bound, h.bound)
	}
	version := firstNonZero(o.Version, h.version, defaultVersion)
	copy(a.words, []uint32{spirv.Magic, version, h.generator, bound, 0})
	m, err := spirv.DecodeWords(a.words)
	if err != nil {
		return nil, a.locate(err)
	}
	m.Source = a.source()
	return m, nil
}

func firstNonZero(values ...uint32) uint32 {
	for _, v := range values {
		if v != 0 {
			return v
		}
	}
	return 0
}

type assembler struct {
	name              string
	tokens            []token
	pos               int
	words             []uint32
	ids               idTable
	c                 *spirv.Context
	faults            []error
	instructionStarts []instructionStart // of instructions, by which faults of words are located

	// Of the current instruction:
	in    spirv.Instruction // Operands are set at its end
	start int               // index of its first word
	first int               // index of its first operand after type and result
	raw   bool              // a !word occurred: the rest is read without the grammar
}

type instructionStart struct{ word, token int }

// source returns the positions of the instructions and the names of the ids, as in the text: independent of the numbers
// that the ids have got.
func (a *assembler) source() *spirv.Source {
	s := &spirv.Source{File: a.name, Names: a.ids.names(), Positions: make([]spirv.TextPosition, len(a.instructionStarts))}
	for i, p := range a.instructionStarts {
		t := a.tokens[p.token]
		s.Positions[i] = spirv.TextPosition{Word: p.word, Line: t.line, Column: t.column, Source: s}
	}
	return s
}

// locate adds the position in the text of its instruction to an error of decoding.
func (a *assembler) locate(err error) error {
	var e *spirv.Error
	if !errors.As(err, &e) || len(a.instructionStarts) == 0 {
		return &Error{Name: a.name, Line: 1, Column: 1, Text: err.Error()}
	}
	i := sort.Search(len(a.instructionStarts), func(i int) bool { return a.instructionStarts[i].word > e.Word })
	t := a.tokens[a.instructionStarts[max(i-1, 0)].token]
	return &Error{a.name, int(t.line), int(t.column), err.Error()}
}

func (a *assembler) instructions() {
	for a.pos < len(a.tokens) && len(a.faults) < maxFaults {
		start := a.pos
		a.start = len(a.words)
		a.instructionStarts = append(a.instructionStarts, instructionStart{a.start, start})
		if err := a.instruction(); err != nil {
			a.faults = append(a.faults, err)
			a.words = a.words[:a.start]
			a.pos = max(a.pos, start+1)
			for a.pos < len(a.tokens) && !a.startsAt(a.pos) {
				a.pos++
			}
		}
	}
}

// startsAt reports whether an instruction starts at a token: at an opcode, or at an id before an equals sign.
func (a *assembler) startsAt(i int) bool {
	t := a.tokens[i]
	if t.text[0] == '%' && i+1 < len(a.tokens) && a.tokens[i+1].text == "=" {
		return true
	}
	return t.startsOp() && (i == 0 || a.tokens[i-1].text != "=")
}

// atEnd reports whether the current instruction has no tokens left.
func (a *assembler) atEnd() bool { return a.pos == len(a.tokens) || a.startsAt(a.pos) }

// fault returns an error at a token; at the end of the text, after the last one.
func (a *assembler) fault(at int, format string, args ...any) error {
	e := &Error{Name: a.name, Line: 1, Column: 1, Text: fmt.Sprintf(format, args...)}
	if at < len(a.tokens) {
		e.Line, e.Column = int(a.tokens[at].line), int(a.tokens[at].column)
	} else if n := len(a.tokens); n > 0 {
		last := a.tokens[n-1]
		e.Line, e.Column = int(last.line), int(last.column)+len(last.text)
	}
	return e
}

// found describes the current token for an error.
func (a *assembler) found() string {
	if a.pos == len(a.tokens) {
		return "the end"
	}
	return shorten(a.tokens[a.pos].text)
}

func shorten(s string) string {
	if len(s) > 40 {
		return strconv.Quote(s[:40]) + "..."
	}
	return strconv.Quote(s)
}

func (a *assembler) instruction() error {
	if a.tokens[a.pos].text[0] == '!' {
		return a.rawWords()
	}
	result := a.pos
	if a.tokens[a.pos].text[0] == '%' {
		if a.pos+1 == len(a.tokens) || a.tokens[a.pos+1].text != "=" {
			return a.fault(a.pos, "found %s: want an instruction; an id starts one only before =", a.found())
		}
		a.pos += 2
	}
	g, err := a.opcode(result)
	if err != nil {
		return err
	}
	a.pos++
	a.words = append(a.words, 0)
	if err := a.results(g, result); err != nil {
		return err
	}
	if err := a.list(g.Operands); err != nil {
		return err
	}
	return a.finish(g)
}

// opcode looks up the opcode at the current token, without advancing.
func (a *assembler) opcode(result int) (*grammar.Op, error) {
	if a.pos == len(a.tokens) || !a.tokens[a.pos].startsOp() {
		return nil, a.fault(a.pos, "found %s: want an instruction, such as OpNop", a.found())
	}
	g := grammar.OpByName(a.tokens[a.pos].text)
	if g == nil {
		return nil, a.fault(a.pos, "unknown instruction %s%s", a.found(), nearestOp(a.tokens[a.pos].text))
	}
	if g.HasResult && result == a.pos {
		return nil, a.fault(a.pos, "%s has a result: want %%id = %[1]s", g.Name)
	}
	if !g.HasResult && result != a.pos {
		return nil, a.fault(result, "%s has no result, but comes after %s =", g.Name, shorten(a.tokens[result].text))
	}
	return g, nil
}

// results writes the result type, then the result, whose token precedes it in the text.
func (a *assembler) results(g *grammar.Op, result int) error {
	a.in = spirv.Instruction{Op: spirv.Op(g.Code), Word: a.start}
	a.raw = false
	if g.HasType {
		if a.atEnd() || a.tokens[a.pos].text[0] == '!' {
			return a.fault(a.pos, "%s: found %s: want the id of the result type", g.Name, a.found())
		}
		if err := a.id(a.pos, "result type"); err != nil {
			return err
		}
		a.in.Type = spirv.ID(a.words[len(a.words)-1])
		a.pos++
	}
	if g.HasResult {
		if err := a.id(result, "result"); err != nil {
			return err
		}
		a.in.Result = spirv.ID(a.words[len(a.words)-1])
	}
	a.first = len(a.words)
	return nil
}

func (a *assembler) finish(g *grammar.Op) error {
	if !a.atEnd() && a.tokens[a.pos].text[0] != '!' {
		return a.fault(a.pos, "%s: found %s: want the next instruction: it has all its operands", g.Name, a.found())
	}
	n := len(a.words) - a.start
	if n > maxWords {
		return a.fault(a.instructionStarts[len(a.instructionStarts)-1].token, "%s: %d words: an instruction has at most %d", g.Name, n, maxWords)
	}
	a.words[a.start] = uint32(n)<<16 | uint32(g.Code)
	a.in.Operands = a.words[a.first:]
	a.c.Note(&a.in)
	return nil
}

// rawWords reads the remaining tokens of an instruction without the grammar, from a !word on: the form of each token
// determines its words.
func (a *assembler) rawWords() error {
	a.raw = true
	for ; !a.atEnd(); a.pos++ {
		if err := a.untyped(); err != nil {
			return err
		}
	}
	return nil
}

func (a *assembler) untyped() error {
	switch text := a.tokens[a.pos].text; {
	case text[0] == '!':
		v, err := parseInt(text[1:], spirv.Number{Width: 32})
		if err != nil {
			return a.fault(a.pos, "found %s: want ! and a number of 32 bits: %v", a.found(), err)
		}
		a.words = append(a.words, uint32(v))
		return nil
	case text[0] == '%':
		return a.id(a.pos, "id")
	case text[0] == '"':
		return a.text("string")
	}
	for _, n := range []spirv.Number{{Width: 32}, {Width: 32, Signed: true}, {Width: 32, Float: true}} {
		if words, err := parseNumber(a.words, a.tokens[a.pos].text, n); err == nil {
			a.words = words
			return nil
		}
	}
	return a.fault(a.pos, "found %s after a !word: want !word, %%id, a number or a string", a.found())
}

func (a *assembler) id(at int, what string) error {
	text := a.tokens[at].text
	if text[0] != '%' {
		return a.fault(at, "found %s: want an id, as %%name (%s)", shorten(text), what)
	}
	id, err := a.ids.id(text[1:])
	if err != nil {
		return a.fault(at, "%s: %v (%s)", shorten(text), err, what)
	}
	a.words = append(a.words, uint32(id))
	return nil
}

func (a *assembler) text(what string) error {
	s, ok := unquote(a.tokens[a.pos].text)
	if !ok {
		return a.fault(a.pos, "found %s: want a string in quotes (%s)", a.found(), what)
	}
	if strings.IndexByte(s, 0) >= 0 {
		return a.fault(a.pos, "the string holds a zero byte, which would end it (%s)", what)
	}
	a.words = append(a.words, spirv.EncodeString(s)...)
	return nil
}
