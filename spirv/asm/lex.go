package asm

import "strings"

// token is a word of the text, or a string literal with its quotes.
type token struct {
	text         string
	line, column int32
}

// startsOp reports whether the token is an instruction's name. Enumerants do not begin so.
func (t token) startsOp() bool {
	return len(t.text) > 2 && t.text[0] == 'O' && t.text[1] == 'p' && 'A' <= t.text[2] && t.text[2] <= 'Z'
}

type lexer struct {
	src          string
	pos          int
	line, column int32
	header       []string // comments before the first token
}

// lex splits a text into its tokens. White space of any kind separates them;
// a comment runs from ; to the end of its line.
func lex(src string) (tokens []token, header []string) {
	l := lexer{src: src, line: 1, column: 1}
	tokens = make([]token, 0, len(src)/8)
	for {
		l.skip(len(tokens) == 0)
		if l.pos == len(l.src) {
			return tokens, l.header
		}
		tokens = append(tokens, l.word())
	}
}

func (l *lexer) advance() {
	if l.src[l.pos] == '\n' {
		l.line++
		l.column = 0
	}
	l.column++
	l.pos++
}

func (l *lexer) skip(keep bool) {
	for l.pos < len(l.src) {
		switch l.src[l.pos] {
		case ' ', '\t', '\r', '\n':
			l.advance()
		case ';':
			l.comment(keep)
		default:
			return
		}
	}
}

func (l *lexer) comment(keep bool) {
	start := l.pos
	for l.pos < len(l.src) && l.src[l.pos] != '\n' {
		l.advance()
	}
	if keep {
		l.header = append(l.header, strings.TrimSpace(l.src[start+1:l.pos]))
	}
}

// word takes a token. Quotes may stand anywhere in it, and hold white space;
// a backslash keeps the next character from ending the word or the quote.
func (l *lexer) word() token {
	t := token{line: l.line, column: l.column}
	start, quoting := l.pos, false
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c == '"':
			quoting = !quoting
		case c == '\\' && quoting && l.pos+1 < len(l.src):
			l.advance()
		case !quoting && strings.IndexByte(" \t\r\n;", c) >= 0:
			t.text = l.src[start:l.pos]
			return t
		}
		l.advance()
	}
	t.text = l.src[start:l.pos]
	return t
}

// unquote returns the value of a string literal; ok is false when the token
// is not one. A backslash represents the character after it.
func unquote(s string) (value string, ok bool) {
	if len(s) < 2 || s[0] != '"' {
		return "", false
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), i == len(s)-1
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return "", false
}

// quote is the inverse of unquote.
func quote(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); i++ {
		if s[i] == '"' || s[i] == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, s[i])
	}
	return append(dst, '"')
}
