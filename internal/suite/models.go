package suite

import "testing"

// MemoryModels lists the values of memory.model that the build can run.
func MemoryModels() []string {
	if Akita {
		return []string{"fast", "akita"}
	}
	return []string{"fast"}
}

// NeedsAkita skips a test in builds without Akita's caches.
func NeedsAkita(t testing.TB) {
	t.Helper()
	if !Akita {
		t.Skip("built without Akita's caches")
	}
}
