package suite

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// AllLines is the variable that asks for all lines in the suite's short form.
const AllLines = "SPVSIM_ALL_LINES"

// oneOf so many lines are compared in the suite's short form, and mostShown differences are shown.
const (
	oneOf     = 8
	mostShown = 8
)

// Lines compares n lines that are worked out one by one with those of a file of the test's testdata; with update the file is written.
func Lines(t testing.TB, name string, update bool, n int, line func(i int) string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if update {
		var text strings.Builder
		for i := range n {
			text.WriteString(oneLine(line(i)) + "\n")
		}
		if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(want) != n {
		t.Fatalf("%s: %d lines: want %d, written anew with -update", path, len(want), n)
	}
	step := 1
	if testing.Short() && os.Getenv(AllLines) == "" {
		step = oneOf
	}
	compare(t, path, want, step, line)
}

// compare works out every step-th line, and shows the first that differ.
func compare(t testing.TB, path string, want []string, step int, line func(i int) string) {
	t.Helper()
	differ := 0
	for i := 0; i < len(want); i += step {
		got := oneLine(line(i))
		if got == want[i] {
			continue
		}
		if differ++; differ > mostShown {
			t.Fatalf("%s: and others", path)
		}
		t.Errorf("%s:%d, written anew with -update:\n-%s\n+%s", path, i+1, want[i], got)
	}
}

// Some does every fourth of n things, in the suite's short form one in so many as lines are compared; where each case is asked for, all.
func Some(n int, do func(i int)) {
	step := 4
	switch {
	case Whole():
		step = 1
	case testing.Short():
		step = 3 * oneOf
	}
	for i := 0; i < n; i += step {
		do(i)
	}
}

// oneLine is text without ends of lines.
func oneLine(text string) string { return strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ") }

// Digest is a short name of a text: texts that differ have other ones.
func Digest(data []byte) string {
	return fmt.Sprintf("%08x", crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))
}
