package config

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
)

// joinPath appends a key to a path, quoting a key that holds a dot or a quote (GLSL.std.450).
func joinPath(path, key string) string {
	if strings.ContainsAny(key, ".\"[]=") || key == "" {
		key = `"` + strings.ReplaceAll(strings.ReplaceAll(key, `\`, `\\`), `"`, `\"`) + `"`
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

func indexPath(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }

// splitPath is the inverse of joinPath for paths without indices.
func splitPath(path string) ([]string, error) {
	var keys []string
	for rest := path; ; {
		key, after, err := firstKey(rest)
		if err != nil {
			return nil, fmt.Errorf("path %q: %w", path, err)
		}
		keys = append(keys, key)
		if after == "" {
			return keys, nil
		}
		if after[0] != '.' {
			return nil, fmt.Errorf("path %q: want a dot before %q", path, after)
		}
		rest = after[1:]
	}
}

func firstKey(s string) (key, rest string, err error) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexByte(s, '.')
		if end < 0 {
			end = len(s)
		}
		if end == 0 {
			return "", "", fmt.Errorf("empty key")
		}
		return s[:end], s[end:], nil
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case s[i] == '"':
			return b.String(), s[i+1:], nil
		default:
			b.WriteByte(s[i])
		}
	}
	return "", "", fmt.Errorf("quote is not closed")
}

// parentPath cuts the last key or index of a path.
func parentPath(path string) string {
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
	return strings.TrimPrefix(path[len(parentPath(path)):], ".")
}
