package expression

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser/lexer"
)

// scanned is the text of an expression, adapted for the library's parser. Two things that the library lacks are replaced, in
// as many characters: integers above the largest int64 by names ($0), and << and >> by the range operator .., which this
// language does not have and which binds as << does in C.
type scanned struct {
	original      string
	text          string
	tokens        []lexer.Token
	largeIntegers map[string]uint64
	shifts        map[int]string // functions of shifts, by the character where they stand
}

// respelled has hints for operators that the language does not have. Some have another meaning in the library than in earlier
// versions of this language.
var respelled = map[string]string{
	"^":  "write bitxor(a, b) for exclusive or, a ** b for a power",
	"|":  "write bitor(a, b)",
	"&":  "write bitand(a, b)",
	"~":  "write bitnot(a)",
	"=":  "write == to compare",
	"..": "there are no ranges in expressions",
	"?.": "write a.b",
	"??": "write condition ? a : b",
	"::": "write the function's name alone",
	"#":  "there are no loops in expressions",
	";":  "write one expression",
	"{":  "there are no blocks and mappings in expressions",

	"let": reserved, "matches": reserved,
}

const reserved = "it is a word of the language: as a name it is written in `backquotes`"

func scan(text string) (*scanned, error) {
	s := &scanned{original: text, largeIntegers: map[string]uint64{}, shifts: map[int]string{}}
	tokens, err := s.lex()
	if err != nil {
		return nil, err
	}
	s.tokens = tokens
	out, end := []rune(text), 0
	var open []lexer.Token
	for i, t := range s.tokens {
		if err := s.gap(end, t.From); err != nil {
			return nil, err
		}
		end = t.To
		if err := s.check(i); err != nil {
			return nil, err
		}
		if open, err = s.bracket(open, t); err != nil {
			return nil, err
		}
		name, err := s.integer(t)
		if err != nil {
			return nil, err
		}
		copy(out[t.From:], []rune(name))
		if s.shift(i) {
			copy(out[t.From:], []rune(".."))
		}
	}
	if err := s.gap(end, len(out)); err != nil {
		return nil, err
	}
	if len(open) > 0 {
		return nil, s.fault(len(out), "want %s", closing[open[len(open)-1].Value])
	}
	s.text = string(out)
	return s, nil
}

// gap refuses comments between tokens, because // is integer division in some languages.
func (s *scanned) gap(from, to int) error {
	between := []rune(s.original)[from:to]
	i := slices.IndexFunc(between, func(r rune) bool { return !unicode.IsSpace(r) })
	if i < 0 {
		return nil
	}
	return s.fault(from+i, "there are no comments in expressions; div(a, b) is the quotient without its fraction")
}

func (s *scanned) lex() ([]lexer.Token, error) {
	l := lexer.New()
	l.DisableIfOperator = true
	l.Reset(file.NewSource(s.original))
	var tokens []lexer.Token
	for {
		t, err := l.Next()
		if err != nil {
			return nil, s.explain(err)
		}
		if t.Kind == lexer.EOF {
			return tokens, nil
		}
		tokens = append(tokens, t)
	}
}

func (s *scanned) fault(from int, format string, args ...any) error {
	return &Error{Text: s.original, Char: from + 1, Err: fmt.Errorf(format, args...)}
}

// check refuses tokens that are not part of the language.
func (s *scanned) check(i int) error {
	t := s.tokens[i]
	word := t.Value
	hint, refused := respelled[word]
	switch {
	case (t.Kind == lexer.Operator || t.Kind == lexer.Bracket) && refused:
		return s.fault(t.From, "found %s: %s", word, hint)
	case t.Kind == lexer.Bytes || t.Kind == lexer.Identifier && strings.Contains(word, "$"):
		return s.fault(t.From, "want a number, a name or (")
	}
	return nil
}

var shiftCalls = map[string]string{"<": "bitshl", ">": "bitshr"}

// shift reports whether a shift begins at the token, and records it.
func (s *scanned) shift(i int) bool {
	t := s.tokens[i]
	name := shiftCalls[t.Value]
	if t.Kind != lexer.Operator || name == "" || i+1 == len(s.tokens) || s.tokens[i+1].Value != t.Value || s.tokens[i+1].From != t.To {
		return false
	}
	s.shifts[t.From] = name
	return true
}

var closing = map[string]string{"(": ")", "[": "]"}

// bracket updates the stack of open brackets, and checks that they match.
func (s *scanned) bracket(open []lexer.Token, t lexer.Token) ([]lexer.Token, error) {
	switch {
	case t.Kind != lexer.Bracket:
	case closing[t.Value] != "":
		return append(open, t), nil
	case len(open) > 0 && closing[open[len(open)-1].Value] == t.Value:
		return open[:len(open)-1], nil
	case len(open) > 0:
		return nil, s.fault(t.From, "want %s", closing[open[len(open)-1].Value])
	}
	return open, nil
}

// integer parses an integer literal. For one above the largest int64 it returns a name of the same length, which begins with
// $, as no other name does.
func (s *scanned) integer(t lexer.Token) (name string, err error) {
	digits := strings.ToLower(strings.ReplaceAll(t.Value, "_", ""))
	base := 10
	if len(digits) > 1 && digits[0] == '0' && strings.ContainsRune("xob", rune(digits[1])) {
		base = 0
	}
	if t.Kind != lexer.Number || base == 10 && strings.ContainsAny(digits, ".e") {
		return "", nil
	}
	u, err := strconv.ParseUint(digits, base, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return "", s.fault(t.From, "%s: want at most %d", t.Value, uint64(math.MaxUint64))
	case err != nil:
		return "", s.fault(t.From, "%s is not a number", t.Value)
	case u <= math.MaxInt64:
		return "", nil
	}
	name = fmt.Sprintf("$%0*d", t.To-t.From-1, len(s.largeIntegers))
	s.largeIntegers[name] = u
	return name, nil
}

// explain converts an error of the library to this language's terms.
func (s *scanned) explain(err error) error {
	var at *file.Error
	if !errors.As(err, &at) {
		return s.fault(0, "%v", err)
	}
	text := []rune(s.original)
	switch {
	case at.From < len(text) && at.From >= 0 && text[at.From] == '~':
		return s.fault(at.From, "found ~: %s", respelled["~"])
	case strings.Contains(at.Message, "maximum allowed nodes"):
		return s.fault(at.From, "want at most %d operators and operands", maxNodes)
	case at.Message == "unexpected token EOF":
		return s.fault(len(text), "%s", s.expectedAt(len(text)))
	case strings.HasPrefix(at.Message, "unexpected token"):
		return s.fault(at.From, "%s", s.expectedAt(at.From))
	}
	return s.fault(max(at.From, 0), "%s", at.Message)
}

// expectedAt returns what the parser expects at the character of an unexpected token.
func (s *scanned) expectedAt(from int) string {
	want, hint := "want a number, a name or (", ""
	for _, t := range s.tokens {
		if t.From < from {
			want = "want a number, a name or ("
			if operand(t) {
				want = "want an operator"
			}
		}
		if t.From == from && t.Kind == lexer.Operator && t.Value[0] >= 'a' {
			hint = "; " + t.Value + ": " + reserved
		}
	}
	return want + hint
}

// operand reports whether a token may end a value.
func operand(t lexer.Token) bool {
	return t.Kind == lexer.Number || t.Kind == lexer.Identifier || t.Kind == lexer.String || t.Value == ")" || t.Value == "]"
}
