package suite

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// A recorder is a test that notes what it is told, and goes on.
type recorder struct {
	testing.TB
	said []string
}

func (*recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	panic(r)
}

// lines runs Lines in a folder of its own, and gives what it told.
func lines(n int, update bool, line func(i int) string) (said []string) {
	r := &recorder{}
	defer func() {
		if p := recover(); p != nil && p != any(r) {
			panic(p)
		}
		said = r.said
	}()
	Lines(r, "lines.txt", update, n, line)
	return nil
}

// Lines are written, and are the same then; each that differs is shown with its number, of many the first, and another number of them is a fault.
func TestLines(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(AllLines, "1")
	if err := os.Mkdir("testdata", 0o755); err != nil {
		t.Fatal(err)
	}
	square := func(i int) string { return fmt.Sprintf(" %d\nof %d\n", i*i, i) }
	if said := lines(20, true, square); len(said) > 0 {
		t.Error(said)
	}
	if text, err := os.ReadFile("testdata/lines.txt"); err != nil || !strings.HasPrefix(string(text), "0; of 0\n1; of 1\n4; of 2\n") {
		t.Errorf("%q, %v", text, err)
	}
	if said := lines(20, false, square); len(said) > 0 {
		t.Error(said)
	}
	if said := lines(21, false, square); len(said) != 1 || !strings.Contains(said[0], "20 lines: want 21") {
		t.Error(said)
	}
	one := func(i int) string { return square(i) + strings.Repeat("x", i/19) }
	if said := lines(20, false, one); len(said) != 1 || !strings.HasSuffix(said[0], "lines.txt:20, written anew with -update:\n-361; of 19\n+361; of 19; x") {
		t.Errorf("%q", said)
	}
	none := func(int) string { return "" }
	if said := lines(20, false, none); len(said) != mostShown+1 || !strings.HasSuffix(said[mostShown], "and others") {
		t.Errorf("%q", said)
	}
}
