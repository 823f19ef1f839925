package spirv

import (
	"fmt"
	"sort"
	"strings"
)

// A Source is the text that a module was assembled from: the position of each instruction, and the names of the ids.
// Errors and reports name positions and ids by it. A module that was read as words has a nil Source; its errors name
// words and numbers.
type Source struct {
	File      string
	Positions []TextPosition // in the order of the module
	Names     []string       // by id, without %; "" for ids without a name in the text
}

// A TextPosition is the position of an instruction in a text. Line and column count from 1, the column in bytes.
type TextPosition struct {
	Word         int // index in the module of the instruction's first word
	Line, Column int32
	Source       *Source
}

// Name returns the name of an id in the text, or its number.
func (s *Source) Name(id ID) string {
	if s != nil && int(id) < len(s.Names) && s.Names[id] != "" {
		return "%" + s.Names[id]
	}
	return fmt.Sprintf("%%%d", id)
}

// PositionOf returns the position of the instruction that contains a word, or nil.
func (s *Source) PositionOf(word int) *TextPosition {
	if s == nil {
		return nil
	}
	i := sort.Search(len(s.Positions), func(i int) bool { return s.Positions[i].Word > word })
	if i == 0 {
		return nil
	}
	return &s.Positions[i-1]
}

// String returns the place as compilers write it.
func (p *TextPosition) String() string {
	return fmt.Sprintf("%s:%d:%d", p.Source.File, p.Line, p.Column)
}

// Fault formats an error of an instruction: with its position in the text or, for a module that was read as words, with
// the package that found it and the word.
func (s *Source) Fault(by string, word int, op Op, id ID, text string) string {
	what := op.String()
	if id != 0 {
		what += " " + s.Name(id)
	}
	if p := s.PositionOf(word); p != nil {
		return fmt.Sprintf("%s: %s: %s", p, what, text)
	}
	return fmt.Sprintf("%s: word %d (%s): %s", by, word, what, text)
}

// Sprintf is fmt.Sprintf with ids, written %%%d, replaced by their names in the text.
func (s *Source) Sprintf(format string, args ...any) string {
	if s == nil || !strings.Contains(format, idVerb) {
		return fmt.Sprintf(format, args...)
	}
	args = append([]any(nil), args...)
	var b strings.Builder
	for n := 0; format != ""; {
		switch {
		case strings.HasPrefix(format, idVerb) && n < len(args):
			b.WriteString("%s")
			args[n] = s.nameOf(args[n])
			n, format = n+1, format[len(idVerb):]
		case strings.HasPrefix(format, "%%"):
			b.WriteString("%%")
			format = format[2:]
		default:
			if format[0] == '%' {
				n++
			}
			b.WriteByte(format[0])
			format = format[1:]
		}
	}
	return fmt.Sprintf(b.String(), args...)
}

// idVerb is the verb for an id in formats of messages.
const idVerb = "%%%d"

func (s *Source) nameOf(id any) string {
	switch id := id.(type) {
	case ID:
		return s.Name(id)
	case uint32:
		return s.Name(ID(id))
	}
	return fmt.Sprintf("%%%d", id)
}
