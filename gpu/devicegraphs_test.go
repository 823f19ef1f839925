package gpu_test

import (
	"context"
	"encoding/binary"
	"slices"
	"testing"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/mem"
	"spvsim/program"
	"spvsim/scheduler/graph"
	"spvsim/spirv/validate"
)

// treeNodes are the nodes of the graph of testdata/graph/tree.spvasm.
func treeNodes(module *validate.Module) []gpu.GraphNode {
	nodes := []gpu.GraphNode{{Name: "root"}, {Name: "mid"}, {Name: "leaf", HasIndex: true}, {Name: "leaf", Index: 1, HasIndex: true}}
	for i := range nodes {
		nodes[i].KernelSetup = gpu.KernelSetup{Module: module, Entry: nodes[i].Name}
	}
	return nodes
}

// treeDispatch sends that graph one payload; it adds up in memory of the caller.
func treeDispatch(g *gpu.Graph, scratch uint64, sums mem.Descriptor) *gpu.GraphDispatch {
	return &gpu.GraphDispatch{Name: "tree", Graph: g, Scratch: scratch,
		Input:    gpu.GraphInput{Entries: []gpu.GraphEntry{{Count: 1, Payloads: []byte{10, 0, 0, 0}, Stride: 4}}},
		Elements: func(*program.Program) [][]mem.Descriptor { return [][]mem.Descriptor{{sums}} }}
}

// treeOn makes a graph on a device, and a dispatch of it that adds up in bytes of its own at an address.
func treeOn(t *testing.T, d *gpu.Device, at uint64) (x *gpu.GraphDispatch, sums []byte) {
	t.Helper()
	g := suite.Must(d.Graph(treeNodes(moduleOf(t, "graph/tree.spvasm"))))(t)
	sums = make([]byte, 128)
	d.Map(at, sums, "sums")
	_, most := d.ScratchBytes(g)
	return treeDispatch(g, most, mem.Descriptor{Addr: at, Bytes: sums}), sums
}

// Dispatches of two graphs in two queues of a device run at once, with the sums and counts of each by itself; persistent workers leave
// nothing beside them, and two graphs need more scratch memory than one where what is on chip is divided.
func TestGraphsOfADevice(t *testing.T) {
	for _, kind := range []string{"hardware", "firmware", "multipass", "lists", "generated", "persistent"} {
		m := suite.Must(config.LoadMachine(config.Request{Machine: "rdna4-like", Set: []string{"scheduler.kind=" + kind}}))(t)
		d := suite.Must(gpu.OpenDevice(gpu.DeviceSetup{Machine: m}))(t)
		x, one := treeOn(t, d, 1<<40)
		y, other := treeOn(t, d, 1<<41)
		list := []*gpu.GraphDispatch{x, y}
		if got, want := d.FitConcurrent(list), kind != "persistent"; got != want {
			t.Errorf("%s: beside each other: %v, want %v", kind, got, want)
		}
		if kind == "persistent" {
			continue
		}
		b := &gpu.ConcurrentWork{Name: "trees", Queues: []gpu.DeviceQueue{{Name: "0", Priority: "medium"}, {Name: "1", Priority: "medium", Pipe: 1}}, Items: []*gpu.Queued{{Graph: x}, {Queue: 1, Graph: y}}}
		c, hazards, err := d.RunConcurrent(context.Background(), b)
		if err != nil || len(hazards) > 0 || c.Workgroups != 2*193 {
			t.Fatalf("%s: %v, %d workgroups, %v", kind, err, c.Workgroups, hazards)
		}
		if p, q := b.Items[0], b.Items[1]; !slices.Equal(one, other) || binary.LittleEndian.Uint32(one) != 1312 || p.Counts.Workgroups != 193 || p.Counts.Instructions()+q.Counts.Instructions() != c.Instructions() ||
			q.Times.Dispatched >= p.Times.Done {
			t.Errorf("%s: sums %v and %v, %+v and %+v", kind, one[:16], other[:16], p.Times, q.Times)
		}
		if x.Scratch, y.Scratch = 0, 0; kind == "hardware" && (!d.FitConcurrent(list[:1]) || !d.FitConcurrent(list)) {
			t.Errorf("%d bytes on chip are not enough for two", graph.OnChip(&m.WorkSpec))
		}
		if kind == "firmware" && d.FitConcurrent(list) {
			t.Errorf("firmware needs no scratch memory")
		}
	}
}
