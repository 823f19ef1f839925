package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEntries(t *testing.T) {
	got, err := readEntries([]byte("3\n17\n"))
	if diff := cmp.Diff(map[int]bool{3: true, 17: true}, got); diff != "" || err != nil {
		t.Errorf("%v, (-want +got):\n%s", err, diff)
	}
	if _, err := readEntries([]byte("3\nx\n")); err == nil {
		t.Error("a word is read as a number")
	}
}

// Tests that enter the function of a change, in rounds that grow; the others are left out.
func TestRounds(t *testing.T) {
	const second = time.Second
	there, elsewhere := map[int]bool{7: true}, map[int]bool{8: true}
	b := &binary{dir: "p", tests: []test{
		{name: "A", took: second / 10, reaches: there}, {name: "B", took: second / 5, reaches: elsewhere}, {name: "C", took: second / 2, reaches: there},
		{name: "D", took: second, reaches: there}, {name: "E", took: 3 * second, reaches: there}, {name: "F", took: 4 * second, reaches: elsewhere},
	}}
	var got []string
	for _, r := range b.rounds(7) {
		got = append(got, only(r.tests...)+" "+r.took.String())
	}
	if diff := cmp.Diff([]string{"^(A|C)$ 600ms", "^(D)$ 1s", "^(E)$ 3s"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Those that use fewest changed packages come first, of them what is changed itself; one that uses none has nothing to see.
func TestCandidates(t *testing.T) {
	own := &struct{ Path string }{"m"}
	m := newModule([]listed{
		{ImportPath: "m/all", Module: own}, {ImportPath: "m/b", Module: own}, {ImportPath: "m/c", Module: own}, {ImportPath: "m/d", Module: own}, {ImportPath: "m/e", Module: own},
		{ImportPath: "m/all.test", Deps: []string{"m/all", "m/b", "m/c"}}, {ImportPath: "m/b.test", Deps: []string{"m/b"}}, {ImportPath: "m/c.test", Deps: []string{"m/b", "m/c"}},
		{ImportPath: "m/d.test", Deps: []string{"m/b"}}, {ImportPath: "m/e.test", Deps: []string{"m/e"}},
	})
	p := &program{all: []change{{file: "b/b.go"}, {file: "c/c.go"}}, numbers: []int{1, 2}}
	p.candidates(m)
	var got []string
	for _, b := range p.binaries {
		got = append(got, b.dir)
	}
	if diff := cmp.Diff([]string{"b", "d", "c", "all"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	became := map[int]outcome{1: noticed, 2: survives}
	if left := p.left(p.binaries[1], became); len(left) != 0 { // d does not use c
		t.Errorf("left for d: %v", left)
	}
	if left := p.left(p.binaries[3], became); len(left) != 1 || left[0] != 2 {
		t.Errorf("left for all: %v", left)
	}
}

// Tests that never end are ended by the processor time that they took.
func TestEndlessTestsEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("runs for a second")
	}
	endless := filepath.Join(t.TempDir(), "endless")
	if err := os.WriteFile(endless, []byte("#!/bin/sh\nwhile :; do :; done\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	b := binary{dir: ".", path: endless}
	if cmd, out, err := b.run(0, time.Second, true); err == nil || cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime() > 3*time.Second {
		t.Errorf("ended with %v after %v: %s", err, cmd.ProcessState.UserTime(), out)
	}
}
