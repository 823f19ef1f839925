package gpu_test

import (
	"testing"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
)

// Machines that differ in what lowering knows have keys of their own; what it does not know makes no other key.
func TestTargetKey(t *testing.T) {
	load := func(set ...string) *config.Machine {
		m := suite.Must(config.LoadMachine(config.Request{Machine: config.DefaultMachine, Set: set}))(t)
		return m
	}
	base := gpu.TargetKey(load(), 32)
	for _, set := range []string{"lds.banks=64", "compute_units=2", "memory.latency_cycles=600", "queue.depth=8"} {
		if gpu.TargetKey(load(set), 32) != base {
			t.Errorf("%s makes another key", set)
		}
	}
	for _, set := range []string{"queue.pack_threads=false", "timing.buffers=pointers", "timing.math=precise", "matrix.without=lanes", "registers.vector=512", "wave_slots=8"} {
		if _, err := config.LoadMachine(config.Request{Machine: config.DefaultMachine, Set: []string{set}}); err != nil {
			t.Errorf("%s: %v", set, err)
		} else if gpu.TargetKey(load(set), 32) == base {
			t.Errorf("%s makes no other key", set)
		}
	}
	if gpu.TargetKey(load(), 64) == base {
		t.Error("the size of waves makes no other key")
	}
	other := suite.Must(config.Preset("cdna3-mi300a"))(t)
	if gpu.TargetKey(other, 32) == base {
		t.Error("another machine has the same key")
	}
}
