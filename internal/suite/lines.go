package suite

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// AllLines is the environment variable that makes the short suite compare all lines.
const AllLines = "SPVSIM_ALL_LINES"

// The short suite compares one of oneOf lines. At most mostShown differences are shown.
const (
	oneOf     = 8
	mostShown = 8
)

// Lines computes n lines, and compares them with those of a file in the test's testdata. With update it writes the file instead.
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

// compare computes every step-th line, and shows the first mostShown that differ.
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

// SampleCases runs a sample of n cases: all in the whole suite, every fourth otherwise, and one of 24 in the short suite.
func SampleCases(n int, do func(i int)) {
	step := 4
	switch {
	case AllCases():
		step = 1
	case testing.Short():
		step = 3 * oneOf
	}
	for i := 0; i < n; i += step {
		do(i)
	}
}

// oneLine joins the lines of a text with semicolons.
func oneLine(text string) string { return strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ") }

// Digest returns the CRC-32C of some data, in hexadecimal.
func Digest(data []byte) string {
	return fmt.Sprintf("%08x", crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))
}
