package config

import (
	"strings"
	"testing"
	"testing/fstest"
)

// The memory operations of steps are evaluated in the scope of their loops, and refused if they are invalid.
func TestStepsOverMemory(t *testing.T) {
	const head = "shader: s.spv\nparameters: {n: 8}\nbuffers:\n  - {name: a, data: {zero: 64}}\n  - {name: b, unbound: true, data: {zero: 64}}\nsteps:\n"
	load := func(steps string) (*Job, error) {
		return LoadJob(fstest.MapFS{"j.yaml": {Data: []byte(head + steps)}}, "j.yaml")
	}
	j, err := load(`
  - {for: {i: 1..2}, transfer: {bytes: 2 * n, moves: [{to: a, at: 4 * i, from: b, offset: n, bytes: 4, rows: 2, to_row: 16}]}}
  - {indirect: {buffer: b, offset: n}, base: [1, 2], bindings: [{binding: 0, buffer: b}], wave_size: 64}
  - {dispatch: [3], base: [n]}
`)
	if err != nil {
		t.Fatal(err)
	}
	list, err := j.Launches()
	if err != nil || len(list) != 4 {
		t.Fatalf("%d launches, %v: want 4", len(list), err)
	}
	if m := list[1].Transfer.Moves[0]; list[1].Transfer.Bytes != 16 || m.At != 8 || m.Offset != 8 || m.Bytes != 4 || m.Rows != 2 || m.ToStride != 16 || m.OfStride != 4 {
		t.Errorf("the second transfer is %+v", m)
	}
	if l := list[2]; *l.Indirect != (IndirectAt{"b", 8}) || l.Base != [3]uint32{1, 2, 0} || l.Bindings[0].Buffer != "b" || l.WaveSize != 64 {
		t.Errorf("the indirect launch is %+v", l)
	}
	if l := list[3]; l.Dispatch != [3]uint32{3, 1, 1} || l.Base != [3]uint32{8, 0, 0} {
		t.Errorf("the launch with a base is %+v", l)
	}
	for text, want := range map[string]string{
		"{indirect: {buffer: c}}":                                                `found "c": want the name of a buffer`,
		"{indirect: {buffer: a}, dispatch: [1]}":                                 "want one of dispatch, global, indirect",
		"{base: [1], transfer: {bytes: 1}}":                                      "found a base without a dispatch",
		"{transfer: {moves: [{to: a, bytes: 4}]}}":                               "found both or neither of from and data",
		"{transfer: {moves: [{to: a, from: b}]}}":                                "want the number of bytes in a row",
		"{transfer: {moves: [{to: a, data: {zero: 4}, offset: 4, bytes: 4}]}}":   "found offset or from_row with data",
		"{transfer: {moves: [{to: a, from: d, bytes: 4}]}}":                      `found "d": want the name of a buffer`,
		"{dispatch: [1], bindings: [{buffer: d}]}":                               `found "d": want the name of a buffer`,
		"{transfer: {moves: [{to: a, from: b, bytes: 4, rows: 0 - 1}]}}":         "moves[0].rows",
		"{dispatch: [1], wave_size: 48}":                                         "wave_size",
		"{dispatch: [1], samplers: [{binding: 1, index: 99999999}]}":             "want at most",
		"{transfer: {moves: [{to: a, data: {values: [1], zero: 4}, bytes: 4}]}}": "want exactly one",
	} {
		if _, err := load("  - " + text + "\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v: want %q", text, err, want)
		}
	}
}
