package spec

import (
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/agnivade/levenshtein"
)

// Join appends a key to a path. Keys with dots, quotes, brackets or = are quoted ("GLSL.std.450").
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

// Parent removes the last key or index of a path.
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

// Nearest returns the known name or path with the smallest edit distance (Levenshtein) to a wrong one, ignoring case: of the whole, of
// the last key (for a key at another path), or of a part between hyphens (MI300A: cdna3-mi300a). It returns "" if none is near.
func Nearest(path string, known []string) string {
	const longest = 200 // longer ones are not typing errors
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

// partCost returns 1 + the smallest edit distance of a word to the parts of a name between hyphens, counting only distances up to a
// quarter of the word; 1 if the name without hyphens contains the word.
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

// squash removes all but letters and digits.
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
