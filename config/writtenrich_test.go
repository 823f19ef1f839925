package config

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"spvsim/internal/fuzz/mutate"
	"spvsim/internal/suite"
)

// richJob uses the keys that are rare in the repository's jobs.
const richJob = `
parameters: {n: 64, half: n / 2}
shader: mix.spv
mode: sampled
sampling: {settle: 2, detail: 4, budget: 0.3}
limits: {cycles: 100000, host_seconds: 60}
buffers:
  - {set: 0, binding: 0, name: words, data: {random: {type: u32, seed: 7, count: 16 * n, min: 3, max: 900}}}
  - {set: 0, binding: 1, name: parts, data: {parts: [{values: [1, 2, 3]}, {iota: f32, count: half}, {repeat: {times: 3, data: {type: u8, values: [7, 8]}}}, {zero: 12}]}}
  - {set: 0, binding: 2, name: picture, image: {format: Rgba8, width: 16, height: 8, mips: auto, layers: 2, data: {random: {seed: 1, count: 256}}}}
samplers: [{set: 0, binding: 3, filter: linear, mip: nearest, wrap: [repeat, clamp], border: black}]
queues:
- name: low
  priority: low
  steps:
  - {name: a, push_constants: [{u32: 0}, {f32: half}, {u64: 7}, {i16: -3}], dispatch: [n / 8, 2]}
  - {for: {i: 0..3}, name: b, barrier: false, specialization: {0: i + 2, 1: 2.5}, dispatch: [1 + i * 2]}
- name: high
  priority: realtime
  units: [0, 1]
  steps:
  - {name: c, after: [a], wave_size: 64, dispatch: [4], bindings: [{set: 0, binding: 0, buffer: parts}]}
  - {name: d, after: [b, c], transfer: {bytes: 256, moves: [{to: words, at: 128, from: parts, offset: 4, bytes: 16, rows: 2, to_row: 64, from_row: 16}]}}
expect:
  - {buffer: words, u32: [1, 2, 3]}
  - {buffer: parts, f32: [1.5, 2.5], tolerance: 0.1, offset: 8}
`

// serialJob has steps of all kinds.
const serialJob = `
shader: kill.spv
repeat: 3
time: {steps: [first, draw], first: 2, workgroups: [1, 5]}
buffers:
  - {set: 0, binding: 0, name: data, data: {values: [1, 2, -3], type: i16, count: 20}}
  - {unbound: true, name: o0, image: {format: Rgba32f, width: 16, height: 16, samples: 4}}
  - {unbound: true, name: addresses, data: {parts: [{address_of: data}, {repeat: {times: 2, data: {address_of: o0}}}]}}
steps:
  - {name: in, copy: {to: device, bytes: 1000}, once: true}
  - {name: first, indirect: {buffer: data, offset: 4}}
  - {name: draw, draw: {depth: less, front: clockwise, positions: {type: f32, values: [0, 0, 0.5, 1, 9, 0, 0.5, 1, 0, 9, 0.5, 1]}, indices: {values: [0, 1, 2, 2, 1, 0]}, copies: {x: 2, y: 3, dx: 4, dy: 0.5}, color: [{location: 0, buffer: o0, clear: [0.5, 1]}]}}
  - {name: wait, synchronize: true}
  - {name: out, copy: {to: host, bytes: 500}, mode: functional}
`

// Lines of two more files of testdata.
const (
	writtenRichJobs = 200
	writtenSettings = 120
)

// The results of the jobs above, with changed values, keys and places, are recorded like those of the library.
func TestWrittenRichJobs(t *testing.T) {
	suite.Lines(t, "written-rich.txt", *update, writtenRichJobs, func(i int) string {
		name, text := "rich.yaml", richJob
		if i%2 > 0 {
			name, text = "serial.yaml", serialJob
		}
		if i > 1 {
			text = string(mutate.YAML([]byte(text), rand.New(rand.NewPCG(uint64(i), 25)), 1+i%4/3))
		}
		j, err := ParseJob(mapFS(nil), name, []byte(text))
		if err != nil {
			return name + ": " + err.Error()
		}
		return name + ": " + readJob(j)
	})
}

// The same of settings over presets: the fault, or the whole description.
func TestWrittenSettings(t *testing.T) {
	presets, leaves := Presets(), map[string][]Leaf{}
	suite.Lines(t, "written-settings.txt", *update, writtenSettings, func(i int) string {
		r := rand.New(rand.NewPCG(uint64(i), 26))
		base := presets[r.IntN(len(presets))]
		if leaves[base] == nil {
			m := suite.Must(Preset(base))(t)
			leaves[base] = m.AllLeaves()
		}
		var set []string
		for range r.IntN(4) {
			l := leaves[base][r.IntN(len(leaves[base]))]
			values := []string{"0", "-1", "7", "64", "100000000", "true", "none", "[1, 2]", l.Value, l.Value + "0", "2.5", "x"}
			set = append(set, l.Path[:len(l.Path)-r.IntN(8)/7]+"="+values[r.IntN(len(values))])
		}
		m, err := LoadMachine(Request{Machine: base, Set: set})
		if err != nil {
			return fmt.Sprintf("%s: %v", base, err)
		}
		var text strings.Builder
		if err := m.Describe(&text); err != nil {
			return err.Error()
		}
		return fmt.Sprintf("%s %v: %s, limits %s, rules %s", base, set, suite.Digest([]byte(text.String())), digestOf(m.Limits()), digestOf(m.Rules()))
	})
}
