package config

import (
	"fmt"
	"strings"
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

// nearest finds the known path most like the given one: by the whole path, or by its last key in another place.
// It returns "" when nothing is alike.
func nearest(path string, known []string) string {
	best, bestCost := "", 1+len(path)/2
	leaf := lastKey(path)
	for _, k := range known {
		cost := editDistance(path, k)
		other := editDistance(leaf, lastKey(k))
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

// editDistance counts insertions, deletions, changes and swaps of neighbours. Long strings are cut: they are not typing slips.
func editDistance(a, b string) int {
	const longest = 80
	a, b = a[:min(len(a), longest)], b[:min(len(b), longest)]
	var rows [3][longest + 1]int
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur, prev, prev2 := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
	}
	return rows[len(a)%3][len(b)]
}

// Nearest finds the known name or path that is most like a wrong one; "" when none is.
func Nearest(wrong string, known []string) string { return nearest(wrong, known) }
