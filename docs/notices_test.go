package docs_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// licences are known by words that no other one has, the first that fits.
var licences = []struct{ name, words string }{
	{"BSD-3-Clause AND MIT AND Apache-2.0", "The filepathx Authors"},
	{"CC-BY-4.0", "Creative Commons Attribution 4.0 International"},
	{"FTL OR GPL-2.0", "Use of the Freetype-Go software is subject to your choice of"},
	{"MPL-2.0", "Mozilla Public License Version 2.0"},
	{"Unlicense", "This is free and unencumbered software released into the public domain"},
	{"MIT AND Apache-2.0", "This project is covered by two different licenses: MIT and Apache"},
	{"Apache-2.0", "Apache License"},
	{"MIT", "Permission is hereby granted, free of charge"},
	{"BSD-3-Clause", "Neither the name"},
	{"BSD-2-Clause", "Redistributions in binary form must reproduce"},
}

// holder is a line that names who has the rights.
var holder = regexp.MustCompile(`(?m)^\W*(?:The MIT License.*)?Copyright (?:\([cC]\) ?|© ?)?([0-9].*?)\.?( All rights reserved\.?)?\s*$`)

// module is a row of the table: a module's licence and who has the rights, by its own files.
func module(t *testing.T, path, dir string) string {
	t.Helper()
	names := suite.Must(filepath.Glob(filepath.Join(dir, "*")))(t)
	for _, name := range names {
		base := strings.ToUpper(filepath.Base(name))
		if !strings.HasPrefix(base, "LICEN") && base != "UNLICENSE" || strings.HasPrefix(base, "LICENSE-") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			continue // a folder
		}
		i := slices.IndexFunc(licences, func(l struct{ name, words string }) bool { return bytes.Contains(text, []byte(l.words)) })
		if i < 0 {
			t.Fatalf("%s: found an unknown licence", name)
		}
		var who []string
		for _, m := range holder.FindAllSubmatch(text, -1) {
			if h := string(m[1]); !slices.Contains(who, h) {
				who = append(who, h)
			}
		}
		return fmt.Sprintf("| `%s` | %s | %s |\n", path, licences[i].name, strings.Join(who, "; "))
	}
	t.Fatalf("%s has no licence in %s", path, dir)
	return ""
}

// The page of notices has each module that the command or the driver contains, in all builds, with the licence in its files; and what else
// ships. With -update its table is written anew.
func TestNotices(t *testing.T) {
	c := exec.Command("go", "list", "-deps", "-tags", "akita", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}", "./cmd/spvsim", "./vulkan")
	c.Dir = ".."
	out := suite.Must(c.Output())(t)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(lines)
	root := suite.Must(filepath.Abs(".."))(t)
	table := "| module | licence | copyright |\n| --- | --- | --- |\n"
	for _, line := range slices.Compact(lines) {
		if path, dir, ok := strings.Cut(line, "\t"); ok && !strings.HasPrefix(dir, root) { // but for the stand-ins of this repository
			table += module(t, path, dir)
		}
	}
	const name, begin, end = "../NOTICE.md", "<!-- modules -->\n", "<!-- end of modules -->"
	page := readText(t, name)
	before, rest, ok1 := strings.Cut(page, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no place for its table", name)
	}
	want := before + begin + table + end + after
	if *update {
		suite.OK(t, os.WriteFile(name, []byte(want), 0o644))
	} else if page != want {
		t.Errorf("%s is not what the modules' files say: run go generate ./docs", name)
	}
	for _, of := range []string{"codeberg.org/go-fonts/liberation", "spirv/grammar/NOTICE", "vulkan/vk", "experiments/figures/mi300a"} {
		if !strings.Contains(page, of) {
			t.Errorf("%s says nothing of %s", name, of)
		}
	}
}
