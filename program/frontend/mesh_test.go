package frontend

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/internal/oracle"
	"spvsim/internal/suite"
	"spvsim/program/ir"
	"spvsim/program/opt"
	"spvsim/spirv"
)

var meshAliases = map[string]string{"mesh_counts": "counts", "PrimitiveTriangleIndicesEXT": "indices"}

// Each workgroup's outputs land in its own region of the buffers named after
// the variables: two payloads of two workgroups each, three vertices of five
// floats (position, point size), three colours, one triangle, one truth value.
func TestMeshOutputs(t *testing.T) {
	m := assemble(t, "mesh")
	var positions, colours, indices, culled, counts []uint32
	bits := math.Float32bits
	for _, payload := range []float32{0, 1} {
		for _, group := range []float32{0, 1} {
			for _, lane := range []float32{0, 1, 2} {
				positions = append(positions, bits(lane), bits(group), bits(payload), bits(1), bits(1))
				colours = append(colours, bits(lane))
			}
			indices = append(indices, 0, 1, 2)
			culled = append(culled, uint32(group))
			counts = append(counts, 3, 1)
		}
	}
	want := map[string][]byte{"vertices": payloadWords(positions...), "colour": payloadWords(colours...),
		"PrimitiveTriangleIndicesEXT": payloadWords(indices...), "culled": payloadWords(culled...), "mesh_counts": payloadWords(counts...)}
	for _, optimise := range []bool{false, true} {
		g := oracle.Graph{WaveSize: 32}
		got := map[string][]byte{}
		for _, entry := range []string{"seed", "strip"} {
			f := node(t, m, Options{Entry: entry})
			if optimise {
				opt.Run(f, opt.Options{WaveSize: 32})
			}
			p := oracle.NodeProgram{Name: entry, Func: f}
			for _, b := range f.Bindings {
				if want := meshAliases[b.Name]; b.Alias != want {
					t.Errorf("%s is also %q, want %q", b.Name, b.Alias, want)
				}
				if b.Kind != ir.MeshOutput || !b.Writes || int(b.Stride) != len(want[b.Name])/4 {
					t.Errorf("binding %+v", b)
				}
				got[b.Name] = make([]byte, len(want[b.Name]))
				p.Descriptors = append(p.Descriptors, oracle.Descriptor{Data: got[b.Name]})
			}
			g.Nodes = append(g.Nodes, p)
		}
		suite.Must(oracle.RunGraph(g, []oracle.Record{{Node: "seed", Count: 1}}))(t)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("optimised %v: %s", optimise, diff)
		}
	}
}

func TestMeshMetadata(t *testing.T) {
	n := node(t, assemble(t, "mesh"), Options{Entry: "strip"}).Node
	want := ir.Mesh{Topology: spirv.ExecutionModeOutputTrianglesEXT, MaxVertices: 3, MaxPrimitives: 1}
	if n.Model != spirv.ExecutionModelMeshEXT || n.Mesh == nil || *n.Mesh != want || n.Input == nil {
		t.Errorf("%+v, mesh %+v", n, n.Mesh)
	}
}
