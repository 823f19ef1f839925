package config

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"spvsim/spec"
)

// Kinds of fault in a file; every error of this package wraps one of them.
var (
	ErrSyntax     = errors.New("not YAML")
	ErrUnknownKey = errors.New("unknown key")
	ErrType       = errors.New("wrong type")
	ErrRange      = spec.ErrRange
	ErrMissing    = spec.ErrMissing
	ErrReference  = spec.ErrReference
	ErrExpr       = errors.New("bad expression")
	ErrLimit      = errors.New("too large")
)

// Error is one fault with its place.
type Error struct {
	File string // file name, or the command-line flag that held the text
	Line int    // 0 when there is no line to name
	Path string // path of the field: lds.banks, steps[2].dispatch[0]
	Msg  string // what was found and what is wanted
	Kind error  // one of the sentinels
}

func (e *Error) Error() string {
	s := "config: "
	if e.File != "" {
		s += e.File
		if e.Line > 0 {
			s += fmt.Sprintf(":%d", e.Line)
		}
		s += ": "
	}
	if e.Path != "" {
		s += e.Path + ": "
	}
	return printable(s + e.Msg)
}

// printable shows control characters, which names may hold, rather than sending them to a terminal.
func printable(s string) string {
	isControl := func(r rune) bool { return unicode.IsControl(r) && r != '\n' }
	if !strings.ContainsFunc(s, isControl) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if isControl(r) {
			fmt.Fprintf(&b, "\\x%02x", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Kind }

// position is where a field was last set.
type position struct {
	file string
	line int
}

// problem is a fault of a value whose place is only known by its path.
type problem struct {
	path, msg string
	kind      error
}

func bad(path, format string, args ...any) problem {
	return problem{path, fmt.Sprintf(format, args...), ErrRange}
}

// place turns problems into errors with positions; a field without one takes that of the nearest enclosing field.
func place(ps []problem, where map[string]position) error {
	var errs []error
	for _, p := range ps {
		at := lookupPosition(where, p.path)
		errs = append(errs, &Error{File: at.file, Line: at.line, Path: p.path, Msg: p.msg, Kind: p.kind})
	}
	return errors.Join(errs...)
}

func lookupPosition(where map[string]position, path string) position {
	for path != "" {
		if at, ok := where[path]; ok {
			return at
		}
		path = parentPath(path)
	}
	return where[""]
}
