package driver

import (
	"math"
	"os"
	"path"
	"strings"

	"spvsim/internal/expression"
	"spvsim/vulkan/vk"
)

// Choices say which dispatches something is done with, by their names.
type choices []choice

// A choice is a pattern of names, and how many dispatches of each name it takes; 0: all.
type choice struct {
	pattern string
	most    int
	taken   map[string]int
}

// readChoices reads patterns with commas between, each with a count after a colon or none, from a variable of the environment; without it,
// what there is else.
func readChoices(variable, otherwise string) (list choices) {
	all := os.Getenv(variable)
	if all == "" {
		all = otherwise
	}
	for _, text := range strings.FieldsFunc(all, func(r rune) bool { return r == ',' }) {
		r := choice{pattern: text, taken: map[string]int{}}
		if pattern, count, ok := strings.Cut(text, ":"); ok {
			n, err := expression.ParseWithin(count, 1, math.MaxInt32)
			if err != nil {
				fail(vk.ErrorInitializationFailed, "%s: %q: after the colon: %v", variable, text, err)
			}
			r.pattern, r.most = pattern, int(n)
		}
		if _, err := path.Match(r.pattern, ""); err != nil {
			fail(vk.ErrorInitializationFailed, "%s: %q: %v", variable, text, err)
		}
		list = append(list, r)
	}
	return list
}

// take says whether to take a dispatch of that name; a star represents slashes too.
func (c choices) take(name string) bool {
	flat := func(s string) string { return strings.ReplaceAll(s, "/", " ") }
	for i := range c {
		r := &c[i]
		if ok, _ := path.Match(flat(r.pattern), flat(name)); ok && (r.most == 0 || r.taken[name] < r.most) {
			r.taken[name]++
			return true
		}
	}
	return false
}
