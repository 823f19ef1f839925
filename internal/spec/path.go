package spec

import (
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/agnivade/levenshtein"
)

// Join appends a key to a path, quoting a key that holds a dot or a quote (GLSL.std.450).
func Join(path, key string) string {
	if strings.ContainsAny(key, ".\"[]=") || key == "" {
		key = `"` + strings.ReplaceAll(strings.ReplaceAll(key, `\`, `\\`), `"`, `\"`) + `"`
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// Item appends an index to a path.
func Item(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// Parent cuts the last key or index of a path.
func Parent(path string) string {
	inQuote := false
	cut := 0
	for i := 0; i < len(path); i++ {
		switch {
		case path[i] == '\\' && inQuote:
			i++
		case path[i] == '"':
			inQuote = !inQuote
		case !inQuote && (path[i] == '.' || path[i] == '['):
			cut = i
		}
	}
	return path[:cut]
}

// Nearest finds the known name or path most like a wrong one, whatever the case of its letters: by the whole, by its last key in another
// place, or as a part of a name with hyphens (MI300A of cdna3-mi300a). It returns "" when nothing is alike.
func Nearest(path string, known []string) string {
	const longest = 200 // more is no slip of the keyboard
	if len(path) > longest {
		return ""
	}
	path = strings.ToLower(path)
	best, bestCost := "", 1+len(path)/2
	leaf := lastKey(path)
	for _, name := range known {
		k := strings.ToLower(name)
		cost := levenshtein.ComputeDistance(path, k)
		other := levenshtein.ComputeDistance(leaf, lastKey(k))
		if len(leaf) > 3 && other <= len(leaf)/3 {
			cost = min(cost, other+1)
		}
		if strings.Contains(k, "-") { // names, not keys
			cost = min(cost, partCost(path, k))
		}
		if cost < bestCost {
			best, bestCost = name, cost
		}
	}
	return best
}

// partCost compares a word with the parts of a name between hyphens: 1 more than the least distance, where that is small. Words of
// several parts are compared with the name as a whole.
func partCost(word, name string) int {
	word = squash(word)
	least := math.MaxInt - 1
	if len(word) < 3 {
		return least
	}
	if strings.Contains(squash(name), word) {
		return 1
	}
	for part := range strings.SplitSeq(name, "-") {
		if d := levenshtein.ComputeDistance(word, part); d <= len(word)/4 {
			least = min(least, d)
		}
	}
	return least + 1
}

// squash leaves letters and digits.
func squash(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

func lastKey(path string) string {
	return strings.TrimPrefix(path[len(Parent(path)):], ".")
}
