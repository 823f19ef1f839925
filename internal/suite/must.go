package suite

import "testing"

// Must returns the function that gives a test the value of a call, or ends the test with the call's error: suite.Must(os.ReadFile(name))(t).
func Must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		OK(t, err)
		return v
	}
}

// OK ends a test with an error.
func OK(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
