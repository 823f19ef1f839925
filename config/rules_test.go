package config

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"spvsim/internal/expression"
	"spvsim/internal/suite"
)

// launched parses a job and works its launches out.
func launched(text string) error {
	j, err := ParseJob(mapFS(nil), "j.yaml", []byte(text))
	if err != nil {
		return err
	}
	if j.IsGraph() {
		if _, err := j.GraphWork(); err != nil {
			return err
		}
	}
	for i := range j.Buffers {
		if j.Buffers[i].PartOf != "" {
			continue
		}
		if _, err := j.Buffers[i].Content(); err != nil {
			return err
		}
	}
	_, err = j.Launches()
	return err
}

const ruleBuffersText = "buffers:\n- {name: a, binding: 0, data: {zero: 64}}\n- {name: b, binding: 1, data: {zero: 64}}\n- {name: im, binding: 2, image: {format: R32f, width: 4}}\n- {name: im2, binding: 3, image: {format: R32f, width: 4}}\n"

// jobWays are the ways in which a job or a step starts work.
var jobWays = map[string]string{
	"dispatch": "dispatch: [1]\n", "steps": "steps: [{dispatch: [1]}]\n", "queues": "queues: [{steps: [{dispatch: [1]}]}]\n",
	"draw": "draw: {width: 1, height: 1, positions: {type: f32, values: [0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1]}, color: [{buffer: im}]}\n",
}

// A job starts work in one way, and a step has one kind of work; the step's shader overrides the job's.
func TestOneWayToStartWork(t *testing.T) {
	for _, one := range slices.Sorted(maps.Keys(jobWays)) {
		if err := launched("shader: s.spv\n" + ruleBuffersText + jobWays[one]); err != nil {
			t.Errorf("%s alone: %v", one, err)
		}
		if err := launched(ruleBuffersText + jobWays[one]); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "shader") {
			t.Errorf("%s without a shader: %v", one, err)
		}
		for _, other := range slices.Sorted(maps.Keys(jobWays)) {
			if err := launched("shader: s.spv\n" + ruleBuffersText + jobWays[one] + jobWays[other]); one != other && !errors.Is(err, ErrRange) {
				t.Errorf("%s and %s: %v", one, other, err)
			}
		}
	}
	steps := map[string]string{
		"dispatch": "dispatch: [1]", "indirect": "indirect: {buffer: a}", "copy": "copy: {to: host, bytes: 4}", "transfer": "transfer: {bytes: 4}", "steps": "steps: [{dispatch: [1]}]",
		"graph": "graph: [{node: n}]", "draw": strings.TrimSpace(jobWays["draw"]),
	}
	const nodes = "nodes: [{shader: s.spv, entry: n}]\n"
	for _, one := range slices.Sorted(maps.Keys(steps)) {
		with := ""
		if one == "graph" {
			with = nodes
			if err := launched("shader: s.spv\n" + ruleBuffersText + "steps: [{graph: [{node: n}]}]\n"); err == nil {
				t.Error("a graph without nodes")
			}
		}
		if err := launched("shader: s.spv\n" + ruleBuffersText + with + "steps: [{" + steps[one] + "}]\n"); err != nil {
			t.Errorf("%s alone: %v", one, err)
		}
		moves := one == "copy" || one == "transfer" || one == "graph"
		if err := launched(ruleBuffersText + with + "steps: [{" + steps[one] + "}]\n"); (err == nil) != moves {
			t.Errorf("%s without a shader: %v", one, err)
		}
		if err := launched(ruleBuffersText + with + "steps: [{shader: s.spv, " + steps[one] + "}]\n"); err != nil {
			t.Errorf("%s with a shader of its own: %v", one, err)
		}
		based := one == "dispatch" || one == "indirect"
		if err := launched("shader: s.spv\n" + ruleBuffersText + with + "steps: [{base: [1], " + steps[one] + "}]\n"); (err == nil) != based {
			t.Errorf("%s with a base: %v", one, err)
		}
		for _, other := range slices.Sorted(maps.Keys(steps)) {
			if err := launched("shader: s.spv\n" + nodes + ruleBuffersText + "steps: [{" + steps[one] + ", " + steps[other] + "}]\n"); one != other && !errors.Is(err, ErrMissing) {
				t.Errorf("%s and %s: %v", one, other, err)
			}
		}
	}
	if err := launched("shader: s.spv\nsteps: [{name: nothing}]\n"); !errors.Is(err, ErrMissing) {
		t.Errorf("a step that does nothing: %v", err)
	}
}

// Keys that do not fit together are refused by name, for that reason alone: the file without the change is accepted.
func TestRulesOfJobs(t *testing.T) {
	const head = "shader: s.spv\n" + ruleBuffersText
	const graph = "nodes: [{shader: s.spv, entry: n}]\n" + ruleBuffersText
	draw := jobWays["draw"]
	for _, c := range []struct{ good, from, to, want string }{
		{head + "dispatch: [1]\n", "name: a, binding: 0, data: {zero: 64}", "name: a, binding: 0, offset: 4, data: {zero: 64}", "buffers[0]: found offset or bytes without part_of"},
		{head + "dispatch: [1]\n", "name: a, binding: 0, data: {zero: 64}", "name: a, binding: 0, bytes: 4, data: {zero: 64}", "buffers[0]: found offset or bytes without part_of"},
		{head + "dispatch: [1]\n", "binding: 2,", "binding: 2, data: {zero: 4},", "found data or texel_buffer beside image"},
		{head + "dispatch: [1]\n", "binding: 2,", "binding: 2, texel_buffer: R32f,", "found data or texel_buffer beside image"},
		{head + "dispatch: [1]\n", "name: b, binding: 1, data: {zero: 64}", "name: b, binding: 1", "buffers[1].data: missing"},
		{head + "dispatch: [1]\n", "name: b, binding: 1", "name: b, binding: 0", "which buffers[0] has too"},
		{head + "- {name: p, binding: 4, part_of: a, offset: 4, bytes: 8}\ndispatch: [1]\n", "part_of: a", "part_of: z", `found "z": want the name of a buffer before this one`},
		{head + "- {name: p, binding: 4, part_of: a, offset: 4, bytes: 8}\n- {name: q, binding: 5, part_of: a}\ndispatch: [1]\n", "binding: 5, part_of: a", "binding: 5, part_of: p", `found "p", which is itself a part`},
		{head + "- {name: p, binding: 4, part_of: a, offset: 4, bytes: 8}\ndispatch: [1]\n", "bytes: 8", "bytes: 8, data: {zero: 8}", "found data or address beside part_of"},
		{head + "- {name: p, binding: 4, part_of: a, offset: 4, bytes: 8}\ndispatch: [1]\n", "bytes: 8", "bytes: 8, address: 4096", "found data or address beside part_of"},
		{head + "- {name: p, binding: 4, part_of: a, image: {format: R32f, width: 4}}\ndispatch: [1]\n", "width: 4}}\ndis", "width: 4, data: {zero: 16}}}\ndis", "found data or address beside part_of"},
		{head + draw, "color:", "point_sizes: {type: f32, values: [1, 1, 1]}, color:", "draw.point_sizes: found sizes of points, where the topology is triangles"},
		{head + draw, "color:", "attributes: [{location: 1, data: {zero: 12}}], color:", "attributes[0].components: missing"},
		{head + draw, "color: [{buffer: im}]", "color: []", "draw.color: missing"},
		{head + draw, "[{buffer: im}]", "[{buffer: im}, {buffer: im, location: 1}]", "draw.color[1]: found the location and index, or the buffer, of another attachment"},
		{head + draw, "[{buffer: im}]", "[{buffer: im, location: 2}, {buffer: im2, location: 2}]", "draw.color[1]: found the location and index, or the buffer, of another attachment"},
		{head + strings.Replace(draw, "[{buffer: im}]", "[{buffer: im}, {buffer: im2, location: 1}]", 1), "location: 1", "location: 0", "draw.color[1]: found the location and index, or the buffer, of another attachment"},
		{head + strings.Replace(draw, "[{buffer: im}]", "[{buffer: im}, {buffer: im2, index: 1}]", 1), "index: 1", "index: 0", "draw.color[1]: found the location and index, or the buffer, of another attachment"},
		{head + draw, "type: f32, values: [0, 0, 0, 1,", "type: u8, values: [0, 0, 0, 1, 1,", "positions: found 13 bytes: want a multiple of 4"},
		{head + draw, "width: 1", "indices: {values: [0, 1]}, width: 1", "found 2 vertices of triangles: want a multiple of 3"},
		{graph + "graph: [{node: n}]\n", "graph: [{node: n}]", "", "graph: missing"},
		{graph + "graph: [{node: n}]\n", "graph: [{node: n}]", "graph: [{node: n}]\nsteps: [{dispatch: [1]}]", "found graph and dispatch or steps"},
		{graph + "graph: [{node: n}]\n", "graph: [{node: n}]", "shader: s.spv\ndispatch: [1]\ngraph: [{node: n}]", "found graph and dispatch or steps"},
		{graph + "steps: [{graph: [{node: n}]}]\n", "steps:", "graph_repeat: 2\nsteps:", "graph_repeat: found in a job with steps"},
		{graph + "queues: [{steps: [{graph: [{node: n}]}]}]\n", "queues:", "graph_repeat: 2\nqueues:", "graph_repeat: found in a job with steps"},
		{graph + "graph: [{node: n}]\n", "shader: s.spv, ", "", "nodes[0].shader: missing"},
		{graph + "graph: [{node: n, buffer: a}]\n", "buffer: a", "buffer: a, payloads: [{u32: 1}]", "found buffer and payloads or data"},
		{graph + "graph: [{node: n, buffer: a}]\n", "buffer: a", "buffer: a, data: {zero: 4}", "found buffer and payloads or data"},
		{graph + "graph: [{node: n, buffer: a}]\n", "node: n, buffer: a", "node: n, buffer: z", `found "z": want the name of a buffer`},
		{graph + "graph: [{node: n, buffer: a, offset: 4}]\n", "buffer: a, ", "", "found an offset without buffer"},
		{graph + "graph: [{node: n, payloads: [{u32: 1}], stride: 0, count: 2}]\n", "{u32: 1}]", "{u32: 1}, {u32: 2}]", "found a stride for several payloads"},
		{graph + "graph: [{indirect: {infos: a}}]\n", "infos: a", "infos: z", `found "z": want the name of a buffer`},
		{graph + "graph: [{indirect: {count_info: a}}]\n", "count_info: a", "count_info: z", `found "z": want the name of a buffer`},
		{graph + "graph: [{indirect: {infos: a}}]\n", "infos: a", "", "found both or neither of infos and count_info"},
		{graph + "graph: [{indirect: {infos: a}}]\n", "infos: a", "infos: a, count_info: b", "found both or neither of infos and count_info"},
		{graph + "graph: [{indirect: {infos: a, count: 1}}]\n", "infos: a", "count_info: a", "the buffer of count_info has both"},
		{graph + "graph: [{indirect: {infos: a, stride: 24}}]\n", "infos: a", "count_info: a", "the buffer of count_info has both"},
		{graph + "graph: [{indirect: {infos: a}}]\n", "{indirect", "{node: n, indirect", "found indirect and another key"},
		{graph + "steps: [{graph: [{indirect: {infos: a, offset: 4}}]}]\n", "offset: 4", "offset: -1", "indirect.offset: "},
		{graph + "steps: [{graph: [{indirect: {infos: a, count: 1}}]}]\n", "count: 1", "count: -1", "indirect.count: "},
		{graph + "steps: [{graph: [{indirect: {infos: a, stride: 24}}]}]\n", "stride: 24", "stride: -1", "indirect.stride: "},
		{graph + "graph: [{node: n}]\nmesh_outputs: [{node: n, output: o, buffer: a}]\n", "output: o, ", "", "mesh_outputs[0].output: missing"},
		{graph + "graph: [{node: n}]\nmesh_outputs: [{node: n, output: o, buffer: a}]\n", "node: n, output", "node: m, output", "mesh_outputs[0].node: found"},
		{"nodes: [{graph: g, shader: s.spv, entry: n}]\n" + ruleBuffersText + "graph: [{graph: g, node: n}]\nmesh_outputs: [{graph: g, node: n, output: o, buffer: a}]\n", "mesh_outputs: [{graph: g", "mesh_outputs: [{graph: h", "mesh_outputs[0].graph: "},
		{head + "queues: [{steps: [{dispatch: [1]}]}]\n", "{steps: [{dispatch: [1]}]}", "{steps: [{dispatch: [1]}]}, {steps: []}", "queues[1].steps: missing"},
		{head + "queues: [{name: a, steps: [{dispatch: [1]}]}, {name: b, steps: [{dispatch: [1]}]}]\n", "{name: b, steps", "{name: a, steps", `queues[1].name: found "a", which is the name of another queue`},
		{head + "queues: [{steps: [{dispatch: [1]}]}, {steps: [{dispatch: [1]}]}]\n", "queues: [{steps: [{d", "queues: [{name: a, steps: [{copy: {to: host}, d", "want one of dispatch"},
		{head + "steps: [{name: a, dispatch: [1]}]\n", "dispatch", "release: [], dispatch", "found release or acquire in a step outside of queues"},
		{head + "steps: [{name: a, dispatch: [1]}]\n", "dispatch", "acquire: [], dispatch", "found release or acquire in a step outside of queues"},
		{head + "steps: [{name: a, dispatch: [1]}]\n", "dispatch", "after: [a], dispatch", "steps[0].after: found in a step outside of queues"},
		{head + "steps: [{steps: [{name: a, dispatch: [1]}]}]\n", "dispatch", "after: [a], dispatch", "steps[0].steps[0].after: found in a step outside of queues"},
		{head + "steps: [{dispatch: [1]}]\n", "dispatch", "barrier: false, dispatch", "steps[0].barrier: found in a step outside of queues"},
		{head + "steps: [{copy: {to: host, bytes: 4}}]\n", "to: host, ", "", "steps[0].copy.to: missing"},
		{head + "steps: [{indirect: {buffer: a}}]\n", "buffer: a}}", "buffer: z}}", `steps[0].indirect.buffer: found "z": want the name of a buffer`},
		{head + "steps: [{dispatch: [1], bindings: [{binding: 7, buffer: a}]}]\n", "binding: 7, buffer: a", "binding: 7, buffer: z", `bindings[0].buffer: found "z": want the name of a buffer`},
		{head + "steps: [{transfer: {moves: [{to: b, from: a, bytes: 4}]}}]\n", "from: a, ", "", "found both or neither of from and data"},
		{head + "steps: [{transfer: {moves: [{to: b, from: a, bytes: 4}]}}]\n", "from: a, ", "from: a, data: {zero: 4}, ", "found both or neither of from and data"},
		{head + "steps: [{transfer: {moves: [{to: b, data: {zero: 4}, bytes: 4}]}}]\n", "bytes: 4", "bytes: 4, offset: 4", "found offset or from_row with data"},
		{head + "steps: [{transfer: {moves: [{to: b, data: {zero: 4}, bytes: 4}]}}]\n", "bytes: 4", "bytes: 4, from_row: 4", "found offset or from_row with data"},
		{head + "steps: [{transfer: {moves: [{to: b, from: a, bytes: 4}]}}]\n", ", bytes: 4", "", "moves[0].bytes: missing"},
		{head + "steps: [{transfer: {moves: [{to: b, from: a, bytes: 4}]}}]\n", "to: b", "to: z", `moves[0].to: found "z": want the name of a buffer`},
		{head + "steps: [{transfer: {moves: [{to: b, from: a, bytes: 4}]}}]\n", "from: a", "from: z", `moves[0].from: found "z": want the name of a buffer`},
		{head + "dispatch: [1]\nexpect: [{buffer: a, sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', as: f32, tolerance: 0.5}]\n", ", as: f32", "", "expect[0].tolerance: found data without an element type"},
		{head + "dispatch: [1]\npush_constants: [{u32: 1}]\n", "u32: 1", "offset: 4", "want one typed value (u32: 1) or address"},
		{head + "dispatch: [1]\npush_constants: [{u32: 1}]\n", "u32: 1", "u32: 1, f32: 2", "a second typed value: want one"},
		{head + "dispatch: [1]\n", "name: b, binding: 1, data: {zero: 64}", "name: b, binding: 1, data: {random: {type: u8, count: 4, min: 5, max: 4}}", "max: found 4: want at least min, 5"},
		{head + "dispatch: [1]\n", "name: b, binding: 1, data: {zero: 64}", "name: b, binding: 1, data: {random: {type: u8, count: 4, max: 4.5}}", "buffers[1].data.random.max: found 4.5: want an integer, as int(), floor() and ceil() give (u8)"},
		{head + "dispatch: [1]\n", "format: R32f, width: 4}}\n- {name: im2", "format: R32f, width: 4, samples: 3}}\n- {name: im2", "samples: found 3: want 1, 2, 4, 8, 16, 32 or 64"},
		{head + "parameters: {n: 1}\ndispatch: [1]\n", "{n: 1}", "{n: 1, n: 2}", "parameters.n: given twice"},
	} {
		if err := launched(c.good); err != nil {
			t.Errorf("%s\n%v", c.good, err)
		}
		bad := strings.Replace(c.good, c.from, c.to, 1)
		if err := launched(bad); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n%v, want %q", bad, err, c.want)
		}
	}
}

// The same of experiments.
func TestRulesOfExperiments(t *testing.T) {
	for _, c := range []struct{ good, from, to, want string }{
		{"app: {run: [prog]}\n", "[prog]", "[]", "app.run: missing"},
		{"app: {run: [prog]}\n", "app:", "job: j.yaml\napp:", "app: found job and app"},
		{"job: j.yaml\n", "job: j.yaml", "axes: {}", "job: missing"},
		{"job: j.yaml\naxes: {z: {zip: {row.a: [1]}}}\n", "zip", "path: row.x, zip", "found path beside zip or variants"},
		{"job: j.yaml\naxes: {z: {variants: {a: {row.a: 1}}}}\n", "variants", "path: row.x, variants", "found path beside zip or variants"},
		{"job: j.yaml\nvalues: {v: {buffer: x}}\n", "buffer: x", "index: 1", "want buffer, the name of a buffer"},
		{"job: j.yaml\naxes: {row.m: [a, b]}\nderived:\n  s: {of: cycles, where: {row.m: a}}\n", "of: cycles, ", "", "want of (a column) and where"},
		{"job: j.yaml\naxes: {row.m: [a, b]}\nderived:\n  s: {of: cycles, where: {row.m: a}}\n", ", where: {row.m: a}", "", "want of (a column) and where"},
		{"job: j.yaml\naxes: {row.m: [a, b]}\nderived:\n  s: {of: cycles, where: {row.m: a}}\n", "where: {row.m: a}", "where: {row.m: c}", "found row.m = c, which no point has: want one of a, b"},
		{"job: j.yaml\naxes: {row.m: {pow2: [0, 62]}}\n", "62", "63", "pow2: found [0 63]: want two exponents in 0..62"},
		{"job: j.yaml\naxes: {row.m: {pow2: [0, 62]}}\n", "[0,", "[-1,", "pow2"},
		{"job: j.yaml\naxes: {row.m: {pow2: [0, 62]}}\n", "[0, 62]", "[0, 1, 2]", "pow2"},
		{"job: j.yaml\naxes: {row.m: {from: 1, to: 1000000}}\n", "1000000", "1000001", "want at most 1000000"},
		{"job: j.yaml\naxes: {row.m: {from: 1, to: 1000}, row.n: {from: 1, to: 100}}\n", "to: 100}", "to: 1001}", "found 1001000 points: want at most 1000000"},
	} {
		if testing.Short() && strings.Contains(c.good, "1000000") {
			continue // it counts up to the limit
		}
		load := func(text string) error {
			e, err := LoadExperiment(experimentFiles(text), "e.yaml")
			if err == nil {
				_, err = e.Points(false)
			}
			return err
		}
		if err := load(c.good); err != nil {
			t.Errorf("%s\n%v", c.good, err)
		}
		bad := strings.Replace(c.good, c.from, c.to, 1)
		if err := load(bad); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n%v, want %q", bad, err, c.want)
		}
	}
	for name, ok := range map[string]bool{"a": true, "a b": true, "": false, ".a": false, "a/b": false, `a\b`: false, "a\nb": false, strings.Repeat("x", 200): true, strings.Repeat("x", 201): false} {
		if ps := nameProblems(name, "figures"); (len(ps) == 0) != ok {
			t.Errorf("%q: %v", name, ps)
		}
	}
}

// A profile of a cluster is for Slurm, or has commands: each key belongs to one of them.
func TestKeysOfLaunchers(t *testing.T) {
	commands := func() *Cluster {
		c := DefaultCluster()
		c.Submit, c.Index = "submit", "0"
		return c
	}
	for name, set := range map[string]func(*Cluster){
		"partition": func(c *Cluster) { c.Partition = "p" }, "account": func(c *Cluster) { c.Account = "a" }, "running": func(c *Cluster) { c.Running = 1 }, "cpus": func(c *Cluster) { c.CPUs = 2 },
		"memory_mb": func(c *Cluster) { c.MemoryMB = 1 }, "time_minutes": func(c *Cluster) { c.TimeMinutes = 1 }, "flags": func(c *Cluster) { c.Flags = []string{"-x"} },
	} {
		c := commands()
		if err := c.CheckCommands(); err != nil {
			t.Errorf("commands alone: %v", err)
		}
		if set(c); !errors.Is(c.CheckCommands(), ErrUnknownKey) || !strings.Contains(c.CheckCommands().Error(), name) {
			t.Errorf("%s with commands: %v", name, c.CheckCommands())
		}
		c = DefaultCluster()
		if set(c); c.CheckWithoutCommands("slurm") != nil || !errors.Is(c.CheckCommands(), ErrMissing) {
			t.Errorf("%s for Slurm: %v, %v", name, c.CheckWithoutCommands("slurm"), c.CheckCommands())
		}
		if refused := c.CheckCondor(); (refused != nil) != (name == "partition") {
			t.Errorf("%s for HTCondor: %v", name, refused)
		}
	}
	for i := range 3 {
		c := DefaultCluster()
		*[]*string{&c.Submit, &c.Index, &c.Queue}[i] = "x"
		if !errors.Is(c.CheckWithoutCommands("slurm"), ErrUnknownKey) || !errors.Is(c.CheckCondor(), ErrUnknownKey) || !errors.Is(c.CheckCommands(), ErrMissing) {
			t.Errorf("one command of three: %v, %v, %v", c.CheckWithoutCommands("slurm"), c.CheckCondor(), c.CheckCommands())
		}
	}
}

// Columns know the setting that they stand for, and its unit; columns of rows and of variants have none.
func TestColumnsAndTheirUnits(t *testing.T) {
	e, err := LoadExperiment(experimentFiles(`job: j.yaml
axes:
  n: {path: parameters.n, values: [1]}
  machine.clock_mhz: [1]
  row.r: [1]
  v: {variants: {one: {parameters.n: 1}}}
  z: {zip: {b: {path: machine.lds.banks, values: [1]}, row.c: [2]}}
figures:
  f: {kind: line, x: {column: n, unit: items}, y: {columns: [t, u], unit: cycles}}
  g: {kind: heatmap, x: {column: w}, y: h, value: {column: v, unit: "%"}}
  h: g.yaml
`), "e.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for column, want := range map[string]string{"n": "parameters.n", "machine.clock_mhz": "machine.clock_mhz", "v": "", "z": "", "b": "machine.lds.banks", "x": ""} {
		if got := e.ColumnPath(false, column); got != want {
			t.Errorf("column %s sets %q, want %q", column, got, want)
		}
	}
	for path, want := range map[string]string{"machine.clock_mhz": "MHz", "clock_mhz": "", "machine.lds.banks": "", "machine.no": "", "machine.clock_mhz.x": "", "parameters.n": "", "machine.": ""} {
		if got := PathUnit(path); got != want {
			t.Errorf("%s has unit %q, want %q", path, got, want)
		}
	}
	if d := cmp.Diff(map[string]string{"n": "items", "t": "cycles", "u": "cycles", "v": "%"}, e.Units()); d != "" {
		t.Error(d)
	}
}

// Values of a command line have a name and a value.
func TestNamesAndValues(t *testing.T) {
	for text, want := range map[string]SpecValue{"3=7": {ID: 3, Value: Number{Int: 7}}, "n=2*4": {Name: "n", Value: Number{Int: 8}}, "4294967296=1": {Name: "4294967296", Value: Number{Int: 1}}} {
		if got, err := ParseConstant(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "=", "3", "3=", "=7", "n=x"} {
		if _, err := ParseConstant(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	for text, want := range map[string]string{"n=8": "", " n = 8": "", "n": "want name=value", "n=": "want name=value", "=8": "want name=value", "m=8": "found m: want a parameter of j.yaml: it has n", "n=[8]": "found a list", "longer=8": ": it has n"} {
		_, err := LoadJobWith(experimentFiles(""), "j.yaml", []string{text})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// By default, random integers range from 0 to the largest of their type, and random floats are below 1.
func TestLimitsOfRandomNumbers(t *testing.T) {
	for typ, want := range map[string]uint64{"u8": math.MaxUint8, "u16": math.MaxUint16, "u32": math.MaxUint32, "u64": math.MaxUint64, "i8": math.MaxInt8, "i16": math.MaxInt16,
		"i32": math.MaxInt32, "i64": math.MaxInt64, "f16": 1, "f32": 1, "f64": 1} {
		low, high, err := (&Random{}).limits(scope{}, typ)
		if err != nil || low != (Number{}) || high != ofInteger(expression.Unsigned(want)) {
			t.Errorf("%s: %v to %v, %v", typ, low, high, err)
		}
	}
}

// An image has the bytes of its texels, samples and layers in all levels, each half as large as the one before and no smaller than one texel.
func TestBytesOfShapes(t *testing.T) {
	for _, s := range []Shape{{8, 4, 2, 3, 4, 0, 0}, {8, 4, 2, 3, 4, 4, 0}, {1, 9, 5, 1, 16, 4, 1}, {7, 1, 1, 2, 2, 3, 4}, {1, 1, 16, 1, 1, 5, 1}} {
		want, w, h, d := 0, s.Width, s.Height, s.Depth
		for range max(s.Levels, 1) {
			want += w * h * d * s.Layers * max(s.Samples, 1) * s.TexelBytes
			w, h, d = max(w/2, 1), max(h/2, 1), max(d/2, 1)
		}
		if got := s.Bytes(); got != want {
			t.Errorf("%+v: %d bytes, want %d", s, got, want)
		}
	}
}

// A file may be as long as the limit, and no longer.
func TestLimitOfFiles(t *testing.T) {
	files := fstest.MapFS{"f": {Data: []byte("12345678")}, "d/f": {Data: nil}}
	for limit, ok := range map[int64]bool{8: true, 9: true, 7: false} {
		data, err := readLimited(files, "f", limit)
		if ok && (err != nil || string(data) != "12345678") || !ok && !errors.Is(err, ErrLimit) {
			t.Errorf("at most %d bytes: %q, %v", limit, data, err)
		}
	}
	for _, name := range []string{"d", "no"} {
		if _, err := readLimited(files, name, 8); !errors.Is(err, ErrReference) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Steps in queues inherit from the enclosing steps: steps are separated by barriers unless an enclosing step disables
// them.
func TestStepsInheritFromTheirQueue(t *testing.T) {
	for outer := range 2 {
		for inner := range 2 {
			text := fmt.Sprintf("shader: s.spv\nqueues:\n- steps:\n  - {name: a, dispatch: [1]}\n  - {barrier: %t, release: [l2], after: [a], wave_size: 32, once: true, mode: functional, steps: [{name: b, barrier: %t, dispatch: [1]}]}\n", outer == 1, inner == 1)
			j := suite.Must(ParseJob(mapFS(nil), "j.yaml", []byte(text)))(t)
			list, err := j.Launches()
			if err != nil || len(list) != 2 {
				t.Fatalf("%d launches, %v", len(list), err)
			}
			b := list[1]
			if b.Barrier != (outer+inner == 2) || !slices.Equal(b.Release, []string{"l2"}) || b.Acquire != nil || b.WaveSize != 32 || !b.Once || b.Mode != "functional" || b.Shader != "s.spv" || b.Step != "b" {
				t.Errorf("barriers %d and %d: %+v", outer, inner, b)
			}
		}
	}
}

// A setting changes the one place that it names, also where the job has that several times by an alias.
func TestSettingsChangeOnePlace(t *testing.T) {
	files := experimentFiles("")
	files["j.yaml"] = &fstest.MapFile{Data: []byte("shader: a.spv\nsteps:\n- &s {dispatch: [1]}\n- *s\n- {name: x, specialization: {\"a.b\": 1}, dispatch: [3]}\n")}
	r := suite.Must(loadPoint(t, files, "steps[1].dispatch=[7]", `steps[2].specialization."a.b"=9`))(t)
	list, err := r.Job.Launches()
	if err != nil || len(list) != 3 || list[0].Dispatch[0] != 1 || list[1].Dispatch[0] != 7 || list[2].Specialization[0].Value.Int != 9 {
		t.Errorf("%+v, %v", list, err)
	}
	for path, want := range map[string]string{"a.b[1][2]": "a b 1 2", `a."b.c"`: "a b.c", `"a\"b"`: `a"b`, "[1]": "!", "": "!", "a.": "!", "a..b": "!", "a[x]": "!", "a[-1]": "!", "a[1": "!", `"a`: "!", `"a"b`: "!"} {
		steps, err := parseFieldPath(path)
		var words []string
		for _, s := range steps {
			if s.key == "" {
				s.key = fmt.Sprint(s.index)
			}
			words = append(words, s.key)
		}
		if got := strings.Join(words, " "); want == "!" && err == nil || want != "!" && (err != nil || got != want) {
			t.Errorf("%s: %q, %v, want %q", path, got, err, want)
		}
	}
	for path, want := range map[string]string{"a.b": "a b", `a."b.c".d`: "a b.c d", `"a\\b"`: `a\b`, "a..b": "!", `"a"b`: "!", `"a`: "!", "": "!", "a.": "!"} {
		keys, err := splitPath(path)
		if got := strings.Join(keys, " "); want == "!" && err == nil || want != "!" && (err != nil || got != want) {
			t.Errorf("%s: %q, %v, want %q", path, got, err, want)
		}
	}
}

// Faults of a launch are at the key of its step, else of the job, else at the step.
func TestErrorPositions(t *testing.T) {
	j := suite.Must(ParseJob(mapFS(nil), "j.yaml", []byte("shader: a.spv\nsteps:\n- {dispatch: [1]}\n-\n  shader: b.spv\n  dispatch: [1]\n")))(t)
	list := suite.Must(j.Launches())(t)
	for i, c := range []struct {
		launch    int
		key, want string
	}{{0, "shader", "j.yaml:1: shader: no"}, {1, "shader", "j.yaml:5: steps[1].shader: no"}, {0, "entry", "j.yaml:3: steps[0]: no"}, {1, "dispatch", "j.yaml:6: steps[1].dispatch: no"}} {
		if err := j.Fault(&list[c.launch], c.key, errors.New("config: no")); !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d: %v, want %q", i, err, c.want)
		}
	}
}

// Errors describe the content of a node.
func TestErrorsDescribeNodes(t *testing.T) {
	long := strings.Repeat("x", 61)
	for text, want := range map[string]string{"{a: 1}": "a mapping", "[1]": "a list", "~": "nothing", "7": "7", "x": `"x"`, long: `"` + long[:60] + `"...`, long[:60]: `"` + long[:60] + `"`} {
		var n yaml.Node
		suite.OK(t, yaml.Unmarshal([]byte(text), &n))
		if got := found(n.Content[0]); got != want {
			t.Errorf("%s: found %s, want %s", text, got, want)
		}
	}
}

// By default a queue's name is its number, its priority medium, and its pipe any; units range from the first to the
// last of an engine.
func TestQueuesOfAJob(t *testing.T) {
	const head = "shader: s.spv\nparameters: {n: 3}\nqueues:\n"
	const steps = "steps: [{dispatch: [1]}]}\n"
	j := suite.Must(ParseJob(mapFS(nil), "j.yaml", []byte(head+"- {"+steps+"- {name: q, priority: high, pipe: n - 3, units: [n, 2 * n], "+steps+"- {pipe: 64, units: [5, 5], "+steps)))(t)
	got, err := j.QueueCalls()
	want := []QueueCall{{Name: "0", Priority: "medium", Pipe: -1, Path: "queues[0]"}, {Name: "q", Priority: "high", Limited: true, Units: [2]int{3, 6}, Path: "queues[1]"},
		{Name: "2", Priority: "medium", Pipe: 64, Limited: true, Units: [2]int{5, 5}, Path: "queues[2]"}}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Error(d, err)
	}
	for text, want := range map[string]string{"pipe: -1": "queues[0].pipe: found -1: want 0 or more", "pipe: 1000000": "queues[0].pipe: ", "units: [4, 3]": "found 4 to 3: want the last not before the first", "units: [0, 65537]": "queues[0].units[1]", "units: [x, 3]": "queues[0].units[0]"} {
		j, err := ParseJob(mapFS(nil), "j.yaml", []byte(head+"- {"+text+", "+steps))
		if err == nil {
			_, err = j.QueueCalls()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// The columns of one axis vary together; every other column varies alone.
func TestColumnsThatVaryTogether(t *testing.T) {
	e := suite.Must(LoadExperiment(experimentFiles("job: j.yaml\naxes:\n  n: {path: parameters.n, values: [1]}\n  z: {zip: {b: {path: machine.lds.banks, values: [1]}, c: {path: machine.clock_mhz, values: [2]}}}\n  v: {variants: {one: {row.k: 3}, two: {row.m: 4}}}\n"), "e.yaml"))(t)
	for column, want := range map[string][]string{"n": {"n"}, "b": {"b", "c"}, "c": {"b", "c"}, "k": {"v", "k", "m"}, "m": {"v", "k", "m"}, "v": {"v", "k", "m"}, "other": {"other"}} {
		if got := e.Partners(false, column); !slices.Equal(got, want) {
			t.Errorf("%s varies with %q, want %q", column, got, want)
		}
	}
}

// Points have a size each, triangles three corners and points one.
func TestDrawsOfPoints(t *testing.T) {
	points := func(sizes string) error {
		return launched("shader: s.spv\n" + ruleBuffersText + "draw: {topology: points, positions: {type: f32, values: [0, 0, 0, 1, 1, 0, 0, 1]}, point_sizes: {type: f32, values: [" + sizes + "]}, color: [{buffer: im}]}\n")
	}
	if err := points("1, 2"); err != nil {
		t.Error(err)
	}
	for _, sizes := range []string{"1", "1, 2, 3"} {
		if err := points(sizes); err == nil || !strings.Contains(err.Error(), "want 2, one for each vertex") {
			t.Errorf("sizes %s: %v", sizes, err)
		}
	}
	if (&DrawCall{Points: true}).Corners() != 1 || (&DrawCall{}).Corners() != 3 {
		t.Error("a primitive has other corners")
	}
}
