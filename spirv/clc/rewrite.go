package clc

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Instructions in LLVM's text that llvm-spirv refuses up to version 15 at least.
var (
	// freeze is what clang makes of a quotient with its remainder.
	freeze = regexp.MustCompile(`^( +%\S+ = )freeze (.+?) ([%@]?[\w.$-]+)((?:, !.*)?)$`)
	// truncation to a few bits is what clang makes of a switch over x & 7.
	truncation = regexp.MustCompile(`^( +(%\S+) = )trunc (i\d+) (\S+) to i([2-7])((?:, !.*)?)$`)
	switching  = regexp.MustCompile(`^( +switch )i[2-7] (%[^ ,]+)(,.*)$`)
	switchCase = regexp.MustCompile(`^( +)i[2-7] (-?\d+)(, label .*)$`)
)

// A narrowed value has the low bits of a value of another type.
type narrowed struct {
	from string // the type
	bits int
}

// rewrite writes LLVM's text without them: freeze as a selection between its operand and itself, as it chooses a value where
// the operand has none, which a run has in any case; a switch over a few bits as one over the masked value. A truncated
// value that is used elsewhere, too, is then no valid code, and the compiler says so.
func rewrite(text string) string {
	lines := strings.Split(text, "\n")
	values, current := map[string]narrowed{}, narrowed{} // of the function; of the switch
	for i, line := range lines {
		if m := freeze.FindStringSubmatch(line); m != nil {
			lines[i] = fmt.Sprintf("%sselect i1 true, %s %s, %s %s%s", m[1], m[2], m[3], m[2], m[3], m[4])
		} else if m := truncation.FindStringSubmatch(line); m != nil {
			bits, _ := strconv.Atoi(m[5])
			values[m[2]] = narrowed{m[3], bits}
			lines[i] = fmt.Sprintf("%sand %s %s, %d%s", m[1], m[3], m[4], 1<<bits-1, m[6])
		} else if m := switching.FindStringSubmatch(line); m != nil {
			current = values[m[2]]
			lines[i] = m[1] + current.from + " " + m[2] + m[3]
		} else if m := switchCase.FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[2])
			lines[i] = fmt.Sprintf("%s%s %d%s", m[1], current.from, n&(1<<current.bits-1), m[3])
		} else if line == "}" {
			clear(values)
		}
	}
	return strings.Join(lines, "\n")
}
