package systemtest

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain makes garbage collections rarer: the tests create hundreds of small machines, and a quarter of the time was
// collection.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
