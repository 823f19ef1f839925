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

// Tests that enter the function of a change, in rounds that grow: those of its package first, then the shortest; the others are left out.
func TestRounds(t *testing.T) {
	const second = time.Second
	f := &function{}
	there, elsewhere := map[int]bool{7: true}, map[int]bool{8: true}
	own := &binary{dir: "p", tests: []test{
		{name: "A", took: second / 10, reaches: there}, {name: "B", took: second / 5, reaches: elsewhere}, {name: "C", took: second / 2, reaches: there},
		{name: "D", took: second, reaches: there}, {name: "E", took: 3 * second, reaches: there}, {name: "F", took: 4 * second, reaches: elsewhere},
	}}
	p := &program{entries: map[*function]int{f: 7}, binaries: []*binary{
		{dir: "q", tests: []test{{name: "Long", took: 5 * second, reaches: there}}}, own, {dir: "r", tests: []test{{name: "Short", took: second, reaches: there}}}}}
	var got []string
	for _, r := range p.rounds(&change{file: "p/a.go", in: f}) {
		got = append(got, r.in.dir+" "+only(r.tests...)+" "+r.took.String())
	}
	if diff := cmp.Diff([]string{"p ^(A|C)$ 600ms", "p ^(D)$ 1s", "p ^(E)$ 3s", "r ^(Short)$ 1s", "q ^(Long)$ 5s"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Tests that never end are ended by the processor time that they took.
func TestEndlessTestsEnd(t *testing.T) {
	endless := filepath.Join(t.TempDir(), "endless")
	if err := os.WriteFile(endless, []byte("#!/bin/sh\nwhile :; do :; done\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	b := binary{dir: ".", path: endless}
	if cmd, out, err := b.run(0, time.Second, true); err == nil || cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime() > 3*time.Second {
		t.Errorf("ended with %v after %v: %s", err, cmd.ProcessState.UserTime(), out)
	}
}
