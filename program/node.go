package program

import (
	"fmt"
	"strings"

	"spvsim/program/frontend"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// The interface of an entry point to an execution graph; see package ir.
type (
	Node        = ir.Node
	NodeRef     = ir.NodeRef
	PayloadType = ir.PayloadType
	Indirect    = ir.Indirect
	Output      = ir.Output
	Mesh        = ir.Mesh
	LaunchKind  = ir.LaunchKind
)

// Launch kinds.
const (
	Dynamic    = ir.Dynamic
	Static     = ir.Static
	Coalescing = ir.Coalescing
)

// Interface returns the interface of an entry point to an execution graph, and its local size, with the specialization
// constants that o sets and the others at their defaults. The node is nil for an entry point that is no node.
func Interface(m *validate.Module, o Options) (n *Node, localSize [3]uint32, err error) {
	f, err := frontend.Build(m, frontend.Options{Entry: o.Entry, Specialization: o.Specialization, Strings: o.Strings, WaveSize: 64})
	if err != nil {
		return nil, localSize, err
	}
	return f.Node, f.LocalSize, nil
}

// DescribeNode describes the interface of a node, in a line for the node and one for each output. The graph knows the
// entry point by name and index.
func DescribeNode(name string, index uint32, localSize [3]uint32, n *Node) string {
	var s strings.Builder
	fmt.Fprintf(&s, "node %q index %d: %s", name, index, launchText(n))
	if n.Input == nil {
		s.WriteString(", no input")
	} else {
		fmt.Fprintf(&s, ", %s", inputText(n))
	}
	fmt.Fprintf(&s, ", local size %s", sizeText(localSize))
	for _, extra := range nodeExtras(n) {
		fmt.Fprintf(&s, ", %s", extra)
	}
	s.WriteByte('\n')
	for i := range n.Outputs {
		fmt.Fprintf(&s, "  output %d -> %s\n", i, outputText(n, &n.Outputs[i]))
	}
	return s.String()
}

func launchText(n *Node) string {
	kind := n.Launch.String()
	switch {
	case n.Launch == Static:
		kind += " " + sizeText(n.Workgroups) + " workgroups"
	case n.Launch == Dynamic && n.Workgroups != [3]uint32{}:
		kind += " up to " + sizeText(n.Workgroups) + " workgroups"
	}
	if n.Model == spirv.ExecutionModelMeshEXT {
		return "mesh, " + kind
	}
	return kind
}

func inputText(n *Node) string {
	p := n.Input
	text := fmt.Sprintf("payload of %d bytes", p.Bytes)
	if n.Launch == Coalescing {
		text = payloadsText(p.MaxPayloads, p.Bytes)
	}
	if p.TrackFinish {
		text += " with finish tracking"
	}
	if d := p.Indirect; d != nil && n.Launch == Dynamic {
		text += fmt.Sprintf(" (workgroups at byte %d: %d x %d bits)", d.Offset, d.Components, d.Bits)
	}
	return text
}

func payloadsText(most, bytes uint32) string {
	plural := "s"
	if most == 1 {
		plural = ""
	}
	return fmt.Sprintf("up to %d payload%s of %d bytes", most, plural, bytes)
}

// nodeExtras describes the properties that few nodes have.
func nodeExtras(n *Node) []string {
	var list []string
	if n.Recursive {
		list = append(list, fmt.Sprintf("up to %d recursions", n.MaxRecursion))
	}
	if r := n.SharesInput; r != nil {
		list = append(list, fmt.Sprintf("shares the input of %q index %d", r.Name, r.Index))
	}
	if !n.APIEntry {
		list = append(list, "not dispatched by the host")
	}
	if m := n.Mesh; m != nil {
		list = append(list, fmt.Sprintf("up to %d vertices and %d primitives", m.MaxVertices, m.MaxPrimitives))
	}
	return list
}

// outputText describes an output of the node, with the limit that counts for it.
func outputText(n *Node, o *Output) string {
	text := fmt.Sprintf("%q%s", o.Node, indexText(o))
	if o.Sparse {
		text += " sparse"
	}
	root := o
	if o.SharesLimits >= 0 {
		root = &n.Outputs[o.SharesLimits]
	}
	text += ": " + payloadsText(root.MaxPayloads, o.Bytes)
	switch {
	case o.Workgroup && o.Invocation:
		text += " for the workgroup and for each invocation"
	case o.Invocation:
		text += " for each invocation"
	}
	if o.TrackFinish {
		text += " with finish tracking"
	}
	if o.SharesLimits >= 0 {
		text += fmt.Sprintf(", within the limits of output %d", o.SharesLimits)
	}
	return text
}

// indexText formats the indexes of the target that an output may name.
func indexText(o *Output) string {
	switch {
	case o.Single():
		return fmt.Sprintf("[%d]", o.BaseIndex)
	case !o.Sized:
		return fmt.Sprintf("[%d..]", o.BaseIndex)
	case o.ArraySize <= o.BaseIndex:
		return "[no index]"
	}
	return fmt.Sprintf("[%d..%d]", o.BaseIndex, o.ArraySize-1)
}

func sizeText(n [3]uint32) string { return fmt.Sprintf("%dx%dx%d", n[0], n[1], n[2]) }
