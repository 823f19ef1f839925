package gpu

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"spvsim/internal/suite"
)

// A copy takes its fixed time and that of its bytes, and one that is staged that of the host's own copy; the smallest take one time; a step that runs once is not part of later rounds.
func TestCopiesAndStepsOfTheFirstRound(t *testing.T) {
	s := setup(t, `
shader: scale.spvasm
repeat: 2
buffers: [{set: 0, binding: 0, name: a, data: {iota: u32, count: 256}}]
push_constants: [{u32: 7}]
steps:
  - {name: before, once: true, dispatch: [4]}
  - {name: in, copy: {to: device, bytes: 1001}}
  - {name: out, copy: {to: host, bytes: 64}}
  - {name: flag, copy: {to: host, bytes: 32}}
  - {name: parameter, copy: {to: device, bytes: 4}}
  - {name: work, dispatch: [4]}
`, "cdna3-mi300a", "host.to_device_cycles=500", "host.to_device_bytes_per_cycle=2", "host.from_device_cycles=70", "host.from_device_bytes_per_cycle=16",
		"host.staged_below_bytes=1001", "host.staged_bytes_per_cycle=8", "host.small_copy_bytes=32", "host.small_copy_cycles=60")
	r := suite.Must(Run(context.Background(), s))(t)
	var names []string
	for _, step := range r.Stats.Steps {
		names = append(names, step.Name)
	}
	if !slices.Equal(names, []string{"in", "out", "flag", "parameter", "work"}) {
		t.Fatalf("steps of the last round: %v", names)
	}
	for i, want := range []uint64{500 + 501, 70 + 4 + 8, 60, 60} {
		if got := r.Stats.Steps[i].Cycles; got != want {
			t.Errorf("copy %s: %d cycles, want %d", names[i], got, want)
		}
	}
	thrice := suite.Must(Run(context.Background(), setup(t, scale+"repeat: 3\n", "cdna3-mi300a")))(t)
	if !bytes.Equal(r.Buffers[0].Bytes, thrice.Buffers[0].Bytes) {
		t.Error("the buffer is not that of three launches: one that ran once, and one in each round")
	}
}

// After a wait of the host a launch costs what a first one does, its floor with it; before, what follows another one does.
func TestWaitsOfTheHost(t *testing.T) {
	const steps = `
shader: scale.spvasm
buffers: [{set: 0, binding: 0, name: a, data: {iota: u32, count: 256}}]
push_constants: [{u32: 7}]
steps:
  - {name: first, dispatch: [4]}
  - {name: second, dispatch: [4]}
  - {name: wait, synchronize: true}
  - {name: third, dispatch: [4]}
  - {name: fourth, dispatch: [4]}
`
	cycles := func(floor string) []uint64 {
		s := setup(t, steps, "cdna3-mi300a", "host.synchronize_cycles=776", "dispatcher.kernel_launch_cycles=6000", "dispatcher.following_launch_cycles=2000", "dram.standard=none", floor)
		r := suite.Must(Run(context.Background(), s))(t)
		var list []uint64
		for _, step := range r.Stats.Steps {
			list = append(list, step.Cycles)
		}
		return list
	}
	if c := cycles("dispatcher.launch_floor_cycles=0"); len(c) != 5 || c[2] != 776 || c[3] != c[4]+4000 || c[4] > c[1] {
		t.Errorf("cycles of steps: %v: want 776 of the wait (SIMDs issue in every fourth cycle), and after it 4000 more than of a launch that follows", c)
	}
	if c := cycles("dispatcher.launch_floor_cycles=100000"); len(c) != 5 || c[3] != c[0] || c[3] < 100000 || c[4] >= 100000 {
		t.Errorf("cycles of steps: %v: want the floor of a first launch after the wait, and of none that follows", c)
	}
}
