package plots

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Kinds of fault in rows and figures; every error of this package wraps one of them.
var (
	ErrSyntax     = errors.New("not readable")
	ErrUnknownKey = errors.New("unknown key")
	ErrType       = errors.New("wrong type")
	ErrRange      = errors.New("out of range")
	ErrMissing    = errors.New("missing")
	ErrColumn     = errors.New("no such column")
	ErrExpr       = errors.New("bad expression")
	ErrEmpty      = errors.New("empty selection")
	ErrRepeated   = errors.New("several rows for one point")
	ErrText       = errors.New("text that can't be set")
	ErrLimit      = errors.New("too large")
	ErrDraw       = errors.New("not drawn")
)

// Error is one fault with its place.
type Error struct {
	File string // file name
	Line int    // 0 when there is no line to name
	Path string // key in the figure (y.scale, annotations[2].x) or name of the column
	Msg  string // what was found and what is wanted
	Kind error  // one of the sentinels
}

func (e *Error) Error() string {
	s := "plots: "
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

// printable shows control characters, which names of columns and files may hold, rather than sending them to a terminal.
func printable(s string) string {
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

// nearestTo words the known name most like a given one, for the end of a message.
func nearestTo(name string, known []string) string {
	best, bestCost := "", 2+len(name)/3
	for _, k := range known {
		if cost := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(k)); cost < bestCost {
			best, bestCost = k, cost
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (nearest: %s)", best)
}
