package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// onTerminal reports whether a stream is one that a person looks at.
func onTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// prefixLines puts a prefix before each line of an error that may hold several faults.
func prefixLines(prefix string, err error) error {
	var lines []error
	for line := range strings.Lines(err.Error()) {
		lines = append(lines, fmt.Errorf("%s: %s", prefix, strings.TrimRight(line, "\n")))
	}
	return &several{errors.Join(lines...), err}
}

// several is an error whose text was rewritten line by line.
type several struct{ text, cause error }

func (s *several) Error() string { return s.text.Error() }
func (s *several) Unwrap() error { return s.cause }

// listing writes rows of a name and a description.
func listing(w io.Writer, rows [][]string) {
	width := 0
	for _, row := range rows {
		width = max(width, len(row[0]))
	}
	for _, row := range rows {
		fmt.Fprintf(w, "%-*s  %s\n", width, row[0], row[1])
	}
}
