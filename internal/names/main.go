// Command names counts how many names of each package are a bare everyday word (held, beside, take), which says nothing of
// the field, and lists the type names that packages share.
//
//	go run ./internal/names              prints a table of the packages, shared type names and generic methods
//	go run ./internal/names -list mem    prints the everyday names of package mem
//
// It counts the types, functions, methods, fields and package variables of non-test files, each name once for its kind.
// The words are in everyday.txt. Terms of the field (issue, wave, lane, set, way, line, bank, queue) are not on it.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

//go:embed everyday.txt
var everydayText string

var everyday = wordSet(everydayText)

// verbs are method names that need an object or the field's verb.
var verbs = strings.Fields("begin take place settle leave beside put hold pass enter give turn mark")

func main() {
	list := flag.String("list", "", "print the everyday names of this `package`")
	root := flag.String("root", ".", "the module's `folder`")
	flag.Parse()
	if err := run(os.Stdout, *root, *list); err != nil {
		fmt.Fprintln(os.Stderr, "names:", err)
		os.Exit(1)
	}
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
