package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// meshes holds the outputs of mesh shaders.
type meshes struct{ *pointers }

// meshCounts names the binding that receives the vertex and the primitive count
// of each workgroup, as two 32-bit words.
const meshCounts = "mesh_counts"

const meshCountBytes = 8

// bindCounts makes that binding, before any array of run-time size, whose length is unknown.
func (b *meshes) bindCounts() {
	p := b.region(meshCounts, meshCountBytes)
	b.f.Bindings[p.binding].Alias = "counts"
}

// meshSet is the descriptor set of outputs, which no shader names.
const meshSet = ^uint32(0)

func init() {
	topology := func(_ *nodes, n *ir.Node, m *validate.Mode) { mesh(n).Topology = m.Kind }
	for kind, row := range map[spirv.ExecutionMode]func(b *nodes, n *ir.Node, m *validate.Mode){
		spirv.ExecutionModeOutputPoints:       topology,
		spirv.ExecutionModeOutputLinesEXT:     topology,
		spirv.ExecutionModeOutputTrianglesEXT: topology,
		spirv.ExecutionModeOutputVertices:     func(_ *nodes, n *ir.Node, m *validate.Mode) { mesh(n).MaxVertices = m.Args[0] },
		spirv.ExecutionModeOutputPrimitivesEXT: func(_ *nodes, n *ir.Node, m *validate.Mode) {
			mesh(n).MaxPrimitives = m.Args[0]
		},
	} {
		meshModes[kind] = row
	}
}

// meshModes has a row for each execution mode of MeshEXT alone.
var meshModes = map[spirv.ExecutionMode]func(b *nodes, n *ir.Node, m *validate.Mode){}

func mesh(n *ir.Node) *ir.Mesh {
	if n.Mesh == nil {
		n.Mesh = &ir.Mesh{}
	}
	return n.Mesh
}

// bindOutput makes an output variable a buffer, in which each workgroup has
// a region of its own. Within it the variable lies in our own layout: scalars
// tightly packed, truth values as 32-bit words.
func (b *meshes) bindOutput(in *spirv.Instruction, t *validate.Type) {
	if !b.isMesh() || !b.reached[in.Result] {
		return
	}
	stride := b.bulkSize(t)
	if stride > maxLDS {
		b.unsupported("an output of %d bytes", stride)
	}
	p := b.region(b.outputName(in), uint32(stride))
	p.typ, p.layout.natural = t, true
	if k, ok := b.m.Decoration(in.Result, spirv.DecorationBuiltIn); ok && meshIndices[spirv.BuiltIn(k)] {
		b.f.Bindings[p.binding].Alias = "indices"
	}
	b.bind(in, p)
}

// meshIndices lists the built-ins that hold the vertices of primitives.
var meshIndices = map[spirv.BuiltIn]bool{
	spirv.BuiltInPrimitivePointIndicesEXT:    true,
	spirv.BuiltInPrimitiveLineIndicesEXT:     true,
	spirv.BuiltInPrimitiveTriangleIndicesEXT: true,
}

// outputName returns the name of an output variable, or of its built-in.
func (b *meshes) outputName(in *spirv.Instruction) string {
	if name := b.m.Name(in.Result); name != "" {
		return name
	}
	if k, ok := b.m.Decoration(in.Result, spirv.DecorationBuiltIn); ok {
		return spirv.BuiltIn(k).String()
	}
	b.unsupported("an output variable without a name")
	return ""
}

// region returns the workgroup's part of a named buffer of mesh outputs, of stride bytes.
func (b *meshes) region(name string, stride uint32) pointer {
	n := 0
	for n < len(b.f.Bindings) && (b.f.Bindings[n].Kind != ir.MeshOutput || b.f.Bindings[n].Name != name) {
		n++
	}
	if n == len(b.f.Bindings) {
		b.f.Bindings = append(b.f.Bindings, ir.Binding{
			Set: meshSet, Binding: uint32(n), Kind: ir.MeshOutput, Count: 1, Name: name, Stride: stride,
		})
	}
	p := pointer{space: isa.SpaceBuffer, binding: n, object: b.bindingObject(n), align: 4}
	p.index = b.onceOne(func() *ir.Value {
		return b.op(isa.IMul, isa.I32, b.op(isa.MeshGroup, isa.I32), b.i32(stride))
	})
	return p
}

func meshRows() map[spirv.Op]row[*meshes] {
	return map[spirv.Op]row[*meshes]{spirv.OpSetMeshOutputsEXT: {translate: (*meshes).setMeshOutputs}}
}

// setMeshOutputs stores the counts.
func (b *meshes) setMeshOutputs() {
	if !b.isMesh() {
		b.invalid("needs execution model MeshEXT")
	}
	p := b.region(meshCounts, meshCountBytes)
	m, args := b.mem(p, isa.I32, 0, 2)
	args = append(args, b.widen(b.scalarOf(b.arg(0)), isa.I32), b.widen(b.scalarOf(b.arg(1)), isa.I32))
	b.emit(isa.Store, isa.I32, isa.Void, args...).Mem = m
	b.wrote(p)
}
