package driver

import (
	"cmp"
	"math"
	"os"
	"path"
	"strings"

	"spvsim/internal/expression"
	"spvsim/vulkan/vk"
)

// choices select dispatches by name.
type choices []choice

// A choice is a pattern of names, and the number of dispatches of each name that it selects; 0: all.
type choice struct {
	pattern  string
	limit    int
	selected map[string]int
}

// readChoices reads comma-separated patterns, each with an optional count after a colon, from an environment variable;
// if that is unset, from otherwise.
func readChoices(variable, otherwise string) (list choices) {
	all := cmp.Or(os.Getenv(variable), otherwise)
	for _, text := range strings.FieldsFunc(all, func(r rune) bool { return r == ',' }) {
		r := choice{pattern: text, selected: map[string]int{}}
		if pattern, count, ok := strings.Cut(text, ":"); ok {
			n, err := expression.ParseWithin(count, 1, math.MaxInt32)
			if err != nil {
				fail(vk.ErrorInitializationFailed, "%s: %q: after the colon: %v", variable, text, err)
			}
			r.pattern, r.limit = pattern, int(n)
		}
		if _, err := path.Match(r.pattern, ""); err != nil {
			fail(vk.ErrorInitializationFailed, "%s: %q: %v", variable, text, err)
		}
		list = append(list, r)
	}
	return list
}

// selects reports whether to select a dispatch of that name, and counts it; a star matches slashes too.
func (c choices) selects(name string) bool {
	flat := func(s string) string { return strings.ReplaceAll(s, "/", " ") }
	for i := range c {
		r := &c[i]
		if ok, _ := path.Match(flat(r.pattern), flat(name)); ok && (r.limit == 0 || r.selected[name] < r.limit) {
			r.selected[name]++
			return true
		}
	}
	return false
}
