package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

func TestCounts(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"a/a.go": `package a
type Place struct{ held, Lane int; inner struct{ lane int } }
func (p *Place) begin() {}
func (p *Place) lanes() {}
type unit interface{ begin() }
const width, _ = 1, 2
func run() { var beside int; _ = beside }`,
		"a/a_test.go":            "package a\nvar taken int",
		"b/b.go":                 "package b\nimport _ \"spvsim/a\"\ntype place int",
		"a/testdata/c.go":        "package c\nvar taken int",
		"unrelated/unrelated.go": "package unrelated\ntype place int",
	} {
		name = filepath.Join(root, name)
		suite.OK(t, os.MkdirAll(filepath.Dir(name), 0o755))
		suite.OK(t, os.WriteFile(name, []byte(text), 0o644))
	}
	for list, want := range map[string]string{
		"": "a 10 3 30.0|b 1 1 100.0|unrelated 1 1 100.0|place 2 a b|begin 2|take 0", "a": "field held|method begin|type Place", "c": "",
	} {
		var out strings.Builder
		err := run(&out, root, list)
		if (want == "") != (err != nil) {
			t.Errorf("%q: %v", list, err)
		}
		got := "\n"
		for line := range strings.Lines(out.String()) {
			got += strings.Join(strings.Fields(line), " ") + "\n"
		}
		for _, row := range strings.Split(want, "|") {
			if want != "" && !strings.Contains(got, "\n"+row+"\n") {
				t.Errorf("%q: no row %q in:%s", list, row, got)
			}
		}
	}
}
