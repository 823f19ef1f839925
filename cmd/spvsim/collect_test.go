package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

// gcPercent returns the current setting of the garbage collector.
func gcPercent() int {
	list := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(list)
	return int(list[0].Value.Uint64())
}

// The first collection is late, further ones as usual; GOGC has precedence.
func TestFirstCollectionDelayed(t *testing.T) {
	before := gcPercent()
	defer debug.SetGCPercent(before)
	t.Setenv("GOGC", "50")
	if collectLater(); gcPercent() != before {
		t.Errorf("%d percent although the environment says", gcPercent())
	}
	t.Setenv("GOGC", "")
	if collectLater(); gcPercent() != firstCollection {
		t.Errorf("%d percent at first, want %d", gcPercent(), firstCollection)
	}
	for i := 0; i < 100 && gcPercent() != before; i++ {
		runtime.GC() // finalizers run at some time after it
	}
	if gcPercent() != before {
		t.Errorf("%d percent after the first collection, want %d", gcPercent(), before)
	}
}
