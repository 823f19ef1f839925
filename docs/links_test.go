package docs_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	linkTarget = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	inlineCode = regexp.MustCompile("`[^`]*`")
	schemed    = regexp.MustCompile(`^[a-z]+:`)
	notInSlug  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	pagePath   = regexp.MustCompile(`\bdocs/[A-Za-z0-9/_-]+\.md\b`)
)

// Every relative link of every page leads to a file, and its anchor to a heading of that file.
func TestLinksResolve(t *testing.T) {
	pages, headings := filesWith(t, ".md"), map[string]map[string]bool{}
	links := 0
	for _, page := range pages {
		for _, target := range linksOf(readText(t, filepath.Join("..", page))) {
			name, anchor, _ := strings.Cut(target, "#")
			if name = filepath.Join("..", filepath.Dir(page), name); strings.HasPrefix(target, "#") {
				name = filepath.Join("..", page)
			}
			links++
			if _, err := os.Stat(name); err != nil {
				t.Errorf("%s links %s: %v", page, target, err)
				continue
			}
			if anchor == "" {
				continue
			}
			if headings[name] == nil {
				headings[name] = anchorsOf(readText(t, name))
			}
			if !headings[name][anchor] {
				t.Errorf("%s links %s: no heading has this anchor", page, target)
			}
		}
	}
	if links < 100 {
		t.Errorf("found %d links in %d pages", links, len(pages))
	}
}

// Texts that name a page by its path (help, errors, comments, experiments) name one that exists.
func TestNamedPagesExist(t *testing.T) {
	found := 0
	for _, file := range filesWith(t, ".go", ".yaml", ".md", ".sh") {
		for _, name := range pagePath.FindAllString(readText(t, filepath.Join("..", file)), -1) {
			if found++; name == "docs/workgraphs.md" { // a page of vkd3d-proton
				continue
			}
			if _, err := os.Stat(filepath.Join("..", name)); err != nil {
				t.Errorf("%s names %s: %v", file, name, err)
			}
		}
	}
	if found < 50 {
		t.Errorf("found %d paths of pages", found)
	}
}

// filesWith returns the files of the repository with one of these endings, as paths from its root.
func filesWith(t *testing.T, endings ...string) (files []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(".."), ".", func(path string, d fs.DirEntry, err error) error {
		if hidden := strings.HasPrefix(d.Name(), ".") && path != "." && d.Name() != ".ci"; err == nil && d.IsDir() && hidden {
			return fs.SkipDir
		}
		if err == nil && !d.IsDir() && slices.Contains(endings, filepath.Ext(path)) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// prose returns the lines of a page outside of code blocks.
func prose(page string) (lines []string) {
	fenced := false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		} else if !fenced && !strings.HasPrefix(line, "    ") {
			lines = append(lines, strings.TrimRight(line, "\n"))
		}
	}
	return lines
}

// linksOf returns the targets of a page's links and pictures, except those with a scheme (https:).
func linksOf(page string) (targets []string) {
	for _, line := range prose(page) {
		for _, m := range linkTarget.FindAllStringSubmatch(inlineCode.ReplaceAllString(line, ""), -1) {
			if !schemed.MatchString(m[1]) {
				targets = append(targets, m[1])
			}
		}
	}
	return targets
}

// anchorsOf returns the anchors of a page's headings, as GitHub makes them: lower case, without punctuation, spaces as hyphens, and a
// number after the second heading of the same text.
func anchorsOf(page string) map[string]bool {
	anchors, seen := map[string]bool{}, map[string]int{}
	for _, line := range prose(page) {
		title := strings.TrimLeft(line, "#")
		if title == line || !strings.HasPrefix(title, " ") {
			continue
		}
		slug := strings.ReplaceAll(notInSlug.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ", "-")
		if n := seen[slug]; n > 0 {
			anchors[fmt.Sprintf("%s-%d", slug, n)] = true
		} else {
			anchors[slug] = true
		}
		seen[slug]++
	}
	return anchors
}

func TestAnchorsOfHeadings(t *testing.T) {
	got := anchorsOf("# More is no slower: what holds, and what cannot\n## A `b_c`-d\n```\n# no heading\n```\n## Laws\n## Laws\n")
	for _, want := range []string{"more-is-no-slower-what-holds-and-what-cannot", "a-b_c-d", "laws", "laws-1"} {
		if !got[want] {
			t.Errorf("no %q in %v", want, got)
		}
	}
	if len(got) != 4 {
		t.Errorf("%v: want 4", got)
	}
}
