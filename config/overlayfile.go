package config

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// An OverlayValue is a field that an overlay sets, with the source of its value.
type OverlayValue struct{ Path, Value, Source string }

// WriteOverlay writes a machine file that sets fields on top of a base: a preset, or a file, which is then named relative to a folder.
func WriteOverlay(w io.Writer, title, base, dir string, values []OverlayValue) error {
	if strings.ContainsAny(base, "./\\") {
		if rel, err := filepath.Rel(dir, base); err == nil {
			base = filepath.ToSlash(rel)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\nbase: %s\n", title, base)
	tree := map[string]any{}
	for _, v := range values {
		at, path := tree, strings.Split(v.Path, ".")
		for _, name := range path[:len(path)-1] {
			if at[name] == nil {
				at[name] = map[string]any{}
			}
			at = at[name].(map[string]any)
		}
		text := fmt.Sprintf("{value: %s, source: %q}", v.Value, v.Source)
		if path[len(path)-1] == "latency" { // of a class of instructions, whose numbers have one source
			text = fmt.Sprintf("%s\n%ssource: %q", v.Value, strings.Repeat("  ", len(path)-1), v.Source)
		}
		at[path[len(path)-1]] = text
	}
	writeTree(&b, tree, "")
	_, err := io.WriteString(w, b.String())
	return err
}

func writeTree(b *strings.Builder, tree map[string]any, indent string) {
	names := slices.Sorted(maps.Keys(tree))
	for _, name := range names {
		if inner, ok := tree[name].(map[string]any); ok {
			fmt.Fprintf(b, "%s%s:\n", indent, name)
			writeTree(b, inner, indent+"  ")
			continue
		}
		fmt.Fprintf(b, "%s%s: %s\n", indent, name, tree[name])
	}
}
