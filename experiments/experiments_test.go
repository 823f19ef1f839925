package experiments

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
)

func TestNamesAreFoundWithDescriptionAndFiles(t *testing.T) {
	names := Names()
	if !slices.IsSorted(names) || !slices.Contains(names, "reduce") || !slices.Contains(names, "peer-fir") {
		t.Fatalf("names %q", names)
	}
	for _, name := range names {
		files, job, description, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fs.Stat(files, job); err != nil {
			t.Error(err)
		}
		if description == "" {
			t.Errorf("%s: its first line gives no description", name)
		}
	}
}

func TestUnknownNameSuggestsTheNearest(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"redcue", "did you mean reduce?"},
		{"peer-matmull", "did you mean peer-matmul?"},
		{"transpose-paded", "did you mean transpose-padded?"},
	} {
		_, _, _, err := Lookup(c.name)
		if !errors.Is(err, ErrUnknownJob) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Lookup(%q): %v, want %q", c.name, err, c.want)
		}
	}
	if _, _, _, err := Lookup("qqqqqqqqqqqqqqqq"); err == nil || strings.Contains(err.Error(), "mean") {
		t.Errorf("a name like no other: %v", err)
	}
}
