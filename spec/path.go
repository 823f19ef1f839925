package spec

import (
	"strconv"
	"strings"

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

// Nearest finds the known name or path most like a wrong one: by the whole path, or by its last key in another place.
// It returns "" when nothing is alike.
func Nearest(path string, known []string) string {
	const longest = 200 // more is no slip of the keyboard
	if len(path) > longest {
		return ""
	}
	best, bestCost := "", 1+len(path)/2
	leaf := lastKey(path)
	for _, k := range known {
		cost := levenshtein.ComputeDistance(path, k)
		other := levenshtein.ComputeDistance(leaf, lastKey(k))
		if len(leaf) > 3 && other <= len(leaf)/3 {
			cost = min(cost, other+1)
		}
		if cost < bestCost {
			best, bestCost = k, cost
		}
	}
	return best
}

func lastKey(path string) string {
	return strings.TrimPrefix(path[len(Parent(path)):], ".")
}
