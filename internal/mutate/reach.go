package main

import (
	"fmt"
	"path"
	"strings"
)

// A place is a line of a file of the package that changes.
type place struct {
	file string // without its folder
	line int
}

// reached are the lines that a profile of coverage says were run: those of each
// block that was entered, the first and the last one whole.
func reached(profile []byte) (map[place]bool, error) {
	places := map[place]bool{}
	for line := range strings.Lines(string(profile)) {
		if strings.HasPrefix(line, "mode:") {
			continue
		}
		file, block, _ := strings.Cut(strings.TrimSpace(line), ":")
		var from, to, column, statements, count int
		if _, err := fmt.Sscanf(block, "%d.%d,%d.%d %d %d", &from, &column, &to, &column, &statements, &count); err != nil {
			return nil, fmt.Errorf("coverage: %q: %w", line, err)
		}
		for n := from; count > 0 && n <= to; n++ {
			places[place{path.Base(file), n}] = true
		}
	}
	return places, nil
}
