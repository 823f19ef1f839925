package gpu

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/config"
	"spvsim/internal/suite"
	"spvsim/mem"
	"spvsim/scheduler/graph"
)

// lateJob runs the graph "tree" from steps; before it, a shader writes the records and an info.
const lateJob = `
nodes: [{entry: root}, {entry: mid}, {entry: leaf, index: 0}, {entry: leaf, index: 1}]
shader: tree.spvasm
buffers:
  - {set: 0, binding: 0, name: out, data: {zero: 128}}
  - {set: 0, binding: 1, name: records, data: {values: [9, 9, 9, 9]}}
  - {set: 0, binding: 2, name: info, data: {parts: [{values: [7, 7]}, {address_of: records}, {values: [7, 0]}, {zero: 8}]}}
  - {unbound: true, name: list, data: {parts: [{values: [1, 0]}, {address_of: info}, {type: u64, values: [32]}]}}
  - {unbound: true, name: halves, data: {parts: [{values: [0, 2]}, {address_of: records}, {values: [4, 0]}, {values: [0, 2]}, {address_of: late}, {values: [4, 0]}]}}
  - {unbound: true, name: late, data: {values: [200, 300]}}
  - {unbound: true, name: empty, data: {zero: 24}}
steps:
  - {name: fill, shader: fill.spvasm, dispatch: [1]}
  - {name: go, graph: [GRAPH]}
`

func lateSetup(t *testing.T, graph string, set ...string) Setup {
	t.Helper()
	fs := files(t, strings.Replace(lateJob, "GRAPH", graph, 1))
	data := suite.Must(os.ReadFile("testdata/graph/fill.spvasm"))(t)
	fs["fill.spvasm"] = &fstest.MapFile{Data: data}
	return graphSetup(t, fs, "rdna3-rx7900xtx", set...)
}

// A dispatch in steps reads what an earlier step wrote: records, infos, and where the infos are.
func TestGraphDispatchesFromBuffers(t *testing.T) {
	for name, graph := range map[string]string{
		"records":        "{node: root, count: 4, buffer: records, stride: 4}",
		"all records":    "{node: root, buffer: records}",
		"with an offset": "{node: root, count: 1, buffer: records}, {node: root, buffer: records, offset: 4}",
		"an info":        "{indirect: {infos: info}}",
		"two infos":      "{indirect: {infos: halves, count: 2}}",
		"a count info":   "{indirect: {count_info: list}}",
		"and no info":    "{indirect: {infos: info}}, {indirect: {infos: empty, count: 0}}, {indirect: {count_info: empty}}",
	} {
		t.Run(name, func(t *testing.T) {
			for _, kind := range schedulerKinds {
				r := mustRun(t, lateSetup(t, graph, "scheduler.kind="+kind))
				if got, want := words(r.Buffers[0].Bytes[:16]), graphJobs["tree"].want; !slices.Equal(got, want) {
					t.Errorf("%s: %d, want %d", kind, got, want)
				}
				if len(r.Stats.Steps) != 2 || r.Stats.Steps[0].Name != "fill" || r.Stats.Steps[1].Name != "go" || r.Stats.Steps[0].Workgroups != 1 {
					t.Errorf("%s: steps %+v", kind, r.Stats.Steps)
				}
			}
		})
	}
}

// A loop dispatches again and again, with other steps between, over the same buffers.
func TestGraphDispatchesInALoop(t *testing.T) {
	s := lateSetup(t, "{node: root, buffer: records}]}\n  - {for: {i: 0..1}, steps: [{shader: fill.spvasm, dispatch: [1]}, {graph: [{node: root, buffer: records, offset: 4*i, count: 1}]}")
	want := slices.Clone(graphJobs["tree"].want)
	for _, p := range []uint32{0, 100} { // what one payload of root adds: see graphJobs
		want[0] += 32*p + 992
		want[1] += 32*p + 1024 + 64*p + 2080
		want[2] += 32
		want[3] += 96
	}
	if got := words(mustRun(t, s).Buffers[0].Bytes[:16]); !slices.Equal(got, want) {
		t.Errorf("%d, want %d", got, want)
	}
}

// What buffers ask for and there is not ends the run by name.
func TestGraphDispatchFaults(t *testing.T) {
	for _, c := range []struct{ name, graph, old, new, want string }{
		{"no such node", "{indirect: {infos: halves}}", "[0, 2]}, {address_of: records}", "[4, 2]}, {address_of: records}", "info 0: found node 4: want less than 4"},
		{"no buffer", "{indirect: {infos: halves}}", "{parts: [{values: [0, 2]}, {address_of: records}", "{parts: [{values: [0, 2]}, {values: [64, 0]}", "node root[0]: payloads: found address 0x40: want one in a buffer"},
		{"too few bytes", "{indirect: {infos: halves}}", "{parts: [{values: [0, 2]}", "{parts: [{values: [0, 5]}", `20 bytes from byte 0 on: want them within the 16 bytes of buffer "records"`},
		{"too many payloads", "{indirect: {infos: halves}}", "{parts: [{values: [0, 2]}", "{parts: [{values: [0, 0x2000000]}", "33554432 payloads: want at most"},
		{"a stride beyond memory", "{indirect: {infos: halves}}", "{address_of: records}, {values: [4, 0]}", "{address_of: records}, {values: [0, 0x80000000]}", "no memory is larger"},
		{"infos beyond the buffer", "{indirect: {infos: info, offset: 16}}", "", "", "infos: found address"},
		{"too many infos", "{indirect: {count_info: list}}", "[{values: [1, 0]}", "[{values: [0x10001, 0]}", "65537 infos: want at most"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fs := files(t, strings.Replace(strings.Replace(lateJob, "GRAPH", c.graph, 1), c.old, c.new, 1))
			data, err := os.ReadFile("testdata/graph/fill.spvasm")
			if err != nil {
				t.Fatal(err)
			}
			fs["fill.spvasm"] = &fstest.MapFile{Data: data}
			_, err = Run(context.Background(), graphSetup(t, fs, "rdna3-rx7900xtx"))
			if !errors.Is(err, ErrRun) || !errors.Is(err, graph.ErrFault) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want a failed run with %q", err, c.want)
			}
		})
	}
}

// Infos lie as the API's structures do; padding is passed over.
func TestReadInfos(t *testing.T) {
	s := mem.NewStore(1 << 20)
	b := suite.Must(s.Alloc(128, "infos"))(t)
	put := func(at int, node, count uint32, address, stride uint64) {
		binary.LittleEndian.PutUint32(b.Bytes[at:], node)
		binary.LittleEndian.PutUint32(b.Bytes[at+4:], count)
		binary.LittleEndian.PutUint64(b.Bytes[at+8:], address)
		binary.LittleEndian.PutUint64(b.Bytes[at+16:], stride)
	}
	put(8, 2, 0xdead, b.Addr+40, 32) // a count info of two; the second word is unused
	put(40, 1, 10, 1<<40, 8)
	put(72, 3, 20, 1<<41, 0)
	got, err := readInfos(s, b, &config.InfosAt{Offset: 8, Counted: true})
	if want := []graphInfo{{1, 10, 1 << 40, 8}, {3, 20, 1 << 41, 0}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	got, err = readInfos(s, b, &config.InfosAt{Offset: 104, Count: 1, Stride: 24})
	if err != nil || len(got) != 1 {
		t.Errorf("an info that ends with the buffer: %v, %v", got, err)
	}
	if _, err = readInfos(s, b, &config.InfosAt{Offset: 105, Count: 1, Stride: 24}); err == nil {
		t.Error("an info beyond the end of the buffer is read")
	}
}
