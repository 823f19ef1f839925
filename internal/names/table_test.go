package names

import (
	_ "embed"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

//go:embed everyday.txt
var everydayText string

var everyday = wordSet(everydayText)

// verbs are method names that need an object or the field's verb.
var verbs = strings.Fields("begin take place settle leave beside put hold pass enter give turn mark")

var listed = flag.String("of", "", "the `package` whose everyday names TestTable prints, and not the table")

// The table covers all packages of the module.
func TestTable(t *testing.T) {
	var out strings.Builder
	suite.OK(t, run(&out, "../..", *listed))
	t.Log("\n" + out.String())
}

func run(w io.Writer, root, list string) error {
	all, err := load(root, false)
	if err != nil {
		return err
	}
	if list == "" {
		printTable(w, all)
		printHomonyms(w, all)
		printVerbs(w, all)
		return nil
	}
	i := slices.IndexFunc(all, func(p *goPackage) bool { return p.dir == list })
	if i < 0 {
		return fmt.Errorf("package %s: no such folder with Go files", list)
	}
	for _, name := range all[i].everyday() {
		fmt.Fprintln(w, name)
	}
	return nil
}

func printTable(w io.Writer, all []*goPackage) {
	fmt.Fprintf(w, "%-24s %6s %9s %6s\n", "package", "names", "everyday", "%")
	for _, p := range all {
		if total := p.total(); total > 0 {
			bare := len(p.everyday())
			fmt.Fprintf(w, "%-24s %6d %9d %6.1f\n", p.dir, total, bare, 100*float64(bare)/float64(total))
		}
	}
}

// printHomonyms lists type names, without regard to case, that packages declare which meet.
func printHomonyms(w io.Writer, all []*goPackage) {
	fmt.Fprintln(w, "\ntype names of packages that meet")
	for _, h := range homonyms(all, typeName) {
		fmt.Fprintf(w, "%-16s %3d  %s\n", h.word, len(h.dirs), strings.Join(h.dirs, " "))
	}
}

func printVerbs(w io.Writer, all []*goPackage) {
	fmt.Fprintln(w, "\nmethods that are a bare verb")
	for _, verb := range verbs {
		n := 0
		for _, p := range all {
			n += p.names[methodName][verb] + p.names[methodName][strings.ToUpper(verb[:1])+verb[1:]]
		}
		fmt.Fprintf(w, "%-16s %3d\n", verb, n)
	}
}

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

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
