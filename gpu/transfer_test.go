package gpu

import (
	"context"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/internal/suite"
)

const memorySteps = `
shader: scale.spvasm
push_constants: [{u32: 7}]
buffers:
  - {name: a, binding: 0, data: {iota: u32, count: 256}}
  - {name: other, unbound: true, data: {values: [3], count: 256}}
  - {name: sizes, unbound: true, data: {values: [2, 1, 0, 9, 9]}}
  - {name: target, unbound: true, data: {zero: 32}}
`

// A step moves bytes between buffers, another dispatches as many workgroups as memory then says over buffers of its own, and each takes
// its time.
func TestTransfersAndIndirectSteps(t *testing.T) {
	const job = memorySteps + `
steps:
  - {name: of none, indirect: {buffer: sizes}}
  - {name: fill, transfer: {bytes: 4, moves: [{to: sizes, at: 8, data: {values: [1]}, bytes: 4}]}}
  - {name: of two, indirect: {buffer: sizes}, bindings: [{set: 0, binding: 0, buffer: other}]}
  - {name: rows, transfer: {bytes: 16, moves: [{to: target, at: 4, from: sizes, bytes: 4, rows: 2, to_row: 16, from_row: 8}]}}
  - {name: copy, transfer: {bytes: 8000000, moves: [{to: a, from: other, bytes: 4, offset: 508, rows: 2}]}}
`
	for _, mode := range []string{"timed", "functional"} {
		s := setup(t, job, "rdna3-rx7900xtx")
		s.Mode = mode
		r := suite.Must(Run(context.Background(), s))(t)
		steps := map[string]uint64{}
		for i := range r.Stats.Steps {
			steps[r.Stats.Steps[i].Name] = r.Stats.Steps[i].Cycles
		}
		if _, ran := steps["of none"]; ran || len(steps) != 4 {
			t.Errorf("%s: the steps are %v: want all but the one of no workgroups", mode, steps)
		}
		if mode == "timed" && (steps["fill"] == 0 || steps["copy"] <= steps["fill"]) || mode == "functional" && steps["copy"] != 0 {
			t.Errorf("%s: transfers of 4 and of 8000000 bytes took %d and %d cycles", mode, steps["fill"], steps["copy"])
		}
		a, other, target := words(r.Buffers[0].Bytes), words(r.Buffers[1].Bytes), words(r.Buffers[3].Bytes)
		if other[0] != 13 || other[127] != 13 || other[128] != 3 || a[0] != 13 || a[1] != 3 || a[2] != 2 || target[1] != 2 || target[5] != 1 || target[3] != 0 {
			t.Errorf("%s: %v..., %v..., %v", mode, a[:3], other[126:129], target)
		}
	}
}

func TestTransfersBeyondBuffers(t *testing.T) {
	for text, want := range map[string]string{
		"{transfer: {bytes: 1, moves: [{to: sizes, at: 18, data: {zero: 4}, bytes: 4}]}}":                       "found 4 bytes from byte 18 on: want them within the 20 bytes of sizes",
		"{transfer: {bytes: 1, moves: [{to: a, from: sizes, offset: 20, bytes: 4}]}}":                           "from: found 4 bytes from byte 20 on",
		"{transfer: {bytes: 1, moves: [{to: sizes, from: a, bytes: 1, rows: 4294967296, to_row: 4294967296}]}}": "no memory is larger",
		"{indirect: {buffer: sizes, offset: 12}}":                                                               "12 bytes from byte 12 on",
		"{dispatch: [1], wave_size: 16}":                                                                        "wave_size: found 16: want 32 or 64",
	} {
		if _, err := Run(context.Background(), setup(t, memorySteps+"steps:\n  - "+text+"\n", config.DefaultMachine)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v: want %q", text, err, want)
		}
	}
}
