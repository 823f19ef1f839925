package spvsim_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// stems begin words that were used here for what the field has a term for (docs/reference/glossary.md); private are those words.
var (
	stems   = []string{"cr" + "ew", "excur" + "sion", "hea" + "rs", "te" + "lls", "roo" + "m", "sta" + "nds", "nob" + "ody", "in va" + "in", "for wh" + "o"}
	private = regexp.MustCompile(`(?i)\b(` + strings.Join(stems, "|") + `)s?\b`)
)

// hasStem is quick, as most files have none.
func hasStem(lower string) bool {
	return slices.ContainsFunc(stems, func(stem string) bool { return strings.Contains(lower, stem) })
}

// Names, comments and pages use the field's terms.
func TestWordsOfTheField(t *testing.T) {
	read := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != "."):
			return filepath.SkipDir
		case d.IsDir() || !worded[filepath.Ext(path)]:
			return nil
		}
		text, err := os.ReadFile(path)
		read++
		if !hasStem(strings.ToLower(string(text))) {
			return err
		}
		for i, line := range strings.Split(string(text), "\n") {
			if word := private.FindString(line); word != "" {
				t.Errorf("%s:%d: %q is not a term of the field", path, i+1, word)
			}
		}
		return err
	})
	if err != nil || read < 500 {
		t.Errorf("%d files read: %v", read, err)
	}
}

// worded are the kinds of files with names, comments or text.
var worded = map[string]bool{".go": true, ".s": true, ".md": true, ".yaml": true}
