package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Tests of a package use it and what it imports, in whichever form the go command compiles that for them.
func TestUsers(t *testing.T) {
	own := &struct{ Path string }{"m"}
	m := newModule([]listed{
		{ImportPath: "m/a", Module: own, GoFiles: []string{"a.go"}, CgoFiles: []string{"c.go"}},
		{ImportPath: "m/b", Module: own, Deps: []string{"fmt", "m/a"}},
		{ImportPath: "m/b/c", Module: own},
		{ImportPath: "m/a.test", Deps: []string{"fmt", "m/a [m/a.test]"}},
		{ImportPath: "m/b.test", Deps: []string{"m/a", "m/b [m/b.test]", "other/b"}},
		{ImportPath: "m/b [m/b.test]", ForTest: "m/b", Module: own},
	})
	got := map[string][]string{}
	for name, s := range m.packages {
		got[name] = s.users
	}
	if diff := cmp.Diff(map[string][]string{"a": {"a", "b"}, "b": {"b"}, "b/c": nil}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a/a.go", "a/c.go"}, m.packages["a"].files); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a", "b"}, m.used("b", map[string]bool{"a": true, "b": true, "b/c": true})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestUnknownPackage(t *testing.T) {
	m := newModule([]listed{{ImportPath: "m/a", Module: &struct{ Path string }{"m"}}})
	if _, err := m.changes([]string{"b"}); err == nil || !strings.Contains(err.Error(), `"b": want a package of the module, one of a`) {
		t.Errorf("found %v", err)
	}
}

// small is a module whose tests see some changes and not others: its second package sees what the first doesn't, without use(y) it does not compile, and without y = 3 it is the same program.
var small = map[string]string{
	"go.mod": "module small\n\ngo 1.24\n",
	"a/a.go": `package a

func Sum(x, y int) int {
	if x == 0 {
		return y
	}
	return x + y
}

func Count(n int) (k int) {
	for range n {
		k += 2
	}
	return k
}

func Top(x, y int) int { return max(x, y) }

func Unseen(x int) int { return x * 2 }

func use(int) {}

func Dead(x int) int {
	y := 3
	y = 3
	use(y)
	return 1
}

func Same(x uint) bool { return x >= 0 && x < 5 }
`,
	"a/a_test.go": `package a

import "testing"

func TestSum(t *testing.T) {
	if Sum(0, 2) != 2 || Sum(2, 3) != 5 {
		t.Error()
	}
}

func TestCount(t *testing.T) {
	if Count(3) != 6 {
		t.Error()
	}
}
`,
	"b/b.go": "package b\n\nimport \"small/a\"\n\nfunc F() int { return a.Top(3, 4) }\n",
	"b/b_test.go": `package b

import "testing"

func TestF(t *testing.T) {
	if F() != 4 {
		t.Error()
	}
}
`,
}

// The tool as a whole on a small module: what becomes of each change.
func TestSmallModule(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module many times")
	}
	dir := t.TempDir()
	for name, text := range small {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	m, err := readModule()
	if err != nil {
		t.Fatal(err)
	}
	all, err := m.changes(nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.build(t.TempDir(), all, (&choice{}).draws(all))
	if err != nil {
		t.Fatal(err)
	}
	p.candidates(m)
	became, err := p.try(time.Minute, false, false)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]outcome{}
	for _, n := range p.numbers {
		got[all[n-1].String()] = became[n]
	}
	want := map[string]outcome{}
	for text, o := range map[string]outcome{
		`4: "!=" instead of "=="`: noticed, `7: "-" instead of "+"`: noticed, `12: without "k += 2"`: noticed, `17: "min" instead of "max"`: noticed, `19: "/" instead of "*"`: survives, `25: without "y = 3"`: equal,
		`30: "||" instead of "&&"`: survives, `30: ">" instead of ">="`: survives, `30: "<=" instead of "<"`: survives,
	} {
		want["a/a.go:"+text] = o
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
