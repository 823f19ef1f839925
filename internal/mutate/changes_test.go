package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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

// The file with all changes after it: each function asks which copy is wanted, whatever its parameters.
func TestSchema(t *testing.T) {
	dir := t.TempDir()
	source := `package p

type list[T any] []T

// put has a doc comment.
func (l list[T]) put(_ int, _ T, many ...int) int {
	many[0] = 1
	return many[0] + 2
}

func (list[T]) pair(A, B) {
	println()
}
`
	name := filepath.Join(dir, "p.go")
	if err := os.WriteFile(name, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := changes(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []*change
	var numbers []int
	for i := range all {
		list, numbers = append(list, &all[i]), append(numbers, i+1)
	}
	s := newSchema(list, numbers)
	want := `package p

type list[T any] []T

// put has a doc comment.
func (l list[T]) put(parameter_0_0 int, parameter_1_0 T, many ...int) int { switch change_ { case 1: return l.put_change1(parameter_0_0, parameter_1_0, many...); case 2: return l.put_change2(parameter_0_0, parameter_1_0, many...); };
	many[0] = 1
	return many[0] + 2
}

func (receiver_0 list[T]) pair(parameter_0 A, parameter_1 B) { switch change_ { case 3: receiver_0.pair_change3(parameter_0, parameter_1); return; };
	println()
}

func (l list[T]) put_change1(_ int, _ T, many ...int) int {
	
	return many[0] + 2
}
func (l list[T]) put_change2(_ int, _ T, many ...int) int {
	many[0] = 1
	return many[0] - 2
}
func (list[T]) pair_change3(A, B) {
	
}
`
	if diff := cmp.Diff(want, string(s.text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for line, want := range map[int]int{14: -1, 15: 0, 18: 0, 19: 1, 23: 2, 25: 2} {
		if got := s.at(line); got != want {
			t.Errorf("line %d is of change %d, want %d", line, got, want)
		}
	}
}

func TestPickIsTheSameTwice(t *testing.T) {
	all, numbers := make([]change, 100), []int(nil)
	for i := range all {
		numbers = append(numbers, i+1)
	}
	c := choice{n: 10, seed: 3}
	a, b := c.pick(all, numbers), c.pick(all, numbers)
	if len(a) != 10 || !slices.Equal(a, b) || !slices.IsSorted(a) {
		t.Errorf("picked %v and %v", a, b)
	}
	if got := (&choice{}).pick(all, numbers); len(got) != 100 {
		t.Errorf("picked %d of 100", len(got))
	}
}

func TestReached(t *testing.T) {
	got, err := reached([]byte("mode: set\nspvsim/p/a.go:3.20,5.2 2 1\nspvsim/p/a.go:8.2,9.3 1 0\nspvsim/p/b.go:8.2,8.30 1 1\n"))
	want := map[place]bool{{"a.go", 3}: true, {"a.go", 4}: true, {"a.go", 5}: true, {"b.go", 8}: true}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(place{})); diff != "" || err != nil {
		t.Errorf("%v, (-want +got):\n%s", err, diff)
	}
	if _, err := reached([]byte("mode: set\nspvsim/p/a.go\n")); err == nil {
		t.Error("a line without a block is read")
	}
}

// Tests that run the function of a change, in rounds that grow; the others are left out.
func TestRounds(t *testing.T) {
	source := []byte("package p\n\nfunc f() {\n\tg()\n}\n\nfunc g() {\n}\n")
	c := &change{file: "p/a.go", line: 4, in: &function{source: source, body: 21, to: 27}}
	there, elsewhere := map[place]bool{{"a.go", 3}: true, {"a.go", 4}: true}, map[place]bool{{"a.go", 7}: true, {"b.go", 4}: true}
	const second = time.Second
	b := binary{tests: []test{
		{"A", second / 10, there}, {"B", second / 5, elsewhere}, {"C", second / 2, there}, {"D", second, there}, {"E", 3 * second, there}, {"F", 4 * second, elsewhere},
	}}
	var got []string
	for _, r := range b.rounds(c) {
		got = append(got, only(r.tests...)+" "+r.took.String())
	}
	if diff := cmp.Diff([]string{"^(A|C)$ 600ms", "^(D)$ 1s", "^(E)$ 3s"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Tests that never end are ended by the processor time that they took.
func TestEndlessTestsEnd(t *testing.T) {
	endless := filepath.Join(t.TempDir(), "endless")
	if err := os.WriteFile(endless, []byte("#!/bin/sh\nwhile :; do :; done\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	b := binary{dir: "."}
	if cmd, out, err := b.run(endless, 0, time.Second); err == nil || cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime() > 3*time.Second {
		t.Errorf("ended with %v after %v: %s", err, cmd.ProcessState.UserTime(), out)
	}
}
