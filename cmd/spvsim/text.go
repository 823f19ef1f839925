package main

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

func onTerminal(stream any) bool {
	if o, wrapped := stream.(*output); wrapped {
		stream = o.to
	}
	if v, ok := stream.(visible); ok {
		stream = v.w
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

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
