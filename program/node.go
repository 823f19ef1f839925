package program

import "spvsim/program/ir"

// What an entry point asks of an execution graph; see package ir.
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
