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

// scanned is the text of an expression as the library's parser gets it. Integers above the largest int64 are names there, and
// shifts, which the library does not have either, are ranges, which this language does not have: .. binds as << does in C.
type scanned struct {
	original string
	text     string
	tokens   []lexer.Token
	large    map[string]uint64
	shifts   map[int]string // functions of shifts, by the character where they stand
}

// respelled are operators that the language does not have, with what to write instead. Some of them the library knows in another
// meaning than earlier versions of this language did.
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
	s := &scanned{original: text, large: map[string]uint64{}, shifts: map[int]string{}}
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

// gap refuses comments between tokens: in some languages // is the quotient without its fraction.
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
	return &Error{Text: s.original, At: from + 1, Err: fmt.Errorf(format, args...)}
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

// shift says whether a shift begins at the token, and notes it.
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

// bracket keeps the brackets that are open.
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

// integer reads an integer literal. One above the largest int64 gets a name of its own length, as the library has no such
// literals: no other name has a $.
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
	name = fmt.Sprintf("$%0*d", t.To-t.From-1, len(s.large))
	s.large[name] = u
	return name, nil
}

// explain says in this language's words what the library found.
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
		return s.fault(len(text), "%s", s.wanted(len(text)))
	case strings.HasPrefix(at.Message, "unexpected token"):
		return s.fault(at.From, "%s", s.wanted(at.From))
	}
	return s.fault(max(at.From, 0), "%s", at.Message)
}

// wanted says what could stand at a character that a token is wrong at.
func (s *scanned) wanted(from int) string {
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

// operand says whether a value may end with the token.
func operand(t lexer.Token) bool {
	return t.Kind == lexer.Number || t.Kind == lexer.Identifier || t.Kind == lexer.String || t.Value == ")" || t.Value == "]"
}
