package suite

import (
	"strings"
	"testing"
)

// tester is the part of testing.TB that ends a test, which rapid's tests have too.
type tester interface {
	Helper()
	Fatal(args ...any)
}

// Must returns the function that gives a test the value of a call, or ends the test with the call's error: suite.Must(os.ReadFile(name))(t).
func Must[T any](v T, err error) func(t tester) T {
	return func(t tester) T {
		t.Helper()
		OK(t, err)
		return v
	}
}

// OK ends a test with an error.
func OK(t tester, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Contains reports each wanted text that a text does not contain as an error of the test.
func Contains(t testing.TB, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
