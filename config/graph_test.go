package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/internal/suite"
)

const graphJob = `
shader: all.spv
parameters: {n: 3}
specialization: {0: 1}
nodes:
  - {entry: start}
  - {entry: main, name: B, index: n - 2, shader: b.spv, specialization: {0: n}, strings: [{id: 4, value: C}]}
graph:
  - {node: start, count: 2}
  - {node: B, index: 1, payloads: [{u32: [1, 2]}, {u32: 7, data: {zero: 8}}]}
  - {node: B, index: 1, count: n, payloads: [{u32: 5}]}
  - {node: B, index: 1, count: 0, data: {iota: u32, count: 4}, stride: 8}
scratch_bytes: n * 1000
graph_repeat: 2
mesh_outputs: [{node: B, index: 1, output: counts, buffer: out}]
buffers: [{set: 0, binding: 0, name: out, data: {zero: 4}}]
`

func TestGraphOfAJob(t *testing.T) {
	list, err := job(t, graphJob, nil).GraphWork()
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	g := &list[0]
	one, three := SpecValue{Value: Number{Int: 1}}, SpecValue{Value: Number{Int: 3}}
	want := &GraphWork{
		Nodes: []GraphNode{
			{Launch: Launch{Shader: "all.spv", Entry: "start", Specialization: []SpecValue{one}, Path: "nodes[0]"}},
			{Launch: Launch{Shader: "b.spv", Entry: "main", Specialization: []SpecValue{three}, Strings: []NameString{{ID: 4, Value: "C"}}, Path: "nodes[1]"},
				Name: "B", Index: 1, HasIndex: true},
		},
		Dispatches: []PayloadDispatch{
			{Node: "start", Count: 2, HasCount: true, Stride: -1},
			{Node: "B", Index: 1, Count: 2, HasCount: true, HasData: true, Stride: 12, Lengths: []int{8, 12},
				Data: Content{Bytes: []byte{1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}},
			{Node: "B", Index: 1, Count: 3, HasCount: true, HasData: true, Lengths: []int{4}, Data: Content{Bytes: []byte{5, 0, 0, 0}}},
			{Node: "B", Index: 1, HasCount: true, HasData: true, Stride: 8,
				Data: Content{Bytes: []byte{0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0}}},
		},
		MeshOutputs: []MeshTarget{{"B", 1, "counts", "out"}},
		Scratch:     3000, Repeat: 2,
	}
	if d := cmp.Diff(want, g); d != "" {
		t.Error(d)
	}
}

func TestGraphJobErrors(t *testing.T) {
	const nodes = "nodes: [{shader: a.spv, entry: a}, {shader: a.spv, entry: b, name: B}]\n"
	for _, c := range []struct{ name, text, want string }{
		{"no nodes", "graph: [{node: a}]\n", "j.yaml:1: nodes: missing"},
		{"nothing dispatched", nodes, "j.yaml:1: graph: missing"},
		{"dispatch too", nodes + "graph: [{node: a}]\ndispatch: [1]\n", "j.yaml:2: graph: found graph and dispatch or steps"},
		{"no shader", "nodes: [{entry: a}]\ngraph: [{node: a}]\n", "nodes[0].shader: missing"},
		{"misspelled", nodes + "graph:\n  - {node: Bb}\n", "j.yaml:3: graph[0].node: found \"Bb\": want the name of a node, one of a, B (nearest: B)"},
		{"unnamed", nodes + "graph: [{count: 1}]\n", "graph[0].node: missing"},
		{"both forms", nodes + "graph: [{node: a, payloads: [{u32: 1}], data: {zero: 4}}]\n", "graph[0]: found payloads and data"},
		{"count of a list", nodes + "graph: [{node: a, count: 3, payloads: [{u32: 1}, {u32: 2}]}]\n", "found a count of 3 and 2 payloads"},
		{"stride alone", nodes + "graph: [{node: a, stride: 4}]\n", "graph[0].stride: found a stride for several payloads"},
		{"scratch without graph", "shader: a.spv\ndispatch: [1]\nscratch_bytes: 4\n", "j.yaml:3: scratch_bytes: found in a job without a graph"},
		{"unknown key", nodes + "graph: [{node: a, payload: []}]\n", "graph[0].payload: unknown key (nearest: graph[0].payloads)"},
		{"two of a name", "nodes: [{shader: a.spv, name: B, index: 1}, {shader: b.spv, name: B, index: 1}]\ngraph: [{node: B}]\n", "nodes[1]: found name \"B\" and an index that nodes[0] has too"},
		{"no buffer", nodes + "graph: [{node: a}]\nmesh_outputs: [{node: a, output: counts, buffer: x}]\n", "mesh_outputs[0].buffer: found \"x\": want the name of a buffer"},
	} {
		_, err := ParseJob(mapFS(nil), "j.yaml", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestEveryPresetDescribesItsScheduler(t *testing.T) {
	for _, name := range Presets() {
		m := suite.Must(LoadMachine(Request{Machine: name}))(t)
		for path, source := range m.Sources {
			if (strings.HasPrefix(path, "scheduler.") || strings.HasPrefix(path, "queue.")) && source == "" {
				t.Errorf("%s: %s has no source", name, path)
			}
		}
		if m.Queue.Depth == 0 || m.Scheduler.Kind == "" {
			t.Errorf("%s: scheduler %q, queue depth %d", name, m.Scheduler.Kind, m.Queue.Depth)
		}
	}
}
