// Package fault formats errors in users' files: the place, what was found and
// what was wanted. It does not know which kinds of files there are.
package fault

import (
	"fmt"
	"runtime/debug"
	"strings"
	"unicode"
)

// A Fault is an error in a file, with its place.
type Fault struct {
	File string // file name, or the command-line flag that held the text
	Line int    // 0: not known
	Path string // of the key (lds.banks, steps[2].dispatch[0], annotations[2].x), or the name of a column
	Msg  string // what was found and what is wanted
	Kind error  // a sentinel of the package that found it
}

// Text returns the fault's message, with the name of the package that found it.
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

// IsControl reports whether a character is a control character other than a newline.
func IsControl(r rune) bool { return unicode.IsControl(r) && r != '\n' }

// Printable escapes control characters, which names of keys, columns and files may contain, so that they do not reach a terminal.
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

// A Panic is a panic to be raised again in another goroutine, with the stack of the goroutine that it occurred in.
type Panic struct {
	Value any
	Stack []byte
}

// Caught returns the result of recover together with the stack. It must be called in the deferred function, before the stack unwinds.
func Caught(value any) *Panic {
	if p, ok := value.(*Panic); ok {
		return p
	}
	return &Panic{value, debug.Stack()}
}

func (p *Panic) String() string { return fmt.Sprint(p.Value) }
