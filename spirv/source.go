package spirv

import (
	"fmt"
	"sort"
	"strings"
)

// A Source is the text that a module was assembled from: where each instruction
// is in it, and what it calls the ids. Errors and reports speak of the text
// through it. A nil Source is that of a module which came as words: those are
// all that there is to name.
type Source struct {
	File   string
	Places []Place  // in the order of the module
	Names  []string // by id, without %; "" where the text has none
}

// A Place is where an instruction is in a text. Line and column count from
// 1, the column in bytes.
type Place struct {
	Word         int // index in the module of the instruction's first word
	Line, Column int32
	Source       *Source
}

// Name is what the text calls an id, or its number.
func (s *Source) Name(id ID) string {
	if s != nil && int(id) < len(s.Names) && s.Names[id] != "" {
		return "%" + s.Names[id]
	}
	return fmt.Sprintf("%%%d", id)
}

// Place returns where the instruction that holds a word is, or nil.
func (s *Source) Place(word int) *Place {
	if s == nil {
		return nil
	}
	i := sort.Search(len(s.Places), func(i int) bool { return s.Places[i].Word > word })
	if i == 0 {
		return nil
	}
	return &s.Places[i-1]
}

// String is the place as compilers write it.
func (p *Place) String() string {
	return fmt.Sprintf("%s:%d:%d", p.Source.File, p.Line, p.Column)
}

// Fault words what is wrong with an instruction: with its place in the text, or,
// of a module that came as words, who found it at which word.
func (s *Source) Fault(by string, word int, op Op, id ID, text string) string {
	what := op.String()
	if id != 0 {
		what += " " + s.Name(id)
	}
	if p := s.Place(word); p != nil {
		return fmt.Sprintf("%s: %s: %s", p, what, text)
	}
	return fmt.Sprintf("%s: word %d (%s): %s", by, word, what, text)
}

// Sprintf is fmt.Sprintf in which ids, written %%%d, have their names of the
// text.
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

// idVerb is how formats of messages write an id.
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
