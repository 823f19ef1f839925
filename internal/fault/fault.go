// Package fault words errors in files that users write: the place, what was
// found and what was wanted. It does not know which kinds of files there are.
package fault

import (
	"fmt"
	"runtime/debug"
	"strings"
	"unicode"
)

// A Fault is one thing that is wrong, with its place.
type Fault struct {
	File string // file name, or the command-line flag that held the text
	Line int    // 0 when there is no line to name
	Path string // of the key (lds.banks, steps[2].dispatch[0], annotations[2].x), or the name of a column
	Msg  string // what was found and what is wanted
	Kind error  // a sentinel of the package that found it
}

// Text words the fault as the package that found it says it.
func (f *Fault) Text(by string) string {
	s := by + ": "
	if f.File != "" {
		s += f.File
		if f.Line > 0 {
			s += fmt.Sprintf(":%d", f.Line)
		}
		s += ": "
	}
	if f.Path != "" {
		s += f.Path + ": "
	}
	return Printable(s + f.Msg)
}

// IsControl says whether a character is a command rather than text; a line's end breaks a line.
func IsControl(r rune) bool { return unicode.IsControl(r) && r != '\n' }

// Printable shows control characters, which names of keys, columns and files may hold, rather than sending them to a terminal.
func Printable(s string) string {
	if !strings.ContainsFunc(s, IsControl) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if IsControl(r) {
			fmt.Fprintf(&b, "\\x%02x", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// A Panic is a panic that another goroutine takes over, with the stack of the goroutine that it came from.
type Panic struct {
	Value any
	Stack []byte
}

// Caught keeps what recover returned together with the stack. Call it in the deferred function that recovers, before the stack is gone.
func Caught(value any) *Panic {
	if p, ok := value.(*Panic); ok {
		return p
	}
	return &Panic{value, debug.Stack()}
}

func (p *Panic) String() string { return fmt.Sprint(p.Value) }
