package docs_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"spvsim/account"
	"spvsim/internal/suite"
)

// The glossary has each reason with its meaning, each term once and in order.
func TestGlossary(t *testing.T) {
	data := suite.Must(os.ReadFile("reference/glossary.md"))(t)
	text := string(data)
	for r := range account.NumReasons {
		if row := fmt.Sprintf("\n| `%s` | %s |\n", r, r.Meaning()); !strings.Contains(text, row) {
			t.Errorf("the glossary lacks the row %q", row)
		}
	}
	seen := map[string]bool{}
	for section := range strings.SplitSeq(text, "\n## ") {
		title, rest, _ := strings.Cut(section, "\n")
		var terms []string
		for line := range strings.Lines(rest) {
			if term, meaning, ok := strings.Cut(strings.TrimPrefix(line, "| "), " | "); ok && strings.HasPrefix(line, "| ") && term != "term" && term != "reason" && term != "---" {
				if len(meaning) < 10 || seen[term] {
					t.Errorf("%s: %q has no meaning, or two", title, term)
				}
				terms, seen[term] = append(terms, strings.ToLower(term)), true
			}
		}
		if title != "Reasons" && !slices.IsSorted(terms) {
			t.Errorf("%s: terms are not in order: %v", title, terms)
		}
	}
	for _, term := range []string{"wave", "slot-cycle", "occupancy", "payload", "knob", "facet"} {
		if !seen[term] {
			t.Errorf("no %q", term)
		}
	}
}

// The index links the glossary once; other pages that begin with its words may.
func TestGlossaryIsLinked(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if n := strings.Count(string(text), "(reference/glossary.md)"); err != nil || n != 1 {
		t.Errorf("the index links the glossary %d times: want once (%v)", n, err)
	}
}
