package experiments

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain lets the collector run less often: hundreds of small machines come and go, and a quarter of the time went there.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
