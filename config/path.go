package config

import (
	"fmt"
	"strings"

	"spvsim/internal/spec"
)

// Paths are written as in package spec.
var (
	joinPath   = spec.Join
	indexPath  = spec.Item
	parentPath = spec.Parent
)

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
			return nil, fmt.Errorf("path %q: found %q: want a dot before it", path, after)
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
			return "", "", fmt.Errorf("found an empty key: want a name")
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
	return "", "", fmt.Errorf("found an open quote: want a closing one")
}

// Suggestions for a wrong name or path, as in package spec.
var (
	Nearest = spec.Nearest
	Hint    = spec.Hint
)
