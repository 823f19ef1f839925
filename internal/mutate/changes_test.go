package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChanges(t *testing.T) {
	dir := t.TempDir()
	source := `package p

func f(a, b int) int {
	if a < b && b != 0 {
		a += 2
		a = max(a, 3*b)
		g(a)
	}
	s := "x" + "y"
	_ = s
	return a - b
}

func g(int) { panic("a" + "b") }

func Text() string { return "" }
`
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := changes(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range list {
		got = append(got, strings.TrimPrefix((&list[i]).String(), filepath.Join(dir, "p.go")))
		if after := string(list[i].apply()); after == source || len(after) > len(source)+2 {
			t.Errorf("%s: the file is\n%s", &list[i], after)
		}
	}
	want := []string{
		`:4: "||" instead of "&&"`, `:4: "<=" instead of "<"`, `:4: "==" instead of "!="`,
		`:5: without "a += 2"`, `:6: without "a = max(a, 3*b)"`, `:7: without "g(a)"`,
		`:6: "min" instead of "max"`, `:6: "/" instead of "*"`, `:11: "+" instead of "-"`,
		`:14: without "panic(\"a\" + \"b\")"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPickIsTheSameTwice(t *testing.T) {
	all := make([]change, 100)
	for i := range all {
		all[i].line = i
	}
	a, b := pick(all, 10, 3), pick(all, 10, 3)
	if len(a) != 10 {
		t.Fatalf("%d picked", len(a))
	}
	for i := range a {
		if a[i].line != b[i].line || i > 0 && a[i].line <= a[i-1].line {
			t.Errorf("picked %d and %d", a[i].line, b[i].line)
		}
	}
}
