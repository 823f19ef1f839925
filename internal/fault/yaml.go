package fault

import (
	"bytes"
	"strconv"
	"strings"
)

// YAML returns the message of an error of the YAML parser ("yaml: line N: text"), and its line; 0: not known. It names a tab in the
// indentation as the cause.
func YAML(data []byte, err error) (line int, msg string) {
	msg = strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(msg, "line "); ok {
		num, text, _ := strings.Cut(rest, ": ")
		if n, e := strconv.Atoi(num); e == nil {
			line, msg = n, text
		}
	}
	if at := tabNear(data, line); at > 0 {
		return at, "found a tab in the indentation: want spaces, as YAML takes no tabs there"
	}
	return line, "not YAML: " + msg
}

// tabNear returns the line with a tab in its indentation, among the parser's line and its neighbours; 0: none. The parser's line may be the
// one before or after the tab's.
func tabNear(data []byte, line int) int {
	lines := bytes.Split(data, []byte("\n"))
	for _, at := range []int{line, line + 1, line - 1} {
		if at < 1 || at > len(lines) {
			continue
		}
		text := lines[at-1]
		indent := text[:len(text)-len(bytes.TrimLeft(text, " \t"))]
		if bytes.IndexByte(indent, '\t') >= 0 {
			return at
		}
	}
	return 0
}
