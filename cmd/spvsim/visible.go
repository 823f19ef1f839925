package main

import (
	"fmt"
	"io"
)

// visible writes text for people: control characters, which names in modules and files may hold, are shown as \x1b rather than
// sent to a terminal. Line ends, tabs and the return that a line of progress begins with pass.
type visible struct{ w io.Writer }

func (s visible) Write(text []byte) (int, error) {
	start := 0
	for i, c := range text {
		if c >= ' ' && c != 0x7f || c == '\n' || c == '\t' || c == '\r' {
			continue
		}
		if _, err := s.w.Write(text[start:i]); err != nil {
			return start, err
		}
		if _, err := fmt.Fprintf(s.w, "\\x%02x", c); err != nil {
			return i, err
		}
		start = i + 1
	}
	_, err := s.w.Write(text[start:])
	if err != nil {
		return start, err
	}
	return len(text), nil
}

// asIs is the writer below, for files that are written to standard output.
func asIs(w io.Writer) io.Writer {
	if s, ok := w.(visible); ok {
		return s.w
	}
	return w
}
