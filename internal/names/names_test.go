package names

import (
	_ "embed"
	"slices"
	"strings"
	"testing"
)

// most is how many percent of a package's names may be everyday words.
const most = 5

//go:embed gone.txt
var goneText string

func loaded(t *testing.T, tests bool) []*goPackage {
	t.Helper()
	all, err := load("../..", tests)
	if err != nil || len(all) < 50 {
		t.Fatalf("%d packages, %v", len(all), err)
	}
	return all
}

func TestEverydayNamesAreFew(t *testing.T) {
	for _, p := range loaded(t, false) {
		if bare := p.everyday(); len(bare)*100 >= most*p.total() && len(bare) > 0 {
			t.Errorf("%s: %d of %d names are everyday words, want below %d %%: %s",
				p.dir, len(bare), p.total(), most, strings.Join(bare, ", "))
		}
	}
}

func TestSharedTypeNames(t *testing.T) {
	for _, h := range homonyms(loaded(t, false), typeName) {
		if slices.Contains([]string{"env", "group", "launch", "place"}, h.word) {
			t.Errorf("type %s is declared in %s", h.word, strings.Join(h.dirs, ", "))
		}
	}
}

// Names that were replaced by the field's terms stay away, in tests too. Lines of gone.txt are names, or names of a package.
func TestReplacedNamesAreGone(t *testing.T) {
	gone := wordSet(goneText)
	for _, p := range loaded(t, true) {
		for k, names := range p.names {
			for name := range names {
				if gone[name] || gone[p.dir+"."+name] {
					t.Errorf("%s: %s %s", p.dir, k, name)
				}
			}
		}
	}
}
